/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wheel: a pure data structure. twheel_core.c opens with its model.
 *
 * Whoever owns a wheel serialises every call on it; only a pending timer's
 * deadline may be pushed back at any moment, by twheel_wheel_extend().
 */
#ifndef _TWHEEL_CORE_H
#define _TWHEEL_CORE_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include "twheel.h"

/* One digit of the deadline a level. */
#define TWHEEL_LVL_BITS		6
#define TWHEEL_LVL_DEPTH		6
#define TWHEEL_LVL_SHIFT(n)		((n) * TWHEEL_LVL_BITS)
#define TWHEEL_LVL_GRAN(n)		(1ULL << TWHEEL_LVL_SHIFT(n))
/* Two frames of 64 slots each: the current one and the one after it. */
#define TWHEEL_LVL_SIZE		(2U << TWHEEL_LVL_BITS)
#define TWHEEL_LVL_MASK		(TWHEEL_LVL_SIZE - 1)
/* How far ahead of the hand a level has slots. */
#define TWHEEL_LVL_REACH		(TWHEEL_LVL_SIZE - 1)
/* Chains a slot: four list heads are one cache line. */
#define TWHEEL_SLOT_CHAINS		4
/* A coming slot loses at least this many timers a tick. */
#define TWHEEL_CASCADE_MIN		64U

/* What struct twheel_timer.state holds besides a deadline. */
#define TWHEEL_IDLE		0ULL
#define TWHEEL_DUE		(U64_MAX - 1)
#define TWHEEL_DEAD		U64_MAX

/* struct twheel_timer.flags: where a timer with a window may run, or 0. */
#define TWHEEL_WINDOW_SHIFT	22
#define TWHEEL_WINDOW_MASK	(7U << TWHEEL_WINDOW_SHIFT)

struct twheel_slot {
	struct list_head	chain[TWHEEL_SLOT_CHAINS];
};

/**
 * struct twheel_wheel - a hierarchical timing wheel
 * @clk: The hand: the tick that is being worked on, or the last one done.
 * @next: No tick before this one needs a visit. May be too early, never late.
 * @todo: Levels that still have work at @clk, one bit each.
 * @cursor: Chain to look at next.
 * @share: What each level may still cascade at @clk.
 * @pending: Timers in the wheel.
 * @cascaded: Timers moved down from a coming slot, ever.
 * @refiled: Timers that were found extended or deferred when their tick came,
 *	ever.
 * @deferred: Due timers that wait for process context.
 * @map: Slots that may be occupied; a bit may be stale, never missing.
 * @count: Timers filed into each slot since it was last empty; saturates.
 * @slot: Level by level, the slot of tick t at (t >> TWHEEL_LVL_SHIFT(n)) & TWHEEL_LVL_MASK.
 */
struct twheel_wheel {
	u64			clk;
	u64			next;
	u32			todo;
	u32			cursor;
	u32			share[TWHEEL_LVL_DEPTH];
	u64			pending;
	u64			cascaded;
	u64			refiled;
	struct list_head	deferred;
	unsigned long		map[TWHEEL_LVL_DEPTH][BITS_TO_LONGS(TWHEEL_LVL_SIZE)];
	u32			count[TWHEEL_LVL_DEPTH][TWHEEL_LVL_SIZE];
	struct twheel_slot	slot[TWHEEL_LVL_DEPTH][TWHEEL_LVL_SIZE] ____cacheline_aligned;
};

void twheel_wheel_init(struct twheel_wheel *w, u64 clk);
void twheel_wheel_insert(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 expires);
void twheel_wheel_change(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 expires);
bool twheel_wheel_remove(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 state);
u64 twheel_wheel_next(struct twheel_wheel *w);
unsigned int twheel_wheel_expire(struct twheel_wheel *w, u64 now,
				 unsigned int *budget,
				 struct twheel_timer **due, unsigned int max);
bool twheel_wheel_take(struct twheel_wheel *w, struct twheel_timer *t);
u64 twheel_wheel_begin(struct twheel_wheel *w, struct twheel_timer *t, u64 now);
void twheel_wheel_return(struct twheel_wheel *w, struct twheel_timer *t);
struct twheel_timer *twheel_wheel_first(struct twheel_wheel *w);
void twheel_wheel_move(struct twheel_wheel *to, struct twheel_wheel *from,
		       struct twheel_timer *t);

/* Only where KUnit is configured: twheel_audit.c is not built otherwise. */
const char *twheel_wheel_audit(struct twheel_wheel *w, bool extended);

static inline u64 twheel_wheel_state(const struct twheel_timer *t)
{
	return atomic64_read(&t->state);
}

/* A timer that was due becomes idle, unless somebody has seen to that already. */
static inline void twheel_wheel_end_due(struct twheel_timer *t)
{
	atomic64_cmpxchg(&t->state, TWHEEL_DUE, TWHEEL_IDLE);
}

/* Does @state say that its timer is armed? TWHEEL_DUE is: no callback has begun. */
static inline bool twheel_wheel_state_pending(u64 state)
{
	return state != TWHEEL_IDLE && state != TWHEEL_DEAD;
}

static inline bool twheel_wheel_pending(const struct twheel_timer *t)
{
	return twheel_wheel_state_pending(twheel_wheel_state(t));
}

/* The level on which @t may run in place, or 0. */
static inline unsigned int twheel_wheel_window_level(const struct twheel_timer *t)
{
	return (t->flags & TWHEEL_WINDOW_MASK) >> TWHEEL_WINDOW_SHIFT;
}

/* What goes into the flags for a window of @slack ticks: two slots fit into it. */
static inline u32 twheel_wheel_window_flags(u64 slack)
{
	unsigned int n = TWHEEL_LVL_DEPTH - 1;

	while (n && slack / 2 < TWHEEL_LVL_GRAN(n))
		n--;
	return n << TWHEEL_WINDOW_SHIFT;
}

/**
 * twheel_wheel_extend - push the deadline of a pending timer back
 * @t: Any timer that is set up.
 * @expires: New deadline in ticks.
 *
 * Moves nothing: the timer is filed anew when its old slot comes up. The
 * wheel takes the state by compare-and-exchange too, so that a timer is either
 * extended or expires, never both.
 *
 * Context: any; needs no serialisation.
 *
 * Return: %true if @t was pending no later than @expires and is now pending
 * at @expires.
 */
static inline bool twheel_wheel_extend(struct twheel_timer *t, u64 expires)
{
	s64 old = atomic64_read(&t->state);

	/* So it is below TWHEEL_DUE, which stays. */
	expires = min_t(u64, expires, TWHEEL_NEVER);
	do {
		if (!twheel_wheel_state_pending(old) || expires < (u64)old)
			return false;
	} while (!atomic64_try_cmpxchg(&t->state, &old, expires));
	return true;
}

/**
 * twheel_wheel_forward - let the hand of a wheel that slept catch up
 * @w: The wheel.
 * @now: The current tick.
 *
 * Does nothing where a tick that has to be visited would be passed over.
 */
static inline void twheel_wheel_forward(struct twheel_wheel *w, u64 now)
{
	if (!w->todo && now > w->clk && now < w->next)
		w->clk = now;
}

#endif /* _TWHEEL_CORE_H */
