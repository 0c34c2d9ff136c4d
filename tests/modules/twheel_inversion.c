// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for a callback with a lock held that the callback takes, or in a callback that the
 * other callback waits for. This may deadlock, and lockdep must report it although nothing goes
 * wrong here. Without the parameter wrong, the module drops the lock first, or only one callback
 * waits for the other, and lockdep must report nothing.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "twheel.h"
#include "twheel_compat.h"

static char *lock = "spinlock";
module_param(lock, charp, 0444);
MODULE_PARM_DESC(lock, "The lock: spinlock or mutex, taken by the callback; hardirq, taken by an interrupt; none: callbacks in softirqs, or in process context");

static bool wrong;
module_param(wrong, bool, 0444);
MODULE_PARM_DESC(wrong, "Wait for the callback with the lock held");

static DECLARE_COMPLETION(expired);

/* The callback takes the lock. */
static DEFINE_SPINLOCK(callback_lock);

static void spinlock_expired(struct twheel_timer *timer)
{
	spin_lock(&callback_lock);
	spin_unlock(&callback_lock);
	complete(&expired);
}

static void run_spinlock(struct twheel_timer *timer)
{
	twheel_setup(timer, spinlock_expired, 0);
	twheel_add_after(timer, 0);
	wait_for_completion(&expired);

	spin_lock_bh(&callback_lock);
	if (wrong)
		twheel_cancel_sync(timer);
	spin_unlock_bh(&callback_lock);
	twheel_cancel_sync(timer);
}

static DEFINE_MUTEX(callback_mutex);

static void mutex_expired(struct twheel_timer *timer)
{
	mutex_lock(&callback_mutex);
	mutex_unlock(&callback_mutex);
	complete(&expired);
}

static void run_mutex(struct twheel_timer *timer)
{
	twheel_setup(timer, mutex_expired, TWHEEL_PROCESS);
	twheel_add_after(timer, 0);
	wait_for_completion(&expired);

	mutex_lock(&callback_mutex);
	if (wrong)
		twheel_cancel_sync(timer);
	mutex_unlock(&callback_mutex);
	twheel_cancel_sync(timer);
}

/* Taken by an interrupt, which may come while the callback runs. */
static DEFINE_SPINLOCK(hardirq_lock);
static DECLARE_COMPLETION(interrupted);

static enum hrtimer_restart hrtimer_expired(struct hrtimer *hrtimer)
{
	spin_lock(&hardirq_lock);
	spin_unlock(&hardirq_lock);
	complete(&interrupted);
	return HRTIMER_NORESTART;
}

static void hardirq_expired(struct twheel_timer *timer)
{
	complete(&expired);
}

static void run_hardirq(struct twheel_timer *timer)
{
	static struct hrtimer hrtimer;

	hrtimer_setup(&hrtimer, hrtimer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_start(&hrtimer, 0, HRTIMER_MODE_REL);
	wait_for_completion(&interrupted);
	hrtimer_cancel(&hrtimer);

	twheel_setup(timer, hardirq_expired, 0);
	twheel_add_after(timer, 0);
	wait_for_completion(&expired);

	spin_lock_irq(&hardirq_lock);
	if (wrong)
		twheel_cancel_sync(timer);
	spin_unlock_irq(&hardirq_lock);
	twheel_cancel_sync(timer);
}

/* Two timers, the callbacks of which run one after the other. */
static struct twheel_timer first, second;

static int (*wait_for)(struct twheel_timer *timer);

static void first_expired(struct twheel_timer *timer)
{
	wait_for(&second);
	complete(&expired);
}

static void second_expired(struct twheel_timer *timer)
{
	if (wrong)
		wait_for(&first);
	complete(&expired);
}

static void run_callbacks(int (*function)(struct twheel_timer *timer), u32 flags)
{
	unsigned int i;

	wait_for = function;
	for (i = 0; i < 2; i++) {
		twheel_setup(&first, first_expired, flags);
		twheel_setup(&second, second_expired, flags);
		twheel_add_after(i ? &second : &first, 0);
		wait_for_completion(&expired);
		twheel_cancel_sync(&first);
		twheel_cancel_sync(&second);
	}
}

static int __init inversion_init(void)
{
	static struct twheel_timer timer;

	if (!strcmp(lock, "spinlock"))
		run_spinlock(&timer);
	else if (!strcmp(lock, "mutex"))
		run_mutex(&timer);
	else if (!strcmp(lock, "hardirq"))
		run_hardirq(&timer);
	else if (!strcmp(lock, "softirqs"))
		run_callbacks(twheel_cancel_sync, 0);
	else if (!strcmp(lock, "process"))
		run_callbacks(twheel_shutdown_sync, TWHEEL_PROCESS);
	else
		return -EINVAL;
	return 0;
}
module_init(inversion_init);

static void __exit inversion_exit(void)
{
}
module_exit(inversion_exit);

MODULE_DESCRIPTION("Waits for a callback in ways that may deadlock");
MODULE_LICENSE("GPL");
