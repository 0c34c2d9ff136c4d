// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: where the timers of a set lie
 *
 * A block has places for about sixty timers. The number of a timer's block is the timer's
 * index divided by the number of places in a block; leaf.c finds the block. The lowest
 * free place is taken first, so that blocks become empty as timers end. But timers with words
 * in the table get the indexes of the table in turn.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include "block.h"
#include "leaf.h"
#include "quota.h"

static struct kmem_cache *block_cache;

/**
 * twheel_block_walk_begin - begin or continue a walk, after locking the set
 * @set: The set, locked.
 * @walk: The walk. Its @index is 0 at first.
 */
void twheel_block_walk_begin(struct timer_set *set, struct block_walk *walk)
{
	timer_set_assert_locked(set);

	walk->looks = TWHEEL_CHUNK;
	walk->block = NULL;
}

/*
 * Counts a look at a timer, or at a block. Returns whether the hold may go on. A hold
 * ends early if another CPU waits for the lock, but each hold has two looks at least: one to
 * find the block again, and one that moves the walk on.
 */
static bool block_walk_look(struct timer_set *set, struct block_walk *walk)
{
	if (walk->looks < TWHEEL_CHUNK - 1 && spin_is_contended(&set->lock))
		walk->looks = 0;
	if (!walk->looks)
		return false;
	walk->looks--;
	return true;
}

/* Finds the block that has the index of a walk, or the next block. */
static noinline void block_walk_find(struct timer_set *set, struct block_walk *walk)
{
	unsigned long number = walk->index / TIMER_BLOCK_TIMERS;

	walk->block = twheel_leaf_next(set, &number);
	if (walk->block)
		walk->index = max_t(unsigned long, walk->index, walk->block->first);
	else
		walk->index = ULONG_MAX;
}

/**
 * twheel_block_walk_next - find the next timer of a walk
 * @set: The set, locked since twheel_block_walk_begin().
 * @walk: The walk.
 *
 * Return: The timer, or %NULL if the caller is to release the lock. Then the walk is at
 * its end if its @index is %ULONG_MAX.
 */
struct user_timer *twheel_block_walk_next(struct timer_set *set, struct block_walk *walk)
{
	struct timer_block *block;
	u64 left;

	timer_set_assert_locked(set);

	while (walk->index != ULONG_MAX && block_walk_look(set, walk)) {
		block = walk->block;
		if (!block) {
			block_walk_find(set, walk);
			continue;
		}
		left = block->used & GENMASK_ULL(63, walk->index - block->first);
		if (left) {
			walk->index = block->first + __ffs64(left) + 1;
			return &block->timer[__ffs64(left)];
		}
		walk->index = block->first + TIMER_BLOCK_TIMERS;
		walk->block = NULL;
	}
	return NULL;
}

/* Charges the user and allocates a block. Returns it, or an ERR_PTR(). May sleep. */
static struct timer_block *block_new(struct timer_set *set)
{
	struct timer_block *block;

	if (!twheel_quota_charge(set, QUOTA_BLOCKS, 1))
		return ERR_PTR(-EDQUOT);
	block = kmem_cache_zalloc(block_cache, GFP_KERNEL);
	if (!block) {
		twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, 1);
		return ERR_PTR(-ENOMEM);
	}
	block->set = set;
	return block;
}

static void block_free(struct timer_block *block)
{
	struct user_quota *quota = block->set->quota;

	kmem_cache_free(block_cache, block);
	twheel_quota_uncharge(quota, QUOTA_BLOCKS, 1);
}

/* Makes @block, which is empty, the spare block of the set. Frees the former spare. */
static void block_keep(struct timer_set *set, struct timer_block *block)
{
	struct timer_block *old = set->spare;

	set->spare = block;
	if (!old)
		return;
	twheel_leaf_put(set, twheel_block_number(old), NULL);
	twheel_leaf_trim(set, twheel_block_number(old));
	block_free(old);
}

/* Returns the spare block, a new one, or an ERR_PTR(). May release the lock. */
static struct timer_block *block_get(struct timer_set *set)
	__must_hold(&set->lock)
{
	struct timer_block *block = set->spare;

	if (block) {
		twheel_leaf_put(set, twheel_block_number(block), NULL);
		set->spare = NULL;
		return block;
	}
	timer_set_unlock(set);
	block = block_new(set);
	timer_set_lock(set);
	return block;
}

/**
 * twheel_block_add - add an empty block
 * @set: The set, locked.
 * @number: The number of the block. There may be one with that number.
 *
 * May release the lock meanwhile, to allocate.
 *
 * Return: 0, but the block may have been taken away or filled again; or -ENOMEM; or -EDQUOT if
 * the user may have no more blocks.
 */
