/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * twheel: the wheel, a pure data structure. twheel_core.c opens with its model.
 *
 * The owner of a wheel serialises all calls on it. The exception is
 * twheel_wheel_extend(), which may push back a pending timer's deadline at any moment.
 */
#ifndef _TWHEEL_CORE_H
#define _TWHEEL_CORE_H

#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include "twheel_node.h"

/* The geometry. Only tests choose another one, with -D: all four. */
#ifndef TWHEEL_LVL_BITS
/* One digit of the deadline a level. */
#define TWHEEL_LVL_BITS		6
#define TWHEEL_LVL_DEPTH	6
/* The most chains a slot has: four list heads fill one cache line of 64 bytes. */
#define TWHEEL_SLOT_CHAINS	4
/* A visit moves at least this many timers out of a coming slot. */
#define TWHEEL_CASCADE_MIN	64U
#endif
#define TWHEEL_LVL_SHIFT(n)	((n) * TWHEEL_LVL_BITS)
/* The width of a slot of level n, in ticks. */
#define TWHEEL_LVL_GRAN(n)	(1ULL << TWHEEL_LVL_SHIFT(n))
/* Two frames of 64 slots each: the current frame and the next one. */
#define TWHEEL_LVL_SIZE		(2U << TWHEEL_LVL_BITS)
#define TWHEEL_LVL_MASK		(TWHEEL_LVL_SIZE - 1)
/* How many slots ahead of the hand a level reaches. */
#define TWHEEL_LVL_REACH	(TWHEEL_LVL_SIZE - 1)

/* Values of struct twheel_node.state that are not deadlines. */
#define TWHEEL_IDLE		0ULL
#define TWHEEL_DEAD		U64_MAX

/* struct twheel_node.flags: the level on which a timer with a window may run, or 0. */
#define TWHEEL_WINDOW_SHIFT	22
#define TWHEEL_WINDOW_MASK	(7U << TWHEEL_WINDOW_SHIFT)

/*
 * A level of a wheel, and behind it the chains of its slots. Tick t lies in slot
 * (t >> TWHEEL_LVL_SHIFT(n)) & TWHEEL_LVL_MASK of level n.
 */
struct twheel_level {
	/* slots that may be occupied: a bit may be stale, but is never missing */
	unsigned long		map[BITS_TO_LONGS(TWHEEL_LVL_SIZE)];
	/* how many chains a slot has: 1, 2 or TWHEEL_SLOT_CHAINS; and their bytes */
	u32			chains;
	u32			slot_bytes;
	/* in which bits the offsets of a slot's chains differ: bytes save instructions */
	u32			chain_mask;
	/* timers put into each slot since it was empty, less those moved out; saturates */
	u32			count[TWHEEL_LVL_SIZE];
} ____cacheline_aligned;

/* The memory of a level whose slots have so many chains, and of all levels with all chains. */
#define TWHEEL_LEVEL_BYTES(chains) \
	(sizeof(struct twheel_level) + TWHEEL_LVL_SIZE * (chains) * sizeof(struct list_head))
#define TWHEEL_LEVELS_BYTES (TWHEEL_LVL_DEPTH * TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS))

/* A hierarchical timing wheel */
struct twheel_wheel {
	/* the hand: the tick that is being worked on, or the last one done */
	u64			clk;
	/* no tick before this one needs a visit: may be too early, never too late */
	u64			next;
	u32			todo;	/* levels that still have work at @clk, one bit each */
	/* levels whose coming slot may be occupied: a bit may be stale, but is never missing */
	u32			coming;
	/* levels that may have occupied slots, likewise */
	u32			occupied;
	/* the offset of the chain to look at next: see wheel_chain() */
	u32			cursor;
	/* how many levels there are, and how many the owner is to make: timers may want more */
	u32			depth;
	u32			wanted;
	/* levels whose last slot got a timer for lack of another level, one bit each */
	u32			beyond;
	/* how many timers each level may still move at @clk */
	u32			share[TWHEEL_LVL_DEPTH];
	u64			pending; /* timers in slots or in @deferred */
	/* how many times a timer was moved down out of a coming slot */
	u64			cascaded;
	/* how many times a due timer was deferred, or turned out to be extended */
	u64			refiled;
	/* of the timer that expired last: its deadline, and how many points it skips */
	u64			last;
	u64			missed;
	/* due timers that wait for process context */
	struct list_head	deferred;
	struct twheel_level	*level[TWHEEL_LVL_DEPTH];
};

