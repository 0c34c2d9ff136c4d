/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: creating timers and adding them to a set
 */
#ifndef _TWHEEL_DEVICE_CREATE_H
#define _TWHEEL_DEVICE_CREATE_H

#include "timer_set.h"

unsigned int twheel_create(struct timer_set *set, struct twheel_op *op,
			   struct twheel_op __user *to, unsigned int n, bool batch);

#endif /* _TWHEEL_DEVICE_CREATE_H */
