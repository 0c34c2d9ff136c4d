/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: turning the wheel of a set, and waking those who wait for the set
 */
#ifndef _TWHEEL_DEVICE_TURN_H
#define _TWHEEL_DEVICE_TURN_H

#include "user_cpu.h"
#include "user_timer.h"

/* waiters.c */
void twheel_waiters_init(struct waiters *waiters);
bool twheel_waiters_left(const struct timer_set *set, bool holders);
void twheel_waiters_set_eventfd(struct timer_set *set, struct eventfd_ctx *eventfd);
void twheel_waiters_signal(struct timer_set *set);
bool twheel_waiters_wake_part(struct timer_set *set, bool *holders);
void twheel_waiters_wake(struct timer_set *set);

/* turn.c */
struct user_timer *twheel_turn_take(struct timer_set *set, const struct twheel_phase *phase,
				    unsigned int *steps);
bool twheel_turn_some(struct timer_set *set, const struct twheel_phase *phase);
bool twheel_turn_expire(struct timer_set *set, const struct twheel_phase *phase,
			unsigned int *steps);
void twheel_turn_all(struct timer_set *set);
void twheel_turn_ask_visit(struct timer_set *set, const struct twheel_phase *phase);
unsigned int twheel_turn_allowed(void);
void twheel_turn_return(unsigned int steps);

/*
 * Takes the next timer, if it is like most and expires, and the wheel has come to its tick. In
 * line, because nearly all timers are taken here. Returns the timer, in no list; or NULL, and then
 * twheel_turn_take() may find one.
 */
static __always_inline struct user_timer *
twheel_turn_take_plain(struct timer_set *set, const struct twheel_phase *phase,
		       unsigned int *steps)
{
	struct twheel_node *node;
	struct user_timer *t;

	lockdep_assert_held(&set->lock);

	/* Those that have been found before come first. */
	if (!*steps || set->unread || !twheel_wheel_peek(&set->wheel, &node))
		return NULL;
	t = container_of(node, struct user_timer, node);
	if (unlikely(!user_timer_is_plain(t) || t->deadline > phase->now ||
		     twheel_wheel_state(node) > set->wheel.clk))
		return NULL;
	twheel_wheel_drop(&set->wheel, node);
	user_timer_note_expiry(set, t, phase, 0);
	--*steps;
	return t;
}

/* Whether there is an event that someone has already found. */
static inline bool twheel_turn_any(const struct timer_set *set)
{
	return READ_ONCE(set->clock_sets) || READ_ONCE(set->unread);
}

/* Locks a set, and reads the time. */
static __always_inline void twheel_turn_lock(struct timer_set *set, struct twheel_phase *phase)
	__acquires(&set->lock)
{
	spin_lock_bh(&set->lock);
	twheel_clock_read(phase);
}

/* The same in a call of the program, which may be woken again from now on. */
static __always_inline void twheel_turn_call(struct timer_set *set, struct twheel_phase *phase)
	__acquires(&set->lock)
{
	twheel_turn_lock(set, phase);
	set->woken = WOKEN_NOT;
}

/*
 * Begins a hold of a set's lock in a call. Who calls, turns: the wheel catches up with the clock by
 * up to %TWHEEL_CHUNK steps.
 */
static __always_inline void twheel_turn_begin(struct timer_set *set, struct twheel_phase *phase)
	__acquires(&set->lock)
{
	twheel_turn_call(set, phase);
	if (unlikely(set->wheel.next <= phase->tick || set->refile))
		twheel_turn_some(set, phase);
	twheel_wheel_forward(&set->wheel, phase->tick);
}

/*
 * Ends a hold of a set's lock in a call. Gives back what the call has not used. Asks for a visit,
 * if the wheel wants one before the visit that it has.
 */
static __always_inline void twheel_turn_end(struct timer_set *set,
					    const struct twheel_phase *phase)
	__releases(&set->lock)
{
	lockdep_assert_held(&set->lock);

	twheel_user_timer_finish(set);
	if (unlikely(set->wheel.next < (u64)set->visit.expires))
		twheel_turn_ask_visit(set, phase);
	spin_unlock_bh(&set->lock);
	/* Wakes the holders of leases that have ended, in the caller's own time. */
	if (unlikely(!list_empty_careful(&set->ended_leases)))
		twheel_waiters_wake(set);
}

#endif /* _TWHEEL_DEVICE_TURN_H */
