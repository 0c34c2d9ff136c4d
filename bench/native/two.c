// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: two threads on two cores, each a CPU of the engine
 *
 * usage: two [--count N] [--reps N]
 *
 * Prints lines of: count,two_cpus,operation,case,median,least,most. Cases: one thread works
 * "alone"; two threads work, each on the "own_base" of its CPU; two threads work, both on
 * the "same_base" of CPU 0. Times are CPU time of a thread in ns for one of its
 * operations, and have the time that a thread waits for a lock.
 */
#include "kernel.h"
#include "bench.h"
#include "twheel.h"
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define HOUR		3600000U
#define START		1000003ULL
#define MAX_REPS	15
#define SIDES		2U

enum { ADD, REARM, CANCEL, OPERATIONS };
enum { ALONE, OWN_BASE, SAME_BASE, CASES };
static const char *const operation_name[] = { "add", "rearm", "cancel" };
static const char *const case_name[] = { "alone", "own_base", "same_base" };

/**
 * struct side - what a thread works on
 * @cpu: Its CPU.
 * @base: The CPU whose base has its timers.
 * @n: How many timers.
 * @objects: The timers.
 * @order: A random order of the timers.
 * @distance: A deadline for each timer, from now, in that order.
 * @took: The result.
 */
struct side {
	unsigned int	cpu;
	int		base;
	u32		n;
	char		*objects;
	u32		*order;
	u32		*distance;
	double		took[OPERATIONS];
};

static pthread_barrier_t start;

static void fired(struct twheel_timer *timer)
{
}

static struct twheel_timer *timer_at(const struct side *side, u32 i)
{
	return (struct twheel_timer *)(side->objects + (size_t)side->order[i] * OBJECT_SIZE);
}

static void prepare(struct side *side, unsigned int cpu, u32 n)
{
	u32 i, j;

	side->cpu = cpu;
	side->n = n;
	side->objects = bench_memory((size_t)n * OBJECT_SIZE);
	side->order = bench_memory(n * sizeof(u32));
	side->distance = bench_memory(n * sizeof(u32));
	for (i = 0; i < n; i++) {
		j = (u32)random() % (i + 1);
		side->order[i] = side->order[j];
		side->order[j] = i;
		side->distance[i] = 2 + (u32)random() % HOUR;
	}
}

/* A timer begins in the base of the CPU that sets it up. */
static void setup(const struct side *side)
{
	u32 i;

	native_become_cpu((unsigned int)side->base);
	for (i = 0; i < side->n; i++)
		twheel_setup(timer_at(side, i), fired, 0);
	native_become_cpu(side->cpu);
}

static void operate(const struct side *side, int operation)
{
	u64 now = get_jiffies_64();
	u32 i;

	for (i = 0; i < side->n; i++) {
		if (operation == ADD)
			twheel_add_on(timer_at(side, i), now + HOUR + side->distance[i],
				      side->base);
		else if (operation == REARM)
			twheel_mod(timer_at(side, i), now + side->distance[i]);
		else
			twheel_cancel(timer_at(side, i));
	}
}

static void *work(void *argument)
{
	struct side *side = argument;
	cpu_set_t set;
	int operation;
	u64 before;

	CPU_ZERO(&set);
	CPU_SET(side->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	setup(side);
	for (operation = 0; operation < OPERATIONS; operation++) {
		pthread_barrier_wait(&start);
		before = bench_cpu_time();
		operate(side, operation);
		side->took[operation] = (double)(bench_cpu_time() - before) / side->n;
	}
	return NULL;
}

/* Lets @threads sides work at once. @took: the mean of their times. */
static void run(struct side *side, unsigned int threads, double *took)
{
	pthread_t thread[SIDES];
	unsigned int i, operation;

	pthread_barrier_init(&start, NULL, threads);
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, &side[i]);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start);
	for (operation = 0; operation < OPERATIONS; operation++)
		for (took[operation] = i = 0; i < threads; i++)
			took[operation] += side[i].took[operation] / threads;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double took[OPERATIONS], value[CASES][OPERATIONS][MAX_REPS], *v;
	unsigned int reps = 5, rep, c, operation, n = 100000;
	struct side side[SIDES];
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--count"))
			n = (unsigned int)strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--reps"))
			reps = (unsigned int)strtoul(argv[i + 1], NULL, 10);
	}
	if (i != argc || n < 2 || !reps || reps > MAX_REPS) {
		fprintf(stderr, "usage: two [--count N] [--reps N]\n");
		return 2;
	}
	peer_engine.open(START);
	for (i = 0; i < (int)SIDES; i++)
		prepare(&side[i], (unsigned int)i, n / 2);
	for (rep = 0; rep < reps; rep++)
		for (c = 0; c < CASES; c++) {
			side[0].base = 0;
			side[1].base = c == OWN_BASE;
			run(side, c == ALONE ? 1 : SIDES, took);
			for (operation = 0; operation < OPERATIONS; operation++)
				value[c][operation][rep] = took[operation];
		}
	for (operation = 0; operation < OPERATIONS; operation++)
		for (c = 0; c < CASES; c++) {
			v = value[c][operation];
			qsort(v, reps, sizeof(*v), compare);
			printf("%u,two_cpus,%s,%s,%.1f,%.1f,%.1f\n", n,
			       operation_name[operation], case_name[c], v[reps / 2], v[0],
			       v[reps - 1]);
		}
	return 0;
}
