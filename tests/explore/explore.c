// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: every state that a small wheel can reach with a few timers
 *
 * usage: explore [-t TIMERS] [-k KINDS] [-d TICKS] [-o ODDITIES] [-l LEVELS] [-s START]
 *
 *   -t TIMERS    how many timers (default 3)
 *   -k KINDS     the kinds of timers, as digits: 0 exact, 1 and 2 with a window for that
 *                level, 3 process, 4 periodic (default 0)
 *   -d TICKS     deadlines and jumps are up to so far from the hand (default 17)
 *   -o ODDITIES  states with more oddities (state.c) are checked, but the search does not go
 *                on from them (default 1)
 *   -l LEVELS    the wheel begins with so many levels (default: all), and may get more
 *   -s START     the hand begins here, and states are told apart by the whole hand; a
 *                negative START counts from the last tick
 *
 * The search is breadth-first, and does every operation in every state. A state in which
 * the wheel and its model differ, or a rule is broken, ends it: the program prints the
 * operations that lead there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "state.h"

/* What is done in a state, with a timer and a number of ticks from the hand. */
struct op {
	u8	verb;
	u8	timer;
	u8	kind;		/* of the timer; or the budget, 0: without a limit */
	u8	ticks;
};

#define FAR	254		/* in place of ticks: far beyond the top level */
#define NEVER	255		/* in place of ticks: TWHEEL_NEVER */
#define MOST_BUDGET	2U	/* of the limited ones */
#define OVERDUE	2U		/* how long a timer that arrives can be overdue */

/* How a state was reached first. */
struct origin {
	u32		from;
	struct op	op;
};

static unsigned int timers = STATE_TIMERS, ticks = 17;
static bool use_kind[STATE_KINDS];

static struct state *states;
static struct origin *origins;
static u32 *table;		/* hashed: number of a state + 1 */
static u32 limit, mask, found, from;
static struct op doing;
static u64 steps, beyond;
static unsigned int oddities = 1;

static struct world world, restored;

static void show_op(const struct op *op)
{
	printf("#   %s", world_verb_names[op->verb]);
	if (op->verb <= WORLD_ARRIVE)
		printf(" %s", state_kind_names[op->kind]);
	else if (op->verb <= WORLD_TAKE)
		printf(" timer %u", op->timer);
	else if (op->verb == WORLD_EXPIRE && op->kind)
		printf(", budget %u,", op->kind);
	if (op->ticks == NEVER)
		printf(" NEVER");
	else if (op->verb != WORLD_REMOVE && op->verb < WORLD_NEXT)
		printf(" %u%s", op->ticks, op->verb == WORLD_ARRIVE ? " late" : " ticks ahead");
	printf("\n");
}

static void show_path(u32 n)
{
	if (n) {
		show_path(origins[n].from);
		show_op(&origins[n].op);
	}
}

void world_show_history(void)
{
	printf("# from tick %llu:\n", restored.wheel.clk);
	show_path(from);
	show_op(&doing);
}

