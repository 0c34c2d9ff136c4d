/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: finding the base of a timer, and arming and disarming the timer there
 */
#ifndef _TWHEEL_ENGINE_ARM_H
#define _TWHEEL_ENGINE_ARM_H

#include "base.h"

struct twheel_base *twheel_arm_lock_any(const struct twheel_timer *t);
struct twheel_base *twheel_arm_relock_base(struct twheel_base *base,
					   const struct twheel_timer *t);
struct twheel_base *twheel_arm_change_base(struct twheel_base *base,
					   struct twheel_timer *t, unsigned int cpu);
void twheel_arm_insert(struct twheel_base *base, struct twheel_timer *t,
		       u64 expires);
void twheel_arm_change(struct twheel_base *base, struct twheel_timer *t,
		       u64 expires);
bool twheel_arm_disarm(struct twheel_base *base, struct twheel_timer *t,
		       u64 state);

/**
 * twheel_arm_lock_base_irqsave - lock the base that a timer belongs to
 * @t: The timer.
 * @flags: For the interrupt flags.
 *
 * Most timers belong to this CPU and lane 0, so the function tries that base first. The
 * processor can then lock the base while the timer's flags are still on their way from
 * memory.
 *
 * Return: The base, locked.
 */
static __always_inline struct twheel_base *
twheel_arm_lock_base_irqsave(const struct twheel_timer *t, unsigned long *flags)
{
	const u32 place = TWHEEL_CPU_MASK | TWHEEL_LANE_MASK | TWHEEL_MIGRATING;
	struct twheel_base *here;

	local_irq_save(*flags);
	here = raw_cpu_read(twheel_cpus.lane[0]);
	if ((READ_ONCE(t->flags) & place) == here->cpu) {
		raw_spin_lock(&here->lock);
		if ((READ_ONCE(t->flags) & place) == here->cpu)
			return here;
		raw_spin_unlock(&here->lock);
	}
	return twheel_arm_lock_any(t);
}

/**
 * twheel_arm_rehome - give an idle timer to a CPU
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @cpu: The CPU.
 *
 * The timer stays in @base while its callback runs. If @cpu is offline, the timer
 * goes to another CPU. While the timer changes its base, a CPU that wants to lock the
 * timer's base waits.
 *
 * Return: The base that @t belongs to now, locked.
 */
static inline struct twheel_base *twheel_arm_rehome(struct twheel_base *base,
						    struct twheel_timer *t,
						    unsigned int cpu)
{
	lockdep_assert_held(&base->lock);

	if (likely(base->cpu == cpu && base->online))
		return base;
	return twheel_arm_change_base(base, t, cpu);
}

#endif /* _TWHEEL_ENGINE_ARM_H */
