// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: torture of its kernel interface
 *
 * Threads, softirqs and hardirqs on every CPU do random operations on timers: all
 * that twheel.h allows. Every result and callback is checked. The first violation is
 * reported by a WARNING and ends the test.
 *
 * Loading the module starts the test. The kernel log gets a line of counts at intervals, and one
 * at the end:
 *
 *	twheel-torture:--- End of test: SUCCESS: counts and parameters
 *
 * Unloading the module ends the test early. There are two kinds of timers. A timer
 * of torture_model_op.c has one user at a time and is checked exactly. A timer of
 * torture_shared.c has many users at once, which race with each other.
 */
#include <linux/module.h>
#include "torture.h"

module_param_named(seed, torture_seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the random numbers (default 1)");

static unsigned int duration = 60;
module_param(duration, uint, 0444);
MODULE_PARM_DESC(duration, "In seconds (default 60); 0: until the module is unloaded");

static unsigned int onoff_interval;
module_param(onoff_interval, uint, 0444);
MODULE_PARM_DESC(onoff_interval, "Seconds between CPU hotplug operations (default 0: none)");

#define TIMERS_PER_CPU	500
/* Seconds between two lines of counts */
#define STAT_INTERVAL	15

static unsigned int onoffs, onoff_failures, cpu_away;

static const char *parameters(void)
{
	static char text[160];

	scnprintf(text, sizeof(text),
		  " seed=%u duration=%u onoff_interval=%u HZ=%d cpus=%u", torture_seed, duration,
		  onoff_interval, HZ, num_online_cpus());
	return text;
}

static void print_counts(const char *before, const char *behind)
{
	struct torture_counts sum;

	torture_sum_up(&sum);
	pr_alert(TORTURE_FLAG "%s armed: %lu fired: %lu cancelled: %lu replaced: %lu refused: %lu again: %lu missed: %lu slept: %lu created: %lu freed: %lu late: %lu worst: %lld onoff: %u/%u violations: %d%s\n",
		 before, sum.n[TORTURE_ARMED], sum.n[TORTURE_FIRED],
		 sum.n[TORTURE_CANCELLED], sum.n[TORTURE_REPLACED],
		 sum.n[TORTURE_REFUSED], sum.n[TORTURE_AGAIN],
		 sum.n[TORTURE_MISSED], sum.n[TORTURE_SLEPT],
		 sum.n[TORTURE_CREATED], sum.n[TORTURE_FREED],
		 sum.n[TORTURE_LATE], torture_worst_late(),
		 onoffs - onoff_failures, onoffs, torture_violations(),
		 behind);
}

/* No timer is armed any more, so every arming must have ended. */
static void check_sums(void)
{
	struct torture_counts sum;
	unsigned long ended;

	torture_sum_up(&sum);
	ended = sum.n[TORTURE_FIRED] + sum.n[TORTURE_CANCELLED] +
		sum.n[TORTURE_REPLACED];
	if (sum.n[TORTURE_ARMED] != ended)
		torture_fail("%lu armings in all, and %lu ends",
			     sum.n[TORTURE_ARMED], ended);
	if (sum.n[TORTURE_CREATED] != sum.n[TORTURE_FREED])
		torture_fail("%lu timers created, %lu freed",
			     sum.n[TORTURE_CREATED], sum.n[TORTURE_FREED]);
	if (!sum.n[TORTURE_FIRED])
		torture_fail("no callback was run");
}

static void count_onoff(const char *what, unsigned int cpu, int ret)
{
	onoffs++;
	if (!ret)
		return;
	pr_alert(TORTURE_FLAG " CPU %u %s: %d\n", cpu, what, ret);
	onoff_failures++;
}

static void bring_back_cpu(void)
{
	int ret;

	if (!cpu_away)
		return;
	ret = add_cpu(cpu_away);
	count_onoff("online", cpu_away, ret);
	cpu_away = 0;
}

/* Never the first CPU: some machines cannot take it offline. */
static void take_away_cpu(struct rnd_state *rnd)
{
	unsigned int cpu, online = num_online_cpus();
	int ret;

	if (online < 2)
		return;
	cpu = cpumask_nth(1 + torture_below(rnd, online - 1), cpu_online_mask);
	ret = remove_cpu(cpu);
	count_onoff("offline", cpu, ret);
	if (!ret)
		cpu_away = cpu;
}

/* Returns early at a violation, or when the module is unloaded. */
static void sleep_until(unsigned long when)
{
	long left;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		left = when - jiffies;
		if (left <= 0 || kthread_should_stop() || torture_failed())
			break;
		schedule_timeout(left);
	}
	__set_current_state(TASK_RUNNING);
}

static void wait_to_be_stopped(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static unsigned long earlier_of(unsigned long a, unsigned long b)
{
	return time_before(a, b) ? a : b;
}

static unsigned long seconds_from_now(unsigned int seconds)
{
	return jiffies + (seconds ? seconds * HZ : MAX_JIFFY_OFFSET);
}

static void run_test(void)
{
	unsigned long end = seconds_from_now(duration), stat = seconds_from_now(STAT_INTERVAL);
	unsigned long flip = seconds_from_now(onoff_interval);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, torture_seed);
	while (!kthread_should_stop() && !torture_failed() &&
	       time_before(jiffies, end)) {
		sleep_until(earlier_of(end, earlier_of(stat, flip)));
		if (time_after_eq(jiffies, stat)) {
			print_counts("", "");
			stat = seconds_from_now(STAT_INTERVAL);
		}
		if (time_after_eq(jiffies, flip)) {
			if (cpu_away)
				bring_back_cpu();
			else
				take_away_cpu(&rnd);
			flip = seconds_from_now(onoff_interval);
		}
	}
	bring_back_cpu();
}

/* If CPUs should come and go, at least one must have done so, without failures. */
static void check_onoffs(void)
{
	if (onoff_failures)
		torture_fail("%u of %u CPU hotplug operations failed",
			     onoff_failures, onoffs);
	if (onoff_interval && duration > 2 * onoff_interval && !onoffs)
		torture_fail("no CPU could be taken away");
}

static int run_main(void *unused)
{
	run_test();
	torture_thread_stop_all();
	torture_model_op_end();
	torture_shared_end();
	check_sums();
	check_onoffs();
	print_counts(torture_failed() ? "--- End of test: FAILURE:" :
					"--- End of test: SUCCESS:",
		     parameters());
	wait_to_be_stopped();
	return 0;
}

static int __init torture_init(void)
{
	unsigned int number = TIMERS_PER_CPU * num_possible_cpus();
	int ret;

	pr_alert(TORTURE_FLAG "--- Start of test:%s\n", parameters());
	ret = torture_model_op_init(number);
	if (ret)
		return ret;
	ret = torture_shared_init(number / 8);
	if (ret)
		goto out_model_exit;
	torture_main_task = kthread_create(run_main, NULL, "torture_main");
	if (IS_ERR(torture_main_task)) {
		ret = PTR_ERR(torture_main_task);
		goto out_shared_exit;
	}
	ret = torture_thread_start_all();
	if (ret)
		goto out_stop_main;
	wake_up_process(torture_main_task);
	return 0;

out_stop_main:
	kthread_stop(torture_main_task);
	torture_model_op_end();
	torture_shared_end();
out_shared_exit:
	torture_shared_exit();
out_model_exit:
	torture_model_op_exit();
	return ret;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
	kthread_stop(torture_main_task);
	torture_shared_exit();
	torture_model_op_exit();
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture of twheel's kernel interface");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("GPL");
