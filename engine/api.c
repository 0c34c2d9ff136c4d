// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the functions that other modules call
 */
#define TWHEEL_ANY_DEADLINE
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/poison.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "engine.h"

/* Instead of a CPU: the CPU that the caller runs on. */
#define API_HERE		(-1)
/* What api_arm() may do: arm an idle timer; give a pending one a deadline, or an earlier one. */
#define API_ARM			BIT(0)
#define API_CHANGE		BIT(1)
#define API_REDUCE		BIT(2)

/* The callback of a timer that has been destroyed. */
#define API_POISON		((twheel_fn_t)(0x77 + POISON_POINTER_DELTA))

/**
 * twheel_init_key - prepare a timer, with a lockdep class
 * @timer: The timer, not armed.
 * @fn: Its callback.
 * @flags: 0 or flags of a timer.
 * @onstack: Whether the timer lives on the stack.
 * @name: Name of the lockdep class.
 * @key: The lockdep class.
 *
 * Context: any. Callers use twheel_setup() or twheel_setup_onstack().
 */
void twheel_init_key(struct twheel_timer *timer, twheel_fn_t fn, u32 flags, bool onstack,
		     const char *name, struct lock_class_key *key)
{
	if (onstack)
		debug_object_init_on_stack(timer, &twheel_arm_debug);
	else
		debug_object_init(timer, &twheel_arm_debug);
	WARN_ON_ONCE(flags & ~TWHEEL_SETUP_FLAGS);
	memset(timer, 0, sizeof(*timer));
	timer->fn = fn;
	timer->node.flags = raw_smp_processor_id() | (flags & TWHEEL_SETUP_FLAGS);
	lockdep_init_map(&timer->lockdep_map, name, key, 0);
}
EXPORT_SYMBOL(twheel_init_key);

/**
 * twheel_destroy - end the use of a timer, before its memory is freed
 * @timer: The timer. It is not pending and its callback does not run.
 *
 * A pending timer is a bug of the caller: it is reported with the name of its callback,
 * and disarmed. An attempt to arm the timer afterwards is reported too. The call is
 * optional. With CONFIG_DEBUG_OBJECTS the kernel finds such bugs without it.
 *
 * Context: as twheel_cancel().
 */
void twheel_destroy(struct twheel_timer *timer)
{
	WARN(twheel_cancel(timer), "timer %p is destroyed while armed, it runs %pS\n",
	     timer, timer->fn);
	timer->fn = API_POISON;
}
EXPORT_SYMBOL(twheel_destroy);

/**
 * twheel_destroy_onstack - end the use of a timer that lives on the stack
 * @timer: A timer that twheel_setup_onstack() prepared, as for twheel_destroy().
 *
 * As twheel_destroy(), but not optional: it must come before the function that owns the stack
 * frame returns.
 *
 * Context: as twheel_destroy().
 */
void twheel_destroy_onstack(struct twheel_timer *timer)
{
	twheel_destroy(timer);
	debug_object_free(timer, &twheel_arm_debug);
}
EXPORT_SYMBOL(twheel_destroy_onstack);

/* With CONFIG_DEBUG_OBJECTS, reports a timer that was not set up, and clears it. */
static inline void api_assert_init(const struct twheel_timer *timer)
{
	/* A timer that was destroyed on the stack is known no more. */
	if (timer->fn != API_POISON)
		debug_object_assert_init((void *)timer, &twheel_arm_debug);
}

/* Whether @timer is set up and not destroyed. A timer that is not is reported once. */
static inline bool api_usable(struct twheel_timer *timer)
{
	api_assert_init(timer);
	return !WARN_ONCE(!timer->fn, "timer %p was not set up\n", timer) &&
	       !WARN_ONCE(timer->fn == API_POISON, "timer %p was destroyed\n", timer);
}

/* The CPU to arm an idle timer on, whose base is locked, if the caller names none. */
static unsigned int api_home(const struct twheel_timer *timer)
{
	if (timer->node.flags & TWHEEL_PINNED)
		return timer->node.flags & TWHEEL_CPU_MASK;
	return raw_cpu_read(twheel_base_home);
}

/* Gives a pending timer the deadline @expires as far as @may allows. The base is locked. */
static noinline void api_change(struct twheel_base *base, struct twheel_timer *timer,
				u64 expires, unsigned int may)
{
	twheel_wheel_forward(&base->wheel, get_jiffies_64());
	/* The next tick is the earliest: a timer that is due is not put off. */
	if (!(may & API_CHANGE) &&
	    (!(may & API_REDUCE) ||
	     max(expires, base->wheel.clk + 1) >= twheel_wheel_state(&timer->node)))
		return;
	base->counts.armed++;
	base->counts.replaced++;
	twheel_wheel_change(&base->wheel, &timer->node, expires);
	trace_twheel_change(timer, 0);
	twheel_tick_wake_by(base, base->wheel.next);
}

