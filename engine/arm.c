// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the engine of one CPU: a wheel and its lock
 *
 * Every timer names a CPU and one of its lanes, that is, a base, whose lock
 * protects it, pending or not. The lock is never held while a callback runs, and
 * never longer than it takes to move TWHEEL_LOCK_HOLD timers.
 *
 * While its callback runs, a timer that is armed again stays on the CPU, so
 * that the CPU's callbacks tell the whole truth about it and callbacks of one
 * timer never overlap. twheel_due.c has the callbacks in softirq context, and
 * twheel_process.c those in process context.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include "twheel_compat.h"
#include "objects.h"
#include "expiry.h"
#include "base.h"
#include "trace.h"

static unsigned int lane_of(u32 flags)
{
	return (flags & TWHEEL_LANE_MASK) >> TWHEEL_LANE_SHIFT;
}

static struct twheel_base *base_of(u32 flags)
{
	return twheel_base_of(flags & TWHEEL_CPU_MASK, lane_of(flags));
}

static struct twheel_base *lock_any(const struct twheel_timer *t)
{
	struct twheel_base *base;
	u32 flags;

	/* Who moves a timer to another base has interrupts off, and waits for none. */
	for (;;) {
		flags = READ_ONCE(t->flags);
		if (!(flags & TWHEEL_MIGRATING)) {
			base = base_of(flags);
			raw_spin_lock(&base->lock);
			if (READ_ONCE(t->flags) == flags)
				return base;
			raw_spin_unlock(&base->lock);
		}
		cpu_relax();
	}
}

/**
 * twheel_base_lock - lock the base that a timer belongs to
 * @t: The timer. Interrupts are off.
 *
 * Most are of this CPU and lane 0: a guess that the processor makes, while the
 * flags of a cold timer are still on their way, is as good as a miss saved.
 *
 * Return: The base, locked.
 */
struct twheel_base *twheel_base_lock(const struct twheel_timer *t)
{
	const u32 place = TWHEEL_CPU_MASK | TWHEEL_LANE_MASK | TWHEEL_MIGRATING;
	struct twheel_base *here = raw_cpu_read(twheel_cpus.lane[0]);

	lockdep_assert_irqs_disabled();

	if ((READ_ONCE(t->flags) & place) == here->cpu) {
		raw_spin_lock(&here->lock);
		if ((READ_ONCE(t->flags) & place) == here->cpu)
			return here;
		raw_spin_unlock(&here->lock);
	}
	return lock_any(t);
}

/**
 * twheel_base_relock - lock the base of the next one of several timers
 * @base: The base of the one before, locked, or %NULL.
 * @t: The timer. Interrupts are off.
 *
 * Return: The base, locked; @base is not any more, if it is another one.
 */
struct twheel_base *twheel_base_relock(struct twheel_base *base,
				       const struct twheel_timer *t)
{
	u32 flags = READ_ONCE(t->flags);

	if (base) {
		/* If it is this base's, it cannot go to another one. */
		if ((flags & (TWHEEL_CPU_MASK | TWHEEL_MIGRATING)) == base->cpu &&
		    lane_of(flags) == base->lane)
			return base;
		raw_spin_unlock(&base->lock);
	}
	return twheel_base_lock(t);
}

/**
 * twheel_base_move - give an idle timer to another CPU
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @cpu: Where it is wanted.
 *
 * See twheel_base_switch().
 *
 * Return: The base that @t belongs to now, locked.
 */
struct twheel_base *twheel_base_move(struct twheel_base *base,
				     struct twheel_timer *t, unsigned int cpu)
{
	unsigned int lane = base->lane;
	struct twheel_base *to = twheel_base_of(cpu, lane);
	u32 flags;

	lockdep_assert_held(&base->lock);

	while (base != to || !base->online) {
		if (twheel_base_callback(base, t))
			return base;
		flags = t->flags & ~TWHEEL_CPU_MASK;
		WRITE_ONCE(t->flags, t->flags | TWHEEL_MIGRATING);
		raw_spin_unlock(&base->lock);
		if (!READ_ONCE(to->online))
			to = twheel_base_of(cpumask_any(cpu_active_mask), lane);
		base = to;
		raw_spin_lock(&base->lock);
		WRITE_ONCE(t->flags, flags | base->cpu);
	}
	return base;
}

/**
 * twheel_base_insert - arm a timer
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @expires: Its deadline.
 */
void twheel_base_insert(struct twheel_base *base, struct twheel_timer *t,
			u64 expires)
{
	lockdep_assert_held(&base->lock);

	base->counts.armed++;
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	/* One that is static is known by its not having been armed yet. */
	twheel_debug_arm(t);
	twheel_wheel_insert(&base->wheel, t, expires);
	trace_twheel_arm(t, twheel_wheel_state(t), base->cpu);
	twheel_base_wake_at(base, base->wheel.next);
}

