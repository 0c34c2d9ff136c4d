/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of twheel; never installed.
 */
#ifndef _TWHEEL_ENGINE_BASE_H
#define _TWHEEL_ENGINE_BASE_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <asm/local64.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/poison.h>
#include <linux/prefetch.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "stats.h"
#include "twheel_core.h"

/* struct twheel_timer.flags, besides those of twheel.h and twheel_core.h */
#define TWHEEL_CPU_MASK		0x0003ffffU
#define TWHEEL_MIGRATING	0x00040000U
#define TWHEEL_LANE_SHIFT	25
#define TWHEEL_LANE_MASK	0x1e000000U
#define TWHEEL_USER_FLAGS	(TWHEEL_PROCESS | TWHEEL_PINNED)

/* Bases of a CPU, at most; see twheel_lane.c. */
#define TWHEEL_LANES		16

/* Timers that are taken off a wheel together; see twheel_due.c. */
#define TWHEEL_DUE_MAX	16

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
 * struct twheel_due - a timer that was due, and its callback
 * @timer: The timer; marked if its callback runs; 0 if that has ended, or the
 *	timer is pending again.
 * @fn: The callback.
 * @expires: The deadline.
 * @began: The tick at which the callback began; 0 if it has not.
 * @locked: The timer is claimed under the lock.
 * @windowed: The timer has a window.
 */
struct twheel_due {
	unsigned long	timer;
	twheel_fn_t	fn;
	u64		expires;
	u64		began;
	bool		locked;
	bool		windowed;
};

/**
 * struct twheel_due_batch - timers that were taken off a wheel together
 * @at: Where in @due the callback is that runs, or ran last.
 * @count: How many there are.
 * @time: See twheel_base_time(); 0 as long as nobody has asked. The runner's alone.
 * @due: The timers.
 */
struct twheel_due_batch {
	unsigned int		at;
	unsigned int		count;
	u64			time;
	struct twheel_due	due[TWHEEL_DUE_MAX];
};

/**
 * struct twheel_callback - a callback that runs
 * @timer: In process context, its timer, which may have been freed; %NULL if none
 *	runs. In softirq context see &struct twheel_due_batch.
 * @task: In whose context it runs, a softirq on top of it included.
 * @fn: In process context, what runs.
 * @missed: See twheel_missed().
 */
struct twheel_callback {
	struct twheel_timer	*timer;
	struct task_struct	*task;
	twheel_fn_t		fn;
	u64			missed;
};

/**
 * struct twheel_worker - runs callbacks in process context, one at a time
 * @work: On the workqueue, from when there is something to do.
 * @base: Whose timers it takes.
 * @callback: What runs.
 */
struct twheel_worker {
	struct work_struct	work;
	struct twheel_base	*base;
	struct twheel_callback	callback;
};

/**
 * struct twheel_base - the engine of one CPU, or of one of its lanes
 * @lock: Protects all that follows but what the runner alone writes (@callback, and
 *	in @batch @time and what twheel_due.c says), and the timers that name this CPU and lane.
 *	Taken with interrupts off. Two of a lane nest in the order of CPUs, when
 *	timers leave a CPU that is offline; work is queued under it.
 * @cpu: The CPU.
 * @lane: Which of its bases this is.
 * @online: Timers may be armed here.
 * @callback: What runs in softirq context, or ran last.
 * @batch: Timers that were due.
 * @runner: The task in whose context callbacks run, softirqs on top of it
 *	included; %NULL outside base_run().
 * @wake: The tick by which the tick source calls base_run().
 * @tick: The tick source for an event that is near.
 * @sleeper: The tick source for one that is far: it ends a little before.
 * @more: Goes on when a run has used up its budget.
 * @counts: See twheel_base_add_counts().
 * @stats: What people may want to know.
 * @worker: Run callbacks in process context.
 * @idle_workers: Those with nothing to do, one bit each.
 * @callback_done: Woken when a callback in process context has ended.
 * @expiry_lock: On PREEMPT_RT, held while callbacks may run; see twheel_expiry.h.
 * @waiters: On PREEMPT_RT, who wants @expiry_lock.
 * @wheel: The wheel.
 */
struct twheel_base {
	raw_spinlock_t		lock;
	unsigned int		cpu;
	unsigned int		lane;
	bool			online;
	struct twheel_callback	callback;
	struct twheel_due_batch	batch;
	struct task_struct	*runner;
	u64			wake;
	struct timer_list	tick;
	struct hrtimer		sleeper;
	struct tasklet_struct	more;
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
};