/* Gives @timer the deadline @expires as far as @may allows. Returns 1 if it was pending. */
static int api_arm(struct twheel_timer *timer, u64 expires, int cpu, u32 period,
		   unsigned int may)
{
	struct twheel_base *base;
	unsigned long flags;
	u64 state;
	int ret = 0;

	/* This fetches the timer, usually not in the cache, while interrupts go off. */
	if (!api_usable(timer))
		return -EINVAL;
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	state = twheel_wheel_state(&timer->node);
	if (state == TWHEEL_IDLE) {
		if (may & API_ARM) {
			if (cpu == API_HERE)
				cpu = api_home(timer);
			base = twheel_arm_rehome(base, timer, cpu);
			timer->node.period = period;
			twheel_arm_insert(base, timer, expires);
		}
	} else if (state == TWHEEL_DEAD) {
		ret = -ESHUTDOWN;
	} else {
		api_change(base, timer, expires, may);
		ret = 1;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/* Arms an idle timer on @cpu, or API_HERE. Without @period, it runs once. */
static int api_arm_idle(struct twheel_timer *timer, u64 expires, int cpu, u32 period)
{
	int ret = api_arm(timer, expires, cpu, period, API_ARM);

	return WARN_ON_ONCE(ret > 0) ? -EBUSY : ret;
}

/**
 * twheel_add - arm an idle timer
 * @timer: The timer.
 * @expires: Its deadline, an absolute value of get_jiffies_64(). A deadline that has
 *	passed means the next tick. If the wheel has yet to work on the current tick, it
 *	means the current tick.
 *
 * The callback runs at the first tick at or after @expires, and never before @expires,
 * however far away that is. It runs on this CPU, unless the timer is %TWHEEL_PINNED, its
 * callback still runs on another CPU, or this CPU is isolated (nohz_full=). To arm a
 * timer that may be pending, use twheel_mod().
 *
 * Context: any, hardirq included, but not under locks of the scheduler or of workqueues.
 * Takes the locks of bases, one at a time.
 *
 * Return:
 * * %0 - the timer is armed
 * * %-ESHUTDOWN - the timer was shut down; nothing is done
 * * %-EBUSY - the timer is pending, and keeps its deadline; a bug of the caller, reported
 *   once
 * * %-EINVAL - the timer was not set up or was destroyed; nothing is done; a bug of the
 *   caller, reported once
 */
int twheel_add(struct twheel_timer *timer, u64 expires)
{
	return api_arm_idle(timer, expires, API_HERE, 0);
}
EXPORT_SYMBOL(twheel_add);

/**
 * twheel_add_on - arm an idle timer on a given CPU
 * @timer: The timer.
 * @expires: Its deadline, as for twheel_add().
 * @cpu: The CPU that is to run the callback.
 *
 * If @cpu is offline, or goes offline later, another CPU has the timer. If the timer's callback
 * still runs, the timer is armed on the CPU that runs it.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add(). %-EINVAL also means that @cpu is not a possible CPU: nothing is
 * done; a bug of the caller, reported once.
 */
int twheel_add_on(struct twheel_timer *timer, u64 expires, int cpu)
{
	if (WARN_ON_ONCE(cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -EINVAL;
	return api_arm_idle(timer, expires, cpu, 0);
}
EXPORT_SYMBOL(twheel_add_on);

/**
 * twheel_mod - give a timer a new deadline
 * @timer: The timer, pending or idle.
 * @expires: The new deadline, earlier or later, as for twheel_add().
 *
 * An idle timer is armed to run once, as twheel_add() does. A pending timer stays on its
 * CPU. A pending periodic timer continues from the new deadline with its period. Callers
 * that are not serialised against each other must arm the timer by this function,
 * twheel_mod_pending() and twheel_reduce() only; the deadline of the last caller holds.
 *
 * mod_timer() adds a tick to @expires, this function does not. twheel_mod_after() takes a delay.
 *
 * Pushing back the deadline of a pending timer takes no lock: it costs one atomic operation.
 *
 * Context: as twheel_add().
 *
 * Return:
 * * %1 - the timer was pending; its callback will not run for the old deadline
 * * %0 - the timer was idle, or its callback had begun; the timer is armed now
 * * %-ESHUTDOWN, %-EINVAL - as for twheel_add()
 */
int twheel_mod(struct twheel_timer *timer, u64 expires)
{
	api_assert_init(timer);
	if (twheel_wheel_extend(&timer->node, expires)) {
		this_cpu_inc(twheel_extended);
		trace_twheel_extend(timer, expires);
		return 1;
	}
	return api_arm(timer, expires, API_HERE, 0, API_ARM | API_CHANGE);
}
EXPORT_SYMBOL(twheel_mod);

/**
 * twheel_mod_pending - give a pending timer a new deadline
 * @timer: The timer, pending or idle.
 * @expires: The new deadline, as for twheel_mod().
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_mod(), but %0 means that the timer was not pending, and nothing is done.
 */
int twheel_mod_pending(struct twheel_timer *timer, u64 expires)
{
	return api_arm(timer, expires, API_HERE, 0, API_CHANGE);
}
EXPORT_SYMBOL(twheel_mod_pending);

/**
 * twheel_reduce - arm a timer, or give it an earlier deadline
 * @timer: The timer, pending or idle.
 * @expires: The deadline, as for twheel_mod(). A pending timer keeps a deadline that is not later,
 *	or whose tick the wheel has worked on. So the earliest deadline of several callers holds.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_mod().
 */
int twheel_reduce(struct twheel_timer *timer, u64 expires)
{
	return api_arm(timer, expires, API_HERE, 0, API_ARM | API_REDUCE);
}
EXPORT_SYMBOL(twheel_reduce);

static __always_inline int api_disarm(struct twheel_timer *timer, u64 state)
{
	struct twheel_base *base;
	unsigned long flags;
	int ret;

	base = twheel_arm_lock_base_irqsave(timer, &flags);
	ret = twheel_arm_disarm(base, timer, state);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/**
 * twheel_cancel - disarm a timer
 * @timer: The timer, pending or idle.
 *
 * This does not wait for a callback that runs on another CPU. So the caller may free the timer's
 * memory afterwards only if 1 is returned, the timer is not periodic, no other caller arms it, and
 * it was not armed while its callback ran. Otherwise use twheel_cancel_sync().
 *
 * Context: any, hardirq and the timer's own callback included, but not under locks of the scheduler
 * or of workqueues. Takes the lock of the timer's base if the timer is pending.
 *
 * Return:
 * * %1 - the timer was pending; its callback will not run for that arming
 * * %0 - the timer was not pending
 */
int twheel_cancel(struct twheel_timer *timer)
{
	api_assert_init(timer);
	return twheel_pending(timer) ? api_disarm(timer, TWHEEL_IDLE) : 0;
}
EXPORT_SYMBOL(twheel_cancel);

/*
 * Disarms @timer unless its callback runs. Returns -EDEADLK if the caller is that
 * callback, and -EAGAIN if the callback runs elsewhere. With @ended, a timer that was
 * armed again while its callback runs is disarmed too, and counted.
 */
static int api_try_cancel(struct twheel_timer *timer, u64 state, int *ended)
{
	const struct twheel_callback *cb;
	struct twheel_base *base;
	unsigned long flags;
	int ret;

	api_assert_init(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	cb = twheel_base_find(base, timer);
	if (!cb) {
		ret = twheel_arm_disarm(base, timer, state);
	} else if (cb->task == current) {
		ret = -EDEADLK;
	} else {
		ret = -EAGAIN;
		/* Otherwise the callback might run again before each look of the caller. */
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
 * Context: as twheel_cancel(). Always takes the lock of the timer's base.
 *
 * Return:
 * * %1 - the timer was pending; its callback does not run on any CPU
 * * %0 - the timer was not pending; its callback does not run on any CPU
 * * %-EAGAIN - its callback runs on this or another CPU; nothing is done
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

static int api_cancel_sync(struct twheel_timer *timer, u64 state)
{
	int ret = api_try_cancel(timer, state, NULL);
	struct twheel_base *base;
	int ended = 0;
	bool process;

	if (ret == -EDEADLK)
		return ret;

	api_lockdep_wait(timer);
	WARN_ON_ONCE(in_hardirq());
	process = READ_ONCE(timer->node.flags) & TWHEEL_PROCESS;
	if (process)
		might_sleep();
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		lockdep_assert_preemption_enabled();

	while (ret == -EAGAIN) {
		/* If the timer leaves this base meanwhile, the wait may be in vain, but ends. */
		base = twheel_base_of(READ_ONCE(timer->node.flags) & TWHEEL_CPU_MASK);
		if (process)
			twheel_process_wait(base, timer);
		else
			twheel_callback_wait(base);
		/* A callback in process context may arm its timer to run at once, for ever. */
		ret = api_try_cancel(timer, state, process ? &ended : NULL);
	}
	return ret < 0 ? ret : ret + ended;
}

/**
 * twheel_cancel_sync - disarm a timer and wait for its callback
 * @timer: The timer, pending or idle.
 *
 * Afterwards the timer is idle and its callback does not run on any CPU. So the caller
 * may free the timer's memory, provided that no other caller arms the timer. If another
 * caller might, use twheel_shutdown_sync().
 *
 * The caller must hold no lock that the callback takes, and no lock that is taken in hardirq
 * context, because the hardirq may interrupt the callback. Nor may the callbacks of two timers
 * call this for each other's timer. Otherwise both sides may wait for ever: in softirq context the
 * machine hangs; in process context two workers hang, and the module of the callbacks cannot be
 * unloaded. lockdep reports all three, also if the two sides run one after the other. On PREEMPT_RT
 * a callback in softirq context must not wait so for any callback of another CPU, because each of
 * them holds up the callbacks of its CPU that follow: use twheel_try_cancel_sync().
 *
 * Context: process or softirq; not hardirq, which is reported once. Takes the lock of
 * the timer's base. May sleep with %TWHEEL_PROCESS; on PREEMPT_RT always.
 *
 * Return:
 * * %1 - the timer was pending, and its callback will not run. With %TWHEEL_PROCESS the
 *   value may be greater than 1: it counts each arming that was ended, also those made
 *   while this waited for the callback
 * * %0 - the timer was not pending
 * * %-EDEADLK - called from the timer's own callback; nothing is done. The callback is
 *   recognised by the address of its timer: a callback that has freed its timer must not
 *   call this for a new timer in the same memory
 */
int twheel_cancel_sync(struct twheel_timer *timer)
{
	return api_cancel_sync(timer, TWHEEL_IDLE);
}
EXPORT_SYMBOL(twheel_cancel_sync);

/**
 * twheel_shutdown - end a timer for good, without waiting for its callback
 * @timer: The timer, pending or idle.
 *
 * As twheel_cancel(), but the timer cannot be armed afterwards, as after twheel_shutdown_sync().
 *
 * Context: as twheel_cancel(). Always takes the lock of the timer's base.
 *
 * Return: as twheel_cancel().
 */
int twheel_shutdown(struct twheel_timer *timer)
{
	api_assert_init(timer);
	return api_disarm(timer, TWHEEL_DEAD);
}
EXPORT_SYMBOL(twheel_shutdown);

/**
 * twheel_shutdown_sync - end a timer for good
 * @timer: The timer, pending or idle.
 *
 * As twheel_cancel_sync(), with the same rules. The timer cannot be armed afterwards: every attempt
 * returns -ESHUTDOWN, and twheel_forward() returns 0. If the callback that this waits for arms its
 * timer, this ends that, too. For teardown. To use the timer again, set it up again.
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
 * twheel_pending - find out whether a timer is armed
 * @timer: The timer.
 *
 * Context: any; takes no lock. The answer may be out of date at once, unless the caller
 * keeps others from arming or cancelling the timer, and the timer from expiring.
 *
 * Return: %true from when the timer is armed until right before its callback begins.
 */
bool twheel_pending(const struct twheel_timer *timer)
{
	return twheel_wheel_pending(&timer->node);
}
EXPORT_SYMBOL(twheel_pending);

/**
 * twheel_remaining - find out how long a timer has until its deadline
 * @timer: The timer.
 *
 * Context: any; takes no lock.
 *
 * Return: Ticks from the current tick to the deadline; 0 if the deadline has come or the
 * timer is not pending.
 */
u64 twheel_remaining(const struct twheel_timer *timer)
{
	u64 state = twheel_wheel_state(&timer->node);
	u64 now = get_jiffies_64();

	return state <= TWHEEL_NEVER && state > now ? state - now : 0;
}
EXPORT_SYMBOL(twheel_remaining);

/**
 * twheel_expires - find out the deadline of a timer
 * @timer: The timer.
 *
 * Context: as twheel_cancel(). Always takes the lock of the timer's base.
 *
 * Return: The deadline in jiffies64; 0 if @timer was never armed. For an idle timer, the last one,
 * perhaps without a push that raced with a cancel. The owner loses it by using &twheel_timer.owner.
 */
u64 twheel_expires(const struct twheel_timer *timer)
{
	struct twheel_base *base;
	unsigned long flags;
	u64 expires;

	api_assert_init(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	expires = twheel_wheel_state(&timer->node);
	if (!twheel_wheel_state_pending(expires))
		expires = timer->node.last;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return expires;
}
EXPORT_SYMBOL(twheel_expires);

/**
 * twheel_add_periodic - arm an idle timer to run again and again
 * @timer: The timer.
 * @expires: Its first deadline, as for twheel_add(). If the wheel has worked on @expires already,
 *	the tick that takes its place is the first deadline.
 * @period: In jiffies, 1 to %U32_MAX. The deadlines after the first are the first
 *	deadline plus multiples of @period, no matter when the callback runs.
 *
 * When the callback runs, the timer is already pending for its next deadline. So the timer must be
 * cancelled before its memory is freed. In the callback, twheel_cancel() will do. A deadline that
 * has passed when the callback begins is skipped, see twheel_missed().
 *
 * twheel_mod() of the pending timer changes its next deadline, and the later deadlines
 * are counted from there. After a cancel, the timer can be armed by any function.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add(), and
 * * %-EINVAL - @period is 0; nothing is done
 * * %-ERANGE - @period is above %U32_MAX; nothing is done; see twheel_forward()
 */
int twheel_add_periodic(struct twheel_timer *timer, u64 expires, u64 period)
{
	if (!period)
		return -EINVAL;
	if (period > U32_MAX)
		return -ERANGE;
	return api_arm_idle(timer, expires, API_HERE, period);
}
EXPORT_SYMBOL(twheel_add_periodic);

/**
 * twheel_missed - find out how many deadlines a periodic timer has skipped
 * @timer: The timer whose callback calls this.
 *
 * Context: the timer's callback, before it frees the timer. Takes the lock of the timer's
 * base.
 *
 * Return: How many later deadlines had already come when the callback began. The timer
 * skips them. 0 outside the callback, and for a timer that is not periodic.
 */
u64 twheel_missed(const struct twheel_timer *timer)
{
	const struct twheel_callback *cb;
	struct twheel_base *base;
	unsigned long flags;
	u64 missed = 0;

	api_assert_init(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	cb = twheel_base_find(base, timer);
	if (cb && cb->task == current)
		missed = cb->missed;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return missed;
}
EXPORT_SYMBOL(twheel_missed);

/**
 * twheel_forward - arm an idle timer for the next point of its grid
 * @timer: The timer, usually from its own callback.
 * @interval: In jiffies; 0 counts as 1.
 *
 * The points of the grid are the timer's last deadline plus multiples of @interval. The
 * last deadline counts even if the timer was cancelled; for a timer that has never been
 * armed it is tick 0. The timer is armed to run once, at the first point that is later
 * than both its last deadline and the current tick, or at %TWHEEL_NEVER if that is earlier.
 *
 * A callback that calls this does not drift, however late it runs, and may choose
 * another interval each time.
 *
 * Context: as twheel_add().
 *
 * Return: The number of that point, counted from the last deadline: 1 if no point was
 * skipped, n + 1 if n points were. 0 if nothing is done, because the timer is pending,
 * was shut down, or was not set up; the last is reported once, as a bug of the caller.
 */
u64 twheel_forward(struct twheel_timer *timer, u64 interval)
{
	u64 points = 0, last, expires;
	struct twheel_base *base;
	unsigned long flags;

	if (!api_usable(timer))
		return 0;
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (twheel_wheel_state(&timer->node) == TWHEEL_IDLE) {
		base = twheel_arm_rehome(base, timer, api_home(timer));
		last = min(timer->node.last, TWHEEL_NEVER - 1);
		expires = twheel_wheel_next_point(last, max(interval, 1ULL),
						  max(get_jiffies_64(), last), &points);
		points++;
		timer->node.period = 0;
		twheel_arm_insert(base, timer, expires);
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return points;
}
EXPORT_SYMBOL(twheel_forward);

/**
 * twheel_set_slack - let a timer run late
 * @timer: The timer, idle.
 * @slack: In jiffies. 0: the timer runs on its tick.
 *
 * From its next arming on, the timer may run at any tick from its deadline to @slack
 * ticks later. So it can run together with other timers, and costs the wheel less work.
 * A slack below 128 ticks has no effect. A timer usually runs in the first half of its
 * window. Pushing back the deadline pushes back the window.
 *
 * For a pending timer nothing is done; a bug of the caller, reported once.
 *
 * Context: as twheel_cancel(). Always takes the lock of the timer's base.
 */
void twheel_set_slack(struct twheel_timer *timer, u64 slack)
{
	struct twheel_base *base;
	unsigned long flags;

	api_assert_init(timer);
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (!WARN_ON_ONCE(twheel_pending(timer)))
		WRITE_ONCE(timer->node.flags, (timer->node.flags & ~TWHEEL_WINDOW_MASK) |
			   twheel_wheel_window_flags(slack));
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL(twheel_set_slack);
