// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the timers of a set that have expired, until they are read
 *
 * A timer that is USER_TIMER_READY is in the set's list, in the order of expiry. deliver.c
 * takes the events from there. The work that wakes readers is done once for all timers
 * that expire in one run of a wheel.
 */
#include <linux/ktime.h>
#include "ready.h"
#include "share.h"

/*
 * Has the readers woken. Any number of waiters may watch a set. So while its user is above the
 * share, the thread of low priority wakes them.
 */
static void ready_wake(struct timer_set *set)
{
	timer_set_assert_locked(set);

	/*
	 * Nothing to do if the work is queued already: it takes the lock after this
	 * function's caller, and sees what the caller did.
	 */
	if (twheel_work_queued(&set->wake))
		return;
	twheel_work_choose(&set->wake, twheel_share_used_up(set));
	twheel_work_queue(&set->wake);
}

/**
 * twheel_ready_add - add a timer that has expired to the list
 * @set: The set, locked.
 * @t: The timer; its @expired has been set.
 *
 * Context: bottom halves off.
 */
void twheel_ready_add(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	t->state = USER_TIMER_READY;
	list_add_tail(&t->timer.owner, &set->ready);
	WRITE_ONCE(set->unread, set->unread + 1);
	ready_wake(set);
}

/**
 * twheel_ready_leave - leave it to the program to find out whether a timer expires
 * @set: The set, locked.
 * @t: A TWHEEL_SHARED timer whose known deadline has come.
 *
 * The program's next read() or poll() looks at the timer's word in the table.
 *
 * Context: bottom halves off.
 */
void twheel_ready_leave(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	t->state = USER_TIMER_UNSEEN;
	list_add_tail(&t->timer.owner, &set->unseen);
	WRITE_ONCE(set->looks, set->looks + 1);
	ready_wake(set);
}

/**
 * twheel_ready_take - take a timer off the list of those that nobody has looked at
 * @set: The set, locked.
 * @t: A timer that is UNSEEN. The caller gives it another state.
 */
void twheel_ready_take(struct timer_set *set, struct user_timer *t)
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
void twheel_ready_remove(struct timer_set *set, struct user_timer *t)
{
	timer_set_assert_locked(set);

	list_del(&t->timer.owner);
	WRITE_ONCE(set->unread, set->unread - 1);
}

/**
 * twheel_ready_add_clock_set - tell the program that CLOCK_REALTIME was set
 * @set: The set.
 *
 * Context: process. Takes the set's lock.
 */
void twheel_ready_add_clock_set(struct timer_set *set)
{
	timer_set_lock(set);
	if (!set->steps)
		set->stepped = ktime_get_real_ns();
	WRITE_ONCE(set->steps, set->steps + 1);
	ready_wake(set);
	timer_set_unlock(set);
}
