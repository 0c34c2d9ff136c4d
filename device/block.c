// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: where the timers of a set lie
 *
 * A block has places for about fifty timers. The set's xarray has the blocks: the entry
 * of a timer's block is the timer's index divided by the number of places in a block. So
 * a place needs no xarray entry of its own. As in an IDA, the xarray marks every entry
 * with room: an entry without a block, or with a block that is not full. The lowest free
 * place is taken first, so that blocks become empty as timers end.
 *
 * Every place contains a timer of the engine, which is set up along with the block and
 * exists as long as the block. The program's timers in that place come and go. So a
 * callback that still runs when its timer ends does no harm: it finds the place empty,
 * or another timer in it, and does nothing. A block is freed after an RCU grace period.
 * That outlasts every callback, because softirq context is a read-side critical section.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "block.h"
#include "quota.h"

static struct kmem_cache *block_cache;
static twheel_fn_t block_expired;

/* The index of a block in the xarray. */
static unsigned long block_number(const struct timer_block *block)
{
	return block->first / TIMER_BLOCK_TIMERS;
}

/**
 * twheel_block_find - find the place that a handle points to
 * @set: The set, locked.
 * @handle: Any number: it comes from the program.
 *
 * Return: The place, which exists while the set is locked, and whose timer may be
 * %USER_TIMER_DEAD; or %NULL.
 */
struct user_timer *twheel_block_find(struct timer_set *set, u64 handle)
{
	u32 index = handle & TWHEEL_INDEX_MASK;
	XA_STATE(place, &set->timers, index / TIMER_BLOCK_TIMERS);
	struct timer_block *block;

	timer_set_assert_locked(set);

	/* xa_load() has to retry an entry that changes; here the lock is held. */
	block = xas_load(&place);
	return block ? &block->timer[index % TIMER_BLOCK_TIMERS] : NULL;
}

/**
 * twheel_block_from - find the next block of a set
 * @set: The set. The caller holds its lock, unless the set has ended.
 * @number: The number to begin with; afterwards the block's number.
 *
 * Return: The block, which may be empty, or %NULL if there is no further block.
 */
struct timer_block *twheel_block_from(struct timer_set *set, unsigned long *number)
{
	return xa_find(&set->timers, number, ULONG_MAX, XA_PRESENT);
}

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
 * ends early if another CPU waits for the lock, but each hold has one look at least.
 */
static bool block_walk_look(struct timer_set *set, struct block_walk *walk)
{
	if (walk->looks < TWHEEL_CHUNK && spin_is_contended(&set->timers.xa_lock))
		walk->looks = 0;
	if (!walk->looks)
		return false;
	walk->looks--;
	return true;
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
	unsigned long number, slot;

	timer_set_assert_locked(set);

	while (walk->index != ULONG_MAX && block_walk_look(set, walk)) {
		block = walk->block;
		if (!block) {
			number = walk->index / TIMER_BLOCK_TIMERS;
			block = twheel_block_from(set, &number);
			walk->block = block;
			walk->index = block ? max_t(unsigned long, walk->index, block->first) :
				      ULONG_MAX;
			continue;
		}
		slot = find_next_bit(block->used, TIMER_BLOCK_TIMERS, walk->index - block->first);
		walk->index = block->first + slot;
		if (slot < TIMER_BLOCK_TIMERS) {
			walk->index++;
			return &block->timer[slot];
		}
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
	__xa_erase(&set->timers, block_number(old));
	block_free_later(old);
}

/* Returns the spare block, a new one, or an ERR_PTR(). May release the lock. */
static struct timer_block *block_get(struct timer_set *set, enum twheel_lane lane)
	__must_hold(&set->timers.xa_lock)
{
	struct timer_block *block = set->spare;

	if (block) {
		__xa_erase(&set->timers, block_number(block));
		set->spare = NULL;
		return block;
	}
	timer_set_unlock(set);
	block = block_new(set, lane);
	timer_set_lock(set);
	return block;
}

/* Adds an empty block with @number, if there is none. May release the lock. */
static int block_add(struct timer_set *set, unsigned long number, enum twheel_lane lane)
	__must_hold(&set->timers.xa_lock)
{
	struct timer_block *block = block_get(set, lane);
	int ret;

	if (IS_ERR(block))
		return PTR_ERR(block);
	block->first = number * TIMER_BLOCK_TIMERS;
	ret = __xa_insert(&set->timers, number, block, GFP_KERNEL_ACCOUNT);
	if (ret) {
		block_free_later(block);
		/* Another thread has added a block here meanwhile. */
		return ret == -EBUSY ? 0 : ret;
	}
	__xa_set_mark(&set->timers, number, XA_FREE_MARK);
	block_keep(set, block);
	return 0;
}

/* Takes the first free place with an index from @min to @max. Returns NULL if none is. */
static struct user_timer *block_take_from(struct timer_block *block, u32 min, u32 max)
{
	u32 slot = min > block->first ? min - block->first : 0;

	slot = find_next_zero_bit(block->used, TIMER_BLOCK_TIMERS, slot);
	if (slot >= TIMER_BLOCK_TIMERS || block->first + slot > max)
		return NULL;
	__set_bit(slot, block->used);
	if (block == block->set->spare)
		block->set->spare = NULL;
	if (bitmap_full(block->used, TIMER_BLOCK_TIMERS))
		__xa_clear_mark(&block->set->timers, block_number(block),
				XA_FREE_MARK);
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
struct user_timer *twheel_block_take(struct timer_set *set, u32 min, u32 max,
				     enum twheel_lane lane, struct timer_block **hint)
{
	XA_STATE(place, &set->timers, min / TIMER_BLOCK_TIMERS);
	struct timer_block *block = *hint;
	struct user_timer *t = NULL;

	timer_set_assert_locked(set);

	if (block)
		t = block_take_from(block, min, max);
	while (!t) {
		block = xas_find_marked(&place, max / TIMER_BLOCK_TIMERS, XA_FREE_MARK);
		if (place.xa_node == XAS_RESTART)
			return ERR_PTR(-EBUSY);
		if (!block) {
			*hint = NULL;
			return ERR_PTR(block_add(set, place.xa_index, lane) ?:
				       -EAGAIN);
		}
		t = block_take_from(block, min, max);
		/* The block may have room only below @min. */
		xas_set(&place, place.xa_index + 1);
	}
	*hint = block;
	twheel_lane_move(&t->timer, lane);
	return t;
}

/**
 * twheel_block_give - give the place of a timer back
 * @t: The timer, which has ended; its set is locked.
 * @empty: A list of blocks for twheel_block_free(). The timer's block is added to the
 *	list if no timer is left in the block.
 */
void twheel_block_give(struct user_timer *t, struct timer_block **empty)
{
	struct timer_block *block = user_timer_block(t);

	timer_set_assert_locked(block->set);

	t->state = USER_TIMER_DEAD;
	if (bitmap_full(block->used, TIMER_BLOCK_TIMERS))
		__xa_set_mark(&block->set->timers, block_number(block), XA_FREE_MARK);
	__clear_bit(t - block->timer, block->used);
	if (bitmap_empty(block->used, TIMER_BLOCK_TIMERS)) {
		block->next = *empty;
		*empty = block;
	}
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
 * The caller removes one block after the other, in holds of their own. xa_destroy() of
 * an array that still has entries would keep interrupts off while it walks over them.
 */
void twheel_block_remove(struct timer_set *set, struct timer_block *block)
{
	timer_set_assert_locked(set);

	__xa_erase(&set->timers, block_number(block));
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
	static_assert(TIMER_BLOCK_TIMERS <= 64);

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
