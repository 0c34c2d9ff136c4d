// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: torture of its kernel interface
 *
 * Threads on every CPU, and softirqs and hardirqs there, do to timers whatever
 * twheel.h allows, at random, for a while. What comes of it is checked all the
 * time; the first violation is reported by a WARNING and ends the test.
 *
 * Loading the module starts the test. The kernel log has a line every
 * stat_interval seconds and one at the end:
 *
 *	twheel-torture:--- End of test: SUCCESS: counts and parameters
 *
 * Unloading it ends the test early. Of the two kinds of timers, torture_model.c
 * has those that are checked exactly, and torture_shared.c those that are
 * raced for.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "torture.h"

unsigned int torture_seed = 1;
module_param_named(seed, torture_seed, uint, 0444);
MODULE_PARM_DESC(seed, "What is random follows from it");

static unsigned int duration = 60;
module_param(duration, uint, 0444);
MODULE_PARM_DESC(duration, "In seconds (default 60); 0: until the module is unloaded");

unsigned int torture_threads = 1;
module_param_named(threads, torture_threads, uint, 0444);
MODULE_PARM_DESC(threads, "Threads per CPU (default 1)");

static unsigned int timers = 500;
module_param(timers, uint, 0444);
MODULE_PARM_DESC(timers, "Timers per thread (default 500)");

static unsigned int stat_interval = 15;
module_param(stat_interval, uint, 0444);
MODULE_PARM_DESC(stat_interval, "Seconds between two lines (default 15); 0: none");

static unsigned int onoff_interval;
module_param(onoff_interval, uint, 0444);
MODULE_PARM_DESC(onoff_interval, "Seconds between CPU hotplug operations (default 0: none)");

static unsigned int late_limit = 1000;
module_param(late_limit, uint, 0444);
MODULE_PARM_DESC(late_limit, "Milliseconds that a callback may be late before it is counted (default 1000)");

bool torture_verbose;
module_param_named(verbose, torture_verbose, bool, 0444);
MODULE_PARM_DESC(verbose, "Say when threads start and stop");

DEFINE_PER_CPU(struct torture_counts, torture_counts);

static struct task_struct *main_task;
static atomic_t failures;
static atomic64_t worst_late;
static unsigned int onoffs, onoff_failures, cpu_away;

/**
 * torture_fail - report a violation; the test ends
 * @format: What went wrong, as for printk(), without a newline.
 *
 * The first one is worth reading. Those that it brings about are only counted.
 *
 * Context: any.
 */
void torture_fail(const char *format, ...)
{
	struct va_format vaf;
	va_list args;

	if (atomic_inc_return(&failures) > 1)
		return;
	va_start(args, format);
	vaf.fmt = format;
	vaf.va = &args;
	WARN(1, TORTURE_FLAG "!!! %pV\n", &vaf);
	va_end(args);
	wake_up_process(READ_ONCE(main_task));
}

/**
 * torture_failed - has there been a violation?
 *
 * Return: %true if so; everybody had better stop.
 */
bool torture_failed(void)
{
	return atomic_read(&failures);
}

/**
 * torture_lateness - note how late a callback was
 * @ticks: After the last tick that was allowed.
 *
 * Machines stall, virtual ones more so: that is counted and no violation.
 */
void torture_lateness(u64 ticks)
{
	u64 worst = atomic64_read(&worst_late);

	if (ticks > msecs_to_jiffies(late_limit))
		torture_inc(TORTURE_LATE);
	while (ticks > worst && !atomic64_try_cmpxchg(&worst_late, &worst, ticks))
		;
}

static void sum_up(struct torture_counts *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < TORTURE_COUNTS; i++)
			sum->n[i] += READ_ONCE(per_cpu(torture_counts, cpu).n[i]);
}

static const char *parameters(void)
{
	static char text[160];

	scnprintf(text, sizeof(text),
		  " seed=%u duration=%u threads=%u timers=%u stat_interval=%u onoff_interval=%u late_limit=%u verbose=%d HZ=%d cpus=%u",
		  torture_seed, duration, torture_threads, timers, stat_interval,
		  onoff_interval, late_limit, torture_verbose, HZ,
		  num_online_cpus());
	return text;
}

