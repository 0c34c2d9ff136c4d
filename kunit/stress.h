/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine under fire: a thread and a hardirq on each CPU change random timers.
 *
 * Each timer lives in a slot. The slot's lock protects a note of what the timer must do
 * next, and the callback takes that lock first. If a change or a cancel finds that an
 * arming is over, its callback has yet to come: that arming is in flight.
 *
 *	armed, due		an arming is pending, and its deadline
 *	flying, flying_due	an arming is in flight, and its deadline
 *
 * Every result and every callback must fit the note, whatever the threads do.
 */
#ifndef _TWHEEL_KUNIT_STRESS_H
#define _TWHEEL_KUNIT_STRESS_H

#include <linux/kthread.h>
#include <linux/spinlock.h>
#include "engine_test.h"

/* In virtual time, no time passes while a thread runs: each thread stops after these. */
#define STRESS_OPS_MAX		2000000U

enum stress_fault {
	STRESS_EARLY,		/* a callback before its deadline */
	STRESS_STRAY,		/* a callback without an arming */
	STRESS_AFTER,		/* a callback after a synchronous cancel */
	STRESS_LOST,		/* no callback although the deadline has passed */
	STRESS_RESULT,		/* a function returned what it cannot have done */
	STRESS_FAULTS
};

struct stress;
struct stress_slot;

/**
 * struct stress_timer - a timer, and what it must do
 * @timer: The timer.
 * @slot: Its slot.
 * @due: Deadline of the pending arming.
 * @flying_due: Deadline of the arming that is in flight.
 * @armed: An arming is pending.
 * @flying: An arming is in flight.
 * @quiet: A synchronous cancel has returned, and nothing was armed since.
 */
struct stress_timer {
	struct twheel_timer	timer;
	struct stress_slot	*slot;
	u64			due;
	u64			flying_due;
	bool			armed;
	bool			flying;
	bool			quiet;
};

/**
 * struct stress_slot - the place of a timer that all threads change
 * @lock: Protects the slot and what @t points to. Hardirqs take it, too.
 * @stress: The case.
 * @t: The timer; %NULL if it has been freed.
 * @seed: For the choices of callbacks.
 * @busy: A thread waits for a callback of @t, without the lock.
 */
struct stress_slot {
	raw_spinlock_t		lock;
	struct stress		*stress;
	struct stress_timer	*t;
	u32			seed;
	bool			busy;
};

/* Called with the slot locked and a timer in it; may take the timer out. */
typedef void (*stress_op_t)(struct stress_slot *slot, u32 rnd);

/**
 * struct stress_profile - what a case does
 * @slots: Number of timers.
 * @ticks: How long it takes.
 * @distance: Choose how many ticks ahead a deadline is.
 * @op: What the threads do, each entry as often as the others.
 * @callback: What callbacks do besides, with the slot locked.
 */
struct stress_profile {
	unsigned int	slots;
	unsigned int	ticks;
	unsigned int	(*distance)(u32 rnd);
	stress_op_t	op[16];
	stress_op_t	callback;
};

/**
 * struct stress - a case
 * @profile: What it does.
 * @slot: Its timers.
 * @faults: Faults seen, by kind.
 */
struct stress {
	const struct stress_profile	*profile;
	struct stress_slot		*slot;
	atomic_t			faults[STRESS_FAULTS];
};

/* Operations for a profile */
void stress_op_mod(struct stress_slot *slot, u32 rnd);
void stress_op_later(struct stress_slot *slot, u32 rnd);
void stress_op_add(struct stress_slot *slot, u32 rnd);
void stress_op_add_anywhere(struct stress_slot *slot, u32 rnd);
void stress_op_cancel(struct stress_slot *slot, u32 rnd);
void stress_op_try_cancel_sync(struct stress_slot *slot, u32 rnd);
void stress_op_cancel_sync(struct stress_slot *slot, u32 rnd);
void stress_op_shutdown(struct stress_slot *slot, u32 rnd);
void stress_op_free(struct stress_slot *slot, u32 rnd);
void stress_callback_nothing(struct stress_slot *slot, u32 rnd);
void stress_callback_anything(struct stress_slot *slot, u32 rnd);

/* For cases with operations of their own; the slot is locked */
void stress_mod(struct stress_slot *slot, u64 expires);
void stress_add(struct stress_slot *slot, u64 expires, int cpu);
void stress_fill(struct stress_slot *slot);

struct task_struct *stress_thread_run(unsigned int cpu, int (*fn)(void *arg),
				      void *arg);
void stress_thread_wait(void);
void stress_pass_time(struct kunit *test, const struct stress_profile *profile);

struct stress *stress_begin(struct kunit *test,
			    const struct stress_profile *profile);
void stress_end(struct kunit *test, struct stress *stress);
void stress_run(struct kunit *test, const struct stress_profile *profile,
		void (*happen)(struct kunit *test,
			       const struct stress_profile *profile));

#endif /* _TWHEEL_KUNIT_STRESS_H */
