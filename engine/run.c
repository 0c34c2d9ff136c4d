// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the run of a wheel, in a softirq, in a thread, or in a call that helps the thread
 *
 * The tick source starts a run when the wheel has work. A run moves timers down a
 * level and expires timers, until the wheel is up to date, or the budget or the time is
 * used up. The thread of the CPU continues such a run, with bottom halves off. Until the
 * wheel is up to date again, no tick starts a run: a storm that lasts has the time that
 * the scheduler gives the thread. No tick runs TWHEEL_LANE_LOW at all.
 */
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "callback.h"
#include "device.h"
#include "expiry.h"
#include "process.h"
#include "run.h"
#include "tick.h"
#include "trace.h"
#include "work.h"

static unsigned int budget = 2048;
module_param(budget, uint, 0644);
MODULE_PARM_DESC(budget, "Timers that a CPU expires or moves in a row, at most; shared by its lanes (default 2048)");

/* A run reads the clock after so many callbacks, and after each tick. */
#define RUN_CLOCK_EVERY		16

/* Two to the power of this many moves of timers count as a step of a user's share. */
#define RUN_MOVES_A_STEP	2

/* The callback that runs on this CPU has waited: the run may have to end. */
static DEFINE_PER_CPU(bool, run_waited);

static void (*run_charge)(struct twheel_timer *timer, unsigned int steps);

static __always_inline void run_lock(struct twheel_base *base)
	__acquires(&base->lock)
{
	raw_spin_lock_irq(&base->lock);
	if (static_branch_unlikely(&twheel_timing))
		base->held = ktime_get_ns();
}

/* A program can make a wheel move a timer again and again before the timer expires. */
static void run_charge_moves(struct twheel_base *base, u32 moved)
{
	u64 all = base->wheel.cascaded + base->wheel.refiled;
	unsigned int steps = (all >> RUN_MOVES_A_STEP) - ((all - moved) >> RUN_MOVES_A_STEP);

	lockdep_assert_held(&base->lock);

	if (steps && base->lane != TWHEEL_LANE_MODULES && run_charge)
		run_charge(twheel_timer_of(base->wheel.moved), steps);
}

/**
 * twheel_run_set_charge - have moves of timers charged to programs
 * @charge: Called with a timer that is in a lane of programs, and that was moved just now, and
 *	with how many steps of its user's share the last moves took. The timers that were
 *	moved just before this one may be others. Context: interrupts off, under the lock of
 *	the timer's base, so the timer exists until the function returns.
 */
void twheel_run_set_charge(void (*charge)(struct twheel_timer *timer, unsigned int steps))
{
	run_charge = charge;
}

/* Accounts for a stretch of a run with interrupts off. */
static noinline void run_account(struct twheel_base *base)
{
	u32 moved = base->wheel.moves;

	if (moved) {
		base->wheel.moves = 0;
		run_charge_moves(base, moved);
		trace_twheel_cascade(base->cpu, base->wheel.clk, moved);
		twheel_stats_max(&base->stats.cascade_max, moved);
	}
	twheel_stats_max(&base->stats.hold_max_ns, twheel_stats_since(base->held));
	base->held = 0;
}

static void run_unlock(struct twheel_base *base)
	__releases(&base->lock)
{
	if (unlikely(base->wheel.moves || base->held))
		run_account(base);
	raw_spin_unlock_irq(&base->lock);
}

/* Lets interrupts come, and on PREEMPT_RT cancellers that wait. No callback runs. */
static void run_pause(struct twheel_base *base)
	__must_hold(&base->lock)
{
	run_unlock(base);
	if (twheel_expiry_contended(base))
		twheel_expiry_relax(base);
	run_lock(base);
}

/* Unlocks the base to run @fn, the callback of @t. */
static void run_callback(struct twheel_base *base, struct twheel_timer *t, twheel_fn_t fn)
	__must_hold(&base->lock)
{
	run_unlock(base);
	twheel_callback_run(base, t, fn);
	run_lock(base);
	base->callback.timer = NULL;
	if (twheel_expiry_contended(base))
		run_pause(base);
}

/*
 * Whether a task waits for this one, which runs the wheel. Bottom halves are off, so the task
 * waits for the end of the run, and kernels charge that time to the task that waits.
 */
static bool run_keeps_waiting(void)
{
	return !in_serving_softirq() && need_resched();
}

/*
 * Expires the timers that are due, within the budget @left and until the time @until.
 * Returns whether the wheel is up to date.
 */
static bool run_expire(struct twheel_base *base, unsigned int left, u64 until)
{
	u64 tick = get_jiffies_64();
	struct twheel_timer *t;
	unsigned int rest, n = 0;
	twheel_fn_t fn;

	lockdep_assert_held(&base->lock);

	while (left) {
		rest = min(left, TWHEEL_LOCK_HOLD);
		left -= rest;
		t = twheel_timer_of(twheel_wheel_expire(&base->wheel, tick, &rest));
		left += rest;
		if (likely(t)) {
			fn = twheel_callback_begin(base, &base->callback, t, tick);
			run_callback(base, t, fn);
			if (++n % RUN_CLOCK_EVERY &&
			    !time_after64(get_jiffies_64(), tick) &&
			    likely(!__this_cpu_read(run_waited)))
				continue;
		} else if (rest) {
			return true;
		} else {
			run_pause(base);
		}
		__this_cpu_write(run_waited, false);
		tick = get_jiffies_64();
		/* A time that was read at an earlier tick may lie before the next deadline. */
		base->time = 0;
		if (local_clock() >= until || run_keeps_waiting())
			break;
	}
	return false;
}

