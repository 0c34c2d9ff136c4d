// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: random operations on a wheel with a few timers
 *
 * usage: random [-n MILLIONS] [-s SEED]
 *
 *   -n MILLIONS  how many operations (default 1)
 *   -s SEED      for the random choices (default 1)
 *
 * The wheel has the geometry that the program was built with. It begins anew, at another
 * tick, 16 times in a million operations: some begin so near the end of time that little
 * happens. It begins with no level, gets one chain a slot for its first timer, and grows at
 * random moments. The seed of the million that failed is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "world.h"

#define ROUND		1000000U
#define LIFE		(ROUND / 16)
#define HISTORY		24U
/* The bits of the ticks that the wheel covers. */
#define REACH_BITS	(TWHEEL_LVL_BITS * TWHEEL_LVL_DEPTH + 1)

struct op {
	enum world_verb	verb;
	unsigned int	timer;	/* or the level */
	u64		tick;
	unsigned int	budget;	/* or the chains */
};

static struct world world;
static u64 random_state;
static u64 seed;
static u32 steps;
static u64 now;
static unsigned int pace;	/* the most bits of ticks that time advances by */
static u32 growth;		/* the wheel grows so seldom: once in so many operations */
static bool on_demand;		/* and gets each level that it wants */
static struct op history[HISTORY];

/* xorshift64* */
static u64 random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

static u32 below(u32 limit)
{
	return (random_u64() >> 32) * limit >> 32;
}

/* A number of 1 to @bits bits; each length is as likely as any other. */
static u64 bits(unsigned int bits)
{
	return random_u64() >> (63 - below(min(bits, 63)));
}

void world_show_history(void)
{
	u32 n;

	for (n = steps > HISTORY ? steps - HISTORY : 0; n < steps; n++) {
		const struct op *op = &history[n % HISTORY];

		printf("#   %s timer %u tick %llu budget %u\n", world_verb_names[op->verb],
		       op->timer, op->tick, op->budget);
	}
	printf("# step %u of: random -n 1 -s %llu\n", steps, seed);
}

static u64 random_deadline(void)
{
	u64 clk = world.wheel.clk;
	unsigned int n;

	switch (below(10)) {
	case 0:		/* past or now */
		return clk - min(clk, bits(63));
	case 1 ... 3:	/* level 0 */
		return world_later(clk, below(TWHEEL_LVL_SIZE + 2));
	case 4 ... 5:	/* any distance */
		return world_later(clk, bits(REACH_BITS));
	case 6:		/* about the edge of a slot */
		n = below(TWHEEL_LVL_DEPTH);
		return world_later(clk >> TWHEEL_LVL_SHIFT(n) << TWHEEL_LVL_SHIFT(n),
				   below(TWHEEL_LVL_SIZE + 4) * TWHEEL_LVL_GRAN(n) +
				   below(3)) - 1;
	case 7:		/* beyond the horizon */
		return world_later(clk, bits(REACH_BITS + 4));
	case 8:		/* the deadline of another timer */
		return world.subject[below(world.timers)].due;
	default:
		return below(100) ? world_later(clk, bits(TWHEEL_LVL_BITS + 1)) : U64_MAX;
	}
}

static void random_kind(struct subject *s)
{
	u64 slack = below(3) ? 0 : bits(REACH_BITS);

	world_kind(s, slack, below(8) ? 0 : TWHEEL_PROCESS, below(8) ? 0 : bits(5) + 1);
}

static enum world_verb random_verb(const struct subject *s)
{
	u32 n = below(16);

	if (n >= 14)
		return below(2) ? WORLD_NEXT : WORLD_FIRST;
	if (n >= 12)
		return WORLD_FORWARD;
	if (n >= 7)
		return WORLD_EXPIRE;
	if (s->deferred)
		return below(2) ? WORLD_TAKE : WORLD_EXTEND + below(2);
	if (!s->armed)
		return below(16) ? WORLD_ARM : below(2) ? WORLD_ARRIVE : WORLD_EXTEND + below(2);
	return WORLD_CHANGE + below(3);
}