static void print_counts(const char *before, const char *behind)
{
	struct torture_counts sum;

	sum_up(&sum);
	pr_alert(TORTURE_FLAG "%s armed: %lu fired: %lu cancelled: %lu replaced: %lu refused: %lu again: %lu missed: %lu slept: %lu created: %lu freed: %lu late: %lu worst: %lld onoff: %u/%u violations: %d%s\n",
		 before, sum.n[TORTURE_ARMED], sum.n[TORTURE_FIRED],
		 sum.n[TORTURE_CANCELLED], sum.n[TORTURE_REPLACED],
		 sum.n[TORTURE_REFUSED], sum.n[TORTURE_AGAIN],
		 sum.n[TORTURE_MISSED], sum.n[TORTURE_SLEPT],
		 sum.n[TORTURE_CREATED], sum.n[TORTURE_FREED],
		 sum.n[TORTURE_LATE], atomic64_read(&worst_late),
		 onoffs - onoff_failures, onoffs, atomic_read(&failures),
		 behind);
}

/* No timer is armed any more, and every arming has had its end. */
static void check_sums(void)
{
	struct torture_counts sum;
	unsigned long ended;

	sum_up(&sum);
	ended = sum.n[TORTURE_FIRED] + sum.n[TORTURE_CANCELLED] +
		sum.n[TORTURE_REPLACED];
	if (sum.n[TORTURE_ARMED] != ended)
		torture_fail("%lu armings in all, and %lu ends",
			     sum.n[TORTURE_ARMED], ended);
	if (sum.n[TORTURE_CREATED] != sum.n[TORTURE_FREED])
		torture_fail("%lu timers made, %lu freed",
			     sum.n[TORTURE_CREATED], sum.n[TORTURE_FREED]);
	if (!sum.n[TORTURE_FIRED])
		torture_fail("no callback was run");
}

static void count_onoff(const char *what, unsigned int cpu, int ret)
{
	onoffs++;
	if (torture_verbose || ret)
		pr_alert(TORTURE_FLAG " CPU %u %s: %d\n", cpu, what, ret);
	if (ret)
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

/* Not the first one: some cannot be without it. */
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

/* Until something is to be done; returns early at a violation. */
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

static unsigned long earlier(unsigned long a, unsigned long b)
{
	return time_before(a, b) ? a : b;
}

static unsigned long after(unsigned int seconds)
{
	return jiffies + (seconds ? seconds * HZ : MAX_JIFFY_OFFSET);
}

static void run_test(void)
{
	unsigned long end = after(duration), stat = after(stat_interval);
	unsigned long flip = after(onoff_interval);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, torture_seed);
	while (!kthread_should_stop() && !torture_failed() &&
	       time_before(jiffies, end)) {
		sleep_until(earlier(end, earlier(stat, flip)));
		if (time_after_eq(jiffies, stat)) {
			print_counts("", "");
			stat = after(stat_interval);
		}
		if (time_after_eq(jiffies, flip)) {
			if (cpu_away)
				bring_back_cpu();
			else
				take_away_cpu(&rnd);
			flip = after(onoff_interval);
		}
	}
	bring_back_cpu();
}

/* The CPUs are to come and go; nothing was tested of that if they did not. */
static void check_onoffs(void)
{
	if (onoff_failures)
		torture_fail("%u of %u CPU hotplug operations failed",
			     onoff_failures, onoffs);
	if (onoff_interval && duration > 2 * onoff_interval && !onoffs)
		torture_fail("no CPU could be taken away");
}

static int torture_main(void *unused)
{
	run_test();
	torture_threads_stop();
	torture_model_end();
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
	unsigned int number = timers * torture_threads * num_possible_cpus();
	int ret;

	if (!torture_threads || !timers)
		return -EINVAL;
	pr_alert(TORTURE_FLAG "--- Start of test:%s\n", parameters());
	ret = torture_model_init(number);
	if (ret)
		return ret;
	ret = torture_shared_init(max(number / 8, 1U));
	if (ret)
		goto out_model_exit;
	main_task = kthread_create(torture_main, NULL, "torture_main");
	if (IS_ERR(main_task)) {
		ret = PTR_ERR(main_task);
		goto out_shared_exit;
	}
	ret = torture_threads_start();
	if (ret)
		goto out_stop_main;
	wake_up_process(main_task);
	return 0;

out_stop_main:
	kthread_stop(main_task);
	torture_model_end();
	torture_shared_end();
out_shared_exit:
	torture_shared_exit();
out_model_exit:
	torture_model_exit();
	return ret;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
	kthread_stop(main_task);
	torture_shared_exit();
	torture_model_exit();
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture of twheel's kernel interface");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("GPL");
