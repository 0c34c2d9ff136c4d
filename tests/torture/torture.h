/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the parts of the torture module share
 */
#ifndef _TWHEEL_TORTURE_H
#define _TWHEEL_TORTURE_H

/* The kernel log's lines begin with TORTURE_FLAG alone. */
#undef pr_fmt
#define pr_fmt(fmt) fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/types.h>
#include "../../twheel.h"

#define TORTURE_FLAG "twheel-torture:"

/**
 * enum torture_context - who does something to a timer
 * @TORTURE_PROCESS: A thread; may sleep.
 * @TORTURE_SOFTIRQ: A timer_list timer or a tasklet; may spin.
 * @TORTURE_HARDIRQ: An hrtimer; may not wait.
 * @TORTURE_CALLBACK: The callback of another twheel timer. It may not wait: the
 *	other's callback may be waiting for this one.
 */
enum torture_context {
	TORTURE_PROCESS,
	TORTURE_SOFTIRQ,
	TORTURE_HARDIRQ,
	TORTURE_CALLBACK,
};

/**
 * enum torture_count - what is counted
 * @TORTURE_ARMED: Armings, those included that replaced another.
 * @TORTURE_FIRED: Callbacks.
 * @TORTURE_CANCELLED: Armings that were cancelled.
 * @TORTURE_REPLACED: Armings whose deadline was changed.
 * @TORTURE_SUMS: The ones above: in the end
 *	armed == fired + cancelled + replaced.
 * @TORTURE_REFUSED: Armings of a timer that had been shut down.
 * @TORTURE_AGAIN: Cancels that did not wait for the callback.
 * @TORTURE_MISSED: Periods that were skipped.
 * @TORTURE_SLEPT: Callbacks that slept.
 * @TORTURE_CREATED: Timers made.
 * @TORTURE_FREED: Timers freed.
 * @TORTURE_LATE: Callbacks later than late_limit.
 * @TORTURE_COUNTS: How many counts there are.
 */
enum torture_count {
	TORTURE_ARMED,
	TORTURE_FIRED,
	TORTURE_CANCELLED,
	TORTURE_REPLACED,
	TORTURE_SUMS,
	TORTURE_REFUSED = TORTURE_SUMS,
	TORTURE_AGAIN,
	TORTURE_MISSED,
	TORTURE_SLEPT,
	TORTURE_CREATED,
	TORTURE_FREED,
	TORTURE_LATE,
	TORTURE_COUNTS
};

/**
 * struct torture_counts - the counts of one CPU
 * @n: By &enum torture_count.
 */
struct torture_counts {
	unsigned long n[TORTURE_COUNTS];
};

DECLARE_PER_CPU(struct torture_counts, torture_counts);

#define torture_add(what, number) this_cpu_add(torture_counts.n[what], number)
#define torture_inc(what) torture_add(what, 1)

/* torture_main.c */
extern bool torture_verbose;
extern unsigned int torture_threads;
extern unsigned int torture_seed;
__printf(1, 2) void torture_fail(const char *format, ...);
bool torture_failed(void);
void torture_lateness(u64 ticks);

/* torture_thread.c */
int torture_threads_start(void);
void torture_threads_stop(void);
unsigned int torture_gen(void);
#define TORTURE_NO_GEN 0

/* torture_model.c: timers that are checked against a model, one user at a time */
int torture_model_init(unsigned int slots);
void torture_model_op(struct rnd_state *rnd, enum torture_context context);
void torture_model_end(void);
void torture_model_exit(void);

/* torture_shared.c: timers that everybody uses at once */
int torture_shared_init(unsigned int timers);
void torture_shared_op(struct rnd_state *rnd, enum torture_context context);
void torture_shared_end(void);
void torture_shared_exit(void);

/* Whether a deadline has come; it may be too far off for time_after64(). */
static inline bool torture_reached(u64 due)
{
	u64 now = get_jiffies_64();

	return now >= due;
}

/* One of 0 to @n - 1. */
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

/* Most are due soon, some where they have to be cascaded, a few hardly ever. */
static inline u64 torture_distance(struct rnd_state *rnd)
{
	switch (torture_below(rnd, 16)) {
	case 0:
		return torture_below(rnd, 1 << 20);
	case 1:
		return TWHEEL_NEVER - get_jiffies_64() + torture_below(rnd, 2);
	case 2:
	case 3:
		return 65 + torture_below(rnd, 128);
	case 4:
	case 5:
		return torture_below(rnd, 300);
	default:
		return torture_below(rnd, 5);
	}
}

#endif /* _TWHEEL_TORTURE_H */
