/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the timers of a set that have expired, until they are read
 */
#ifndef _TWHEEL_DEVICE_READY_H
#define _TWHEEL_DEVICE_READY_H

#include "timer_set.h"

void twheel_ready_add(struct timer_set *set, struct user_timer *t);
void twheel_ready_leave(struct timer_set *set, struct user_timer *t);
void twheel_ready_take(struct timer_set *set, struct user_timer *t);
void twheel_ready_remove(struct timer_set *set, struct user_timer *t);
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

#endif /* _TWHEEL_DEVICE_READY_H */
