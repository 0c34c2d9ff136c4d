// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how much of the softirqs' time a user may have
 *
 * A softirq takes its time from the task that it interrupts. So the expiry of a timer is not
 * charged to the program that has armed the timer. To bound that time, each user has a share
 * of the softirqs of each CPU. A step of the share is a timer that comes due, four moves of
 * timers in a wheel, a change of a descriptor between the lanes (clocks.c), or %SHARE_STEP_NS
 * of a wake-up of readers: any number of epolls may watch a descriptor. So is %SHARE_STEP_NS
 * that a softirq waits for the lock of a set: calls on other CPUs hold the lock.
 *
 * While a user has used up the share of a CPU, the timers that the user arms there go to the
 * lane TWHEEL_LANE_LOW. No tick runs that lane. A thread of low priority does, and on an
 * idle CPU it is as prompt as a softirq. On a busy CPU, the thread gets little time. Then
 * the user's own calls on the device run the lane, and the scheduler charges them. If the
 * thread gets no time at all, a softirq helps it now and then (engine/work.c).
 *
 * The share bounds the average in the long run. Timers that were armed before the share was
 * used up expire in softirqs, and the user then pays back for longer.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include "share.h"

static unsigned int share = 20000;
module_param(share, uint, 0644);
MODULE_PARM_DESC(share, "Steps a second that softirqs of a CPU do for a user without CAP_SYS_RESOURCE; a thread of low priority does the rest (default 20000; 0: no limit)");

/* How long the steps of the thread of low priority may keep a share used up. */
#define SHARE_MEMORY_NS		(10ULL * NSEC_PER_SEC)

/*
 * How long any steps may keep a share used up. With the default parameters, all timers of a
 * user can expire at once and interrupt a real-time program: then they take 839 seconds.
 */
#define SHARE_DEBT_NS		(900ULL * NSEC_PER_SEC)

/*
 * So many ns of a wake-up, or of a wait for a lock, are a step. By default a user gets 1.6 % of
 * a CPU in such steps. That leaves room below 2 % for work without steps.
 */
#define SHARE_STEP_NS		800U

/* As how many steps it counts, at most: the host may stop a virtual CPU meanwhile. */
#define SHARE_TIME_MOST		1000000ULL

/* How long a wait for a lock counts, at most: the host may stop the CPU that holds it. */
#define SHARE_WAIT_MOST_NS	((u64)NSEC_PER_MSEC)

/* How much of a slice a call of the user spends to run the lane, at most. */
#define SHARE_HELP		4U

static void share_add(struct timer_set *set, unsigned int steps, u64 most)
{
	struct user_share *here = this_cpu_ptr(set->share);
	u64 now = twheel_share_now();
	u64 from = max(READ_ONCE(here->until) + TWHEEL_SHARE_BURST_NS, now);
	unsigned int rate = READ_ONCE(share);

	if (rate && from <= now + most) {
		from += (u64)steps * ((u32)NSEC_PER_SEC / rate);
		WRITE_ONCE(here->until, min(from, now + most) - TWHEEL_SHARE_BURST_NS);
		if (unlikely(from > now + TWHEEL_SHARE_BURST_NS))
			WRITE_ONCE(set->strays, true);
	}
}

/**
 * twheel_share_charge_normal - take steps from the share of a user on this CPU
 * @set: A set of the user's.
 * @steps: How many, by a softirq or by the thread of normal priority.
 *
 * Context: as twheel_share_charge().
 */
void twheel_share_charge_normal(struct timer_set *set, unsigned int steps)
{
	if (READ_ONCE(set->exemption) != TIMER_SET_EXEMPT)
		share_add(set, steps << twheel_share_shift(), SHARE_DEBT_NS);
}

/**
 * twheel_share_charge_low - take steps in the low lane from the share of a user
 * @set: A set of the user's.
 * @steps: How many, by the thread of low priority or by a program that helps it.
 *
 * The program pays for its steps itself. The steps of the thread keep the share used up. So
 * a user who goes on gets no share again, and one who stops gets it %SHARE_MEMORY_NS later
 * at the latest.
 *
 * Context: as twheel_share_charge().
 */
