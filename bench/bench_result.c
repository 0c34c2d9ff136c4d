// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: the results of a command
 */
#include <linux/math64.h>
#include "bench.h"

struct seq_buf bench_results;

/* Stores a sample. @total is a sum; @count is what to divide it by. */
void bench_result(const char *metric, u32 n, const char *who, unsigned int rep,
		  u64 total, u64 count)
{
	u64 value = div64_u64(total * 1000, max(count, 1ULL));
	u32 rest;

	value = div_u64_rem(value, 1000, &rest);
	seq_buf_printf(&bench_results, "%s,%u,%s,%u,%llu.%03u\n", metric, n, who, rep,
		       value, rest);
}
