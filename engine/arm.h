/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: finding the base of a timer, and arming and disarming the timer there
 */
#ifndef _TWHEEL_ENGINE_ARM_H
#define _TWHEEL_ENGINE_ARM_H

#include "base.h"

struct twheel_base *twheel_arm_lock_base(const struct twheel_timer *t);
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
 * Return: The base, locked.
 */
static __always_inline struct twheel_base *
twheel_arm_lock_base_irqsave(const struct twheel_timer *t, unsigned long *flags)
{
	local_irq_save(*flags);
	return twheel_arm_lock_base(t);
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
