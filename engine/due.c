// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that are due, from the wheel to their callbacks
 *
 * The lock is given back before a callback runs, and taking it for each of them
 * would cost more than all else that is done for a timer. So some timers are
 * taken off the wheel together. Until its callback begins, each is pending
 * still, and may be cancelled or given another deadline by whoever holds the
 * lock; so the callback must be claimed, and the timer with it:
 *
 *	base_run()				cancel, or a new deadline
 *	  lock
 *	  take some timers off the wheel
 *	  unlock				  lock
 *	  for each of them			  if it is TWHEEL_DUE:
 *	    A: timer -> timer | CLAIMED		    B: timer -> NULL
 *	    TWHEEL_DUE -> TWHEEL_IDLE		       pending again
 *	    fn()				  act on it
 *	    timer | CLAIMED -> NULL		  unlock
 *
 * A and B are a compare-and-exchange of one word in the batch, so that either of
 * them wins. Nobody but who has won touches the timer then: after A it is the
 * callback's, and may be freed by it; after B the other side may free it. The word
 * is what says that a callback runs, too.
 *
 * A periodic timer is armed again when its callback begins, which takes the
 * lock; it is claimed under it, so that nobody finds it in between. So are all where
 * debugobjects wants to be told in the same instant.
 */
#include "objects.h"
#include "expiry.h"
#include "base.h"
#include "trace.h"

#define CLAIMED		1UL

/* Notes a timer that was due. The batch is not full. */
static void add(struct twheel_base *base, struct twheel_timer *t)
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
 * twheel_due_take - take timers that are due off a wheel
 * @base: The base, locked; in its run, and with an empty batch.
 * @left: How many may be moved or taken, and ticks visited.
 *
 * Takes as many as a batch holds.
 *
 * Return: What is left of @left.
 */
unsigned int twheel_due_take(struct twheel_base *base, unsigned int left)
{
	struct twheel_timer *due[TWHEEL_DUE_MAX];
	unsigned int i, n;

	n = twheel_wheel_expire(&base->wheel, get_jiffies_64(), &left, due,
				TWHEEL_DUE_MAX);
	for (i = 0; i < n; i++)
		add(base, due[i]);
	return left;
}

/*
 * Nobody may look for the timer's callback before @at says where it is, nor take
 * from @at that the callback before it has ended when it has not: see
 * twheel_due_runs().
 */
static bool claim(struct twheel_due_batch *batch, struct twheel_due *due,
		  unsigned long timer)
{
	/* Pairs with twheel_due_runs(). */
	smp_store_release(&batch->at, due - batch->due);
	return cmpxchg(&due->timer, timer, timer | CLAIMED) == timer;
}

static bool begin_locked(struct twheel_base *base, struct twheel_due *due,
			 unsigned long timer)
{
	struct twheel_timer *t = (struct twheel_timer *)timer;
	bool claimed;

	raw_spin_lock_irq(&base->lock);
	claimed = claim(&base->batch, due, timer);
	if (claimed) {
		base->callback.missed = twheel_wheel_begin(&base->wheel, t,
							   get_jiffies_64());
		if (t->period)
			base->counts.armed++;
		else
			twheel_debug_disarm(t);
	}
	raw_spin_unlock_irq(&base->lock);
	return claimed;
}

static bool begin_lockless(struct twheel_base *base, struct twheel_due *due,
			   unsigned long timer)
{
	if (!claim(&base->batch, due, timer))
		return false;
	base->callback.missed = 0;
	twheel_wheel_end_due((struct twheel_timer *)timer);
	return true;
}

/* Returns the timer, which is the callback's now; or NULL if somebody else has it. */
static struct twheel_timer *begin(struct twheel_base *base, struct twheel_due *due)
{
	unsigned long timer = READ_ONCE(due->timer);
	bool claimed;

	if (!timer)
		return NULL;
	if (due->locked)
		claimed = begin_locked(base, due, timer);
	else
		claimed = begin_lockless(base, due, timer);
	if (!claimed)
		return NULL;
	due->began = get_jiffies_64();
	trace_twheel_expire_entry((struct twheel_timer *)timer, due->expires,
				  base->cpu);
	return (struct twheel_timer *)timer;
}

/**
 * twheel_due_run - run the callbacks of a batch
 * @base: The base, not locked; in its run.
 */
