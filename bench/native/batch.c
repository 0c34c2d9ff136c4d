// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: what the device does for a batch of a program's operations
 *
 * usage: batch COUNT REPS
 *
 * Cases: "one_thread" works; two threads work on two cores, with a "set_each", or both on
 * "one_set". A set is what an open file has. The copies from and to the program's memory are
 * counted, the system call is not. See pair.c.
 */
#include "bench.h"
#include "device/block.h"
#include "device/calls.h"
#include "device/quota.h"
#include "device/turn.h"
#include "device/user_timer.h"
#include "pair.h"

#define HOUR		3600000U

enum { ARM, PUSH_BACK, CANCEL };
static const u32 operation_code[] = { TWHEEL_OP_ADD, TWHEEL_OP_CHANGE, TWHEEL_OP_CANCEL };
enum { ONE_THREAD, SET_EACH, ONE_SET };

/* What a thread works on */
struct side {
	struct timer_set	*own;		/* the set that was made for it */
	struct timer_set	*set;		/* the set that it works on */
	u32			n;		/* how many timers */
	struct twheel_op	*op;		/* in the program's memory */
	u64			*handle;	/* of the timers */
	u32			*order;		/* a random order of the timers */
};

static struct side sides[PAIR_SIDES];

/* A batch asks these functions about limits. The benchmark's user is far from all limits. */
unsigned int twheel_quota_charge_timers(struct timer_set *set, unsigned int timers)
{
	return timers;
}

bool twheel_quota_charge(struct timer_set *set, enum quota_what what, unsigned int n)
{
	return true;
}

void twheel_quota_uncharge(struct user_quota *quota, enum quota_what what, unsigned int n) { }

/* Nothing is due during the benchmark, so no visit comes. */
void twheel_user_cpu_add(struct timer_set *set, u64 tick)
{
	set->visit.expires = tick;
}

void *native_zalloc_object(struct kmem_cache *cache)
{
	size_t size = (cache->size + cache->align - 1) / cache->align * cache->align;
	void *object = aligned_alloc(cache->align, size);

	if (!object)
		abort();
	return memset(object, 0, size);
}

static struct timer_set *new_set(void)
{
	struct timer_set *set = calloc(1, sizeof(*set));

	if (!set)
		abort();
	INIT_LIST_HEAD(&set->ready);
	INIT_LIST_HEAD(&set->ended_leases);
	set->limit = TWHEEL_INDEX_MASK;
	set->visit.expires = TWHEEL_NEVER;
	twheel_wheel_init(&set->wheel, get_jiffies_64());
	return set;
}

static void prepare(unsigned int cpu, u32 n)
{
	struct side *side = &sides[cpu];

	side->own = new_set();
	side->n = n;
	side->op = bench_memory(n * sizeof(*side->op));
	side->handle = bench_memory(n * sizeof(*side->handle));
	side->order = bench_order(n);
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
	struct twheel_op op[TWHEEL_CHUNK];

	memcpy(op, program, n * sizeof(*op));
	if (op[0].op == TWHEEL_OP_ADD)
		n -= twheel_ops_add(set, op, program, n, true);
	else
		n -= twheel_ops_run_short(set, op, n) ? 0 : n;
	if (n)
		abort();
}

static void arrange(unsigned int number)
{
	sides[0].set = sides[0].own;
	sides[1].set = sides[number == SET_EACH].own;
}

static void work(unsigned int cpu, double *took)
{
	struct side *side = &sides[cpu];
	int operation;
	u64 before;
	u32 i;

	for (operation = ARM; operation <= CANCEL; operation++) {
		write_ops(side, operation);
		pthread_barrier_wait(&pair_start);
		before = bench_cpu_time();
		for (i = 0; i < side->n; i += TWHEEL_CHUNK)
			run_chunk(side->set, &side->op[i], min(side->n - i, TWHEEL_CHUNK));
		took[operation] = (double)(bench_cpu_time() - before) / side->n;
		if (operation == ARM)
			keep_handles(side);
		pthread_barrier_wait(&pair_start);
	}
}

int main(int argc, char **argv)
{
	static const struct pair pair = {
		.column		= "batches",
		.operation	= { [ARM] = "arm", [PUSH_BACK] = "push_back", [CANCEL] = "cancel" },
		.name		= { [ONE_THREAD] = "one_thread", [SET_EACH] = "set_each",
				    [ONE_SET] = "one_set" },
		.prepare	= prepare,
		.arrange	= arrange,
		.work		= work,
	};

	if (twheel_block_init() || twheel_levels_init())
		return 1;
	return pair_main(argc, argv, &pair);
}
