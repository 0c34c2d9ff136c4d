// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: finding the base of a timer, and arming and disarming the timer there
 *
 * A timer that is armed again while its callback runs stays in its base. So that base
 * alone tells whether the callback of the timer runs, and callbacks of one timer never
 * overlap.
 */
#include <linux/cpumask.h>
#include "callback.h"

/* The slow part of twheel_arm_lock_base_irqsave(). Interrupts are off. */
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

/* The slow part of twheel_arm_rehome(). */
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

/* Gives a pending timer, whose base is locked, another deadline, usually an earlier one. */
void twheel_arm_change(struct twheel_base *base, struct twheel_timer *t, u64 expires)
{
	lockdep_assert_held(&base->lock);

	base->counts.armed++;
	base->counts.replaced++;
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	twheel_wheel_change(&base->wheel, &t->node, expires);
	trace_twheel_change(t, twheel_wheel_state(&t->node), base->cpu);
	twheel_tick_wake_by(base, base->wheel.next);
}

#ifdef CONFIG_DEBUG_OBJECTS
static void *arm_debug_hint(void *addr)
{
	return ((struct twheel_timer *)addr)->fn;
}

/* A timer of DEFINE_TWHEEL_TIMER() that has not been armed yet. */
static bool arm_debug_is_static(void *addr)
{
	struct twheel_timer *t = addr;

	return t->fn && !atomic64_read(&t->node.state) && !t->node.entry.prev;
}

/* Disarms an armed timer, whose reuse would corrupt the wheel. Returns whether it was armed. */
static bool arm_debug_take_off(struct twheel_timer *t, enum debug_obj_state state)
{
	struct twheel_base *base;
	unsigned long flags;

	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	base = twheel_arm_lock_base_irqsave(t, &flags);
	twheel_arm_disarm(base, t, TWHEEL_IDLE);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return true;
}

static bool arm_debug_fixup_init(void *addr, enum debug_obj_state state)
{
	if (!arm_debug_take_off(addr, state))
		return false;
	debug_object_init(addr, &twheel_arm_debug);
	return true;
}

static bool arm_debug_fixup_free(void *addr, enum debug_obj_state state)
{
	if (!arm_debug_take_off(addr, state))
		return false;
	debug_object_free(addr, &twheel_arm_debug);
	return true;
}

/* A timer without callback cannot be armed. */
static bool arm_debug_fixup_assert_init(void *addr, enum debug_obj_state state)
{
	struct twheel_timer *t = addr;

	if (state != ODEBUG_STATE_NOTAVAILABLE)
		return false;
	twheel_setup(t, NULL, 0);
	return true;
}

/*
 * debugobjects reports a timer that is freed or set up anew while it is armed, with the name of
 * its callback, and a timer that is used before it is set up.
 */
const struct debug_obj_descr twheel_arm_debug = {
	.name			= "twheel_timer",
	.debug_hint		= arm_debug_hint,
	.is_static_object	= arm_debug_is_static,
	.fixup_init		= arm_debug_fixup_init,
	.fixup_free		= arm_debug_fixup_free,
	.fixup_assert_init	= arm_debug_fixup_assert_init,
};
#endif
