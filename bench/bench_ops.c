// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: arming, changing and cancelling timers, on one CPU
 *
 * The engines take turns. In its turn, an engine carries out each operation on up to a
 * million timers: the sample. Few timers go through the operations several times.
 *
 * Without further timers, all engines use the same memory. With further timers, each
 * engine has memory of its own, where timers outside the sample stay pending throughout.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include "bench.h"
#include "bench_clock.h"

/**
 * struct turn - the measurements of one engine's turn
 * @took: Time of each operation, in nanoseconds.
 * @good: How many operations had the expected result.
 * @rounds: How many times the sample went through the operations.
 */
struct turn {
	u64	took[BENCH_OPS];
	u32	good[BENCH_OPS];
	u32	rounds;
};

static bool has_rest(const struct bench_set *set)
{
	return set->n > BENCH_SAMPLE;
}

static void prepare(struct bench_set *set, const struct bench_engine *engine)
{
	struct bench_base base;
	u32 unused = 0;

	bench_pass(set, engine->setup, 0, set->n, NULL, &unused);
	bench_base_now(&base);
	bench_pass(set, engine->op[BENCH_ADD], min(set->n, BENCH_SAMPLE), set->n,
		   &base, &unused);
}

static void finish(struct bench_set *set, const struct bench_engine *engine)
{
	u32 unused = 0;

	bench_pass(set, engine->op[BENCH_CANCEL], 0, set->n, NULL, &unused);
}

static void take_turn(struct bench_set *set, const struct bench_engine *engine,
		      struct turn *turn)
{
	u32 sample = min(set->n, BENCH_SAMPLE), i;
	enum bench_op_kind kind;
	struct bench_base base;

	memset(turn, 0, sizeof(*turn));
	turn->rounds = max(1U, BENCH_LEAST / sample);
	bench_base_now(&base);
	for (i = 0; i < turn->rounds; i++)
		for (kind = 0; kind < BENCH_OPS; kind++)
			turn->took[kind] += bench_pass(set, engine->op[kind], 0,
						       sample, &base,
						       &turn->good[kind]);
}

/* Up to a tenth of the results may be wrong: timers with near deadlines may have expired. */
static int report(struct bench_set *set, const struct bench_engine *engine,
		  unsigned int rep, const struct turn *turn)
{
	u64 count = (u64)min(set->n, BENCH_SAMPLE) * turn->rounds;
	enum bench_op_kind kind;

	for (kind = 0; kind < BENCH_OPS; kind++) {
		if (turn->good[kind] < count - count / 10) {
			pr_err("%s %s: only %u of %llu operations had the expected result\n",
			       engine->name, bench_op_names[kind],
			       turn->good[kind], count);
			return -EIO;
		}
		bench_result(bench_op_names[kind], set->n, engine->name, rep,
			     turn->took[kind], count);
	}
	return 0;
}

/* Floors: any operation costs a cache miss, and a lock disables interrupts. */
static void measure_floors(struct bench_set *set, unsigned int rep)
{
	u32 steps = max(min(set->n, BENCH_SAMPLE), BENCH_LEAST), i;
	unsigned long flags;
	u64 start;

	bench_result("chase", set->n, "cache_miss", rep,
		     bench_set_chase(set, steps), steps);

	start = bench_clock();
	for (i = 0; i < BENCH_LEAST; i++) {
		local_irq_save(flags);
		barrier();
		local_irq_restore(flags);
	}
	bench_result("irq", set->n, "interrupts", rep, bench_clock() - start,
		     BENCH_LEAST);
}

static int measure(struct bench_set *sets, unsigned int reps)
{
	const struct bench_engine *engine;
	struct bench_set *set = sets;
	unsigned int rep, i;
	struct turn turn;
	int ret = 0;

	for (i = 0; has_rest(sets) && i < BENCH_ENGINES; i++)
		prepare(&sets[i], &bench_engines[i]);
	for (rep = 0; rep < reps && !ret; rep++) {
		for (i = 0; i < BENCH_ENGINES && !ret; i++) {
			engine = &bench_engines[i];
			if (has_rest(sets))
				set = &sets[i];
			else
				prepare(set, engine);
			take_turn(set, engine, &turn);
			ret = report(set, engine, rep, &turn);
			if (bench_stopped())
				ret = -EINTR;
		}
		if (!has_rest(sets))
			measure_floors(set, rep);
	}
	for (i = 0; has_rest(sets) && i < BENCH_ENGINES; i++)
		finish(&sets[i], &bench_engines[i]);
	for (rep = 0; has_rest(sets) && rep < reps; rep++)
		measure_floors(set, rep);
	return ret;
}

/**
 * bench_ops - measure add, rearm, rearm_later and cancel
 * @n: Number of pending timers.
 * @unused: Unused.
 * @reps: Number of repetitions.
 *
 * Return: 0 or a negative errno.
 */
int bench_ops(u32 n, u32 unused, unsigned int reps)
{
	struct bench_set sets[BENCH_ENGINES] = { };
	unsigned int i;
	int ret;

	ret = bench_set_init(&sets[0], n);
	for (i = 1; !ret && has_rest(&sets[0]) && i < BENCH_ENGINES; i++)
		ret = bench_set_init(&sets[i], n);
	if (!ret)
		ret = measure(sets, reps);
	for (i = 0; i < BENCH_ENGINES; i++)
		bench_set_exit(&sets[i]);
	return ret;
}
