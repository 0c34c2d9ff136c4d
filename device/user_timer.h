/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the life of a program's timer
 */
#ifndef _TWHEEL_DEVICE_USER_TIMER_H
#define _TWHEEL_DEVICE_USER_TIMER_H

#include "timer_set.h"

void twheel_user_timer_arm(struct user_timer *t, const struct twheel_phase *phase);
void twheel_user_timer_arm_for(struct user_timer *t, const struct twheel_op *op,
			       const struct twheel_phase *phase, bool strays);
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t,
			      struct ended_timers *ended);
void twheel_user_timer_free_extra(struct user_timer *t);
void twheel_user_timer_lease_closed(struct user_timer *t);
void twheel_user_timer_look_at_unseen(struct timer_set *set);
void twheel_user_timer_expired(struct twheel_timer *timer);
void twheel_user_timer_moved(struct twheel_timer *timer, unsigned int steps);

#endif /* _TWHEEL_DEVICE_USER_TIMER_H */
