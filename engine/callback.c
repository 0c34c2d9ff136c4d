// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: running a callback, and finding one that runs
 *
 * due.c runs callbacks in softirq context, and process.c runs them in process context.
 * Both note in the base which callback they run. So any CPU that holds the base's lock
 * can find out whether the callback of a timer runs.
 */
#include "callback.h"
#include "trace.h"

/*
 * The callback may free the timer, which contains the map that lockdep needs until the
 * callback has returned. So lockdep gets a copy of the map.
 */
static void callback_call(struct twheel_timer *t, twheel_fn_t fn)
{
	int count = preempt_count();
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;

	lockdep_copy_map(&lockdep_map, &t->lockdep_map);
#endif
	lock_map_acquire(&lockdep_map);
	fn(t);
	lock_map_release(&lockdep_map);

	if (WARN_ONCE(count != preempt_count(),
		      "%pS left preempt_count at %#x, was %#x\n",
		      fn, preempt_count(), count))
		preempt_count_set(count);
}

/**
 * twheel_callback_run - run a callback
 * @base: The base that @t belongs to, not locked.
 * @t: The callback's timer, which the callback may free.
 * @fn: The callback.
 *
 * Context: softirq or process. While twheel_timing is on, takes the base's lock to
 * note how long the callback took.
 */
void twheel_callback_run(struct twheel_base *base, struct twheel_timer *t,
			 twheel_fn_t fn)
{
	u64 start = twheel_stats_start();
	unsigned long flags;
	u64 took;

	callback_call(t, fn);
	trace_twheel_expire_exit(t, fn);

	took = twheel_stats_since(start);
	if (!took)
		return;
	raw_spin_lock_irqsave(&base->lock, flags);
	if (took > base->stats.callback_max_ns) {
		base->stats.callback_max_ns = took;
		base->stats.callback_max_fn = fn;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* Whether the callback of @t, which is not TWHEEL_DUE, runs in softirq context. */
static bool callback_runs_in_softirq(const struct twheel_base *base,
				     const struct twheel_timer *t)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int at;

	/*
	 * Pairs with the claim in due_claim(), which is a full barrier. The runner
	 * writes @at, claims the timer, and only then ends the state TWHEEL_DUE. This
	 * CPU saw another state than TWHEEL_DUE; if a claim had ended that state, this
	 * CPU now sees the @at of that claim or a later one.
	 */
	smp_rmb();
	/* Pairs with due_claim(): the callbacks before @at have ended. */
	at = smp_load_acquire(&batch->at);
	/* Pairs with twheel_due_run(): what an ended callback did is visible. */
	return smp_load_acquire(&batch->due[at].timer) ==
	       ((unsigned long)t | TWHEEL_DUE_CLAIMED);
}

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
 * @t: The timer, not TWHEEL_DUE: see twheel_due_settle().
 *
 * Return: The callback, or %NULL if the callback of @t does not run.
 */
const struct twheel_callback *
twheel_callback_find(const struct twheel_base *base,
		     const struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	if (callback_runs_in_softirq(base, t))
		return &base->callback;
	if (t->flags & TWHEEL_PROCESS)
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

	list_for_each_entry(t, &base->wheel.deferred, entry)
		if (!twheel_callback_find_process(base, t))
			return t;
	return NULL;
}
