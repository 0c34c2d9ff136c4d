/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the device may use of the engine, besides twheel.h
 *
 * The wheel (twheel_core.h); work for the end of a run (run.c); and ticks for points in time
 * (clock.c). Files in device/ include no other header of engine/.
 */
#ifndef _TWHEEL_ENGINE_DEVICE_H
#define _TWHEEL_ENGINE_DEVICE_H

#include <linux/math64.h>
#include "twheel.h"
#include "twheel_core.h"

/* Something to do soon, with bottom halves off. The user sets @fn, and the rest to zero. */
struct twheel_work {
	struct list_head	node;	/* the place in a list, while the work is queued */
	void			(*fn)(struct twheel_work *work); /* may queue the work again */
	/* 1 from when the work is queued until @fn is about to run */
	atomic_t		queued;
};

void twheel_run_queue(struct twheel_work *work);

/* Where the ticks lie on the clock, in ns of CLOCK_MONOTONIC. */
struct twheel_phase {
	u64	tick;			/* the current tick, when the clock was read */
	s64	began;			/* when that tick began */
	s64	now;			/* the time that the clock showed */
};

void twheel_clock_read(struct twheel_phase *phase);

/*
 * Finds the tick for a point in time, as twheel_tick_at() does. Callers that convert many times
 * share one @phase. For a time before its tick, that tick is returned.
 */
static inline u64 twheel_clock_tick(const struct twheel_phase *phase, ktime_t when)
{
	if (when <= phase->began)
		return phase->tick;
	return phase->tick + div_u64((u64)when - (u64)phase->began + TICK_NSEC - 1,
				     TICK_NSEC);
}

#endif /* _TWHEEL_ENGINE_DEVICE_H */
