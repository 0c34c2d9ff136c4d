/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the tick source, which starts the runs of a wheel
 */
#ifndef _TWHEEL_ENGINE_TICK_H
#define _TWHEEL_ENGINE_TICK_H

#include "base.h"

void twheel_tick_init(struct twheel_base *base,
		      void (*near)(struct timer_list *),
		      enum hrtimer_restart (*far)(struct hrtimer *));
void twheel_tick_stop(struct twheel_base *base);
void twheel_tick_arm(struct twheel_base *base, u64 next);

/**
 * twheel_tick_wake_by - have a wheel run by a given tick
 * @base: The base, locked.
 * @next: The latest tick at which the next run may begin.
 */
static inline void twheel_tick_wake_by(struct twheel_base *base, u64 next)
{
	lockdep_assert_held(&base->lock);

	if (next < base->wake)
		twheel_tick_arm(base, next);
}

#endif /* _TWHEEL_ENGINE_TICK_H */
