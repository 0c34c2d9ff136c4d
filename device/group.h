/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: groups: timers of a set that are cancelled together
 */
#ifndef _TWHEEL_DEVICE_GROUP_H
#define _TWHEEL_DEVICE_GROUP_H

#include "timer_set.h"

void twheel_group_join(struct user_timer *t);
void twheel_group_leave(struct user_timer *t);
struct user_timer *twheel_group_first(struct timer_set *set, u64 tag);

#endif /* _TWHEEL_DEVICE_GROUP_H */