void twheel_due_run(struct twheel_base *base)
{
	struct twheel_due_batch *batch = &base->batch;
	struct twheel_due *due;
	struct twheel_timer *t;

	batch->time = 0;
	for (due = batch->due; due < batch->due + batch->count; due++) {
		t = begin(base, due);
		if (!t)
			continue;
		twheel_run_call(base, t, due->fn);
		/* Who sees that it does not run any more sees what it has done. */
		smp_store_release(&due->timer, 0);
		twheel_expiry_relax(base);
	}
}

/**
 * twheel_due_close - empty a batch that has run
 * @base: The base, locked.
 */
void twheel_due_close(struct twheel_base *base)
{
	struct twheel_due_batch *batch = &base->batch;
	const struct twheel_due *due;

	for (due = batch->due; due < batch->due + batch->count; due++)
		if (due->began)
			twheel_stats_callback(&base->stats, due->began,
					      due->expires, due->windowed);
	batch->count = 0;
}

/**
 * twheel_due_unclaimed - how many callbacks have not begun yet
 * @base: The base, locked.
 *
 * Return: How many timers of the batch are pending.
 */
unsigned int twheel_due_unclaimed(const struct twheel_base *base)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int i, n = 0;
	unsigned long timer;

	for (i = 0; i < batch->count; i++) {
		timer = READ_ONCE(batch->due[i].timer);
		n += timer && !(timer & CLAIMED);
	}
	return n;
}

static struct twheel_due *find(struct twheel_due_batch *batch,
			       const struct twheel_timer *t)
{
	unsigned int i;

	for (i = 0; i < batch->count; i++)
		if ((READ_ONCE(batch->due[i].timer) & ~CLAIMED) == (unsigned long)t)
			return &batch->due[i];
	return NULL;
}

/**
 * twheel_due_take_back - take a timer back whose callback has not begun
 * @base: The base that @t belongs to, locked.
 * @t: A timer that was TWHEEL_DUE when that was looked at last.
 *
 * The slow part of twheel_due_settle(), which says what @t is afterwards.
 */
void twheel_due_take_back(struct twheel_base *base, struct twheel_timer *t)
{
	struct twheel_due *due;

	lockdep_assert_held(&base->lock);

	due = find(&base->batch, t);
	if (due && cmpxchg(&due->timer, (unsigned long)t, 0) == (unsigned long)t) {
		twheel_wheel_return(&base->wheel, t);
		base->counts.fired--;
		return;
	}
	/* Claimed: the callback begins, or has begun since the word was read. */
	twheel_wheel_end_due(t);
}

/**
 * twheel_due_idle - look whether a timer's callback has begun
 * @base: The base that @t belongs to, locked.
 * @t: A timer that is TWHEEL_DUE.
 *
 * Return: %true if it is as good as idle. %false may be so no longer.
 */
bool twheel_due_idle(struct twheel_base *base, const struct twheel_timer *t)
{
	struct twheel_due *due = find(&base->batch, t);

	return !due || READ_ONCE(due->timer) & CLAIMED;
}

/**
 * twheel_due_runs - find out whether a timer's callback runs
 * @base: The base that @t belongs to, locked.
 * @t: The timer, settled.
 *
 * Return: Whether it runs, in softirq context.
 */
bool twheel_due_runs(const struct twheel_base *base,
		     const struct twheel_timer *t)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int at;

	/*
	 * The claim is a full barrier between @at and the end of TWHEEL_DUE. So
	 * who saw the timer in any other state than that, and had it claimed
	 * before, sees @at there, or where it went afterwards: and then all that
	 * the callback did.
	 */
	smp_rmb(); /* see above */
	at = smp_load_acquire(&batch->at);
	/* Pairs with twheel_due_run(), to the same end. */
	return smp_load_acquire(&batch->due[at].timer) ==
	       ((unsigned long)t | CLAIMED);
}

/**
 * twheel_due_has - look for callbacks in a module
 * @base: The base, locked.
 * @mod: The module.
 *
 * Return: Whether one runs in softirq context, or is about to, though its timer is in
 * no slot.
 */
bool twheel_due_has(const struct twheel_base *base, const struct module *mod)
{
	const struct twheel_due_batch *batch = &base->batch;
	unsigned int i;

	for (i = 0; i < batch->count; i++)
		if (READ_ONCE(batch->due[i].timer) &&
		    within_module((unsigned long)batch->due[i].fn, mod))
			return true;
	return false;
}
