// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the timers of an open file of /dev/twheel
 *
 * An open file has a set of timers; a handle is an index into its xarray and a
 * generation. The set's lock is the xarray's own. It is taken by the callbacks,
 * in softirq context, and nests outside the engine's.
 *
 * A timer's life
 *
 *	NEW -----> PENDING -----> READY -----> freed by read()
 *	 |          |   ^           |
 *	 |          |   +-----------+  changed, or periodic and read
 *	 v          v               v
 *	    freed, or DEAD while its callback may still come for it
 *
 * NEW has an index, but no program has been told its handle, and none can use
 * it: a timer is armed only when its handle has been written to the program's
 * memory. READY is in the list of events; its event is the timer itself, so
 * that nothing has to be allocated when it expires. read() copies events with
 * the lock held and page faults off, and only then takes them off the list.
 *
 * A callback that waits for the set's lock may find that the timer has been
 * armed anew, or cancelled, meanwhile. The first it sees by the timer being
 * pending. For the second the timer must still be there: a timer whose callback
 * may still look at it is freed after a grace period, which a callback holds off,
 * softirq context being a read-side critical section. One that is READY is done
 * with: its callback has nothing left to do but to unlock the set, and that is
 * freed after a grace period.
 */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "twheel_internal.h"
#include "twheel_set.h"

static unsigned int max_timers = INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

static struct kmem_cache *user_timers;

static void free_memory(struct user_timer *t)
{
	kfree(t->jump);
	kmem_cache_free(user_timers, t);
}

static void free_dead(struct rcu_head *rcu)
{
	free_memory(container_of(rcu, struct user_timer, rcu));
}

/* Frees a timer that no handle leads to any more. */
static void free_timer(struct user_timer *t)
{
	lockdep_assert_held(&t->set->timers.xa_lock);

	if (twheel_try_cancel_sync(&t->timer) >= 0) {
		free_memory(t);
		return;
	}
	twheel_cancel(&t->timer);
	t->state = DEAD;
	call_rcu(&t->rcu, free_dead);
}

static void count_less(struct timer_set *set)
{
	WRITE_ONCE(set->count, set->count - 1);
	twheel_quota_uncharge(set->quota, 1);
}

/**
 * twheel_set_unready - withdraw the event of a timer
 * @set: The set, locked.
 * @t: A timer that is READY.
 */
void twheel_set_unready(struct timer_set *set, struct user_timer *t)
{
	list_del(&t->ready);
	WRITE_ONCE(set->unread, set->unread - 1);
}

/**
 * twheel_set_remove - end a timer
 * @set: The set, locked.
 * @t: The timer; its handle names nothing afterwards.
 */
void twheel_set_remove(struct timer_set *set, struct user_timer *t)
{
	/* The callback that made it so was the last, and is done with it. */
	bool called = t->state == READY && !t->jump;

	if (t->state == READY)
		twheel_set_unready(set, t);
	twheel_jump_disarm(t);
	twheel_table_close(t);
	twheel_group_leave(set, t);
	__xa_erase(&set->timers, t->handle & INDEX_MASK);
	count_less(set);
	if (called)
		free_memory(t);
	else
		free_timer(t);
}

static void start_clock(struct user_timer *t)
{
	twheel_mod(&t->timer, twheel_tick_at(ns_to_ktime(t->deadline)));
}

/**
 * twheel_set_arm - arm a timer for its deadline
 * @t: The timer, its set locked.
 */
void twheel_set_arm(struct user_timer *t)
{
	t->state = PENDING;
	if (t->jump) {
		twheel_jump_arm(t);
		return;
	}
	twheel_table_open(t);
	start_clock(t);
}

static void timer_expired(struct twheel_timer *timer)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);
	struct timer_set *set = t->set;

	/* Already in softirq context. */
	xa_lock(&set->timers);
	if (t->state != PENDING || twheel_pending(timer))
		goto out_unlock;

	t->expired = ktime_get_ns();
	if (t->expired >= t->deadline && twheel_table_expire(t, t->expired))
		twheel_event_add(set, t);
	else
		start_clock(t);
out_unlock:
	xa_unlock(&set->timers);
}

