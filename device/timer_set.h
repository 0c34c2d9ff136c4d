/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the timers of an open file of /dev/twheel, as its parts see them
 *
 * twheel_life.c opens with how they live.
 */
#ifndef _TWHEEL_DEVICE_TIMER_SET_H
#define _TWHEEL_DEVICE_TIMER_SET_H

#include <linux/align.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/rhashtable.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <uapi/linux/twheel.h>
#include "engine/device.h"

/* A handle: the generation above, the index below. */
#define INDEX_BITS	24
#define INDEX_MASK	((1U << INDEX_BITS) - 1)
#define GENERATION_BITS	(64 - INDEX_BITS)

/* Flags of an operation that stay with the timer. */
#define TWHEEL_KEPT_FLAGS	(TWHEEL_EACH | TWHEEL_RESTART | TWHEEL_SHARED)

/* Operations, events and timers that are handled between two looks around. */
#define CHUNK		64U

struct group_member;
struct jump_node;
struct jump_queue;
struct jump_watch;
struct timer_block;
struct twheel_phase;
struct twheel_shared;
struct user_quota;

/* twheel_life.c */
enum timer_state { NEW, PENDING, READY, DEAD };

/**
 * struct ended_timers - timers that have ended, until that is seen to
 * @empty: Blocks in which no timer is left.
 * @count: How many have ended.
 * @armed: How many of @timer there are.
 * @timer: Some of them, which may be armed still.
 */
struct ended_timers {
	struct timer_block	*empty;
	unsigned int		count;
	unsigned int		armed;
	struct twheel_timer	*timer[TWHEEL_CANCEL_MAX];
};

/**
 * struct timer_set - the timers of an open file
 * @timers: The timers, in blocks. Its lock protects all that follows.
 * @spare: One of the blocks, in which there is no timer, or %NULL.
 * @ready: Those that have expired, in the order of expiry.
 * @generation: Of the last handle given out.
 * @count: Timers in @timers.
 * @unread: Timers in @ready.
 * @latest: The latest time of expiry, in ns of CLOCK_MONOTONIC.
 * @limit: Of @count; fixed at open.
 * @limited: A limit holds for what its user has; fixed at open.
 * @stopped: No timer may be added.
 * @ended: The file is closed: nothing is delivered, and all timers go.
 * @lane: Of the timers to come: 0 is everybody's, or the user's.
 * @starting: Timers that are NEW, or will be.
 * @quota: Of the user who opened the file.
 * @groups: By tag; %NULL as long as there was none.
 * @wait: Readers.
 * @wake: Wakes them, once after each run of a wheel.
 * @table: Deadlines that the program can push back, or %NULL.
 * @next_shared: Index that the next TWHEEL_SHARED timer gets, if it is free.
 * @ring: Events for the program to consume, or %NULL: once set it stays.
 * @entries: Size of the ring.
 * @tail: Events written to it.
 * @jump: Timers on clocks that jump, or %NULL: twheel_jump.c.
 * @watch: Tells when CLOCK_REALTIME is set, or %NULL.
 * @steps: How often that has happened since it was read.
 * @stepped: CLOCK_REALTIME when that was noticed first.
 * @offset: What the time namespace of who opened the file adds to
 *	CLOCK_MONOTONIC and CLOCK_BOOTTIME.
 * @eventfd: Signalled along with that, or %NULL.
 * @fasync: Sent SIGIO along with that.
 * @rcu: Callbacks of dead timers may still want to see the lock.
 */
struct timer_set {
	struct xarray		timers;
	struct timer_block	*spare;
	struct list_head	ready;
	u64			generation;
	unsigned int		count;
	unsigned int		unread;
	u64			latest;
	unsigned int		limit;
	int			lane;
	bool			limited;
	bool			stopped;
	bool			ended;
	unsigned int		starting;
	struct user_quota	*quota;
	struct rhashtable	*groups;
	wait_queue_head_t	wait;
	struct tasklet_struct	wake;
	struct twheel_shared	*table;
	u32			next_shared;
	struct twheel_shared	*ring;
	u32			entries;
	u64			tail;
	struct jump_queue	*jump[2];
	struct jump_watch	*watch;
	u64			steps;
	u64			stepped;
	s64			offset[2];
	struct eventfd_ctx	*eventfd;
	struct fasync_struct	*fasync;
	struct rcu_head		rcu;
};

/**
 * struct timer_extra - what few timers have
 * @period: In ns; 0: expires once.
 * @member: Its place in a group, or %NULL.
 * @jump: Its place among those on its clock, or %NULL.
 */
struct timer_extra {
	u64			period;
	struct group_member	*member;
	struct jump_node	*jump;
};

