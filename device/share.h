/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: how much of the softirqs' time a user may have
 */
#ifndef _TWHEEL_DEVICE_SHARE_H
#define _TWHEEL_DEVICE_SHARE_H

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include "quota.h"
#include "timer_set.h"

/* A user may have the share of this time at once, after a quiet time. */
#define TWHEEL_SHARE_BURST_NS	NSEC_PER_SEC

/* A step that interrupts a real-time program counts as two to the power of this. */
#define TWHEEL_SHARE_REALTIME	4U

/**
 * struct user_share - what softirqs of a CPU have done for a user
 * @until: The user has had its share until this time, in ns of jiffies. A step moves the
 *	time on by the share's part of a second.
 */
struct user_share {
	u64			until;
};

static inline u64 twheel_share_now(void)
{
	return get_jiffies_64() * TICK_NSEC;
}

/* Returns 0, or TWHEEL_SHARE_REALTIME in a softirq that has interrupted such a program. */
static inline unsigned int twheel_share_shift(void)
{
	if (likely(current->prio >= MAX_RT_PRIO))
		return 0;
	return in_task() || current->flags & PF_KTHREAD ? 0 : TWHEEL_SHARE_REALTIME;
}

/* Whether the share is unused on all CPUs, so that the structure need not be kept. */
static inline bool twheel_share_settled(struct user_share __percpu *share)
{
	u64 now = twheel_share_now();
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu_ptr(share, cpu)->until) + TWHEEL_SHARE_BURST_NS > now)
			return false;
	return true;
}

void twheel_share_charge_normal(struct timer_set *set, unsigned int steps);
void twheel_share_charge_low(struct timer_set *set, unsigned int steps);

/**
 * twheel_share_charge - take steps from the share of a user on this CPU
 * @set: A set of the user's.
 * @steps: How many.
 * @low: Whether they are steps in the low lane.
 *
 * Context: bottom halves off. On some PREEMPT_RT kernels, two callers of a CPU may
 * interrupt each other, and the steps of one of them may not count.
 */
static inline void twheel_share_charge(struct timer_set *set, unsigned int steps, bool low)
{
	if (unlikely(low))
		twheel_share_charge_low(set, steps);
	else
		twheel_share_charge_normal(set, steps);
}

void twheel_share_charge_time(struct timer_set *set, u64 ns, bool low);
void twheel_share_wait_for_lock(struct timer_set *set, bool low);
bool twheel_share_limited(const struct timer_set *set);
enum twheel_lane twheel_share_lane(struct timer_set *set);
unsigned int twheel_share_cpus_used_up(const struct timer_set *set);
void twheel_share_help(struct timer_set *set);

/**
 * twheel_share_lock - lock a set in a softirq
 * @set: The set.
 * @low: Whether the softirq, or a thread, runs the low lane.
 *
 * Calls on other CPUs hold the lock: the user's own, or those of holders of leases. So the
 * share is charged for a wait.
 *
 * Context: bottom halves off.
 *
 * Return: %true if the softirq has waited for the lock.
 */
static inline bool twheel_share_lock(struct timer_set *set, bool low)
	__acquires(&set->lock)
{
	/* lockdep does not learn from spin_trylock() what the caller holds. */
	might_lock(&set->lock);
	if (likely(spin_trylock(&set->lock)))
		return false;
	twheel_share_wait_for_lock(set, low);
	return true;
}

/**
 * twheel_share_used_up - find out whether a user has used up the share of this CPU
 * @set: A set of the user's.
 *
 * Context: any. With bottom halves on, the answer may be that of another CPU.
 *
 * Return: %true if so, and if the share limits the user.
 */
static inline bool twheel_share_used_up(struct timer_set *set)
{
	u64 until = READ_ONCE(raw_cpu_ptr(set->share)->until);

	return unlikely(until > twheel_share_now()) && twheel_share_limited(set);
}

/**
 * twheel_share_used_up_on - find out whether a user has used up the share of a CPU
 * @set: A set of the user's.
 * @cpu: The CPU.
 *
 * Return: %true if so, and if the share limits the user.
 */
static inline bool twheel_share_used_up_on(const struct timer_set *set, unsigned int cpu)
{
	u64 until = READ_ONCE(per_cpu_ptr(set->share, cpu)->until);

	return until > twheel_share_now() && twheel_share_limited(set);
}

/**
 * twheel_share_has_strays - find out whether timers of a set may be in a wrong lane
 * @set: The set, locked.
 *
 * Return: %true if the user is above the share of this CPU, or was above the share of a CPU when
 * the set was charged there or chose a lane; %false if the share does not limit the user.
 */
static inline bool twheel_share_has_strays(struct timer_set *set)
{
	timer_set_assert_locked(set);

	if (unlikely(READ_ONCE(set->strays)) && !twheel_quota_seems_exempt(set))
		return true;
	return twheel_share_used_up(set);
}

#endif /* _TWHEEL_DEVICE_SHARE_H */
