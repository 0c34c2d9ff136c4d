// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: one thread, and two threads on two cores, each a CPU of the engine
 *
 * usage: PROGRAM COUNT REPS
 *
 * Prints lines of: count,what,operation,case,median. Times are CPU time of a thread in ns
 * for one of its operations, and have the time that a thread waits for a lock.
 */
#include "bench.h"
#include "pair.h"

#define START		1000003ULL
#define MAX_REPS	15

pthread_barrier_t pair_start;
static const struct pair *pair;
static double took[PAIR_SIDES][PAIR_OPERATIONS];

static void *run_side(void *argument)
{
	unsigned int side = (unsigned int)(long)argument;
	cpu_set_t allowed;

	native_become_cpu(side);
	CPU_ZERO(&allowed);
	CPU_SET(side, &allowed);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	pair->work(side, took[side]);
	return NULL;
}

/* Lets @threads sides work at once. @mean: the mean of their times. */
static void run(unsigned int threads, double *mean)
{
	pthread_t thread[PAIR_SIDES];
	unsigned int i, operation;

	pthread_barrier_init(&pair_start, NULL, threads);
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, run_side, (void *)(long)i);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&pair_start);
	for (operation = 0; operation < PAIR_OPERATIONS; operation++)
		for (mean[operation] = i = 0; i < threads; i++)
			mean[operation] += took[i][operation] / threads;
}

int pair_main(int argc, char **argv, const struct pair *what)
{
	double mean[PAIR_OPERATIONS], value[PAIR_CASES][PAIR_OPERATIONS][MAX_REPS];
	unsigned long n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long reps = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned int rep, c, operation, i;

	if (n < PAIR_SIDES || !reps || reps > MAX_REPS) {
		fprintf(stderr, "usage: %s COUNT REPS\n", argv[0]);
		return 2;
	}
	pair = what;
	peer_engine.open(START);
	for (i = 0; i < PAIR_SIDES; i++)
		pair->prepare(i, (unsigned int)n / PAIR_SIDES);
	for (rep = 0; rep < reps; rep++)
		for (c = 0; c < PAIR_CASES; c++) {
			pair->arrange(c);
			run(c ? PAIR_SIDES : 1, mean);
			for (operation = 0; operation < PAIR_OPERATIONS; operation++)
				value[c][operation][rep] = mean[operation];
		}
	for (operation = 0; operation < PAIR_OPERATIONS; operation++)
		for (c = 0; c < PAIR_CASES; c++)
			printf("%lu,%s,%s,%s,%.1f\n", n, pair->column, pair->operation[operation],
			       pair->name[c], bench_median(value[c][operation], reps));
	return 0;
}