/**
 * struct user_timer - a program's timer
 * @timer: The engine's part. Its @owner is in the set's list, while READY.
 * @generation: Of its handle.
 * @state: See twheel_life.c.
 * @clockid: Its clock.
 * @flags: TWHEEL_KEPT_FLAGS of its TWHEEL_OP_ADD.
 * @cookie: The program's own.
 * @deadline: In ns; not yet read, if READY.
 * @expired: In ns, while READY.
 * @extra: What else it has, or %NULL.
 *
 * Everything but @timer is protected by the set's lock. There may be millions: a
 * byte more or less is seen.
 */
struct user_timer {
	struct twheel_timer	timer;
	u64			generation : GENERATION_BITS;
	u64			state : 2;
	u64			clockid : 4;
	u64			flags : 8;
	u64			cookie;
	u64			deadline;
	u64			expired;
	struct timer_extra	*extra;
};

/**
 * struct timer_block - timers of a set, and room for timers, in a row
 * @set: Whose they are.
 * @next: Among those that are to be freed.
 * @rcu: To free it.
 * @first: Index of the first place.
 * @used: Where there is a timer that is not DEAD.
 * @timer: The places; BLOCK_TIMERS of them.
 */
struct timer_block {
	struct timer_set	*set;
	union {
		struct timer_block *next;
		struct rcu_head	rcu;
	};
	u32			first;
	DECLARE_BITMAP(used, 64);
	struct user_timer	timer[] __aligned(16);
};

/* And they begin at multiples of it. */
#define TIMER_BLOCK_SIZE	4096U
#define BLOCK_TIMERS	((u32)((TIMER_BLOCK_SIZE - offsetof(struct timer_block, timer)) / \
			       sizeof(struct user_timer)))

static inline struct timer_block *block_of(const struct user_timer *t)
{
	return PTR_ALIGN_DOWN((struct timer_block *)t, TIMER_BLOCK_SIZE);
}

static inline struct timer_set *set_of(const struct user_timer *t)
{
	return block_of(t)->set;
}

static inline u32 index_of(const struct user_timer *t)
{
	const struct timer_block *block = block_of(t);

	return block->first + (t - block->timer);
}

static inline u64 handle_of(const struct user_timer *t)
{
	return (u64)t->generation << INDEX_BITS | index_of(t);
}

static inline u64 period_of(const struct user_timer *t)
{
	return t->extra ? t->extra->period : 0;
}

static inline struct group_member *member_of(const struct user_timer *t)
{
	return t->extra ? t->extra->member : NULL;
}

static inline struct jump_node *jump_of(const struct user_timer *t)
{
	return t->extra ? t->extra->jump : NULL;
}

static inline void lock_set(struct timer_set *set)
	__acquires(&set->timers.xa_lock)
{
	xa_lock_bh(&set->timers);
}

static inline void unlock_set(struct timer_set *set)
	__releases(&set->timers.xa_lock)
{
	xa_unlock_bh(&set->timers);
}

static inline u64 saturate_time(u64 time)
{
	return min_t(u64, time, S64_MAX);
}

/* What the set's time namespace adds to a clock. */
static inline s64 clock_offset(const struct timer_set *set, clockid_t clockid)
{
	return clockid == CLOCK_REALTIME ? 0 :
	       set->offset[clockid == CLOCK_BOOTTIME];
}

/* A time that is below 2^63, from the program's view to the kernel's, and back. */
static inline u64 kernel_time(const struct timer_set *set, clockid_t clockid,
			      u64 time)
{
	s64 offset = clock_offset(set, clockid), result;

	if (check_sub_overflow((s64)time, offset, &result))
		return S64_MAX;
	return max(result, 0LL);
}

static inline u64 program_time(const struct timer_set *set, clockid_t clockid,
			       u64 time)
{
	s64 offset = clock_offset(set, clockid), result;

	if (check_add_overflow((s64)time, offset, &result))
		return S64_MAX;
	return max(result, 0LL);
}

/* twheel_set.c */
struct timer_set *twheel_set_open(void);
void twheel_set_release(struct timer_set *set);
void twheel_set_add(struct timer_set *set, struct user_timer **added,
		    struct twheel_op *op, unsigned int n);
int twheel_set_change(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op,
		      const struct twheel_phase *phase);
int twheel_set_cancel(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op, struct ended_timers *ended);
int twheel_set_query(struct timer_set *set, struct twheel_op *op);
int twheel_set_upsert(struct timer_set *set, struct twheel_op *op,
		      struct user_timer **added);
int twheel_set_cancel_group(struct timer_set *set, struct twheel_op *op);
u64 twheel_set_next_deadline(struct timer_set *set);
void twheel_set_describe(const struct user_timer *t, struct twheel_op *op);

