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
#include <linux/rbtree_types.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>
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

/*
 * Beside them, in the eight bits for flags: the timer has expired because the last copy of its
 * lease was closed. No operation sets the bit, and no program sees it. So a flag that does not
 * stay with the timer may have the same value.
 */
#define USER_TIMER_LEASE_CLOSED	0x80U
static_assert(!(TWHEEL_KEPT_FLAGS & USER_TIMER_LEASE_CLOSED) && TWHEEL_KEPT_FLAGS <= 0xff);

/* The most operations, events or timers that a call handles in a row, with the lock held. */
#define TWHEEL_CHUNK		64U

/* For large variables on the stack, which kernels may clear before they are used. */
#if __has_attribute(__uninitialized__)
#define timer_set_not_cleared	__attribute__((__uninitialized__))
#else
#define timer_set_not_cleared
#endif

/* See user_timer.c. A place that was never used is %USER_TIMER_DEAD. */
enum user_timer_state {
	USER_TIMER_DEAD,
	USER_TIMER_PENDING,
	USER_TIMER_READY,
};

/* May the set exceed the limits of its user? See quota.c. */
enum timer_set_exemption {
	TIMER_SET_LIMITED,
	/* The opener's credentials have the capability. No security module has been asked. */
	TIMER_SET_NOT_ASKED,
	TIMER_SET_EXEMPT,
};

/* Any number of waiters: see waiters.c. */
struct waiters {
	wait_queue_head_t	queue;
	/* Enclose the waiters to wake, or are in no queue. */
	wait_queue_entry_t	mark, end;
};

/* The timers of an open file. */
struct timer_set {
	/* Taken with bottom halves off. Protects all down to @clock_watch, and the timers. */
	spinlock_t		lock;

	/*
	 * The array of the blocks of timers, or %NULL; see block.c. It has places for @blocks
	 * blocks, and @array_words words. No block with a number below @first_room has room.
	 * @spare has no timer, or is %NULL. More such blocks are linked to it while timers end.
	 */
	u32			blocks;
	u32			array_words;
	struct timer_block	**block;
	u32			first_room;
	struct timer_block	*spare;

	/* A drain has stopped the set: no timer can be added. */
	bool			stopped;
	/* The file is closed: no event is delivered any more, and timers are freed. */
	bool			ended;
	/* A wake-up of readers is to begin, with the eventfd; with @signal, also with signals. */
	bool			notify;
	bool			signal;
	bool			again;		/* the same when none is under way any more */
	/* The ring has events that no wake-up was for: they came after the last, or in a call. */
	bool			fresh;
	/* Why a visit has woken the program, which has not called since. See visit.c. */
	enum { WOKEN_NOT, WOKEN_DOUBT, WOKEN_EVENT } woken;

	/* The pending timers, of all clocks, by ticks. */
	struct twheel_wheel	wheel;
	/*
	 * The next visit: its tick, or %TWHEEL_NEVER; and the place in the tree of @visit_user,
	 * protected by the lock of that.
	 */
	struct timerqueue_node	visit;
	struct user_cpu		*visit_user;

	/* The timers whose events are unread, in the order of expiry; and how many. */
	struct list_head	ready;
	unsigned int		unread;
	/*
	 * How many timers there are, for how many the user is charged, how many have a lease, and
	 * how many are on clocks that jump. While the lock is free, the first two are the same.
	 */
	unsigned int		count;
	unsigned int		charged;
	unsigned int		leases;
	unsigned int		clocked;
	/* The generation of the last handle given out: see create.c. */
	u64			generation;
	/* The latest time of expiry, in ns of CLOCK_MONOTONIC. */
	s64			latest;
	/* Leases that have ended and whose holders are not woken yet. See waiters.c. */
	struct list_head	ended_leases;
	/* The timers with a group, by its tag. */
	struct rb_root		groups;

	/* The deadlines that the program can push back, or %NULL. */
	struct twheel_shared	*table;
	/* The index that the next TWHEEL_SHARED timer gets, if it is free. */
	u32			next_shared;
	/* The events that the program consumes, or %NULL. Once set, it stays. */
	struct twheel_shared	*ring;
	/* How many events the ring has room for, and how many have been written to it. */
	u32			entries;
	u64			tail;

	/* Timers on clocks that jump are to be filed again, from this index on: see clock.c. */
	bool			refile;
	unsigned long		refile_at;
	/* How often CLOCK_REALTIME was set since the last event about it; what it first showed. */
	u64			clock_sets;
	u64			clock_first;
	/* From CLOCK_BOOTTIME to CLOCK_REALTIME when the set last looked. */
	s64			clock_offset;
	/* The program has asked for events about CLOCK_REALTIME. */
	bool			clock_watch;

	/* The place in a list of clock.c, protected there. */
	struct list_head	clock_node;

	/* Fixed once the question has been asked: one of &enum timer_set_exemption. */
	u8			exemption;

