// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: what it needs of the machine
 */
#include <sys/mman.h>
#include <time.h>
#include "bench.h"

void bench_setup(const struct peer *peer, void *timer, fired_fn fn)
{
	if (peer->setup) {
		peer->setup(timer, fn);
		return;
	}
	memset(timer, 0, peer->size);
	memcpy((char *)timer + peer->fn, &fn, sizeof(fn));
}

uint64_t bench_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void *bench_memory(size_t bytes)
{
	size_t huge = 2u << 20;
	char *p;

	bytes = (bytes + huge - 1) / huge * huge;
	p = aligned_alloc(huge, bytes);
	if (!p) {
		perror("memory");
		exit(1);
	}
	madvise(p, bytes, MADV_HUGEPAGE);
	memset(p, 0, bytes);
	return p;
}

uint64_t bench_random(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

uint32_t *bench_order(uint32_t n)
{
	uint32_t i, j, *order = bench_memory(n * sizeof(*order));

	for (i = 0; i < n; i++) {
		j = (uint32_t)(bench_random() % (i + 1));
		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *value, unsigned int n)
{
	qsort(value, n, sizeof(*value), compare);
	return value[n / 2];
}
