/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: telling programs that CLOCK_REALTIME was set
 */
#ifndef _TWHEEL_DEVICE_CLOCK_WATCH_H
#define _TWHEEL_DEVICE_CLOCK_WATCH_H

#include "timer_set.h"

int twheel_clock_watch_start(struct timer_set *set);
void twheel_clock_watch_stop(struct timer_set *set);
void twheel_clock_watch_exit(void);

#endif /* _TWHEEL_DEVICE_CLOCK_WATCH_H */
