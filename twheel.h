/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: exact timers by the million, for other kernel modules
 *
 * The functions are documented where they are defined: in engine/api.c and engine/clock.c.
 * Documentation/design.rst has the model and the rules of locking and lifetime.
 */
#ifndef _TWHEEL_H
#define _TWHEEL_H

#include <linux/build_bug.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include "twheel_node.h"

/*
 * The version of this interface. A new major number means that the source of a module may
 * have to change; a new minor number only adds.
 */
#define TWHEEL_API_MAJOR	1
#define TWHEEL_API_MINOR	1

struct twheel_timer;

/**
 * typedef twheel_fn_t - callback of a timer
 * @timer: The timer, idle again: the callback may arm, cancel or free it. A periodic
 *	timer is already pending again instead, see twheel_add_periodic().
 *
 * Context: softirq, or a thread with bottom halves off, so that in_softirq() holds;
 * interrupts on, and no lock of twheel held but, on PREEMPT_RT, one for the callbacks of the CPU;
 * must not sleep. With %TWHEEL_PROCESS: process, on the workqueue "twheel"; may sleep.
 */
typedef void (*twheel_fn_t)(struct twheel_timer *timer);

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
	struct lockdep_map	lockdep_map;
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
 *	twheel_setup(). If that CPU goes offline, the timer moves to another one, and
 *	stays there. %TIMER_PINNED differs: it means the CPU that arms the timer.
 *
 * A timer that is not pinned runs on the CPU that arms it, even if that CPU is idle
 * otherwise. If that CPU is isolated (nohz_full=), the timer runs on one that is not, unless its
 * own callback on the isolated CPU arms it.
 */
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

#ifdef CONFIG_LOCKDEP
#define __TWHEEL_LOCKDEP_MAP(_name) \
	.lockdep_map = STATIC_LOCKDEP_MAP_INIT(_name, &_name),
#else
#define __TWHEEL_LOCKDEP_MAP(_name)
#endif

/**
 * TWHEEL_TIMER_INIT - the initialiser of a timer of static storage duration
 * @_fn: The callback, a &typedef twheel_fn_t.
 * @_flags: 0 or flags of a timer. With %TWHEEL_PINNED, the timer's CPU is CPU 0 at first.
 *
 * Such a timer needs no twheel_setup(). It may be a member of another variable.
 */
#define TWHEEL_TIMER_INIT(_fn, _flags)						\
	{									\
		.node.flags = (_flags) +					\
			BUILD_BUG_ON_ZERO((_flags) & ~(TWHEEL_PROCESS | TWHEEL_PINNED)), \
		.fn = (_fn),							\
		__TWHEEL_LOCKDEP_MAP(__FILE__ ":" __stringify(__LINE__))	\
	}

/**
 * DEFINE_TWHEEL_TIMER - define a timer that needs no run-time set-up
 * @_name: Name of the variable, of static storage duration.
 * @_fn: Its callback.
 */
#define DEFINE_TWHEEL_TIMER(_name, _fn) \
	struct twheel_timer _name = TWHEEL_TIMER_INIT(_fn, 0)

/* Each use of twheel_setup() has lockdep classes of its own: softirq and process. */
#define __twheel_setup(_timer, _fn, _flags, _onstack)				\
	do {									\
		static struct lock_class_key __twheel_key[2];			\
		u32 __twheel_flags = (_flags);					\
										\
		twheel_init_key((_timer), (_fn), __twheel_flags, (_onstack), #_timer, \
				&__twheel_key[!!(__twheel_flags & TWHEEL_PROCESS)]); \
	} while (0)

/**
 * twheel_setup - prepare a timer for its first use
 * @_timer: &struct twheel_timer, not armed. Its callback does not run either, on any CPU.
 * @_fn: The callback, a &typedef twheel_fn_t.
 * @_flags: 0 or flags of a timer. An unknown flag is reported once and ignored.
 *
 * Context: any.
 */
#define twheel_setup(_timer, _fn, _flags) __twheel_setup(_timer, _fn, _flags, false)

