// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: what the device does for a batch of a program's operations
 *
 * usage: batch [--count N] [--reps N]
 *
 * Prints lines of: count,batches,operation,case,median,least,most. Cases: "one_thread" works;
 * two threads work on two cores, with a "set_each", or both on "one_set". A set is what an open
 * file has. Times are CPU time of a thread in ns for one operation, and have the time that a
 * thread waits for a lock. The copies from and to the program's memory are counted, the
 * system call is not.
 */
#include "kernel.h"
#include "kernel_device.h"
#include "bench.h"
#include "device/block.h"
#include "device/create.h"
#include "device/ops.h"
#include "device/share.h"
#include "device/user_timer.h"
#include <pthread.h>
#include <stdio.h>

#define START		1000003ULL
#define HOUR		3600000U
#define MAX_REPS	15
#define SIDES		2U

enum { ARM, PUSH_BACK, CANCEL, OPERATIONS };
static const char *const operation_name[] = { "arm", "push_back", "cancel" };
static const u32 operation_code[] = { TWHEEL_OP_ADD, TWHEEL_OP_CHANGE, TWHEEL_OP_CANCEL };
enum { ONE_THREAD, SET_EACH, ONE_SET, CASES };
static const char *const case_name[] = { "one_thread", "set_each", "one_set" };

static DEFINE_PER_CPU(struct user_share, share);
static pthread_barrier_t start;

/**
 * struct side - what a thread works on
 * @cpu: Its CPU.
 * @set: Its set.
 * @n: How many timers.
 * @op: The operations, in the program's memory.
 * @handle: The timers' handles.
 * @order: A random order of the timers.
 * @took: The result.
 */
struct side {
	unsigned int		cpu;
	struct timer_set	*set;
	u32			n;
	struct twheel_op	*op;
	u64			*handle;
	u32			*order;
	double			took[OPERATIONS];
};

/* Limits and shares, for a user who is far from them. */
unsigned int twheel_quota_charge(struct timer_set *set, unsigned int timers)
{
	return timers;
}

bool twheel_quota_charge_block(struct timer_set *set)
{
	return true;
}

enum twheel_lane twheel_share_lane(struct timer_set *set)
{
	return TWHEEL_LANE_PROGRAMS;
}

void twheel_quota_uncharge(struct user_quota *quota, unsigned int timers) { }
void twheel_quota_retire_block(struct user_quota *quota) { }
void twheel_quota_uncharge_block(struct user_quota *quota) { }
bool twheel_share_limited(const struct timer_set *set) { return false; }

void *native_zalloc_page(void)
{
	void *page = aligned_alloc(TIMER_BLOCK_SIZE, TIMER_BLOCK_SIZE);

	if (!page)
		abort();
	return memset(page, 0, TIMER_BLOCK_SIZE);
}

static struct timer_set *new_set(void)
{
	struct timer_set *set = calloc(1, sizeof(*set));

	if (!set)
		abort();
	INIT_LIST_HEAD(&set->unseen);
	INIT_LIST_HEAD(&set->ready);
	set->limit = TWHEEL_INDEX_MASK;
	set->share = &share;
	return set;
}

static void prepare(struct side *side, unsigned int cpu, u32 n)
{
	u32 i, j;

	side->cpu = cpu;
	side->n = n;
	side->op = bench_memory(n * sizeof(*side->op));
	side->handle = bench_memory(n * sizeof(*side->handle));
	side->order = bench_memory(n * sizeof(*side->order));
	for (i = 0; i < n; i++) {
		j = (u32)random() % (i + 1);
		side->order[i] = side->order[j];
		side->order[j] = i;
	}
}

/* Writes all operations, as a program does beforehand. */
static void write_ops(struct side *side, int operation)
{
	struct twheel_op *op;
	u32 i;

	for (i = 0; i < side->n; i++) {
		op = &side->op[i];
		*op = (struct twheel_op) { .op = operation_code[operation] };
		if (operation == ARM) {
			op->clockid = CLOCK_MONOTONIC;
			op->time_ns = (1000ULL + (u32)random() % HOUR) * TICK_NSEC;
			continue;
		}
		op->handle = side->handle[side->order[i]];
		if (operation == PUSH_BACK)
			op->time_ns = 2ULL * HOUR * TICK_NSEC;
	}
}

static void keep_handles(struct side *side)
{
	u32 i;

	for (i = 0; i < side->n; i++) {
		if (side->op[i].result)
			abort();
		side->handle[i] = side->op[i].handle;
	}
}

/* Carries out a chunk as ioctl() does. Every operation must succeed. */
static void run_chunk(struct timer_set *set, struct twheel_op *program, unsigned int n)
{
	struct user_timer *timer[TWHEEL_CHUNK];
	struct twheel_op op[TWHEEL_CHUNK];
	bool changed = false;

	memcpy(op, program, n * sizeof(*op));
	if (op[0].op == TWHEEL_OP_ADD) {
		twheel_ops_add(set, timer, op, n);
		memcpy(program, op, n * sizeof(*op));
		twheel_create_finish(set, timer, op, n, false);
	} else {
		twheel_ops_run_short(set, op, timer, n, &changed);
		if (changed)
			abort();
	}
}

static void *work(void *argument)
{
	struct side *side = argument;
	cpu_set_t allowed;
	int operation;
	u64 before;
	u32 i;

	native_become_cpu(side->cpu);
	CPU_ZERO(&allowed);
	CPU_SET(side->cpu, &allowed);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	for (operation = 0; operation < OPERATIONS; operation++) {
		write_ops(side, operation);
		pthread_barrier_wait(&start);
		before = bench_cpu_time();
		for (i = 0; i < side->n; i += TWHEEL_CHUNK)
			run_chunk(side->set, &side->op[i], min(side->n - i, TWHEEL_CHUNK));
		side->took[operation] = (double)(bench_cpu_time() - before) / side->n;
		if (operation == ARM)
			keep_handles(side);
		pthread_barrier_wait(&start);
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
	struct timer_set *set[SIDES];
	struct side side[SIDES];
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--count"))
			n = (unsigned int)strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--reps"))
			reps = (unsigned int)strtoul(argv[i + 1], NULL, 10);
	}
	if (i != argc || n < 2 || !reps || reps > MAX_REPS) {
		fprintf(stderr, "usage: batch [--count N] [--reps N]\n");
		return 2;
	}
	peer_engine.open(START);
	if (twheel_block_init(twheel_user_timer_expired))
		return 1;
	for (i = 0; i < (int)SIDES; i++) {
		prepare(&side[i], (unsigned int)i, n / 2);
		set[i] = new_set();
	}
	for (rep = 0; rep < reps; rep++)
		for (c = 0; c < CASES; c++) {
			side[0].set = set[0];
			side[1].set = set[c == SET_EACH];
			run(side, c == ONE_THREAD ? 1 : SIDES, took);
			for (operation = 0; operation < OPERATIONS; operation++)
				value[c][operation][rep] = took[operation];
		}
	for (operation = 0; operation < OPERATIONS; operation++)
		for (c = 0; c < CASES; c++) {
			v = value[c][operation];
			qsort(v, reps, sizeof(*v), compare);
			printf("%u,batches,%s,%s,%.1f,%.1f,%.1f\n", n, operation_name[operation],
			       case_name[c], v[reps / 2], v[0], v[reps - 1]);
		}
	return 0;
}
