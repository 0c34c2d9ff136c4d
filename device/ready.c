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

/**
 * twheel_ready_queue_wake - have the readers woken
 * @set: The set, locked.
 *
 * Any number of waiters may watch a set. So while its user is above the share, the thread of
 * low priority wakes them.
 */
void twheel_ready_queue_wake(struct timer_set *set)
{
	timer_set_assert_locked(set);

	twheel_work_choose(&set->wake, twheel_share_used_up(set));
	twheel_work_queue(&set->wake);
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
	twheel_ready_wake(set);
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
	twheel_ready_wake(set);
	timer_set_unlock(set);
}
