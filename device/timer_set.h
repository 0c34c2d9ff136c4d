/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the structures of the device
 *
 * A set has the timers of one open file, and a wheel for them. The program turns the wheel in its
 * own calls: turn.c. The locks of the engine nest inside the lock of a set.
 */
#ifndef _TWHEEL_DEVICE_TIMER_SET_H
#define _TWHEEL_DEVICE_TIMER_SET_H

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
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

/* For arrays of that size on the stack, which kernels may clear before they are used. */
#if __has_attribute(__uninitialized__)
#define timer_set_not_cleared	__attribute__((__uninitialized__))
#else
#define timer_set_not_cleared
#endif

struct eventfd_ctx;
struct fasync_struct;
struct file;
struct timer_block;
struct timer_leaf;
struct timer_lease;
struct twheel_shared;
struct user_cpu;
struct user_quota;

/* See user_timer.c. A place that was never used is %USER_TIMER_DEAD. */
enum user_timer_state {
	USER_TIMER_DEAD,
	USER_TIMER_PENDING,
	USER_TIMER_READY,
};

/* May the set exceed the limits of its user? See quota.c. */
enum timer_set_exemption {
	TIMER_SET_NOT_ASKED,
	TIMER_SET_LIMITED,
	TIMER_SET_EXEMPT,
};

/**
 * struct timer_set - the timers of an open file
 * @lock: Protects the fields that follow, unless they say otherwise. Taken with bottom halves off.
 * @leaves: How many entries @leaf has.
 * @leaf: The timers' blocks, in leaves, and behind them a bit for each leaf; or %NULL. See
 *	leaf.c.
 * @first_room: No block with a lower number has room.
 * @stopped: A drain has stopped the set: no timer can be added.
 * @ended: The file is closed: no event is delivered any more, and timers are freed.
 * @woken: The visit has woken the program, which has not called since. See visit.c.
 * @refile: Timers on clocks that jump must be filed again: see clock.c.
 * @wheel: The pending timers, of all clocks, by ticks.
 * @visit: The place in a tree of @visit_user, if it has one. Protected there.
 * @visit_user: Where the set was last to be visited, or %NULL. See user_cpu.c.
 * @visit_at: The tick of the next visit; %TWHEEL_NEVER if there is none.
 * @spare: A block in which there is no timer, or %NULL.
 * @ready: The timers whose events are unread, in the order of expiry.
 * @unread: How many timers @ready has.
 * @count: How many timers the set has.
 * @generation: The generation of the last handle given out: see create.c.
 * @latest: The latest time of expiry, in ns of CLOCK_MONOTONIC.
 * @limit: The limit of @count; fixed at open.
 * @exemption: One of &enum timer_set_exemption. Fixed once the question has been asked.
 * @leases: How many timers have a lease.
 * @ended_leases: Leases that have ended and whose holders are not woken yet. See wake.c.
 * @groups: The timers with a group, by its tag.
 * @table: The deadlines that the program can push back, or %NULL.
 * @next_shared: The index that the next TWHEEL_SHARED timer gets, if it is free.
 * @ring: The events that the program consumes, or %NULL. Once set, it stays.
 * @entries: How many events the ring has room for.
 * @tail: How many events have been written to the ring.
 * @clocked: How many timers are on clocks that jump.
 * @refile_at: The index of the timer that @refile goes on with.
 * @clock_sets: How often CLOCK_REALTIME was set since the last event about it.
 * @clock_first: What CLOCK_REALTIME showed when the first of these was noticed.
 * @clock_offset: From CLOCK_BOOTTIME to CLOCK_REALTIME when the set last looked.
 * @clock_watch: The program has asked for events about CLOCK_REALTIME.
 * @clock_node: The place in the list of clock.c. Protected there, as @clock_round.
 * @clock_round: The last jump that the set was told of.
 * @offset: What the time namespace of the opener adds to each clock: 0 to CLOCK_REALTIME. Fixed.
 * @file: The open file, until it is released. Fixed.
 * @quota: The quota of the user who opened the file. It may go before the set, which is @ended
 *	then. Fixed.
 * @user: What each CPU has to do for that user. It goes with the quota. Fixed.
 * @wait: Readers that wait for an event.
 * @wake: The place in a list of wake.c, while @wake_queued is not 0.
 * @wake_cpu: The CPU of that list.
 * @wake_wanted: The readers are to be woken. Protected by @lock.
 * @wake_queued: The set waits for its turn to wake its readers.
 * @eventfd: Signalled when readers are woken, or %NULL. Protected by @eventfd_lock.
 * @eventfd_lock: Never taken under @lock, because signals of an eventfd may take long.
 * @fasync: Gets a SIGIO when readers are woken.
 * @refs: The open file, until it is released, and each lease. They keep the memory.
 * @rcu: Frees the set. A wake-up may still be under way.
 */