/* Timers moved or looked at under the lock, between two chances for others. */
#define TWHEEL_LOCK_HOLD	128U

/**
 * struct twheel_cpu - the engine of a CPU
 * @lane: Its bases. As many as @twheel_lanes says are there, on all CPUs.
 */
struct twheel_cpu {
	struct twheel_base	*lane[TWHEEL_LANES];
};

/* twheel_cpu.c */
DECLARE_PER_CPU(struct twheel_cpu, twheel_cpus);
extern unsigned int twheel_lanes;

static inline struct twheel_base *twheel_base_of(unsigned int cpu,
						 unsigned int lane)
{
	return per_cpu(twheel_cpus, cpu).lane[lane];
}

static inline unsigned int twheel_lane_count(void)
{
	/* Pairs with twheel_cpu_add_lane(): the bases are there, too. */
	return smp_load_acquire(&twheel_lanes);
}

#define for_each_twheel_lane(lane) \
	for ((lane) = 0; (lane) < twheel_lane_count(); (lane)++)

int twheel_cpu_init(void);
void twheel_cpu_exit(void);
int twheel_cpu_add_lane(void);
void twheel_cpu_evacuate(struct twheel_base *base);

/* twheel_run.c */
void twheel_run_init(struct twheel_base *base);
void twheel_run_stop(struct twheel_base *base);
void twheel_run_arm(struct twheel_base *base, u64 next);
void twheel_run_call(struct twheel_base *base, struct twheel_timer *t,
		     twheel_fn_t fn);

/* Sees to it that the wheel of @base, which is locked, is visited by the tick @next. */
static inline void twheel_base_wake_at(struct twheel_base *base, u64 next)
{
	if (next < base->wake)
		twheel_run_arm(base, next);
}

/* twheel_base.c */
struct twheel_base *twheel_base_lock(const struct twheel_timer *t);
struct twheel_base *twheel_base_relock(struct twheel_base *base,
				       const struct twheel_timer *t);
struct twheel_base *twheel_base_move(struct twheel_base *base,
				     struct twheel_timer *t, unsigned int cpu);
void twheel_base_insert(struct twheel_base *base, struct twheel_timer *t,
			u64 expires);
void twheel_base_change(struct twheel_base *base, struct twheel_timer *t,
			u64 expires);
const struct twheel_callback *
twheel_base_callback(const struct twheel_base *base,
		     const struct twheel_timer *t);
void twheel_base_wait_running(const struct twheel_timer *t);
u64 twheel_base_time(const struct twheel_timer *t);
bool twheel_base_disarm(struct twheel_base *base, struct twheel_timer *t,
			u64 state);
void twheel_base_add_counts(const struct twheel_base *base,
			    struct twheel_counts *sum);
void twheel_counts_read(struct twheel_counts *counts);

/**
 * twheel_base_lock_irqsave - lock the base that a timer belongs to
 * @t: The timer.
 * @flags: For the interrupt flags.
 *
 * Return: The base, locked.
 */
static __always_inline struct twheel_base *
twheel_base_lock_irqsave(const struct twheel_timer *t, unsigned long *flags)
{
	local_irq_save(*flags);
	return twheel_base_lock(t);
}

/**
 * twheel_base_switch - give an idle timer to a CPU
 * @base: The base that @t belongs to, locked.
 * @t: An idle timer.
 * @cpu: Where it is wanted.
 *
 * The timer stays where it is while its callback runs, and goes elsewhere if
 * @cpu is offline. While it changes hands everybody waits for its flags.
 *
 * Return: The base that @t belongs to now, locked.
 */
static inline struct twheel_base *twheel_base_switch(struct twheel_base *base,
						     struct twheel_timer *t,
						     unsigned int cpu)
{
	lockdep_assert_held(&base->lock);

	if (likely(base->cpu == cpu && base->online))
		return base;
	return twheel_base_move(base, t, cpu);
}

/* twheel_due.c */
unsigned int twheel_due_take(struct twheel_base *base, unsigned int left);
void twheel_due_run(struct twheel_base *base);
void twheel_due_close(struct twheel_base *base);
unsigned int twheel_due_unclaimed(const struct twheel_base *base);
void twheel_due_take_back(struct twheel_base *base, struct twheel_timer *t);
bool twheel_due_idle(struct twheel_base *base, const struct twheel_timer *t);
bool twheel_due_runs(const struct twheel_base *base,
		     const struct twheel_timer *t);
