/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wheel with a few timers in a program, next to a model of what it should do.
 *
 * world_do() does one operation on the wheel and on the model. The results must agree.
 * After an operation, world_check() compares the two and audits the wheel.
 */
#ifndef _EXPLORE_WORLD_H
#define _EXPLORE_WORLD_H

#include "kunit/audit.h"

#ifndef WORLD_TIMERS
#define WORLD_TIMERS	16
#endif
/* More than any call can use up. */
#define WORLD_UNLIMITED	(1U << 30)

/* A timer and what is expected of it */
struct subject {
	struct twheel_node	timer;
	u64			due;		/* the first tick at which it may expire */
	/* the last tick at which it may leave the wheel's slots */
	u64			end;
	u64			slack;		/* the width of its window, in ticks */
	bool			armed;
	bool			extended;	/* its slot need not cover its deadline */
	bool			deferred;	/* it waits for process context */
};

struct world {
	unsigned int		timers;
	/* times that a timer expired */
	u64			expired;
	struct twheel_wheel	wheel;
	struct subject		subject[WORLD_TIMERS];
	/* two places for each level: a level is widened from one into the other */
	u8			memory[2][TWHEEL_LVL_DEPTH][TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS)]
				____cacheline_aligned;
};

/* A sum that saturates. */
static inline u64 world_later(u64 from, u64 by)
{
	return by > U64_MAX - from ? U64_MAX : from + by;
}

void world_init(struct world *w, unsigned int timers, u64 clk);
void world_add_level(struct world *w, unsigned int chains);
void world_kind(struct subject *s, u64 slack, u32 flags, u32 period);

/* What can be done with a wheel. */
enum world_verb {
	WORLD_ARM,		/* an idle timer, whose kind has been chosen */
	WORLD_ARRIVE,		/* the same, from another wheel */
	WORLD_CHANGE,
	WORLD_EXTEND,
	WORLD_REMOVE,
	WORLD_TAKE,		/* from the list of deferred timers */
	WORLD_EXPIRE,
	WORLD_FORWARD,
	WORLD_NEXT,
	WORLD_FIRST,
	WORLD_ADD_LEVEL,
	WORLD_WIDEN,
	WORLD_VERBS
};

extern const char * const world_verb_names[WORLD_VERBS];

/* @which: the timer or, to widen it, the level. @n: the budget, or the number of chains. */
void world_do(struct world *w, enum world_verb verb, unsigned int which, u64 tick, unsigned int n);

void world_check(struct world *w);
void world_audit(struct world *w);

/* The program defines it: print how the world came to be as it is. */
void world_show_history(void);

void __attribute__((noreturn, format(printf, 2, 3)))
world_fail(struct world *w, const char *format, ...);

#define world_expect(_w, _condition, ...)		\
	do {						\
		if (unlikely(!(_condition)))		\
			world_fail(_w, __VA_ARGS__);	\
	} while (0)

#endif /* _EXPLORE_WORLD_H */
