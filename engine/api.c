// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the functions that other modules call
 *
 * Each of them looks at the timer's state, takes the lock of the timer's base where
 * the state has to change, and leaves the rest to arm.c.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "api.h"
#include "arm.h"
#include "callback.h"
#include "counts.h"
#include "device.h"
#include "due.h"
#include "expiry.h"
#include "objects.h"
#include "process.h"
#include "trace.h"

static void api_setup(struct twheel_timer *timer, twheel_fn_t fn, u32 flags,
		      const char *name, struct lock_class_key *key)
{
	WARN_ON_ONCE(flags & ~TWHEEL_USER_FLAGS);
	memset(timer, 0, sizeof(*timer));
	timer->fn = fn;
	timer->flags = raw_smp_processor_id() | (flags & TWHEEL_USER_FLAGS);
	lockdep_init_map(&timer->lockdep_map, name, key, 0);
}

/**
 * twheel_init_key - prepare a timer, with a lockdep class
 * @timer: The timer.
 * @fn: Its callback.
 * @flags: 0 or flags of a timer.
 * @name: Name of the lockdep class.
 * @key: The lockdep class.
 *
 * Use twheel_setup().
 */
void twheel_init_key(struct twheel_timer *timer, twheel_fn_t fn, u32 flags,
		     const char *name, struct lock_class_key *key)
{
	twheel_objects_setup(timer);
	api_setup(timer, fn, flags, name, key);
}
EXPORT_SYMBOL(twheel_init_key);

/**
 * twheel_init_onstack_key - prepare a timer on the stack, with a lockdep class
 * @timer: The timer.
 * @fn: Its callback.
 * @flags: 0 or flags of a timer.
 * @name: Name of the lockdep class.
 * @key: The lockdep class.
 *
 * Use twheel_setup_onstack().
 */
void twheel_init_onstack_key(struct twheel_timer *timer, twheel_fn_t fn,
			     u32 flags, const char *name,
			     struct lock_class_key *key)
{
	twheel_objects_setup_onstack(timer);
	api_setup(timer, fn, flags, name, key);
}
EXPORT_SYMBOL(twheel_init_onstack_key);

/**
 * twheel_destroy - end the use of a timer, before its memory is freed
 * @timer: A timer, not pending and not running.
 *
 * A timer that is pending still, which is a bug of the caller, is reported with
 * the name of its callback, and disarmed. Whoever uses the timer afterwards is
 * reported too. No need to call this, but it finds what would be hard to find;
 * with CONFIG_DEBUG_OBJECTS the kernel finds it by itself.
 *
 * Context: any. Takes the timer's base lock if it is pending.
 */
void twheel_destroy(struct twheel_timer *timer)
{
	if (twheel_cancel(timer) > 0)
		WARN(1, "timer %p is destroyed while armed, it runs %pS\n",
		     timer, timer->fn);
	timer->fn = TWHEEL_POISON;
}
EXPORT_SYMBOL(twheel_destroy);

/**
 * twheel_destroy_onstack - end the use of a timer that lives on the stack
 * @timer: A timer from twheel_setup_onstack(), not pending and not running.
 *
 * As twheel_destroy(), and must be called.
 *
 * Context: any.
 */
void twheel_destroy_onstack(struct twheel_timer *timer)
{
	twheel_destroy(timer);
	twheel_objects_destroy(timer);
}
EXPORT_SYMBOL(twheel_destroy_onstack);

/**
 * twheel_api_report_unusable - report a bug of the caller, once
 * @timer: A timer that was not set up, or has been destroyed.
 */
void twheel_api_report_unusable(const struct twheel_timer *timer)
{
	WARN_ONCE(!timer->fn, "timer %p was not set up\n", timer);
	WARN_ONCE(timer->fn, "timer %p was destroyed\n", timer);
}

/**
 * twheel_api_home - choose the CPU to arm an idle timer on
 * @timer: The timer, its base locked.
 *
 * Return: The CPU, if the caller has no other wish.
 */
unsigned int twheel_api_home(const struct twheel_timer *timer)
{
	lockdep_assert_held(&twheel_base_of_flags(timer->flags)->lock);

	if (timer->flags & TWHEEL_PINNED)
		return timer->flags & TWHEEL_CPU_MASK;
	return smp_processor_id();
}

