// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: counts, violations, and parameters that several files read
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "torture.h"

unsigned int torture_seed = 1;
unsigned int torture_late_limit = 1000;
bool torture_verbose;
struct task_struct *torture_main_task;

DEFINE_PER_CPU(struct torture_counts, torture_counts);

static atomic_t violations;
static atomic64_t worst_late;

/**
 * torture_fail - report a violation and end the test
 * @format: What went wrong, as for printk(), without a newline.
 *
 * Only the first violation is printed. It may cause others, which are only counted.
 *
 * Context: any.
 */
void torture_fail(const char *format, ...)
{
	struct va_format vaf;
	va_list args;

	if (atomic_inc_return(&violations) > 1)
		return;
	va_start(args, format);
	vaf.fmt = format;
	vaf.va = &args;
	WARN(1, TORTURE_FLAG "!!! %pV\n", &vaf);
	va_end(args);
	wake_up_process(READ_ONCE(torture_main_task));
}

/**
 * torture_failed - has there been a violation?
 *
 * Return: %true if so. Threads, interrupts and callbacks then do nothing more.
 */
bool torture_failed(void)
{
	return atomic_read(&violations);
}

/**
 * torture_violations - count violations
 *
 * Return: The number of violations so far.
 */
int torture_violations(void)
{
	return atomic_read(&violations);
}

/**
 * torture_lateness - note how late a callback was
 * @ticks: After the last tick that was allowed.
 *
 * Machines stall, virtual machines more so: lateness is counted and no violation.
 */
void torture_lateness(u64 ticks)
{
	u64 worst = atomic64_read(&worst_late);

	if (ticks > msecs_to_jiffies(torture_late_limit))
		torture_inc(TORTURE_LATE);
	while (ticks > worst && !atomic64_try_cmpxchg(&worst_late, &worst, ticks))
		;
}

/**
 * torture_worst_late - tell how late the latest callback was
 *
 * Return: The number of ticks.
 */
s64 torture_worst_late(void)
{
	return atomic64_read(&worst_late);
}

/**
 * torture_sum_up - add up the counts of all CPUs
 * @sum: The result.
 */
void torture_sum_up(struct torture_counts *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < TORTURE_COUNTS; i++)
			sum->n[i] += READ_ONCE(per_cpu(torture_counts, cpu).n[i]);
}
