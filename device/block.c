// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: where the timers of an open file are
 *
 * In blocks of some fifty, which the set's xarray has by the indexes of their
 * timers, divided: so that finding a place costs next to nothing for most timers,
 * and keeping it no memory. As in an IDA, a mark is on the entries where there is
 * room: those with no block, and those whose block is not full. The lowest place
 * is taken first, so that blocks become empty as timers end.
 *
 * The engine's part of a timer is set up along with its block, and is a timer of the
 * engine for as long as that is there, whichever timers of the program come and go in
 * its place. So a callback that was under way when its timer ended does no harm: it
 * finds none, or another one, for which it does nothing. Blocks are freed after a
 * grace period, which a callback holds off, softirq context being a read-side
 * critical section.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "engine/device.h"
#include "timer_set.h"

static struct kmem_cache *blocks;

static unsigned long number_of(const struct timer_block *block)
{
	return block->first / BLOCK_TIMERS;
}

/**
 * twheel_block_find - find the timer that a handle may be the name of
 * @set: The set, locked.
 * @handle: Whatever the program says.
 *
 * Return: The timer with that index, which stays as long as the set is locked, and may
 * be DEAD; or %NULL.
 */
struct user_timer *twheel_block_find(struct timer_set *set, u64 handle)
{
	u32 index = handle & INDEX_MASK;
	XA_STATE(place, &set->timers, index / BLOCK_TIMERS);
	struct timer_block *block;

	lockdep_assert_held(&set->timers.xa_lock);

	/* Locked, there is nothing to try again, as xa_load() would. */
	block = xas_load(&place);
	return block ? &block->timer[index % BLOCK_TIMERS] : NULL;
}

/**
 * twheel_block_next - find the next timer that is there
 * @set: The set, locked, or used by nobody else.
 * @index: Where to begin; the timer's index afterwards, or %ULONG_MAX.
 *
 * Return: The timer, or %NULL if there is none.
 */
struct user_timer *twheel_block_next(struct timer_set *set, unsigned long *index)
{
	unsigned long start = *index / BLOCK_TIMERS, number, slot;
	struct timer_block *block;

	xa_for_each_start(&set->timers, number, block, start) {
		slot = *index > block->first ? *index - block->first : 0;
		slot = find_next_bit(block->used, BLOCK_TIMERS, slot);
		if (slot < BLOCK_TIMERS) {
			*index = block->first + slot;
			return &block->timer[slot];
		}
	}
	*index = ULONG_MAX;
	return NULL;
}

static struct timer_block *new_block(struct timer_set *set, int lane)
{
	struct timer_block *block = kmem_cache_zalloc(blocks, GFP_KERNEL);
	struct user_timer *t;

	if (!block)
		return NULL;
	block->set = set;
	for (t = block->timer; t < block->timer + BLOCK_TIMERS; t++) {
		t->state = DEAD;
		twheel_setup(&t->timer, twheel_set_expired, 0);
		twheel_lane_use(&t->timer, lane);
	}
	return block;
}

static void free_block(struct rcu_head *rcu)
{
	kmem_cache_free(blocks, container_of(rcu, struct timer_block, rcu));
}

/* Makes an empty block the spare one. There is one at most. */
static void keep_block(struct timer_set *set, struct timer_block *block)
{
	struct timer_block *old = set->spare;

	set->spare = block;
	if (!old)
		return;
	__xa_erase(&set->timers, number_of(old));
	call_rcu(&old->rcu, free_block);
}

/* The spare one, out of the set, or a new one. May let go of the lock. */
static struct timer_block *get_block(struct timer_set *set, int lane)
	__must_hold(&set->timers.xa_lock)
{
	struct timer_block *block = set->spare;

	if (block) {
		__xa_erase(&set->timers, number_of(block));
		set->spare = NULL;
		return block;
	}
	unlock_set(set);
	block = new_block(set, lane);
	lock_set(set);
	return block;
}

/* Adds an empty block where there is none. May let go of the lock. */
static int add_block(struct timer_set *set, unsigned long number, int lane)
	__must_hold(&set->timers.xa_lock)
{
	struct timer_block *block = get_block(set, lane);
	int ret;

	if (!block)
		return -ENOMEM;
	block->first = number * BLOCK_TIMERS;
	ret = __xa_insert(&set->timers, number, block, GFP_KERNEL_ACCOUNT);
	if (ret) {
		call_rcu(&block->rcu, free_block);
		/* Another thread was faster. */
		return ret == -EBUSY ? 0 : ret;
	}
	__xa_set_mark(&set->timers, number, XA_FREE_MARK);
	keep_block(set, block);
	return 0;
}

