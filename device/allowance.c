// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how much softirqs do for programs that no program is charged for
 *
 * In softirq context, the kernel moves events into rings and looks at words of tables, so
 * that a program need not make a system call for each. A program can cause such work by a
 * mere store to its memory, again and again. So each CPU has an allowance, which all
 * programs share. When it is used up, the kernel wakes the program. The work waits for the
 * program's next read() or poll(), where the program is charged for it.
 *
 * One step of this work takes about a microsecond, so the work takes less than a
 * hundredth of a CPU in the long run.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include "allowance.h"

/* Steps in a second. */
#define ALLOWANCE_RATE	8192U
/* The most steps that a quiet time saves up. */
#define ALLOWANCE_MOST	1024U

/**
 * struct allowance - the allowance of a CPU
 * @tick: When @left was last raised.
 * @left: How many steps are left.
 */
struct allowance {
	unsigned long	tick;
	unsigned int	left;
};

static DEFINE_PER_CPU(struct allowance, allowances);

/**
 * twheel_allowance_take - take from the allowance of this CPU
 * @wanted: How many steps the caller could do.
 *
 * Context: softirq. On some PREEMPT_RT kernels, two callers of a CPU may interrupt each
 * other, and one of them then takes for nothing.
 *
 * Return: How many steps the caller may do.
 */
unsigned int twheel_allowance_take(unsigned int wanted)
{
	struct allowance *allowance = this_cpu_ptr(&allowances);
	unsigned int left = READ_ONCE(allowance->left);
	unsigned long now = jiffies, ticks = now - READ_ONCE(allowance->tick);

	if (ticks) {
		WRITE_ONCE(allowance->tick, now);
		left += min_t(unsigned long, ticks, HZ) * ALLOWANCE_RATE / HZ;
		left = min(left, ALLOWANCE_MOST);
	}
	wanted = min(wanted, left);
	WRITE_ONCE(allowance->left, left - wanted);
	return wanted;
}
