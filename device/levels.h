/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the levels of the wheel of a set
 */
#ifndef _TWHEEL_DEVICE_LEVELS_H
#define _TWHEEL_DEVICE_LEVELS_H

#include <linux/sched.h>
#include "timer_set.h"

int twheel_levels_grow(struct timer_set *set);
void twheel_levels_free(struct timer_set *set);
int twheel_levels_init(void);
void twheel_levels_exit(void);

/* Ends a call on a set: gives the wheel the levels that its timers want, if there is memory. */
static inline void twheel_levels_keep_up(struct timer_set *set)
{
	if (unlikely(READ_ONCE(set->wheel.depth) < READ_ONCE(set->wheel.wanted)) &&
	    !(current->flags & PF_KTHREAD))
		twheel_levels_grow(set);
}

#endif /* _TWHEEL_DEVICE_LEVELS_H */
