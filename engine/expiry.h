/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: how a canceller waits for a callback in softirq context
 */
#ifndef _TWHEEL_ENGINE_EXPIRY_H
#define _TWHEEL_ENGINE_EXPIRY_H

#include <linux/processor.h>
#include <linux/spinlock.h>
#include "base.h"

#ifdef CONFIG_PREEMPT_RT
/*
 * Softirqs are preemptible on PREEMPT_RT, so a canceller must not spin. It sleeps on
 * @expiry_lock, which the runner releases while no callback runs.
 */
static inline void twheel_expiry_init(struct twheel_base *base)
{
	spin_lock_init(&base->expiry_lock);
}

static inline void twheel_expiry_lock(struct twheel_base *base)
	__acquires(&base->expiry_lock)
{
	spin_lock(&base->expiry_lock);
}

static inline void twheel_expiry_unlock(struct twheel_base *base)
	__releases(&base->expiry_lock)
{
	spin_unlock(&base->expiry_lock);
}

/* Whether cancellers wait. */
static inline bool twheel_expiry_contended(struct twheel_base *base)
{
	return atomic_read(&base->waiters);
}

/*
 * Lets waiting cancellers have the lock. The runner calls this when the base says that no
 * callback runs: a canceller that gets the lock looks there.
 */
static inline void twheel_expiry_relax(struct twheel_base *base)
{
	spin_unlock(&base->expiry_lock);
	spin_lock(&base->expiry_lock);
}

/* Sleeps until the callback that runs has ended. */
static inline void twheel_expiry_wait(struct twheel_base *base)
{
	atomic_inc(&base->waiters);
	spin_lock_bh(&base->expiry_lock);
	atomic_dec(&base->waiters);
	spin_unlock_bh(&base->expiry_lock);
}
#else
/* With bottom halves off, no task preempts: a canceller on another CPU spins. */
static inline void twheel_expiry_init(struct twheel_base *base) { }
static inline void twheel_expiry_lock(struct twheel_base *base) { }
static inline void twheel_expiry_unlock(struct twheel_base *base) { }
static inline bool twheel_expiry_contended(struct twheel_base *base)
{
	return false;
}

static inline void twheel_expiry_relax(struct twheel_base *base) { }
static inline void twheel_expiry_wait(struct twheel_base *base)
{
	cpu_relax();
}
#endif

#endif /* _TWHEEL_ENGINE_EXPIRY_H */
