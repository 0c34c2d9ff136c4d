// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how much softirqs do for programs that no program is charged for
 *
 * A softirq moves events into rings and looks at words of tables, so that a program need
 * not make a system call for each. A program can cause such work by a mere store to its
 * memory, again and again. So each CPU has an allowance, which all programs share. When
 * it is used up, the program is woken, and the work waits for the program's next read()
 * or poll(), where the program is charged for it.
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
	u64		tick;
	unsigned int	left;
};

static DEFINE_PER_CPU(struct allowance, allowances);

/**
 * twheel_allowance_take - take from the allowance of this CPU
 * @wanted: How many steps the caller could do.
 *
 * Context: bottom halves off.
 *
 * Return: How many steps the caller may do.
 */
unsigned int twheel_allowance_take(unsigned int wanted)
{
	struct allowance *allowance = this_cpu_ptr(&allowances);
	u64 now = get_jiffies_64();
	u64 ticks = now - allowance->tick;
	unsigned int taken;

	if (ticks) {
		allowance->tick = now;
		allowance->left = min_t(u64, ALLOWANCE_MOST, allowance->left +
					min_t(u64, ticks, HZ) * ALLOWANCE_RATE / HZ);
	}
	taken = min(wanted, allowance->left);
	allowance->left -= taken;
	return taken;
}
