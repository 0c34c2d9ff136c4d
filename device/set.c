// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: open, release and fdinfo of a set
 *
 * An open file has one set of timers. Every file descriptor of that open file, after
 * dup(), fork() or SCM_RIGHTS, uses the same set; the last close releases it.
 */
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include "calls.h"
#include "quota.h"
#include "turn.h"

static unsigned int max_timers = TWHEEL_INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

/* In a set with more timers than this, no one looks for the earliest deadline. */
#define SET_NEXT_TIMERS	1024U

/*
 * Finds the earliest deadline on the program's CLOCK_MONOTONIC, or %U64_MAX, and how many timers
 * have expired. Turns nothing. A set with many timers keeps its next deadline for itself, and tells
 * only of the expired timers that it has found: to read a line of fdinfo must not take longer the
 * more timers a program has. TWHEEL_IOC_LIST tells all deadlines.
 */
static void set_look(struct timer_set *set, u64 *next, unsigned int *unread)
{
	struct block_walk walk = { .index = 0 };
	struct twheel_phase phase;
	struct user_timer *t;

	*next = U64_MAX;
	*unread = 0;
	while (walk.index != ULONG_MAX && !fatal_signal_pending(current)) {
		twheel_turn_lock(set, &phase);
		if (set->count > SET_NEXT_TIMERS) {
			*next = U64_MAX;
			*unread = set->unread;
			walk.index = ULONG_MAX;
		}
		walk.looks = TWHEEL_CHUNK;
		while ((t = twheel_block_walk_next(set, &walk))) {
			if (twheel_user_timer_has_expired(t, &phase))
				++*unread;
			else if (t->clockid == CLOCK_MONOTONIC)
				*next = min(*next,
					    twheel_time_to_program(set, t->clockid,
								   twheel_table_deadline(t)));
		}
		spin_unlock_bh(&set->lock);
		cond_resched();
	}
}

void twheel_set_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct timer_set *set = file->private_data;
	u64 next, memory, user_limit = twheel_quota_shown_limit(set);
	unsigned int unread;

	set_look(set, &next, &unread);
	memory = (u64)twheel_quota_count(set->quota, QUOTA_BLOCKS) * TIMER_BLOCK_SIZE +
		 (u64)twheel_quota_count(set->quota, QUOTA_PAGES) * PAGE_SIZE;

	/* Under the lock, so that the counts agree with each other. */
	spin_lock_bh(&set->lock);
	seq_printf(m, "twheel-timers:\t%u\n", set->count);
	seq_printf(m, "twheel-unread:\t%u\n", unread);
	seq_printf(m, "twheel-leases:\t%u\n", set->leases);
	seq_printf(m, "twheel-max-timers:\t%u\n", set->limit);
	seq_printf(m, "twheel-user-timers:\t%u\n", twheel_quota_count(set->quota, QUOTA_TIMERS));
	spin_unlock_bh(&set->lock);
	if (user_limit != U64_MAX)
		seq_printf(m, "twheel-max-user-timers:\t%llu\n", user_limit);
	seq_printf(m, "twheel-user-memory-kb:\t%llu\n", memory >> 10);
	seq_printf(m, "twheel-cpus-above-share:\t%u\n", 0);
	if (next <= S64_MAX)
		seq_printf(m, "twheel-next-deadline-ns:\t%llu\n", next);
}

/* Creates an empty set for the user who opens the file. */
int twheel_set_open(struct inode *inode, struct file *file)
{
	struct timer_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	struct timespec64 monotonic = { }, boottime = { };

	if (!set)
		return -ENOMEM;
	set->file = file;
	if (!twheel_quota_get(set)) {
		kfree(set);
		return -ENOMEM;
	}
	spin_lock_init(&set->lock);
	twheel_wheel_init(&set->wheel, get_jiffies_64());
	timerqueue_init(&set->visit);
	set->visit.expires = TWHEEL_NEVER;
	INIT_LIST_HEAD(&set->ready);
	INIT_LIST_HEAD(&set->ended_leases);
	INIT_LIST_HEAD(&set->clock_node);
	twheel_waiters_init(&set->wait);
	spin_lock_init(&set->eventfd_lock);
	refcount_set(&set->refs, 1);
	timens_add_monotonic(&monotonic);
	timens_add_boottime(&boottime);
	set->offset[CLOCK_MONOTONIC] = timespec64_to_ns(&monotonic);
	set->offset[CLOCK_BOOTTIME] = timespec64_to_ns(&boottime);
	set->limit = min(READ_ONCE(max_timers), TWHEEL_INDEX_MASK + 1);
	file->private_data = set;
	/* read() honours IOCB_NOWAIT, so io_uring need not use a worker thread to read. */
	file->f_mode |= FMODE_NOWAIT;
	return nonseekable_open(inode, file);
}

/* Frees the timers. They need not be taken off the wheel one by one: it goes with them. */
static void set_free_timers(struct timer_set *set)
{
	struct timer_block *block;
	struct user_timer *t;
	u32 number;
	u64 left;

	for (number = 0; number < set->blocks; number++) {
		block = set->block[number];
		if (!block)
			continue;
		spin_lock_bh(&set->lock);
		for (left = block->used; left && block->extras; left &= left - 1) {
			t = &block->timer[__ffs64(left)];
			if (t->extra)
				twheel_user_timer_free_extra(t);
		}
		spin_unlock_bh(&set->lock);
		twheel_block_remove(block);
		cond_resched();
	}
	/* Wakes the holders of leases. No visit does, because the set has ended. */
	twheel_waiters_wake(set);
}

/* Gives back a reference to the memory of a set. */
void twheel_set_put(struct timer_set *set)
{
	if (refcount_dec_and_test(&set->refs))
		kfree_rcu(set, rcu);
}

/* A close, if not the last. Perhaps only its process was woken, and has died: wakes the others. */
int twheel_set_flush(struct file *file, fl_owner_t id)
{
	struct timer_set *set = file->private_data;
	bool wake;

	spin_lock_bh(&set->lock);
	wake = file_count(file) > 1 &&
	       (set->woken != WOKEN_NOT || twheel_turn_any(set) ||
		(set->ring && twheel_ring_room(set) != set->entries));
	set->again |= wake;
	spin_unlock_bh(&set->lock);
	if (wake)
		twheel_waiters_wake(set);
	return 0;
}

/*
 * Ends a set and all its timers. Only holders of leases still use the set; they take its lock, and
 * find it @ended. A program can no longer call the device: calls, fdinfo and mappings hold a
 * reference to the open file. So nothing else removes timers or blocks, and set_free_timers() walks
 * over the blocks without the lock.
 */
int twheel_set_release(struct inode *inode, struct file *file)
{
	struct timer_set *set = file->private_data;

	spin_lock_bh(&set->lock);
	set->ended = true;
	spin_unlock_bh(&set->lock);
	twheel_clock_remove(set);
	twheel_user_cpu_remove(set);
	twheel_waiters_set_eventfd(set, NULL);
	set_free_timers(set);
	twheel_block_free_array(set, set->block, set->array_words);
	twheel_levels_free(set);
	twheel_map_release(set);
	twheel_quota_uncharge(set->quota, QUOTA_TIMERS, set->count);
	twheel_quota_put(set->quota);
	twheel_set_put(set);
	return 0;
}
