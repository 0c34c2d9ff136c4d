// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: crowds of timers that are due within one second, far ahead
 *
 * Real time has to pass, so all crowds wait together: first a crowd of timer_list is due,
 * then one of twheel, and so on in turn. twheel moves the timers of a crowd before they
 * are due. A window counts as timer_list's if one of its callbacks ran, or else as
 * twheel's.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "bench.h"

/* Seconds between two crowds of an engine: more than timer_list's slot a minute ahead. */
#define APART		6

/**
 * struct crowds - the crowds
 * @n: Number of timers in a crowd.
 * @reps: Number of crowds of each engine.
 * @worst: Time of the longest window of each crowd.
 */
struct crowds {
	u32		n;
	unsigned int	reps;
	u64		*worst[2];
};

/* The engine of a crowd. */
static const struct bench_engine *engine_of(u32 crowd)
{
	return &bench_engines[crowd % 2 ? BENCH_TWHEEL : BENCH_TIMER_LIST];
}

static void arm_crowds(struct bench_set *set, struct crowds *crowds,
		       const struct bench_base *base, u64 ahead)
{
	u32 i, n = crowds->n, good = 0;
	struct bench_base due;

	for (i = 0; i < 2 * crowds->reps; i++) {
		due.tick = base->tick + (ahead + i * APART / 2) * HZ;
		bench_pass(set, engine_of(i)->setup, i * n, (i + 1) * n, &due,
			   &good);
		bench_pass(set, engine_of(i)->op[BENCH_ADD], i * n, (i + 1) * n,
			   &due, &good);
	}
}

/* Measures windows until all callbacks have run. Gives up at tick @last. */
static int run_windows(struct crowds *crowds, u64 last)
{
	struct bench_fired *fired = bench_fired;
	u64 all = (u64)crowds->n * crowds->reps, before[2], took;
	unsigned int kind, crowd, windows = 0;
	bool wait = true;

	while (fired[BENCH_TIMER_LIST].count < all || fired[BENCH_TWHEEL].count < all) {
		if (time_after64(get_jiffies_64(), last))
			return -ETIMEDOUT;
		if (bench_stopped())
			return -EINTR;
		before[BENCH_TIMER_LIST] = fired[BENCH_TIMER_LIST].count;
		before[BENCH_TWHEEL] = fired[BENCH_TWHEEL].count;
		took = bench_window(wait);
		wait = fired[BENCH_TIMER_LIST].count == before[BENCH_TIMER_LIST] &&
		       fired[BENCH_TWHEEL].count == before[BENCH_TWHEEL];
		kind = fired[BENCH_TIMER_LIST].count != before[BENCH_TIMER_LIST] ?
			BENCH_TIMER_LIST : BENCH_TWHEEL;
		crowd = before[kind] / crowds->n;
		if (crowd < crowds->reps)
			crowds->worst[kind][crowd] = max(crowds->worst[kind][crowd], took);
		if (++windows % 64 == 0)
			cond_resched();
	}
	return 0;
}

static void report(const struct crowds *crowds)
{
	unsigned int rep, kind;

	for (kind = 0; kind < 2; kind++) {
		for (rep = 0; rep < crowds->reps; rep++)
			bench_result("worst_run_burst", crowds->n,
				     bench_engines[kind].name, rep,
				     crowds->worst[kind][rep], 1);
		bench_result("burst_late_ticks", crowds->n,
			     bench_engines[kind].name, 0,
			     bench_fired[kind].late, 1);
	}
}

static int run(struct bench_set *set, struct crowds *crowds, u64 ahead)
{
	u64 range = (ahead + APART * crowds->reps) * HZ;
	u32 i, n = crowds->n, good = 0;
	struct bench_base base;
	int ret;

	memset(bench_fired, 0, sizeof(bench_fired));
	bench_base_now(&base);
	arm_crowds(set, crowds, &base, ahead);
	ret = run_windows(crowds, base.tick + 2 * range + 60 * HZ);
	for (i = 0; ret && i < 2 * crowds->reps; i++)
		bench_pass(set, engine_of(i)->op[BENCH_CANCEL], i * n,
			   (i + 1) * n, &base, &good);
	return ret;
}

/**
 * bench_burst - measure the longest run of softirqs that a crowd causes
 * @n: Number of timers in a crowd.
 * @seconds: How far ahead the first crowd is due.
 * @reps: Number of crowds of each engine.
 *
 * Return: 0 or a negative errno.
 */
int bench_burst(u32 n, u32 seconds, unsigned int reps)
{
	struct crowds crowds = { .n = n, .reps = reps };
	struct bench_set set;
	int ret;

	if ((u64)n * reps * 2 > U32_MAX)
		return -EINVAL;
	crowds.worst[0] = kcalloc(2 * reps, sizeof(u64), GFP_KERNEL);
	if (!crowds.worst[0])
		return -ENOMEM;
	crowds.worst[1] = crowds.worst[0] + reps;
	ret = bench_set_init(&set, n * reps * 2);
	if (!ret) {
		bench_set_deadlines(&set, HZ);
		ret = run(&set, &crowds, seconds);
		if (!ret)
			report(&crowds);
		bench_set_exit(&set);
	}
	kfree(crowds.worst[0]);
	return ret;
}
