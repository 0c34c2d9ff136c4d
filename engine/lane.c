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
 * All timers begin in lane 0. A timer that is pending stays in its lane; so
 * nobody has to look for it, and a CPU that goes offline hands it to the same
 * lane of another one. Lanes are made when they are wanted for the first time,
 * and kept. Modules' timers are in lane 0, whatever programs do.
 */
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include "twheel_compat.h"
#include "base.h"

/* How many timers are very many: looked at whenever one is added. */
unsigned int twheel_lane_threshold __read_mostly;

static DEFINE_MUTEX(lanes_lock);
/* How often each is given out; lane 0 is everybody's. */
static unsigned int lane_users[TWHEEL_LANES];

/* The one with the fewest users, or 0 if there is none yet. */
static int least_used(void)
{
	unsigned int lane;
	int least = 0;

	for (lane = 1; lane < twheel_lanes; lane++)
		if (!least || lane_users[lane] < lane_users[least])
			least = lane;
	return least;
}

/**
 * twheel_lane_get - take a lane that nobody has
 *
 * When all are taken and no more can be made, the one with the fewest users gets
 * one more.
 *
 * Context: process, may sleep.
 *
 * Return: The lane, at least 1; or -ENOMEM.
 */
int twheel_lane_get(void)
{
	int lane, made = -EEXIST;

	mutex_lock(&lanes_lock);
	lane = least_used();
	if (!lane || lane_users[lane])
		made = twheel_cpu_add_lane();
	if (!made)
		lane = twheel_lanes - 1;
	if (lane)
		lane_users[lane]++;
	mutex_unlock(&lanes_lock);
	return lane ? lane : -ENOMEM;
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
	lane_users[lane]--;
	mutex_unlock(&lanes_lock);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_put);

/**
 * twheel_lane_use - put a timer into a lane
 * @t: A timer that has just been set up, and is known to nobody else.
 * @lane: The lane.
 */
void twheel_lane_use(struct twheel_timer *t, int lane)
{
	t->flags |= lane << TWHEEL_LANE_SHIFT;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_use);

/**
 * twheel_lane_move - put a timer into another lane
 * @t: The timer. While it is pending, or its callback runs, it stays where it is.
 * @lane: The lane.
 *
 * Context: any. Takes the timer's base lock if it is in another lane.
 */
void twheel_lane_move(struct twheel_timer *t, int lane)
{
	u32 wanted = lane << TWHEEL_LANE_SHIFT;
	struct twheel_base *base;
	unsigned long flags;

	if ((READ_ONCE(t->flags) & TWHEEL_LANE_MASK) == wanted)
		return;
	base = twheel_base_lock_irqsave(t, &flags);
	/* From then on it is the other base's. */
	if (!twheel_wheel_pending(t) && !twheel_base_callback(base, t))
		WRITE_ONCE(t->flags, (t->flags & ~TWHEEL_LANE_MASK) | wanted);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_move);
