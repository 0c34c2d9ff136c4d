// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: from nanoseconds to ticks
 */
#include <linux/export.h>
#include "device.h"

/*
 * An estimate of when tick 0 would have begun, in ns of CLOCK_MONOTONIC. Each reading of both
 * clocks gives an upper bound, which is too late by a tick at most, and by the time between the two
 * readings. The estimate is the lowest recent bound. It is too early only if the kernel has counted
 * ticks late, and by no more than that.
 */
static s64 clock_tick_zero;

/* Reads the clock and the tick count. Context: any. */
void twheel_clock_read(struct twheel_phase *phase)
{
	s64 offset, bound, zero;

again:
	phase->tick = get_jiffies_64();
	/* The tick is read before the clock, so @bound is an upper bound. */
	smp_rmb();
	phase->now = ktime_get();
	offset = phase->tick * TICK_NSEC;
	bound = phase->now - offset;
	zero = READ_ONCE(clock_tick_zero);
	/* A bound a tick above the estimate: the kernel has lost ticks or counts late. */
	if (unlikely(zero > bound || bound - zero > TICK_NSEC)) {
		if (zero < bound && time_after64(get_jiffies_64(), phase->tick))
			goto again; /* a tick came between the two */
		zero = bound;
		WRITE_ONCE(clock_tick_zero, zero);
	}
	phase->began = zero + offset;
}

/**
 * twheel_tick_at - find the tick for a point in time
 * @when: On CLOCK_MONOTONIC, in nanoseconds.
 *
 * The module knows the phase of the ticks only from observation. The result is
 * never too high: the timer runs no later than at the first tick at or after @when. It may
 * be too low, usually by one tick. A callback that must not run early therefore reads the
 * clock again, and arms its timer for the next tick if @when has not come.
 *
 * Context: any.
 *
 * Return: The deadline in jiffies64, for twheel_add() and similar functions; the
 * current tick for a time in the past.
 */
u64 twheel_tick_at(ktime_t when)
{
	struct twheel_phase phase;

	twheel_clock_read(&phase);
	return twheel_clock_tick(&phase, when);
}
EXPORT_SYMBOL(twheel_tick_at);