bool twheel_due_has(const struct twheel_base *base, const struct module *mod);

/**
 * twheel_due_settle - see to it that a timer is not just about to run
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 *
 * For those who are going to disarm @t if it is pending, or to change its
 * deadline. Afterwards it is not TWHEEL_DUE: if its callback had not begun it is
 * pending, else it is idle.
 */
static inline void twheel_due_settle(struct twheel_base *base,
				     struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	if (unlikely(twheel_wheel_state(t) == TWHEEL_DUE))
		twheel_due_take_back(base, t);
}

/* twheel_lane.c */
int twheel_lane_get(void);
void twheel_lane_put(int lane);
extern unsigned int twheel_lane_threshold;
void twheel_lane_use(struct twheel_timer *t, int lane);
void twheel_lane_move(struct twheel_timer *t, int lane);

/* twheel_process.c */
int twheel_process_init(void);
void twheel_process_exit(void);
void twheel_process_init_base(struct twheel_base *base);
struct twheel_timer *twheel_process_first(struct twheel_base *base);
void twheel_process_kick(struct twheel_base *base);
const struct twheel_callback *
twheel_process_callback(const struct twheel_base *base,
			const struct twheel_timer *t);
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t);

/* twheel_owner.c */
#ifdef CONFIG_MODULE_UNLOAD
int twheel_owner_init(void);
void twheel_owner_exit(void);
#else
static inline int twheel_owner_init(void) { return 0; }
static inline void twheel_owner_exit(void) { }
#endif

/* twheel_debugfs.c */
#ifdef CONFIG_DEBUG_FS
void twheel_debugfs_init(void);
void twheel_debugfs_exit(void);
#else
static inline void twheel_debugfs_init(void) { }
static inline void twheel_debugfs_exit(void) { }
#endif

/* twheel_main.c: extensions that took no lock, by the CPU they were made on */
DECLARE_PER_CPU(local64_t, twheel_extended);

/* Where to arm: on the CPU that asks. */
#define TWHEEL_HERE		(-1)

/* Instead of the callback of a timer that is destroyed. */
#define TWHEEL_POISON		((twheel_fn_t)(0x77 + POISON_POINTER_DELTA))

void twheel_report_unusable(const struct twheel_timer *timer);

/* Has @timer been set up, and not been destroyed since? If not, it is reported. */
static inline bool twheel_usable(const struct twheel_timer *timer)
{
	if (likely(timer->fn && timer->fn != TWHEEL_POISON))
		return true;
	twheel_report_unusable(timer);
	return false;
}

/*
 * For those who are going to take the lock and to unlink a timer, which writes to
 * its neighbours: their cache misses pass while the lock is taken. Nothing is lost
 * if they are others by then, or none.
 */
static inline void twheel_prefetch_neighbours(const struct twheel_timer *timer)
{
	const struct list_head *entry = &timer->entry;

	/* Nobody acts on what is read without the lock. */
	prefetchw(data_race(entry->prev));
	/* Nor here. */
	prefetchw(data_race(entry->next));
}

unsigned int twheel_home(const struct twheel_timer *timer);
int twheel_arm_idle(struct twheel_timer *timer, u64 expires, int cpu, u32 period);

/* Timers that are disarmed with interrupts off, and with one lock as a rule. */
#define TWHEEL_TOGETHER		16

void twheel_cancel_some(struct twheel_timer *const *timer, unsigned int n);

/* twheel_clock.c */
/**
 * struct twheel_phase - how the ticks lie, by a look at the clock
 * @tick: The tick then.
 * @began: When it began, on CLOCK_MONOTONIC in ns.
 * @now: The time then.
 */
struct twheel_phase {
	u64	tick;
	s64	began;
	s64	now;
};

void twheel_phase_look(struct twheel_phase *phase);

/**
 * twheel_phase_tick - find the tick for a point in time, as twheel_tick_at() does
 * @phase: From a look not long ago, for those who need many ticks.
 * @when: On CLOCK_MONOTONIC, in nanoseconds.
 *
 * Return: The deadline in jiffies64; the tick of the look for a time before it.
 */
static inline u64 twheel_phase_tick(const struct twheel_phase *phase, ktime_t when)
{
	if (when <= phase->began)
		return phase->tick;
	return phase->tick + div_u64((u64)when - (u64)phase->began + TICK_NSEC - 1,
				     TICK_NSEC);
}

#endif /* _TWHEEL_ENGINE_BASE_H */