static u32 hash(const struct state *s)
{
	u64 h = (s->word[0] ^ s->word[1] * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;

	return (h ^ h >> 32) & mask;
}

/* Notes a state, unless it is known. */
static void reach(struct state s)
{
	u32 i;

	for (i = hash(&s); table[i]; i = (i + 1) & mask)
		if (!memcmp(&states[table[i] - 1], &s, sizeof(s)))
			return;
	if (state_oddities(&world) > oddities) {
		beyond++;
		return;
	}
	if (found == limit) {
		printf("# more than %u states\n", limit);
		exit(1);
	}
	states[found] = s;
	origins[found] = (struct origin){ from, doing };
	table[i] = ++found;
}

static u64 tick_of(u8 ahead)
{
	if (ahead == NEVER)
		return TWHEEL_NEVER;
	if (ahead == FAR)
		return world.wheel.clk + 4 * STATE_PERIOD + 7;
	return world.wheel.clk + ahead;
}

static void do_op(const struct op *op)
{
	u64 tick = tick_of(op->ticks);
	unsigned int n = 1;

	if (op->verb <= WORLD_ARRIVE)
		state_kind(&world.subject[op->timer], op->kind);
	if (op->verb == WORLD_ARRIVE)
		tick = world.wheel.clk - op->ticks;
	if (op->verb == WORLD_EXPIRE)
		n = op->kind ?: WORLD_UNLIMITED;
	world_do(&world, op->verb, op->timer, tick, n);
}

static void step(enum world_verb verb, unsigned int timer, unsigned int kind, unsigned int ahead)
{
	doing = (struct op){ verb, timer, kind, ahead };
	memcpy(&world, &restored, sizeof(world));
	do_op(&doing);
	world_audit(&world);
	world_check(&world);
	steps++;
	reach(state_of(&world));
}

static void step_each_tick(enum world_verb verb, unsigned int timer, unsigned int kind,
			   unsigned int special)
{
	unsigned int ahead;

	for (ahead = 0; ahead <= ticks; ahead++)
		step(verb, timer, kind, ahead);
	step(verb, timer, kind, special);
}

static void step_idle_timer(unsigned int timer)
{
	unsigned int kind, late;

	for (kind = 0; kind < STATE_KINDS; kind++) {
		if (!use_kind[kind])
			continue;
		step_each_tick(WORLD_ARM, timer, kind, NEVER);
		for (late = 0; late <= OVERDUE; late++)
			step(WORLD_ARRIVE, timer, kind, late);
	}
}

static void step_armed_timer(unsigned int timer)
{
	step_each_tick(WORLD_CHANGE, timer, 0, NEVER);
	step_each_tick(WORLD_EXTEND, timer, 0, NEVER);
	step(WORLD_REMOVE, timer, 0, 0);
	if (restored.subject[timer].deferred)
		step(WORLD_TAKE, timer, 0, 0);
}

static void visit(void)
{
	bool idle = false;
	unsigned int i;

	memcpy(&world, &restored, sizeof(world));
	state_restore(&world, &states[from]);
	memcpy(&restored, &world, sizeof(world));
	for (i = 0; i < timers; i++) {
		if (restored.subject[i].armed) {
			step_armed_timer(i);
		} else if (!idle) {
			step_idle_timer(i);
			idle = true;
		}
	}
	for (i = 0; i < MOST_BUDGET + 1; i++)
		step_each_tick(WORLD_EXPIRE, 0, i, FAR);
	step_each_tick(WORLD_FORWARD, 0, 0, FAR);
	step(WORLD_NEXT, 0, 0, 0);
	step(WORLD_FIRST, 0, 0, 0);
	if (restored.wheel.depth < TWHEEL_LVL_DEPTH)
		step(WORLD_ADD_LEVEL, 0, 0, 0);
}

static void search(void)
{
	u32 said = 0;

	reach(state_of(&world));
	for (from = 0; from < found; from++) {
		visit();
		if (from - said < 1000000)
			continue;
		said = from;
		fprintf(stderr, "explore: %u of %u states done, %llu steps\n", from, found,
			steps);
	}
}

int main(int argc, char **argv)
{
	unsigned int levels = TWHEEL_LVL_DEPTH;
	u64 start = 1ULL << 32;
	bool wraps = true;
	const char *kinds = "0";
	int option;

	while ((option = getopt(argc, argv, "t:k:d:o:l:s:")) != -1) {
		switch (option) {
		case 't':
			timers = min(strtoul(optarg, NULL, 0), STATE_TIMERS);
			break;
		case 'k':
			kinds = optarg;
			break;
		case 'd':
			ticks = min(strtoul(optarg, NULL, 0), 100);
			break;
		case 'o':
			oddities = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			levels = clamp(strtoul(optarg, NULL, 0), 1, TWHEEL_LVL_DEPTH);
			break;
		case 's':
			start = strtoll(optarg, NULL, 0);
			if (*optarg == '-')
				start += TWHEEL_NEVER;
			wraps = false;
			break;
		default:
			return 2;
		}
	}
	for (; *kinds; kinds++)
		use_kind[(unsigned int)(*kinds - '0') % STATE_KINDS] = true;
	limit = 4 << 20;
	mask = 1;
	while (mask < 2 * limit)
		mask *= 2;
	states = calloc(limit, sizeof(*states));
	origins = calloc(limit, sizeof(*origins));
	table = calloc(mask--, sizeof(*table));
	if (!states || !origins || !table) {
		printf("# no memory for %u states\n", limit);
		return 1;
	}
	state_init(start, wraps);
	world_init(&world, timers, start);
	while (world.wheel.depth < levels)
		world_add_level(&world, 1);
	search();
	printf("# %u states, %llu steps, of which %llu lead to more oddities\n", found, steps,
	       beyond);
	return 0;
}
