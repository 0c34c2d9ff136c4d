// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: finding a callback that runs
 *
 * run.c and process.c note in the base which callback they run. So any CPU that holds the
 * base's lock can find out whether the callback of a timer runs.
 */
#include "callback.h"

/*
 * Finds the callback of a timer, whose base is locked, if it runs in process context. A running
 * callback may have freed its timer, and a new timer may lie at the same address. The function
 * mistakes the new timer for the old one only if both have the same callback.
 */
const struct twheel_callback *twheel_callback_find_process(const struct twheel_base *base,
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

/* Finds the callback of a timer, whose base is locked, if it runs. */
const struct twheel_callback *twheel_callback_find(const struct twheel_base *base,
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

/* Finds the first deferred timer of a locked base whose callback does not run. */
struct twheel_timer *twheel_callback_first_deferred(struct twheel_base *base)
{
	struct twheel_timer *t;

	lockdep_assert_held(&base->lock);

	list_for_each_entry(t, &base->wheel.deferred, node.entry)
		if (!twheel_callback_find_process(base, t))
			return t;
	return NULL;
}
