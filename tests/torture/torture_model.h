/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel torture: the model of a timer
 *
 * What a timer is to do is written down next to it, under the lock of the slot
 * that it is kept in. Whatever is done to the timer is done under that lock but
 * for waiting for its callback, and the callback takes the lock first. So
 *
 *	armed, due		an arming is pending, and its deadline
 *	flying, flying_due	one is over, and its callback is on its way to
 *				the lock
 *
 * and every result and every callback must fit that. A periodic timer is
 * pending again when its callback is on its way: if one is changed or cancelled
 * when it is due, nobody can tell whether that has happened already (@maybe),
 * until its callback has come or a synchronous cancel says that none will.
 */
#ifndef _TWHEEL_TORTURE_MODEL_H
#define _TWHEEL_TORTURE_MODEL_H

#include <linux/spinlock.h>
#include "torture.h"

/* Where to arm: on the CPU that asks. */
#define HERE		(-1)
#define NO_CPU		(-1)
#define UNKNOWN		U64_MAX

/**
 * struct model_timer - a timer, and what is expected of it
 * @timer: The timer.
 * @rcu: To free it from interrupts.
 * @slot: Where it is kept.
 * @flags: As it was set up.
 * @slack: How late it may be.
 * @n: What became of its armings.
 * @due: The pending deadline, or a lower bound of it.
 * @flying_due: That of the arming whose callback is on its way.
 * @last: The last deadline of the idle timer, or %UNKNOWN.
 * @period: Of the pending arming; 0: none.
 * @gen: torture_gen() when it was armed; if that has changed, the CPU and the
 *	deadline may have, too.
 * @cpu: Where it is to run; %NO_CPU: unknown.
 * @armed: There is a pending arming.
 * @exact: @due is the deadline.
 * @flying: There is a callback on its way.
 * @maybe: There may be one, of a periodic timer.
 * @running: The callback has had the lock, and is not done with the timer.
 * @stopped: How often who awaits the callback has disarmed the timer meanwhile.
 * @quiet: A synchronous cancel has returned, and nothing has been armed since.
 */
struct model_timer {
	struct twheel_timer	timer;
	struct rcu_head		rcu;
	struct model_slot	*slot;
	u32			flags;
	u64			slack;
	unsigned long		n[TORTURE_SUMS];
	u64			due;
	u64			flying_due;
	u64			last;
	u64			period;
	unsigned int		gen;
	int			cpu;
	bool			armed;
	bool			exact;
	bool			flying;
	bool			maybe;
	bool			running;
	int			stopped;
	bool			quiet;
};

/**
 * struct model_slot - where a timer lives
 * @lock: Protects this and what @t points to, but for @t->timer. Hardirqs take
 *	it.
 * @t: The timer; %NULL if it has been freed.
 * @busy: A thread or softirq is making or awaiting the timer, without the lock.
 *	Only callbacks may do something to it meanwhile.
 * @closing: It is being shut down.
 * @seed: For what callbacks do.
 */
struct model_slot {
	raw_spinlock_t		lock;
	struct model_timer	*t;
	bool			busy;
	bool			closing;
	u64			seed;
};

/* torture_model.c: the slot is locked */
void model_fault(struct model_timer *t, const char *what, long result);
void model_arm(struct model_timer *t, u64 expires, int cpu);
void model_add(struct model_timer *t, struct rnd_state *rnd);
void model_mod(struct model_timer *t, u64 expires);
void model_forward(struct model_timer *t, u64 interval);
void model_cancel(struct model_timer *t);
void model_look(struct model_timer *t);
void model_stopped(struct model_timer *t, int ret);
void model_fired(struct model_timer *t);
void model_check_dead(struct model_timer *t);
void model_check_sums(struct model_timer *t);

/* torture_model_op.c */
void model_setup(struct model_timer *t, struct rnd_state *rnd);

/* Nothing of the timer is used any more, nor will be. */
static inline bool model_may_free(const struct model_timer *t)
{
	return !t->armed && !t->flying && !t->maybe && !t->running;
}

#endif /* _TWHEEL_TORTURE_MODEL_H */