/* NULL for a handle that is stale, foreign, made up, or not given out yet. */
static struct user_timer *find_timer(struct timer_set *set, u64 handle)
{
	struct user_timer *t = xa_load(&set->timers, handle & INDEX_MASK);

	lockdep_assert_held(&set->timers.xa_lock);

	return t && t->handle == handle && t->state != NEW ? t : NULL;
}

/* The times are below 2^63, so that their sum does not wrap. */
static u64 deadline_of(const struct user_timer *t, const struct twheel_op *op)
{
	if (op->flags & TWHEEL_ABSTIME)
		return kernel_time(t->set, t->clockid, op->time_ns);
	return saturate_time(twheel_jump_now(t->clockid) + op->time_ns);
}

static bool op_valid(const struct twheel_op *op, u32 flags)
{
	return !op->result && !op->reserved[0] && !(op->flags & ~flags) &&
	       op->time_ns <= S64_MAX;
}

static bool period_valid(const struct twheel_op *op)
{
	u32 policy = op->flags & (TWHEEL_EACH | TWHEEL_RESTART);

	if (!op->period_ns)
		return !policy;
	if (op->flags & TWHEEL_SHARED)
		return false;
	return op->period_ns >= TICK_NSEC && op->period_ns <= S64_MAX &&
	       policy != (TWHEEL_EACH | TWHEEL_RESTART);
}

/* A table has deadlines of one clock; nobody waits for a clock that may be set. */
static bool clock_valid(const struct twheel_op *op)
{
	switch (op->clockid) {
	case CLOCK_MONOTONIC:
		return true;
	case CLOCK_BOOTTIME:
		return !(op->flags & TWHEEL_SHARED);
	case CLOCK_REALTIME:
		return !(op->flags & TWHEEL_SHARED) && op->flags & TWHEEL_ABSTIME;
	default:
		return false;
	}
}

static bool add_valid(const struct twheel_op *op, u32 flags)
{
	return op_valid(op, flags | TWHEEL_ABSTIME | TWHEEL_KEPT_FLAGS) &&
	       clock_valid(op) && period_valid(op);
}

static bool change_valid(const struct twheel_op *op)
{
	return op_valid(op, TWHEEL_ABSTIME) && !op->clockid && !op->cookie &&
	       !op->period_ns && !op->group;
}

static bool handle_only(const struct twheel_op *op)
{
	return change_valid(op) && !op->flags && !op->time_ns;
}

static bool group_only(const struct twheel_op *op)
{
	return op_valid(op, 0) && op->group && !op->clockid && !op->cookie &&
	       !op->period_ns && !op->time_ns && !op->handle;
}

/*
 * Where the timers to come are served. A set with very many of them could make
 * all others wait, and goes into a lane of its own; the small ones of a user who
 * has very many in all go into one together.
 */
static int choose_lane(struct timer_set *set)
{
	int lane = READ_ONCE(set->lane);

	if (lane)
		return lane;
	if (READ_ONCE(set->count) < twheel_lane_threshold)
		return twheel_quota_lane(set->quota);
	lane = twheel_lane_get();
	if (lane < 0)
		return 0;
	lock_set(set);
	if (!set->lane) {
		WRITE_ONCE(set->lane, lane);
		unlock_set(set);
		return lane;
	}
	unlock_set(set);
	/* Another thread was faster. */
	twheel_lane_put(lane);
	return READ_ONCE(set->lane);
}

static struct user_timer *alloc_timer(struct timer_set *set,
				      const struct twheel_op *op)
{
	struct user_timer *t = kmem_cache_zalloc(user_timers, GFP_KERNEL);

	if (!t)
		return NULL;
	twheel_setup(&t->timer, timer_expired, 0);
	twheel_lane_use(&t->timer, choose_lane(set));
	t->set = set;
	t->cookie = op->cookie;
	t->period = op->period_ns;
	t->flags = op->flags & TWHEEL_KEPT_FLAGS;
	t->clockid = op->clockid;
	if (t->clockid == CLOCK_MONOTONIC)
		return t;
	t->jump = twheel_jump_new_node();
	if (!t->jump || twheel_jump_get_queue(set, t->clockid)) {
		free_memory(t);
		return NULL;
	}
	return t;
}

/*
 * Timers that share a word get the indexes of the table in turn, so that one
 * does not come again before all others; the rest go above, while they can. May
 * let go of the lock to allocate.
 */
