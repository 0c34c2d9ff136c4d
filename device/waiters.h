/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: who waits for a set, or for a lease, by poll() or read(); and waking them
 */
#ifndef _TWHEEL_DEVICE_WAITERS_H
#define _TWHEEL_DEVICE_WAITERS_H

#include "timer_set.h"

void twheel_waiters_init(struct waiters *waiters);
bool twheel_waiters_left(const struct timer_set *set, bool holders);
void twheel_waiters_signal(struct timer_set *set);
bool twheel_waiters_wake_part(struct timer_set *set, bool *holders);
void twheel_waiters_wake(struct timer_set *set);

#endif /* _TWHEEL_DEVICE_WAITERS_H */
