/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: timers that have ended, until their memory is given back
 */
#ifndef _TWHEEL_DEVICE_ENDED_H
#define _TWHEEL_DEVICE_ENDED_H

#include "timer_set.h"

/**
 * struct ended_timers - timers that have ended
 * @empty: Blocks in which no timer is left.
 * @count: How many timers have ended.
 * @armed: How many timers @timer has.
 * @timer: Ended timers that may still be armed in the engine.
 */
struct ended_timers {
	struct timer_block	*empty;
	unsigned int		count;
	unsigned int		armed;
	struct twheel_timer	*timer[TWHEEL_CANCEL_MAX];
};

void twheel_ended_init(struct ended_timers *ended);
void twheel_ended_disarm(struct ended_timers *ended, struct user_timer *t);
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended);

#endif /* _TWHEEL_DEVICE_ENDED_H */
