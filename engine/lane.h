/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: lanes
 */
#ifndef _TWHEEL_ENGINE_LANE_H
#define _TWHEEL_ENGINE_LANE_H

#include "twheel.h"

/* In struct twheel_timer.flags */
#define TWHEEL_CPU_MASK		0x0003ffffU
#define TWHEEL_LANE_SHIFT	25
#define TWHEEL_LANE_MASK	0x1e000000U

/**
 * enum twheel_lane - the wheels of a CPU, served in turn
 * @TWHEEL_LANE_MODULES: The timers of kernel modules.
 * @TWHEEL_LANE_PROGRAMS: The timers of programs whose users have few timers.
 * @TWHEEL_LANE_CROWD: The timers of small descriptors of users with many timers.
 * @TWHEEL_LANE_BULK: The timers of descriptors with many timers.
 * @TWHEEL_LANE_LOW: The timers of users who have used up their share of softirqs. No
 *	tick runs this lane. A thread of low priority runs it, or a task that helps the thread.
 * @TWHEEL_LANES: How many lanes there are.
 */
enum twheel_lane {
	TWHEEL_LANE_MODULES,
	TWHEEL_LANE_PROGRAMS,
	TWHEEL_LANE_CROWD,
	TWHEEL_LANE_BULK,
	TWHEEL_LANE_LOW,
	TWHEEL_LANES,
};

/* From this many timers on, a descriptor or a user has many timers. */
#define TWHEEL_LANE_MANY	1024U

/* The lane in a timer's flags. */
static inline enum twheel_lane twheel_lane_of_flags(u32 flags)
{
	return (flags & TWHEEL_LANE_MASK) >> TWHEEL_LANE_SHIFT;
}

static inline enum twheel_lane twheel_lane_of(const struct twheel_timer *t)
{
	return twheel_lane_of_flags(READ_ONCE(t->node.flags));
}

/* The CPU in whose wheel a timer is, or was last. */
static inline unsigned int twheel_lane_cpu(const struct twheel_timer *t)
{
	return READ_ONCE(t->node.flags) & TWHEEL_CPU_MASK;
}

/**
 * twheel_lane_use - put a timer into a lane
 * @t: A timer that has just been set up, and that no other code uses yet.
 * @lane: The lane.
 */
static inline void twheel_lane_use(struct twheel_timer *t, enum twheel_lane lane)
{
	t->node.flags |= lane << TWHEEL_LANE_SHIFT;
}

void twheel_lane_change(struct twheel_timer *t, enum twheel_lane lane);

/**
 * twheel_lane_move - put a timer into another lane
 * @t: The timer. If it is pending or its callback runs, it stays where it is.
 * @lane: The lane.
 *
 * Context: any. If @t is in another lane, takes the lock of the timer's base, and then
 * that of its new base.
 */
static inline void twheel_lane_move(struct twheel_timer *t, enum twheel_lane lane)
{
	if (twheel_lane_of(t) != lane)
		twheel_lane_change(t, lane);
}

#endif /* _TWHEEL_ENGINE_LANE_H */
