/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the device may use of the engine, besides twheel.h
 *
 * The wheel (twheel_core.h), and ticks for points in time (clock.c). Files in device/ include no
 * other header of engine/.
 */
#ifndef _TWHEEL_ENGINE_DEVICE_H
#define _TWHEEL_ENGINE_DEVICE_H

#include <linux/math64.h>
#include "twheel.h"
#include "twheel_core.h"

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
