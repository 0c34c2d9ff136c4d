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
#include "device.h"

/* struct twheel_node.flags, besides those of twheel.h and twheel_core.h */
#define TWHEEL_CPU_MASK		0x0003ffffU
#define TWHEEL_MIGRATING	0x00040000U
#define TWHEEL_SETUP_FLAGS	(TWHEEL_PROCESS | TWHEEL_PINNED)

/* The most timers that are moved or looked at under one hold of a base's lock. */
#define TWHEEL_LOCK_HOLD	128U

/* Armings and their ends. Of all CPUs: armed == fired + cancelled + replaced + pending. */
struct twheel_counts {
	u64 armed;			/* including those that replaced another one */
	u64 fired;			/* ended with a callback */
	u64 cancelled;			/* ended with a cancel or a shutdown */
	u64 replaced;			/* ended with a change of the deadline */
	u64 pending;			/* not ended */
};

/* Buckets for ticks late: 0, 1, 2 to 3, 4 to 7, and so on; the last one is open. */
#define TWHEEL_LATE_BUCKETS	20

/* Statistics of a base, for people: debugfs.c shows them. */
struct twheel_stats {
	/* also runs that found nothing to do, and runs that continued another one */
	u64		runs;
	/* callbacks that began before their deadline: must stay 0 */
	u64		early;
	/* other callbacks by how many ticks after their deadline they began */
	u64		late[TWHEEL_LATE_BUCKETS];
	/* callbacks of timers with a window, which @late does not count */
	u64		windowed;
	/* the longest run, by local_clock(), which counts whole ticks on some architectures */
	u64		run_max_ns;
	u64		migrated;	/* timers that came from a CPU that went offline */
};

/* A callback that runs. */
struct twheel_callback {
	/* may have been freed by its callback; NULL if no callback runs */
	struct twheel_timer	*timer;
	/* the task that the callback runs in, or that the softirq interrupted */
	struct task_struct	*task;
	twheel_fn_t		fn;
	u64			missed;	/* what twheel_missed() returns */
};

/* Runs callbacks in process context, one at a time. */
struct twheel_worker {
	/* queued while the worker has callbacks to run */
	struct work_struct	work;
	struct twheel_base	*base;
	struct twheel_callback	callback;
};

/* The wheel of a CPU, and what runs it. */
struct twheel_base {
	/*
	 * Protects what follows, but for @callback_done, @expiry_lock and @waiters; and every timer
	 * that names this CPU, pending or not. Taken with interrupts off, and not held while a
	 * callback runs. When timers leave an offline CPU, the locks of two bases nest, in the
	 * order of their CPUs. Work items are queued, and threads woken, under the lock.
	 */
	raw_spinlock_t		lock;
	unsigned int		cpu;
	bool			online;	/* the CPU is online, so timers may be armed here */
	bool			running; /* a run of this wheel is under way */
	struct twheel_callback	callback; /* the callback that runs in softirq context */
	u64			wake;	/* the latest tick at which the tick source starts a run */
	/* the tick sources for a near and for a far tick: see tick.c */
	struct timer_list	tick;
	struct hrtimer		sleeper;
	bool			more;	/* the thread is to continue the run of this wheel */
	/* without @pending, which the wheel counts */
	struct twheel_counts	counts;
	struct twheel_stats	stats;
	/* the workers, and which of them are not queued, one bit each */
	struct twheel_worker	worker[TWHEEL_PROCESS_MAX];
	unsigned long		idle_workers;
	/* woken when a callback in process context has ended */
	wait_queue_head_t	callback_done;
	/* held on PREEMPT_RT while callbacks may run, and how many tasks wait for it */
	spinlock_t		expiry_lock;
	atomic_t		waiters;
	struct twheel_wheel	wheel;
	/* the memory of the wheel's levels: timers are armed where none can be allocated */
	u8			levels[TWHEEL_LEVELS_BYTES] ____cacheline_aligned;
};

DECLARE_PER_CPU(struct twheel_base *, twheel_bases);
/* Where each CPU arms timers that are not pinned: another CPU if it is isolated (nohz_full=). */
DECLARE_PER_CPU(unsigned int, twheel_base_home);
/* How many deadlines each CPU has pushed back without a lock. */
DECLARE_PER_CPU(u64, twheel_extended);

void twheel_base_read_counts(struct twheel_counts *counts);
const struct twheel_callback *twheel_base_find(const struct twheel_base *base,
					       const struct twheel_timer *t);
const struct twheel_callback *twheel_base_find_process(const struct twheel_base *base,
						       const struct twheel_timer *t);
struct twheel_timer *twheel_base_first_deferred(struct twheel_base *base);

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

#endif /* _TWHEEL_ENGINE_BASE_H */
