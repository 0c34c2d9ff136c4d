/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: groups: timers of a set that are cancelled together
 */
#ifndef _TWHEEL_DEVICE_GROUP_H
#define _TWHEEL_DEVICE_GROUP_H

#include "timer_set.h"

struct group_member *twheel_group_new_member(u64 tag);
void twheel_group_free_member(struct group_member *member);
void twheel_group_join(struct timer_set *set, struct user_timer *t);
void twheel_group_enlist(struct user_timer *t);
void twheel_group_leave(struct user_timer *t);
unsigned int twheel_group_some(struct timer_set *set, u64 tag, struct user_timer **t,
			       unsigned int max);
u64 twheel_group_tag(const struct user_timer *t);

#endif /* _TWHEEL_DEVICE_GROUP_H */
