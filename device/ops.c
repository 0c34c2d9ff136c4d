// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the operations on timers; ioctl.c has copied their arguments in
 *
 * Each operation checks its arguments first and its handle second, so a program that
 * makes both mistakes gets -EINVAL.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "calls.h"
#include "turn.h"

/* How many operations ahead of a cancel the neighbours of a timer are prefetched. */
#define OPS_AHEAD	8U

/* The flags that an operation may have only with TWHEEL_RESTORE. */
#define OPS_RECORD_FLAGS	(TWHEEL_KEEP_HANDLE | TWHEEL_LEASED)

/* Whether a handle names @t. A handle names no timer if it is stale, made up, or of another set. */
static bool ops_handle_names(const struct user_timer *t, u64 handle)
{
	return t && t->generation == handle >> TWHEEL_INDEX_BITS && t->state != USER_TIMER_DEAD;
}

/*
 * Whether @t has expired, by the clock. In line: most timers are in the wheel, and their ticks are
 * to come.
 */
static inline bool ops_has_expired(const struct user_timer *t, const struct twheel_phase *phase)
{
	if (likely(t->state == USER_TIMER_PENDING && twheel_wheel_state(&t->node) > phase->tick &&
		   !(t->flags & USER_TIMER_LEASE_CLOSED)))
		return false;
	return twheel_user_timer_has_expired(t, phase);
}

/*
 * Whether the fields of an operation are valid that may add a timer. The call accepts @flags,
 * besides those of all such calls.
 */
static bool ops_add_valid(const struct twheel_op *op, u32 flags)
{
	u32 policy = op->flags & (TWHEEL_EACH | TWHEEL_RESTART);

	if (op->result || op->flags & ~(flags | TWHEEL_ABSTIME | TWHEEL_KEPT_FLAGS) ||
	    (op->time_ns | op->window_ns | op->period_ns) > S64_MAX)
		return false;
	if (op->clockid != CLOCK_MONOTONIC && op->clockid != CLOCK_BOOTTIME &&
	    op->clockid != CLOCK_REALTIME)
		return false;
	/* A relative time on this clock has no meaning, because the clock may be set. */
	if (op->clockid == CLOCK_REALTIME && !(op->flags & TWHEEL_ABSTIME))
		return false;
	/* The table has deadlines of CLOCK_MONOTONIC only. */
	if (op->flags & TWHEEL_SHARED && (op->clockid != CLOCK_MONOTONIC || op->period_ns))
		return false;
	if (!op->period_ns)
		return !policy;
	return op->period_ns >= TICK_NSEC && policy != (TWHEEL_EACH | TWHEEL_RESTART);
}

static bool ops_change_valid(const struct twheel_op *op)
{
	/* One sum, because batches check many: all fields are 0, and the time below 2^63. */
	return !(op->result | (op->flags & ~TWHEEL_ABSTIME) | op->clockid | op->cookie |
		 op->period_ns | op->group | op->window_ns | op->time_ns >> 63);
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

/* Carries out @n operations, all of them additions. The arguments are those of twheel_create(). */
unsigned int twheel_ops_add(struct timer_set *set, struct twheel_op *op,
			    struct twheel_op __user *to, unsigned int n, bool batch)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (ops_add_common(&op[i]))
			continue;
		if (!ops_add_valid(&op[i], TWHEEL_RESTORE | OPS_RECORD_FLAGS) ||
		    !ops_restore_valid(&op[i]))
			op[i].result = -EINVAL;
	}
	return twheel_create(set, op, to, n, batch);
}

/* Arms @t for the deadline of @op. Returns 0, TWHEEL_RETRACTED or -EINVAL. */
static noinline int ops_set_deadline(struct timer_set *set, struct user_timer *t,
				     const struct twheel_op *op, const struct twheel_phase *phase)
{
	bool expired;

	if (unlikely(t->clockid == CLOCK_REALTIME) && !(op->flags & TWHEEL_ABSTIME))
		return -EINVAL;
	expired = ops_has_expired(t, phase);
	if (unlikely(t->state == USER_TIMER_READY))
		user_timer_unready(set, t);
	else if (unlikely(expired) && t->extra)
		twheel_user_timer_end_lease(t);
	/* Before the timer is filed: lease_expire() may have taken its window. */
	if (t->flags & USER_TIMER_LEASE_CLOSED)
		t->node.flags = twheel_wheel_window_flags(div_u64(t->extra->window, TICK_NSEC));
	t->flags &= ~USER_TIMER_LEASE_CLOSED;
	t->deadline = user_timer_new_deadline(set, t->clockid, op, phase);
	twheel_user_timer_arm(set, t, user_timer_tick(t, phase));
	return expired ? TWHEEL_RETRACTED : 0;
}

