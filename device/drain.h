/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: stopping a set and taking its pending timers back
 */
#ifndef _TWHEEL_DEVICE_DRAIN_H
#define _TWHEEL_DEVICE_DRAIN_H

struct timer_set;

long twheel_drain(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_DRAIN_H */
