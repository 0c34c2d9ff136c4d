// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: random changes of timers on every CPU
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "../twheel_compat.h"
#include "stress.h"

static const char * const fault_names[] = {
	"early callbacks", "callbacks without an arming",
	"callbacks after a synchronous cancel", "lost callbacks", "wrong results",
};

/**
 * struct stress_thread - a thread and a hardirq that change timers
 * @task: The thread.
 * @irq: The hardirq, on the same CPU.
 * @rnd: For the choices of @task.
 * @irq_rnd: For the choices of @irq.
 * @stress: The case.
 */
struct stress_thread {
	struct task_struct	*task;
	struct hrtimer		irq;
	struct rnd_state	rnd;
	struct rnd_state	irq_rnd;
	struct stress		*stress;
};

static void stress_fault(struct stress_slot *slot, enum stress_fault what)
{
	atomic_inc(&slot->stress->faults[what]);
}

/* The arming that was noted as pending is over: its callback has yet to come. */
static void take_flight(struct stress_slot *slot)
{
	struct stress_timer *t = slot->t;

	if (!t->armed)
		return;
	if (t->flying)
		stress_fault(slot, STRESS_RESULT);
	t->armed = false;
	t->flying = true;
	t->flying_due = t->due;
}

static void note_armed(struct stress_slot *slot, u64 due)
{
	slot->t->armed = true;
	slot->t->due = due;
	slot->t->quiet = false;
}

void stress_mod(struct stress_slot *slot, u64 expires)
{
	int ret = twheel_mod(&slot->t->timer, expires);

	if (ret == 0)
		take_flight(slot);
	else if (ret != 1 || !slot->t->armed)
		stress_fault(slot, STRESS_RESULT);
	note_armed(slot, expires);
}

void stress_add(struct stress_slot *slot, u64 expires, int cpu)
{
	if (slot->t->armed)
		return;
	if (twheel_add_on(&slot->t->timer, expires, cpu))
		stress_fault(slot, STRESS_RESULT);
	note_armed(slot, expires);
}

/* Checks @ret, the result of a cancel that waited for the callback. */
static void stress_ended(struct stress_slot *slot, int ret)
{
	if (ret != slot->t->armed || slot->t->flying)
		stress_fault(slot, STRESS_RESULT);
	slot->t->armed = false;
	slot->t->quiet = true;
}

static void stress_fn(struct twheel_timer *timer)
{
	struct stress_timer *t = container_of(timer, struct stress_timer, timer);
	struct stress_slot *slot = t->slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	if (t->quiet)
		stress_fault(slot, STRESS_AFTER);
	if (t->flying) {
		if (time_before64(get_jiffies_64(), t->flying_due))
			stress_fault(slot, STRESS_EARLY);
		t->flying = false;
	} else if (t->armed) {
		if (time_before64(get_jiffies_64(), t->due))
			stress_fault(slot, STRESS_EARLY);
		t->armed = false;
	} else {
		stress_fault(slot, STRESS_STRAY);
	}
	slot->seed = slot->seed * 1664525 + 1013904223;
	slot->stress->profile->callback(slot, slot->seed >> 8);
	if (slot->t == t)
		t = NULL;
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	kfree(t);
}

static u64 random_deadline(struct stress_slot *slot, u32 rnd)
{
	return get_jiffies_64() + slot->stress->profile->distance(rnd);
}

/* Operations */

void stress_op_mod(struct stress_slot *slot, u32 rnd)
{
	stress_mod(slot, random_deadline(slot, rnd));
}

void stress_op_later(struct stress_slot *slot, u32 rnd)
{
	if (slot->t->armed)
		stress_mod(slot, slot->t->due + rnd % 2);
	else
		stress_op_mod(slot, rnd);
}

void stress_op_add(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, random_deadline(slot, rnd), raw_smp_processor_id());
}

void stress_op_add_anywhere(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, random_deadline(slot, rnd),
		   cpumask_nth(rnd % num_possible_cpus(), cpu_possible_mask));
}

