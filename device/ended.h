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
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended);

/**
 * twheel_ended_disarm - disarm the engine's part of a timer that has ended
 * @ended: The collection.
 * @t: The timer, its set locked.
 *
 * The engine disarms the timer in twheel_ended_finish() at the latest. A callback that
 * runs before that finds that its timer has ended.
 */
static inline void twheel_ended_disarm(struct ended_timers *ended, struct user_timer *t)
{
	timer_set_assert_locked(user_timer_set(t));

	ended->timer[ended->armed++] = &t->timer;
	if (ended->armed == TWHEEL_CANCEL_MAX) {
		twheel_api_cancel_some(ended->timer, ended->armed);
		ended->armed = 0;
	}
}

#endif /* _TWHEEL_DEVICE_ENDED_H */
