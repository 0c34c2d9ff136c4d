// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: objects in memory, and the random order of operations
 *
 * Operations visit objects in random order. The order is computed beforehand, so that no
 * figure includes random numbers.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include "bench.h"

static u32 below(struct rnd_state *rnd, u64 n)
{
	return prandom_u32_state(rnd) * n >> 32;
}

static void shuffle(struct bench_set *set)
{
	struct rnd_state rnd;
	u32 i, other;

	prandom_seed_state(&rnd, BENCH_SEED);
	for (i = 0; i < set->n; i++) {
		set->ops[i].object = &set->objects[i];
		other = below(&rnd, i + 1ULL);
		swap(set->ops[i].object, set->ops[other].object);
	}
}

/* Allocates objects, and puts them into a random order. */
int bench_set_init(struct bench_set *set, u32 n)
{
	set->n = n;
	set->objects = kvcalloc(n, sizeof(*set->objects), GFP_KERNEL);
	set->ops = kvcalloc(n, sizeof(*set->ops), GFP_KERNEL);
	if (!set->objects || !set->ops) {
		bench_set_exit(set);
		return -ENOMEM;
	}
	shuffle(set);
	bench_set_deadlines(set, BENCH_HOUR);
	return 0;
}

void bench_set_exit(struct bench_set *set)
{
	kvfree(set->ops);
	kvfree(set->objects);
}

/* Chooses random deadlines, from 1 to @range ticks, and random deadlines to change to. */
void bench_set_deadlines(struct bench_set *set, u64 range)
{
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, BENCH_SEED + 1);
	for (i = 0; i < set->n; i++) {
		set->ops[i].deadline = 1 + below(&rnd, range);
		set->ops[i].other = 1 + below(&rnd, range);
	}
}

/*
 * Runs a pass over all objects. Returns its time in ns. Counts in @good the operations that had the
 * expected result.
 */
u64 bench_pass(struct bench_set *set, bench_pass_t pass, const struct bench_base *base,
	       u32 *good)
{
	u64 start = ktime_get_ns(), took;

	pass(set->ops, set->n, base, good);
	took = ktime_get_ns() - start;
	cond_resched();
	return took;
}
