// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the operations on timers; ioctl.c has copied their arguments in
 *
 * Each operation checks its arguments first and its handle second, so a program that
 * makes both mistakes gets -EINVAL.
 */
#include <linux/ktime.h>
#include <linux/prefetch.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "block.h"
#include "create.h"
#include "ended.h"
#include "group.h"
#include "ops.h"
#include "ready.h"
#include "share.h"
#include "table.h"
#include "time.h"
#include "user_timer.h"

/* How many operations ahead of a cancel the neighbours of a timer are prefetched. */
#define OPS_AHEAD	8U

/* The flags that an operation may have only with TWHEEL_RESTORE. */
#define OPS_RECORD_FLAGS	(TWHEEL_KEEP_HANDLE | TWHEEL_LEASED)

/*
 * Whether @handle names @t, which is from twheel_block_find(). A handle names no timer if
 * it is stale, made up, of another set, or not written to the program's memory yet.
 */
static bool ops_handle_names(const struct user_timer *t, u64 handle)
{
	return t && t->generation == handle >> TWHEEL_INDEX_BITS &&
	       (user_timer_is_armed(t) || t->state == USER_TIMER_READY);
}

static bool ops_valid(const struct twheel_op *op, u32 flags)
{
	return !(op->result | (op->flags & ~flags)) && (op->time_ns | op->window_ns) <= S64_MAX;
}

static bool ops_period_valid(const struct twheel_op *op)
{
	u32 policy = op->flags & (TWHEEL_EACH | TWHEEL_RESTART);

	if (!op->period_ns)
		return !policy;
	if (op->flags & TWHEEL_SHARED)
		return false;
	return op->period_ns >= TICK_NSEC && op->period_ns <= S64_MAX &&
	       policy != (TWHEEL_EACH | TWHEEL_RESTART);
}

/*
 * The table has deadlines of CLOCK_MONOTONIC only. A relative time on CLOCK_REALTIME has no
 * meaning, because that clock may be set.
 */
static bool ops_clock_valid(const struct twheel_op *op)
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

static bool ops_add_valid(const struct twheel_op *op, u32 flags)
{
	return ops_valid(op, flags | TWHEEL_ABSTIME | TWHEEL_KEPT_FLAGS) &&
	       ops_clock_valid(op) && ops_period_valid(op);
}

static bool ops_change_valid(const struct twheel_op *op)
{
	/* One sum, because batches check many: all fields are 0, and the time below 2^63. */
	return !(op->result | (op->flags & ~TWHEEL_ABSTIME) | op->clockid | op->cookie |
		 op->period_ns | op->group | op->window_ns | op->time_ns >> 63);
}

static bool ops_handle_only(const struct twheel_op *op)
{
	return ops_change_valid(op) && !(op->flags | op->time_ns);
}

static bool ops_group_only(const struct twheel_op *op)
{
	return ops_valid(op, 0) && op->group && !op->clockid && !op->cookie &&
	       !op->period_ns && !op->time_ns && !op->handle && !op->window_ns;
}

/* Whether an addition is a record, or has nothing that only a record has. */
static bool ops_restore_valid(const struct twheel_op *op)
{
	if (!(op->flags & TWHEEL_RESTORE))
		return !op->handle && !(op->flags & OPS_RECORD_FLAGS);
	/* No handle has generation 0. */
	return !(op->flags & TWHEEL_KEEP_HANDLE) || op->handle >> TWHEEL_INDEX_BITS;
}

/*
 * Whether an addition is of the common kind, and valid: then ops_add_valid() and
 * ops_restore_valid() hold, too. One sum: see ops_change_valid().
 */
static bool ops_add_common(const struct twheel_op *op)
{
	return !(op->result | (op->flags & ~(TWHEEL_ABSTIME | TWHEEL_SHARED)) |
		 (op->clockid ^ CLOCK_MONOTONIC) | op->handle | op->period_ns |
		 (op->time_ns | op->window_ns) >> 63);
}

/**
 * twheel_ops_add - carry out TWHEEL_OP_ADD
 * @set: The set.
 * @op: Operations, the first of which is an addition. The results and handles of the additions
 *	at the start of @op are filled in.
 * @added: For a timer of each operation: see twheel_create_timers().
 * @count: How many operations there are.
 * @kept: Set if an addition keeps its handle, or would if it were valid.
 *
 * Return: How many operations were carried out.
 */
unsigned int twheel_ops_add(struct timer_set *set, struct twheel_op *op,
			    struct user_timer **added, unsigned int count, bool *kept)
{
	unsigned int n;

	for (n = 0; n < count && op[n].op == TWHEEL_OP_ADD; n++) {
		if (ops_add_common(&op[n]))
			continue;
		*kept |= !!(op[n].flags & TWHEEL_KEEP_HANDLE);
		if (!ops_add_valid(&op[n], TWHEEL_RESTORE | OPS_RECORD_FLAGS) ||
		    !ops_restore_valid(&op[n]))
			op[n].result = -EINVAL;
	}
	twheel_create_timers(set, added, op, n);
	return n;
}