/* Arms @timer; if it is pending already, only where @change says so. */
static int api_arm(struct twheel_timer *timer, u64 expires, int cpu, u32 period,
		   bool change)
{
	struct twheel_base *base;
	unsigned long flags;
	u64 state;
	int ret;

	/* A timer is cold as a rule. Looked at here, it comes while interrupts go off. */
	if (!twheel_api_usable(timer))
		return -EINVAL;
	if (change && twheel_pending(timer))
		twheel_api_prefetch_neighbours(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (change)
		twheel_due_settle(base, timer);
	state = twheel_wheel_state(timer);
	if (state == TWHEEL_DEAD) {
		ret = -ESHUTDOWN;
	} else if (!twheel_wheel_state_pending(state) ||
		   (state == TWHEEL_DUE && twheel_due_has_begun(base, timer))) {
		if (cpu == TWHEEL_HERE)
			cpu = twheel_api_home(timer);
		base = twheel_arm_rehome(base, timer, cpu);
		timer->period = period;
		twheel_arm_insert(base, timer, expires);
		ret = 0;
	} else if (change) {
		twheel_arm_change(base, timer, expires);
		ret = 1;
	} else {
		ret = -EBUSY;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/**
 * twheel_api_arm_idle - arm an idle timer
 * @timer: The timer.
 * @expires: Its deadline.
 * @cpu: Where, or TWHEEL_HERE.
 * @period: In jiffies, or 0.
 *
 * Return: as twheel_add().
 */
int twheel_api_arm_idle(struct twheel_timer *timer, u64 expires, int cpu, u32 period)
{
	int ret = api_arm(timer, expires, cpu, period, false);

	WARN_ON_ONCE(ret == -EBUSY);
	return ret;
}

/**
 * twheel_add - arm an idle timer
 * @timer: The timer.
 * @expires: Its deadline, an absolute value of get_jiffies_64(). A deadline
 *	that has come or gone by means the next tick, or this one if the wheel has
 *	yet to come to it.
 *
 * The callback runs on this CPU (but see %TWHEEL_PINNED), at the first tick at
 * or after @expires and never before; @expires is exact at any distance. To arm
 * a timer that may be pending, use twheel_mod().
 *
 * Context: any, hardirq included, but not under locks of the scheduler or of
 * workqueues. Takes the timer's base lock, and on a change of CPU that of the new
 * one.
 *
 * Return:
 * * %0 - armed
 * * %-ESHUTDOWN - twheel_shutdown_sync() has ended the timer; nothing is done
 * * %-EBUSY - the timer is pending, which is a bug of the caller, reported
 *   once; it keeps its deadline
 * * %-EINVAL - the timer was not set up, which is a bug of the caller, reported
 *   once; nothing is done
 */
int twheel_add(struct twheel_timer *timer, u64 expires)
{
	return twheel_api_arm_idle(timer, expires, TWHEEL_HERE, 0);
}
EXPORT_SYMBOL(twheel_add);

/**
 * twheel_add_after - arm an idle timer for some time from now
 * @timer: The timer.
 * @delay: In jiffies. So long a time passes in full, whatever part of the
 *	current tick is over; at most one tick more does.
 *
 * A delay that goes beyond the end of time saturates at %TWHEEL_NEVER.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add().
 */
int twheel_add_after(struct twheel_timer *timer, u64 delay)
{
	return twheel_add(timer, twheel_after(delay));
}
EXPORT_SYMBOL(twheel_add_after);

/**
 * twheel_add_on - arm an idle timer on a given CPU
 * @timer: The timer.
 * @expires: Its deadline, as for twheel_add().
 * @cpu: Where its callback is to run.
 *
 * If @cpu goes offline the timer moves to another one, as all do. If it is
 * offline now, or the timer's callback runs on another CPU, the timer is armed
 * there.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add(), and
 * * %-EINVAL - there cannot be such a CPU, which is a bug of the caller,
 *   reported once; nothing is done
 */
int twheel_add_on(struct twheel_timer *timer, u64 expires, int cpu)
{
	if (WARN_ON_ONCE(cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -EINVAL;
	return twheel_api_arm_idle(timer, expires, cpu, 0);
}
EXPORT_SYMBOL(twheel_add_on);

/**
 * twheel_mod - give a timer a new deadline
 * @timer: The timer, pending or idle.
 * @expires: The new deadline, earlier or later, as for twheel_add().
 *
 * Arms the timer if it is idle, as twheel_add() does. A pending one stays on its
 * CPU, and if it is periodic, runs on from the new deadline with its period.
 * Where several callers are not serialised against each other, this is the one
 * way of arming, and the last one's deadline holds.
 *
 * Pushing a pending timer's deadline back takes no lock and moves nothing; a
 * timer that is pushed back again and again costs one atomic operation each
 * time. If that returns 1, the callback will not run for the old deadline.
 *
 * Context: as twheel_add().
 *
 * Return:
 * * %1 - the timer was pending, and its old deadline is void
 * * %0 - the timer was idle: its callback has run, runs or has never been
 *   armed to; it is armed now
 * * %-ESHUTDOWN, %-EINVAL - as for twheel_add()
 */
int twheel_mod(struct twheel_timer *timer, u64 expires)
{
	if (twheel_wheel_extend(timer, expires)) {
		twheel_counts_extend();
		trace_twheel_extend(timer, expires, raw_smp_processor_id());
		return 1;
	}
	return api_arm(timer, expires, TWHEEL_HERE, 0, true);
}
EXPORT_SYMBOL(twheel_mod);

/**
 * twheel_cancel - disarm a timer
 * @timer: The timer, pending or idle.
 *
 * Does not wait for a callback that runs on another CPU, nor keep anybody from
 * arming the timer again. So the timer's memory may be freed afterwards only
 * if 1 is returned and nobody else arms it; else see twheel_cancel_sync().
 *
 * Context: any, hardirq and the timer's own callback included. Takes the
 * timer's base lock if it is pending.
 *
 * Return:
 * * %1 - the timer was pending, and its callback will not run
 * * %0 - the timer was not pending
 */
int twheel_cancel(struct twheel_timer *timer)
{
	struct twheel_base *base;
	unsigned long flags;
	int ret;

	if (!twheel_pending(timer))
		return 0;
	twheel_api_prefetch_neighbours(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	ret = twheel_arm_disarm(base, timer, TWHEEL_IDLE);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}
EXPORT_SYMBOL(twheel_cancel);

/**
 * twheel_api_cancel_some - disarm timers
 * @timer: The timers, pending or idle.
 * @n: How many, at most %TWHEEL_CANCEL_MAX.
 *
 * As twheel_cancel(), for those who need not know which of them were pending.
 */
void twheel_api_cancel_some(struct twheel_timer *const *timer, unsigned int n)
{
	struct twheel_base *base = NULL;
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < n; i++) {
		if (!twheel_wheel_pending(timer[i]))
			continue;
		base = twheel_arm_relock_base(base, timer[i]);
		twheel_arm_disarm(base, timer[i], TWHEEL_IDLE);
	}
	if (base)
		raw_spin_unlock(&base->lock);
	local_irq_restore(flags);
}

/*
 * Disarms @timer unless its callback runs: -EAGAIN, or -EDEADLK if in here. With
 * @ended, what is armed while its callback runs on is disarmed too, and counted.
 */
static int api_try_cancel(struct twheel_timer *timer, u64 state, int *ended)
{
	const struct twheel_callback *cb;
	struct twheel_base *base;
	unsigned long flags;
	int ret;

	if (twheel_pending(timer))
		twheel_api_prefetch_neighbours(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	twheel_due_settle(base, timer);
	cb = twheel_callback_find(base, timer);
	if (!cb) {
		ret = twheel_arm_disarm(base, timer, state);
	} else if (cb->task == current) {
		ret = -EDEADLK;
	} else {
		ret = -EAGAIN;
		/* Or it might run again and again before the caller has a look. */
		if (ended)
			*ended += twheel_arm_disarm(base, timer, state);
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/**
 * twheel_try_cancel_sync - disarm a timer unless its callback runs
 * @timer: The timer, pending or idle.
 *
 * For callers that hold a lock which the callback takes.
 *
 * Context: any. Takes the timer's base lock.
 *
 * Return:
 * * %1 - the timer was pending
 * * %0 - the timer was not pending
 * * %-EAGAIN - its callback runs on some CPU, this one included; nothing has
 *   been done
 *
 * After 0 and 1 its callback does not run anywhere.
 */
int twheel_try_cancel_sync(struct twheel_timer *timer)
{
	int ret = api_try_cancel(timer, TWHEEL_IDLE, NULL);

	return ret < 0 ? -EAGAIN : ret;
}
EXPORT_SYMBOL(twheel_try_cancel_sync);

/* Lets lockdep see that the caller may wait for the callback and its locks. */
static void api_lockdep_wait(struct twheel_timer *timer)
{
#ifdef CONFIG_LOCKDEP
	unsigned long flags;

	local_irq_save(flags);
	lock_map_acquire(&timer->lockdep_map);
	lock_map_release(&timer->lockdep_map);
	local_irq_restore(flags);
#endif
}

/*
 * Waits for a callback that was seen running. In process context, and on PREEMPT_RT,
 * the caller sleeps until a callback has ended; elsewhere this returns at once. The
 * caller looks again either way.
 */
static void api_wait_for_callback(const struct twheel_timer *timer)
{
	u32 flags = READ_ONCE(timer->flags);

	if (flags & TWHEEL_MIGRATING)
		return;
	if (flags & TWHEEL_PROCESS)
		twheel_process_wait(twheel_base_of_flags(flags), timer);
	else
		twheel_expiry_wait(twheel_base_of_flags(flags));
}

static int api_cancel_sync(struct twheel_timer *timer, u64 state)
{
	int ret = api_try_cancel(timer, state, NULL);
	int ended = 0;
	bool process;

	if (ret == -EDEADLK)
		return ret;

	api_lockdep_wait(timer);
	WARN_ON_ONCE(in_hardirq());
	process = READ_ONCE(timer->flags) & TWHEEL_PROCESS;
	if (process)
		might_sleep();
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		lockdep_assert_preemption_enabled();

	while (ret == -EAGAIN) {
		api_wait_for_callback(timer);
		/* It ended, and runs again: one that is due at once might for ever. */
		ret = api_try_cancel(timer, state, process ? &ended : NULL);
	}
	return ret < 0 ? ret : ret + ended;
}

/**
 * twheel_cancel_sync - disarm a timer and wait for its callback
 * @timer: The timer, pending or idle.
 *
 * Afterwards the timer is idle and its callback does not run on any CPU, so
 * its memory may be freed, provided that nobody else arms it; if somebody
 * might, use twheel_shutdown_sync().
 *
 * The caller must hold no lock that the callback takes, nor one that is taken
 * in hardirq context while the callback may be interrupted::
 *
 *	CPU 0				CPU 1
 *					softirq: the callback runs
 *	spin_lock_irq(some_lock);
 *					hardirq: spin_lock(some_lock);
 *	twheel_cancel_sync(timer);
 *
 * lockdep reports both.
 *
 * Context: process or softirq; not hardirq, which is reported once. On
 * PREEMPT_RT, and with %TWHEEL_PROCESS everywhere, it may sleep.
 *
 * Return:
 * * %1 - the timer was pending, and its callback will not run. With
 *   %TWHEEL_PROCESS it may be more than 1: so often the timer was armed, and
 *   disarmed, while its callback was waited for
 * * %0 - the timer was not pending
 * * %-EDEADLK - called from the timer's own callback; nothing has been done. The
 *   timer is known by its address: a callback that frees its timer must not
 *   call this for another one in the same memory
 */
int twheel_cancel_sync(struct twheel_timer *timer)
{
	return api_cancel_sync(timer, TWHEEL_IDLE);
}
EXPORT_SYMBOL(twheel_cancel_sync);

/**
 * twheel_shutdown_sync - end a timer for good
 * @timer: The timer, pending or idle.
 *
 * As twheel_cancel_sync(), and nobody can arm the timer afterwards: that
 * returns -ESHUTDOWN, also to a callback that arms its own timer all the time.
 * For teardown. To use the timer again, set it up again.
 *
 * Context: as twheel_cancel_sync().
 *
 * Return: as twheel_cancel_sync(). After -EDEADLK the timer is not shut down.
 */
int twheel_shutdown_sync(struct twheel_timer *timer)
{
	return api_cancel_sync(timer, TWHEEL_DEAD);
}
EXPORT_SYMBOL(twheel_shutdown_sync);

/**
 * twheel_pending - is a timer armed?
 * @timer: The timer.
 *
 * Context: any; takes no lock. Callers that need the answer to stay true must
 * keep others from changing it.
 *
 * Return: %true from when the timer is armed until right before its callback
 * runs.
 */
bool twheel_pending(const struct twheel_timer *timer)
{
	return twheel_wheel_pending(timer);
}
EXPORT_SYMBOL(twheel_pending);

/**
 * twheel_remaining - how long until a timer is due
 * @timer: The timer.
 *
 * Context: any; takes no lock.
 *
 * Return: Ticks from the current one to the deadline; 0 if the timer is due or
 * not pending.
 */
u64 twheel_remaining(const struct twheel_timer *timer)
{
	u64 state = twheel_wheel_state(timer);
	u64 now = get_jiffies_64();

	return state <= TWHEEL_NEVER && state > now ? state - now : 0;
}
EXPORT_SYMBOL(twheel_remaining);