static int alloc_index(struct timer_set *set, struct user_timer *t, u32 *index)
{
	u32 words = twheel_table_words(set);
	struct xa_limit limit = INDEX_LIMIT;
	int ret = -EBUSY;

	if (t->flags & TWHEEL_SHARED) {
		if (!words)
			return -ENOSPC;
		limit.max = words - 1;
		ret = __xa_alloc_cyclic(&set->timers, index, t, limit,
					&set->next_shared, GFP_KERNEL_ACCOUNT);
		if (ret == -EBUSY)
			return -ENOSPC;
		return min(ret, 0);
	}
	if (words && words <= INDEX_MASK) {
		limit.min = words;
		ret = __xa_alloc(&set->timers, index, t, limit, GFP_KERNEL_ACCOUNT);
		limit.min = 0;
	}
	if (ret == -EBUSY)
		ret = __xa_alloc(&set->timers, index, t, limit, GFP_KERNEL_ACCOUNT);
	return ret;
}

/* Gives @t a place in the set; counts have been seen to. */
static int take_index(struct timer_set *set, struct user_timer *t,
		      struct group_member *member)
{
	u32 index;
	int ret;

	ret = alloc_index(set, t, &index);
	if (ret)
		return ret;
	/* Never 0, so that no handle is. */
	do {
		set->generation = (set->generation + 1) & (U64_MAX >> INDEX_BITS);
	} while (!set->generation);
	t->handle = set->generation << INDEX_BITS | index;
	if (!member)
		return 0;
	ret = twheel_group_join(set, t, member);
	if (ret)
		__xa_erase(&set->timers, index);
	return ret;
}

/* A timer less is NEW. Who stops the set waits for the last of them. */
static void count_started(struct timer_set *set)
{
	WRITE_ONCE(set->starting, set->starting - 1);
	if (set->stopped && !set->starting)
		wake_up_interruptible_poll(&set->wait, 0);
}

/* As twheel_set_make(), and the set is locked. */
static int enter_timer(struct timer_set *set, struct user_timer *t,
		       struct group_member *member)
{
	int ret;

	if (set->stopped)
		return -ESHUTDOWN;
	if (set->count >= set->limit ||
	    !twheel_quota_charge(set->quota, set->limited))
		return -EDQUOT;
	WRITE_ONCE(set->count, set->count + 1);
	WRITE_ONCE(set->starting, set->starting + 1);
	ret = take_index(set, t, member);
	if (ret) {
		count_less(set);
		count_started(set);
	}
	return ret;
}

static struct user_timer *make_timer(struct timer_set *set, struct twheel_op *op)
{
	struct group_member *member = NULL;
	struct user_timer *t;
	int ret;

	t = alloc_timer(set, op);
	if (!t)
		return ERR_PTR(-ENOMEM);
	ret = -ENOMEM;
	if (op->group) {
		member = twheel_group_new_member(op->group);
		if (!member || twheel_group_setup(set))
			goto out_free_member;
	}
	lock_set(set);
	ret = enter_timer(set, t, member);
	if (!ret)
		op->handle = t->handle;
	unlock_set(set);
	if (!ret)
		return t;
out_free_member:
	twheel_group_free_member(member);
	free_memory(t);
	return ERR_PTR(ret);
}

/**
 * twheel_set_make - make a timer and its handle
 * @set: The set.
 * @op: A TWHEEL_OP_ADD; its handle is filled in.
 *
 * The timer is to be started when the program has the handle, or discarded.
 *
 * Return: The timer, or an error.
 */
struct user_timer *twheel_set_make(struct timer_set *set, struct twheel_op *op)
{
	if (!add_valid(op, TWHEEL_RESTORE) ||
	    (op->handle && !(op->flags & TWHEEL_RESTORE)))
		return ERR_PTR(-EINVAL);
	return make_timer(set, op);
}

/**
 * twheel_set_start - arm a timer that was made
 * @t: The timer, its set locked.
 * @op: The operation that it was made for.
 */
void twheel_set_start(struct user_timer *t, const struct twheel_op *op)
{
	t->deadline = deadline_of(t, op);
	twheel_set_arm(t);
	twheel_group_enlist(t);
	count_started(t->set);
}