/**
 * twheel_run_time - get the time, for a callback in softirq context
 * @t: The callback's timer.
 *
 * Reading the clock costs as much as the rest of a short callback. So a callback may get
 * the time that another callback of the same tick and CPU has read shortly before. The
 * times of different CPUs are in no order.
 *
 * Context: the callback of @t, in softirq.
 *
 * Return: CLOCK_MONOTONIC in ns, read after @t was due and before now.
 */
u64 twheel_run_time(const struct twheel_timer *t)
{
	struct twheel_base *base = twheel_base_of_flags(READ_ONCE(t->node.flags));

	if (!base->time)
		base->time = ktime_get_ns();
	return base->time;
}

/**
 * twheel_run_look_at_clock - have the run read the clock after this callback
 *
 * For callbacks that have waited. A run reads the clock only now and then, to see whether
 * it has used up its time.
 *
 * Context: a callback in softirq context.
 */
void twheel_run_look_at_clock(void)
{
	__this_cpu_write(run_waited, true);
}

/*
 * The lanes that softirqs run may all have work at once, and then run one after the other.
 * So they share the budget and the time. A share of the budget is never smaller than
 * %TWHEEL_LOCK_HOLD timers, unless the whole budget is.
 */
#define RUN_LANES	TWHEEL_LANE_LOW

static unsigned int run_budget(void)
{
	unsigned int all = max(READ_ONCE(budget), 1U);

	return max(all / RUN_LANES, min(all, TWHEEL_LOCK_HOLD));
}

static u64 run_slice(void)
{
	return twheel_work_slice() / RUN_LANES;
}

/*
 * Runs with bottom halves off on the base's CPU or, when that CPU goes offline, on
 * another.
 */
static void run_base(struct twheel_base *base, u64 start, u64 until)
{
	bool up_to_date;

	twheel_expiry_lock(base);
	run_lock(base);
	twheel_stats_inc(&base->stats.runs);
	/* While the timers of an offline CPU are moved, no callback may begin here. */
	if (base->runner || !base->online)
		goto out_unlock;

	base->runner = current;
	base->callback.task = current;
	base->time = 0;
	up_to_date = run_expire(base, run_budget(), until);
	base->runner = NULL;
	twheel_process_kick(base);
	if (up_to_date) {
		base->wake = TWHEEL_NEVER;
		twheel_tick_wake_by(base, twheel_wheel_next(&base->wheel));
	} else {
		base->wake = base->wheel.clk;
		twheel_work_leave(&base->more);
	}
	twheel_stats_max(&base->stats.run_max_ns, local_clock() - start);

out_unlock:
	run_unlock(base);
	twheel_expiry_unlock(base);
}

/* Leaves a run to the thread, which arms the tick source again. */
static void run_leave(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	if (!base->runner && base->online) {
		base->wake = base->wheel.clk;
		twheel_work_leave(&base->more);
	}
	raw_spin_unlock_irq(&base->lock);
}

static void run_in_softirq(struct twheel_base *base)
{
	/* The run does not change CPU, and reading CLOCK_MONOTONIC may be expensive. */
	u64 start = local_clock(), until = start + run_slice();

	if (base->lane == TWHEEL_LANE_LOW) {
		run_leave(base);
		return;
	}
	twheel_work_begin_run();
	run_base(base, start, until);
	twheel_work_end_run(until);
}

static void run_at_tick(struct timer_list *tick)
{
	run_in_softirq(container_of(tick, struct twheel_base, tick));
}

static enum hrtimer_restart run_after_sleep(struct hrtimer *sleeper)
{
	run_in_softirq(container_of(sleeper, struct twheel_base, sleeper));
	return HRTIMER_NORESTART;
}

static void run_more(struct twheel_work *more)
{
	u64 start = local_clock();

	run_base(container_of(more, struct twheel_base, more), start, start + run_slice());
}

/**
 * twheel_run_init - set up what starts the runs of a base
 * @base: The base.
 */
void twheel_run_init(struct twheel_base *base)
{
	twheel_tick_init(base, run_at_tick, run_after_sleep);
	if (base->lane == TWHEEL_LANE_LOW)
		twheel_work_setup_low(&base->more, run_more);
	else
		twheel_work_setup(&base->more, run_more);
}

/**
 * twheel_run_stop - stop the runs of a base for good
 * @base: The base, not locked, and not online any more.
 *
 * Context: process, may sleep.
 */
void twheel_run_stop(struct twheel_base *base)
{
	twheel_tick_stop(base);
	twheel_work_cancel_sync(&base->more);
}
