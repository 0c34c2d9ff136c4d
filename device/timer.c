// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the life of a timer of an open file
 *
 *	NEW -----> PENDING -----> READY
 *	 |          |   ^           |
 *	 |          |   +-----------+  changed, or periodic and read
 *	 v          v               v
 *	 +--------> DEAD <----------+  read
 *
 * NEW has an index, but no program has been told its handle, and none can use
 * it: a timer is armed only when its handle has been written to the program's
 * memory. READY is in the list of events; its event is the timer itself, so
 * that nothing has to be allocated when it expires. read() copies events with
 * the lock held and page faults off, and only then takes them off the list.
 * Where a timer is DEAD there is room for another one; see twheel_block.c.
 *
 * A callback that waits for the set's lock may find that the timer has been
 * armed anew, or cancelled, meanwhile, and that another one is in its place. It does
 * nothing for that one: until the callback has ended, its place stays with the wheel that
 * it came from, which takes no other timer off meanwhile. So one that is PENDING
 * is so in the wheel, too, unless it is on a clock that jumps.
 *
 * Timers are made and ended many at a time where there are many. The memory of
 * one that has ended stays until all that end with it have: who holds the lock may
 * still look at it and see that it is DEAD.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "engine/device.h"
#include "timer_set.h"

/**
 * twheel_ended_init - begin to end timers
 * @ended: For those that have ended.
 */
void twheel_ended_init(struct ended_timers *ended)
{
	ended->empty = NULL;
	ended->count = 0;
	ended->armed = 0;
}

/* Its callback finds out that it has ended, if that comes first. */
static void disarm_later(struct ended_timers *ended, struct user_timer *t)
{
	ended->timer[ended->armed++] = &t->timer;
	if (ended->armed == TWHEEL_CANCEL_MAX) {
		twheel_api_cancel_some(ended->timer, ended->armed);
		ended->armed = 0;
	}
}

/**
 * twheel_ended_finish - give back what timers had that have ended
 * @set: Their set, which has been locked since they did.
 * @ended: The timers.
 */
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended)
{
	if (ended->armed)
		twheel_api_cancel_some(ended->timer, ended->armed);
	if (ended->count)
		twheel_quota_uncharge(set->quota, ended->count);
	twheel_block_free(set, ended->empty);
}

/**
 * twheel_set_unready - withdraw the event of a timer
 * @set: The set, locked.
 * @t: A timer that is READY.
 */
void twheel_set_unready(struct timer_set *set, struct user_timer *t)
{
	list_del(&t->timer.owner);
	WRITE_ONCE(set->unread, set->unread - 1);
}

/**
 * twheel_set_forget - give back what a timer has besides its place
 * @t: The timer, which has ended; its set is locked.
 */
void twheel_set_forget(struct user_timer *t)
{
	if (!t->extra)
		return;
	if (t->extra->member)
		twheel_group_leave(set_of(t), t);
	kfree(t->extra->jump);
	kfree(t->extra);
}

/**
 * twheel_set_remove - end a timer
 * @set: The set, locked.
 * @t: The timer; its handle names nothing afterwards.
 * @ended: Where it waits for twheel_ended_finish().
 */
void twheel_set_remove(struct timer_set *set, struct user_timer *t,
		       struct ended_timers *ended)
{
	lockdep_assert_held(&set->timers.xa_lock);

	if (t->state == READY)
		twheel_set_unready(set, t);
	else if (jump_of(t))
		twheel_jump_disarm(t);
	else
		disarm_later(ended, t);
	if (t->flags & TWHEEL_SHARED)
		twheel_table_close(t);
	twheel_set_forget(t);
	WRITE_ONCE(set->count, set->count - 1);
	ended->count++;
	twheel_block_give(t, &ended->empty);
}

static void start_clock(struct user_timer *t, const struct twheel_phase *phase)
{
	twheel_mod(&t->timer, twheel_clock_tick(phase, ns_to_ktime(t->deadline)));
}

/**
 * twheel_set_arm - arm a timer for its deadline
 * @t: The timer, its set locked.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_arm(struct user_timer *t, const struct twheel_phase *phase)
{
	t->state = PENDING;
	if (jump_of(t)) {
		twheel_jump_arm(t);
		return;
	}
	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	start_clock(t, phase);
}

/* The times are below 2^63, so that their sum does not wrap. */
static u64 deadline_of(const struct user_timer *t, const struct twheel_op *op,
		       const struct twheel_phase *phase)
{
	u64 now = phase->now;

	if (op->flags & TWHEEL_ABSTIME)
		return kernel_time(set_of(t), t->clockid, op->time_ns);
	if (jump_of(t))
		now = twheel_jump_now(t->clockid);
	return saturate_time(now + op->time_ns);
}

/**
 * twheel_set_arm_for - arm a timer for the deadline of an operation
 * @t: The timer, its set locked.
 * @op: The operation.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_arm_for(struct user_timer *t, const struct twheel_op *op,
			const struct twheel_phase *phase)
{
	t->deadline = deadline_of(t, op, phase);
	twheel_set_arm(t, phase);
}

/* Whether @t, whose callback runs, has come to its deadline by @now. */
static bool has_come(struct user_timer *t, u64 now)
{
	if (now < t->deadline)
		return false;
	return !(t->flags & TWHEEL_SHARED) || twheel_table_expire(t, now);
}

