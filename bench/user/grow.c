// SPDX-License-Identifier: GPL-2.0
/*
 * How the cost of twheel's operations grows with the number of timers.
 *
 * usage: grow ENGINE REPETITIONS COUNT...
 *
 * Prints lines as compare.c does. The peer is a cache miss at the same count: a walk over
 * as many linked objects of 128 bytes, in random order, measured between operations.
 * u_grow_ lines have ns. u_growth_ lines have the cost at the last count divided by the
 * cost at the first count. Pass the counts in ascending order.
 *
 * For each count, timers are armed once. Each repetition extends and cancels a sample of
 * its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "measure.h"
#include "mechanism.h"
#include "result.h"

#define MAX_REPETITIONS	9
#define MAX_COUNTS	8
#define SAMPLE		100000u
#define HOPS		1000000u

/* So far ahead that no timer expires during a run. */
#define NEAREST		(600 * NSEC)
#define RANGE		(3600 * NSEC)

/**
 * struct object - as large as the kernel's memory for a timer of a program
 * @next: The next object of the walk.
 * @rest: Padding.
 */
struct object {
	struct object	*next;
	uint64_t	rest[15];
};

enum operation { ARM, EXTEND_BATCH, EXTEND_MMAP, CANCEL, CHASE, OPERATIONS };

static const char *const names[] = { "arm_batch", "extend_batch", "extend_mmap", "cancel_batch" };

/* In ns, by count, operation and repetition. */
static double (*cost)[OPERATIONS][MAX_REPETITIONS];

static struct object *make_ring(size_t n)
{
	struct object *objects = allocate(n * sizeof(*objects));
	uint32_t *order = permutation(n);
	size_t i;

	for (i = 0; i < n; i++)
		objects[order[i]].next = &objects[order[(i + 1) % n]];
	free(order);
	return objects;
}

static double chase(struct object **at)
{
	struct object *object = *at;
	uint64_t start = now_ns();
	unsigned int i;

	for (i = 0; i < HOPS; i++)
		object = object->next;
	*at = object;
	return (double)(now_ns() - start) / HOPS;
}

static double per_timer(uint64_t start, size_t n)
{
	return (double)(now_ns() - start) / (double)n;
}

/* Arms the timers in parts, so that there is one figure per repetition here, too. */
static void arm_parts(const struct mechanism *m, const uint64_t *deadline, size_t n,
		      double *arm, size_t repetitions)
{
	size_t r, first = 0, end;
	uint64_t start;

	for (r = 0; r < repetitions; r++, first = end) {
		end = n * (r + 1) / repetitions;
		start = now_ns();
		m->arm(deadline, first, end - first);
		arm[r] = per_timer(start, end - first);
	}
}

static void grow(const struct mechanism *m, size_t n, size_t repetitions,
		 double (*results)[MAX_REPETITIONS])
{
	int shared = m == &twheel_mmap;
	size_t i, r, sampled = n / repetitions < SAMPLE ? n / repetitions : SAMPLE;
	uint64_t *deadline = allocate(n * sizeof(*deadline)), start = now_ns();
	uint64_t *later = allocate(sampled * sizeof(*later));
	struct object *at = shared ? NULL : make_ring(n);
	uint32_t *order = permutation(n), *sample;

	for (i = 0; i < n; i++)
		deadline[i] = start + NEAREST + random_below(RANGE);
	m->open(n);
	arm_parts(m, deadline, n, shared ? results[EXTEND_MMAP] : results[ARM],
		  repetitions);
	for (r = 0; r < repetitions; r++) {
		sample = order + r * sampled;
		for (i = 0; i < sampled; i++)
			later[i] = deadline[sample[i]] + NEAREST;
		if (at)
			results[CHASE][r] = chase(&at);
		start = now_ns();
		m->extend(sample, later, sampled);
		results[shared ? EXTEND_MMAP : EXTEND_BATCH][r] = per_timer(start, sampled);
		if (shared)
			continue;
		start = now_ns();
		m->cancel(sample, sampled);
		results[CANCEL][r] = per_timer(start, sampled);
	}
}

static void run(const struct mechanism *m, size_t n, size_t repetitions,
		double (*results)[MAX_REPETITIONS])
{
	uint64_t start = now_ns();
	int status;
	pid_t pid = fork();

	if (!pid) {
		grow(m, n, repetitions, results);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die(0, "%s with %zu timers failed", m->name, n);
	fprintf(stderr, "bench/user: %s with %zu timers, %.0f s\n", m->name, n,
		(double)(now_ns() - start) / NSEC);
}

static void print_count(const char *engine, size_t n, size_t repetitions,
			double (*results)[MAX_REPETITIONS])
{
	char name[64];
	int i;

	for (i = 0; i < CHASE; i++) {
		snprintf(name, sizeof(name), "u_grow_%s", names[i]);
		print_result(engine, name, n, "pointer_chase",
			     spread_of(results[i], repetitions),
			     spread_of(results[CHASE], repetitions), 2);
	}
}

static struct spread times(struct spread last, struct spread first)
{
	return (struct spread) {
		.median = last.median / first.median,
		.min = last.min / first.max,
		.max = last.max / first.min,
	};
}

static void print_growth(const char *engine, size_t n, size_t counts, size_t repetitions)
{
	struct spread growth[OPERATIONS];
	char name[64];
	int i;

	for (i = 0; i < OPERATIONS; i++)
		growth[i] = times(spread_of(cost[counts - 1][i], repetitions),
				  spread_of(cost[0][i], repetitions));
	for (i = 0; i < CHASE; i++) {
		snprintf(name, sizeof(name), "u_growth_%s", names[i]);
		print_result(engine, name, n, "pointer_chase", growth[i], growth[CHASE],
			     2);
	}
}

int main(int argc, char **argv)
{
	size_t counts, c, n = 0, repetitions;

	if (argc < 4 || argc - 3 > MAX_COUNTS)
		die(0, "usage: grow ENGINE REPETITIONS COUNT...");
	counts = (size_t)argc - 3;
	repetitions = strtoul(argv[2], NULL, 10);
	if (!repetitions || repetitions > MAX_REPETITIONS)
		die(0, "REPETITIONS is not 1 to %d", MAX_REPETITIONS);
	cost = allocate_shared(counts * sizeof(*cost));
	for (c = 0; c < counts; c++) {
		n = strtoul(argv[c + 3], NULL, 10);
		if (n < repetitions)
			die(0, "'%s' is not a count of timers", argv[c + 3]);
		run(&twheel_batch, n, repetitions, cost[c]);
		run(&twheel_mmap, n, repetitions, cost[c]);
		print_count(argv[1], n, repetitions, cost[c]);
	}
	print_growth(argv[1], n, counts, repetitions);
	return 0;
}
