// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the run of a wheel, in a softirq or in a thread
 *
 * The softirq takes its time from the task that it has interrupted. So a run is bounded, and the
 * thread "twheel/N" does the rest: Documentation/design-engine.rst, "Ticks".
 */
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smpboot.h>
#include "engine.h"
#include "twheel_compat.h"

static unsigned int budget = 2048;
module_param(budget, uint, 0644);
MODULE_PARM_DESC(budget, "Timers that a CPU expires or moves in a row, at most (default 2048)");

static unsigned int slice_us = 1000;
module_param(slice_us, uint, 0644);
MODULE_PARM_DESC(slice_us, "Microseconds that the wheel of a CPU runs in a row, at most; a thread continues (default 1000)");

/* A run reads the clock after so many callbacks, and after each tick. */
#define RUN_CLOCK_EVERY		16

static DEFINE_PER_CPU(struct task_struct *, run_thread);

/* Lets interrupts come, and on PREEMPT_RT cancellers that wait. No callback runs. */
static void run_pause(struct twheel_base *base)
	__must_hold(&base->lock)
{
	raw_spin_unlock_irq(&base->lock);
	/* The base says that no callback runs: a canceller that gets the lock looks there. */
	if (twheel_callback_contended(base)) {
		spin_unlock(&base->expiry_lock);
		spin_lock(&base->expiry_lock);
	}
	raw_spin_lock_irq(&base->lock);
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
 * Expires the timers of a locked base that are due, within the budget and until the time
 * @until. Returns whether the wheel is up to date.
 */
static bool run_expire(struct twheel_base *base, u64 until)
{
	unsigned int left = max(READ_ONCE(budget), 1U), hold, n = 0;
	u64 tick = get_jiffies_64();
	struct twheel_timer *t;

	while (left) {
		hold = min(left, TWHEEL_LOCK_HOLD);
		left -= hold;
		while ((t = twheel_timer_of(twheel_wheel_expire(&base->wheel, tick, &hold)))) {
			twheel_callback_run(base, &base->callback, t, tick);
			if (twheel_callback_contended(base))
				run_pause(base);
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

/*
 * Runs the wheel, and arms the tick source if the wheel is up to date. Bottom halves are off, and
 * this is the base's CPU.
 */
static void run_base(struct twheel_base *base)
{
	/* The run does not change CPU, and reading CLOCK_MONOTONIC may be expensive. */
	u64 from = local_clock(), until = from + (u64)max(READ_ONCE(slice_us), 1U) * NSEC_PER_USEC;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		/* The callback of that run may wait for a timer of this softirq: do not wait. */
		if (READ_ONCE(base->running))
			return;
		spin_lock(&base->expiry_lock);
	}
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->more, false);
	/* While the timers of an offline CPU are moved, no callback may begin here. */
	if (!base->running && base->online) {
		base->stats.runs++;
		WRITE_ONCE(base->running, true);
		base->callback.task = current;
		WRITE_ONCE(base->more, !run_expire(base, until));
		WRITE_ONCE(base->running, false);
		twheel_process_kick(base);
		base->wake = base->more ? base->wheel.clk : TWHEEL_NEVER;
		if (base->more)
			wake_up_process(per_cpu(run_thread, base->cpu));
		else
			twheel_tick_wake_by(base, twheel_wheel_next(&base->wheel));
		base->stats.run_max_ns = max(base->stats.run_max_ns, local_clock() - from);
	}
	raw_spin_unlock_irq(&base->lock);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		spin_unlock(&base->expiry_lock);
}

static void run_at_tick(struct timer_list *tick)
{
	run_base(container_of(tick, struct twheel_base, tick));
}

static enum hrtimer_restart run_after_sleep(struct hrtimer *sleeper)
{
	run_base(container_of(sleeper, struct twheel_base, sleeper));
	return HRTIMER_NORESTART;
}

static int run_thread_should_run(unsigned int cpu)
{
	return READ_ONCE(twheel_base_of(cpu)->more);
}

static void run_thread_run(unsigned int cpu)
{
	local_bh_disable();
	run_base(twheel_base_of(cpu));
	local_bh_enable();
	cond_resched();
}

struct smp_hotplug_thread twheel_run_threads = {
	.store			= &run_thread,
	.thread_should_run	= run_thread_should_run,
	.thread_fn		= run_thread_run,
	.thread_comm		= "twheel/%u",
};

void twheel_run_init_base(struct twheel_base *base)
{
	timer_setup(&base->tick, run_at_tick, TIMER_PINNED);
	hrtimer_setup(&base->sleeper, run_after_sleep, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
}
