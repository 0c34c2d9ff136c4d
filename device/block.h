/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: where the timers of a set lie, and the levels of its wheel
 */
#ifndef _TWHEEL_DEVICE_BLOCK_H
#define _TWHEEL_DEVICE_BLOCK_H

#include <linux/bitops.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include "timer_set.h"

/* A walk over the timers of a set, in several holds of its lock. It begins with an @index of 0. */
struct block_walk {
	/* The index to go on with; %ULONG_MAX at the end of the set. */
	unsigned long		index;
	/* How many looks are left in this hold: the caller begins with %TWHEEL_CHUNK at most. */
	unsigned int		looks;
};

/* Places of a block that have been taken for timers, in one hold of the set's lock. */
struct block_places {
	struct timer_block	*block;
	/* The places that no timer has got yet, one bit each. */
	u64			left;
	/* After -EAGAIN from twheel_block_reserve(): the number of the block to add. */
	u32			missing;
};

/* block.c */
int twheel_block_init(void);
void twheel_block_exit(void);
struct user_timer *twheel_block_walk_next(struct timer_set *set, struct block_walk *walk);
int twheel_block_reserve(struct timer_set *set, u32 min, u32 max, unsigned int n,
			 struct block_places *places);
int twheel_block_add(struct timer_set *set, u32 number);
void twheel_block_free(struct timer_set *set);
void twheel_block_remove(struct timer_block *block);
void twheel_block_free_array(struct timer_set *set, struct timer_block **array, u32 words);

/* levels.c */
int twheel_levels_grow(struct timer_set *set, unsigned int most);
void twheel_levels_free(struct timer_set *set);
int twheel_levels_init(void);
void twheel_levels_exit(void);

/* Ends a call, or a part of it: gives the wheel the levels that its timers want, if it can. */
static inline void twheel_levels_keep_up(struct timer_set *set)
{
	if (unlikely(READ_ONCE(set->wheel.depth) < READ_ONCE(set->wheel.wanted)) &&
	    !(current->flags & PF_KTHREAD))
		twheel_levels_grow(set, TWHEEL_LVL_DEPTH);
}

/*
 * Finds the place that @handle, any number from the program, points to. The set is locked. Returns
 * the place, whose timer may be %USER_TIMER_DEAD; or %NULL.
 */
static inline struct user_timer *twheel_block_find(struct timer_set *set, u64 handle)
{
	u32 index = handle & TWHEEL_INDEX_MASK, number = index / TIMER_BLOCK_TIMERS;
	struct timer_block *block;

	lockdep_assert_held(&set->lock);

	if (number >= set->blocks)
		return NULL;
	block = set->block[array_index_nospec(number, set->blocks)];
	return block ? &block->timer[index % TIMER_BLOCK_TIMERS] : NULL;
}

static inline u32 twheel_block_number(const struct timer_block *block)
{
	return block->first / TIMER_BLOCK_TIMERS;
}

/* Behind the array of blocks: the numbers that have no block, or one with room; one bit each. */
static inline unsigned long *twheel_block_room(const struct timer_set *set)
{
	return (unsigned long *)(set->block + set->blocks);
}

/* As twheel_block_reserve(), from a block that begins by @max. Returns whether it has room. */
static inline bool twheel_block_reserve_from(struct timer_block *block, u32 min, u32 max,
					     unsigned int n, struct block_places *places)
{
	u64 free = ~block->used & TIMER_BLOCK_PLACES, more;
	struct timer_set *set = block->set;

	lockdep_assert_held(&set->lock);

	if (unlikely(min > block->first))
		free &= U64_MAX << min(min - block->first, 63U);
	if (unlikely(max - block->first < 63U))
		free &= U64_MAX >> (63U - (max - block->first));
	more = n < TIMER_BLOCK_TIMERS ? free : 0;
	while (more && n--)
		more &= more - 1;
	free &= ~more;
	if (!free)
		return false;
	places->block = block;
	places->left = free;
	block->used |= free;
	if (block == set->spare)
		WRITE_ONCE(set->spare, NULL);
	if (block->used == TIMER_BLOCK_PLACES)
		__clear_bit(twheel_block_number(block), twheel_block_room(set));
	return true;
}

/*
 * Gives places of a block back, at least one. The set is locked. The caller calls
 * twheel_block_free() before it unlocks the set. Until then, no block is freed.
 */
static inline void twheel_block_release(struct timer_block *block, u64 places)
{
	struct timer_set *set = block->set;

	lockdep_assert_held(&set->lock);

	if (unlikely(block->used == TIMER_BLOCK_PLACES)) {
		__set_bit(twheel_block_number(block), twheel_block_room(set));
		set->first_room = min(set->first_room, twheel_block_number(block));
	}
	block->used &= ~places;
	if (unlikely(!block->used)) {
		block->next = set->spare;
		WRITE_ONCE(set->spare, block);
	}
}

#endif /* _TWHEEL_DEVICE_BLOCK_H */
