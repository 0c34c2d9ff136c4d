/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the structures of the device
 *
 * A set has the timers of one open file. Callbacks take its lock in softirq context. The
 * locks of the engine nest inside it.
 */
#ifndef _TWHEEL_DEVICE_TIMER_SET_H
#define _TWHEEL_DEVICE_TIMER_SET_H

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/rbtree_types.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <uapi/linux/twheel.h>
#include "engine/device.h"
#include "twheel.h"

/* A handle: the generation in the upper bits, the index in the lower ones. */
#define TWHEEL_INDEX_BITS	24
#define TWHEEL_INDEX_MASK	((1U << TWHEEL_INDEX_BITS) - 1)
#define TWHEEL_GENERATION_BITS	(64 - TWHEEL_INDEX_BITS)

/* The flags of an operation that stay with the timer. */
#define TWHEEL_KEPT_FLAGS	(TWHEEL_EACH | TWHEEL_RESTART | TWHEEL_SHARED)

/* Beside them: the timer has expired because the last copy of its lease was closed. */
#define USER_TIMER_LEASE_CLOSED	0x80U
static_assert(!(TWHEEL_KEPT_FLAGS & USER_TIMER_LEASE_CLOSED));

/* The most operations, events or timers that are handled in a row, with the lock held. */
#define TWHEEL_CHUNK		64U

struct clock_node;
struct clock_queue;
struct clock_watch;
struct ended_timers;
struct eventfd_ctx;
struct fasync_struct;
struct file;
struct group_member;
struct timer_block;
struct timer_leaf;
struct timer_lease;
struct twheel_phase;
struct twheel_shared;
struct user_quota;
struct user_share;

/* See user_timer.c. */
enum user_timer_state {
	USER_TIMER_NEW,
	USER_TIMER_PENDING,
	USER_TIMER_UNSEEN,
	USER_TIMER_READY,
	USER_TIMER_DEAD,
};

/* May the set exceed the limits of its user? See quota.c. */
enum timer_set_exemption {
	TIMER_SET_NOT_ASKED,
	TIMER_SET_LIMITED,
	TIMER_SET_EXEMPT,
};

/**
 * struct timer_set - the timers of an open file
 * @lock: Protects all fields that follow.
 * @leaves: How many entries @leaf has.
 * @leaf: The timers' blocks, in leaves, and behind them a bit for each leaf; or %NULL. See
 *	leaf.c.
 * @first_room: No block with a lower number has room.
 * @locked: When timer_set_lock() was called, while twheel_timing is on; else 0.
 * @spare: A block in which there is no timer, or %NULL.
 * @unseen: The timers that are %USER_TIMER_UNSEEN.
 * @ready: The timers that have expired, in the order of expiry.
 * @generation: The generation of the last handle given out: see create.c.
 * @count: How many timers the set has, or is about to have.
 * @unread: How many timers @ready has.
 * @looks: How many timers @unseen has.
 * @latest: The latest time of expiry, in ns of CLOCK_MONOTONIC.
 * @limit: The limit of @count; fixed at open.
 * @exemption: One of &enum timer_set_exemption. Fixed once the question has been asked.
 * @stopped: A drain has stopped the set: no timer can be added.
 * @ended: The file is closed: no event is delivered any more, and timers are freed.
 * @starting: How many timers are NEW, or about to become NEW.
 * @drains: Drains that wait until @starting is 0.
 * @file: The open file, until it is released.
 * @strays: The user was above a share when the set was charged or chose a lane. So timers of the
 *	set may be in a lane, or on a CPU, where they would not be armed now.
 * @quota: The quota of the user who opened the file. It may go before the set, which is @ended
 *	then.
 * @share: What softirqs have done for that user. It goes with the quota.
 * @groups: The groups by tag.
 * @wait: Readers that wait for an event.
 * @wake: Wakes the readers, once after each run of a wheel.
 * @table: The deadlines that the program can push back, or %NULL.
 * @next_shared: The index that the next TWHEEL_SHARED timer gets, if it is free.
 * @ring: The events that the program consumes, or %NULL. Once set, it stays.
 * @entries: How many events the ring has room for.
 * @tail: How many events have been written to the ring.
 * @clock_queue: The timers on CLOCK_REALTIME and on CLOCK_BOOTTIME, or %NULL: see
 *	clocks.c.
 * @watch: Notices when CLOCK_REALTIME is set, or %NULL. Protected by clock_watch.c.
 * @steps: How often CLOCK_REALTIME was set since the last event about it.
 * @stepped: What CLOCK_REALTIME showed when the first of these steps was noticed.
 * @offset: What the time namespace of the opener adds to each clock: 0 to CLOCK_REALTIME.
 * @eventfd: Signalled when readers are woken, or %NULL. Protected by @eventfd_lock.
 * @eventfd_lock: Never taken under @lock, because signals of an eventfd may take long.
 * @fasync: Gets a SIGIO when readers are woken.
 * @leases: How many timers have a lease.
 * @refs: The open file, until it is released, and each lease. They keep the memory.
 * @rcu: Frees the set. Callbacks of dead timers may still take the lock.
 */
