// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: finding the base of a timer, giving it another, and moving it off an offline CPU
 *
 * A timer that is armed again while its callback runs stays in its base. So that base alone tells
 * whether the callback of the timer runs, and callbacks of one timer never overlap.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include "engine.h"

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
			base = twheel_base_of(flags & TWHEEL_CPU_MASK);
			raw_spin_lock(&base->lock);
			if (READ_ONCE(t->node.flags) == flags)
				return base;
			raw_spin_unlock(&base->lock);
		}
		cpu_relax();
	}
}

/* A CPU for timers whose own is offline: an isolated one only if there is no other. */
unsigned int twheel_arm_any_cpu(void)
{
	unsigned int cpu = cpumask_any_and(cpu_active_mask, housekeeping_cpumask(HK_TYPE_TIMER));

	return cpu < nr_cpu_ids ? cpu : cpumask_any(cpu_active_mask);
}

/* The slow part of twheel_arm_rehome(). */
struct twheel_base *twheel_arm_change_base(struct twheel_base *base,
					   struct twheel_timer *t, unsigned int cpu)
{
	struct twheel_base *to = twheel_base_of(cpu);
	u32 flags;

	while (base != to || !base->online) {
		if (twheel_base_find(base, t))
			return base;
		flags = t->node.flags & ~TWHEEL_CPU_MASK;
		WRITE_ONCE(t->node.flags, t->node.flags | TWHEEL_MIGRATING);
		raw_spin_unlock(&base->lock);
		if (!READ_ONCE(to->online))
			to = twheel_base_of(twheel_arm_any_cpu());
		base = to;
		raw_spin_lock(&base->lock);
		WRITE_ONCE(t->node.flags, flags | base->cpu);
	}
	return base;
}

/* Returns the first timer of a locked base that may move: its callback does not run. */
static struct twheel_timer *arm_first_to_move(struct twheel_base *from)
{
	struct twheel_timer *t;

	while ((t = twheel_timer_of(twheel_wheel_first(&from->wheel)))) {
		if (!twheel_base_find(from, t))
			return t;
		list_move_tail(&t->node.entry, &from->wheel.deferred);
	}
	return twheel_base_first_deferred(from);
}

/*
 * Moves at most TWHEEL_LOCK_HOLD timers from the base of an offline CPU to that of another CPU. No
 * base is locked. During a run of the wheel no timer moves: the callback that runs may be that of
 * any timer. Returns whether timers are left that can be moved.
 */
static bool arm_move_some(struct twheel_base *to, struct twheel_base *from)
{
	struct twheel_base *low = to->cpu < from->cpu ? to : from, *high = low == to ? from : to;
	struct twheel_timer *t = NULL;
	unsigned int i;

	/* in the order of their CPUs */
	raw_spin_lock_irq(&low->lock);
	raw_spin_lock_nested(&high->lock, SINGLE_DEPTH_NESTING);
	twheel_wheel_forward(&to->wheel, get_jiffies_64());
	for (i = 0; i < TWHEEL_LOCK_HOLD && !from->online && !from->running; i++) {
		t = arm_first_to_move(from);
		if (!t || !to->online)
			break;
		twheel_wheel_move(&to->wheel, &from->wheel, &t->node);
		WRITE_ONCE(t->node.flags, (t->node.flags & ~TWHEEL_CPU_MASK) | to->cpu);
		trace_twheel_migrate(t, 0);
		to->stats.migrated++;
	}
	twheel_tick_wake_by(to, to->wheel.next);
	raw_spin_unlock(&high->lock);
	raw_spin_unlock_irq(&low->lock);
	return t;
}

/*
 * Moves the timers of a base, which is not locked, away if its CPU is offline. A callback that
 * still runs for an offline CPU may arm its own timer there: see twheel_arm_rehome(). So a worker
 * calls this function, too, when a callback has ended.
 */
void twheel_arm_evacuate(struct twheel_base *base)
{
	unsigned int to;

	while (!READ_ONCE(base->online)) {
		to = twheel_arm_any_cpu();
		/* The CPU is active but the base is not online: the module unloads. */
		if (to == base->cpu || !arm_move_some(twheel_base_of(to), base))
			break;
		cond_resched();
	}
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

/*
 * Disarms an armed timer that is set up anew or freed, which would corrupt the wheel. Returns
 * whether it was armed.
 */
static bool arm_debug_take_off(void *addr, enum debug_obj_state state)
{
	struct twheel_timer *t = addr;
	struct twheel_base *base;
	unsigned long flags;

	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	base = twheel_arm_lock_base_irqsave(t, &flags);
	twheel_arm_disarm(base, t, TWHEEL_IDLE);
	raw_spin_unlock_irqrestore(&base->lock, flags);
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
	.fixup_init		= arm_debug_take_off,
	.fixup_free		= arm_debug_take_off,
	.fixup_assert_init	= arm_debug_fixup_assert_init,
};
#endif
