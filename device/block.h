/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: where the timers of a set lie
 */
#ifndef _TWHEEL_DEVICE_BLOCK_H
#define _TWHEEL_DEVICE_BLOCK_H

#include <linux/bitops.h>
#include <linux/bits.h>
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

/**
 * struct block_places - places of a block that have been taken for timers
 * @block: The block, if any place is left.
 * @left: The places that no timer has got yet, one bit each.
 * @missing: After -EAGAIN from twheel_block_take(): the number of the block to add.
 */
struct block_places {
	struct timer_block	*block;
	u64			left;
	u32			missing;
};

int twheel_block_init(void);
void twheel_block_exit(void);
void twheel_block_walk_begin(struct timer_set *set, struct block_walk *walk);
struct user_timer *twheel_block_walk_next(struct timer_set *set, struct block_walk *walk);
int twheel_block_take(struct timer_set *set, u32 min, u32 max, unsigned int n,
		      struct block_places *places);
int twheel_block_add(struct timer_set *set, u32 number);
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

/* Gives places of a block back, at least one. */
static inline void twheel_block_release(struct timer_block *block, u64 places)
{
	timer_set_assert_locked(block->set);

	if (block->used == TIMER_BLOCK_PLACES)
		twheel_leaf_set_room(block->set, twheel_block_number(block), true);
	block->used &= ~places;
}

/**
 * twheel_block_next - use one of the places that have been taken
 * @places: The places, of which one is left at least. The set has been locked since they were
 *	taken.
 * @index: For the index of the place.
 *
 * Return: The place, still %USER_TIMER_DEAD.
 */
static inline struct user_timer *twheel_block_next(struct block_places *places, u32 *index)
{
	unsigned int slot = __ffs64(places->left);
	struct user_timer *t = &places->block->timer[slot];

	timer_set_assert_locked(places->block->set);

	*index = places->block->first + slot;
	places->left &= places->left - 1;
	return t;
}

/**
 * twheel_block_return - give back the places that are left
 * @places: The places, at least one. A timer got one of the places that were taken along with
 *	them, and the set has been locked since.
 */
static inline void twheel_block_return(struct block_places *places)
{
	timer_set_assert_locked(places->block->set);

	twheel_block_release(places->block, places->left);
	places->left = 0;
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
	twheel_block_release(block, BIT_ULL(t - block->timer));
	if (!block->used) {
		block->next = *empty;
		*empty = block;
	}
}

#endif /* _TWHEEL_DEVICE_BLOCK_H */
