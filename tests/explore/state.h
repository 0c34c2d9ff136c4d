/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of a small wheel with up to three timers, in 16 bytes.
 *
 * Two wheels have the same state if no sequence of calls can tell them apart:
 *
 * - Time is relative to the hand. Of the hand only its place in the slots is kept, that
 *   is, its remainder by the ticks that the top level covers.
 * - Timers of one kind are interchangeable. An idle timer has nothing to remember.
 * - A @next that is not later than the hand means a search, whatever its value.
 * - Of a count of level 0, only the remainder by the least share is ever used.
 * - Of a count above STATE_COUNT(), only that it is so high, and this remainder.
 * - A share of more than all timers acts as any other such share.
 */
#ifndef _EXPLORE_STATE_H
#define _EXPLORE_STATE_H

#include "world.h"

#define STATE_TIMERS	3
/* The ticks that the top level covers. */
#define STATE_PERIOD	((u64)TWHEEL_LVL_SIZE << TWHEEL_LVL_SHIFT(TWHEEL_LVL_DEPTH - 1))
/* With as many timers in a slot, all are moved in one tick, in each tick before. */
#define STATE_COUNT(n)	(STATE_TIMERS * (u32)TWHEEL_LVL_GRAN(n))

/* Kinds of timers. */
enum state_kind {
	STATE_EXACT,
	STATE_WINDOW_1,		/* may run on level 1 */
	STATE_WINDOW_2,		/* may run on level 2 */
	STATE_PROCESS,
	STATE_PERIODIC,
	STATE_KINDS,
	STATE_IDLE = STATE_KINDS,
};

struct state {
	u64	word[2];
};

extern const char * const state_kind_names[STATE_KINDS];

void state_init(u64 start, bool wraps);
struct state state_of(const struct world *w);
unsigned int state_oddities(struct world *w);
void state_restore(struct world *w, const struct state *state);
void state_kind(struct subject *s, enum state_kind kind);

#endif /* _EXPLORE_STATE_H */
