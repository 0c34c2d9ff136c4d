// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that are due, from the wheel to their callbacks
 *
 * The runner releases the lock before it calls a callback. Taking the lock again for
 * every callback would cost more than everything else that is done for a timer. So
 * the runner takes a batch of timers off the wheel at once. Each timer of the batch is
 * still pending until its callback begins: a CPU that holds the lock may cancel the
 * timer or give it another deadline. So the runner has to claim a timer before it
 * calls the callback:
 *
 *	runner					canceller, or a new deadline
 *	  lock
 *	  take a batch of timers off the wheel
 *	  unlock				  lock
 *	  for each timer of the batch:		  if the timer is TWHEEL_DUE:
 *	    A: t -> t | CLAIMED			    B: t -> 0
 *	    TWHEEL_DUE -> TWHEEL_IDLE		       pending in the wheel again
 *	    fn()				  disarm or change the timer
 *	    t | CLAIMED -> 0			  unlock
 *
 * A and B compare and exchange the same word of the batch, so exactly one of them
 * succeeds. Only the side that succeeded touches the timer from then on: after A the
 * callback may free the timer, after B the canceller may. The same word tells other
 * CPUs that a callback runs.
 *
 * A periodic timer is armed again when its callback begins. That takes the lock, so
 * the runner claims a periodic timer under the lock, and no other CPU finds the timer
 * between the claim and the arming. With debugobjects, the runner claims every timer
 * under the lock, because debugobjects must see the claim and the end of the arming as
 * one step.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include "callback.h"
#include "device.h"
#include "due.h"
#include "expiry.h"
#include "objects.h"
#include "trace.h"

/* Adds a timer to the batch, which is not full. */
static void due_add(struct twheel_base *base, struct twheel_timer *t)
{
	struct twheel_due *due = &base->batch.due[base->batch.count++];

	due->fn = t->fn;
	due->expires = t->last;
	due->began = 0;
	due->locked = t->period || IS_ENABLED(CONFIG_DEBUG_OBJECTS);
	due->windowed = twheel_wheel_window_level(t);
	WRITE_ONCE(due->timer, (unsigned long)t);
	base->counts.fired++;
}

/**
 * twheel_due_take - take a batch of due timers off the wheel
 * @base: The base, locked, in a run, with an empty batch.
 * @left: The budget: how many timers may be moved or taken, and how many ticks visited.
 *
 * Return: What remains of @left.
 */
unsigned int twheel_due_take(struct twheel_base *base, unsigned int left)
{
	struct twheel_timer *due[TWHEEL_DUE_MAX];
	unsigned int i, n;

	lockdep_assert_held(&base->lock);

	n = twheel_wheel_expire(&base->wheel, get_jiffies_64(), &left, due,
				TWHEEL_DUE_MAX);
	for (i = 0; i < n; i++)
		due_add(base, due[i]);
	return left;
}

/*
 * Claims a timer for its callback, unless a canceller has taken the timer back. Writes
 * @at before the claim: a CPU that sees the claim must also find the callback through
 * @at.
 */
static bool due_claim(struct twheel_due_batch *batch, struct twheel_due *due,
		      unsigned long timer)
{
	/* Pairs with callback_runs_in_softirq(). */
	smp_store_release(&batch->at, due - batch->due);
	return cmpxchg(&due->timer, timer, timer | TWHEEL_DUE_CLAIMED) == timer;
}

static bool due_begin_locked(struct twheel_base *base, struct twheel_due *due,
			     unsigned long timer)
{
	struct twheel_timer *t = (struct twheel_timer *)timer;
	bool claimed;

	raw_spin_lock_irq(&base->lock);
	claimed = due_claim(&base->batch, due, timer);
	if (claimed) {
		base->callback.missed = twheel_wheel_begin(&base->wheel, t,
							   get_jiffies_64());
		if (t->period)
			base->counts.armed++;
		else
			twheel_objects_disarm(t);
	}
	raw_spin_unlock_irq(&base->lock);
	return claimed;
}

static bool due_begin_lockless(struct twheel_base *base, struct twheel_due *due,
			       unsigned long timer)
{
	if (!due_claim(&base->batch, due, timer))
		return false;
	base->callback.missed = 0;
	twheel_wheel_end_due((struct twheel_timer *)timer);
	return true;
}

/* Claims the timer of @due and returns it, or NULL if a canceller has taken it back. */
static struct twheel_timer *due_begin(struct twheel_base *base, struct twheel_due *due)
{
	unsigned long timer = READ_ONCE(due->timer);
	bool claimed;

	if (!timer)
		return NULL;
	if (due->locked)
		claimed = due_begin_locked(base, due, timer);
	else
		claimed = due_begin_lockless(base, due, timer);
	if (!claimed)
		return NULL;
	due->began = get_jiffies_64();
	trace_twheel_expire_entry((struct twheel_timer *)timer, due->expires,
				  base->cpu);
	return (struct twheel_timer *)timer;
}

