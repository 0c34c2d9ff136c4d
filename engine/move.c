// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers leave an offline CPU, some at a time
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include "callback.h"

/*
 * Returns the first timer that may move. A timer whose callback runs stays, because
 * other CPUs look for the callback in the base that the timer names.
 */
static struct twheel_timer *move_first(struct twheel_base *from)
{
	struct twheel_timer *t;

	lockdep_assert_held(&from->lock);

	while ((t = twheel_timer_of(twheel_wheel_first(&from->wheel)))) {
		if (!twheel_callback_find(from, t))
			return t;
		list_move_tail(&t->node.entry, &from->wheel.deferred);
	}
	return twheel_callback_first_deferred(from);
}

/*
 * Moves the works, and at most TWHEEL_LOCK_HOLD timers, from the base of an offline CPU to that of
 * another CPU. No base is locked. Returns whether timers are left that can be moved.
 */
bool twheel_move_some(struct twheel_base *to, struct twheel_base *from)
{
	struct twheel_base *low = to->cpu < from->cpu ? to : from, *high = low == to ? from : to;
	struct twheel_timer *t = NULL;
	unsigned int i;

	/* in the order of their CPUs */
	raw_spin_lock_irq(&low->lock);
	raw_spin_lock_nested(&high->lock, SINGLE_DEPTH_NESTING);
	if (!from->online && to->online && !list_empty(&from->works)) {
		list_splice_tail_init(&from->works, &to->works);
		twheel_tick_wake_by(to, 0);
	}
	twheel_wheel_forward(&to->wheel, get_jiffies_64());
	for (i = 0; i < TWHEEL_LOCK_HOLD && !from->online; i++) {
		t = move_first(from);
		if (!t || !to->online)
			break;
		trace_twheel_migrate(t, from->cpu, to->cpu);
		twheel_wheel_move(&to->wheel, &from->wheel, &t->node);
		WRITE_ONCE(t->node.flags, (t->node.flags & ~TWHEEL_CPU_MASK) | to->cpu);
		to->stats.migrated++;
	}
	twheel_tick_wake_by(to, to->wheel.next);
	raw_spin_unlock(&high->lock);
	raw_spin_unlock_irq(&low->lock);
	return t;
}

/*
 * Moves the timers of a base, which is not locked, away if its CPU is offline. A callback that
 * still runs for an offline CPU may arm its own timer there: see twheel_arm_rehome(). The worker
 * calls this function when the callback has ended.
 */
void twheel_move_evacuate(struct twheel_base *base)
{
	unsigned int to;

	while (!READ_ONCE(base->online)) {
		to = cpumask_any(cpu_active_mask);
		/* The CPU is active but the base is not online: the module unloads. */
		if (to == base->cpu ||
		    !twheel_move_some(twheel_base_of(to), base))
			break;
		cond_resched();
	}
}
