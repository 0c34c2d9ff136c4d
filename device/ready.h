/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the timers of a set that have expired, until they are read
 */
#ifndef _TWHEEL_DEVICE_READY_H
#define _TWHEEL_DEVICE_READY_H

#include "timer_set.h"

void twheel_ready_queue_wake(struct timer_set *set);
void twheel_ready_leave(struct timer_set *set, struct user_timer *t);
void twheel_ready_add_clock_set(struct timer_set *set);

static inline bool twheel_ready_any(const struct timer_set *set)
{
	/* Not list_empty(): while the only timer moves to the end, the list is empty. */
	return READ_ONCE(set->steps) || READ_ONCE(set->unread);
}

/* Whether there is an event, or a timer that the program has to look at. */
static inline bool twheel_ready_maybe(const struct timer_set *set)
{
	return twheel_ready_any(set) || READ_ONCE(set->looks);
}

static inline struct user_timer *twheel_ready_first(struct timer_set *set)
{
	return list_first_entry_or_null(&set->ready, struct user_timer, timer.owner);
}

static inline struct user_timer *twheel_ready_first_unseen(struct timer_set *set)
{
	return list_first_entry_or_null(&set->unseen, struct user_timer, timer.owner);
}

static inline void twheel_ready_wake(struct timer_set *set)
{
	timer_set_assert_locked(set);

	/*
	 * Nothing to do if the work is queued already: it takes the lock after this
	 * function's caller, and sees what the caller did.
	 */
	if (!twheel_work_queued(&set->wake))
		twheel_ready_queue_wake(set);
}

/**
 * twheel_ready_add - add a timer that has expired to the list
 * @set: The set, locked.
 * @t: The timer; its @expired has been set.
 *
 * Context: bottom halves off.
 */
static inline void twheel_ready_add(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	t->state = USER_TIMER_READY;
	list_add_tail(&t->timer.owner, &set->ready);
	WRITE_ONCE(set->unread, set->unread + 1);
	twheel_ready_wake(set);
}

/**
 * twheel_ready_take - take a timer off the list of those that nobody has looked at
 * @set: The set, locked.
 * @t: A timer that is UNSEEN. The caller gives it another state.
 */
static inline void twheel_ready_take(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	list_del(&t->timer.owner);
	WRITE_ONCE(set->looks, set->looks - 1);
}

/**
 * twheel_ready_remove - withdraw the event of a timer
 * @set: The set, locked.
 * @t: A timer that is READY.
 */
static inline void twheel_ready_remove(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	list_del(&t->timer.owner);
	WRITE_ONCE(set->unread, set->unread - 1);
}

#endif /* _TWHEEL_DEVICE_READY_H */
