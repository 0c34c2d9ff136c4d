/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the life of a program's timer
 */
#ifndef _TWHEEL_DEVICE_USER_TIMER_H
#define _TWHEEL_DEVICE_USER_TIMER_H

#include "block.h"
#include "clocks.h"
#include "ended.h"
#include "table.h"
#include "time.h"
#include "timer_set.h"

void twheel_user_timer_choose_lane(struct user_timer *t);
void twheel_user_timer_arm(struct user_timer *t, const struct twheel_phase *phase);
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t,
			      struct ended_timers *ended);
void twheel_user_timer_free_extra(struct user_timer *t);
void twheel_user_timer_lease_closed(struct user_timer *t);
void twheel_user_timer_look_at_unseen(struct timer_set *set);
void twheel_user_timer_expired(struct twheel_timer *timer);
void twheel_user_timer_moved(struct twheel_timer *timer, unsigned int steps);

/* The tick of the deadline of @t. */
static inline u64 user_timer_tick(const struct user_timer *t, const struct twheel_phase *phase)
{
	return twheel_clock_tick(phase, ns_to_ktime(t->deadline));
}

/* Arms @t for its deadline, in the lane that it has. */
static __always_inline void user_timer_arm(struct user_timer *t, const struct twheel_phase *phase)
{
	t->state = USER_TIMER_PENDING;
	if (user_timer_clock_node(t)) {
		twheel_clocks_arm(t);
		return;
	}
	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	twheel_mod(&t->timer, user_timer_tick(t, phase));
}

/* Returns the deadline that @op asks for. */
static __always_inline s64 user_timer_new_deadline(const struct timer_set *set,
						   const struct user_timer *t,
						   const struct twheel_op *op,
						   const struct twheel_phase *phase)
{
	s64 now = phase->now;

	if (op->flags & TWHEEL_ABSTIME)
		return twheel_time_to_kernel(set, t->clockid, op->time_ns);
	if (user_timer_clock_node(t))
		now = twheel_time_now(t->clockid);
	return twheel_time_add(now, op->time_ns);
}

/**
 * twheel_user_timer_arm_for - arm a timer for the deadline of an operation
 * @set: The set, locked.
 * @t: The timer.
 * @op: The operation.
 * @phase: From a twheel_clock_read() since the set was locked.
 * @strays: twheel_share_has_strays(), since the set was locked.
 *
 * In line, because batches arm many timers in a loop.
 */
static __always_inline void
twheel_user_timer_arm_for(struct timer_set *set, struct user_timer *t, const struct twheel_op *op,
			  const struct twheel_phase *phase, bool strays)
{
	timer_set_assert_locked(set);

	if (unlikely(strays))
		twheel_user_timer_choose_lane(t);
	t->deadline = user_timer_new_deadline(set, t, op, phase);
	user_timer_arm(t, phase);
}

/**
 * twheel_user_timer_start_for - arm a new timer for the deadline of an operation, in a hold
 * @set: The set, locked.
 * @t: The timer, without an extra, and in a lane that its user may use.
 * @op: The operation.
 * @phase: From a twheel_clock_read() since the set was locked.
 * @hold: The hold, in which no other lock is taken.
 */
static __always_inline void
twheel_user_timer_start_for(struct timer_set *set, struct user_timer *t,
			    const struct twheel_op *op, const struct twheel_phase *phase,
			    struct twheel_hold *hold)
{
	timer_set_assert_locked(set);

	t->deadline = user_timer_new_deadline(set, t, op, phase);
	t->state = USER_TIMER_PENDING;
	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	twheel_api_hold_mod(hold, &t->timer, user_timer_tick(t, phase));
}

/**
 * twheel_user_timer_end - give back what a timer has
 * @t: The timer, in no list; its set is locked. Its engine's part is not armed, or
 *	twheel_ended_disarm() has added it to @ended.
 * @ended: Collects the timer for twheel_ended_finish().
 */
static inline void twheel_user_timer_end(struct user_timer *t, struct ended_timers *ended)
{
	timer_set_assert_locked(user_timer_set(t));

	if (t->flags & TWHEEL_SHARED)
		twheel_table_close(t);
	if (t->extra)
		twheel_user_timer_free_extra(t);
	ended->count++;
	twheel_block_give(t, &ended->empty);
}

#endif /* _TWHEEL_DEVICE_USER_TIMER_H */
