// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: finding a callback that runs
 *
 * run.c runs callbacks in softirq context, and process.c runs them in process context.
 * Both note in the base which callback they run. So any CPU that holds the base's lock
 * can find out whether the callback of a timer runs.
 */
#include "callback.h"

/**
 * twheel_callback_find_process - find a timer's callback in process context
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 *
 * A running callback may have freed its timer, and a new timer may lie at the same
 * address. The function mistakes the new timer for the old one only if both have the
 * same callback.
 *
 * Return: The callback, or %NULL if the callback of @t does not run in process
 * context.
 */
const struct twheel_callback *
twheel_callback_find_process(const struct twheel_base *base,
			     const struct twheel_timer *t)
{
	unsigned long idle = base->idle_workers;
	unsigned int i;

	lockdep_assert_held(&base->lock);

	for_each_clear_bit(i, &idle, TWHEEL_PROCESS_MAX)
		if (base->worker[i].callback.timer == t &&
		    base->worker[i].callback.fn == t->fn)
			return &base->worker[i].callback;
	return NULL;
}

/**
 * twheel_callback_find - find the running callback of a timer
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 *
 * Return: The callback, or %NULL if the callback of @t does not run.
 */
const struct twheel_callback *
twheel_callback_find(const struct twheel_base *base,
		     const struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	/* Whatever its function is: the callback may have set the timer up anew. */
	if (base->callback.timer == t)
		return &base->callback;
	if (t->node.flags & TWHEEL_PROCESS)
		return twheel_callback_find_process(base, t);
	return NULL;
}

/**
 * twheel_callback_first_deferred - find a timer that a worker may take
 * @base: The base, locked.
 *
 * Return: The first deferred timer whose callback does not run, or %NULL.
 */
struct twheel_timer *twheel_callback_first_deferred(struct twheel_base *base)
{
	struct twheel_timer *t;

	lockdep_assert_held(&base->lock);

	list_for_each_entry(t, &base->wheel.deferred, node.entry)
		if (!twheel_callback_find_process(base, t))
			return t;
	return NULL;
}