void twheel_wheel_init(struct twheel_wheel *w, u64 clk);
void *twheel_wheel_set_level(struct twheel_wheel *w, unsigned int n, void *memory,
			     unsigned int chains);
void twheel_wheel_insert(struct twheel_wheel *w, struct twheel_node *t, u64 expires);
void twheel_wheel_change(struct twheel_wheel *w, struct twheel_node *t, u64 expires);
void twheel_wheel_want(struct twheel_wheel *w, u64 expires);
u64 twheel_wheel_next(struct twheel_wheel *w);
u64 twheel_wheel_next_point(u64 last, u64 period, u64 now, u64 *missed);
void twheel_wheel_file(struct twheel_wheel *w, struct twheel_node *t, u64 expires);
struct twheel_node *twheel_wheel_advance(struct twheel_wheel *w, u64 now, unsigned int *budget);
bool twheel_wheel_take(struct twheel_wheel *w, struct twheel_node *t, u64 now);
struct twheel_node *twheel_wheel_first(struct twheel_wheel *w);
void twheel_wheel_move(struct twheel_wheel *to, struct twheel_wheel *from, struct twheel_node *t);

static inline u64 twheel_wheel_state(const struct twheel_node *t)
{
	return atomic64_read(&t->state);
}

/* Whether a timer in @state is pending. */
static inline bool twheel_wheel_state_pending(u64 state)
{
	return state != TWHEEL_IDLE && state != TWHEEL_DEAD;
}

static inline bool twheel_wheel_pending(const struct twheel_node *t)
{
	return twheel_wheel_state_pending(twheel_wheel_state(t));
}

/* The level on which @t may run within its window, or 0. */
static inline unsigned int twheel_wheel_window_level(const struct twheel_node *t)
{
	return (t->flags & TWHEEL_WINDOW_MASK) >> TWHEEL_WINDOW_SHIFT;
}

static inline bool twheel_wheel_has_window(const struct twheel_node *t)
{
	return READ_ONCE(t->flags) & TWHEEL_WINDOW_MASK;
}

/* The flags for a window of @slack ticks: the highest level on which it is two slots wide. */
static inline u32 twheel_wheel_window_flags(u64 slack)
{
	unsigned int n = TWHEEL_LVL_DEPTH - 1;

	while (n && slack / 2 < TWHEEL_LVL_GRAN(n))
		n--;
	return n << TWHEEL_WINDOW_SHIFT;
}

/*
 * Pushes the deadline of a timer back, if the timer is pending with a deadline no later than
 * @expires. Returns whether it was. Needs no serialisation.
 *
 * The timer stays in its slot, and is filed anew when that slot comes up. The wheel, too, ends an
 * arming by compare-and-exchange. So a timer is either extended or expires, never both.
 */
static inline bool twheel_wheel_extend(struct twheel_node *t, u64 expires)
{
	s64 old = atomic64_read(&t->state);

	expires = min_t(u64, expires, TWHEEL_NEVER);
	/* Pairs with wheel_expire_timer(): the callback sees what the caller did before. */
	do {
		if (!twheel_wheel_state_pending(old) || expires < (u64)old)
			return false;
	} while (!atomic64_try_cmpxchg_release(&t->state, &old, expires));
	return true;
}

/* list_del(), but without the checks of CONFIG_DEBUG_LIST: see wheel_link_tail(). */
static inline void twheel_wheel_unlink(struct twheel_node *t)
{
	__list_del(t->entry.prev, t->entry.next);
}