/**
 * twheel_set_discard - undo the making of a timer
 * @t: The timer, its set locked.
 */
void twheel_set_discard(struct user_timer *t)
{
	struct timer_set *set = t->set;

	twheel_set_remove(set, t);
	count_started(set);
}

/* Gives @t the deadline of @op. Returns 0, TWHEEL_RETRACTED or -EINVAL. */
static int set_deadline(struct timer_set *set, struct user_timer *t,
			const struct twheel_op *op)
{
	bool ready = t->state == READY;

	if (t->clockid == CLOCK_REALTIME && !(op->flags & TWHEEL_ABSTIME))
		return -EINVAL;
	if (ready)
		twheel_set_unready(set, t);
	t->deadline = deadline_of(t, op);
	twheel_set_arm(t);
	return ready ? TWHEEL_RETRACTED : 0;
}

/**
 * twheel_set_change - carry out a TWHEEL_OP_CHANGE
 * @set: The set, locked.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_set_change(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;

	if (!change_valid(op))
		return -EINVAL;
	t = find_timer(set, op->handle);
	return t ? set_deadline(set, t, op) : -ENOENT;
}

/**
 * twheel_set_upsert - carry out a TWHEEL_OP_UPSERT
 * @set: The set.
 * @op: The operation.
 * @added: For the timer, if one was made: see twheel_set_make().
 *
 * Return: The operation's result.
 */
int twheel_set_upsert(struct timer_set *set, struct twheel_op *op,
		      struct user_timer **added)
{
	struct user_timer *t;
	int ret = 0;

	if (!add_valid(op, 0))
		return -EINVAL;
	lock_set(set);
	t = find_timer(set, op->handle);
	if (t)
		ret = set_deadline(set, t, op);
	unlock_set(set);
	if (t)
		return ret;

	t = make_timer(set, op);
	if (IS_ERR(t))
		return PTR_ERR(t);
	*added = t;
	return TWHEEL_ADDED;
}

/**
 * twheel_set_cancel - carry out a TWHEEL_OP_CANCEL
 * @set: The set, locked.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_set_cancel(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	int ret;

	if (!handle_only(op))
		return -EINVAL;
	t = find_timer(set, op->handle);
	if (!t)
		return -ENOENT;
	ret = t->state == READY ? TWHEEL_RETRACTED : 0;
	twheel_set_remove(set, t);
	return ret;
}

/* Some timers of a group, the set locked. Returns how many. */
static int cancel_some(struct timer_set *set, u64 group, u64 *retracted)
{
	struct user_timer *t;
	int n;

	for (n = 0; n < CHUNK; n++) {
		t = twheel_group_first(set, group);
		if (!t)
			break;
		*retracted += t->state == READY;
		twheel_set_remove(set, t);
	}
	return n;
}

/**
 * twheel_set_cancel_group - carry out a TWHEEL_OP_CANCEL_GROUP
 * @set: The set.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_set_cancel_group(struct timer_set *set, struct twheel_op *op)
{
	u64 retracted = 0;
	int n, ended = 0;

	if (!group_only(op))
		return -EINVAL;
	do {
		lock_set(set);
		n = cancel_some(set, op->group, &retracted);
		unlock_set(set);
		ended += n;
		cond_resched();
	} while (n == CHUNK && !fatal_signal_pending(current));
	op->time_ns = retracted;
	return ended ? ended : -ENOENT;
}

/**
 * twheel_set_query - carry out a TWHEEL_OP_QUERY
 * @set: The set.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_set_query(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	int ret = -ENOENT;

	if (!change_valid(op) || op->time_ns)
		return -EINVAL;
	lock_set(set);
	t = find_timer(set, op->handle);
	if (t) {
		ret = t->state == READY ? TWHEEL_EXPIRED : 0;
		twheel_set_describe(t, op);
	}
	unlock_set(set);
	return ret;
}

/**
 * twheel_set_describe - fill in what an operation says of a timer
 * @t: The timer, its set locked.
 * @op: For the flags, cookie, clock, period and group; and for the deadline, if it
 *	has TWHEEL_ABSTIME, or the time left.
 */