/**
 * twheel_due_run - run the callbacks of the batch
 * @base: The base, not locked, in a run.
 *
 * Context: softirq, interrupts on.
 */
void twheel_due_run(struct twheel_base *base)
{
	struct twheel_due_batch *batch = &base->batch;
	struct twheel_due *due;
	struct twheel_timer *t;

	batch->time = 0;
	for (due = batch->due; due < batch->due + batch->count; due++) {
		t = due_begin(base, due);
		if (!t)
			continue;
		twheel_callback_run(base, t, due->fn);
		/* Pairs with callback_runs_in_softirq(): what the callback did comes first. */
		smp_store_release(&due->timer, 0);
		twheel_expiry_relax(base);
	}
}

/**
 * twheel_due_close - empty a batch whose callbacks have run
 * @base: The base, locked.
 */
void twheel_due_close(struct twheel_base *base)
{
	struct twheel_due_batch *batch = &base->batch;
	const struct twheel_due *due;

	lockdep_assert_held(&base->lock);

	for (due = batch->due; due < batch->due + batch->count; due++)
		if (due->began)
			twheel_stats_callback(&base->stats, due->began,
					      due->expires, due->windowed);
	batch->count = 0;
}

/**
 * twheel_due_unclaimed - count the timers whose callbacks have not begun
 * @base: The base, locked.
 *
 * Return: How many timers of the batch are pending.
 */
unsigned int twheel_due_unclaimed(const struct twheel_base *base)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int i, n = 0;
	unsigned long timer;

	lockdep_assert_held(&base->lock);

	for (i = 0; i < batch->count; i++) {
		timer = READ_ONCE(batch->due[i].timer);
		n += timer && !(timer & TWHEEL_DUE_CLAIMED);
	}
	return n;
}

static struct twheel_due *due_find(struct twheel_due_batch *batch,
				   const struct twheel_timer *t)
{
	unsigned long timer;
	unsigned int i;

	for (i = 0; i < batch->count; i++) {
		timer = READ_ONCE(batch->due[i].timer);
		if ((timer & ~TWHEEL_DUE_CLAIMED) == (unsigned long)t)
			return &batch->due[i];
	}
	return NULL;
}

/**
 * twheel_due_take_back - take a timer out of the batch
 * @base: The base that @t belongs to, locked.
 * @t: A timer that was TWHEEL_DUE a moment ago.
 *
 * The slow part of twheel_due_settle(), which describes the state of @t afterwards.
 */
void twheel_due_take_back(struct twheel_base *base, struct twheel_timer *t)
{
	struct twheel_due *due;

	lockdep_assert_held(&base->lock);

	due = due_find(&base->batch, t);
	if (due && cmpxchg(&due->timer, (unsigned long)t, 0) == (unsigned long)t) {
		twheel_wheel_return(&base->wheel, t);
		base->counts.fired--;
		return;
	}
	/* The runner has claimed the timer, so its callback counts as begun. */
	twheel_wheel_end_due(t);
}

/**
 * twheel_due_has_begun - find out whether the callback of a due timer has begun
 * @base: The base that @t belongs to, locked.
 * @t: A timer that is TWHEEL_DUE.
 *
 * Return: %true if the callback has begun, so that @t counts as idle. %false may be
 * out of date at once.
 */
bool twheel_due_has_begun(struct twheel_base *base, const struct twheel_timer *t)
{
	struct twheel_due *due;

	lockdep_assert_held(&base->lock);

	due = due_find(&base->batch, t);
	return !due || READ_ONCE(due->timer) & TWHEEL_DUE_CLAIMED;
}

/**
 * twheel_due_has_module - look for callbacks of a module in the batch
 * @base: The base, locked.
 * @mod: The module.
 *
 * Return: Whether a callback of @mod runs in softirq context, or is about to run. A
 * timer whose callback is about to run is in no slot of the wheel.
 */
bool twheel_due_has_module(const struct twheel_base *base, const struct module *mod)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int i;

	lockdep_assert_held(&base->lock);

	for (i = 0; i < batch->count; i++)
		if (READ_ONCE(batch->due[i].timer) &&
		    within_module((unsigned long)batch->due[i].fn, mod))
			return true;
	return false;
}

/**
 * twheel_due_time - get the time, for a callback in softirq context
 * @t: The callback's timer.
 *
 * Reading the clock costs as much as the rest of a short callback. So the first call in
 * a batch reads the clock, and the other callbacks of the batch get the same time. The
 * times of batches on different CPUs are in no order.
 *
 * Context: the callback of @t, in softirq.
 *
 * Return: CLOCK_MONOTONIC in ns, read after @t was found due and before now.
 */
u64 twheel_due_time(const struct twheel_timer *t)
{
	struct twheel_base *base = twheel_base_of_flags(READ_ONCE(t->flags));

	if (!base->batch.time)
		base->batch.time = ktime_get_ns();
	return base->batch.time;
}
