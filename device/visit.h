/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the visit, by which the kernel looks at the wheel of a set
 */
#ifndef _TWHEEL_DEVICE_VISIT_H
#define _TWHEEL_DEVICE_VISIT_H

#include "user_cpu.h"

void twheel_visit_help(struct timer_set *set);
void twheel_visit_init(void);
void twheel_visit_exit(void);

/* Begins a call on a set: if softirqs are behind with what they do for the user, it helps. */
static inline void twheel_visit_call(struct timer_set *set)
{
	if (unlikely(READ_ONCE(raw_cpu_ptr(set->user)->behind)))
		twheel_visit_help(set);
}

#endif /* _TWHEEL_DEVICE_VISIT_H */