/**
 * twheel_base_change - give a pending timer another deadline
 * @base: The base that @t belongs to, locked.
 * @t: A pending timer.
 * @expires: Its deadline, usually an earlier one.
 */
void twheel_base_change(struct twheel_base *base, struct twheel_timer *t,
			u64 expires)
{
	lockdep_assert_held(&base->lock);

	base->counts.armed++;
	base->counts.replaced++;
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	twheel_wheel_change(&base->wheel, t, expires);
	trace_twheel_change(t, twheel_wheel_state(t), base->cpu);
	twheel_base_wake_at(base, base->wheel.next);
}

/**
 * twheel_base_disarm - end a timer's arming
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 * @state: TWHEEL_IDLE, or TWHEEL_DEAD for one never to be armed again.
 *
 * Return: whether @t was pending.
 */
bool twheel_base_disarm(struct twheel_base *base, struct twheel_timer *t,
			u64 state)
{
	lockdep_assert_held(&base->lock);

	twheel_due_settle(base, t);
	if (!twheel_wheel_remove(&base->wheel, t, state))
		return false;
	base->counts.cancelled++;
	twheel_debug_disarm(t);
	trace_twheel_cancel(t, t->last, base->cpu);
	return true;
}

/**
 * twheel_base_callback - find the running callback of a timer
 * @base: The base that @t belongs to, locked.
 * @t: The timer. What is about to run does not run yet: see
 *	twheel_due_settle().
 *
 * Return: The callback, or %NULL if it does not run.
 */
const struct twheel_callback *
twheel_base_callback(const struct twheel_base *base,
		     const struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	if (twheel_due_runs(base, t))
		return &base->callback;
	if (t->flags & TWHEEL_PROCESS)
		return twheel_process_callback(base, t);
	return NULL;
}

/**
 * twheel_base_wait_running - let a callback that was seen running go on
 * @t: Its timer.
 *
 * Sleeps until the callback is done, if that is in process context. On
 * PREEMPT_RT it sleeps until the callback is done, more or less; elsewhere it
 * returns at once. The caller looks again either way.
 */
void twheel_base_wait_running(const struct twheel_timer *t)
{
	u32 tf = READ_ONCE(t->flags);

	if (tf & TWHEEL_MIGRATING)
		return;
	if (tf & TWHEEL_PROCESS)
		twheel_process_wait(base_of(tf), t);
	else
		twheel_expiry_wait(base_of(tf));
}

/**
 * twheel_base_time - what time it is, for a callback in softirq context
 * @t: Its timer.
 *
 * A look at the clock costs as much as all the rest of a short callback. So one does
 * for all timers that were found due together, when the first of them asks. Looks for the
 * wheels of two CPUs are in no order.
 *
 * Context: the callback of @t, in softirq.
 *
 * Return: CLOCK_MONOTONIC in ns, when @t had been found due: not later than now.
 */
u64 twheel_base_time(const struct twheel_timer *t)
{
	struct twheel_due_batch *batch = &base_of(READ_ONCE(t->flags))->batch;

	if (!batch->time)
		batch->time = ktime_get_ns();
	return batch->time;
}

/**
 * twheel_base_add_counts - add the counts of a base to others
 * @base: The base, locked. What it counts as fired is what was taken off its wheel
 *	and has not come back; what is pending the wheel and the batch know.
 * @sum: Where to add them; without extensions, which are counted elsewhere.
 */
void twheel_base_add_counts(const struct twheel_base *base,
			    struct twheel_counts *sum)
{
	const struct twheel_counts *counts = &base->counts;
	unsigned int unclaimed = twheel_due_unclaimed(base);

	lockdep_assert_held(&base->lock);

	sum->armed += counts->armed;
	sum->fired += counts->fired - unclaimed;
	sum->cancelled += counts->cancelled;
	sum->replaced += counts->replaced;
	sum->pending += base->wheel.pending + unclaimed;
}

/**
 * twheel_counts_read - sum up the counts of all CPUs
 * @counts: For the sums. They are consistent if nothing goes on meanwhile.
 */
void twheel_counts_read(struct twheel_counts *counts)
{
	struct twheel_base *base;
	unsigned int cpu, lane;
	u64 extended;

	memset(counts, 0, sizeof(*counts));
	for_each_possible_cpu(cpu) {
		extended = local64_read(&per_cpu(twheel_extended, cpu));
		counts->armed += extended;
		counts->replaced += extended;
		for_each_twheel_lane(lane) {
			base = twheel_base_of(cpu, lane);
			raw_spin_lock_irq(&base->lock);
			twheel_base_add_counts(base, counts);
			raw_spin_unlock_irq(&base->lock);
		}
	}
}
EXPORT_SYMBOL_IF_KUNIT(twheel_counts_read);
