// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: arming, changing and cancelling timers, on one CPU
 *
 * The engines take turns, and use the same memory. In its turn, an engine carries out each
 * operation on all timers. Few timers go through the operations several times.
 */
#include <linux/kernel.h>
#include "bench.h"

/* Up to a tenth of the results may be wrong: timers with near deadlines may have expired. */
static int report(const char *who, enum bench_op_kind kind, u64 took, u32 good, u64 count)
{
	if (good < count - count / 10) {
		pr_err("%s %s: only %u of %llu operations had the expected result\n",
		       who, bench_op_names[kind], good, count);
		return -EIO;
	}
	seq_buf_printf(&bench_results, "%s,%s,%llu,%llu\n", bench_op_names[kind], who, took, count);
	return 0;
}

static int measure(struct bench_set *set, const struct bench_engine *engine)
{
	u32 good[BENCH_OPS] = { }, rounds = max(1U, BENCH_LEAST / set->n), unused = 0, i;
	u64 took[BENCH_OPS] = { };
	enum bench_op_kind kind;
	struct bench_base base;
	int ret = 0;

	bench_pass(set, engine->setup, NULL, &unused);
	bench_base_now(&base);
	for (i = 0; i < rounds; i++)
		for (kind = 0; kind < BENCH_OPS; kind++)
			took[kind] += bench_pass(set, engine->op[kind], &base, &good[kind]);
	for (kind = 0; kind < BENCH_OPS && !ret; kind++)
		ret = report(engine->name, kind, took[kind], good[kind], (u64)rounds * set->n);
	return ret;
}

int bench_ops(u32 n)
{
	struct bench_set set;
	unsigned int i;
	int ret;

	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	for (i = 0; i < BENCH_ENGINES && !ret; i++)
		ret = measure(&set, &bench_engines[i]);
	bench_set_exit(&set);
	return ret;
}