struct timer_set {
	spinlock_t		lock;
	u32			leaves;
	struct timer_leaf	**leaf;
	u32			first_room;
	u64			locked;
	struct timer_block	*spare;
	struct list_head	unseen;
	struct list_head	ready;
	u64			generation;
	unsigned int		count;
	unsigned int		unread;
	unsigned int		looks;
	s64			latest;
	unsigned int		limit;
	u8			exemption;
	bool			stopped;
	bool			ended;
	bool			strays;
	unsigned int		starting;
	wait_queue_head_t	drains;
	struct file		*file;
	struct user_quota	*quota;
	struct user_share __percpu *share;
	struct rb_root		groups;
	wait_queue_head_t	wait;
	struct twheel_work	wake;
	struct twheel_shared	*table;
	u32			next_shared;
	struct twheel_shared	*ring;
	u32			entries;
	u64			tail;
	struct clock_queue	*clock_queue[2];
	struct clock_watch	*watch;
	u64			steps;
	u64			stepped;
	s64			offset[CLOCK_BOOTTIME + 1];
	struct eventfd_ctx	*eventfd;
	spinlock_t		eventfd_lock;
	struct fasync_struct	*fasync;
	unsigned int		leases;
	refcount_t		refs;
	struct rcu_head		rcu;
};

/**
 * struct timer_extra - what only some timers have
 * @period: The period in ns; 0 if the timer expires once.
 * @window: How late the timer may expire, in ns.
 * @member: The timer's place in a group, or %NULL.
 * @clock_node: The timer's place in the tree of its clock, if that is not CLOCK_MONOTONIC.
 * @lease: On CLOCK_MONOTONIC: the timer's lease while it is pending, or %NULL. See leased.c.
 */
struct timer_extra {
	u64			period;
	u64			window;
	struct group_member	*member;
	union {
		struct clock_node	*clock_node;
		struct timer_lease	*lease;
	};
};

/**
 * struct user_timer - a program's timer
 * @timer: The engine's part. Its @owner links the timer into @ready of the set while it
 *	is READY, and into @unseen while it is UNSEEN.
 * @generation: The generation in the timer's handle.
 * @state: One of &enum user_timer_state.
 * @clockid: The clock.
 * @flags: %TWHEEL_KEPT_FLAGS of the operation that created the timer, and
 *	%USER_TIMER_LEASE_CLOSED.
 * @cookie: A number of the program's, for its events.
 * @deadline: In ns of the kernel's clock; negative if it is before the kernel's zero,
 *	which a time namespace allows. While the timer is READY: the first deadline
 *	whose event is unread.
 * @expired: When the timer expired, in ns; only while it is READY.
 * @extra: What only some timers have, or %NULL.
 *
 * The set's lock protects everything but @timer. There may be millions of these
 * structures, so every byte counts.
 */
