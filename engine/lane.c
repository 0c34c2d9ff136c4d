// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: lanes
 *
 * A wheel serves its timers tick by tick. So while a million timers of one tick run, all
 * other timers of that wheel wait. A lane is one wheel on each CPU. Lane 0 serves all
 * kernel modules, and programs with few timers. The timers of a program with very many
 * timers go into another lane. Each lane of a CPU has its share of the budget and its own
 * tasklet, and the lanes take turns. Within a lane, earlier ticks run first.
 *
 * A timer's flags name its lane, and a pending timer stays in its lane: a CPU that goes
 * offline hands the timer to the same lane of another CPU. A lane is allocated when it is
 * needed for the first time, and kept until the module is unloaded.
 *
 * A user of a lane, in this file, is a set with very many timers. Or it is the quota of
 * a user whose small sets have very many timers together. The device decides: see
 * create.c and quota.c.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include "arm.h"
#include "callback.h"
#include "cpu.h"
#include "lane.h"
#include "twheel_compat.h"

/* How many timers make a lane worth its memory. Read whenever a timer is added. */
unsigned int twheel_lane_threshold __read_mostly;

static DEFINE_MUTEX(lane_lock);
/* How many users each lane has; unused for lane 0, which everybody uses. */
static unsigned int lane_users[TWHEEL_LANES];

/**
 * twheel_lane_init - choose how many timers make a lane worth its memory
 *
 * That many timers take about as much memory as a lane does.
 */
void twheel_lane_init(void)
{
	twheel_lane_threshold = min(512 * num_possible_cpus(), 8192U);
}

/* Returns the lane with the fewest users, or 0 if only lane 0 exists. */
static int lane_least_used(void)
{
	unsigned int lane;
	int least = 0;

	for (lane = 1; lane < twheel_lanes; lane++)
		if (!least || lane_users[lane] < lane_users[least])
			least = lane;
	return least;
}

/**
 * twheel_lane_get - become a user of a lane
 *
 * The caller gets a lane without users. If all lanes have users and no lane can be added,
 * the caller shares the lane with the fewest users.
 *
 * Context: process, may sleep.
 *
 * Return: The lane, at least 1; or -ENOMEM if there is no lane but lane 0.
 */
int twheel_lane_get(void)
{
	int lane, made = -EEXIST;

	mutex_lock(&lane_lock);
	lane = lane_least_used();
	if (!lane || lane_users[lane])
		made = twheel_cpu_add_lane();
	if (!made)
		lane = twheel_lanes - 1;
	if (lane)
		lane_users[lane]++;
	mutex_unlock(&lane_lock);
	return lane ? lane : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_get);

/**
 * twheel_lane_put - give a lane back
 * @lane: From twheel_lane_get(). Timers that are still in the lane may stay.
 *
 * Context: process, may sleep.
 */
void twheel_lane_put(int lane)
{
	mutex_lock(&lane_lock);
	lane_users[lane]--;
	mutex_unlock(&lane_lock);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_put);

/**
 * twheel_lane_use - put a timer into a lane
 * @t: A timer that has just been set up, and that no other code uses yet.
 * @lane: The lane.
 */
void twheel_lane_use(struct twheel_timer *t, int lane)
{
	t->flags |= lane << TWHEEL_LANE_SHIFT;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_use);

/**
 * twheel_lane_move - put a timer into another lane
 * @t: The timer. If it is pending or its callback runs, it stays where it is.
 * @lane: The lane.
 *
 * Context: any. Takes the lock of the timer's base if @t is in another lane.
 */
void twheel_lane_move(struct twheel_timer *t, int lane)
{
	u32 wanted = lane << TWHEEL_LANE_SHIFT;
	struct twheel_base *base;
	unsigned long flags;

	if ((READ_ONCE(t->flags) & TWHEEL_LANE_MASK) == wanted)
		return;
	base = twheel_arm_lock_base_irqsave(t, &flags);
	/* Once the flags are written, the lock of the other base protects the timer. */
	if (!twheel_wheel_pending(t) && !twheel_callback_find(base, t))
		WRITE_ONCE(t->flags, (t->flags & ~TWHEEL_LANE_MASK) | wanted);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_move);
