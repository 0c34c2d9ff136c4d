/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: torture of its kernel interface, see torture_main.c
 *
 * Each file calls only files above it in this list:
 *
 *	torture.c		counts, violations, parameters
 *	torture_hotplug.c	CPUs that come and go
 *	torture_model.c		what a timer did, against what it should do
 *	torture_model_op.c	random operations on timers with a model
 *	torture_shared.c	random operations on timers with many users at once
 *	torture_thread.c	threads and interrupts that do the operations
 *	torture_main.c		parameters, the test from start to end, its result
 */
#ifndef _TWHEEL_TORTURE_H
#define _TWHEEL_TORTURE_H

/* Lines in the kernel log begin with TORTURE_FLAG and no other prefix. */
#undef pr_fmt
#define pr_fmt(fmt) fmt

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/types.h>
#include "../../twheel.h"

#define TORTURE_FLAG "twheel-torture:"

enum torture_context {
	TORTURE_PROCESS,	/* a thread; may sleep */
	TORTURE_SOFTIRQ,	/* a timer_list timer or a tasklet; may spin */
	TORTURE_HARDIRQ,	/* an hrtimer; may not wait */
	TORTURE_CALLBACK,	/* may not wait for another, which may wait for it */
};

enum torture_count {
	TORTURE_ARMED,			/* armings, also by a change of the deadline */
	TORTURE_FIRED,
	TORTURE_CANCELLED,
	TORTURE_REPLACED,		/* armings whose deadline was changed */
	TORTURE_SUMS,			/* at the end, armed == fired + cancelled + replaced */
	TORTURE_REFUSED = TORTURE_SUMS,	/* armings of a timer that had been shut down */
	TORTURE_AGAIN,			/* cancels that did not wait for the callback */
	TORTURE_MISSED,			/* periods that were skipped */
	TORTURE_SLEPT,			/* callbacks that slept */
	TORTURE_CREATED,
	TORTURE_FREED,
	TORTURE_LATE,			/* callbacks that were later than a second */
	TORTURE_COUNTS
};

/* The counts of one CPU */
struct torture_counts {
	unsigned long n[TORTURE_COUNTS];	/* by enum torture_count */
};

DECLARE_PER_CPU(struct torture_counts, torture_counts);

#define torture_add(what, number) this_cpu_add(torture_counts.n[what], number)
#define torture_inc(what) torture_add(what, 1)

struct task_struct;

/* torture.c */
extern unsigned int torture_seed;
extern struct task_struct *torture_main_task;
__printf(1, 2) void torture_fail(const char *format, ...);
int torture_violations(void);
void torture_lateness(u64 ticks);
s64 torture_worst_late(void);
void torture_sum_up(struct torture_counts *sum);

/* torture_hotplug.c */
#define TORTURE_NO_GENERATION 0
int torture_hotplug_begin(unsigned int cpu);
int torture_hotplug_end(unsigned int cpu);
unsigned int torture_hotplug_generation(void);

/* torture_thread.c: a thread and interrupts on each CPU */
int torture_thread_start_all(void);
void torture_thread_stop_all(void);

/* torture_model_op.c: timers that are checked against a model, one user at a time */
int torture_model_op_init(unsigned int slots);
void torture_model_op(struct rnd_state *rnd, enum torture_context context);
void torture_model_op_end(void);
void torture_model_op_exit(void);

/* torture_shared.c: timers with many users at once */
int torture_shared_init(unsigned int timers);
void torture_shared_op(struct rnd_state *rnd, enum torture_context context);
void torture_shared_end(void);
void torture_shared_exit(void);

/* After a violation, threads, interrupts and callbacks do nothing more. */
static inline bool torture_failed(void)
{
	return torture_violations();
}

/* Whether a deadline has come. It may be too far away for time_after64(). */
static inline bool torture_reached(u64 due)
{
	u64 now = get_jiffies_64();

	return now >= due;
}

/* Whether a context may wait for a callback. Only a thread may if the callback may sleep. */
static inline bool torture_may_wait(u32 flags, enum torture_context context)
{
	return context == TORTURE_PROCESS ||
	       (context == TORTURE_SOFTIRQ && !(flags & TWHEEL_PROCESS));
}

/* A random number from 0 to @n - 1. */
static inline u32 torture_below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

static inline bool torture_one_in(struct rnd_state *rnd, u32 n)
{
	return !torture_below(rnd, n);
}

static inline u32 torture_flags(struct rnd_state *rnd)
{
	return (torture_one_in(rnd, 3) ? TWHEEL_PROCESS : 0) |
	       (torture_one_in(rnd, 4) ? TWHEEL_PINNED : 0);
}

/* Most timers are due soon, some are cascaded first, a few are never due. */
static inline u64 torture_distance(struct rnd_state *rnd)
{
	switch (torture_below(rnd, 16)) {
	case 0:
		return torture_below(rnd, 1 << 20);
	case 1:
		return TWHEEL_NEVER - get_jiffies_64() + torture_below(rnd, 2);
	case 2 ... 3:
		return 65 + torture_below(rnd, 128);
	case 4 ... 5:
		return torture_below(rnd, 300);
	default:
		return torture_below(rnd, 5);
	}
}

#endif /* _TWHEEL_TORTURE_H */