struct user_timer {
	struct twheel_timer	timer;
	u64			generation : TWHEEL_GENERATION_BITS;
	/* Each of these is a byte, which the processor reads and writes by itself. */
	u64			state : 8;
	u64			clockid : 8;
	u64			flags : 8;
	u64			cookie;
	s64			deadline;
	s64			expired;
	struct timer_extra	*extra;
};

/**
 * struct timer_block - consecutive places for timers of a set
 * @set: The set.
 * @quota: The quota that is charged for the block. The block may outlive the set.
 * @next: The next block in a list of empty blocks.
 * @rcu: Frees the block.
 * @first: The index of the first place.
 * @used: The places with a timer that is not DEAD, one bit each. While the set stays locked,
 *	places that a caller has taken for timers, too.
 * @timer: The places; there are %TIMER_BLOCK_TIMERS.
 */
struct timer_block {
	struct timer_set	*set;
	struct user_quota	*quota;
	union {
		struct timer_block *next;
		struct rcu_head	rcu;
	};
	u32			first;
	u64			used;
	struct user_timer	timer[] __aligned(16);
};

/* A block begins at a multiple of its size. */
#define TIMER_BLOCK_SIZE	4096U
#define TIMER_BLOCK_TIMERS	((u32)((TIMER_BLOCK_SIZE - offsetof(struct timer_block, timer)) / \
			       sizeof(struct user_timer)))
/* All places of a block, one bit each. */
#define TIMER_BLOCK_PLACES	GENMASK_ULL(TIMER_BLOCK_TIMERS - 1, 0)

static inline struct timer_block *user_timer_block(const struct user_timer *t)
{
	return PTR_ALIGN_DOWN((struct timer_block *)t, TIMER_BLOCK_SIZE);
}

static inline struct timer_set *user_timer_set(const struct user_timer *t)
{
	return user_timer_block(t)->set;
}

static inline u32 user_timer_index(const struct user_timer *t)
{
	const struct timer_block *block = user_timer_block(t);

	return block->first + (t - block->timer);
}

static inline u64 user_timer_handle(const struct user_timer *t)
{
	return (u64)t->generation << TWHEEL_INDEX_BITS | user_timer_index(t);
}

static inline u64 user_timer_period(const struct user_timer *t)
{
	return t->extra ? t->extra->period : 0;
}

static inline u64 user_timer_window(const struct user_timer *t)
{
	return t->extra ? t->extra->window : 0;
}

static inline struct group_member *user_timer_member(const struct user_timer *t)
{
	return t->extra ? t->extra->member : NULL;
}

static inline struct clock_node *user_timer_clock_node(const struct user_timer *t)
{
	return t->clockid != CLOCK_MONOTONIC ? t->extra->clock_node : NULL;
}

static inline struct timer_lease *user_timer_lease(const struct user_timer *t)
{
	return t->extra && t->clockid == CLOCK_MONOTONIC ? t->extra->lease : NULL;
}

/* Whether the timer has a deadline that, as far as the kernel knows, has not passed. */
static inline bool user_timer_is_armed(const struct user_timer *t)
{
	return t->state == USER_TIMER_PENDING || t->state == USER_TIMER_UNSEEN;
}

static inline void timer_set_lock(struct timer_set *set)
	__acquires(&set->lock)
{
	spin_lock_bh(&set->lock);
	set->locked = twheel_stats_start();
}

static inline void timer_set_assert_locked(const struct timer_set *set)
{
	lockdep_assert_held(&set->lock);
}

static inline void timer_set_unlock(struct timer_set *set)
	__releases(&set->lock)
{
	if (unlikely(set->locked))
		twheel_stats_set_hold(set->locked);
	spin_unlock_bh(&set->lock);
}

#endif /* _TWHEEL_DEVICE_TIMER_SET_H */
