// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: objects in memory, and the random order of operations
 *
 * Operations visit objects in random order. With a million objects, each visit is a cache
 * miss, as it would be if the timers belonged to connections. The order is computed
 * beforehand, so that no figure includes random numbers.
 */
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "bench.h"
#include "bench_clock.h"

/* Allocates an array. @size is a power of two. */
int bench_area_init(struct bench_area *area, u64 n, size_t size)
{
	struct page *page;
	unsigned int i;

	area->shift = ilog2(BENCH_CHUNK / size);
	area->chunks = (n >> area->shift) + 1;
	area->chunk = kcalloc(area->chunks, sizeof(*area->chunk), GFP_KERNEL);
	if (!area->chunk)
		return -ENOMEM;
	for (i = 0; i < area->chunks; i++) {
		page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN,
				   BENCH_CHUNK_ORDER);
		if (!page) {
			bench_area_exit(area);
			return -ENOMEM;
		}
		area->chunk[i] = page_address(page);
		cond_resched();
	}
	return 0;
}

/* The array may be all zeroes. */
void bench_area_exit(struct bench_area *area)
{
	unsigned int i;

	for (i = 0; area->chunk && i < area->chunks; i++)
		free_pages((unsigned long)area->chunk[i], BENCH_CHUNK_ORDER);
	kfree(area->chunk);
	area->chunk = NULL;
}

static struct bench_op *op_at(struct bench_set *set, u64 i)
{
	return bench_at(&set->ops, i, sizeof(struct bench_op));
}

static u32 below(struct rnd_state *rnd, u64 n)
{
	return prandom_u32_state(rnd) * n >> 32;
}

static void shuffle(struct bench_set *set)
{
	struct bench_op *op, *other;
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, BENCH_SEED);
	for (i = 0; i < set->n; i++) {
		op = op_at(set, i);
		op->object = bench_at(&set->objects, i, sizeof(struct bench_object));
		other = op_at(set, below(&rnd, i + 1ULL));
		swap(op->object, other->object);
		if (i % 65536 == 0)
			cond_resched();
	}
}

/* Allocates objects, and puts them into a random order. */
int bench_set_init(struct bench_set *set, u32 n)
{
	int ret;

	memset(set, 0, sizeof(*set));
	set->n = n;
	ret = bench_area_init(&set->objects, n, sizeof(struct bench_object));
	if (!ret)
		ret = bench_area_init(&set->ops, n, sizeof(struct bench_op));
	if (ret) {
		bench_set_exit(set);
		return ret;
	}
	shuffle(set);
	bench_set_deadlines(set, BENCH_HOUR);
	return 0;
}

/* The set may be all zeroes. */
void bench_set_exit(struct bench_set *set)
{
	bench_area_exit(&set->ops);
	bench_area_exit(&set->objects);
}

/* Chooses random deadlines, from 1 to @range ticks, and random deadlines to change to. */
void bench_set_deadlines(struct bench_set *set, u64 range)
{
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, BENCH_SEED + 1);
	for (i = 0; i < set->n; i++) {
		op_at(set, i)->deadline = 1 + below(&rnd, range);
		op_at(set, i)->other = 1 + below(&rnd, range);
		if (i % 65536 == 0)
			cond_resched();
	}
}

/*
 * Runs a pass over all objects. Returns its time in ns. Counts in @good the operations that had the
 * expected result.
 */
u64 bench_pass(struct bench_set *set, bench_pass_t pass, const struct bench_base *base,
	       u32 *good)
{
	u32 chunk = 1U << set->ops.shift, i;
	u64 start, took = 0;

	for (i = 0; i < set->n; i += chunk) {
		start = bench_clock();
		pass(op_at(set, i), min(set->n - i, chunk), base, good);
		took += bench_clock() - start;
		cond_resched();
	}
	return took;
}
