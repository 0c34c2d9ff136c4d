// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the life of a program's timer
 *
 *	DEAD -----> PENDING -----> READY
 *	 ^           |   ^           |
 *	 |           |   +-----------+  changed, or periodic and read
 *	 +-----------+---------------+  cancelled, drained or read
 *
 * DEAD: The place of the timer is free for another one (block.c).
 *
 * PENDING: The timer is in the wheel of its set. It may have expired already: that is a matter of
 * the clock, and not of whether someone has turned the wheel (turn.c).
 *
 * READY: The timer has been taken off the wheel, and is in the list of events. The event is the
 * timer itself, so nothing has to be allocated when the timer expires. read() takes timers from
 * the list, and then straight from the wheel (deliver.c).
 *
 * All of this happens under the set's lock.
 */
#include <linux/slab.h>
#include "group.h"
#include "quota.h"
#include "user_timer.h"

/**
 * twheel_user_timer_jumping_tick - find the tick of a deadline on a clock that jumps
 * @clockid: The clock, which is not CLOCK_MONOTONIC.
 * @deadline: The deadline.
 * @phase: From a recent twheel_clock_read().
 *
 * Return: The tick of the deadline, as CLOCK_MONOTONIC is ahead of or behind that clock now. If
 * the clock jumps, the timer is filed again: see clock.c.
 */
u64 twheel_user_timer_jumping_tick(clockid_t clockid, s64 deadline,
				   const struct twheel_phase *phase)
{
	s64 when;

	if (check_sub_overflow(deadline, twheel_time_ahead(clockid), &when))
		when = deadline < 0 ? S64_MIN : S64_MAX;
	return twheel_clock_tick(phase, ns_to_ktime(when));
}

/**
 * twheel_user_timer_has_expired - find out whether a timer has expired, by the clock
 * @t: The timer, not DEAD; its set is locked.
 * @phase: From a twheel_clock_read() since the set was locked.
 *
 * Return: Whether the timer is READY, or would be if the wheel were turned.
 */
bool twheel_user_timer_has_expired(const struct user_timer *t, const struct twheel_phase *phase)
{
	timer_set_assert_locked(user_timer_set(t));

	if (t->state == USER_TIMER_READY)
		return true;
	/* After a jump of its clock, the timer may yet have to be filed again. */
	if (t->clockid != CLOCK_MONOTONIC)
		return user_timer_tick(t, phase) <= phase->tick &&
		       t->deadline <= twheel_time_at(t->clockid, phase);
	/* The wheel lets the timer go at the end of its window at the latest. */
	if (twheel_wheel_has_window(&t->node))
		return phase->tick >=
		       twheel_clock_tick(phase, twheel_time_add(twheel_table_deadline(t),
								user_timer_window(t)));
	return twheel_wheel_state(&t->node) <= phase->tick &&
	       twheel_table_deadline(t) <= phase->now;
}

/**
 * twheel_user_timer_file_again - file a timer whose time has not come
 * @set: The set, locked.
 * @t: The timer, not in the wheel any more, though it is PENDING.
 * @phase: From a twheel_clock_read() since the set was locked.
 *
 * A tick may come before the deadlines that it stands for. The program may have pushed the
 * deadline back, or set the clock.
 */
void twheel_user_timer_file_again(struct timer_set *set, struct user_timer *t,
				  const struct twheel_phase *phase)
{
	timer_set_assert_locked(set);

	twheel_wheel_insert(&set->wheel, &t->node,
			    max(user_timer_tick(t, phase), phase->tick + 1));
}

/**
 * twheel_user_timer_free_extra - free what a timer has besides its place
 * @t: The timer, which has ended and has an @extra; its set is locked.
 */
void twheel_user_timer_free_extra(struct user_timer *t)
{
	timer_set_assert_locked(user_timer_set(t));

	if (t->extra->tag)
		twheel_group_leave(t);
	twheel_leased_end(t);
	if (t->clockid != CLOCK_MONOTONIC)
		user_timer_set(t)->clocked--;
	user_timer_block(t)->extras--;
	kfree(t->extra);
}

/**
 * twheel_user_timer_remove - end a timer, in whatever state it is
 * @set: The set, locked.
 * @t: The timer. Its handle names no timer afterwards.
 * @ended: Collects the timer for twheel_user_timer_finish().
 */
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t,
			      struct ended_timers *ended)
{
	timer_set_assert_locked(set);

	if (unlikely(t->state == USER_TIMER_READY))
		user_timer_unready(set, t);
	else
		twheel_wheel_drop(&set->wheel, &t->node);
	twheel_user_timer_end(t, ended);
}

/**
 * twheel_user_timer_finish - give back what the ended timers had
 * @set: Their set, which has been locked since the first of them ended.
 * @ended: The collection. It may be used again.
 */
void twheel_user_timer_finish(struct timer_set *set, struct ended_timers *ended)
{
	timer_set_assert_locked(set);

	if (!ended->count)
		return;
	WRITE_ONCE(set->count, set->count - ended->count);
	twheel_quota_uncharge(set->quota, QUOTA_TIMERS, ended->count);
	twheel_block_free(set, ended->empty);
	*ended = (struct ended_timers) { };
}

/**
 * twheel_user_timer_lease_closed - let a timer expire because its lease was closed
 * @t: A timer with a lease, its set locked. The deadline becomes now.
 */
void twheel_user_timer_lease_closed(struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	twheel_wheel_drop(&set->wheel, &t->node);
	set->latest = max_t(s64, set->latest, ktime_get_ns());
	t->deadline = min(t->deadline, set->latest);
	atomic64_set(&t->node.state, set->latest);
	t->flags |= USER_TIMER_LEASE_CLOSED;
	twheel_leased_end(t);
	user_timer_ready(set, t, false);
}
