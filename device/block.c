// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: where the timers of a set lie
 *
 * A block has places for about fifty timers. The number of a timer's block is the timer's
 * index divided by the number of places in a block; leaf.c finds the block. The lowest
 * free place is taken first, so that blocks become empty as timers end. But timers with words
 * in the table get the indexes of the table in turn.
 *
 * Every place contains a timer of the engine, which is set up along with the block and
 * exists as long as the block. The program's timers in that place come and go. So a
 * callback that still runs when its timer ends does no harm: it finds the place empty,
 * or another timer in it, and does nothing. A block is freed after an RCU grace period.
 * That outlasts every callback, because softirq context is a read-side critical section.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "block.h"
#include "leaf.h"
#include "quota.h"

static struct kmem_cache *block_cache;
static twheel_fn_t block_expired;

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
static struct timer_block *block_new(struct timer_set *set, enum twheel_lane lane)
{
	struct timer_block *block;
	struct user_timer *t;

	if (!twheel_quota_charge_block(set))
		return ERR_PTR(-EDQUOT);
	block = kmem_cache_zalloc(block_cache, GFP_KERNEL);
	if (!block) {
		twheel_quota_retire_block(set->quota);
		twheel_quota_uncharge_block(set->quota);
		return ERR_PTR(-ENOMEM);
	}
	block->set = set;
	block->quota = set->quota;
	for (t = block->timer; t < block->timer + TIMER_BLOCK_TIMERS; t++) {
		t->state = USER_TIMER_DEAD;
		twheel_setup(&t->timer, block_expired, 0);
		twheel_lane_use(&t->timer, lane);
	}
	return block;
}

static void block_free_rcu(struct rcu_head *rcu)
{
	struct timer_block *block = container_of(rcu, struct timer_block, rcu);
	struct user_quota *quota = block->quota;

	kmem_cache_free(block_cache, block);
	twheel_quota_uncharge_block(quota);
}

/* Frees a block after a grace period. Its user is charged until then. */
static void block_free_later(struct timer_block *block)
{
	twheel_quota_retire_block(block->quota);
	call_rcu(&block->rcu, block_free_rcu);
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
	block_free_later(old);
}

/* Returns the spare block, a new one, or an ERR_PTR(). May release the lock. */
static struct timer_block *block_get(struct timer_set *set, enum twheel_lane lane)
	__must_hold(&set->lock)
{
	struct timer_block *block = set->spare;

	if (block) {
		twheel_leaf_put(set, twheel_block_number(block), NULL);
		set->spare = NULL;
		return block;
	}
	timer_set_unlock(set);
	block = block_new(set, lane);
	timer_set_lock(set);
	return block;
}

/**
 * twheel_block_add - add an empty block
 * @set: The set, locked.
 * @number: The number of the block. There may be one with that number.
 * @lane: The lane that is to serve the timers of the block.
 *
 * May release the lock meanwhile, to allocate.
 *
 * Return: 0, but the block may have been taken away or filled again; or -ENOMEM; or -EDQUOT if
 * the user may have no more blocks.
 */
int twheel_block_add(struct timer_set *set, u32 number, enum twheel_lane lane)
	__must_hold(&set->lock)
{
	int ret = twheel_leaf_grow(set, number);
	struct timer_block *block;
	u32 from;

	timer_set_assert_locked(set);

	if (ret)
		return ret;
	from = set->spare ? twheel_block_number(set->spare) : number;
	block = block_get(set, lane);
	if (IS_ERR(block)) {
		twheel_leaf_trim(set, number);
		return PTR_ERR(block);
	}
	block->first = number * TIMER_BLOCK_TIMERS;
	/* Meanwhile another thread may have added a block here, or freed the leaf. */
	if (!twheel_leaf_exists(set, number) || twheel_leaf_get(set, number)) {
		block_free_later(block);
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
 * The kept block is used before a new block is allocated. Otherwise a program that adds
 * and cancels a timer again and again would fill memory with blocks that wait for the
 * end of a grace period.
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
 * @block: The block. Its timers are shut down.
 *
 * The caller removes one block after the other, in holds of their own.
 */
void twheel_block_remove(struct timer_set *set, struct timer_block *block)
{
	timer_set_assert_locked(set);

	twheel_leaf_put(set, twheel_block_number(block), NULL);
	block_free_later(block);
}

/**
 * twheel_block_init - set up what all blocks share
 * @expired: The callback of the timers in the blocks.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_block_init(twheel_fn_t expired)
{
	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct user_timer) <= 80);
	static_assert(TIMER_BLOCK_TIMERS < 64);

	block_expired = expired;
	block_cache = kmem_cache_create("twheel_timers", TIMER_BLOCK_SIZE, TIMER_BLOCK_SIZE,
					SLAB_ACCOUNT, NULL);
	return block_cache ? 0 : -ENOMEM;
}

/**
 * twheel_block_exit - free what all blocks share; no set is left
 */
void twheel_block_exit(void)
{
	/* Blocks go back to the cache after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(block_cache);
}
