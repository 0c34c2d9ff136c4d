/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: waking the readers of a set, and the holders of leases
 */
#ifndef _TWHEEL_DEVICE_WAKE_H
#define _TWHEEL_DEVICE_WAKE_H

#include "timer_set.h"

struct user_cpu;

void twheel_wake_readers(struct timer_set *set);
void twheel_wake_some_holders(struct timer_set *set);
void twheel_wake_eventfd(struct timer_set *set);
void twheel_wake_unlock(struct timer_set *set, struct user_cpu *at_once);
void twheel_wake_user(struct user_cpu *user);
void twheel_wake_help(struct user_cpu *user, unsigned int max);
void twheel_wake_cancel(struct timer_set *set);
void twheel_wake_init(void);
void twheel_wake_exit(void);

/* Wakes the holders of leases that have ended in a call, in the caller's own time. */
static inline void twheel_wake_holders(struct timer_set *set)
{
	if (unlikely(!list_empty_careful(&set->ended_leases)))
		twheel_wake_some_holders(set);
}

#endif /* _TWHEEL_DEVICE_WAKE_H */