/* twheel_block.c */
int twheel_block_init(void);
void twheel_block_exit(void);
struct user_timer *twheel_block_find(struct timer_set *set, u64 handle);
struct user_timer *twheel_block_next(struct timer_set *set, unsigned long *index);
struct user_timer *twheel_block_take(struct timer_set *set, u32 min, u32 max,
				     int lane, struct timer_block **hint);
void twheel_block_give(struct user_timer *t, struct timer_block **empty);
void twheel_block_free(struct timer_set *set, struct timer_block *empty);
void twheel_block_release(struct timer_set *set);

/* twheel_life.c */
void twheel_set_make(struct timer_set *set, struct user_timer **t,
		     struct twheel_op *op, unsigned int n);
void twheel_set_start(struct user_timer *t, const struct twheel_op *op,
		      const struct twheel_phase *phase);
void twheel_set_discard(struct user_timer *t, struct ended_timers *ended);
void twheel_set_arm(struct user_timer *t, const struct twheel_phase *phase);
void twheel_set_arm_for(struct user_timer *t, const struct twheel_op *op,
			const struct twheel_phase *phase);
void twheel_set_unready(struct timer_set *set, struct user_timer *t);
void twheel_set_remove(struct timer_set *set, struct user_timer *t,
		       struct ended_timers *ended);
void twheel_set_forget(struct user_timer *t);
void twheel_set_expired(struct twheel_timer *timer);
void twheel_ended_init(struct ended_timers *ended);
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended);

/* twheel_drain.c */
long twheel_set_drain(struct timer_set *set, void __user *argp);

/* twheel_event.c */
void twheel_event_init(struct timer_set *set);
void twheel_event_stop(struct timer_set *set);
void twheel_event_exit(struct timer_set *set);
void twheel_event_add(struct timer_set *set, struct user_timer *t);
void twheel_event_clock_set(struct timer_set *set);
void twheel_event_to_ring(struct timer_set *set);
ssize_t twheel_event_read(struct kiocb *iocb, struct iov_iter *to);
__poll_t twheel_event_poll(struct file *file, poll_table *wait);
int twheel_event_fasync(int fd, struct file *file, int on);
long twheel_event_eventfd(struct timer_set *set, void __user *argp);

/* twheel_jump.c */
u64 twheel_jump_now(clockid_t clockid);
s64 twheel_jump_offset(clockid_t clockid);
struct jump_node *twheel_jump_new_node(void);
int twheel_jump_get_queue(struct timer_set *set, clockid_t clockid);
void twheel_jump_arm(struct user_timer *t);
void twheel_jump_disarm(struct user_timer *t);
int twheel_jump_watch(struct timer_set *set);
void twheel_jump_stop(struct timer_set *set);

/* twheel_map.c */
int twheel_map(struct file *file, struct vm_area_struct *vma);
void twheel_map_release(struct timer_set *set);

/* twheel_table.c */
void twheel_table_init(struct twheel_shared *table);
u32 twheel_table_words(const struct timer_set *set);
void twheel_table_open(struct user_timer *t);
void twheel_table_close(struct user_timer *t);
bool twheel_table_expire(struct user_timer *t, u64 now);
u64 twheel_table_deadline(const struct user_timer *t);

/* twheel_ring.c */
bool twheel_ring_valid(size_t size);
void twheel_ring_init(struct timer_set *set);
u32 twheel_ring_room(const struct timer_set *set);
bool twheel_ring_empty(const struct timer_set *set);
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n);
void twheel_ring_publish(struct timer_set *set, u32 n);
void twheel_ring_more(struct timer_set *set, bool more);

/* twheel_group.c */
int twheel_group_join(struct timer_set *set, struct user_timer *t);
void twheel_group_leave(struct timer_set *set, struct user_timer *t);
void twheel_group_enlist(struct user_timer *t);
struct group_member *twheel_group_new_member(u64 tag);
void twheel_group_free_member(struct group_member *member);
struct user_timer *twheel_group_first(struct timer_set *set, u64 tag);
u64 twheel_group_tag(const struct user_timer *t);
void twheel_group_release(struct timer_set *set);
int twheel_group_setup(struct timer_set *set);

/* twheel_quota.c */
struct user_quota *twheel_quota_get(void);
void twheel_quota_put(struct user_quota *quota);
unsigned int twheel_quota_limit(bool limited);
unsigned int twheel_quota_charge(struct user_quota *quota, bool limited,
				 unsigned int timers);
void twheel_quota_uncharge(struct user_quota *quota, unsigned int timers);
bool twheel_quota_charge_pages(struct user_quota *quota, bool limited,
			       unsigned int pages);
void twheel_quota_uncharge_pages(struct user_quota *quota, unsigned int pages);
unsigned int twheel_quota_timers(const struct user_quota *quota);
int twheel_quota_lane(struct user_quota *quota);

/* twheel_ioctl.c */
long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* _TWHEEL_DEVICE_TIMER_SET_H */
