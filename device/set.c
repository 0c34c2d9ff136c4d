// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: open and release of a set
 *
 * An open file has one set of timers. Every file descriptor of that open file, after
 * dup(), fork() or SCM_RIGHTS, uses the same set; the last close releases it.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "block.h"
#include "clock_watch.h"
#include "clocks.h"
#include "deliver.h"
#include "leaf.h"
#include "map.h"
#include "quota.h"
#include "set.h"
#include "table.h"
#include "time.h"
#include "user_timer.h"

static unsigned int max_timers = TWHEEL_INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

/* In a set with more timers than this, no one looks for the earliest deadline. */
#define SET_NEXT_TIMERS	1024U

/* Returns the program's earliest deadline of some timers, and goes on with the walk. */
static u64 set_next_of_some(struct timer_set *set, struct block_walk *walk)
{
	u64 next = U64_MAX;
	struct user_timer *t;

	timer_set_lock(set);
	twheel_block_walk_begin(set, walk);
	while ((t = twheel_block_walk_next(set, walk))) {
		if (user_timer_is_armed(t) && t->clockid == CLOCK_MONOTONIC)
			next = min(next, twheel_time_to_program(set, CLOCK_MONOTONIC,
								twheel_table_deadline(t)));
	}
	timer_set_unlock(set);
	return next;
}

/**
 * twheel_set_next_deadline - find the next deadline of a set
 * @set: The set.
 *
 * The set keeps no order, so the function looks at every timer of a set that has few. A set
 * with many keeps its next deadline for itself: to read a line of fdinfo must not take longer
 * the more timers a program has. TWHEEL_IOC_LIST tells all deadlines.
 *
 * Return: The earliest deadline in ns of the program's CLOCK_MONOTONIC; %U64_MAX if no
 * timer on that clock is pending, or the set has more than 1,024 timers.
 */
u64 twheel_set_next_deadline(struct timer_set *set)
{
	struct block_walk walk = { .index = 0 };
	u64 next = U64_MAX;

	while (walk.index != ULONG_MAX && !fatal_signal_pending(current)) {
		if (READ_ONCE(set->count) > SET_NEXT_TIMERS)
			return U64_MAX;
		next = min(next, set_next_of_some(set, &walk));
		cond_resched();
	}
	return next;
}

/**
 * twheel_set_open - create an empty set for the user who opens a file
 * @file: The file. Its credentials say who the user is.
 *
 * Context: process, may sleep.
 *
 * Return: The set, or %NULL if there is no memory.
 */
struct timer_set *twheel_set_open(struct file *file)
{
	struct timer_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	set->quota = twheel_quota_get(file->f_cred);
	if (!set->quota)
		goto out_free_set;
	set->share = twheel_quota_share(set->quota);
	spin_lock_init(&set->lock);
	refcount_set(&set->refs, 1);
	init_waitqueue_head(&set->drains);
	set->offset[CLOCK_MONOTONIC] = twheel_time_offset(CLOCK_MONOTONIC);
	set->offset[CLOCK_BOOTTIME] = twheel_time_offset(CLOCK_BOOTTIME);
	set->file = file;
	set->limit = min(READ_ONCE(max_timers), TWHEEL_INDEX_MASK + 1);
	twheel_deliver_init(set);
	return set;

out_free_set:
	kfree(set);
	return NULL;
}

/* Shuts all timers down. Afterwards no callback of theirs runs any more. */
static void set_shut_down(struct timer_set *set)
{
	struct timer_block *block;
	unsigned long number;
	u64 left;

	for (number = 0; (block = twheel_leaf_next(set, &number)); number++) {
		for (left = block->used; left; left &= left - 1)
			twheel_shutdown_sync(&block->timer[__ffs64(left)].timer);
		cond_resched();
	}
}

/* Frees all timers, which are shut down. Takes the lock once for each block. */
static void set_free_timers(struct timer_set *set)
{
	struct timer_block *block;
	struct user_timer *t;
	unsigned long number;
	u64 left;

	for (number = 0; (block = twheel_leaf_next(set, &number)); number++) {
		timer_set_lock(set);
		for (left = block->used; left; left &= left - 1) {
			t = &block->timer[__ffs64(left)];
			if (t->extra)
				twheel_user_timer_free_extra(t);
		}
		twheel_block_remove(set, block);
		timer_set_unlock(set);
		cond_resched();
	}
	twheel_leaf_free(set);
}

/**
 * twheel_set_put - give back a reference to the memory of a set
 * @set: The set.
 */
void twheel_set_put(struct timer_set *set)
{
	if (refcount_dec_and_test(&set->refs))
		kfree_rcu(set, rcu);
}

/**
 * twheel_set_release - end a set and all its timers
 * @set: The set. Only callbacks still use it; they take its lock.
 *
 * A program can no longer call the device: calls, fdinfo and mappings hold a reference to
 * the open file. Callbacks end no timer of a set that is @ended. So after
 * twheel_deliver_stop() nothing else removes timers or blocks, and the function walks
 * over the blocks without the lock.
 *
 * Context: process, may sleep.
 */
void twheel_set_release(struct timer_set *set)
{
	twheel_deliver_stop(set);
	twheel_clock_watch_stop(set);
	twheel_clocks_stop(set);
	set_shut_down(set);
	/* Only now: a callback that still ran might have put its timer in the list. */
	set_free_timers(set);
	twheel_deliver_exit(set);
	twheel_map_release(set);
	twheel_quota_uncharge(set->quota, set->count);
	twheel_quota_put(set->quota);
	twheel_set_put(set);
}
