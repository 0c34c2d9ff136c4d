/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: clocks that jump
 */
#ifndef _TWHEEL_DEVICE_CLOCK_H
#define _TWHEEL_DEVICE_CLOCK_H

#include "timer_set.h"

void twheel_clock_use(struct timer_set *set);
long twheel_clock_watch(struct timer_set *set);
bool twheel_clock_refile(struct timer_set *set, const struct twheel_phase *phase,
			 unsigned int *steps);
void twheel_clock_remove(struct timer_set *set);
void twheel_clock_exit(void);

#endif /* _TWHEEL_DEVICE_CLOCK_H */
