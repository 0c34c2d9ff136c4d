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
 * Context: softirq, interrupts on, no lock of twheel held; must not sleep. With
 * %TWHEEL_PROCESS: process, on the workqueue "twheel"; may sleep.
 *
 * A periodic timer is pending already, see twheel_add_periodic().
 */
typedef void (*twheel_fn_t)(struct twheel_timer *timer);

/**
 * struct twheel_timer - one timer, embedded in the object of its user
 *
 * @owner: The owner's own, from when the callback has begun until the timer is
 *	armed again: to list those that have run, say. twheel_forward() works no more
 *	when it has been used.
 *
 * Every other field is private; use twheel_setup() or DEFINE_TWHEEL_TIMER(), and
 * the functions below. The memory is the caller's: it must stay while the
 * timer is pending or its callback has not begun, and may be freed from the
 * callback itself.
 */
struct twheel_timer {
	/* private: both under the lock of the CPU named in @flags */
	union {
		/* private: in the wheel, while the timer is pending */
		struct list_head entry;
		/* private: the last deadline, from when that is due */
		u64		last;
		/* public: */
		struct list_head owner;
	};
	/* private: the deadline in jiffies64, TWHEEL_IDLE, or another of these */
	atomic64_t		state;
	/* private: set up once */
	twheel_fn_t		fn;
	/* private: CPU whose wheel the timer belongs to, and what is below */
	u32			flags;
	/* private: in jiffies; 0: runs once */
	u32			period;
#ifdef CONFIG_LOCKDEP
	/* private: */
	struct lockdep_map	lockdep_map;
#endif
};

/**
 * DOC: Flags of a timer
 *
 * Given to twheel_setup(), and then the timer's for good.
 *
 * %TWHEEL_PROCESS
 *	The callback runs in process context and may sleep. While some callbacks
 *	of a CPU sleep, others go on, up to %TWHEEL_PROCESS_MAX at a time; those of
 *	one timer do not overlap, and no more exclusion is promised. The timer is
 *	pending until its callback begins, so that it can be cancelled or pushed
 *	back until then.
 * %TWHEEL_PINNED
 *	The timer stays with the CPU that it was armed on last, by
 *	twheel_add_on(), whoever arms it again. Only if that CPU goes offline does
 *	it move to another one, as all timers do.
 */
#define TWHEEL_PROCESS		0x00100000U
#define TWHEEL_PINNED		0x00200000U

/* Callbacks of %TWHEEL_PROCESS timers that may sleep at a time, a CPU. */
#define TWHEEL_PROCESS_MAX	8

/**
 * DOC: Deadlines
 *
 * A deadline is a value of get_jiffies_64(), the tick at which the timer runs.
 * %TWHEEL_NEVER and everything above saturate: such a timer stays pending
 * until it is changed or cancelled.
 */
#define TWHEEL_NEVER		(U64_MAX - 2)

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
		static struct lock_class_key __key[2];			\
		u32 __flags = (_flags);					\
									\
		_setup((_timer), (_fn), __flags, #_timer,		\
		       &__key[!!(__flags & TWHEEL_PROCESS)]);		\
	} while (0)
#else
#define __twheel_setup(_timer, _fn, _flags, _setup)			\
	_setup((_timer), (_fn), (_flags), NULL, NULL)
#endif

/**
 * twheel_setup - prepare a timer for its first use
 * @_timer: &struct twheel_timer, not armed.
 * @_fn: &typedef twheel_fn_t to run at the deadline.
 * @_flags: 0 or flags of a timer.
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
 * @_flags: 0 or flags of a timer.
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
void twheel_destroy(struct twheel_timer *timer);
void twheel_destroy_onstack(struct twheel_timer *timer);

int twheel_add(struct twheel_timer *timer, u64 expires);
int twheel_add_after(struct twheel_timer *timer, u64 delay);
int twheel_add_on(struct twheel_timer *timer, u64 expires, int cpu);
int twheel_add_periodic(struct twheel_timer *timer, u64 expires, u64 period);
int twheel_mod(struct twheel_timer *timer, u64 expires);
u64 twheel_forward(struct twheel_timer *timer, u64 interval);
u64 twheel_missed(const struct twheel_timer *timer);
void twheel_set_slack(struct twheel_timer *timer, u64 slack);
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
