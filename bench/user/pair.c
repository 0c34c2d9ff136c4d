// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads on one descriptor.
 *
 * usage: pair COUNT REPETITIONS
 *
 * Each thread stays on a CPU of its own. It arms COUNT timers, pushes them back and cancels
 * them, in batches, in a random order. Prints the time of an operation, for a thread that
 * works alone, for two threads with a descriptor each, and for two on one descriptor.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../lib/libtwheel.h"
#include "machine.h"
#include "measure.h"

#define BATCH		256u
#define MAX_REPETITIONS	9
#define THREADS		2u

/* So far ahead that no timer expires during a run. */
#define NEAREST		(600 * NSEC)
#define RANGE		(3600 * NSEC)

enum operation { ARM, PUSH_BACK, CANCEL, OPERATIONS };
static const char *const operation_name[] = { "arm", "push back", "cancel" };

enum arrangement { ALONE, APART, TOGETHER, ARRANGEMENTS };
static const char *const arrangement_name[] = { "alone", "apart", "together" };

/**
 * struct worker - what a thread works on
 * @cpu: The CPU of the thread.
 * @device: The descriptor.
 * @handle: The handles of the timers.
 * @deadline: Their deadlines.
 * @order: The order in which they are pushed back and cancelled.
 * @took: The result: the time of an operation, in ns.
 */
struct worker {
	unsigned int	cpu;
	int		device;
	uint64_t	*handle;
	uint64_t	*deadline;
	uint32_t	*order;
	double		took[OPERATIONS];
};

static size_t count;
static struct worker workers[THREADS];
static pthread_barrier_t start;
static double took[ARRANGEMENTS][OPERATIONS][MAX_REPETITIONS];

static struct twheel_op prepare(const struct worker *worker, enum operation operation, size_t i)
{
	uint32_t at = worker->order[i];

	if (operation == ARM)
		return twheel_at(CLOCK_MONOTONIC, worker->deadline[i], i);
	if (operation == CANCEL)
		return (struct twheel_op) {
			.op = TWHEEL_OP_CANCEL,
			.handle = worker->handle[at],
		};
	return (struct twheel_op) {
		.op = TWHEEL_OP_CHANGE,
		.flags = TWHEEL_ABSTIME,
		.handle = worker->handle[at],
		.time_ns = worker->deadline[at] + NEAREST,
	};
}

static void operate(const struct worker *worker, enum operation operation)
{
	struct twheel_op ops[BATCH];
	size_t i, first, n;
	long done;

	for (first = 0; first < count; first += n) {
		n = count - first < BATCH ? count - first : BATCH;
		for (i = 0; i < n; i++)
			ops[i] = prepare(worker, operation, first + i);
		done = twheel_submit(worker->device, ops, n);
		if (done != (long)n)
			die(done < 0 ? (int)-done : 0, "twheel_submit() returned %ld", done);
		for (i = 0; i < n; i++) {
			if (ops[i].result)
				die(-ops[i].result, "%s", operation_name[operation]);
			if (operation == ARM)
				worker->handle[first + i] = ops[i].handle;
		}
	}
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	enum operation operation;
	uint64_t before;

	stay_on_cpu(worker->cpu);
	for (operation = ARM; operation < OPERATIONS; operation++) {
		pthread_barrier_wait(&start);
		before = now_ns();
		operate(worker, operation);
		worker->took[operation] = (double)(now_ns() - before) / (double)count;
	}
	return NULL;
}

static int open_device(void)
{
	int device = twheel_open(O_CLOEXEC);

	if (device < 0)
		die(-device, "/dev/twheel");
	return device;
}

static void run(enum arrangement arrangement, size_t repetition)
{
	unsigned int i, threads = arrangement == ALONE ? 1 : THREADS;
	int device[THREADS] = { open_device(), open_device() };
	pthread_t thread[THREADS];
	enum operation operation;

	pthread_barrier_init(&start, NULL, threads);
	for (i = 0; i < threads; i++) {
		workers[i].device = device[arrangement == TOGETHER ? 0 : i];
		if (pthread_create(&thread[i], NULL, work, &workers[i]))
			die(0, "no thread");
	}
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start);
	for (operation = ARM; operation < OPERATIONS; operation++)
		for (i = 0; i < threads; i++)
			took[arrangement][operation][repetition] +=
				workers[i].took[operation] / threads;
	for (i = 0; i < THREADS; i++)
		twheel_close(device[i]);
}

static void prepare_worker(struct worker *worker, unsigned int cpu)
{
	uint64_t now = now_ns();
	size_t i;

	worker->cpu = cpu;
	worker->handle = allocate(count * sizeof(*worker->handle));
	worker->deadline = allocate(count * sizeof(*worker->deadline));
	worker->order = permutation(count);
	for (i = 0; i < count; i++)
		worker->deadline[i] = now + NEAREST + random_below(RANGE);
}

static void report(size_t repetitions)
{
	enum arrangement arrangement;
	struct spread alone, spread;
	enum operation operation;

	for (operation = ARM; operation < OPERATIONS; operation++) {
		alone = spread_of(took[ALONE][operation], repetitions);
		for (arrangement = ALONE; arrangement < ARRANGEMENTS; arrangement++) {
			spread = spread_of(took[arrangement][operation], repetitions);
			printf("pair: %-9s %-8s %6.0f ns (%.0f to %.0f), %.2f of alone\n",
			       operation_name[operation], arrangement_name[arrangement],
			       spread.median, spread.min, spread.max,
			       spread.median / alone.median);
		}
	}
}

int main(int argc, char **argv)
{
	size_t repetitions = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
	enum arrangement arrangement;

	count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	if (!count || !repetitions || repetitions > MAX_REPETITIONS)
		die(0, "usage: pair COUNT REPETITIONS (1 to %d)", MAX_REPETITIONS);
	for (i = 0; i < THREADS; i++)
		prepare_worker(&workers[i], (unsigned int)i);
	for (i = 0; i < repetitions; i++) {
		for (arrangement = ALONE; arrangement < ARRANGEMENTS; arrangement++)
			run(arrangement, i);
		fprintf(stderr, "bench/user: pair, round %zu of %zu\n", i + 1, repetitions);
	}
	report(repetitions);
	return 0;
}
