/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of twheel; never installed.
 */
#ifndef _TWHEEL_INTERNAL_H
#define _TWHEEL_INTERNAL_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include "twheel_wheel.h"

/* struct twheel_timer.flags */
#define TWHEEL_CPU_MASK		0x0003ffffU
#define TWHEEL_MIGRATING	0x00040000U

/**
 * struct twheel_counts - what became of the armings
 * @armed: Armings, those that replaced another included.
 * @fired: Callbacks run.
 * @cancelled: Armings ended by cancel or shutdown.
 * @replaced: Armings ended by a change of the deadline.
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
 * struct twheel_base - the engine of one CPU
 * @lock: Protects all that follows, and the timers that name this CPU. Taken
 *	with interrupts off; nests in nothing but itself, when a CPU's timers
 *	move (the offline CPU's lock first).
 * @cpu: The CPU.
 * @online: Timers may be armed here.
 * @running: The timer whose callback runs. It may have been freed.
 * @runner: The task in whose context callbacks run, softirqs on top of it
 *	included; %NULL outside base_run().
 * @wake: The tick by which the tick source calls base_run().
 * @tick: The tick source for an event that is near.
 * @sleeper: The tick source for one that is far: it ends a little before.
 * @more: Goes on when a run has used up its budget.
 * @counts: See &struct twheel_counts; @counts.pending is unused.
 * @expiry_lock: On PREEMPT_RT, held while callbacks may run; see wait_running().
 * @waiters: On PREEMPT_RT, who wants @expiry_lock.
 * @wheel: The wheel.
 */
struct twheel_base {
	raw_spinlock_t		lock;
	unsigned int		cpu;
	bool			online;
	struct twheel_timer	*running;
	struct task_struct	*runner;
	u64			wake;
	struct timer_list	tick;
	struct hrtimer		sleeper;
	struct tasklet_struct	more;
	struct twheel_counts	counts;
#ifdef CONFIG_PREEMPT_RT
	spinlock_t		expiry_lock;
	atomic_t		waiters;
#endif
	struct twheel_wheel	wheel;
};

DECLARE_PER_CPU(struct twheel_base *, twheel_bases);

/* twheel_base.c */
int twheel_bases_init(void);
void twheel_bases_exit(void);
struct twheel_base *twheel_base_lock(const struct twheel_timer *t,
				     unsigned long *flags);
struct twheel_base *twheel_base_switch(struct twheel_base *base,
				       struct twheel_timer *t,
				       unsigned int cpu);
void twheel_base_insert(struct twheel_base *base, struct twheel_timer *t,
			u64 expires);
void twheel_base_change(struct twheel_base *base, struct twheel_timer *t,
			u64 expires);
void twheel_base_wait_running(const struct twheel_timer *t);
void twheel_read_counts(struct twheel_counts *counts);

/* twheel_main.c: extensions that took no lock, by the CPU they were made on */
DECLARE_PER_CPU(u64, twheel_extended);

/* twheel_chardev.c */
int twheel_chardev_init(void);
void twheel_chardev_exit(void);

#endif /* _TWHEEL_INTERNAL_H */
