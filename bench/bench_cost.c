// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: what five designs of a timer facility cost
 *
 * Timers are spread over an hour of ticks of a millisecond. All are armed, and
 * cancelled, in random order; then armed again, and time passes tick by tick for
 * five minutes, or as long as there is time for. The designs are told what time
 * it is: nothing waits here.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "bench_clock.h"
#include "bench_design.h"

/* Ticks to go through: more than 64^3, so that twheel's third level is moved too. */
#define TICKS		300000U
/* But no longer than this, */
#define TICKS_NS	(300 * NSEC_PER_MSEC)
/* which is looked at after so many ticks, or after each that takes so long. */
#define LOOK_AFTER	256
#define LONG_TICK_NS	(30 * NSEC_PER_USEC)

static u64 expected(struct bench_set *set, u64 now)
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

/* The mean cost of a tick; all timers that are due must have come out. */
static int ticks(struct bench_set *set, const struct design *design,
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
	if (due != expected(set, now)) {
		pr_err("%s: %llu timers were due by tick %llu, not %llu\n",
		       design->name, due, now, expected(set, now));
		return -EIO;
	}
	bench_result("cost_tick", set->n, design->name, rep, took, now);
	return 0;
}

/* Deadlines of the same random order for all, whatever the count. */
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
		add += bench_pass(set, design->add, 0, set->n, &base, &good);
		cancel += bench_pass(set, design->cancel, 0, set->n, &base, &good);
	}
	bench_result("cost_add", set->n, design->name, rep, add,
		     (u64)rounds * set->n);
	bench_result("cost_cancel", set->n, design->name, rep, cancel,
		     (u64)rounds * set->n);
	bench_result("cost_bytes", set->n, design->name, rep,
		     design->bytes(set->n), set->n);
	bench_pass(set, design->add, 0, set->n, &base, &good);
	ret = ticks(set, design, rep);
	design->exit();
	return ret;
}

/**
 * bench_cost - measure the designs
 * @n: How many timers.
 * @unused: Nothing.
 * @reps: How often.
 *
 * Return: 0 or an error.
 */
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
