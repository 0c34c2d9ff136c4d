// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the engine of one CPU: a wheel, its lock, and what drives it
 *
 * Every timer names a CPU and one of its lanes, that is, a base, whose lock
 * protects it, pending or not. The lock is
 * never held while a callback runs, and never longer than it takes to move
 * LOCK_HOLD_MAX timers.
 *
 * What drives a wheel
 *
 * Nothing, while nothing is pending. Otherwise the tick source is armed for
 * the next tick that the wheel must visit. If that is near, it is a timer_list
 * timer, which is exact within NEAR_TICKS and costs no interrupt of its own. If
 * it is far, that would bring in timer_list's lateness; an hrtimer sleeps until
 * shortly before, with so wide a window that it goes along with other wake-ups,
 * and the timer_list timer does the rest. Where the far event is a slot to be
 * moved, the early wake-up does it already. hrtimers cannot be started on
 * another CPU, so a far event on a remote one is reached in legs by timer_list.
 *
 * A run that has used up its budget goes on in a tasklet, behind the other
 * softirqs; under a lasting storm ksoftirqd takes over and the scheduler sees
 * to it that programs get their share.
 *
 * A callback and its canceller
 *
 * Timers that are due are taken off the wheel some at a time: twheel_due.c has
 * what their callbacks and those have to do with each other who cancel them.
 *
 * While its callback runs, a timer that is armed again stays on the CPU, so
 * that the CPU's callbacks tell the whole truth about it and callbacks of one
 * timer never overlap. twheel_process.c has the callbacks in process context.
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "twheel_compat.h"
#include "twheel_debug.h"
#include "twheel_internal.h"
#include "twheel_trace.h"

/* timer_list's first level has 63 slots of a tick; its hand may lag behind. */
#define NEAR_TICKS	40
/* How much before a far event the hrtimer ends: ticks may be counted late. */
#define FAR_MARGIN	16
/* Or, of a long sleep, this part: ticks and CLOCK_MONOTONIC may drift apart. */
#define FAR_DRIFT	1024
/* Cascading under the lock, between two chances for interrupts. */
#define LOCK_HOLD_MAX	128U
/* No leg of a sleep is longer: 2^32 ticks in nanoseconds fit an s64. */
#define LEG_MAX		(1ULL << 32)
/* Nor on a remote CPU, so that timer_list rounds by an eighth at most. */
#define REMOTE_LEG_MAX	(1ULL << 24)

static unsigned int budget = 2048;
module_param(budget, uint, 0644);
MODULE_PARM_DESC(budget, "Timers that a CPU expires or moves in a row, at most; shared by its lanes (default 2048)");

DEFINE_PER_CPU(struct twheel_cpu, twheel_cpus);
unsigned int twheel_lanes;

DEFINE_STATIC_KEY_FALSE(twheel_timing);

static enum cpuhp_state hotplug_state;

#ifdef CONFIG_PREEMPT_RT
/*
 * Softirqs are preemptible there, so that a canceller must not spin: it sleeps
 * on @expiry_lock, and the runner lets go of it between two callbacks.
 */
static void expiry_lock_init(struct twheel_base *base)
{
	spin_lock_init(&base->expiry_lock);
}

static void lock_expiry(struct twheel_base *base)
	__acquires(&base->expiry_lock)
{
	spin_lock(&base->expiry_lock);
}

static void unlock_expiry(struct twheel_base *base)
	__releases(&base->expiry_lock)
{
	spin_unlock(&base->expiry_lock);
}

static void relax_expiry(struct twheel_base *base)
{
	if (!atomic_read(&base->waiters))
		return;
	spin_unlock(&base->expiry_lock);
	spin_lock(&base->expiry_lock);
}

static void wait_expiry(struct twheel_base *base)
{
	atomic_inc(&base->waiters);
	spin_lock_bh(&base->expiry_lock);
	atomic_dec(&base->waiters);
	spin_unlock_bh(&base->expiry_lock);
}
#else
static inline void expiry_lock_init(struct twheel_base *base) { }
static inline void lock_expiry(struct twheel_base *base) { }
static inline void unlock_expiry(struct twheel_base *base) { }
static inline void relax_expiry(struct twheel_base *base) { }
static inline void wait_expiry(struct twheel_base *base)
{
	cpu_relax();
}
#endif

static unsigned int lane_of(u32 flags)
{
	return (flags & TWHEEL_LANE_MASK) >> TWHEEL_LANE_SHIFT;
}

/*
 * The base that a timer names. Most are of this CPU and lane 0: a guess that the
 * processor makes, while the flags of a cold timer are still on their way, is as
 * good as a miss saved.
 */