void stress_op_cancel(struct stress_slot *slot, u32 rnd)
{
	if (!twheel_cancel(&slot->t->timer))
		take_flight(slot);
	else if (!slot->t->armed)
		stress_fault(slot, STRESS_RESULT);
	slot->t->armed = false;
}

/* This cancel is for callers that hold a lock which the callback takes, as here. */
void stress_op_try_cancel_sync(struct stress_slot *slot, u32 rnd)
{
	int ret = twheel_try_cancel_sync(&slot->t->timer);

	if (ret != -EAGAIN)
		stress_ended(slot, ret);
}

/* While the thread waits, the callback can take the lock and arm its timer again. */
static int wait_unlocked(struct stress_slot *slot,
			 int (*wait)(struct twheel_timer *timer))
{
	int ret;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	ret = wait(&slot->t->timer);
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	return ret;
}

void stress_op_cancel_sync(struct stress_slot *slot, u32 rnd)
{
	stress_ended(slot, wait_unlocked(slot, twheel_cancel_sync));
}

void stress_op_shutdown(struct stress_slot *slot, u32 rnd)
{
	struct twheel_timer *timer = &slot->t->timer;

	stress_ended(slot, wait_unlocked(slot, twheel_shutdown_sync));
	if (twheel_mod(timer, 0) != -ESHUTDOWN ||
	    twheel_add(timer, 0) != -ESHUTDOWN)
		stress_fault(slot, STRESS_RESULT);
	if (rnd & 1)
		slot->t = NULL;
	else
		twheel_setup(timer, stress_fn, 0);
}

void stress_op_free(struct stress_slot *slot, u32 rnd)
{
	stress_op_cancel(slot, rnd);
	if (!slot->t->flying)
		slot->t = NULL;
}

/* What callbacks do */

void stress_callback_nothing(struct stress_slot *slot, u32 rnd)
{
}

void stress_callback_anything(struct stress_slot *slot, u32 rnd)
{
	switch (rnd % 8) {
	case 0:
		/* A thread that waits for the callback still uses the timer. */
		if (!slot->t->armed && !slot->busy)
			slot->t = NULL;
		break;
	case 1:
		stress_op_mod(slot, rnd / 8);
		break;
	case 2:
	case 3:
		stress_add(slot, get_jiffies_64() + rnd / 8 % 2,
			   raw_smp_processor_id());
		break;
	case 4:
		stress_op_cancel(slot, rnd);
		break;
	}
}

/* Threads */

void stress_fill(struct stress_slot *slot)
{
	struct stress_timer *t;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (t) {
		t->slot = slot;
		twheel_setup(&t->timer, stress_fn, 0);
	}
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	slot->t = t;
}

static struct stress_slot *random_slot(struct stress *stress, struct rnd_state *rnd)
{
	return &stress->slot[prandom_u32_state(rnd) % stress->profile->slots];
}

static void do_random_op(struct stress_thread *thread)
{
	struct stress *stress = thread->stress;
	struct stress_slot *slot = random_slot(stress, &thread->rnd);
	u32 rnd = prandom_u32_state(&thread->rnd);
	struct stress_timer *t = NULL;

	raw_spin_lock_irq(&slot->lock);
	if (!slot->busy && !slot->t)
		stress_fill(slot);
	if (!slot->busy && slot->t) {
		t = slot->t;
		stress->profile->op[rnd % 16](slot, rnd / 16);
		if (slot->t == t)
			t = NULL;
	}
	raw_spin_unlock_irq(&slot->lock);
	kfree(t);
}

/* The lock's holder has interrupts off, so a hardirq meets holders on other CPUs only. */
static enum hrtimer_restart irq_fn(struct hrtimer *irq)
{
	struct stress_thread *thread = container_of(irq, struct stress_thread, irq);
	struct stress *stress = thread->stress;
	struct stress_slot *slot;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		slot = random_slot(stress, &thread->irq_rnd);
		raw_spin_lock(&slot->lock);
		if (!slot->busy && slot->t) {
			stress_op_mod(slot, prandom_u32_state(&thread->irq_rnd));
			stress_op_later(slot, i);
			if (i & 1)
				stress_op_cancel(slot, 0);
		}
		raw_spin_unlock(&slot->lock);
	}
	hrtimer_forward_now(irq, ms_to_ktime(1));
	return HRTIMER_RESTART;
}