void twheel_share_charge_low(struct timer_set *set, unsigned int steps)
{
	/* A softirq may help, too, and has interrupted any task. */
	if (in_serving_softirq() || current->flags & PF_KTHREAD)
		share_add(set, steps, SHARE_MEMORY_NS);
}

/**
 * twheel_share_charge_time - take the steps of a wake-up from the share of a user
 * @set: A set of the user's.
 * @ns: How long it took.
 * @low: Whether it was left to the thread of low priority.
 *
 * Context: as twheel_share_charge().
 */
void twheel_share_charge_time(struct timer_set *set, u64 ns, bool low)
{
	twheel_share_charge(set, min(1 + div_u64(ns, SHARE_STEP_NS), SHARE_TIME_MOST), low);
}

/**
 * twheel_share_wait_for_lock - wait for the lock of a set, and charge the share
 * @set: The set.
 * @low: As in twheel_share_lock(), the only caller.
 *
 * A wait takes a step for each whole %SHARE_STEP_NS, unless the set has ended.
 *
 * Context: bottom halves off.
 */
void twheel_share_wait_for_lock(struct timer_set *set, bool low)
	__acquires(&set->lock)
{
	u64 start = twheel_work_clock();

	spin_lock(&set->lock);
	start = twheel_work_clock() - start;
	/* The quota of a set that has ended may be gone: see clocks_expire(). */
	if (likely(!set->ended))
		twheel_share_charge(set, div_u64(min(start, SHARE_WAIT_MOST_NS), SHARE_STEP_NS),
				    low);
}

/**
 * twheel_share_limited - find out whether a share limits a user
 * @set: A set of the user's.
 *
 * Context: any.
 *
 * Return: %true if there is a limit, and the opener of the set has no CAP_SYS_RESOURCE.
 */
bool twheel_share_limited(const struct timer_set *set)
{
	return READ_ONCE(share) && !twheel_quota_seems_exempt(set);
}

/**
 * twheel_share_lane - choose the lane for timers that are armed on this CPU
 * @set: The timers' set.
 *
 * A set with many timers could make all other sets wait, and so could many small sets of
 * one user.
 *
 * Return: The lane.
 */
enum twheel_lane twheel_share_lane(struct timer_set *set)
{
	if (unlikely(twheel_share_used_up(set))) {
		WRITE_ONCE(set->strays, true);
		return TWHEEL_LANE_LOW;
	}
	if (READ_ONCE(set->count) >= TWHEEL_LANE_MANY)
		return TWHEEL_LANE_BULK;
	if (twheel_quota_timers(set->quota) >= TWHEEL_LANE_MANY)
		return TWHEEL_LANE_CROWD;
	return TWHEEL_LANE_PROGRAMS;
}

/**
 * twheel_share_cpus_used_up - count the CPUs whose share a user has used up
 * @set: A set of the user's.
 *
 * Context: process.
 *
 * Return: How many online CPUs.
 */
unsigned int twheel_share_cpus_used_up(const struct timer_set *set)
{
	unsigned int cpu, cpus = 0;

	for_each_online_cpu(cpu)
		cpus += twheel_share_used_up_on(set, cpu);
	return cpus;
}

/**
 * twheel_share_help - let a program run the lane of users who have used up their share
 * @set: The program's set. If its user has not used up the share, nothing happens.
 *
 * Context: process, with no lock held.
 */
void twheel_share_help(struct timer_set *set)
{
	/* A kworker polls for the AIO of a program, and would not be charged to it. */
	if (likely(!twheel_share_used_up(set)) || current->flags & PF_KTHREAD)
		return;
	twheel_work_help(twheel_work_slice() / SHARE_HELP);
	/* A poll() may look at thousands of descriptors. */
	cond_resched();
}