static struct twheel_base *base_of(u32 flags)
{
	struct twheel_base *here = raw_cpu_read(twheel_cpus.lane[0]);

	if ((flags & (TWHEEL_CPU_MASK | TWHEEL_LANE_MASK)) == here->cpu)
		return here;
	return twheel_base_of(flags & TWHEEL_CPU_MASK, lane_of(flags));
}

/* A CPU that is not ours: wake it through its own timer wheel. */
static void arm_remote(struct twheel_base *base, u64 now, u64 ahead)
{
	u64 leg = ahead;

	/* timer_list may run it late by what the leg is short. */
	if (ahead > NEAR_TICKS) {
		ahead = min(ahead, REMOTE_LEG_MAX);
		leg = ahead - ahead / 8;
	}
	base->wake = now + ahead;
	timer_delete(&base->tick);
	base->tick.expires = now + leg - 1;
	add_timer_on(&base->tick, base->cpu);
}

/* timer_list runs a timer on the tick after its ->expires. */
static void arm_near(struct twheel_base *base, u64 now, u64 ahead)
{
	base->wake = now + ahead;
	hrtimer_try_to_cancel(&base->sleeper);
	mod_timer(&base->tick, base->wake - 1);
}

static void arm_far(struct twheel_base *base, u64 now, u64 ahead)
{
	u64 latest, earliest;

	ahead = min(ahead, LEG_MAX);
	latest = ahead - max_t(u64, FAR_MARGIN, ahead / FAR_DRIFT);
	earliest = latest - (NEAR_TICKS - FAR_MARGIN);
	base->wake = now + ahead;
	hrtimer_start_range_ns(&base->sleeper, ns_to_ktime(earliest * TICK_NSEC),
			       (latest - earliest) * TICK_NSEC,
			       HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Sees to it that base_run() is called no later than at the tick @next. */
static void arm_source(struct twheel_base *base, u64 next)
{
	u64 now, ahead;

	lockdep_assert_held(&base->lock);

	/* base_run() looks at the wheel again before it ends. */
	if (next >= base->wake || base->runner || !base->online)
		return;
	now = get_jiffies_64();
	ahead = next > now ? next - now : 1;
	/* Do not put off what is late already. */
	if (now + ahead >= base->wake)
		return;
	if (base->cpu != smp_processor_id())
		arm_remote(base, now, ahead);
	else if (ahead <= NEAR_TICKS)
		arm_near(base, now, ahead);
	else
		arm_far(base, now, ahead);
}

/**
 * twheel_base_wake_at - see to it that the CPU's wheel is visited
 * @base: The CPU's base, locked.
 * @next: By which tick.
 */
void twheel_base_wake_at(struct twheel_base *base, u64 next)
{
	arm_source(base, next);
}

/*
 * The callback may free the timer, which takes lockdep's map of it along; so
 * lockdep is given a copy.
 */
static void call_timer(struct twheel_timer *t, twheel_fn_t fn)
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
 * twheel_base_call - run a callback
 * @base: The base that @t belongs to, not locked.
 * @t: Its timer; may be gone afterwards.
 * @fn: The callback.
 */
void twheel_base_call(struct twheel_base *base, struct twheel_timer *t,
		      twheel_fn_t fn)
{
	u64 start = twheel_timing_start();
	unsigned long flags;
	u64 took;

	call_timer(t, fn);
	trace_twheel_expire_exit(t, fn);

	took = twheel_timing_since(start);
	if (!took)
		return;
	raw_spin_lock_irqsave(&base->lock, flags);
	if (took > base->stats.callback_max_ns) {
		base->stats.callback_max_ns = took;
		base->stats.callback_max_fn = fn;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* A stretch of a run with interrupts off: from when to when, and what was moved. */
struct hold {
	u64 start;
	u64 moved;
};

static u64 moves(const struct twheel_base *base)
{
	return base->wheel.cascaded + base->wheel.refiled;
}

static void lock_run(struct twheel_base *base, struct hold *hold)
	__acquires(&base->lock)
{
	raw_spin_lock_irq(&base->lock);
	hold->start = twheel_timing_start();
	hold->moved = moves(base);
}

static void unlock_run(struct twheel_base *base, struct hold *hold)
	__releases(&base->lock)
{
	u64 moved = moves(base) - hold->moved;

	if (moved) {
		trace_twheel_cascade(base->cpu, base->wheel.clk, moved);
		twheel_stats_max(&base->stats.cascade_max, moved);
	}
	twheel_stats_max(&base->stats.hold_max_ns,
			 twheel_timing_since(hold->start));
	raw_spin_unlock_irq(&base->lock);
}

/*
 * Takes timers that are due off the wheel: as many as a batch holds, or as far as
 * @left goes. Returns what is left of it.
 */
static unsigned int take_due(struct twheel_base *base, unsigned int left)
{
	struct twheel_timer *t;

	while (base->batch.count < TWHEEL_DUE_MAX) {
		t = twheel_wheel_expire(&base->wheel, get_jiffies_64(), &left);
		if (!t)
			break;
		twheel_due_add(base, t);
	}
	return left;
}

static void run_batch(struct twheel_base *base)
{
	struct twheel_due_batch *batch = &base->batch;
	struct twheel_due *due;
	struct twheel_timer *t;

	for (due = batch->due; due < batch->due + batch->count; due++) {
		t = twheel_due_begin(base, due);
		if (!t)
			continue;
		twheel_base_call(base, t, due->fn);
		twheel_due_end(due);
		relax_expiry(base);
	}
}

/* Expires what is due, as far as the budget goes. Returns what is left of it. */
static unsigned int expire_due(struct twheel_base *base, unsigned int left,
			       struct hold *hold)
{
	unsigned int chunk, rest, taken;

	do {
		chunk = min(left, LOCK_HOLD_MAX);
		rest = take_due(base, chunk);
		left -= chunk - rest;
		taken = base->batch.count;
		if (!taken && rest)
			break;
		unlock_run(base, hold);
		run_batch(base);
		lock_run(base, hold);
		twheel_due_close(base);
	} while (left);
	return left;
}

/*
 * The lanes of a CPU may all have work at a time, and are served in a row. What
 * there is to share is shared, but for what is too little to be worth a run.
 */
static unsigned int budget_of_lane(void)
{
	unsigned int all = max(READ_ONCE(budget), 1U);

	return max(all / twheel_lane_count(), min(all, LOCK_HOLD_MAX));
}

/* Softirq: whichever source calls it, and from whichever CPU. */
static void base_run(struct twheel_base *base)
{
	u64 start = ktime_get_ns();
	unsigned int left;
	struct hold hold;

	lock_expiry(base);
	lock_run(base, &hold);
	twheel_stats_inc(&base->stats.runs);
	/* Once offline, what is here is moved, and no callback may begin. */
	if (base->runner || !base->online)
		goto out_unlock;

	base->runner = current;
	base->callback.task = current;
	left = expire_due(base, budget_of_lane(), &hold);
	base->runner = NULL;
	twheel_process_kick(base);
	if (left) {
		base->wake = TWHEEL_NEVER;
		arm_source(base, twheel_wheel_next(&base->wheel));
	} else {
		base->wake = base->wheel.clk;
		tasklet_schedule(&base->more);
	}
	twheel_stats_max(&base->stats.run_max_ns, ktime_get_ns() - start);

out_unlock:
	unlock_run(base, &hold);
	unlock_expiry(base);
}

static void base_tick(struct timer_list *tick)
{
	base_run(container_of(tick, struct twheel_base, tick));
}

static enum hrtimer_restart base_sleeper(struct hrtimer *sleeper)
{
	base_run(container_of(sleeper, struct twheel_base, sleeper));
	return HRTIMER_NORESTART;
}

static void base_more(struct tasklet_struct *more)
{
	base_run(container_of(more, struct twheel_base, more));
}

/**
 * twheel_base_lock - lock the base that a timer belongs to
 * @t: The timer. Interrupts are off.
 *
 * Return: The base, locked.
 */
struct twheel_base *twheel_base_lock(const struct twheel_timer *t)
{
	struct twheel_base *base;
	u32 tf;

	lockdep_assert_irqs_disabled();

	/* Who moves a timer to another base has interrupts off, and waits for none. */
	for (;;) {
		tf = READ_ONCE(t->flags);
		if (!(tf & TWHEEL_MIGRATING)) {
			base = base_of(tf);
			raw_spin_lock(&base->lock);
			if (READ_ONCE(t->flags) == tf)
				return base;
			raw_spin_unlock(&base->lock);
		}
		cpu_relax();
	}
}

/**
 * twheel_base_lock_irqsave - lock the base that a timer belongs to
 * @t: The timer.
 * @flags: For the interrupt flags.
 *
 * Return: The base, locked.
 */
struct twheel_base *twheel_base_lock_irqsave(const struct twheel_timer *t,
					     unsigned long *flags)
{
	local_irq_save(*flags);
	return twheel_base_lock(t);
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
 * twheel_base_switch - give an idle timer to a CPU
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @cpu: Where it is wanted.
 *
 * The timer stays where it is while its callback runs, and goes elsewhere if
 * @cpu is offline. While it changes hands everybody waits for its flags.
 *
 * Return: The base that @t belongs to now, locked.
 */
struct twheel_base *twheel_base_switch(struct twheel_base *base,
				       struct twheel_timer *t,
				       unsigned int cpu)
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
	trace_twheel_arm(t, twheel_word(t), base->cpu);
	arm_source(base, base->wheel.next);
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
	trace_twheel_change(t, twheel_word(t), base->cpu);
	arm_source(base, base->wheel.next);
}

/**
 * twheel_base_disarm - end a timer's arming
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 * @word: TWHEEL_IDLE, or TWHEEL_DEAD for one never to be armed again.
 *
 * Return: whether @t was pending.
 */
bool twheel_base_disarm(struct twheel_base *base, struct twheel_timer *t,
			u64 word)
{
	lockdep_assert_held(&base->lock);

	twheel_due_settle(base, t);
	if (!twheel_wheel_remove(&base->wheel, t, word))
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
		wait_expiry(base_of(tf));
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
 * twheel_read_counts - sum up the counts of all CPUs
 * @counts: For the sums. They are consistent if nothing goes on meanwhile.
 */
void twheel_read_counts(struct twheel_counts *counts)
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
EXPORT_SYMBOL_IF_KUNIT(twheel_read_counts);

/* In the order of CPUs, since either may be the one that is offline. */
static void lock_two(struct twheel_base *a, struct twheel_base *b)
{
	if (a->cpu > b->cpu)
		swap(a, b);
	raw_spin_lock_irq(&a->lock);
	raw_spin_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void unlock_two(struct twheel_base *a, struct twheel_base *b)
{
	if (a->cpu > b->cpu)
		swap(a, b);
	raw_spin_unlock(&b->lock);
	raw_spin_unlock_irq(&a->lock);
}

/*
 * A timer whose callback runs stays, or nobody would know that it does. The
 * worker that runs it looks again when it is done.
 */
static struct twheel_timer *first_to_move(struct twheel_base *from)
{
	struct twheel_timer *t;

	while ((t = twheel_wheel_first(&from->wheel))) {
		if (!twheel_base_callback(from, t))
			return t;
		list_move_tail(&t->entry, &from->wheel.deferred);
	}
	return twheel_process_first(from);
}

/* Moves some timers. Returns whether any are left on a CPU that is offline. */
static bool move_timers(struct twheel_base *to, struct twheel_base *from)
{
	struct twheel_timer *t = NULL;
	unsigned int i;

	lock_two(to, from);
	for (i = 0; i < LOCK_HOLD_MAX && !from->online; i++) {
		t = first_to_move(from);
		if (!t || !to->online)
			break;
		if (!i)
			twheel_wheel_forward(&to->wheel, get_jiffies_64());
		trace_twheel_migrate(t, from->cpu, to->cpu);
		twheel_wheel_move(&to->wheel, &from->wheel, t);
		WRITE_ONCE(t->flags, (t->flags & ~TWHEEL_CPU_MASK) | to->cpu);
		twheel_stats_inc(&to->stats.migrated);
	}
	arm_source(to, to->wheel.next);
	unlock_two(to, from);
	return t;
}

/**
 * twheel_base_evacuate - move what was armed on a CPU that is offline
 * @base: The CPU's base, not locked.
 *
 * For those who may arm timers there: see twheel_base_switch().
 *
 * Context: process.
 */
void twheel_base_evacuate(struct twheel_base *base)
{
	unsigned int to;

	while (!READ_ONCE(base->online)) {
		to = cpumask_any(cpu_active_mask);
		/* Active and not online: the module is going. */
		if (to == base->cpu ||
		    !move_timers(twheel_base_of(to, base->lane), base))
			break;
		cond_resched();
	}
}

static void lane_online(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->online, true);
	base->wake = TWHEEL_NEVER;
	/* A callback may have armed something that is not evacuated yet. */
	arm_source(base, twheel_wheel_next(&base->wheel));
	raw_spin_unlock_irq(&base->lock);
}

static int base_online(unsigned int cpu)
{
	unsigned int lane;

	for_each_twheel_lane(lane)
		lane_online(twheel_base_of(cpu, lane));
	return 0;
}

/*
 * From here on nothing is armed on this base but by a callback that still runs,
 * and that is waited for.
 */
static void lane_offline(struct twheel_base *base, unsigned int to)
{
	bool running;

	do {
		raw_spin_lock_irq(&base->lock);
		WRITE_ONCE(base->online, false);
		running = base->runner;
		raw_spin_unlock_irq(&base->lock);
		if (running)
			wait_expiry(base);
	} while (running);

	while (move_timers(twheel_base_of(to, base->lane), base))
		cond_resched();
}

/* Runs on the CPU that goes offline. */
static int base_offline(unsigned int cpu)
{
	unsigned int to = cpumask_any_but(cpu_active_mask, cpu);
	unsigned int lane;

	/* The last CPU: only where the set-up is undone, and nothing is armed. */
	if (to >= nr_cpu_ids)
		return 0;

	for_each_twheel_lane(lane)
		lane_offline(twheel_base_of(cpu, lane), to);
	return 0;
}

static void free_lane(unsigned int lane)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(twheel_base_of(cpu, lane));
		per_cpu(twheel_cpus, cpu).lane[lane] = NULL;
	}
}

static void free_lanes(void)
{
	while (twheel_lanes)
		free_lane(--twheel_lanes);
}

static void base_init(struct twheel_base *base, unsigned int cpu,
		      unsigned int lane)
{
	raw_spin_lock_init(&base->lock);
	expiry_lock_init(base);
	base->cpu = cpu;
	base->lane = lane;
	base->wake = TWHEEL_NEVER;
	twheel_process_init_base(base);
	twheel_wheel_init(&base->wheel, get_jiffies_64());
	timer_setup(&base->tick, base_tick, TIMER_PINNED);
	hrtimer_setup(&base->sleeper, base_sleeper, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	tasklet_setup(&base->more, base_more);
}

/* A base of each CPU, with nothing in it; which are online is not known yet. */
static int alloc_lane(unsigned int lane)
{
	struct twheel_base *base;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = kvzalloc_node(sizeof(*base), GFP_KERNEL | __GFP_NOWARN,
				     cpu_to_node(cpu));
		if (!base) {
			free_lane(lane);
			return -ENOMEM;
		}
		base_init(base, cpu, lane);
		per_cpu(twheel_cpus, cpu).lane[lane] = base;
	}
	return 0;
}

/**
 * twheel_bases_add_lane - give every CPU another base
 *
 * Context: process; not concurrently with itself.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are as many as there can be.
 */
int twheel_bases_add_lane(void)
{
	unsigned int lane = twheel_lanes;
	unsigned int cpu;
	int ret;

	if (lane == TWHEEL_LANES)
		return -ENOSPC;
	ret = alloc_lane(lane);
	if (ret)
		return ret;
	cpus_read_lock();
	for_each_possible_cpu(cpu)
		twheel_base_of(cpu, lane)->online = twheel_base_of(cpu, 0)->online;
	/* Whoever sees it sees the bases. */
	smp_store_release(&twheel_lanes, lane + 1);
	cpus_read_unlock();
	return 0;
}

/* No timer is pending and nobody can arm one any more. */
static void base_stop(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WARN(base->wheel.pending, "%llu timers were never cancelled\n",
	     base->wheel.pending);
	WRITE_ONCE(base->online, false);
	raw_spin_unlock_irq(&base->lock);

	timer_shutdown_sync(&base->tick);
	hrtimer_cancel(&base->sleeper);
	tasklet_kill(&base->more);
}

/**
 * twheel_bases_init - set up the engine of every CPU
 *
 * Return: 0 or -ENOMEM, or an error of CPU hotplug.
 */
int twheel_bases_init(void)
{
	int ret;

	ret = twheel_process_init();
	if (ret)
		return ret;
	ret = alloc_lane(0);
	if (ret)
		goto out_process_exit;
	twheel_lanes = 1;
	/* Whoever has so many has as much memory in them as a lane takes. */
	twheel_lane_threshold = min(512 * num_possible_cpus(), 8192U);
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel:online",
				base_online, base_offline);
	if (ret < 0)
		goto out_free_lanes;
	hotplug_state = ret;
	return 0;

out_free_lanes:
	free_lanes();
out_process_exit:
	twheel_process_exit();
	return ret;
}

/**
 * twheel_bases_exit - stop the engine of every CPU
 */
void twheel_bases_exit(void)
{
	unsigned int cpu, lane;

	cpuhp_remove_state_nocalls(hotplug_state);
	for_each_twheel_lane(lane)
		for_each_possible_cpu(cpu)
			base_stop(twheel_base_of(cpu, lane));
	twheel_process_exit();
	free_lanes();
}