/* The wheel gets its next level, or more chains on a level. Returns whether it can. */
static bool grow(struct op *op, bool deeper)
{
	u32 depth = world.wheel.depth, chains;

	if (deeper) {
		op->verb = WORLD_ADD_LEVEL;
		op->timer = depth;
		op->budget = depth ? max(TWHEEL_SLOT_CHAINS >> below(3), 1) : 1;
		return depth < TWHEEL_LVL_DEPTH;
	}
	op->verb = WORLD_WIDEN;
	op->timer = below(depth);
	chains = world.wheel.level[op->timer]->chains;
	op->budget = min(chains << (1 + below(2)), (u32)TWHEEL_SLOT_CHAINS);
	return op->budget > chains;
}

static bool grows(struct op *op)
{
	u32 depth = world.wheel.depth;

	if (!depth || (on_demand && world.wheel.wanted > depth))
		return grow(op, true);
	if (below(growth))
		return false;
	return grow(op, depth < TWHEEL_LVL_DEPTH && below(2));
}

static void advance(struct op *op)
{
	/* A wheel with few levels visits its last slot so often that time must advance less. */
	unsigned int most = min(pace, world.wheel.depth * TWHEEL_LVL_BITS + 7);

	if (below(2))
		now = world_later(now, below(2) ? 1 : bits(most));
	else if (below(4) == 0 && world.wheel.next > now && world.wheel.next - now < 1ULL << most)
		now = world.wheel.next;
	op->tick = now;
	op->budget = below(2) ? WORLD_UNLIMITED : below(20);
}

static void do_op(const struct op *op)
{
	if (op->verb <= WORLD_ARRIVE)
		random_kind(&world.subject[op->timer]);
	world_do(&world, op->verb, op->timer, op->verb == WORLD_TAKE ? now : op->tick, op->budget);
}

static void random_op(struct op *op)
{
	unsigned int timer = below(world.timers);

	op->tick = random_deadline();
	op->verb = random_verb(&world.subject[timer]);
	/* A wheel without a level can do all but take in a timer. */
	if (world.wheel.depth || op->verb == WORLD_ARM || op->verb == WORLD_ARRIVE) {
		enum world_verb verb = op->verb;

		if (grows(op))
			return;
		op->verb = verb;
	}
	op->timer = timer;
	op->budget = 0;
	if (op->verb == WORLD_ARRIVE)
		op->tick = clamp(op->tick, 1, TWHEEL_NEVER);
	if (op->verb >= WORLD_EXPIRE && op->verb <= WORLD_FORWARD)
		advance(op);
}

static void step(void)
{
	struct op *op = &history[steps % HISTORY];

	/* Time advances tick by tick for a while, then by the whole wheel. */
	if (steps % 512 == 0)
		pace = 1 + below(below(8) ? TWHEEL_LVL_BITS + 1 : REACH_BITS + 2);
	random_op(op);
	steps++;
	do_op(op);
	world_check(&world);
	if (steps % 8 == 0 || world.wheel.depth < TWHEEL_LVL_DEPTH || op->verb == WORLD_WIDEN)
		world_audit(&world);
}

static u64 random_start(void)
{
	switch (below(8)) {
	case 0:
		return below(3);
	case 1:
		return (1ULL << 32) - below(100);
	case 2:
		return (1ULL << 63) - below(1000);
	case 3:
		return TWHEEL_NEVER - 1 - bits(REACH_BITS + 3);
	default:
		return bits(50);
	}
}

/* Does a million operations. Adds what happened to @expired, @moved. */
static void run_round(u64 *expired, u64 *moved)
{
	random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	random_u64();
	for (steps = 0; steps < ROUND;) {
		now = random_start();
		world_init(&world, WORLD_TIMERS, now);
		growth = 2U << below(16);
		on_demand = below(2);
		do {
			step();
		} while (steps % LIFE);
		*expired += world.expired;
		*moved += world.wheel.cascaded + world.wheel.refiled;
	}
}

int main(int argc, char **argv)
{
	u64 expired = 0, moved = 0;
	u32 millions = 1, n;
	int option;

	seed = 1;
	while ((option = getopt(argc, argv, "n:s:")) != -1) {
		if (option == 'n')
			millions = strtoul(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (n = 0; n < millions; n++, seed++) {
		run_round(&expired, &moved);
		if ((n + 1) % 16 == 0)
			fprintf(stderr, "random: %u of %u million operations\n", n + 1, millions);
	}
	printf("# %u million operations, %llu timers expired, %llu moved\n", millions, expired,
	       moved);
	/* A run in which little happens shows nothing. */
	return !(expired > 20000ULL * millions && moved > 20000ULL * millions);
}
