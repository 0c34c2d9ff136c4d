// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: lanes
 *
 * A wheel serves its timers tick by tick. So while a million timers of one tick run, all
 * other timers of that wheel wait. A lane is one wheel on each CPU. Modules have a lane,
 * and programs have three: a program with many timers holds up only such programs. Each of
 * these lanes of a CPU has its share of the budget and of the time, and they take turns.
 * No tick runs the last lane. A thread does, or a call or a softirq that helps the thread: see
 * device/share.c. Within a lane, earlier ticks run first.
 *
 * A timer's flags name its lane, and a pending timer stays in its lane: a CPU that goes
 * offline hands the timer to the same lane of another CPU. All lanes are allocated when
 * the module is loaded, so that no program can make the kernel allocate one.
 */
#include "arm.h"
#include "callback.h"
#include "lane.h"
#include "twheel_compat.h"

/**
 * twheel_lane_change - put a timer into another lane
 * @t: The timer, which is in another lane: see twheel_lane_move().
 * @lane: The lane.
 */
void twheel_lane_change(struct twheel_timer *t, enum twheel_lane lane)
{
	u32 wanted = lane << TWHEEL_LANE_SHIFT;
	struct twheel_base *base;
	unsigned long flags;
	u32 others;

	base = twheel_arm_lock_base_irqsave(t, &flags);
	if (!twheel_wheel_pending(&t->node) && !twheel_callback_find(base, t)) {
		others = t->node.flags & ~TWHEEL_LANE_MASK;
		WRITE_ONCE(t->node.flags, t->node.flags | TWHEEL_MIGRATING);
		raw_spin_unlock(&base->lock);
		base = twheel_base_of(base->cpu, lane);
		raw_spin_lock(&base->lock);
		WRITE_ONCE(t->node.flags, others | wanted);
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_lane_change);
