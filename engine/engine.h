/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the files of the engine call of each other, and what starts and stops the engine
 */
#ifndef _TWHEEL_ENGINE_ENGINE_H
#define _TWHEEL_ENGINE_ENGINE_H

#include <linux/debugobjects.h>
#include <linux/processor.h>
#include "base.h"
#include "trace.h"

/* cpu.c */
int twheel_engine_init(void);
void twheel_engine_exit(void);

/* arm.c */
struct twheel_base *twheel_arm_lock_any(const struct twheel_timer *t);
struct twheel_base *twheel_arm_change_base(struct twheel_base *base,
					   struct twheel_timer *t, unsigned int cpu);
unsigned int twheel_arm_any_cpu(void);
void twheel_arm_evacuate(struct twheel_base *base);
/* what debugobjects has to know of timers, with CONFIG_DEBUG_OBJECTS */
extern const struct debug_obj_descr twheel_arm_debug;

/* process.c */
extern struct workqueue_struct *twheel_process_wq;
void twheel_process_init_base(struct twheel_base *base);
void twheel_process_kick(struct twheel_base *base);
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t);

/* run.c */
extern struct smp_hotplug_thread twheel_run_threads;
void twheel_run_init_base(struct twheel_base *base);

/* debugfs.c */
void twheel_debugfs_init(void);
void twheel_debugfs_exit(void);

/* tick.c */
void twheel_tick_arm(struct twheel_base *base, u64 next);

/* Has the wheel of a locked base run at the tick @next, at the latest. */
static inline void twheel_tick_wake_by(struct twheel_base *base, u64 next)
{
	lockdep_assert_held(&base->lock);

	if (next < base->wake)
		twheel_tick_arm(base, next);
}

/*
 * Whether a timer belongs to a base: to none while it migrates. It stays there while the base is
 * locked.
 */
static inline bool twheel_arm_is_in(const struct twheel_base *base, const struct twheel_timer *t)
{
	return (READ_ONCE(t->node.flags) & (TWHEEL_CPU_MASK | TWHEEL_MIGRATING)) == base->cpu;
}

/*
 * Locks the base that a timer belongs to, and returns it. Most timers belong to this CPU, so the
 * function tries its base first. The processor can then lock the base while the timer's flags are
 * still on their way from memory.
 */
static __always_inline struct twheel_base *
twheel_arm_lock_base_irqsave(const struct twheel_timer *t, unsigned long *flags)
{
	struct twheel_base *here;

	local_irq_save(*flags);
	here = raw_cpu_read(twheel_bases);
	if (twheel_arm_is_in(here, t)) {
		raw_spin_lock(&here->lock);
		if (twheel_arm_is_in(here, t))
			return here;
		raw_spin_unlock(&here->lock);
	}
	return twheel_arm_lock_any(t);
}

/*
 * Gives an idle timer, whose base is locked, to a CPU. Returns the base that the timer belongs to
 * now, locked. The timer stays in its base while its callback runs. If @cpu is offline, the timer
 * goes to another CPU. While the timer changes its base, a CPU that wants to lock the timer's base
 * waits.
 */
static inline struct twheel_base *twheel_arm_rehome(struct twheel_base *base,
						    struct twheel_timer *t, unsigned int cpu)
{
	lockdep_assert_held(&base->lock);

	if (likely(base->cpu == cpu && base->online))
		return base;
	return twheel_arm_change_base(base, t, cpu);
}

/* Arms an idle timer in its base, which is locked. */
static inline void
twheel_arm_insert(struct twheel_base *base, struct twheel_timer *t, u64 expires)
{
	lockdep_assert_held(&base->lock);

	base->counts.armed++;
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	/* First: debugobjects knows an unused static timer by its empty list entry. */
	debug_object_activate(t, &twheel_arm_debug);
	twheel_wheel_insert(&base->wheel, &t->node, expires);
	trace_twheel_arm(t, 0);
	twheel_tick_wake_by(base, base->wheel.next);
}

/*
 * Ends the arming of a timer, whose base is locked. After the @state TWHEEL_DEAD, the timer can
 * never be armed again; else TWHEEL_IDLE. Returns whether the timer was pending.
 */
static inline bool
twheel_arm_disarm(struct twheel_base *base, struct twheel_timer *t, u64 state)
{
	lockdep_assert_held(&base->lock);

	if (!twheel_wheel_remove(&base->wheel, &t->node, state))
		return false;
	base->counts.cancelled++;
	debug_object_deactivate(t, &twheel_arm_debug);
	trace_twheel_cancel(t, t->node.last);
	return true;
}

static inline void twheel_callback_count(struct twheel_stats *stats, u64 now, u64 expires,
					 bool windowed)
{
	/* First, because nearly all callbacks begin on time. */
	if (likely(now == expires && !windowed))
		stats->late[0]++;
	else if (now < expires)
		stats->early++;
	else if (windowed)
		stats->windowed++;
	else
		stats->late[min_t(u64, fls64(now - expires), TWHEEL_LATE_BUCKETS - 1)]++;
}

/*
 * Runs the callback of @t, which the wheel of a locked base has just let expire. Unlocks the base
 * meanwhile. Cancellers find the callback in @cb, where the caller has stored the task. The
 * callback may free the timer, which contains the map that lockdep needs until the callback has
 * returned. So lockdep gets a copy of the map.
 */
static inline void twheel_callback_run(struct twheel_base *base, struct twheel_callback *cb,
				       struct twheel_timer *t, u64 now)
	__must_hold(&base->lock)
{
	twheel_fn_t fn = t->fn;
	int count;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;

	lockdep_copy_map(&lockdep_map, &t->lockdep_map);
#endif
	lockdep_assert_held(&base->lock);

	cb->fn = fn;
	cb->timer = t;
	cb->missed = base->wheel.missed;
	base->counts.fired++;
	if (t->node.period)
		base->counts.armed++;
	else
		debug_object_deactivate(t, &twheel_arm_debug);
	twheel_callback_count(&base->stats, now, base->wheel.last,
			      twheel_wheel_has_window(&t->node));
	trace_twheel_expire_entry(t, base->wheel.last);
	raw_spin_unlock_irq(&base->lock);

	count = preempt_count();
	lock_map_acquire(&lockdep_map);
	fn(t);
	lock_map_release(&lockdep_map);
	if (WARN_ONCE(count != preempt_count(), "%pS left preempt_count at %#x, was %#x\n",
		      fn, preempt_count(), count))
		preempt_count_set(count);
	trace_twheel_expire_exit(t, fn);

	raw_spin_lock_irq(&base->lock);
	cb->timer = NULL;
}

/* Whether cancellers wait: see twheel_callback_wait(). */
static inline bool twheel_callback_contended(struct twheel_base *base)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && atomic_read(&base->waiters);
}

/*
 * Waits until the callback that runs in softirq context has ended, or a moment. The caller looks
 * again. With bottom halves off, no task preempts: a canceller on another CPU spins. Softirqs are
 * preemptible on PREEMPT_RT, so the canceller must not spin. It sleeps on @expiry_lock, which the
 * runner releases while no callback runs.
 */
static inline void twheel_callback_wait(struct twheel_base *base)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		cpu_relax();
		return;
	}
	atomic_inc(&base->waiters);
	spin_lock_bh(&base->expiry_lock);
	atomic_dec(&base->waiters);
	spin_unlock_bh(&base->expiry_lock);
}

#endif /* _TWHEEL_ENGINE_ENGINE_H */
