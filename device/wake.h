/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: waking the readers of a set, and the holders of leases
 */
#ifndef _TWHEEL_DEVICE_WAKE_H
#define _TWHEEL_DEVICE_WAKE_H

#include "timer_set.h"

/* A part of a wake-up. */
struct wake_part {
	/* The queue of waiters to wake, from 1; or 0 if there is nobody to wake. */
	unsigned int		number;
	/* They hold this lease. Otherwise they are readers, and may get signals, too. */
	struct timer_lease	*lease;
	bool			signal;
};

bool twheel_wake_take(struct timer_set *set, struct wake_part *part);
u64 twheel_wake_part(struct timer_set *set, const struct wake_part *part);
void twheel_wake_parts(struct timer_set *set, bool holders);
void twheel_wake_eventfd(struct timer_set *set);

/* Wakes the holders of leases that have ended in a call, in the caller's own time. */
static inline void twheel_wake_holders(struct timer_set *set)
{
	if (unlikely(!list_empty_careful(&set->ended_leases)))
		twheel_wake_parts(set, true);
}

#endif /* _TWHEEL_DEVICE_WAKE_H */