/* Takes a pending timer off. Its state stays as it is. */
static inline void twheel_wheel_drop(struct twheel_wheel *w, struct twheel_node *t)
{
	twheel_wheel_unlink(t);
	w->pending--;
}

/*
 * Disarms a timer, which is in @w if it is pending: returns whether it was. The @state is
 * TWHEEL_IDLE; or TWHEEL_DEAD, and the timer can never be armed again.
 */
static inline bool twheel_wheel_remove(struct twheel_wheel *w, struct twheel_node *t, u64 state)
{
	u64 expires = twheel_wheel_state(t);

	if (!twheel_wheel_state_pending(expires)) {
		if (state == TWHEEL_DEAD)
			atomic64_set(&t->state, state);
		return false;
	}
	/* Another CPU may push the deadline back up to here; @t stays pending. */
	atomic64_set(&t->state, state);
	twheel_wheel_drop(w, t);
	t->last = expires;
	return true;
}

/* The first chain of slot @i. */
static inline struct list_head *twheel_level_slot(struct twheel_level *level, unsigned int i)
{
	struct list_head *slot = (void *)(level + 1) + i * level->slot_bytes;

	/* Otherwise gcc computes the address of a chain from @level each time. */
	OPTIMIZER_HIDE_VAR(slot);
	return slot;
}

/* The chain of @slot whose turn it is. @offset is a multiple of the size of a chain. */
static inline struct list_head *wheel_chain(const struct twheel_level *level,
					    struct list_head *slot, u32 offset)
{
	return (void *)slot + (offset & level->chain_mask);
}

/* Gives all levels to a wheel that has none: @memory has %TWHEEL_LEVELS_BYTES bytes. */
static inline void twheel_wheel_add_all_levels(struct twheel_wheel *w, void *memory)
{
	while (w->depth < TWHEEL_LVL_DEPTH) {
		twheel_wheel_set_level(w, w->depth, memory, TWHEEL_SLOT_CHAINS);
		memory += TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS);
	}
}

/*
 * Moves the hand. Where the hand enters a slot, another slot is the coming one. Level 0 has no
 * coming slot.
 */
static inline void twheel_wheel_set_hand(struct twheel_wheel *w, u64 clk)
{
	if ((w->clk ^ clk) >> TWHEEL_LVL_SHIFT(1))
		w->coming = ((1U << w->depth) - 1) & ~1U;
	w->clk = clk;
}

/*
 * Moves the hand of a sleeping wheel to @now, if the tick of the hand is done and no tick up to
 * @now needs a visit.
 */
static inline void twheel_wheel_forward(struct twheel_wheel *w, u64 now)
{
	if (!w->todo && now > w->clk && now < w->next)
		twheel_wheel_set_hand(w, now);
}

/* Notes that a slot is empty. */
static inline void wheel_clear_slot(struct twheel_wheel *w, unsigned int n, unsigned int i)
{
	__clear_bit(i, w->level[n]->map);
	w->level[n]->count[i] = 0;
}

/*
 * Finds the next timer of a slot. Returns whether there is one. The chains are walked side by side:
 * four cache misses at a time cost little more than one. A lock or a callback between two timers
 * would keep them from overlapping. So the next timer of a chain is prefetched.
 */
static inline bool wheel_next_in_slot(struct twheel_wheel *w, struct twheel_level *level,
				      struct list_head *slot, struct twheel_node **t)
{
	struct list_head *chain, *first;
	unsigned int c = 0;

	do {
		chain = wheel_chain(level, slot, w->cursor);
		w->cursor += sizeof(*chain);
		first = chain->next;
		if (likely(first != chain)) {
			prefetch(first->next);
			*t = list_entry(first, struct twheel_node, entry);
			return true;
		}
	} while (++c < level->chains);
	return false;
}

/* Files a timer: twheel_wheel_file(), or the same in line. */
typedef void (*wheel_file_fn)(struct twheel_wheel *w, struct twheel_node *t, u64 expires);

/*
 * Ends the arming of @t, which is in no slot and has the deadline @state. A periodic timer is
 * armed again, and is never seen idle. Returns false if the deadline was pushed back.
 */
