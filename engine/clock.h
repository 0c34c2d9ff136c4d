/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: from nanoseconds to ticks
 */
#ifndef _TWHEEL_ENGINE_CLOCK_H
#define _TWHEEL_ENGINE_CLOCK_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>

/**
 * struct twheel_phase - where the ticks lie on the clock
 * @tick: The current tick, when the clock was read.
 * @began: When that tick began, in ns of CLOCK_MONOTONIC.
 * @now: The time that the clock showed, in ns of CLOCK_MONOTONIC.
 */
struct twheel_phase {
	u64	tick;
	s64	began;
	s64	now;
};

void twheel_clock_read(struct twheel_phase *phase);

/**
 * twheel_clock_tick - find the tick for a point in time, as twheel_tick_at() does
 * @phase: From a recent twheel_clock_read(). Callers that convert many times share one.
 * @when: The point in time, in ns of CLOCK_MONOTONIC.
 *
 * Return: The deadline in jiffies64; for a time before the tick in @phase, that tick.
 */
static inline u64 twheel_clock_tick(const struct twheel_phase *phase, ktime_t when)
{
	if (when <= phase->began)
		return phase->tick;
	return phase->tick + div_u64((u64)when - (u64)phase->began + TICK_NSEC - 1,
				     TICK_NSEC);
}

#endif /* _TWHEEL_ENGINE_CLOCK_H */