void twheel_set_describe(const struct user_timer *t, struct twheel_op *op)
{
	u64 deadline = twheel_table_deadline(t);
	u64 now = twheel_jump_now(t->clockid);

	op->flags |= t->flags;
	op->cookie = t->cookie;
	op->clockid = t->clockid;
	if (op->flags & TWHEEL_ABSTIME)
		op->time_ns = program_time(t->set, t->clockid, deadline);
	else
		op->time_ns = deadline > now ? deadline - now : 0;
	op->period_ns = t->period;
	op->group = twheel_group_tag(t);
}

/* The earliest among some of the timers from @index on. */
static u64 next_deadline_of_some(struct timer_set *set, unsigned long *index)
{
	u64 next = U64_MAX;
	struct user_timer *t;
	int looks = 0;

	lock_set(set);
	for (t = xa_find(&set->timers, index, ULONG_MAX, XA_PRESENT);
	     t && looks++ < CHUNK * 16;
	     t = xa_find_after(&set->timers, index, ULONG_MAX, XA_PRESENT))
		if (t->state == PENDING && t->clockid == CLOCK_MONOTONIC)
			next = min(next, twheel_table_deadline(t));
	unlock_set(set);
	if (!t)
		*index = ULONG_MAX;
	return next;
}

/**
 * twheel_set_next_deadline - when the set's next timer is due
 * @set: The set.
 *
 * Looks at every timer, since the set keeps no order: for people, not programs.
 *
 * Return: The deadline in ns of CLOCK_MONOTONIC, or %U64_MAX if none on that clock
 * is pending.
 */
u64 twheel_set_next_deadline(struct timer_set *set)
{
	unsigned long index = 0;
	u64 next = U64_MAX;

	while (index != ULONG_MAX && !fatal_signal_pending(current)) {
		next = min(next, next_deadline_of_some(set, &index));
		cond_resched();
	}
	return next;
}

/**
 * twheel_set_open - make an empty set, for the caller
 *
 * Return: The set, or %NULL for lack of memory.
 */
struct timer_set *twheel_set_open(void)
{
	struct timer_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	set->quota = twheel_quota_get();
	if (!set->quota)
		goto out_free_set;
	xa_init_flags(&set->timers, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH |
		      XA_FLAGS_ACCOUNT);
	set->offset[0] = twheel_jump_offset(CLOCK_MONOTONIC);
	set->offset[1] = twheel_jump_offset(CLOCK_BOOTTIME);
	set->limited = !capable(CAP_SYS_RESOURCE);
	set->limit = min(READ_ONCE(max_timers), INDEX_MASK + 1);
	twheel_event_init(set);
	return set;

out_free_set:
	kfree(set);
	return NULL;
}

static void forget_timer(struct timer_set *set, struct user_timer *t)
{
	lock_set(set);
	twheel_group_leave(set, t);
	unlock_set(set);
	free_memory(t);
}

/**
 * twheel_set_release - end a set and all its timers
 * @set: The set; nobody else uses it but callbacks, which take its lock.
 */
void twheel_set_release(struct timer_set *set)
{
	struct user_timer *t;
	unsigned long index;

	twheel_event_stop(set);
	twheel_jump_stop(set);
	xa_for_each(&set->timers, index, t) {
		twheel_shutdown_sync(&t->timer);
		cond_resched();
	}
	/* No timer may go before the last callback has put its own in the list. */
	xa_for_each(&set->timers, index, t) {
		forget_timer(set, t);
		cond_resched();
	}
	xa_destroy(&set->timers);
	if (set->lane)
		twheel_lane_put(set->lane);
	twheel_event_exit(set);
	twheel_map_release(set);
	twheel_group_release(set);
	twheel_quota_uncharge(set->quota, set->count);
	twheel_quota_put(set->quota);
	kfree_rcu(set, rcu);
}

/**
 * twheel_set_init - set up what all sets share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_set_init(void)
{
	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct user_timer) <= 128);

	user_timers = kmem_cache_create("twheel_timer", sizeof(struct user_timer),
					0, SLAB_ACCOUNT, NULL);
	return user_timers ? 0 : -ENOMEM;
}

/**
 * twheel_set_exit - free what all sets share; none is left
 */
void twheel_set_exit(void)
{
	/* Dead timers go back to the cache after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(user_timers);
}