/*
 * The time of expiry for the callback of @timer: not before that of an event in front of
 * it, for which another CPU may have looked at the clock.
 */
static u64 expiry_time(struct timer_set *set, const struct twheel_timer *timer)
{
	set->latest = max(set->latest, twheel_due_time(timer));
	return set->latest;
}

/**
 * twheel_set_expired - the callback of all timers of programs
 * @timer: In a place where there is, or was, one.
 */
void twheel_set_expired(struct twheel_timer *timer)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);
	struct timer_set *set = set_of(t);
	struct twheel_phase phase;

	/* Already in softirq context. */
	xa_lock(&set->timers);
	if (t->state != PENDING || twheel_pending(timer) || jump_of(t))
		goto out_unlock;

	t->expired = expiry_time(set, timer);
	if (has_come(t, t->expired)) {
		twheel_event_add(set, t);
	} else {
		twheel_clock_read(&phase);
		start_clock(t, &phase);
	}
out_unlock:
	xa_unlock(&set->timers);
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

static bool has_extra(const struct twheel_op *op)
{
	return op->period_ns || op->group || op->clockid != CLOCK_MONOTONIC;
}

static void free_extra(struct timer_extra *extra)
{
	if (!extra)
		return;
	twheel_group_free_member(extra->member);
	kfree(extra->jump);
	kfree(extra);
}

/* What a timer needs besides its place, or %NULL if there is no memory. */
static struct timer_extra *new_extra(struct timer_set *set,
				     const struct twheel_op *op)
{
	struct timer_extra *extra = kzalloc(sizeof(*extra), GFP_KERNEL_ACCOUNT);

	if (!extra)
		return NULL;
	extra->period = op->period_ns;
	if (op->clockid != CLOCK_MONOTONIC) {
		extra->jump = twheel_jump_new_node();
		if (!extra->jump || twheel_jump_get_queue(set, op->clockid))
			goto out_free;
	}
	if (op->group) {
		extra->member = twheel_group_new_member(op->group);
		if (!extra->member || twheel_group_setup(set))
			goto out_free;
	}
	return extra;

out_free:
	free_extra(extra);
	return NULL;
}

/*
 * Timers that share a word get the indexes of the table in turn, so that one
 * does not come again before all others; the rest go above, while they can.
 */
static struct user_timer *take_shared(struct timer_set *set, int lane,
				      struct timer_block **hint)
{
	u32 words = twheel_table_words(set);
	u32 next = set->next_shared < words ? set->next_shared : 0;
	struct user_timer *t;

	if (!words)
		return ERR_PTR(-ENOSPC);
	/* So that none is passed over. */
	*hint = NULL;
	t = twheel_block_take(set, next, words - 1, lane, hint);
	if (t == ERR_PTR(-EBUSY) && next)
		t = twheel_block_take(set, 0, words - 1, lane, hint);
	if (IS_ERR(t))
		return t == ERR_PTR(-EBUSY) ? ERR_PTR(-ENOSPC) : t;
	set->next_shared = index_of(t) + 1;
	return t;
}

static struct user_timer *take_place(struct timer_set *set, u32 flags, int lane,
				     struct timer_block **hint)
{
	u32 words = min(twheel_table_words(set), INDEX_MASK + 1);
	struct user_timer *t = ERR_PTR(-EBUSY);

	if (flags & TWHEEL_SHARED)
		return take_shared(set, lane, hint);
	if (words <= INDEX_MASK)
		t = twheel_block_take(set, words, INDEX_MASK, lane, hint);
	if (t == ERR_PTR(-EBUSY) && words)
		t = twheel_block_take(set, 0, INDEX_MASK, lane, hint);
	return t;
}

/* A timer less is NEW. Who stops the set waits for the last of them. */
static void count_started(struct timer_set *set)
{
	WRITE_ONCE(set->starting, set->starting - 1);
	if (set->stopped && !set->starting)
		wake_up_interruptible_poll(&set->wait, 0);
}

/**
 * struct entry - how timers are let into a set
 * @lane: Where they are to be served.
 * @wanted: How many more there may be.
 * @charged: How many more the user has been charged for.
 * @hint: See twheel_block_take().
 */
struct entry {
	int			lane;
	unsigned int		wanted;
	unsigned int		charged;
	struct timer_block	*hint;
};

/* 0, if there may be one timer more, for which the user has been charged. */
static int reserve(struct timer_set *set, struct entry *entry)
{
	if (set->stopped)
		return -ESHUTDOWN;
	if (set->count >= set->limit)
		return -EDQUOT;
	if (!entry->charged)
		entry->charged = twheel_quota_charge(set->quota, set->limited,
						     min(entry->wanted,
							 set->limit - set->count));
	return entry->charged ? 0 : -EDQUOT;
}

/* The timer for @op. The lock may be let go of meanwhile, to allocate. */
static struct user_timer *make(struct timer_set *set, const struct twheel_op *op,
			       struct timer_extra *extra, struct entry *entry)
{
	struct user_timer *t;