struct timer_set {
	spinlock_t		lock;
	u32			leaves;
	struct timer_leaf	**leaf;
	u32			first_room;
	bool			stopped;
	bool			ended;
	bool			woken;
	bool			refile;
	struct twheel_wheel	wheel;
	struct rb_node		visit;
	struct user_cpu		*visit_user;
	u64			visit_at;
	struct timer_block	*spare;
	struct list_head	ready;
	unsigned int		unread;
	unsigned int		count;
	u64			generation;
	s64			latest;
	unsigned int		limit;
	u8			exemption;
	unsigned int		leases;
	struct list_head	ended_leases;
	struct rb_root		groups;
	struct twheel_shared	*table;
	u32			next_shared;
	struct twheel_shared	*ring;
	u32			entries;
	u64			tail;
	unsigned int		clocked;
	unsigned long		refile_at;
	u64			clock_sets;
	u64			clock_first;
	s64			clock_offset;
	bool			clock_watch;
	struct list_head	clock_node;
	u64			clock_round;
	s64			offset[CLOCK_BOOTTIME + 1];
	struct file		*file;
	struct user_quota	*quota;
	struct user_cpu __percpu *user;
	wait_queue_head_t	wait;
	struct list_head	wake;
	unsigned int		wake_cpu;
	bool			wake_wanted;
	atomic_t		wake_queued;
	struct eventfd_ctx	*eventfd;
	spinlock_t		eventfd_lock;
	struct fasync_struct	*fasync;
	refcount_t		refs;
	struct rcu_head		rcu;
};

/**
 * struct timer_extra - what only some timers have
 * @group: The timer's place in @groups of the set, if it has a @tag.
 * @tag: The tag of its group, or 0.
 * @t: The timer.
 * @period: The period in ns; 0 if the timer expires once.
 * @window: How late the timer may expire, in ns.
 * @lease: The timer's lease while it is pending, or %NULL. See leased.c.
 */
struct timer_extra {
	struct rb_node		group;
	u64			tag;
	struct user_timer	*t;
	u64			period;
	u64			window;
	struct timer_lease	*lease;
};

/**
 * struct user_timer - a program's timer
 * @node: What the wheel knows of the timer while it is PENDING. While the timer is READY, its
 *	@entry links it into @ready of the set, and its @state is the time of expiry, in ns of
 *	the timer's clock.
 * @word: The next four fields, for user_timer_is_usual().
 * @generation: The generation in the timer's handle.
 * @state: One of &enum user_timer_state.
 * @clockid: The clock.
 * @flags: %TWHEEL_KEPT_FLAGS of the operation that created the timer, and
 *	%USER_TIMER_LEASE_CLOSED.
 * @cookie: A number of the program's, for its events.
 * @deadline: In ns of the kernel's clock; negative if it is before the kernel's zero,
 *	which a time namespace allows. While the timer is READY: the first deadline
 *	whose event is unread.
 * @extra: What only some timers have, or %NULL.
 *
 * The set's lock protects all of it. There may be millions of these structures, so each is one
 * line of the cache.
 */
struct user_timer {
	struct twheel_node	node;
	union {
		u64		word;
		struct {
			u64	generation : TWHEEL_GENERATION_BITS;
			/* Each is a byte, which the processor reads and writes by itself. */
			u64	state : 8;
			u64	clockid : 8;
			u64	flags : 8;
		};
	};
	u64			cookie;
	s64			deadline;
	struct timer_extra	*extra;
} __aligned(64);

/**
 * struct timer_block - consecutive places for timers of a set
 * @set: The set.
 * @next: The next block in a list of empty blocks.
 * @used: The places with a timer that is not DEAD, one bit each. While the set stays locked,
 *	places that a caller has taken for timers, too.
 * @first: The index of the first place.
 * @extras: How many of the timers have an @extra.
 * @timer: The places; there are %TIMER_BLOCK_TIMERS.
 */
struct timer_block {
	struct timer_set	*set;
	struct timer_block	*next;
	u64			used;
	u32			first;
	u32			extras;
	struct user_timer	timer[];
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

/*
 * Whether @handle names @t, and @t is in the wheel, on CLOCK_MONOTONIC, and without flags: one
 * comparison, because nearly all timers are like that.
 */
static inline bool user_timer_is_usual(const struct user_timer *t, u64 handle)
{
	const struct user_timer usual = {
		.generation = handle >> TWHEEL_INDEX_BITS,
		.state = USER_TIMER_PENDING,
		.clockid = CLOCK_MONOTONIC,
	};

	return t->word == usual.word;
}

/* Whether @t, in whatever state, is on CLOCK_MONOTONIC, and without flags and an @extra. */
static inline bool user_timer_is_plain(const struct user_timer *t)
{
	return !((t->clockid ^ CLOCK_MONOTONIC) | t->flags) && !t->extra;
}

static inline u64 user_timer_period(const struct user_timer *t)
{
	return t->extra ? t->extra->period : 0;
}

static inline u64 user_timer_window(const struct user_timer *t)
{
	return t->extra ? t->extra->window : 0;
}

static inline struct timer_lease *user_timer_lease(const struct user_timer *t)
{
	return t->extra ? t->extra->lease : NULL;
}

static inline void timer_set_lock(struct timer_set *set)
	__acquires(&set->lock)
{
	spin_lock_bh(&set->lock);
}

static inline void timer_set_assert_locked(const struct timer_set *set)
{
	lockdep_assert_held(&set->lock);
}

static inline void timer_set_unlock(struct timer_set *set)
	__releases(&set->lock)
{
	spin_unlock_bh(&set->lock);
}

#endif /* _TWHEEL_DEVICE_TIMER_SET_H */
