/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the engine of a CPU notes for people: shown by twheel_debugfs.c.
 */
#ifndef _TWHEEL_ENGINE_STATS_H
#define _TWHEEL_ENGINE_STATS_H

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include "twheel.h"

/* Ticks late: 0, 1, 2 to 3, 4 to 7, and so on; the last one is open. */
#define TWHEEL_LATE_BUCKETS	20

/**
 * struct twheel_stats - protected by the base's lock
 * @runs: Runs of the softirq, those that found nothing to do included: how often
 *	the tick source woke the CPU.
 * @early: Callbacks before their deadline. Must stay 0.
 * @late: Callbacks by how many ticks after their deadline they began; those of
 *	the batch that runs come in when it has run.
 * @windowed: Callbacks of timers with a window, which are not in @late.
 * @cascade_max: Most timers moved with interrupts off at a stretch.
 * @run_max_ns: Longest run of the softirq, by sched_clock(): in whole ticks where
 *	an architecture has none of its own.
 * @hold_max_ns: Longest stretch of a run with interrupts off; only while
 *	twheel_timing is on.
 * @callback_max_ns: Longest callback; only while twheel_timing is on.
 * @callback_max_fn: Which one that was.
 * @processed: Callbacks run in process context.
 * @migrated: Timers that came from a CPU which went offline.
 */
struct twheel_stats {
	u64		runs;
	u64		early;
	u64		late[TWHEEL_LATE_BUCKETS];
	u64		windowed;
	u64		cascade_max;
	u64		run_max_ns;
	u64		hold_max_ns;
	u64		callback_max_ns;
	twheel_fn_t	callback_max_fn;
	u64		processed;
	u64		migrated;
};

/* Reading the clock twice a callback is for those who ask for it. */
DECLARE_STATIC_KEY_FALSE(twheel_timing);

static inline u64 twheel_timing_start(void)
{
	return static_branch_unlikely(&twheel_timing) ? ktime_get_ns() : 0;
}

/* Time since @start, or 0 if it was not noted. */
static inline u64 twheel_timing_since(u64 start)
{
	return start ? ktime_get_ns() - start : 0;
}

static inline void twheel_stats_max(u64 *max, u64 value)
{
	if (value > *max)
		*max = value;
}

static inline void twheel_stats_inc(u64 *count)
{
	(*count)++;
}

static inline void twheel_stats_callback(struct twheel_stats *stats, u64 now,
					 u64 expires, bool windowed)
{
	u64 late = now - expires;

	if (now < expires)
		twheel_stats_inc(&stats->early);
	else if (windowed)
		twheel_stats_inc(&stats->windowed);
	else
		twheel_stats_inc(&stats->late[min_t(u64, fls64(late),
						    TWHEEL_LATE_BUCKETS - 1)]);
}

#endif /* _TWHEEL_ENGINE_STATS_H */
