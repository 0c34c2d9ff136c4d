// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: counts, violations, and parameters that several files read
 */
#include <linux/string.h>
#include "torture.h"

unsigned int torture_seed = 1;
struct task_struct *torture_main_task;

DEFINE_PER_CPU(struct torture_counts, torture_counts);

static atomic_t violations;
static atomic64_t worst_late;

/* Reports a violation, and ends the test. Later ones are only counted: the first may cause them. */
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

int torture_violations(void)
{
	return atomic_read(&violations);
}

/*
 * Notes how many ticks after the last one that was allowed a callback was. Machines stall, virtual
 * machines more so: more than a second is counted, and no violation.
 */
void torture_lateness(u64 ticks)
{
	u64 worst = atomic64_read(&worst_late);

	if (ticks > HZ)
		torture_inc(TORTURE_LATE);
	while (ticks > worst && !atomic64_try_cmpxchg(&worst_late, &worst, ticks))
		;
}

s64 torture_worst_late(void)
{
	return atomic64_read(&worst_late);
}

void torture_sum_up(struct torture_counts *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < TORTURE_COUNTS; i++)
			sum->n[i] += READ_ONCE(per_cpu(torture_counts, cpu).n[i]);
}
