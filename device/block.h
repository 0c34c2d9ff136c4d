/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: where the timers of a set lie
 */
#ifndef _TWHEEL_DEVICE_BLOCK_H
#define _TWHEEL_DEVICE_BLOCK_H

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
struct user_timer *twheel_block_take(struct timer_set *set, u32 min, u32 max,
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
