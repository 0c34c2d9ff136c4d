/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: creating timers and adding them to a set
 */
#ifndef _TWHEEL_DEVICE_CREATE_H
#define _TWHEEL_DEVICE_CREATE_H

#include "timer_set.h"

void twheel_create_timers(struct timer_set *set, struct user_timer **t,
			  struct twheel_op *op, unsigned int n);
void twheel_create_finish(struct timer_set *set, struct user_timer **t,
			  const struct twheel_op *op, unsigned int n, bool lost);

#endif /* _TWHEEL_DEVICE_CREATE_H */