static __always_inline bool wheel_expire_timer(struct twheel_wheel *w, struct twheel_node *t,
					       s64 state, u64 now, wheel_file_fn file)
{
	u64 next = TWHEEL_IDLE;

	w->missed = 0;
	if (unlikely(t->period))
		next = twheel_wheel_next_point(state, t->period, max(now, w->clk), &w->missed);
	else
		t->last = state;
	/* Pairs with twheel_wheel_extend(). */
	if (!atomic64_try_cmpxchg(&t->state, &state, next))
		return false;
	w->last = state;
	if (unlikely(next))
		file(w, t, next);
	else
		w->pending--;
	return true;
}

/*
 * Takes @t out of its slot, which is being emptied, or out of @deferred. @t expires, or is
 * filed anew; with @defer, a timer for process context is deferred instead of expiring. Returns
 * whether it expires.
 */
static __always_inline bool wheel_visit_timer(struct twheel_wheel *w, struct twheel_node *t,
					      u64 now, wheel_file_fn file, bool defer)
{
	u64 state;

	twheel_wheel_unlink(t);
	/* Another CPU may push the deadline back at any moment: then its turn comes again. */
	while ((state = twheel_wheel_state(t)) <= w->clk) {
		if (defer && unlikely(t->flags & TWHEEL_PROCESS)) {
			list_add_tail(&t->entry, &w->deferred);
			return false;
		}
		if (wheel_expire_timer(w, t, state, now, file))
			return true;
	}
	file(w, t, state);
	return false;
}

/*
 * Visits the next timer of the current tick: level 0 is in @todo, and @budget is not 0. Returns
 * NULL if the timer has been extended or deferred, or if there is none: then level 0 is done.
 */
static inline struct twheel_node *twheel_wheel_expire_next(struct twheel_wheel *w, u64 now,
							   unsigned int *budget)
{
	unsigned int i = w->clk & TWHEEL_LVL_MASK;
	struct twheel_node *t;

	if (!wheel_next_in_slot(w, w->level[0], twheel_level_slot(w->level[0], i), &t)) {
		wheel_clear_slot(w, 0, i);
		w->todo &= ~BIT(0);
		return NULL;
	}
	--*budget;
	if (wheel_visit_timer(w, t, now, twheel_wheel_file, true))
		return t;
	w->refiled++;
	return NULL;
}

/*
 * Advances the wheel to the next timer that expires, up to the tick @now, and returns the timer.
 * The @budget is how many timers may be moved or expired and ticks visited, in all; the rest is
 * stored back. If NULL is returned and some budget is left, nothing more is due at @now.
 *
 * Timers come tick by tick. A call continues where the previous call stopped. Between
 * calls any timer may be inserted, removed or extended.
 *
 * The timer that expires is idle afterwards or, if it is periodic, pending for the next point of
 * its grid after @now. @w->last is the deadline, and @w->missed is how many points the timer skips.
 * A timer with TWHEEL_PROCESS goes to @w->deferred instead, for twheel_wheel_take().
 */
static inline struct twheel_node *twheel_wheel_expire(struct twheel_wheel *w, u64 now,
						      unsigned int *budget)
{
	struct twheel_node *t = NULL;

	if (w->todo & BIT(0) && *budget)
		t = twheel_wheel_expire_next(w, now, budget);
	/* Mostly nothing more is due then, which needs no call. */
	if (t || (!w->todo && w->clk >= now))
		return t;
	return twheel_wheel_advance(w, now, budget);
}

/* Finds the next timer of the tick, which stays in its slot, and returns whether there is one. */
static __always_inline bool twheel_wheel_peek(struct twheel_wheel *w, struct twheel_node **t)
{
	struct twheel_level *level = w->level[0];

	return w->todo & BIT(0) &&
	       wheel_next_in_slot(w, level, twheel_level_slot(level, w->clk & TWHEEL_LVL_MASK), t);
}

#endif /* _TWHEEL_CORE_H */