/* The first place in a block, if there is one, from @min to @max. */
static struct user_timer *take_from(struct timer_block *block, u32 min, u32 max)
{
	u32 slot = min > block->first ? min - block->first : 0;

	slot = find_next_zero_bit(block->used, BLOCK_TIMERS, slot);
	if (slot >= BLOCK_TIMERS || block->first + slot > max)
		return NULL;
	__set_bit(slot, block->used);
	if (block == block->set->spare)
		block->set->spare = NULL;
	if (bitmap_full(block->used, BLOCK_TIMERS))
		__xa_clear_mark(&block->set->timers, number_of(block),
				XA_FREE_MARK);
	return &block->timer[slot];
}

/**
 * twheel_block_take - take a place for a timer
 * @set: The set, locked.
 * @min: The least index that will do.
 * @max: The greatest.
 * @lane: Where the timer is to be served.
 * @hint: A block to begin with, or %NULL, and then the one that had a place: as
 *	long as the set stays locked. What is before it is taken not to have any.
 *
 * Return: The timer, still DEAD; or an ERR_PTR(): -EBUSY if there is no place;
 * -EAGAIN after the lock was let go of, and there may be room now; or -ENOMEM, after
 * the same.
 */
struct user_timer *twheel_block_take(struct timer_set *set, u32 min, u32 max,
				     int lane, struct timer_block **hint)
{
	XA_STATE(place, &set->timers, min / BLOCK_TIMERS);
	struct timer_block *block = *hint;
	struct user_timer *t = NULL;

	lockdep_assert_held(&set->timers.xa_lock);

	if (block)
		t = take_from(block, min, max);
	while (!t) {
		block = xas_find_marked(&place, max / BLOCK_TIMERS, XA_FREE_MARK);
		if (place.xa_node == XAS_RESTART)
			return ERR_PTR(-EBUSY);
		if (!block) {
			*hint = NULL;
			return ERR_PTR(add_block(set, place.xa_index, lane) ?:
				       -EAGAIN);
		}
		t = take_from(block, min, max);
		/* It may have no place from @min on. */
		xas_set(&place, place.xa_index + 1);
	}
	*hint = block;
	twheel_lane_move(&t->timer, lane);
	return t;
}

/**
 * twheel_block_give - give the place of a timer back
 * @t: The timer, which has ended; its set is locked.
 * @empty: A list of blocks, for twheel_block_free(), to which its block goes if
 *	no timer is left in it.
 */
void twheel_block_give(struct user_timer *t, struct timer_block **empty)
{
	struct timer_block *block = block_of(t);

	lockdep_assert_held(&block->set->timers.xa_lock);

	t->state = DEAD;
	if (bitmap_full(block->used, BLOCK_TIMERS))
		__xa_set_mark(&block->set->timers, number_of(block), XA_FREE_MARK);
	__clear_bit(t - block->timer, block->used);
	if (bitmap_empty(block->used, BLOCK_TIMERS)) {
		block->next = *empty;
		*empty = block;
	}
}

/**
 * twheel_block_free - free blocks in which there is no timer, but for one
 * @set: The set, which has been locked since they became so.
 * @empty: From twheel_block_give().
 *
 * That one is used before another is allocated, wherever there is need for one: a
 * program that adds a timer and cancels it, again and again, is not to use up memory
 * until the grace period is over.
 */
void twheel_block_free(struct timer_set *set, struct timer_block *empty)
{
	struct timer_block *block;

	lockdep_assert_held(&set->timers.xa_lock);

	while (empty) {
		block = empty;
		empty = block->next;
		keep_block(set, block);
	}
}

/**
 * twheel_block_release - free all blocks
 * @set: The set, which nobody uses any more. All its timers are shut down.
 */
void twheel_block_release(struct timer_set *set)
{
	struct timer_block *block;
	unsigned long number;

	xa_for_each(&set->timers, number, block) {
		call_rcu(&block->rcu, free_block);
		cond_resched();
	}
	xa_destroy(&set->timers);
}

/**
 * twheel_block_init - set up what all blocks share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_block_init(void)
{
	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct user_timer) <= 80);
	static_assert(BLOCK_TIMERS <= 64);

	blocks = kmem_cache_create("twheel_timers", TIMER_BLOCK_SIZE, TIMER_BLOCK_SIZE,
				   SLAB_ACCOUNT, NULL);
	return blocks ? 0 : -ENOMEM;
}

/**
 * twheel_block_exit - free what all blocks share; none is left
 */
void twheel_block_exit(void)
{
	/* They go back to the cache after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(blocks);
}