	/* Fixed at open. The limit of @count. */
	unsigned int		limit;
	/* What the time namespace of the opener adds to each clock: 0 to CLOCK_REALTIME. */
	s64			offset[CLOCK_BOOTTIME + 1];
	/* The open file, until it is released. */
	struct file		*file;
	/* The quota of the opener. It may go before the set, which is @ended then. */
	struct user_quota	*quota;
	/* What each CPU has to do for that user. It goes with the quota. */
	struct user_cpu __percpu *user;

	/* Readers that wait. */
	struct waiters		wait;
	/* Processes that get a SIGIO when readers are woken. */
	struct fasync_struct	*fasync;
	/*
	 * Protects @eventfd, which is signalled when readers are woken, or is %NULL. Never taken
	 * under @lock, because signals of an eventfd may take long.
	 */
	spinlock_t		eventfd_lock;
	struct eventfd_ctx	*eventfd;

	/* The open file, until it is released, and each lease. They keep the memory. */
	refcount_t		refs;
	/* Frees the set. A wake-up may still be under way. */
	struct rcu_head		rcu;
};

/* What only some timers have. */
struct timer_extra {
	/* The timer's place in @groups of the set, if it has a tag. */
	struct rb_node		group;
	/* The tag of its group, or 0. */
	u64			tag;
	struct user_timer	*t;
	/* The period in ns; 0 if the timer expires once. */
	u64			period;
	/* How late the timer may expire, in ns. */
	u64			window;
	/* The timer's lease while it is pending, or %NULL. */
	struct timer_lease	*lease;
};

/* Lives as long as its open file. See lease.c. */
struct timer_lease {
	/* The lease holds a reference to the memory of the set, not to the owner's open file. */
	struct timer_set	*set;
	/* %NULL once the lease has ended. Protected by the lock of the set. */
	struct user_timer	*t;
	/* How far ahead of now a push may move the deadline, in ns. */
	u64			cap;
	/* TWHEEL_LEASE_EXPIRE_ON_CLOSE, or 0. */
	u32			flags;
	/*
	 * Held by a holder that takes the lock of the set. So however many threads use one
	 * lease, the owner waits for one of them at most.
	 */
	spinlock_t		holders_lock;
	/* Holders that wait for the end of the lease. */
	struct waiters		wait;
	/* The place in @ended_leases of the set, until the holders are woken. */
	struct list_head	ended;
	/* A part of their wake-up has been done. */
	bool			begun;
	/* Frees the lease. A wake-up may still be under way. */
	struct rcu_head		rcu;
};

/*
 * A program's timer, protected by the set's lock. There may be millions of these structures, so
 * each is one line of the cache.
 */
struct user_timer {
	/*
	 * What the wheel knows of the timer while it is PENDING. While the timer is READY, its
	 * @entry links it into @ready of the set, and its @state is the time of expiry, in ns of
	 * the timer's clock.
	 */
	struct twheel_node	node;
	union {
		/* All four fields: see user_timer_word(). */
		u64		word;
		struct {
			/* The generation in the timer's handle. */
			u64	generation : TWHEEL_GENERATION_BITS;
			/*
			 * One of &enum user_timer_state, the clock, and %TWHEEL_KEPT_FLAGS of the
			 * operation that created the timer, with %USER_TIMER_LEASE_CLOSED. Each
			 * is a byte, which the processor reads and writes by itself.
			 */
			u64	state : 8;
			u64	clockid : 8;
			u64	flags : 8;
		};
	};
	/* A number of the program's, for its events. */
	u64			cookie;
	/*
	 * In ns of the kernel's clock; negative if it is before the kernel's zero, which a time
	 * namespace allows. While the timer is READY: the first deadline whose event is unread.
	 */
	s64			deadline;
	/* What only some timers have, or %NULL. */
	struct timer_extra	*extra;
} __aligned(64);

/* Consecutive places for timers of a set. */
struct timer_block {
	struct timer_set	*set;
	/* The next block without timers: see @spare of the set. */
	struct timer_block	*next;
	/*
	 * The places with a timer that is not DEAD, one bit each. While the set stays locked,
	 * places that a caller has taken for timers, too.
	 */
	u64			used;
	/* The index of the first place. */
	u32			first;
	/* How many of the timers have an @extra. */
	u32			extras;
	/* There are %TIMER_BLOCK_TIMERS. */
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

/* The @word of a timer that is in the wheel. By shifts, which cost less than bit fields. */
static inline u64 user_timer_word(u64 generation, clockid_t clockid, u32 flags)
{
	u64 state = USER_TIMER_PENDING, clock = clockid;

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		return generation << 24 | state << 16 | clock << 8 | flags;
	return generation | state << 40 | clock << 48 | (u64)flags << 56;
}

/*
 * Whether @handle names @t, and @t is in the wheel, on CLOCK_MONOTONIC, and without flags: one
 * comparison, because nearly all timers are like that.
 */
static inline bool user_timer_is_usual(const struct user_timer *t, u64 handle)
{
	return t->word == user_timer_word(handle >> TWHEEL_INDEX_BITS, CLOCK_MONOTONIC, 0);
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

#endif /* _TWHEEL_DEVICE_TIMER_SET_H */
