/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: listing the timers of a set, and taking them back
 */
#ifndef _TWHEEL_DEVICE_LIST_H
#define _TWHEEL_DEVICE_LIST_H

#include "timer_set.h"

long twheel_list(struct timer_set *set, void __user *argp);
long twheel_list_drain(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_LIST_H */
