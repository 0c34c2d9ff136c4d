/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: statistics of a base, for people; debugfs.c shows them
 */
#ifndef _TWHEEL_ENGINE_STATS_H
#define _TWHEEL_ENGINE_STATS_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include "twheel.h"

/* Buckets for ticks late: 0, 1, 2 to 3, 4 to 7, and so on; the last one is open. */
#define TWHEEL_LATE_BUCKETS	20

/**
 * struct twheel_stats - statistics of a base, under the base's lock
 * @runs: Runs, including runs that found nothing to do and runs that continued another
 *	one whose budget was used up.
 * @early: Callbacks that began before their deadline. Must stay 0.
 * @late: Callbacks by how many ticks after their deadline they began.
 * @windowed: Callbacks of timers with a window; @late does not count them.
 * @cascade_max: The most timers that were moved with interrupts off at a stretch.
 * @run_max_ns: The longest run, by local_clock(), which counts whole ticks on an
 *	architecture without a sched_clock() of its own.
 * @processed: Callbacks run in process context.
 * @migrated: Timers that came from a CPU that went offline.
 */
struct twheel_stats {
	u64		runs;
	u64		early;
	u64		late[TWHEEL_LATE_BUCKETS];
	u64		windowed;
	u64		cascade_max;
	u64		run_max_ns;
	u64		processed;
	u64		migrated;
};

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
	/* First, because nearly all callbacks begin on time. */
	if (likely(now == expires && !windowed)) {
		twheel_stats_inc(&stats->late[0]);
		return;
	}
	if (now < expires)
		twheel_stats_inc(&stats->early);
	else if (windowed)
		twheel_stats_inc(&stats->windowed);
	else
		twheel_stats_inc(&stats->late[min_t(u64, fls64(now - expires),
						    TWHEEL_LATE_BUCKETS - 1)]);
}

#endif /* _TWHEEL_ENGINE_STATS_H */