/* Takes @t, which is not PENDING, off its list. Returns TWHEEL_RETRACTED if it had an event. */
static noinline int ops_take_back(struct timer_set *set, struct user_timer *t)
{
	if (t->state == USER_TIMER_UNSEEN) {
		twheel_ready_take(set, t);
		return 0;
	}
	twheel_ready_remove(set, t);
	t->flags &= ~USER_TIMER_LEASE_CLOSED;
	return TWHEEL_RETRACTED;
}

/* Arms @t for the deadline of @op. Returns 0, TWHEEL_RETRACTED or -EINVAL. */
static __always_inline int ops_set_deadline(struct timer_set *set, struct user_timer *t,
					    const struct twheel_op *op,
					    const struct twheel_phase *phase, bool strays)
{
	int ret = 0;

	if (t->clockid == CLOCK_REALTIME && !(op->flags & TWHEEL_ABSTIME))
		return -EINVAL;
	if (unlikely(t->state != USER_TIMER_PENDING))
		ret = ops_take_back(set, t);
	twheel_user_timer_arm_for(set, t, op, phase, strays);
	return ret;
}

static int ops_change(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op, const struct twheel_phase *phase, bool strays)
{
	if (!ops_change_valid(op))
		return -EINVAL;
	if (!ops_handle_names(t, op->handle))
		return -ENOENT;
	return ops_set_deadline(set, t, op, phase, strays);
}

/**
 * twheel_ops_upsert - carry out a TWHEEL_OP_UPSERT
 * @set: The set.
 * @op: The operation.
 * @added: For the timer, if the operation created one: see twheel_create_timers().
 *
 * Return: The operation's result.
 */
int twheel_ops_upsert(struct timer_set *set, struct twheel_op *op,
		      struct user_timer **added)
{
	struct twheel_phase phase;
	struct user_timer *t;
	bool found;
	int ret = 0;

	if (!ops_add_valid(op, 0))
		return -EINVAL;
	timer_set_lock(set);
	t = twheel_block_find(set, op->handle);
	found = ops_handle_names(t, op->handle);
	if (found) {
		twheel_clock_read(&phase);
		ret = ops_set_deadline(set, t, op, &phase, twheel_share_has_strays(set));
	}
	timer_set_unlock(set);
	if (found)
		return ret;

	twheel_create_timers(set, added, op, 1);
	return op->result ? op->result : TWHEEL_ADDED;
}

static int ops_cancel(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op, struct ended_timers *ended)
{
	int ret;

	if (!ops_handle_only(op))
		return -EINVAL;
	if (!ops_handle_names(t, op->handle))
		return -ENOENT;
	ret = t->state == USER_TIMER_READY ? TWHEEL_RETRACTED : 0;
	twheel_user_timer_remove(set, t, ended);
	return ret;
}

/*
 * Finds the timers of the short operations at the start of @op. The timers are probably
 * in no cache, so each is prefetched while the next timers are looked up. Returns how
 * many operations are short.
 */
static unsigned int ops_look_up(struct timer_set *set, const struct twheel_op *op,
				struct user_timer **timer, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count && twheel_ops_is_short(&op[n]); n++) {
		timer[n] = twheel_block_find(set, op[n].handle);
		/* It may be NULL, of which a prefetch takes no notice. */
		prefetchw(timer[n]);
		prefetch(&timer[n]->extra);
	}
	return n;
}

/**
 * twheel_ops_run_short - carry out TWHEEL_OP_CHANGE and TWHEEL_OP_CANCEL
 * @set: The set.
 * @op: Operations, the first of which is short. The results of the short operations at the
 *	start of @op are filled in.
 * @timer: Room for a timer of each operation; %NULL afterwards.
 * @count: How many operations there are.
 * @changed: Set if the result of an operation is not 0.
 *
 * Return: How many operations were carried out.
 */
unsigned int twheel_ops_run_short(struct timer_set *set, struct twheel_op *op,
				  struct user_timer **timer, unsigned int count,
				  bool *changed)
{
	struct ended_timers ended;
	struct twheel_phase phase;
	unsigned int i, n;
	int seen = 0;
	bool strays;

	twheel_ended_init(&ended);
	timer_set_lock(set);
	strays = twheel_share_has_strays(set);
	twheel_clock_read(&phase);
	n = ops_look_up(set, op, timer, count);
	for (i = 0; i < n; i++) {
		/* A result that the program has set means -EINVAL. */
		if (op[i].op == TWHEEL_OP_CHANGE) {
			op[i].result = ops_change(set, timer[i], &op[i], &phase, strays);
		} else {
			if (i + OPS_AHEAD < n && timer[i + OPS_AHEAD])
				twheel_api_prefetch_neighbours(&timer[i + OPS_AHEAD]->timer);
			op[i].result = ops_cancel(set, timer[i], &op[i], &ended);
		}
		seen |= op[i].result;
		timer[i] = NULL;
	}
	twheel_ended_finish(set, &ended);
	timer_set_unlock(set);
	*changed |= seen;
	return n;
}