static __always_inline int ops_change(struct timer_set *set, struct user_timer *t,
				      const struct twheel_op *op, const struct twheel_phase *phase)
{
	if (!ops_change_valid(op))
		return -EINVAL;
	if (likely(t && user_timer_is_usual(t, op->handle) &&
		   twheel_wheel_state(&t->node) > phase->tick)) {
		t->deadline = user_timer_new_deadline(set, CLOCK_MONOTONIC, op, phase);
		twheel_user_timer_move(set, t, twheel_clock_tick(phase, t->deadline));
		return 0;
	}
	if (!ops_handle_names(t, op->handle))
		return -ENOENT;
	return ops_set_deadline(set, t, op, phase);
}

static __always_inline int ops_cancel(struct timer_set *set, struct user_timer *t,
				      const struct twheel_op *op, const struct twheel_phase *phase)
{
	bool expired;

	if (!ops_change_valid(op) || op->flags | op->time_ns)
		return -EINVAL;
	if (likely(t && user_timer_is_usual(t, op->handle) && !t->extra &&
		   twheel_wheel_state(&t->node) > phase->tick)) {
		twheel_wheel_drop(&set->wheel, &t->node);
		twheel_user_timer_end_plain(set, t);
		return 0;
	}
	if (!ops_handle_names(t, op->handle))
		return -ENOENT;
	expired = ops_has_expired(t, phase);
	twheel_user_timer_remove(set, t);
	return expired ? TWHEEL_RETRACTED : 0;
}

/*
 * Carries out @n changes and cancels, at most %TWHEEL_CHUNK, in one hold of the lock, and fills in
 * their results. Returns whether one of them is not 0.
 */
bool twheel_ops_run_short(struct timer_set *set, struct twheel_op *op, unsigned int n)
{
	struct user_timer *timer[TWHEEL_CHUNK] timer_set_not_cleared;
	struct twheel_phase phase;
	unsigned int i;
	int seen = 0;

	twheel_turn_begin(set, &phase);
	/* The timers are probably in no cache: prefetch each while the next ones are looked up. */
	for (i = 0; i < n; i++) {
		timer[i] = twheel_block_find(set, op[i].handle);
		/* It may be NULL, of which a prefetch takes no notice. */
		prefetchw(timer[i]);
	}
	for (i = 0; i < n; i++) {
		/* A result that the program has set means -EINVAL. */
		if (op[i].op == TWHEEL_OP_CHANGE) {
			op[i].result = ops_change(set, timer[i], &op[i], &phase);
		} else {
			/* To unlink a timer is to write to its two neighbours. */
			if (i + OPS_AHEAD < n && timer[i + OPS_AHEAD]) {
				prefetchw(timer[i + OPS_AHEAD]->node.entry.prev);
				prefetchw(timer[i + OPS_AHEAD]->node.entry.next);
			}
			op[i].result = ops_cancel(set, timer[i], &op[i], &phase);
		}
		seen |= op[i].result;
	}
	twheel_turn_end(set, &phase);
	return seen;
}

/*
 * Fills in an operation from a timer. What few timers have is 0 in @op so far. The time is the
 * deadline if @op has %TWHEEL_ABSTIME, else the time left.
 */
static void ops_describe(const struct user_timer *t, struct twheel_op *op,
			 const struct twheel_phase *phase)
{
	s64 now = phase->now + twheel_time_ahead(t->clockid), deadline = twheel_table_deadline(t);

	op->flags |= t->flags & TWHEEL_KEPT_FLAGS;
	op->cookie = t->cookie;
	op->clockid = t->clockid;
	if (op->flags & TWHEEL_ABSTIME)
		op->time_ns = twheel_time_to_program(user_timer_set(t), t->clockid, deadline);
	else
		op->time_ns = deadline > now ? deadline - now : 0;
	if (!t->extra)
		return;
	if (t->extra->lease && !ops_has_expired(t, phase))
		op->flags |= TWHEEL_LEASED;
	op->period_ns = t->extra->period;
	op->window_ns = t->extra->window;
	op->group = t->extra->tag;
}

