// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: what five designs of a timer facility cost
 *
 * Deadlines are spread over an hour, in ticks of 1 ms. All timers are armed in random
 * order, and cancelled. Then they are armed again, and five minutes pass tick by tick, or
 * fewer if that takes too long. The time is simulated: the benchmark passes each tick to
 * the design.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "bench_clock.h"
#include "bench_design.h"

/* Number of ticks: more than 64^3, so that timers of twheel's level 3 move, too. */
#define TICKS		300000U
/* The limit on the time for all ticks. */
#define TICKS_NS	(300 * NSEC_PER_MSEC)
/* Ticks between two looks at the clock; every tick if ticks take so long on average. */
#define LOOK_AFTER	256
#define LONG_TICK_NS	(30 * NSEC_PER_USEC)

static u64 count_due(struct bench_set *set, u64 now)
{
	const struct bench_op *op;
	u64 due = 0;
	u32 i;

	for (i = 0; i < set->n; i++) {
		op = bench_at(&set->ops, i, sizeof(*op));
		due += op->deadline <= now;
	}
	return due;
}

/* Measures the mean cost of a tick, and checks that all due timers have expired. */
static int measure_ticks(struct bench_set *set, const struct design *design,
			 unsigned int rep)
{
	u64 start = bench_clock(), took = 0, now = 0, look = 1, due = 0;

	while (now < TICKS && took < TICKS_NS) {
		due += design->tick(++now);
		if (now < look)
			continue;
		took = bench_clock() - start;
		look += took > now * LONG_TICK_NS ? 1 : LOOK_AFTER;
	}
	took = bench_clock() - start;
	cond_resched();
	if (due != count_due(set, now)) {
		pr_err("%s: %llu timers expired by tick %llu, not %llu\n",
		       design->name, due, now, count_due(set, now));
		return -EIO;
	}
	bench_result("cost_tick", set->n, design->name, rep, took, now);
	return 0;
}

/* All designs get the same deadlines in the same random order. */
static int measure(struct bench_set *set, const struct design *design,
		   unsigned int rep)
{
	u32 rounds = max(1U, BENCH_LEAST / set->n), good = 0, i;
	const struct bench_base base = { };
	u64 add = 0, cancel = 0;
	int ret;

	ret = design->init(set->n);
	if (ret)
		return ret;
	for (i = 0; i < rounds; i++) {
		add += bench_pass(set, design->add, &base, &good);
		cancel += bench_pass(set, design->cancel, &base, &good);
	}
	bench_result("cost_add", set->n, design->name, rep, add,
		     (u64)rounds * set->n);
	bench_result("cost_cancel", set->n, design->name, rep, cancel,
		     (u64)rounds * set->n);
	bench_result("cost_bytes", set->n, design->name, rep,
		     design->bytes(set->n), set->n);
	bench_pass(set, design->add, &base, &good);
	ret = measure_ticks(set, design, rep);
	design->exit();
	return ret;
}

int bench_cost(u32 n, u32 unused, unsigned int reps)
{
	struct bench_set set;
	unsigned int rep, i;
	int ret;

	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	bench_set_deadlines(&set, DESIGN_HORIZON);
	for (rep = 0; rep < reps && !ret; rep++) {
		for (i = 0; i < DESIGNS && !ret; i++) {
			if (bench_stopped())
				ret = -EINTR;
			else if (n <= bench_designs[i].limit)
				ret = measure(&set, &bench_designs[i], rep);
		}
	}
	bench_set_exit(&set);
	return ret;
}