/* Cancels some timers of a group. Returns how many. */
static int ops_cancel_members(struct timer_set *set, u64 group, u64 *retracted)
{
	struct user_timer *t[TWHEEL_CHUNK];
	struct ended_timers ended;
	unsigned int i, n;

	twheel_ended_init(&ended);
	n = twheel_group_some(set, group, t, TWHEEL_CHUNK);
	for (i = 0; i < n; i++) {
		*retracted += t[i]->state == USER_TIMER_READY;
		twheel_user_timer_remove(set, t[i], &ended);
	}
	twheel_ended_finish(set, &ended);
	return n;
}

/**
 * twheel_ops_cancel_group - carry out a TWHEEL_OP_CANCEL_GROUP
 * @set: The set.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_ops_cancel_group(struct timer_set *set, struct twheel_op *op)
{
	u64 retracted = 0;
	int n, ended = 0;

	if (!ops_group_only(op))
		return -EINVAL;
	do {
		timer_set_lock(set);
		n = ops_cancel_members(set, op->group, &retracted);
		timer_set_unlock(set);
		ended += n;
		cond_resched();
	} while (n == TWHEEL_CHUNK && !fatal_signal_pending(current));
	op->time_ns = retracted;
	return ended ? ended : -ENOENT;
}

/**
 * twheel_ops_query - carry out a TWHEEL_OP_QUERY
 * @set: The set.
 * @op: The operation.
 *
 * Return: The operation's result.
 */
int twheel_ops_query(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	int ret = -ENOENT;

	if (!ops_change_valid(op) || op->time_ns)
		return -EINVAL;
	timer_set_lock(set);
	t = twheel_block_find(set, op->handle);
	if (ops_handle_names(t, op->handle)) {
		ret = t->state == USER_TIMER_READY ? TWHEEL_EXPIRED : 0;
		twheel_ops_describe(t, op, ktime_get_ns());
	}
	timer_set_unlock(set);
	return ret;
}

/**
 * twheel_ops_describe - fill in an operation from a timer
 * @t: The timer, its set locked.
 * @op: Gets the flags, cookie, clock, period, window and group of @t. Its @time_ns becomes
 *	the deadline if @op has %TWHEEL_ABSTIME, else the time left.
 * @now: The time on CLOCK_MONOTONIC, read since the set was locked.
 */
void twheel_ops_describe(const struct user_timer *t, struct twheel_op *op, s64 now)
{
	s64 deadline = t->flags & TWHEEL_SHARED ? twheel_table_deadline(t) : t->deadline;

	timer_set_assert_locked(user_timer_set(t));

	if (t->clockid != CLOCK_MONOTONIC)
		now = twheel_time_now(t->clockid);

	op->flags |= t->flags & TWHEEL_KEPT_FLAGS;
	if (user_timer_lease(t))
		op->flags |= TWHEEL_LEASED;
	op->cookie = t->cookie;
	op->clockid = t->clockid;
	if (op->flags & TWHEEL_ABSTIME)
		op->time_ns = twheel_time_to_program(user_timer_set(t), t->clockid, deadline);
	else
		op->time_ns = deadline > now ? deadline - now : 0;
	op->period_ns = user_timer_period(t);
	op->window_ns = user_timer_window(t);
	op->group = t->extra ? twheel_group_tag(t) : 0;
}

/**
 * twheel_ops_record - make the operation that arms a timer again
 * @t: The timer, its set locked.
 * @op: For the operation. Its result says whether the timer has expired.
 * @flags: %TWHEEL_ABSTIME for the deadline, or 0 for the time left.
 * @now: The time on CLOCK_MONOTONIC, read since the set was locked.
 */
void twheel_ops_record(const struct user_timer *t, struct twheel_op *op, u32 flags, s64 now)
{
	timer_set_assert_locked(user_timer_set(t));

	*op = (struct twheel_op) {
		.op = TWHEEL_OP_ADD,
		.flags = flags | TWHEEL_RESTORE,
		.result = t->state == USER_TIMER_READY ? TWHEEL_EXPIRED : 0,
		.handle = user_timer_handle(t),
	};
	/* The deadline, not the time left: the clock may be set before the timer is added. */
	if (t->clockid == CLOCK_REALTIME)
		op->flags |= TWHEEL_ABSTIME;
	twheel_ops_describe(t, op, now);
}