/**
 * twheel_setup_onstack - prepare a timer that lives on the stack
 * @_timer: &struct twheel_timer, not armed. Its callback does not run either, on any CPU.
 * @_fn: The callback, a &typedef twheel_fn_t.
 * @_flags: As for twheel_setup().
 *
 * Call twheel_cancel_sync() and then twheel_destroy_onstack() before the function returns.
 *
 * Context: any.
 */
#define twheel_setup_onstack(_timer, _fn, _flags) __twheel_setup(_timer, _fn, _flags, true)

void twheel_init_key(struct twheel_timer *timer, twheel_fn_t fn, u32 flags, bool onstack,
		     const char *name, struct lock_class_key *key);
void twheel_destroy(struct twheel_timer *timer);
void twheel_destroy_onstack(struct twheel_timer *timer);

int twheel_add(struct twheel_timer *timer, u64 expires);
int twheel_add_on(struct twheel_timer *timer, u64 expires, int cpu);
int twheel_add_periodic(struct twheel_timer *timer, u64 expires, u64 period);
int twheel_mod(struct twheel_timer *timer, u64 expires);
int twheel_mod_pending(struct twheel_timer *timer, u64 expires);
int twheel_reduce(struct twheel_timer *timer, u64 expires);
u64 twheel_forward(struct twheel_timer *timer, u64 interval);
u64 twheel_missed(const struct twheel_timer *timer);
void twheel_set_slack(struct twheel_timer *timer, u64 slack);
int twheel_cancel(struct twheel_timer *timer);
int twheel_try_cancel_sync(struct twheel_timer *timer);
int twheel_cancel_sync(struct twheel_timer *timer);
int twheel_shutdown(struct twheel_timer *timer);
int twheel_shutdown_sync(struct twheel_timer *timer);
bool twheel_pending(const struct twheel_timer *timer);
u64 twheel_expires(const struct twheel_timer *timer);
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

/**
 * twheel_add_after - arm an idle timer with a delay
 * @timer: The timer.
 * @delay: In jiffies, as for twheel_mod_after().
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add().
 */
static inline int twheel_add_after(struct twheel_timer *timer, u64 delay)
{
	return twheel_add(timer, twheel_after(delay));
}

/**
 * twheel_mod_after - give a timer a new deadline by a delay
 * @timer: The timer, pending or idle.
 * @delay: In jiffies. The timer is due when it has passed in full, as with mod_timer().
 *
 * Context: as twheel_mod().
 *
 * Return: as twheel_mod().
 */
static inline int twheel_mod_after(struct twheel_timer *timer, u64 delay)
{
	return twheel_mod(timer, twheel_after(delay));
}

/**
 * twheel_from_jiffies - turn a value of jiffies into a deadline
 * @expires: A value of jiffies, at most %MAX_JIFFY_OFFSET ticks from now, past or future.
 *
 * Context: any.
 *
 * Return: The deadline in jiffies64; 0 for a time before tick 0.
 */
static inline u64 twheel_from_jiffies(unsigned long expires)
{
	u64 now = get_jiffies_64();
	long ahead = expires - (unsigned long)now;

	return ahead < 0 && 0 - (u64)ahead > now ? 0 : now + ahead;
}

/* On 32-bit kernels, an unsigned long as a deadline would lie 2^32 ticks in the past. */
#if BITS_PER_LONG == 32 && !defined(TWHEEL_ANY_DEADLINE)
#define __twheel_deadline(_expires) ({						\
	static_assert(!__same_type((_expires) + 0, 0UL), "use twheel_from_jiffies()");	\
	(_expires); })
#define twheel_add(_timer, _expires) twheel_add(_timer, __twheel_deadline(_expires))
#define twheel_add_on(_timer, _expires, _cpu) \
	twheel_add_on(_timer, __twheel_deadline(_expires), _cpu)
#define twheel_add_periodic(_timer, _expires, _period) \
	twheel_add_periodic(_timer, __twheel_deadline(_expires), _period)
#define twheel_mod(_timer, _expires) twheel_mod(_timer, __twheel_deadline(_expires))
#define twheel_mod_pending(_timer, _expires) twheel_mod_pending(_timer, __twheel_deadline(_expires))
#define twheel_reduce(_timer, _expires) twheel_reduce(_timer, __twheel_deadline(_expires))
#endif

#endif /* _TWHEEL_H */
