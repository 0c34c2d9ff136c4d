/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: exact timers by the million, for other kernel modules
 *
 * The functions are documented where they are defined, in twheel_main.c.
 * Documentation/design.rst has the model and the rules of locking and lifetime.
 */
#ifndef _TWHEEL_H
#define _TWHEEL_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/types.h>

struct twheel_timer;

/**
 * typedef twheel_fn_t - what a timer runs when it is due
 * @timer: The timer, idle again: it may be armed, cancelled or freed.
 *
 * Context: softirq, interrupts on, no lock of twheel held. Must not sleep.
 */
typedef void (*twheel_fn_t)(struct twheel_timer *timer);

/**
 * struct twheel_timer - one timer, embedded in the object of its user
 *
 * Every field is private; use twheel_setup() or DEFINE_TWHEEL_TIMER(), and
 * the functions below. The memory is the caller's: it must stay while the
 * timer is pending or its callback has not begun, and may be freed from the
 * callback itself.
 */
struct twheel_timer {
	/* private: the wheel's, under the lock of the CPU named in @flags */
	struct list_head	entry;
	/* private: TWHEEL_IDLE, TWHEEL_DEAD or the deadline in jiffies64 */
	atomic64_t		word;
	/* private: set up once */
	twheel_fn_t		fn;
	/* private: CPU whose wheel the timer belongs to, and TWHEEL_MIGRATING */
	u32			flags;
#ifdef CONFIG_LOCKDEP
	/* private: */
	struct lockdep_map	lockdep_map;
#endif
};

/**
 * DOC: Deadlines
 *
 * A deadline is a value of get_jiffies_64(), the tick at which the timer runs.
 * %TWHEEL_NEVER and everything above saturate: such a timer stays pending
 * until it is changed or cancelled.
 */
#define TWHEEL_NEVER		(U64_MAX - 1)

#ifdef CONFIG_LOCKDEP
#define __TWHEEL_LOCKDEP_MAP(_name) \
	.lockdep_map = STATIC_LOCKDEP_MAP_INIT(#_name, &(_name)),
#else
#define __TWHEEL_LOCKDEP_MAP(_name)
#endif

/**
 * DEFINE_TWHEEL_TIMER - define a timer that needs no run-time set-up
 * @_name: Name of the variable, of static storage duration.
 * @_fn: Its callback.
 */
#define DEFINE_TWHEEL_TIMER(_name, _fn)			\
	struct twheel_timer _name = {			\
		.fn = (_fn),				\
		__TWHEEL_LOCKDEP_MAP(_name)		\
	}

/* One lockdep class per place that sets a timer up. */
#ifdef CONFIG_LOCKDEP
#define __twheel_setup(_timer, _fn, _flags, _setup)			\
	do {								\
		static struct lock_class_key __key;			\
									\
		_setup((_timer), (_fn), (_flags), #_timer, &__key);	\
	} while (0)
#else
#define __twheel_setup(_timer, _fn, _flags, _setup)			\
	_setup((_timer), (_fn), (_flags), NULL, NULL)
#endif

/**
 * twheel_setup - prepare a timer for its first use
 * @_timer: &struct twheel_timer, not armed.
 * @_fn: &typedef twheel_fn_t to run at the deadline.
 * @_flags: 0; no flag is defined yet.
 *
 * An unknown flag is reported once and ignored.
 *
 * Context: any.
 */
#define twheel_setup(_timer, _fn, _flags) \
	__twheel_setup(_timer, _fn, _flags, twheel_init_key)

/**
 * twheel_setup_onstack - prepare a timer that lives on the stack
 * @_timer: &struct twheel_timer, not armed.
 * @_fn: &typedef twheel_fn_t to run at the deadline.
 * @_flags: 0; no flag is defined yet.
 *
 * Call twheel_cancel_sync() and then twheel_destroy_onstack() before the
 * function returns.
 *
 * Context: any.
 */
#define twheel_setup_onstack(_timer, _fn, _flags) \
	__twheel_setup(_timer, _fn, _flags, twheel_init_onstack_key)

void twheel_init_key(struct twheel_timer *timer, twheel_fn_t fn, u32 flags,
		     const char *name, struct lock_class_key *key);
void twheel_init_onstack_key(struct twheel_timer *timer, twheel_fn_t fn,
			     u32 flags, const char *name,
			     struct lock_class_key *key);
void twheel_destroy_onstack(struct twheel_timer *timer);

int twheel_add(struct twheel_timer *timer, u64 expires);
int twheel_add_after(struct twheel_timer *timer, u64 delay);
int twheel_add_on(struct twheel_timer *timer, u64 expires, int cpu);
int twheel_mod(struct twheel_timer *timer, u64 expires);
int twheel_cancel(struct twheel_timer *timer);
int twheel_try_cancel_sync(struct twheel_timer *timer);
int twheel_cancel_sync(struct twheel_timer *timer);
int twheel_shutdown_sync(struct twheel_timer *timer);
bool twheel_pending(const struct twheel_timer *timer);
u64 twheel_remaining(const struct twheel_timer *timer);

u64 twheel_tick_at(ktime_t when);

/**
 * twheel_after - the deadline that lies a delay ahead
 * @delay: In jiffies; saturates.
 *
 * The current tick has partly gone by, so a delay of n ticks has passed for
 * certain only n + 1 ticks from now.
 *
 * Return: The deadline in jiffies64.
 */
static inline u64 twheel_after(u64 delay)
{
	u64 now = get_jiffies_64();

	return delay < TWHEEL_NEVER - now ? now + delay + 1 : TWHEEL_NEVER;
}

#endif /* _TWHEEL_H */
