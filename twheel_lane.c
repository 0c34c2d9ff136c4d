// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: lanes
 *
 * A wheel serves its timers tick by tick, so that all others on it wait while a
 * million of one tick run. Whoever has very many timers is therefore given
 * wheels of his own, one on each CPU: a lane. The lanes of a CPU have their
 * budgets and their tasklets, and are served in turn; within a lane the order of
 * ticks holds, as ever.
 *
 * All timers begin in lane 0. A timer is in one lane for as long as it lives; so
 * nobody has to look for it, and a CPU that goes offline hands it to the same
 * lane of another one. Lanes are made when they are wanted for the first time,
 * and kept.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include "twheel_compat.h"
#include "twheel_internal.h"

static DEFINE_MUTEX(lanes_lock);
static unsigned long lanes_used = BIT(0);

/**
 * twheel_lane_get - take a lane that nobody has
 *
 * Context: process, may sleep.
 *
 * Return: The lane, at least 1; -ENOSPC if all are taken, or -ENOMEM.
 */
int twheel_lane_get(void)
{
	int lane, ret = 0;

	mutex_lock(&lanes_lock);
	lane = find_first_zero_bit(&lanes_used, TWHEEL_LANES);
	if (lane == TWHEEL_LANES)
		ret = -ENOSPC;
	else if (lane == twheel_lanes)
		ret = twheel_bases_add_lane();
	if (!ret)
		__set_bit(lane, &lanes_used);
	mutex_unlock(&lanes_lock);
	return ret ? ret : lane;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_get);

/**
 * twheel_lane_put - give a lane back
 * @lane: From twheel_lane_get(). A timer that is in it still may stay.
 *
 * Context: process, may sleep.
 */
void twheel_lane_put(int lane)
{
	mutex_lock(&lanes_lock);
	__clear_bit(lane, &lanes_used);
	mutex_unlock(&lanes_lock);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_put);

/**
 * twheel_lane_use - put a timer into a lane for good
 * @t: A timer that has just been set up, and is known to nobody else.
 * @lane: The lane.
 */
void twheel_lane_use(struct twheel_timer *t, int lane)
{
	t->flags |= lane << TWHEEL_LANE_SHIFT;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_use);