int twheel_block_add(struct timer_set *set, u32 number)
	__must_hold(&set->lock)
{
	int ret = twheel_leaf_grow(set, number);
	struct timer_block *block;
	u32 from;

	timer_set_assert_locked(set);

	if (ret)
		return ret;
	from = set->spare ? twheel_block_number(set->spare) : number;
	block = block_get(set);
	if (IS_ERR(block)) {
		twheel_leaf_trim(set, number);
		return PTR_ERR(block);
	}
	block->first = number * TIMER_BLOCK_TIMERS;
	/* Meanwhile another thread may have added a block here, or freed the leaf. */
	if (!twheel_leaf_exists(set, number) || twheel_leaf_get(set, number)) {
		block_free(block);
		twheel_leaf_trim(set, from);
		return 0;
	}
	twheel_leaf_put(set, number, block);
	twheel_leaf_trim(set, from);
	block_keep(set, block);
	return 0;
}

/* Returns the free places with an index from @min to @max. */
static u64 block_find_free(const struct timer_block *block, u32 min, u32 max)
{
	u32 last = block->first + TIMER_BLOCK_TIMERS - 1;
	u64 places = ~block->used & TIMER_BLOCK_PLACES;

	if (min > last || max < block->first)
		return 0;
	if (min > block->first)
		places &= GENMASK_ULL(63, min - block->first);
	if (max < last)
		places &= GENMASK_ULL(max - block->first, 0);
	return places;
}

/* Takes up to @n free places with an index from @min to @max. Returns whether there are any. */
static bool block_take_from(struct block_places *places, u32 min, u32 max, unsigned int n)
{
	struct timer_block *block = places->block;
	u64 more;

	places->left = block_find_free(block, min, max);
	more = n < TIMER_BLOCK_TIMERS ? places->left : 0;
	while (more && n--)
		more &= more - 1;
	places->left &= ~more;
	if (!places->left)
		return false;
	block->used |= places->left;
	if (block == block->set->spare)
		block->set->spare = NULL;
	if (block->used == TIMER_BLOCK_PLACES)
		twheel_leaf_set_room(block->set, twheel_block_number(block), false);
	return true;
}

/**
 * twheel_block_take - take places for timers
 * @set: The set, locked.
 * @min: The lowest index allowed.
 * @max: The highest index allowed.
 * @n: How many places are wanted, at least 1. The function may take fewer.
 * @places: For the places: the lowest that are free, of one block. The caller uses one of them
 *	at least, and gives the others back before it unlocks the set.
 *
 * Return: 0; or -EBUSY if there is no free place; or -EAGAIN if twheel_block_add() can make some.
 */
int twheel_block_take(struct timer_set *set, u32 min, u32 max, unsigned int n,
		      struct block_places *places)
{
	u32 number = min / TIMER_BLOCK_TIMERS;

	timer_set_assert_locked(set);

	do {
		number = twheel_leaf_find_room(set, number);
		if (number > max / TIMER_BLOCK_TIMERS)
			return -EBUSY;
		places->block = twheel_leaf_get(set, number);
		if (!places->block) {
			places->missing = number;
			return -EAGAIN;
		}
		/* The block may have room only below @min. */
		number++;
	} while (!block_take_from(places, min, max, n));
	return 0;
}

/**
 * twheel_block_free - free empty blocks, but keep one
 * @set: The set, which has been locked since the blocks became empty.
 * @empty: From twheel_block_give().
 *
 * The kept block is used before a new block is allocated. So a program that adds and cancels a
 * timer again and again does not allocate.
 */
void twheel_block_free(struct timer_set *set, struct timer_block *empty)
{
	struct timer_block *block;

	timer_set_assert_locked(set);

	while (empty) {
		block = empty;
		empty = block->next;
		block_keep(set, block);
	}
}

/**
 * twheel_block_remove - free a block of a set that has ended
 * @set: The set, locked.
 * @block: The block, whose timers have ended.
 */
void twheel_block_remove(struct timer_set *set, struct timer_block *block)
{
	timer_set_assert_locked(set);

	twheel_leaf_put(set, twheel_block_number(block), NULL);
	block_free(block);
}

/**
 * twheel_block_init - set up what all blocks share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_block_init(void)
{
	static_assert(sizeof(struct user_timer) == 64);
	static_assert(TIMER_BLOCK_TIMERS < 64);

	block_cache = kmem_cache_create("twheel_timers", TIMER_BLOCK_SIZE, TIMER_BLOCK_SIZE,
					SLAB_ACCOUNT, NULL);
	return block_cache ? 0 : -ENOMEM;
}

/**
 * twheel_block_exit - free what all blocks share; no set is left
 */
void twheel_block_exit(void)
{
	kmem_cache_destroy(block_cache);
}
