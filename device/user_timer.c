// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the life of a program's timer
 *
 *	NEW -----> PENDING -----> READY
 *	 |          |   ^           |
 *	 |          |   +-----------+  changed, or periodic and read
 *	 v          v               v
 *	 +--------> DEAD <----------+  read
 *
 *	           PENDING -----> UNSEEN ----> PENDING or READY, or DEAD
 *
 * NEW: The timer has an index and a handle, but the handle has not been written to
 * the program's memory, so no program can use it. See create.c.
 *
 * PENDING: The timer is in a wheel, or in a tree if its clock jumps (clocks.c).
 *
 * UNSEEN: The deadline that the kernel knows has come, but the program may have pushed it
 * back in the table, and no one has looked (allowance.c). The timer counts as pending.
 *
 * READY: The timer has expired and is in the set's list of events (ready.c). The event
 * is the timer itself, so nothing has to be allocated when the timer expires. read()
 * copies events with the lock held and page faults off, and only then takes them off
 * the list (deliver.c).
 *
 * DEAD: The place of the timer is free for another one (block.c).
 *
 * A callback may have to wait for the set's lock. Meanwhile its timer may be armed again
 * or cancelled, and a new timer may get its place. Then the callback must do nothing. It
 * recognises a timer that was armed meanwhile: that timer is on a clock that jumps, or it
 * is still pending in the engine, because callbacks of one place do not overlap.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "allowance.h"
#include "clocks.h"
#include "ended.h"
#include "group.h"
#include "leased.h"
#include "ready.h"
#include "share.h"
#include "table.h"
#include "user_timer.h"

/**
 * twheel_user_timer_free_extra - free what a timer has besides its place
 * @t: The timer, which has ended and has an @extra; its set is locked.
 */
void twheel_user_timer_free_extra(struct user_timer *t)
{
	timer_set_assert_locked(user_timer_set(t));

	if (t->extra->member)
		twheel_group_leave(t);
	twheel_leased_end(t);
	/* A lease has ended, and left %NULL. */
	kfree(t->extra->clock_node);
	kfree(t->extra);
}

/**
 * twheel_user_timer_remove - end a timer, in whatever state it is
 * @set: The set, locked.
 * @t: The timer. Its handle names no timer afterwards.
 * @ended: Collects the timer for twheel_ended_finish().
 */
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t,
			      struct ended_timers *ended)
{
	timer_set_assert_locked(set);

	if (t->state == USER_TIMER_UNSEEN)
		twheel_ready_take(set, t);
	if (t->state == USER_TIMER_READY)
		twheel_ready_remove(set, t);
	else if (user_timer_clock_node(t))
		twheel_clocks_disarm(t);
	else
		twheel_ended_disarm(ended, t);
	twheel_user_timer_end(t, ended);
}

/* Disarms @t, and moves it to another lane. It stays there if its own callback arms it. */
static noinline void user_timer_change_lane(struct user_timer *t)
{
	struct twheel_timer *timer = &t->timer;

	if (twheel_wheel_pending(&timer->node))
		twheel_api_cancel_some(&timer, 1);
	twheel_lane_move(timer, twheel_share_lane(user_timer_set(t)));
}

/**
 * twheel_user_timer_choose_lane - give a timer a lane that its user may use now
 * @t: The timer, which is about to be armed, its set locked.
 *
 * A pending timer may be in the wheel of another CPU, and would stay there.
 */
void twheel_user_timer_choose_lane(struct user_timer *t)
{
	bool low = twheel_lane_of(&t->timer) == TWHEEL_LANE_LOW;
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	if (unlikely(low != twheel_share_used_up(set)) ||
	    (!low && unlikely(twheel_share_used_up_on(set, twheel_lane_cpu(&t->timer)))))
		user_timer_change_lane(t);
}

/**
 * twheel_user_timer_arm - arm a timer for its deadline
 * @t: The timer, its set locked.
 * @phase: From a twheel_clock_read() since the set was locked.
 */
void twheel_user_timer_arm(struct user_timer *t, const struct twheel_phase *phase)
{
	timer_set_assert_locked(user_timer_set(t));

	twheel_user_timer_choose_lane(t);
	user_timer_arm(t, phase);
}