void stress_thread_wait(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

static int stress_thread_fn(void *arg)
{
	struct stress_thread *thread = arg;
	unsigned int i;

	hrtimer_start(&thread->irq, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < STRESS_OPS_MAX && !kthread_should_stop(); i++) {
		do_random_op(thread);
		if (i % 64 == 0)
			cond_resched();
	}
	hrtimer_cancel(&thread->irq);
	stress_thread_wait();
	return 0;
}

struct task_struct *stress_thread_run(unsigned int cpu, int (*fn)(void *arg),
				      void *arg)
{
	struct task_struct *task = kthread_create(fn, arg, "twheel_kunit/%u", cpu);

	if (IS_ERR(task))
		return NULL;
	kthread_bind(task, cpu);
	wake_up_process(task);
	return task;
}

struct stress *stress_begin(struct kunit *test,
			    const struct stress_profile *profile)
{
	struct stress *stress = kunit_kzalloc(test, sizeof(*stress), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, stress);
	stress->profile = profile;
	stress->slot = kunit_kcalloc(test, profile->slots, sizeof(*stress->slot),
				     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, stress->slot);
	for (i = 0; i < profile->slots; i++) {
		raw_spin_lock_init(&stress->slot[i].lock);
		stress->slot[i].stress = stress;
		stress->slot[i].seed = i;
	}
	return stress;
}

/* The threads have stopped: only callbacks still change timers. */
void stress_end(struct kunit *test, struct stress *stress)
{
	u64 now = get_jiffies_64();
	struct stress_slot *slot;
	unsigned int i;

	/* A timer that its callback arms at once may have to wait for the next tick. */
	engine_test_pass(test, now + 1);
	for (i = 0; i < stress->profile->slots; i++) {
		slot = &stress->slot[i];
		raw_spin_lock_irq(&slot->lock);
		if (slot->t) {
			if (slot->t->armed && slot->t->due <= now)
				stress_fault(slot, STRESS_LOST);
			stress_op_shutdown(slot, 0);
		}
		raw_spin_unlock_irq(&slot->lock);
		kfree(slot->t);
	}
	for (i = 0; i < STRESS_FAULTS; i++)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&stress->faults[i]), 0,
				    "%s", fault_names[i]);
	engine_test_balance(test);
}

void stress_pass_time(struct kunit *test, const struct stress_profile *profile)
{
	struct probe *probe = probe_new(test, NULL);

	twheel_add_after(&probe->timer, profile->ticks);
	wait_for_completion_timeout(&probe->ran, ENGINE_TEST_PATIENCE);
}

/* Runs a thread on each CPU that does what the profile says, until @happen() returns. */
void stress_run(struct kunit *test, const struct stress_profile *profile,
		void (*happen)(struct kunit *test,
			       const struct stress_profile *profile))
{
	struct stress *stress = stress_begin(test, profile);
	unsigned int i, threads = num_online_cpus();
	struct stress_thread *thread;

	thread = kunit_kcalloc(test, threads, sizeof(*thread), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, thread);
	for (i = 0; i < threads; i++) {
		thread[i].stress = stress;
		prandom_seed_state(&thread[i].rnd, 1 + i);
		prandom_seed_state(&thread[i].irq_rnd, 100 + i);
		hrtimer_setup(&thread[i].irq, irq_fn, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
		thread[i].task = stress_thread_run(cpumask_nth(i, cpu_online_mask),
						   stress_thread_fn, &thread[i]);
	}
	happen(test, profile);
	for (i = 0; i < threads; i++) {
		KUNIT_EXPECT_NOT_NULL(test, thread[i].task);
		if (thread[i].task)
			kthread_stop(thread[i].task);
	}
	stress_end(test, stress);
}
