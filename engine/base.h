/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the structures of the engine
 *
 * Every CPU has a base: a wheel, the lock that protects the wheel, and what runs the wheel's
 * callbacks. Every timer names its CPU, and so its base.
 */
#ifndef _TWHEEL_ENGINE_BASE_H
#define _TWHEEL_ENGINE_BASE_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "stats.h"
#include "twheel_core.h"
#include "work.h"

/* struct twheel_node.flags, besides those of twheel.h and twheel_core.h */
#define TWHEEL_CPU_MASK		0x0003ffffU
#define TWHEEL_MIGRATING	0x00040000U
#define TWHEEL_USER_FLAGS	(TWHEEL_PROCESS | TWHEEL_PINNED)
/* A timer is in the base whose CPU these flags equal. While it migrates, none does. */
#define TWHEEL_PLACE_MASK	(TWHEEL_CPU_MASK | TWHEEL_MIGRATING)

/* The most timers that are moved or looked at under one hold of a base's lock. */
#define TWHEEL_LOCK_HOLD	128U

/**
 * struct twheel_counts - how many armings there were, and how they ended
 * @armed: Armings, including those that replaced another one.
 * @fired: Armings that ended with a callback.
 * @cancelled: Armings that ended with a cancel or a shutdown.
 * @replaced: Armings that ended with a change of the deadline.
 * @pending: Armings that have not ended.
 *
 * armed == fired + cancelled + replaced + pending, always.
 */
struct twheel_counts {
	u64 armed;
	u64 fired;
	u64 cancelled;
	u64 replaced;
	u64 pending;
};

/**
 * struct twheel_callback - a callback that runs
 * @timer: The callback's timer, which the callback may have freed; %NULL if no callback
 *	runs.
 * @task: The task that the callback runs in, or that the softirq interrupted.
 * @fn: The callback.
 * @missed: What twheel_missed() returns.
 */
struct twheel_callback {
	struct twheel_timer	*timer;
	struct task_struct	*task;
	twheel_fn_t		fn;
	u64			missed;
};

/**
 * struct twheel_worker - runs callbacks in process context, one at a time
 * @work: Queued while the worker has callbacks to run.
 * @base: The base whose timers it takes.
 * @callback: The callback that it runs.
 */
struct twheel_worker {
	struct work_struct	work;
	struct twheel_base	*base;
	struct twheel_callback	callback;
};

/**
 * struct twheel_base - the wheel of a CPU, and what runs it
 * @lock: Protects every field that follows, and every timer that names this CPU. Taken with
 *	interrupts off. When timers leave an offline CPU, the locks of two bases nest, in the order
 *	of their CPUs. Work is queued under the lock.
 * @cpu: The CPU.
 * @online: The CPU is online, so timers may be armed here.
 * @callback: The callback that runs in softirq context.
 * @runner: The task that the run of this wheel runs in or interrupted; %NULL
 *	outside a run.
 * @wake: The latest tick at which the tick source starts a run.
 * @tick: The tick source for a near tick.
 * @sleeper: The tick source for a far tick. It expires a little before that tick.
 * @more: Continues a run that has used up its budget or its time.
 * @counts: The armings that this base has counted; see twheel_counts_add().
 * @stats: Statistics for people.
 * @worker: The workers that run callbacks in process context.
 * @idle_workers: The workers that are not queued, one bit each.
 * @callback_done: Woken when a callback in process context has ended.
 * @expiry_lock: On PREEMPT_RT: held while callbacks may run; see expiry.h.
 * @waiters: On PREEMPT_RT: how many tasks wait for @expiry_lock.
 * @wheel: The wheel.
 * @levels: The memory of its levels: timers are armed where none can be allocated.
 */
struct twheel_base {
	raw_spinlock_t		lock;
	unsigned int		cpu;
	bool			online;
	struct twheel_callback	callback;
	struct task_struct	*runner;
	u64			wake;
	struct timer_list	tick;
	struct hrtimer		sleeper;
	struct twheel_work	more;
	struct twheel_counts	counts;
	struct twheel_stats	stats;
	struct twheel_worker	worker[TWHEEL_PROCESS_MAX];
	unsigned long		idle_workers;
	wait_queue_head_t	callback_done;
#ifdef CONFIG_PREEMPT_RT
	spinlock_t		expiry_lock;
	atomic_t		waiters;
#endif
	struct twheel_wheel	wheel;
	u8			levels[TWHEEL_LEVELS_BYTES] ____cacheline_aligned;
};

DECLARE_PER_CPU(struct twheel_base *, twheel_bases);

/* The timer that a wheel knows as @node; %NULL for %NULL, because @node comes first. */
static inline struct twheel_timer *twheel_timer_of(struct twheel_node *node)
{
	static_assert(!offsetof(struct twheel_timer, node));

	return container_of(node, struct twheel_timer, node);
}

static inline struct twheel_base *twheel_base_of(unsigned int cpu)
{
	return per_cpu(twheel_bases, cpu);
}

/* The base that a timer's flags name. */
static inline struct twheel_base *twheel_base_of_flags(u32 flags)
{
	return twheel_base_of(flags & TWHEEL_CPU_MASK);
}

#endif /* _TWHEEL_ENGINE_BASE_H */
