// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the timers of an open file of /dev/twheel
 *
 * An open file has a set of timers; a handle is an index and a generation. The
 * set's lock is the xarray's own. It is taken by the callbacks, in softirq context,
 * and nests outside the engine's. twheel_life.c has the timers.
 */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "engine/device.h"
#include "timer_set.h"

static unsigned int max_timers = INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

/*
 * Is @handle the name of @t, from twheel_block_find()? It is not if it is stale,
 * foreign, made up, or not given out yet.
 */
static bool has_name(const struct user_timer *t, u64 handle)
{
	return t && t->generation == handle >> INDEX_BITS &&
	       (t->state == PENDING || t->state == READY);
}

static bool op_valid(const struct twheel_op *op, u32 flags)
{
	return !(op->result | op->reserved[0] | (op->flags & ~flags)) &&
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
	return op_valid(op, TWHEEL_ABSTIME) &&
	       !(op->clockid | op->cookie | op->period_ns | op->group);
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

/**
 * twheel_set_add - carry out some TWHEEL_OP_ADD
 * @set: The set.
 * @added: For the timers: see twheel_set_make().
 * @op: The operations; their results and handles are filled in.
 * @n: How many.
 */
void twheel_set_add(struct timer_set *set, struct user_timer **added,
		    struct twheel_op *op, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!add_valid(&op[i], TWHEEL_RESTORE) ||
		    (op[i].handle && !(op[i].flags & TWHEEL_RESTORE)))
			op[i].result = -EINVAL;
	twheel_set_make(set, added, op, n);
}

/* Gives @t the deadline of @op. Returns 0, TWHEEL_RETRACTED or -EINVAL. */
static int set_deadline(struct timer_set *set, struct user_timer *t,
			const struct twheel_op *op,
			const struct twheel_phase *phase)
{
	bool ready = t->state == READY;

	if (t->clockid == CLOCK_REALTIME && !(op->flags & TWHEEL_ABSTIME))
		return -EINVAL;
	if (ready)
		twheel_set_unready(set, t);
	twheel_set_arm_for(t, op, phase);
	return ready ? TWHEEL_RETRACTED : 0;
}

/**
 * twheel_set_change - carry out a TWHEEL_OP_CHANGE
 * @set: The set, locked.
 * @t: From twheel_block_find(), since the set was locked.
 * @op: The operation.
 * @phase: From a look at the clock since then.
 *
 * Return: The operation's result.
 */
int twheel_set_change(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op,
		      const struct twheel_phase *phase)
{
	if (!change_valid(op))
		return -EINVAL;
	if (!has_name(t, op->handle))
		return -ENOENT;
	return set_deadline(set, t, op, phase);
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
	struct twheel_phase phase;
	struct user_timer *t;
	bool found;
	int ret = 0;

	if (!add_valid(op, 0))
		return -EINVAL;
	lock_set(set);
	t = twheel_block_find(set, op->handle);
	found = has_name(t, op->handle);
	if (found) {
		twheel_clock_read(&phase);
		ret = set_deadline(set, t, op, &phase);
	}
	unlock_set(set);
	if (found)
		return ret;

	twheel_set_make(set, added, op, 1);
	return op->result ? op->result : TWHEEL_ADDED;
}

/**
 * twheel_set_cancel - carry out a TWHEEL_OP_CANCEL
 * @set: The set, locked.
 * @t: From twheel_block_find(), since the set was locked.
 * @op: The operation.
 * @ended: Where the timer waits for twheel_ended_finish().
 *
 * Return: The operation's result.
 */
int twheel_set_cancel(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op, struct ended_timers *ended)
{
	int ret;

	if (!handle_only(op))
		return -EINVAL;
	if (!has_name(t, op->handle))
		return -ENOENT;
	ret = t->state == READY ? TWHEEL_RETRACTED : 0;
	twheel_set_remove(set, t, ended);
	return ret;
}

/* Some timers of a group, the set locked. Returns how many. */
static int cancel_some(struct timer_set *set, u64 group, u64 *retracted)
{
	struct ended_timers ended;
	struct user_timer *t;
	int n;

	twheel_ended_init(&ended);
	for (n = 0; n < CHUNK; n++) {
		t = twheel_group_first(set, group);
		if (!t)
			break;
		*retracted += t->state == READY;
		twheel_set_remove(set, t, &ended);
	}
	twheel_ended_finish(set, &ended);
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
	t = twheel_block_find(set, op->handle);
	if (has_name(t, op->handle)) {
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
		op->time_ns = program_time(set_of(t), t->clockid, deadline);
	else
		op->time_ns = deadline > now ? deadline - now : 0;
	op->period_ns = period_of(t);
	op->group = twheel_group_tag(t);
}

/* The earliest among some of the timers from @index on. */
static u64 next_deadline_of_some(struct timer_set *set, unsigned long *index)
{
	u64 next = U64_MAX;
	struct user_timer *t;
	int looks = 0;

	lock_set(set);
	while (looks++ < CHUNK * 16) {
		t = twheel_block_next(set, index);
		if (!t)
			break;
		if (t->state == PENDING && t->clockid == CLOCK_MONOTONIC)
			next = min(next, twheel_table_deadline(t));
		(*index)++;
	}
	unlock_set(set);
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

/* The first timer from @index on. */
static struct user_timer *next_timer(struct timer_set *set, unsigned long *index)
{
	struct user_timer *t;

	lock_set(set);
	t = twheel_block_next(set, index);
	unlock_set(set);
	return t;
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
	for (index = 0; (t = next_timer(set, &index)); index++) {
		twheel_shutdown_sync(&t->timer);
		cond_resched();
	}
	/* No timer may go before the last callback has put its own in the list. */
	for (index = 0; (t = next_timer(set, &index)); index++) {
		lock_set(set);
		twheel_set_forget(t);
		unlock_set(set);
		cond_resched();
	}
	twheel_block_release(set);
	if (set->lane)
		twheel_lane_put(set->lane);
	twheel_event_exit(set);
	twheel_map_release(set);
	twheel_group_release(set);
	twheel_quota_uncharge(set->quota, set->count);
	twheel_quota_put(set->quota);
	kfree_rcu(set, rcu);
}
