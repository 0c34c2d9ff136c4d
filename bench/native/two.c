// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: two threads on two cores, each a CPU of the engine
 *
 * usage: two COUNT REPS
 *
 * Cases: one thread works "alone"; two threads work, each on the "own_base" of its CPU; two
 * threads work, both on the "same_base" of CPU 0. See pair.c.
 */
#include "bench.h"
#include "pair.h"
#include "twheel.h"

#define HOUR		3600000U

enum { ADD, REARM, CANCEL };
enum { ALONE, OWN_BASE, SAME_BASE };

/* What a thread works on */
struct side {
	int		base;		/* the CPU whose base has its timers */
	u32		n;		/* how many timers */
	char		*objects;
	u32		*order;		/* a random order of the timers */
	u32		*distance;	/* a deadline for each timer, from now, in that order */
};

static struct side sides[PAIR_SIDES];

static void fired(struct twheel_timer *timer)
{
}

static struct twheel_timer *timer_at(const struct side *side, u32 i)
{
	return (struct twheel_timer *)(side->objects + (size_t)side->order[i] * OBJECT_SIZE);
}

static void prepare(unsigned int cpu, u32 n)
{
	struct side *side = &sides[cpu];
	u32 i;

	side->n = n;
	side->objects = bench_memory((size_t)n * OBJECT_SIZE);
	side->order = bench_order(n);
	side->distance = bench_memory(n * sizeof(u32));
	for (i = 0; i < n; i++)
		side->distance[i] = 2 + (u32)random() % HOUR;
}

/* A timer begins in the base of the CPU that sets it up. Leaves the thread on that CPU. */
static void setup(const struct side *side)
{
	u32 i;

	native_become_cpu((unsigned int)side->base);
	for (i = 0; i < side->n; i++)
		twheel_setup(timer_at(side, i), fired, 0);
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

static void arrange(unsigned int number)
{
	sides[0].base = 0;
	sides[1].base = number == OWN_BASE;
}

static void work(unsigned int cpu, double *took)
{
	const struct side *side = &sides[cpu];
	int operation;
	u64 before;

	setup(side);
	native_become_cpu(cpu);
	for (operation = ADD; operation <= CANCEL; operation++) {
		pthread_barrier_wait(&pair_start);
		before = bench_cpu_time();
		operate(side, operation);
		took[operation] = (double)(bench_cpu_time() - before) / side->n;
	}
}

int main(int argc, char **argv)
{
	static const struct pair pair = {
		.column		= "two_cpus",
		.operation	= { [ADD] = "add", [REARM] = "rearm", [CANCEL] = "cancel" },
		.name		= { [ALONE] = "alone", [OWN_BASE] = "own_base",
				    [SAME_BASE] = "same_base" },
		.prepare	= prepare,
		.arrange	= arrange,
		.work		= work,
	};

	return pair_main(argc, argv, &pair);
}
