// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: open and release of a set
 *
 * An open file has one set of timers. Every file descriptor of that open file, after
 * dup(), fork() or SCM_RIGHTS, uses the same set; the last close releases it.
 */
#include <linux/bitops.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "block.h"
#include "clock.h"
#include "leaf.h"
#include "levels.h"
#include "map.h"
#include "quota.h"
#include "set.h"
#include "table.h"
#include "time.h"
#include "turn.h"
#include "visit.h"

static unsigned int max_timers = TWHEEL_INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

/* In a set with more timers than this, no one looks for the earliest deadline. */
#define SET_NEXT_TIMERS	1024U

/* Looks at some timers for twheel_set_look(), and goes on with the walk. */
static void set_look_at_some(struct timer_set *set, struct block_walk *walk, u64 *next,
			     unsigned int *unread)
{
	struct twheel_phase phase;
	struct user_timer *t;

	timer_set_lock(set);
	twheel_clock_read(&phase);
	twheel_block_walk_begin(set, walk);
	while ((t = twheel_block_walk_next(set, walk))) {
		if (twheel_user_timer_has_expired(t, &phase))
			++*unread;
		else if (t->clockid == CLOCK_MONOTONIC)
			*next = min(*next, twheel_time_to_program(set, CLOCK_MONOTONIC,
								  twheel_table_deadline(t)));
	}
	timer_set_unlock(set);
}

/**
 * twheel_set_look - find the next deadline of a set, and how many timers have expired
 * @set: The set.
 * @unread: For how many timers have an unread event.
 *
 * The function looks at every timer of a set that has few, and turns nothing. A set with many
 * keeps its next deadline for itself, and tells only of the expired timers that it has found: to
 * read a line of fdinfo must not take longer the more timers a program has. TWHEEL_IOC_LIST tells
 * all deadlines.
 *
 * Return: The earliest deadline in ns of the program's CLOCK_MONOTONIC; %U64_MAX if no
 * timer on that clock is pending, or the set has more than 1,024 timers.
 */
u64 twheel_set_look(struct timer_set *set, unsigned int *unread)
{
	struct block_walk walk = { .index = 0 };
	u64 next = U64_MAX;

	*unread = 0;
	while (walk.index != ULONG_MAX && !fatal_signal_pending(current)) {
		if (READ_ONCE(set->count) > SET_NEXT_TIMERS) {
			*unread = READ_ONCE(set->unread);
			return U64_MAX;
		}
		set_look_at_some(set, &walk, &next, unread);
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
	spin_lock_init(&set->lock);
	twheel_wheel_init(&set->wheel, get_jiffies_64());
	RB_CLEAR_NODE(&set->visit);
	set->visit_at = TWHEEL_NEVER;
	set->user = twheel_quota_cpus(set->quota);
	INIT_LIST_HEAD(&set->ready);
	INIT_LIST_HEAD(&set->ended_leases);
	INIT_LIST_HEAD(&set->clock_node);
	INIT_LIST_HEAD(&set->wake);
	twheel_waiters_init(&set->wait);
	spin_lock_init(&set->eventfd_lock);
	refcount_set(&set->refs, 1);
	set->offset[CLOCK_MONOTONIC] = twheel_time_offset(CLOCK_MONOTONIC);
	set->offset[CLOCK_BOOTTIME] = twheel_time_offset(CLOCK_BOOTTIME);
	set->file = file;
	set->limit = min(READ_ONCE(max_timers), TWHEEL_INDEX_MASK + 1);
	return set;

out_free_set:
	kfree(set);
	return NULL;
}

/* Frees the extras of the timers of a block. */
static void set_free_extras(struct timer_set *set, struct timer_block *block)
{
	struct user_timer *t;
	u64 left;

	timer_set_lock(set);
	for (left = block->used; left && block->extras; left &= left - 1) {
		t = &block->timer[__ffs64(left)];
		if (t->extra)
			twheel_user_timer_free_extra(t);
	}
	timer_set_unlock(set);
}

/* Frees all timers. They need not be taken off the wheel one by one: it goes with them. */
static void set_free_timers(struct timer_set *set)
{
	struct timer_block *block;
	unsigned long number;

	for (number = 0; (block = twheel_leaf_next(set, &number)); number++) {
		if (block->extras)
			set_free_extras(set, block);
		timer_set_lock(set);
		twheel_block_remove(set, block);
		timer_set_unlock(set);
		twheel_wake_holders(set);
		cond_resched();
	}
	twheel_leaf_free(set);
	twheel_levels_free(set);
}

static void set_end(struct timer_set *set)
{
	struct eventfd_ctx *eventfd;

	timer_set_lock(set);
	WRITE_ONCE(set->ended, true);
	timer_set_unlock(set);
	twheel_clock_leave(set);
	twheel_visit_stop(set);
	/* A wake-up that is still under way finds none. */
	spin_lock_bh(&set->eventfd_lock);
	eventfd = set->eventfd;
	WRITE_ONCE(set->eventfd, NULL);
	spin_unlock_bh(&set->eventfd_lock);
	if (eventfd)
		eventfd_ctx_put(eventfd);
}

/**
 * twheel_set_put - give back a reference to the memory of a set
 * @set: The set.
 */
void twheel_set_put(struct timer_set *set)
{
	if (!refcount_dec_and_test(&set->refs))
		return;
	twheel_waiters_free(&set->wait);
	kfree_rcu(set, rcu);
}

/**
 * twheel_set_release - end a set and all its timers
 * @set: The set. Only holders of leases still use it; they take its lock, and find it @ended.
 *
 * A program can no longer call the device: calls, fdinfo and mappings hold a reference to
 * the open file. So nothing else removes timers or blocks, and the function walks over the blocks
 * without the lock.
 *
 * Context: process, may sleep.
 */
void twheel_set_release(struct timer_set *set)
{
	set_end(set);
	set_free_timers(set);
	twheel_map_release(set);
	twheel_quota_uncharge(set->quota, set->count);
	twheel_quota_put(set->quota);
	twheel_set_put(set);
}
