// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: from nanoseconds to ticks
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include "base.h"

/*
 * When tick 0 would have begun on CLOCK_MONOTONIC: an estimate that is never
 * too early by more than the kernel itself has been late in counting ticks.
 * Each look at both clocks bounds it from above, within one tick.
 */
static s64 tick_zero;

/* Where the current tick, @tick, began by the estimate. */
static s64 tick_began(u64 tick, s64 now)
{
	s64 offset = tick * TICK_NSEC;
	s64 bound = now - offset;
	s64 zero = READ_ONCE(tick_zero);

	/* A tick that lasts longer than a tick: some were lost, or come late. */
	if (zero > bound || bound - zero > TICK_NSEC) {
		zero = bound;
		WRITE_ONCE(tick_zero, zero);
	}
	return zero + offset;
}

/**
 * twheel_phase_look - look at the clock and at the ticks
 * @phase: For what they say.
 */
void twheel_phase_look(struct twheel_phase *phase)
{
	phase->tick = get_jiffies_64();
	/* The clock must not be read before the tick, see tick_began(). */
	smp_rmb();
	phase->now = ktime_get();
	phase->began = tick_began(phase->tick, phase->now);
}

/**
 * twheel_tick_at - find the tick for a point in time
 * @when: On CLOCK_MONOTONIC, in nanoseconds.
 *
 * The ticks' phase is known from observation only. The result may be too low, by
 * a tick as a rule, so who must not run early looks at the clock again when the timer
 * runs, and arms it for the next tick if need be. It is never too high by the
 * clocks as they stand now: the timer runs at the first tick at or after @when.
 *
 * Context: any.
 *
 * Return: The deadline in jiffies64, for twheel_add() and the like; the current
 * tick for a time before it.
 */
u64 twheel_tick_at(ktime_t when)
{
	struct twheel_phase phase;

	twheel_phase_look(&phase);
	return twheel_phase_tick(&phase, when);
}
EXPORT_SYMBOL(twheel_tick_at);
