/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: timers on clocks that jump
 */
#ifndef _TWHEEL_DEVICE_CLOCKS_H
#define _TWHEEL_DEVICE_CLOCKS_H

#include "timer_set.h"

struct clock_node *twheel_clocks_new_node(void);
int twheel_clocks_get_queue(struct timer_set *set, clockid_t clockid);
void twheel_clocks_arm(struct user_timer *t);
void twheel_clocks_disarm(struct user_timer *t);
void twheel_clocks_stop(struct timer_set *set);
void twheel_clocks_init(void);
void twheel_clocks_exit(void);

#endif /* _TWHEEL_DEVICE_CLOCKS_H */