	do {
		t = take_place(set, op->flags, entry->lane, &entry->hint);
	} while (t == ERR_PTR(-EAGAIN));
	if (IS_ERR(t))
		return t;
	/* Never 0, so that no handle is. */
	do {
		set->generation = (set->generation + 1) & (U64_MAX >> INDEX_BITS);
	} while (!set->generation);
	t->generation = set->generation;
	t->state = NEW;
	t->clockid = op->clockid;
	t->flags = op->flags & TWHEEL_KEPT_FLAGS;
	t->cookie = op->cookie;
	t->extra = extra;
	return t;
}

/**
 * twheel_set_discard - undo the making of a timer
 * @t: The timer, its set locked.
 * @ended: Where it waits for twheel_ended_finish().
 */
void twheel_set_discard(struct user_timer *t, struct ended_timers *ended)
{
	struct timer_set *set = set_of(t);

	twheel_set_remove(set, t, ended);
	count_started(set);
}

/*
 * Lets a timer into the set, which is locked, if there may be one more. Returns the
 * result of @op.
 */
static int enter(struct timer_set *set, struct user_timer **made,
		 const struct twheel_op *op, struct timer_extra *extra,
		 struct entry *entry)
{
	struct user_timer *t;
	int ret;

	ret = reserve(set, entry);
	if (ret)
		return ret;
	/* Before the lock is let go of. */
	WRITE_ONCE(set->count, set->count + 1);
	WRITE_ONCE(set->starting, set->starting + 1);
	t = make(set, op, extra, entry);
	if (IS_ERR(t)) {
		WRITE_ONCE(set->count, set->count - 1);
		count_started(set);
		return PTR_ERR(t);
	}
	entry->charged--;
	*made = t;
	return 0;
}

static void give_back_charge(struct timer_set *set, const struct entry *entry)
{
	if (entry->charged)
		twheel_quota_uncharge(set->quota, entry->charged);
}

/* Timers that have nothing extra, but for those whose operations have failed. */
static void enter_plain(struct timer_set *set, struct user_timer **t,
			struct twheel_op *op, unsigned int n, int lane)
{
	struct entry entry = { .lane = lane };
	unsigned int i;

	lock_set(set);
	for (i = 0; i < n; i++) {
		if (op[i].result)
			continue;
		entry.wanted = n - i;
		op[i].result = enter(set, &t[i], &op[i], NULL, &entry);
		if (!op[i].result)
			op[i].handle = handle_of(t[i]);
	}
	give_back_charge(set, &entry);
	unlock_set(set);
}

/* A timer that has, in the set, to its group. Undoes all if there is no memory. */
static int join_group(struct timer_set *set, struct user_timer **t)
{
	struct timer_extra *extra = (*t)->extra;
	struct ended_timers ended;

	if (!extra->member || !twheel_group_join(set, *t))
		return 0;
	twheel_group_free_member(extra->member);
	extra->member = NULL;
	twheel_ended_init(&ended);
	twheel_set_discard(*t, &ended);
	twheel_ended_finish(set, &ended);
	*t = NULL;
	return -ENOMEM;
}

static void enter_with_extra(struct timer_set *set, struct user_timer **t,
			     struct twheel_op *op, int lane)
{
	struct entry entry = { .lane = lane, .wanted = 1 };
	struct timer_extra *extra = new_extra(set, op);
	int ret;

	if (!extra) {
		op->result = -ENOMEM;
		return;
	}
	lock_set(set);
	ret = enter(set, t, op, extra, &entry);
	op->result = ret ? ret : join_group(set, t);
	if (!op->result)
		op->handle = handle_of(*t);
	give_back_charge(set, &entry);
	unlock_set(set);
	if (ret)
		free_extra(extra);
}

/**
 * twheel_set_make - make timers and their handles
 * @set: The set.
 * @t: For the timers, or %NULL for each operation that fails.
 * @op: What they are to be; those that have failed already are passed over. Their
 *	results and handles are filled in.
 * @n: How many.
 *
 * A timer is to be started when the program has the handle, or discarded.
 */
void twheel_set_make(struct timer_set *set, struct user_timer **t,
		     struct twheel_op *op, unsigned int n)
{
	int lane = choose_lane(set);
	unsigned int i, plain;

	memset(t, 0, n * sizeof(*t));
	for (i = 0; i < n; i += plain) {
		for (plain = 0; i + plain < n; plain++)
			if (!op[i + plain].result && has_extra(&op[i + plain]))
				break;
		if (plain) {
			enter_plain(set, &t[i], &op[i], plain, lane);
		} else {
			enter_with_extra(set, &t[i], &op[i], lane);
			plain = 1;
		}
	}
}

/**
 * twheel_set_start - arm a timer that was made
 * @t: The timer, its set locked.
 * @op: The operation that it was made for.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_start(struct user_timer *t, const struct twheel_op *op,
		      const struct twheel_phase *phase)
{
	twheel_set_arm_for(t, op, phase);
	if (member_of(t))
		twheel_group_enlist(t);
	count_started(set_of(t));
}
