/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: running a callback, and waiting for its end
 */
#ifndef _TWHEEL_ENGINE_CALLBACK_H
#define _TWHEEL_ENGINE_CALLBACK_H

#include <linux/processor.h>
#include "engine.h"

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
 * Notes in @cb that the callback of @t, which the wheel of a locked base has just let expire, is
 * about to run. The caller has stored the task. Returns the function to call.
 */
static inline twheel_fn_t
twheel_callback_begin(struct twheel_base *base, struct twheel_callback *cb,
		      struct twheel_timer *t, u64 now)
{
	twheel_fn_t fn = t->fn;

	lockdep_assert_held(&base->lock);

	cb->timer = t;
	cb->fn = fn;
	cb->missed = base->wheel.missed;
	base->counts.fired++;
	if (t->node.period)
		base->counts.armed++;
	else
		debug_object_deactivate(t, &twheel_arm_debug);
	twheel_callback_count(&base->stats, now, base->wheel.last,
			      twheel_wheel_has_window(&t->node));
	trace_twheel_expire_entry(t, base->wheel.last, base->cpu);
	return fn;
}

/*
 * Runs a callback, with no lock held. The callback may free the timer, which contains the map that
 * lockdep needs until the callback has returned. So lockdep gets a copy of the map.
 */
static inline void twheel_callback_run(struct twheel_timer *t, twheel_fn_t fn)
{
	int count = preempt_count();
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;

	lockdep_copy_map(&lockdep_map, &t->lockdep_map);
#endif
	lock_map_acquire(&lockdep_map);
	fn(t);
	lock_map_release(&lockdep_map);

	if (WARN_ONCE(count != preempt_count(),
		      "%pS left preempt_count at %#x, was %#x\n",
		      fn, preempt_count(), count))
		preempt_count_set(count);
	trace_twheel_expire_exit(t, fn);
}

/*
 * How a canceller waits for a callback in softirq context. With bottom halves off, no task
 * preempts: a canceller on another CPU spins. Softirqs are preemptible on PREEMPT_RT, so the
 * canceller must not spin. It sleeps on @expiry_lock, which the runner releases while no callback
 * runs.
 */
static inline void twheel_callback_lock_expiry(struct twheel_base *base)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		spin_lock(&base->expiry_lock);
}

static inline void twheel_callback_unlock_expiry(struct twheel_base *base)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		spin_unlock(&base->expiry_lock);
}

/* Whether cancellers wait. */
static inline bool twheel_callback_contended(struct twheel_base *base)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && atomic_read(&base->waiters);
}

/* Waits until the callback that runs has ended, or a moment. The caller looks again. */
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

#endif /* _TWHEEL_ENGINE_CALLBACK_H */
