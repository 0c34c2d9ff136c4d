/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: where the timers of a set lie
 */
#ifndef _TWHEEL_DEVICE_BLOCK_H
#define _TWHEEL_DEVICE_BLOCK_H

#include <linux/bitmap.h>
#include <linux/err.h>
#include "leaf.h"

/**
 * struct block_walk - a walk over the timers of a set, in several holds of its lock
 * @index: The index to go on with; %ULONG_MAX at the end of the set.
 * @looks: How many looks are left in this hold.
 * @block: The block that has @index, if it is known in this hold; or %NULL.
 */
struct block_walk {
	unsigned long		index;
	unsigned int		looks;
	struct timer_block	*block;
};

int twheel_block_init(twheel_fn_t expired);
void twheel_block_exit(void);
void twheel_block_walk_begin(struct timer_set *set, struct block_walk *walk);
struct user_timer *twheel_block_walk_next(struct timer_set *set, struct block_walk *walk);
struct user_timer *twheel_block_search(struct timer_set *set, u32 min, u32 max,
				       enum twheel_lane lane, struct timer_block **hint);
void twheel_block_free(struct timer_set *set, struct timer_block *empty);
void twheel_block_remove(struct timer_set *set, struct timer_block *block);

/**
 * twheel_block_find - find the place that a handle points to
 * @set: The set, locked.
 * @handle: Any number: it comes from the program.
 *
 * Return: The place, which exists while the set is locked, and whose timer may be
 * %USER_TIMER_DEAD; or %NULL.
 */
static inline struct user_timer *twheel_block_find(struct timer_set *set, u64 handle)
{
	u32 index = handle & TWHEEL_INDEX_MASK;
	struct timer_block *block = twheel_leaf_get(set, index / TIMER_BLOCK_TIMERS);

	timer_set_assert_locked(set);

	return block ? &block->timer[index % TIMER_BLOCK_TIMERS] : NULL;
}

static inline u32 twheel_block_number(const struct timer_block *block)
{
	return block->first / TIMER_BLOCK_TIMERS;
}

/* Takes the first free place with an index from @min to @max. Returns NULL if none is. */
static __always_inline struct user_timer *
twheel_block_take_from(struct timer_block *block, u32 min, u32 max)
{
	u32 slot = min > block->first ? min - block->first : 0;

	timer_set_assert_locked(block->set);

	slot = find_next_zero_bit(block->used, TIMER_BLOCK_TIMERS, slot);
	if (slot >= TIMER_BLOCK_TIMERS || block->first + slot > max)
		return NULL;
	__set_bit(slot, block->used);
	if (block == block->set->spare)
		block->set->spare = NULL;
	if (bitmap_full(block->used, TIMER_BLOCK_TIMERS))
		twheel_leaf_set_room(block->set, twheel_block_number(block), false);
	return &block->timer[slot];
}

/**
 * twheel_block_take - take a place for a timer
 * @set: The set, locked.
 * @min: The lowest index allowed.
 * @max: The highest index allowed.
 * @lane: The lane that is to serve the timer.
 * @hint: The block to begin with, or %NULL; afterwards the block that had a free
 *	place. Valid while the set stays locked. The search skips all blocks before it.
 *
 * Return: The place, still %USER_TIMER_DEAD; or an ERR_PTR(): -EBUSY if there is no
 * free place; -EAGAIN if the lock was released and there may be a free place now;
 * -ENOMEM if the lock was released and there is no memory; -EDQUOT if the lock was
 * released and the user may have no more blocks.
 */
static __always_inline struct user_timer *
twheel_block_take(struct timer_set *set, u32 min, u32 max, enum twheel_lane lane,
		  struct timer_block **hint)
{
	struct user_timer *t = NULL;

	timer_set_assert_locked(set);

	if (*hint)
		t = twheel_block_take_from(*hint, min, max);
	if (!t)
		t = twheel_block_search(set, min, max, lane, hint);
	if (!IS_ERR(t))
		twheel_lane_move(&t->timer, lane);
	return t;
}

/**
 * twheel_block_give - give the place of a timer back
 * @t: The timer, which has ended; its set is locked.
 * @empty: A list of blocks for twheel_block_free(). The timer's block is added to the
 *	list if no timer is left in the block.
 */
static inline void twheel_block_give(struct user_timer *t, struct timer_block **empty)
{
	struct timer_block *block = user_timer_block(t);

	timer_set_assert_locked(block->set);

	t->state = USER_TIMER_DEAD;
	if (bitmap_full(block->used, TIMER_BLOCK_TIMERS))
		twheel_leaf_set_room(block->set, twheel_block_number(block), true);
	__clear_bit(t - block->timer, block->used);
	if (bitmap_empty(block->used, TIMER_BLOCK_TIMERS)) {
		block->next = *empty;
		*empty = block;
	}
}

#endif /* _TWHEEL_DEVICE_BLOCK_H */
