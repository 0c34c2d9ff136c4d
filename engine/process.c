// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: callbacks in process context
 *
 * A worker takes one timer. It queues a worker if more timers wait, before and after the callback.
 * A worker passes over a deferred timer whose callback runs already: the worker that runs this
 * callback looks at the list again afterwards.
 */
#include <linux/sched.h>
#include "engine.h"

struct workqueue_struct *twheel_process_wq;

/* Takes one timer, so that other work of the CPU has its turn between two callbacks. */
static void process_work(struct work_struct *work)
{
	struct twheel_worker *worker = container_of(work, struct twheel_worker, work);
	struct twheel_base *base = worker->base;
	struct twheel_timer *t;

	raw_spin_lock_irq(&base->lock);
	t = twheel_base_first_deferred(base);
	if (t && !twheel_wheel_take(&base->wheel, &t->node, get_jiffies_64()))
		t = NULL;
	/* For a timer that was put back, and for a periodic one, which is pending again. */
	twheel_tick_wake_by(base, base->wheel.next);
	if (t) {
		twheel_process_kick(base);
		worker->callback.task = current;
		twheel_callback_run(base, &worker->callback, t, get_jiffies_64());
	}
	__set_bit(worker - base->worker, &base->idle_workers);
	twheel_process_kick(base);
	raw_spin_unlock_irq(&base->lock);

	/* A task that waits looks under the lock, too: see twheel_process_wait(). */
	if (waitqueue_active(&base->callback_done))
		wake_up_all(&base->callback_done);
	twheel_arm_evacuate(base);
}

/* Queues a worker if a timer of a locked base waits for one. */
void twheel_process_kick(struct twheel_base *base)
{
	unsigned int i;

	lockdep_assert_held(&base->lock);

	if (list_empty(&base->wheel.deferred) || !base->idle_workers ||
	    !twheel_base_first_deferred(base))
		return;
	i = __ffs(base->idle_workers);
	__clear_bit(i, &base->idle_workers);
	queue_work_on(base->cpu, twheel_process_wq, &base->worker[i].work);
}

/*
 * The caller has seen the callback of @t run, whose timer belonged to @base. Sleeps until a
 * callback of @base has ended. It may be another one, so the caller looks again.
 */
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t)
{
	DEFINE_WAIT(wait);
	bool runs;

	/* No loop: a timer that is armed again and again might run at every check. */
	prepare_to_wait(&base->callback_done, &wait, TASK_UNINTERRUPTIBLE);
	raw_spin_lock_irq(&base->lock);
	runs = twheel_base_find_process(base, t);
	raw_spin_unlock_irq(&base->lock);
	if (runs)
		schedule();
	finish_wait(&base->callback_done, &wait);
}

void twheel_process_init_base(struct twheel_base *base)
{
	unsigned int i;

	init_waitqueue_head(&base->callback_done);
	base->idle_workers = BIT(TWHEEL_PROCESS_MAX) - 1;
	for (i = 0; i < TWHEEL_PROCESS_MAX; i++) {
		INIT_WORK(&base->worker[i].work, process_work);
		base->worker[i].base = base;
	}
}
