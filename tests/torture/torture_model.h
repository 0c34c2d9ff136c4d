/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel torture: the model of a timer
 *
 * The model says what a timer should do. It is kept next to the timer, under the lock
 * of a slot. All operations on the timer hold the lock, except waiting for its callback.
 * The callback takes the lock first. So
 *
 *	armed, due		an arming is pending, and its deadline
 *	expired, expired_due	an arming has expired, and its callback does not have
 *				the lock yet
 *
 * and every result and every callback must agree with that. A periodic timer is pending
 * again before its callback has the lock. If such a timer is changed or cancelled when
 * it is due, the model cannot tell whether it has just expired. It notes @maybe_expired,
 * until a callback comes or a synchronous cancel shows that there is none.
 */
#ifndef _TWHEEL_TORTURE_MODEL_H
#define _TWHEEL_TORTURE_MODEL_H

#include <linux/spinlock.h>
#include "torture.h"

/* In place of a CPU: the CPU of the caller, or not known. */
#define TORTURE_HERE		(-1)
#define TORTURE_NO_CPU		(-1)
/* In place of a deadline: not known. */
#define TORTURE_UNKNOWN		U64_MAX

/* A timer and its model */
struct torture_model_timer {
	struct twheel_timer	timer;
	struct rcu_head		rcu;			/* to free it from interrupts */
	struct torture_model_slot	*slot;
	u32			flags;
	u64			slack;			/* in ticks */
	unsigned long		n[TORTURE_SUMS];	/* how its armings have ended */
	u64			due;			/* the deadline, or a lower bound of it */
	u64			expired_due;		/* of the arming that has expired */
	/* the last deadline of the idle timer, or TORTURE_UNKNOWN */
	u64			last;
	u64			period;			/* of the pending arming; 0: none */
	/* When the timer was armed. If that has changed, @cpu and @due may be wrong. */
	unsigned int		generation;
	int			cpu;			/* of the callback; or TORTURE_NO_CPU */
	bool			armed;			/* an arming is pending */
	bool			exact;			/* @due is the deadline */
	/* an arming has expired, and its callback does not have the lock yet */
	bool			expired;
	bool			maybe_expired;		/* the same, of a periodic timer */
	/* the callback has had the lock, and still uses the timer */
	bool			running;
	/* how many armings were disarmed while a canceller waited for the callback */
	int			stopped;
	/* a canceller may have ended the arming that has expired in the model */
	bool			maybe_stopped;
	/* a synchronous cancel has returned, and nothing has been armed since */
	bool			quiet;
};

/* The place of a timer */
struct torture_model_slot {
	/*
	 * Protects the slot and @t with its model; @t->timer itself needs no lock.
	 * Hardirqs take this lock.
	 */
	raw_spinlock_t		lock;
	struct torture_model_timer	*t;	/* NULL if it has been freed */
	/*
	 * A thread or softirq creates the timer or waits for its callback, without the
	 * lock. Only the timer's own callback may use the timer meanwhile.
	 */
	bool			busy;
	bool			closing;	/* it is being shut down */
	u64			seed;		/* for callbacks */
};

/* torture_model.c: the caller holds the lock of the slot */
void torture_model_fault(struct torture_model_timer *t, const char *what, long result);
void torture_model_arm(struct torture_model_timer *t, u64 expires, int cpu);
void torture_model_add(struct torture_model_timer *t, struct rnd_state *rnd);
void torture_model_mod(struct torture_model_timer *t, u64 expires);
void torture_model_forward(struct torture_model_timer *t, u64 interval);
void torture_model_cancel(struct torture_model_timer *t);
void torture_model_look(struct torture_model_timer *t);
void torture_model_stopped(struct torture_model_timer *t, int ret);
void torture_model_fired(struct torture_model_timer *t);
void torture_model_check_dead(struct torture_model_timer *t);
void torture_model_check_sums(struct torture_model_timer *t);

/* Nothing uses the timer any more, and it has no callback to come. */
static inline bool torture_model_may_free(const struct torture_model_timer *t)
{
	return !t->armed && !t->expired && !t->maybe_expired && !t->running;
}

#endif /* _TWHEEL_TORTURE_MODEL_H */
