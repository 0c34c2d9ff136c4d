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
 * hundredth of a CPU in the long run. A step that interrupts a real-time program
 * counts as 16, as for a share.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include "allowance.h"
#include "share.h"

static unsigned int allowance = 8192;
module_param(allowance, uint, 0644);
MODULE_PARM_DESC(allowance, "Steps a second that a CPU does for programs without charging them (default 8192)");

/*
 * A quiet time saves up the steps of four seconds. So a program with tens of thousands of
 * words finds all of them looked at in time when their first deadlines come at once. The
 * steps take no softirq longer than a slice: see engine/work.c.
 */
#define ALLOWANCE_SECONDS	4U

/* Four seconds of this many steps, with HZ to a step, fit into 32 bits. */
#define ALLOWANCE_MOST		(1U << 18)

/**
 * struct allowance - the allowance of a CPU
 * @tick: When @credit was last raised.
 * @credit: How many steps are left, times HZ.
 */
struct allowance {
	unsigned long	tick;
	unsigned int	credit;
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
	unsigned int rate = min(READ_ONCE(allowance), ALLOWANCE_MOST);
	struct allowance *here = this_cpu_ptr(&allowances);
	unsigned int credit = READ_ONCE(here->credit);
	unsigned int shift = twheel_share_shift();
	unsigned long now = jiffies, ticks;

	ticks = min_t(unsigned long, now - READ_ONCE(here->tick), ALLOWANCE_SECONDS * HZ);
	if (ticks) {
		WRITE_ONCE(here->tick, now);
		credit = min(credit + (unsigned int)ticks * rate, ALLOWANCE_SECONDS * HZ * rate);
	}
	wanted = min(wanted, credit / HZ >> shift);
	WRITE_ONCE(here->credit, credit - (wanted * HZ << shift));
	return wanted;
}