/* Whether @t, whose callback runs, expires at @now. It may have been pushed back. */
static bool user_timer_has_come(struct user_timer *t, s64 now)
{
	if (now < t->deadline)
		return false;
	return !(t->flags & TWHEEL_SHARED) || twheel_table_expire(t, now);
}

/*
 * Returns the time of expiry of a timer that expires at @now. The time must not go back from
 * one event of the set to the next. The event in front may be of another CPU, which has
 * read the clock later; then the function returns that later time.
 */
static s64 user_timer_expiry_time(struct timer_set *set, u64 now)
{
	set->latest = max_t(s64, set->latest, now);
	return set->latest;
}

/* Arms @t again, whose deadline the program has pushed back. Rare, so out of line. */
static noinline void user_timer_resume(struct user_timer *t)
{
	struct twheel_phase phase;

	t->state = USER_TIMER_PENDING;
	twheel_clock_read(&phase);
	twheel_user_timer_choose_lane(t);
	twheel_mod(&t->timer, user_timer_tick(t, &phase));
}

/* Lets @t expire, unless its deadline, as the program has pushed it back, is to come. */
static __always_inline void user_timer_look(struct timer_set *set, struct user_timer *t,
					    u64 now)
{
	t->expired = user_timer_expiry_time(set, now);
	if (!user_timer_has_come(t, t->expired)) {
		user_timer_resume(t);
		return;
	}
	if (t->extra)
		twheel_leased_end(t);
	twheel_ready_add(set, t);
}

/**
 * twheel_user_timer_lease_closed - let a timer expire because its lease was closed
 * @t: A timer with a lease, its set locked. The deadline becomes now.
 */
void twheel_user_timer_lease_closed(struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);
	struct twheel_timer *timer = &t->timer;

	timer_set_assert_locked(set);

	/* A callback that runs already finds the timer READY, or armed again. */
	twheel_api_cancel_some(&timer, 1);
	t->expired = user_timer_expiry_time(set, ktime_get_ns());
	t->deadline = min(t->deadline, t->expired);
	t->flags |= USER_TIMER_LEASE_CLOSED;
	twheel_leased_end(t);
	twheel_ready_add(set, t);
}

/**
 * twheel_user_timer_look_at_unseen - look at timers that the program was left to look at
 * @set: The set, locked. The function looks at up to %TWHEEL_CHUNK timers.
 */
void twheel_user_timer_look_at_unseen(struct timer_set *set)
{
	struct user_timer *t;
	unsigned int n;

	timer_set_assert_locked(set);

	for (n = 0; n < TWHEEL_CHUNK; n++) {
		t = twheel_ready_first_unseen(set);
		if (!t)
			break;
		twheel_ready_take(set, t);
		user_timer_look(set, t, ktime_get_ns());
	}
}

/**
 * twheel_user_timer_expired - the callback of all timers of programs
 * @timer: The engine's part of a place; the place may be empty or have another
 *	timer by now.
 *
 * Context: softirq. Takes the set's lock.
 */
void twheel_user_timer_expired(struct twheel_timer *timer)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);
	bool low = twheel_lane_of(timer) == TWHEEL_LANE_LOW;
	struct timer_set *set = user_timer_set(t);
	s64 now;

	if (unlikely(twheel_share_lock(set, low)))
		twheel_run_look_at_clock();
	if (t->state != USER_TIMER_PENDING || twheel_wheel_pending(&timer->node) ||
	    user_timer_clock_node(t))
		goto out_unlock;

	twheel_share_charge(set, 1, low);
	now = twheel_run_time(timer);
	if (t->flags & TWHEEL_SHARED && now >= t->deadline && !twheel_allowance_take(1))
		twheel_ready_leave(set, t);
	else
		user_timer_look(set, t, now);
out_unlock:
	spin_unlock(&set->lock);
}

/**
 * twheel_user_timer_moved - charge a user for moves of timers in the wheel
 * @timer: The timer that was moved last.
 * @steps: How many steps of the share the moves took.
 *
 * Context: see twheel_run_set_charge().
 */
void twheel_user_timer_moved(struct twheel_timer *timer, unsigned int steps)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);

	/* Tests of the engine put timers of their own into these lanes. */
	if (timer->fn == twheel_user_timer_expired)
		twheel_share_charge(user_timer_set(t), steps,
				    twheel_lane_of(timer) == TWHEEL_LANE_LOW);
}
