/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: exact timers by the million, for other kernel modules
 *
 * The functions are documented where they are defined: in engine/api.c and
 * engine/clock.c. Documentation/design.rst has the model and the rules of locking and
 * lifetime.
 */
#ifndef _TWHEEL_H
#define _TWHEEL_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/types.h>

/*
 * The version of this interface. A new major number means that the source of a module may
 * have to change; a new minor number only adds.
 */
#define TWHEEL_API_MAJOR	1
#define TWHEEL_API_MINOR	0

struct twheel_timer;

/**
 * typedef twheel_fn_t - callback of a timer
 * @timer: The timer, idle again: the callback may arm, cancel or free it. A periodic
 *	timer is already pending again instead, see twheel_add_periodic().
 *
 * Context: softirq, or a thread with bottom halves off, so that in_softirq() holds;
 * interrupts on, no lock of twheel held; must not sleep. With %TWHEEL_PROCESS: process, on
 * the workqueue "twheel"; may sleep.
 */
typedef void (*twheel_fn_t)(struct twheel_timer *timer);

/* What a wheel knows of a timer: see twheel_core.h. For owners of wheels: engine/ and device/. */
struct twheel_node {
	/* The owner of the wheel serialises access to the first two. */
	union {
		/* links the timer into the wheel while it is pending */
		struct list_head entry;
		/* the last deadline, once the timer has expired or was cancelled */
		u64		last;
	};
	/* the deadline in ticks; or TWHEEL_IDLE or TWHEEL_DEAD */
	atomic64_t		state;
	/* the window; in engine/, also the timer's CPU and the flags of twheel_setup() */
	u32			flags;
	/* in ticks; 0: the timer runs once */
	u32			period;
};

/**
 * struct twheel_timer - one timer, embedded in an object of its owner
 *
 * @owner: For the owner, from the beginning of the callback until the timer is armed
 *	again. An owner may list the timers that have run, for example. @owner overlays
 *	the last deadline: after using it, the owner must not call twheel_forward()
 *	before another function has armed the timer.
 *
 * Every other field is private: use twheel_setup() or DEFINE_TWHEEL_TIMER(), and the
 * functions below. The memory belongs to the owner, who must keep it while the timer is
 * pending, that is, until the callback begins. The callback itself may free it.
 */
struct twheel_timer {
	union {
		/* private: */
		struct twheel_node node;
		/* public: */
		struct list_head owner;
	};
	/* private: set up once */
	twheel_fn_t		fn;
#ifdef CONFIG_LOCKDEP
	/* private: */
	struct lockdep_map	lockdep_map;
#endif
};

/**
 * DOC: Flags of a timer
 *
 * Flags are passed to twheel_setup(), and hold until the timer is set up again.
 *
 * %TWHEEL_PROCESS
 *	The callback runs in process context and may sleep. While a callback sleeps, its
 *	CPU runs others, up to %TWHEEL_PROCESS_MAX at a time. Callbacks of one timer do
 *	not overlap; no other exclusion is promised. The timer is pending until its
 *	callback begins, and can be cancelled or pushed back until then.
 * %TWHEEL_PINNED
 *	The timer stays on its CPU, no matter which CPU arms it again. Its CPU is the
 *	last one that twheel_add_on() was given, or at first the CPU that ran
 *	twheel_setup(). If that CPU goes offline, the timer moves to another one, as all
 *	timers do.
 */
#define TWHEEL_PROCESS		0x00100000U
#define TWHEEL_PINNED		0x00200000U

/* How many callbacks of %TWHEEL_PROCESS timers a CPU runs at a time, asleep or not. */
#define TWHEEL_PROCESS_MAX	8

/**
 * DOC: Deadlines
 *
 * A deadline is a value of get_jiffies_64(): the tick at which the timer runs. It is
 * exact at any distance, also beyond 2^63, unless twheel_set_slack() allows the timer to
 * run late. A deadline that has passed means the next tick, see twheel_add().
 *
 * %TWHEEL_NEVER and every value above it mean %TWHEEL_NEVER: the timer stays pending
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

/* Each use of twheel_setup() has lockdep classes of its own: softirq and process. */
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
 * @_fn: The callback, a &typedef twheel_fn_t.
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
 * @_fn: The callback, a &typedef twheel_fn_t.
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
 * twheel_after - turn a delay into a deadline
 * @delay: In jiffies.
 *
 * Part of the current tick has passed. So a delay of n ticks is certain to have passed
 * only at the tick n + 1 ticks from now, which is the deadline.
 *
 * Context: any.
 *
 * Return: The deadline in jiffies64; %TWHEEL_NEVER if that is beyond %TWHEEL_NEVER.
 */
static inline u64 twheel_after(u64 delay)
{
	u64 now = get_jiffies_64();

	return delay < TWHEEL_NEVER - now ? now + delay + 1 : TWHEEL_NEVER;
}

#endif /* _TWHEEL_H */
