// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: finding the base of a timer, and arming and disarming the timer there
 *
 * Every timer names a CPU, and so a base. The lock of that base protects the timer, whether
 * the timer is pending or not. The lock is never held while a callback runs. While it is held,
 * the engine moves at most TWHEEL_LOCK_HOLD timers.
 *
 * A timer that is armed again while its callback runs stays in its base. So that base
 * alone tells whether the callback of the timer runs, and callbacks of one timer never
 * overlap.
 */
#include <linux/cpumask.h>
#include "arm.h"
#include "callback.h"
#include "trace.h"

/**
 * twheel_arm_lock_any - lock the base that a timer belongs to, whichever it is
 * @t: The timer.
 *
 * The slow part of twheel_arm_lock_base_irqsave().
 *
 * Context: interrupts off.
 *
 * Return: The base, locked.
 */
struct twheel_base *twheel_arm_lock_any(const struct twheel_timer *t)
{
	struct twheel_base *base;
	u32 flags;

	lockdep_assert_irqs_disabled();

	/* The wait is short: a CPU that gives the timer another base has interrupts off. */
	for (;;) {
		flags = READ_ONCE(t->node.flags);
		if (!(flags & TWHEEL_MIGRATING)) {
			base = twheel_base_of_flags(flags);
			raw_spin_lock(&base->lock);
			if (READ_ONCE(t->node.flags) == flags)
				return base;
			raw_spin_unlock(&base->lock);
		}
		cpu_relax();
	}
}

/**
 * twheel_arm_change_base - give an idle timer to another CPU
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @cpu: The CPU.
 *
 * The slow part of twheel_arm_rehome().
 *
 * Return: The base that @t belongs to now, locked.
 */
struct twheel_base *twheel_arm_change_base(struct twheel_base *base,
					   struct twheel_timer *t, unsigned int cpu)
{
	struct twheel_base *to = twheel_base_of(cpu);
	u32 flags;

	lockdep_assert_held(&base->lock);

	while (base != to || !base->online) {
		if (twheel_callback_find(base, t))
			return base;
		flags = t->node.flags & ~TWHEEL_CPU_MASK;
		WRITE_ONCE(t->node.flags, t->node.flags | TWHEEL_MIGRATING);
		raw_spin_unlock(&base->lock);
		if (!READ_ONCE(to->online))
			to = twheel_base_of(cpumask_any(cpu_active_mask));
		base = to;
		raw_spin_lock(&base->lock);
		WRITE_ONCE(t->node.flags, flags | base->cpu);
	}
	return base;
}

/**
 * twheel_arm_change - give a pending timer another deadline
 * @base: The base that @t belongs to, locked.
 * @t: A pending timer.
 * @expires: Its deadline, usually an earlier one.
 */
void twheel_arm_change(struct twheel_base *base, struct twheel_timer *t,
		       u64 expires)
{
	lockdep_assert_held(&base->lock);

	base->counts.armed++;
	base->counts.replaced++;
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	twheel_wheel_change(&base->wheel, &t->node, expires);
	trace_twheel_change(t, twheel_wheel_state(&t->node), base->cpu);
	twheel_tick_wake_by(base, base->wheel.next);
}
