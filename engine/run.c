// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the run of a wheel, in a softirq or in a thread
 *
 * A run moves and expires timers, until the wheel is up to date, or the budget or the time is used
 * up. Then the thread of the CPU continues, and no tick starts a run until the wheel is up to date:
 * a storm that lasts has the time that the scheduler gives the thread.
 */
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "callback.h"
#include "twheel_compat.h"

static unsigned int budget = 2048;
module_param(budget, uint, 0644);
MODULE_PARM_DESC(budget, "Timers that a CPU expires or moves in a row, at most (default 2048)");

/* A run reads the clock after so many callbacks, and after each tick. */
#define RUN_CLOCK_EVERY		16

/* Accounts for a stretch of a run with interrupts off. */
static noinline void run_account(struct twheel_base *base)
{
	u64 moved = base->wheel.moves;

	base->wheel.moves = 0;
	trace_twheel_cascade(base->cpu, base->wheel.clk, moved);
	base->stats.cascade_max = max(base->stats.cascade_max, moved);
}

static void run_unlock(struct twheel_base *base)
	__releases(&base->lock)
{
	if (unlikely(base->wheel.moves))
		run_account(base);
	raw_spin_unlock_irq(&base->lock);
}

/* Lets interrupts come, and on PREEMPT_RT cancellers that wait. No callback runs. */
static void run_pause(struct twheel_base *base)
	__must_hold(&base->lock)
{
	run_unlock(base);
	/* The base says that no callback runs: a canceller that gets the lock looks there. */
	if (twheel_callback_contended(base)) {
		twheel_callback_unlock_expiry(base);
		twheel_callback_lock_expiry(base);
	}
	raw_spin_lock_irq(&base->lock);
}

/* Unlocks the base to run @fn, the callback of @t. */
static void run_callback(struct twheel_base *base, struct twheel_timer *t, twheel_fn_t fn)
	__must_hold(&base->lock)
{
	run_unlock(base);
	twheel_callback_run(t, fn);
	raw_spin_lock_irq(&base->lock);
	base->callback.timer = NULL;
	if (twheel_callback_contended(base))
		run_pause(base);
}

/*
 * Whether a run has used up its time. In a thread, also whether a task waits for this one: bottom
 * halves are off, so the task waits for the end of the run, and kernels charge that time to the
 * task that waits.
 */
static bool run_is_over(u64 until)
{
	return local_clock() >= until || (!in_serving_softirq() && need_resched());
}

/*
 * Expires the timers that are due, within the budget @left and until the time @until.
 * Returns whether the wheel is up to date.
 */
static bool run_expire(struct twheel_base *base, unsigned int left, u64 until)
{
	u64 tick = get_jiffies_64();
	unsigned int hold, n = 0;
	struct twheel_timer *t;
	twheel_fn_t fn;

	lockdep_assert_held(&base->lock);

	while (left) {
		hold = min(left, TWHEEL_LOCK_HOLD);
		left -= hold;
		while ((t = twheel_timer_of(twheel_wheel_expire(&base->wheel, tick, &hold)))) {
			fn = twheel_callback_begin(base, &base->callback, t, tick);
			run_callback(base, t, fn);
			if (++n % RUN_CLOCK_EVERY && !time_after64(get_jiffies_64(), tick))
				continue;
			tick = get_jiffies_64();
			if (run_is_over(until))
				return false;
		}
		if (hold)
			return true;
		run_pause(base);
		tick = get_jiffies_64();
		if (run_is_over(until))
			break;
	}
	return false;
}

/* Runs with bottom halves off on the base's CPU or, when that CPU goes offline, on another. */
static void run_base(struct twheel_base *base, u64 start, u64 until)
{
	bool up_to_date;

	twheel_callback_lock_expiry(base);
	raw_spin_lock_irq(&base->lock);
	base->stats.runs++;
	/* While the timers of an offline CPU are moved, no callback may begin here. */
	if (base->running || !base->online)
		goto out_unlock;

	base->running = true;
	base->callback.task = current;
	up_to_date = run_expire(base, max(READ_ONCE(budget), 1U), until);
	base->running = false;
	twheel_process_kick(base);
	if (up_to_date) {
		base->wake = TWHEEL_NEVER;
		twheel_tick_wake_by(base, twheel_wheel_next(&base->wheel));
	} else {
		base->wake = base->wheel.clk;
		twheel_work_to_thread(&base->more);
	}
	base->stats.run_max_ns = max(base->stats.run_max_ns, local_clock() - start);

out_unlock:
	run_unlock(base);
	twheel_callback_unlock_expiry(base);
}

static void run_in_softirq(struct twheel_base *base)
{
	/* The run does not change CPU, and reading CLOCK_MONOTONIC may be expensive. */
	u64 start = local_clock(), until = start + twheel_work_slice();

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

	run_base(container_of(more, struct twheel_base, more), start, start + twheel_work_slice());
}

void twheel_run_init(struct twheel_base *base)
{
	timer_setup(&base->tick, run_at_tick, TIMER_PINNED);
	hrtimer_setup(&base->sleeper, run_after_sleep, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	twheel_work_setup(&base->more, run_more);
}

/* Nothing starts a run any more. @base is not online. May sleep. */
void twheel_run_stop(struct twheel_base *base)
{
	timer_shutdown_sync(&base->tick);
	hrtimer_cancel(&base->sleeper);
}
