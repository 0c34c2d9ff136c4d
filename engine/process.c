// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: callbacks in process context
 *
 * When a timer with TWHEEL_PROCESS is due, the wheel defers it: it stays pending
 * until a worker takes it. A CPU has a few workers, each of them one work item
 * on the workqueue. A worker that takes a timer queues the next one if more are
 * waiting. The workqueue is of the kind that runs one item of a CPU at a time as
 * a rule, unless that sleeps; so callbacks run one by one mostly, and one that
 * sleeps holds up nobody until all workers sleep. The workqueue has a thread in
 * reserve for when there is no memory to make one.
 *
 * A deferred timer whose callback runs already is passed over; the worker that
 * runs it looks again when it is done. So callbacks of one timer do not overlap.
 *
 * A callback is not waited for when its CPU goes offline: it may sleep for
 * long. What it arms meanwhile is evacuated when it ends.
 */
#include <linux/errno.h>
#include "twheel_compat.h"
#include "objects.h"
#include "base.h"
#include "trace.h"

/* Callbacks in a row, before other work of the CPU gets its chance. */
#define CALLBACKS_MAX	64U

static struct workqueue_struct *twheel_wq;

static bool runs(const struct twheel_base *base, const struct twheel_timer *t)
{
	return twheel_process_callback(base, t);
}

/**
 * twheel_process_first - find a deferred timer that may be taken
 * @base: The base, locked.
 *
 * Return: The first one whose callback does not run, or %NULL.
 */
struct twheel_timer *twheel_process_first(struct twheel_base *base)
{
	struct twheel_timer *t;

	list_for_each_entry(t, &base->wheel.deferred, entry)
		if (!runs(base, t))
			return t;
	return NULL;
}

/* Takes the next timer that is due still; the others are filed anew. */
static struct twheel_timer *take_deferred(struct twheel_base *base)
{
	struct twheel_timer *t;
	unsigned int i = 0;

	while ((t = twheel_process_first(base))) {
		if (twheel_wheel_take(&base->wheel, t))
			break;
		if (++i % TWHEEL_LOCK_HOLD)
			continue;
		twheel_base_wake_at(base, base->wheel.next);
		raw_spin_unlock_irq(&base->lock);
		cond_resched();
		raw_spin_lock_irq(&base->lock);
	}
	twheel_base_wake_at(base, base->wheel.next);
	return t;
}

/* Notes that the callback of @t is about to run; the base is locked. */
static void begin(struct twheel_base *base, struct twheel_callback *cb,
		  struct twheel_timer *t)
{
	u64 now = get_jiffies_64();
	u64 expires = t->last;

	cb->timer = t;
	cb->task = current;
	cb->fn = t->fn;
	cb->missed = twheel_wheel_begin(&base->wheel, t, now);
	base->counts.fired++;
	if (t->period)
		base->counts.armed++;
	else
		twheel_debug_disarm(t);
	twheel_stats_callback(&base->stats, now, expires,
			      twheel_wheel_window_level(t));
	twheel_stats_inc(&base->stats.processed);
	trace_twheel_expire_entry(t, expires, base->cpu);
}

/* The base is locked, and is not afterwards. */
static void run_callback(struct twheel_worker *worker, struct twheel_timer *t)
	__releases(&worker->base->lock)
{
	struct twheel_base *base = worker->base;

	begin(base, &worker->callback, t);
	/* One that is periodic is armed again. */
	twheel_base_wake_at(base, base->wheel.next);
	twheel_process_kick(base);
	raw_spin_unlock_irq(&base->lock);
	twheel_run_call(base, t, worker->callback.fn);
	raw_spin_lock_irq(&base->lock);
	worker->callback.timer = NULL;
	raw_spin_unlock_irq(&base->lock);

	if (wq_has_sleeper(&base->callback_done))
		wake_up_all(&base->callback_done);
	twheel_cpu_evacuate(base);
}

static void run_deferred(struct work_struct *work)
{
	struct twheel_worker *worker = container_of(work, struct twheel_worker, work);
	struct twheel_base *base = worker->base;
	struct twheel_timer *t;
	unsigned int n;

	for (n = 0; n < CALLBACKS_MAX; n++) {
		raw_spin_lock_irq(&base->lock);
		t = take_deferred(base);
		if (!t) {
			__set_bit(worker - base->worker, &base->idle_workers);
			raw_spin_unlock_irq(&base->lock);
			return;
		}
		run_callback(worker, t);
		cond_resched();
	}
	queue_work_on(base->cpu, twheel_wq, work);
}

/**
 * twheel_process_kick - see to it that deferred timers are taken
 * @base: The base, locked.
 */
void twheel_process_kick(struct twheel_base *base)
{
	unsigned int i;

	lockdep_assert_held(&base->lock);

	if (!base->idle_workers || !twheel_process_first(base))
		return;
	i = __ffs(base->idle_workers);
	__clear_bit(i, &base->idle_workers);
	queue_work_on(base->cpu, twheel_wq, &base->worker[i].work);
}

/**
 * twheel_process_callback - find the running callback of a timer
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 *
 * A callback may have freed its timer, and another one may live in its place:
 * the function tells them apart, unless it is the same.
 *
 * Return: The callback, or %NULL if @t's does not run in process context.
 */
const struct twheel_callback *
twheel_process_callback(const struct twheel_base *base,
			const struct twheel_timer *t)
{
	unsigned long idle = base->idle_workers;
	unsigned int i;

	for_each_clear_bit(i, &idle, TWHEEL_PROCESS_MAX)
		if (base->worker[i].callback.timer == t &&
		    base->worker[i].callback.fn == t->fn)
			return &base->worker[i].callback;
	return NULL;
}

static bool runs_now(struct twheel_base *base, const struct twheel_timer *t)
{
	bool ret;

	raw_spin_lock_irq(&base->lock);
	ret = runs(base, t);
	raw_spin_unlock_irq(&base->lock);
	return ret;
}

/**
 * twheel_process_wait - sleep until a callback has ended, or another one
 * @base: The base that @t belongs to, unless its callback has ended.
 * @t: Its timer.
 */
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t)
{
	DEFINE_WAIT(wait);

	/* Once: by the time it is looked at again it may run again. */
	prepare_to_wait(&base->callback_done, &wait, TASK_UNINTERRUPTIBLE);
	if (runs_now(base, t))
		schedule();
	finish_wait(&base->callback_done, &wait);
}

/**
 * twheel_process_init_base - set up the workers of a CPU
 * @base: The CPU's base.
 */
void twheel_process_init_base(struct twheel_base *base)
{
	unsigned int i;

	init_waitqueue_head(&base->callback_done);
	base->idle_workers = BIT(TWHEEL_PROCESS_MAX) - 1;
	for (i = 0; i < TWHEEL_PROCESS_MAX; i++) {
		INIT_WORK(&base->worker[i].work, run_deferred);
		base->worker[i].base = base;
	}
}

/**
 * twheel_process_init - set up the workqueue
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_process_init(void)
{
	twheel_wq = alloc_workqueue("twheel", WQ_PERCPU | WQ_MEM_RECLAIM, 0);
	return twheel_wq ? 0 : -ENOMEM;
}

/**
 * twheel_process_exit - wait for the workers and remove the workqueue
 */
void twheel_process_exit(void)
{
	destroy_workqueue(twheel_wq);
}
