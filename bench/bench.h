/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations for all files of the bench module. */
#ifndef _TWHEEL_BENCH_H
#define _TWHEEL_BENCH_H

#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/seq_buf.h>
#include <linux/timer.h>
#include <linux/types.h>
#include "../twheel.h"

/* Seed of all random numbers. */
#define BENCH_SEED		5
/* At least so many operations are timed; fewer timers are operated on several times. */
#define BENCH_LEAST		200000U
#define BENCH_HOUR		(3600ULL * HZ)
/* How far a heartbeat pushes a deadline back. */
#define BENCH_PUSH		(600ULL * HZ)

/*
 * An object with a timer, such as a connection: the same size and place with every engine. The
 * callback compares the deadline, in ticks, with the time.
 */
struct bench_object {
	union {
		struct {
			struct twheel_timer	timer;
			u64			due;
		} wheel;
		struct {
			struct timer_list	timer;
		} list;
		struct {
			struct hrtimer		timer;
			u64			due;
		} high;
		u8				size[128];
	};
};

/* An operation on an object */
struct bench_op {
	struct bench_object	*object;	/* operations are in random order of objects */
	u32			deadline;	/* in ticks from a common base */
	u32			other;		/* to change to */
};

/* The time that deadlines are counted from */
struct bench_base {
	u64	tick;
	ktime_t	time;	/* the beginning of that tick */
};

/* bench_memory.c */

/* Objects, and an operation on each in random order */
struct bench_set {
	u32			n;
	struct bench_object	*objects;
	struct bench_op		*ops;
};

int bench_set_init(struct bench_set *set, u32 n);
void bench_set_exit(struct bench_set *set);
void bench_set_deadlines(struct bench_set *set, u64 range);

/*
 * A loop that does the same to several objects. It counts the deadlines from @base, and in
 * @good the operations that had the expected result.
 */
typedef void (*bench_pass_t)(const struct bench_op *ops, u32 count,
			     const struct bench_base *base, u32 *good);

u64 bench_pass(struct bench_set *set, bench_pass_t pass, const struct bench_base *base,
	       u32 *good);

/* bench_engine.c */
extern struct seq_buf bench_results;
void bench_base_now(struct bench_base *base);
enum bench_op_kind {
	BENCH_ADD,
	BENCH_REARM,
	BENCH_LATER,
	BENCH_CANCEL,
	BENCH_OPS
};

enum bench_engine_kind {
	BENCH_TWHEEL,
	BENCH_TIMER_LIST,
	BENCH_HRTIMER,
	BENCH_ENGINES
};

/* A timer facility to be measured */
struct bench_engine {
	const char	*name;		/* in the results */
	bench_pass_t	setup;		/* of the timer of each object */
	bench_pass_t	op[BENCH_OPS];	/* by enum bench_op_kind */
};

extern const struct bench_engine bench_engines[BENCH_ENGINES];
extern const char * const bench_op_names[BENCH_OPS];

/*
 * Statistics of the callbacks of an engine. Callbacks run on the CPU that measures, so
 * plain variables are enough.
 */
struct bench_fired {
	u64	count;
	u64	late;	/* At worst, in ticks. To note it is the work of a callback. */
};

extern struct bench_fired bench_fired[BENCH_ENGINES];

/* The commands: see bench_main.c. */
int bench_ops(u32 n);
int bench_ticks(u32 n, u32 due);

#endif /* _TWHEEL_BENCH_H */