static int ops_query(const struct user_timer *t, struct twheel_op *op,
		     const struct twheel_phase *phase)
{
	if (!ops_change_valid(op) || op->time_ns)
		return -EINVAL;
	if (!ops_handle_names(t, op->handle))
		return -ENOENT;
	ops_describe(t, op, phase);
	return ops_has_expired(t, phase) ? TWHEEL_EXPIRED : 0;
}

/* Carries out an operation on the timer that its handle names: of TWHEEL_OP_UPSERT only that. */
static int ops_on_timer(struct timer_set *set, struct twheel_op *op, u32 opcode)
{
	struct twheel_phase phase;
	struct user_timer *t;
	int ret;

	twheel_turn_begin(set, &phase);
	t = twheel_block_find(set, op->handle);
	if (opcode == TWHEEL_OP_CHANGE)
		ret = ops_change(set, t, op, &phase);
	else if (opcode == TWHEEL_OP_CANCEL)
		ret = ops_cancel(set, t, op, &phase);
	else if (opcode == TWHEEL_OP_QUERY)
		ret = ops_query(t, op, &phase);
	else if (opcode != TWHEEL_OP_UPSERT)
		ret = -EINVAL;
	else if (ops_handle_names(t, op->handle))
		ret = ops_set_deadline(set, t, op, &phase);
	else
		ret = -ENOENT;
	twheel_turn_end(set, &phase);
	return ret;
}

/* If the operation adds a timer, the handle is written to @to, where it comes from. */
static noinline int ops_upsert(struct timer_set *set, struct twheel_op *op,
			       struct twheel_op __user *to)
{
	int ret = ops_add_valid(op, 0) ? ops_on_timer(set, op, TWHEEL_OP_UPSERT) : -EINVAL;

	if (ret != -ENOENT)
		return ret;
	if (!twheel_create(set, op, to, 1, false))
		return -EFAULT;
	return op->result ? op->result : TWHEEL_ADDED;
}

/* Cancels the timers of a group, and counts those that have expired. Returns how many. */
static noinline int ops_cancel_group(struct timer_set *set, struct twheel_op *op)
{
	struct twheel_phase phase;
	struct user_timer *t;
	int n, ended = 0;

	if (!op->group || op->result | op->flags | op->clockid | op->cookie | op->period_ns |
			  op->time_ns | op->handle | op->window_ns)
		return -EINVAL;
	do {
		twheel_turn_begin(set, &phase);
		n = 0;
		while (n < TWHEEL_CHUNK && (t = twheel_user_timer_of_group(set, op->group))) {
			op->time_ns += ops_has_expired(t, &phase);
			twheel_user_timer_remove(set, t);
			n++;
		}
		twheel_turn_end(set, &phase);
		ended += n;
		cond_resched();
		/* No end without a bound: other threads may add to the group as fast. */
	} while (n == TWHEEL_CHUNK && ended <= TWHEEL_INDEX_MASK && !fatal_signal_pending(current));
	return ended ? ended : -ENOENT;
}

/* Carries out an operation that comes from @to and adds no timer. Returns its result. */
int twheel_ops_run(struct timer_set *set, struct twheel_op *op, u32 opcode,
		   struct twheel_op __user *to)
{
	if (opcode == TWHEEL_OP_UPSERT)
		return ops_upsert(set, op, to);
	if (opcode == TWHEEL_OP_CANCEL_GROUP)
		return ops_cancel_group(set, op);
	return ops_on_timer(set, op, opcode);
}

/*
 * Makes the operation that arms a timer again, whose set is locked. @flags is %TWHEEL_ABSTIME for
 * the deadline, or 0 for the time left. The result says whether the timer has expired.
 */
void twheel_ops_record(const struct user_timer *t, struct twheel_op *op, u32 flags,
		       const struct twheel_phase *phase)
{
	*op = (struct twheel_op) {
		.op = TWHEEL_OP_ADD,
		.flags = flags | TWHEEL_RESTORE,
		.result = ops_has_expired(t, phase) ? TWHEEL_EXPIRED : 0,
		.handle = user_timer_handle(t),
	};
	/* The deadline, not the time left: the clock may be set before the timer is added. */
	if (t->clockid == CLOCK_REALTIME)
		op->flags |= TWHEEL_ABSTIME;
	ops_describe(t, op, phase);
}
