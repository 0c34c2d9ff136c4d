// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what drives a wheel, and the run of one
 *
 * Nothing drives a wheel while nothing is pending. Otherwise the tick source is armed
 * for the next tick that the wheel must visit. If that is near, it is a timer_list
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
 * Timers that are due are taken off the wheel some at a time: twheel_due.c has
 * what their callbacks and those have to do with each other who cancel them.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "twheel_compat.h"
#include "expiry.h"
#include "base.h"
#include "trace.h"

/* timer_list's first level has 63 slots of a tick; its hand may lag behind. */
#define NEAR_TICKS	40
/* How much before a far event the hrtimer ends: ticks may be counted late. */
#define FAR_MARGIN	16
/* Or, of a long sleep, this part: ticks and CLOCK_MONOTONIC may drift apart. */
#define FAR_DRIFT	1024
/* No leg of a sleep is longer: 2^32 ticks in nanoseconds fit an s64. */
#define LEG_MAX		(1ULL << 32)
/* Nor on a remote CPU, so that timer_list rounds by an eighth at most. */
#define REMOTE_LEG_MAX	(1ULL << 24)

static unsigned int budget = 2048;
module_param(budget, uint, 0644);
MODULE_PARM_DESC(budget, "Timers that a CPU expires or moves in a row, at most; shared by its lanes (default 2048)");

DEFINE_STATIC_KEY_FALSE(twheel_timing);

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

/**
 * twheel_run_arm - arm the tick source
 * @base: The base, locked.
 * @next: The tick by which it is to be visited, at the latest.
 *
 * See twheel_base_wake_at().
 */
void twheel_run_arm(struct twheel_base *base, u64 next)
{
	u64 now, ahead;

	lockdep_assert_held(&base->lock);

	/* base_run() looks at the wheel again before it ends. */
	if (base->runner || !base->online)
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
 * twheel_run_call - run a callback
 * @base: The base that @t belongs to, not locked.
 * @t: Its timer; may be gone afterwards.
 * @fn: The callback.
 */
void twheel_run_call(struct twheel_base *base, struct twheel_timer *t,
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

/* Expires what is due, as far as the budget goes. Returns what is left of it. */
static unsigned int expire_due(struct twheel_base *base, unsigned int left,
			       struct hold *hold)
{
	unsigned int chunk, rest, taken;

	do {
		chunk = min(left, TWHEEL_LOCK_HOLD);
		rest = twheel_due_take(base, chunk);
		left -= chunk - rest;
		taken = base->batch.count;
		if (!taken && rest)
			break;
		unlock_run(base, hold);
		twheel_due_run(base);
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

	return max(all / twheel_lane_count(), min(all, TWHEEL_LOCK_HOLD));
}

/* Softirq: whichever source calls it, and from whichever CPU. */
static void base_run(struct twheel_base *base)
{
	/* All of a run is on this CPU. The clock of CLOCK_MONOTONIC may be dear. */
	u64 start = local_clock();
	unsigned int left;
	struct hold hold;

	twheel_expiry_lock(base);
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
		twheel_base_wake_at(base, twheel_wheel_next(&base->wheel));
	} else {
		base->wake = base->wheel.clk;
		tasklet_schedule(&base->more);
	}
	twheel_stats_max(&base->stats.run_max_ns, local_clock() - start);

out_unlock:
	unlock_run(base, &hold);
	twheel_expiry_unlock(base);
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
 * twheel_run_init - set up what drives a wheel
 * @base: The base.
 */
void twheel_run_init(struct twheel_base *base)
{
	timer_setup(&base->tick, base_tick, TIMER_PINNED);
	hrtimer_setup(&base->sleeper, base_sleeper, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	tasklet_setup(&base->more, base_more);
}

/**
 * twheel_run_stop - stop what drives a wheel
 * @base: The base, not locked, and not online any more.
 *
 * Context: process, may sleep.
 */
void twheel_run_stop(struct twheel_base *base)
{
	timer_shutdown_sync(&base->tick);
	hrtimer_cancel(&base->sleeper);
	tasklet_kill(&base->more);
}
