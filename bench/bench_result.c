// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: the results of a command, and whether it has to stop
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include "bench.h"

#define RESULTS_SIZE	(64 * 1024)

static struct seq_buf results;
static bool stopped;

int bench_result_init(void)
{
	char *buffer = kvmalloc(RESULTS_SIZE, GFP_KERNEL);

	if (!buffer)
		return -ENOMEM;
	seq_buf_init(&results, buffer, RESULTS_SIZE);
	return 0;
}

void bench_result_exit(void)
{
	kvfree(results.buffer);
}

/* Drops the results of the last command. */
void bench_result_begin(void)
{
	seq_buf_clear(&results);
	WRITE_ONCE(stopped, false);
}

/* Stores a sample. @total is a sum, usually of ns; @count is what to divide it by. */
void bench_result(const char *metric, u32 n, const char *who, unsigned int rep,
		  u64 total, u64 count)
{
	u64 value = div64_u64(total * 1000, max(count, 1ULL));
	u32 rest;

	value = div_u64_rem(value, 1000, &rest);
	seq_buf_printf(&results, "%s,%u,%s,%u,%llu.%03u\n", metric, n, who, rep,
		       value, rest);
}

/* Whether the buffer was too small for all results. */
bool bench_result_overflowed(void)
{
	return seq_buf_has_overflowed(&results);
}

void bench_result_show(struct seq_file *m)
{
	seq_write(m, results.buffer, seq_buf_used(&results));
}

/* Asks the command to stop early. */
void bench_stop(void)
{
	WRITE_ONCE(stopped, true);
}

/* Whether the writer of the command was interrupted. */
bool bench_stopped(void)
{
	return READ_ONCE(stopped);
}
