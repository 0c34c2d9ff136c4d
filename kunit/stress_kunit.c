// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the engine under fire from every CPU
 *
 * What a timer is to do is written down next to it, under a lock that its
 * callback takes first. An arming that was found to be over when it was changed
 * or cancelled is in flight: its callback is on its way to the lock.
 *
 *	armed, due		an arming is pending, and its deadline
 *	flying, flying_due	one has been taken off the wheel
 *
 * Every result and every callback must fit that, whatever the threads do.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "engine_test.h"

/* In virtual time a thread that does not sleep lets no time go by. */
#define OPS_MAX		2000000U

enum fault {
	EARLY,		/* a callback before its deadline */
	STRAY,		/* a callback that no arming is left for */
	AFTER,		/* a callback after a synchronous cancel */
	LOST,		/* no callback although the deadline is past */
	RESULT,		/* a function that returned what cannot be */
	FAULTS
};

static const char * const fault_names[] = {
	"early", "stray", "after a cancel", "lost", "wrong results",
};

struct stress;

/**
 * struct stress_timer - a timer, and what is expected of it
 * @timer: The timer.
 * @slot: Where it is kept.
 * @due: Deadline of the pending arming.
 * @flying_due: Deadline of the arming whose callback is on its way.
 * @armed: There is a pending arming.
 * @flying: There is a callback on its way.
 * @quiet: A synchronous cancel has returned.
 */
struct stress_timer {
	struct twheel_timer	timer;
	struct stress_slot	*slot;
	u64			due;
	u64			flying_due;
	bool			armed;
	bool			flying;
	bool			quiet;
};

/**
 * struct stress_slot - where a timer lives that threads share
 * @lock: Protects this and @t's contents. Hardirqs take it, too.
 * @stress: The case.
 * @t: The timer; %NULL if it has been freed.
 * @seed: For what callbacks do.
 * @busy: A thread is waiting for @t's callback, without the lock.
 */
struct stress_slot {
	raw_spinlock_t		lock;
	struct stress		*stress;
	struct stress_timer	*t;
	u32			seed;
	bool			busy;
};

/* Called with the slot locked, and a timer in it; it may be taken out. */
typedef void (*stress_op_t)(struct stress_slot *slot, u32 rnd);

/**
 * struct stress_profile - what a case does
 * @slots: How many timers.
 * @ticks: For how long.
 * @distance: How far ahead deadlines are.
 * @op: What threads do; each as often as the others.
 * @callback: What callbacks do besides, with the slot locked.
 */
struct stress_profile {
	unsigned int	slots;
	unsigned int	ticks;
	unsigned int	(*distance)(u32 rnd);
	stress_op_t	op[16];
	stress_op_t	callback;
};

struct stress {
	const struct stress_profile	*profile;
	struct stress_slot		*slot;
	atomic_t			fault[FAULTS];
	bool				stop;
};

/**
 * struct stress_thread - who does it
 * @task: The thread.
 * @irq: Does it in hardirq context, on the same CPU.
 * @rnd: For @task.
 * @irq_rnd: For @irq.
 * @stress: The case.
 */
struct stress_thread {
	struct task_struct	*task;
	struct hrtimer		irq;
	struct rnd_state	rnd;
	struct rnd_state	irq_rnd;
	struct stress		*stress;
};

static void fault(struct stress_slot *slot, enum fault what)
{
	atomic_inc(&slot->stress->fault[what]);
}

/* The arming that was thought to be pending was not: its callback comes. */
static void let_fly(struct stress_slot *slot)
{
	struct stress_timer *t = slot->t;

	if (!t->armed)
		return;
	if (t->flying)
		fault(slot, RESULT);
	t->armed = false;
	t->flying = true;
	t->flying_due = t->due;
}

static void is_armed(struct stress_slot *slot, u64 due)
{
	slot->t->armed = true;
	slot->t->due = due;
	slot->t->quiet = false;
}

static void stress_mod(struct stress_slot *slot, u64 expires)
{
	int ret = twheel_mod(&slot->t->timer, expires);

	if (ret == 0)
		let_fly(slot);
	else if (ret != 1 || !slot->t->armed)
		fault(slot, RESULT);
	is_armed(slot, expires);
}

static void stress_add(struct stress_slot *slot, u64 expires, int cpu)
{
	if (slot->t->armed)
		return;
	if (twheel_add_on(&slot->t->timer, expires, cpu))
		fault(slot, RESULT);
	is_armed(slot, expires);
}

/* What a cancel returned that has waited for the callback. */
static void stress_ended(struct stress_slot *slot, int ret)
{
	if (ret != slot->t->armed || slot->t->flying)
		fault(slot, RESULT);
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
		fault(slot, AFTER);
	if (t->flying) {
		if (time_before64(get_jiffies_64(), t->flying_due))
			fault(slot, EARLY);
		t->flying = false;
	} else if (t->armed) {
		if (time_before64(get_jiffies_64(), t->due))
			fault(slot, EARLY);
		t->armed = false;
	} else {
		fault(slot, STRAY);
	}
	slot->seed = slot->seed * 1664525 + 1013904223;
	slot->stress->profile->callback(slot, slot->seed >> 8);
	if (slot->t == t)
		t = NULL;
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	kfree(t);
}

static u64 some_deadline(struct stress_slot *slot, u32 rnd)
{
	return get_jiffies_64() + slot->stress->profile->distance(rnd);
}

/* What is done to timers */

static void op_mod(struct stress_slot *slot, u32 rnd)
{
	stress_mod(slot, some_deadline(slot, rnd));
}

static void op_later(struct stress_slot *slot, u32 rnd)
{
	if (slot->t->armed)
		stress_mod(slot, slot->t->due + rnd % 2);
	else
		op_mod(slot, rnd);
}

static void op_add(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, some_deadline(slot, rnd), raw_smp_processor_id());
}

static void op_add_anywhere(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, some_deadline(slot, rnd),
		   cpumask_nth(rnd % num_possible_cpus(), cpu_possible_mask));
}

static void op_cancel(struct stress_slot *slot, u32 rnd)
{
	if (!twheel_cancel(&slot->t->timer))
		let_fly(slot);
	else if (!slot->t->armed)
		fault(slot, RESULT);
	slot->t->armed = false;
}

/* For callers that hold a lock which the callback takes, as here. */
static void op_try_cancel_sync(struct stress_slot *slot, u32 rnd)
{
	int ret = twheel_try_cancel_sync(&slot->t->timer);

	if (ret != -EAGAIN)
		stress_ended(slot, ret);
}

/* The callback gets the lock, and may arm its timer again, while it is awaited. */
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

static void op_cancel_sync(struct stress_slot *slot, u32 rnd)
{
	stress_ended(slot, wait_unlocked(slot, twheel_cancel_sync));
}

static void op_shutdown(struct stress_slot *slot, u32 rnd)
{
	struct twheel_timer *timer = &slot->t->timer;

	stress_ended(slot, wait_unlocked(slot, twheel_shutdown_sync));
	if (twheel_mod(timer, 0) != -ESHUTDOWN ||
	    twheel_add(timer, 0) != -ESHUTDOWN)
		fault(slot, RESULT);
	if (rnd & 1)
		slot->t = NULL;
	else
		twheel_setup(timer, stress_fn, 0);
}

static void op_free(struct stress_slot *slot, u32 rnd)
{
	op_cancel(slot, rnd);
	if (!slot->t->flying)
		slot->t = NULL;
}

/* What callbacks do */

static void callback_nothing(struct stress_slot *slot, u32 rnd)
{
}

static void callback_anything(struct stress_slot *slot, u32 rnd)
{
	switch (rnd % 8) {
	case 0:
		/* who waits goes on using it */
		if (!slot->t->armed && !slot->busy)
			slot->t = NULL;
		break;
	case 1:
		op_mod(slot, rnd / 8);
		break;
	case 2:
	case 3:
		stress_add(slot, get_jiffies_64() + rnd / 8 % 2,
			   raw_smp_processor_id());
		break;
	case 4:
		op_cancel(slot, rnd);
		break;
	}
}

/* Threads */

static void fill(struct stress_slot *slot)
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

static struct stress_slot *some_slot(struct stress *stress, struct rnd_state *rnd)
{
	return &stress->slot[prandom_u32_state(rnd) % stress->profile->slots];
}

static void do_something(struct stress_thread *thread)
{
	struct stress *stress = thread->stress;
	struct stress_slot *slot = some_slot(stress, &thread->rnd);
	u32 rnd = prandom_u32_state(&thread->rnd);
	struct stress_timer *t = NULL;

	raw_spin_lock_irq(&slot->lock);
	if (!slot->busy && !slot->t)
		fill(slot);
	if (!slot->busy && slot->t) {
		t = slot->t;
		stress->profile->op[rnd % 16](slot, rnd / 16);
		if (slot->t == t)
			t = NULL;
	}
	raw_spin_unlock_irq(&slot->lock);
	kfree(t);
}

/* A hardirq may interrupt whoever holds a slot's lock on another CPU only. */
static enum hrtimer_restart irq_fn(struct hrtimer *irq)
{
	struct stress_thread *thread = container_of(irq, struct stress_thread, irq);
	struct stress *stress = thread->stress;
	struct stress_slot *slot;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		slot = some_slot(stress, &thread->irq_rnd);
		raw_spin_lock(&slot->lock);
		if (!slot->busy && slot->t) {
			op_mod(slot, prandom_u32_state(&thread->irq_rnd));
			op_later(slot, i);
			if (i & 1)
				op_cancel(slot, 0);
		}
		raw_spin_unlock(&slot->lock);
	}
	hrtimer_forward_now(irq, ms_to_ktime(1));
	return HRTIMER_RESTART;
}

static void sleep_until_stopped(void)
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
	for (i = 0; i < OPS_MAX && !kthread_should_stop(); i++) {
		do_something(thread);
		if (i % 64 == 0)
			cond_resched();
	}
	hrtimer_cancel(&thread->irq);
	sleep_until_stopped();
	return 0;
}

static struct task_struct *run_thread(unsigned int cpu, int (*fn)(void *arg),
				      void *arg)
{
	struct task_struct *task = kthread_create(fn, arg, "twheel_kunit/%u", cpu);

	if (IS_ERR(task))
		return NULL;
	kthread_bind(task, cpu);
	wake_up_process(task);
	return task;
}

static struct stress *stress_begin(struct kunit *test,
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

/* Nobody changes timers any more but their own callbacks. */
static void stress_end(struct kunit *test, struct stress *stress)
{
	u64 now = get_jiffies_64();
	struct stress_slot *slot;
	unsigned int i;

	/* what a callback arms at once may have to wait for the next tick */
	engine_test_pass(test, now + 1);
	for (i = 0; i < stress->profile->slots; i++) {
		slot = &stress->slot[i];
		raw_spin_lock_irq(&slot->lock);
		if (slot->t) {
			if (slot->t->armed && slot->t->due <= now)
				fault(slot, LOST);
			op_shutdown(slot, 0);
		}
		raw_spin_unlock_irq(&slot->lock);
		kfree(slot->t);
	}
	for (i = 0; i < FAULTS; i++)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&stress->fault[i]), 0,
				    "%s", fault_names[i]);
	engine_test_balance(test);
}

static void time_passes(struct kunit *test, const struct stress_profile *profile)
{
	struct probe *probe = probe_new(test, NULL);

	twheel_add_after(&probe->timer, profile->ticks);
	wait_for_completion_timeout(&probe->ran, ENGINE_TEST_PATIENCE);
}

/* A thread on each CPU does what the profile says, while something happens. */
static void stress_run(struct kunit *test, const struct stress_profile *profile,
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
		thread[i].task = run_thread(cpumask_nth(i, cpu_online_mask),
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

/* Most are due soon, some where they have to be cascaded. */
static unsigned int mixed_distance(u32 rnd)
{
	return rnd % 4 ? rnd / 4 % 4 : rnd / 4 % 200;
}

static const struct stress_profile everything = {
	.slots = 2000,
	.ticks = 40,
	.distance = mixed_distance,
	.op = {
		op_mod, op_mod, op_mod, op_mod,
		op_later, op_later, op_later, op_later,
		op_add, op_add_anywhere, op_add_anywhere,
		op_cancel, op_try_cancel_sync, op_cancel_sync,
		op_shutdown, op_free,
	},
	.callback = callback_anything,
};

static void everything_at_once(struct kunit *test)
{
	stress_run(test, &everything, time_passes);
}

static void last_cpu_comes_and_goes(struct kunit *test,
				    const struct stress_profile *profile)
{
	unsigned int i, cpu = cpumask_last(cpu_online_mask);

	for (i = 0; i < 3; i++) {
		time_passes(test, profile);
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		time_passes(test, profile);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
}

/* That is trap 25. */
static void everything_while_a_cpu_goes_away(struct kunit *test)
{
	static struct stress_profile profile;

	engine_test_needs_cpus(test, 2);
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
	profile = everything;
	profile.ticks = 20;
	stress_run(test, &profile, last_cpu_comes_and_goes);
}

/* The slots of level 1 that come next; their timers are on the move. */
static unsigned int cascading_distance(u32 rnd)
{
	return 65 + rnd % 127;
}

/* That is trap 19. */
static void trap19_cancel_against_cascade(struct kunit *test)
{
	static const struct stress_profile profile = {
		.slots = 4000,
		.ticks = 80,
		.distance = cascading_distance,
		.op = {
			op_add, op_add, op_add, op_add, op_add, op_add,
			op_add_anywhere, op_mod, op_later,
			op_cancel, op_cancel, op_cancel, op_cancel,
			op_cancel_sync, op_shutdown, op_free,
		},
		.callback = callback_nothing,
	};

	stress_run(test, &profile, time_passes);
}

/* Timers that fire on every tick while they are pushed back */

#define VICTIMS		256
/* Without the compare-and-exchange more than one in twenty goes wrong. */
#define TRIES		500

/**
 * struct race - one CPU expires timers that another pushes back
 * @stress: The timers.
 * @progress: The latest one whose callback has run.
 * @tries: How often one was pushed back that was about to expire.
 * @enough: Completed at %TRIES.
 */
struct race {
	struct stress		*stress;
	unsigned int		progress;
	unsigned int		tries;
	struct completion	enough;
};

static struct race *race;

static void callback_progress(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, get_jiffies_64() + 1, raw_smp_processor_id());
	/* half of each tick: where CPUs are virtual, they have to run at once */
	udelay(TICK_NSEC / 1000 / 2 / VICTIMS);
	WRITE_ONCE(race->progress, slot - race->stress->slot);
}

/*
 * The timers of a tick expire in the order in which they were armed, by and
 * large, so the one after the latest is about to. Its word is read, and then
 * taken; it has to be changed in between.
 */
static int push_back_fn(void *arg)
{
	unsigned int seen = 0, now;
	struct stress_slot *slot;
	struct rnd_state rnd;
	u32 spin;

	prandom_seed_state(&rnd, 7);
	while (!kthread_should_stop()) {
		now = READ_ONCE(race->progress);
		if (now == seen) {
			cpu_relax();
			cond_resched();
			continue;
		}
		seen = now;
		slot = &race->stress->slot[(now + 1) % VICTIMS];
		for (spin = prandom_u32_state(&rnd) % 16; spin; spin--)
			cpu_relax();
		raw_spin_lock_irq(&slot->lock);
		stress_mod(slot, get_jiffies_64() + 1);
		raw_spin_unlock_irq(&slot->lock);
		if (++race->tries == TRIES)
			complete(&race->enough);
	}
	return 0;
}

static void push_back_while_it_fires(struct kunit *test)
{
	static const struct stress_profile profile = {
		.slots = VICTIMS,
		.callback = callback_progress,
	};
	unsigned int cpu = cpumask_first(cpu_online_mask), i;
	struct task_struct *task;
	struct stress_slot *slot;

	engine_test_needs_cpus(test, 2);
	race = kunit_kzalloc(test, sizeof(*race), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, race);
	init_completion(&race->enough);
	race->stress = stress_begin(test, &profile);
	for (i = 0; i < VICTIMS; i++) {
		slot = &race->stress->slot[i];
		raw_spin_lock_irq(&slot->lock);
		fill(slot);
		if (slot->t)
			stress_add(slot, get_jiffies_64() + 2, cpu);
		raw_spin_unlock_irq(&slot->lock);
	}
	task = run_thread(cpumask_last(cpu_online_mask), push_back_fn, NULL);
	KUNIT_EXPECT_NOT_NULL(test, task);
	wait_for_completion_timeout(&race->enough, 5 * HZ);
	if (task)
		kthread_stop(task);
	stress_end(test, race->stress);
}

/* Teardown, while callbacks arm their timers again for ever */

#define MILLS		64

struct mill {
	struct twheel_timer	timer;
	struct completion	*begun;
	unsigned int		refused;
	unsigned int		after;
	bool			gone;
};

static void mill_fn(struct twheel_timer *timer)
{
	struct mill *mill = container_of(timer, struct mill, timer);

	complete(mill->begun);
	mill->after += READ_ONCE(mill->gone);
	udelay(5);
	if (twheel_add(timer, get_jiffies_64()))
		mill->refused++;
}

/* One ends them all while they run, the even ones for KASAN to watch. */
static void stop_mills(struct kunit *test, struct mill **mill)
{
	unsigned int i;
	int ret;

	for (i = 0; i < MILLS; i++) {
		/* it is pending whenever its callback does not run */
		ret = twheel_shutdown_sync(&mill[i]->timer);
		WRITE_ONCE(mill[i]->gone, true);
		KUNIT_EXPECT_EQ(test, ret, 1);
		KUNIT_EXPECT_EQ(test, twheel_add(&mill[i]->timer, 0), -ESHUTDOWN);
		KUNIT_EXPECT_EQ(test, mill[i]->refused, 0U);
		if (i % 2)
			continue;
		kfree(mill[i]);
		mill[i] = NULL;
	}
	engine_test_pass(test, get_jiffies_64());
	for (i = 1; i < MILLS; i += 2) {
		KUNIT_EXPECT_EQ(test, mill[i]->after, 0U);
		kfree(mill[i]);
	}
}

/* That is trap 4. */
static void trap4_shut_down_under_fire(struct kunit *test)
{
	ktime_t end = ktime_get() + NSEC_PER_SEC / 2;
	struct mill *mill[MILLS];
	struct completion begun;
	unsigned int cpu, i;

	while (ktime_get() < end) {
		init_completion(&begun);
		for (i = 0; i < MILLS; i++) {
			mill[i] = kzalloc(sizeof(*mill[i]), GFP_KERNEL | __GFP_NOFAIL);
			mill[i]->begun = &begun;
			twheel_setup(&mill[i]->timer, mill_fn, 0);
			cpu = cpumask_nth(i % num_online_cpus(), cpu_online_mask);
			twheel_add_on(&mill[i]->timer, 0, cpu);
		}
		wait_for_completion_timeout(&begun, ENGINE_TEST_PATIENCE);
		stop_mills(test, mill);
	}
}

/* Threads that change and cancel the same timers, and nothing serialises them */

#define SHARED		16

/**
 * struct shared - a timer that everybody may change
 * @timer: The timer.
 * @armed: How often twheel_mod() said that it was idle.
 * @ended: How often a cancel said that it was pending.
 * @runs: How often its callback ran.
 * @wrong: Results that cannot be.
 */
struct shared {
	struct twheel_timer	timer;
	atomic_t		armed;
	atomic_t		ended;
	atomic_t		runs;
	atomic_t		wrong;
};

static void shared_fn(struct twheel_timer *timer)
{
	atomic_inc(&container_of(timer, struct shared, timer)->runs);
}

static void change_shared(struct shared *shared, u32 rnd)
{
	int ret;

	switch (rnd % 8) {
	case 0:
		ret = twheel_cancel(&shared->timer);
		break;
	case 1:
		ret = twheel_cancel_sync(&shared->timer);
		break;
	case 2:
		ret = twheel_try_cancel_sync(&shared->timer);
		if (ret == -EAGAIN)
			return;
		break;
	default:
		ret = twheel_mod(&shared->timer, get_jiffies_64() + rnd / 8 % 3);
		if (!ret)
			atomic_inc(&shared->armed);
		else if (ret != 1)
			atomic_inc(&shared->wrong);
		return;
	}
	if (ret == 1)
		atomic_inc(&shared->ended);
	else if (ret)
		atomic_inc(&shared->wrong);
}

static int shared_thread_fn(void *arg)
{
	struct shared *shared = arg;
	struct rnd_state rnd;
	unsigned int i;
	u32 dice;

	prandom_seed_state(&rnd, (unsigned long)current);
	for (i = 0; i < OPS_MAX && !kthread_should_stop(); i++) {
		dice = prandom_u32_state(&rnd);
		change_shared(&shared[dice % SHARED], dice / SHARED);
		if (i % 64 == 0)
			cond_resched();
	}
	sleep_until_stopped();
	return 0;
}

/*
 * Whoever arms an idle timer takes it along to its own CPU. Each time that it
 * was armed has ended in a callback or a cancel.
 */
static void unserialised_callers(struct kunit *test)
{
	static const struct stress_profile profile = { .ticks = 40 };
	struct task_struct *task[2] = { };
	struct shared *shared;
	unsigned int i;

	shared = kunit_kcalloc(test, SHARED, sizeof(*shared), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, shared);
	for (i = 0; i < SHARED; i++)
		twheel_setup(&shared[i].timer, shared_fn, 0);
	task[0] = run_thread(cpumask_first(cpu_online_mask), shared_thread_fn, shared);
	task[1] = run_thread(cpumask_last(cpu_online_mask), shared_thread_fn, shared);
	time_passes(test, &profile);
	for (i = 0; i < ARRAY_SIZE(task); i++) {
		KUNIT_EXPECT_NOT_NULL(test, task[i]);
		if (task[i])
			kthread_stop(task[i]);
	}
	for (i = 0; i < SHARED; i++) {
		atomic_add(twheel_shutdown_sync(&shared[i].timer),
			   &shared[i].ended);
		KUNIT_EXPECT_EQ(test, atomic_read(&shared[i].wrong), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&shared[i].armed),
				atomic_read(&shared[i].runs) +
				atomic_read(&shared[i].ended));
	}
}

/* A timer that is moved back and forth is pending all the time */

struct watch {
	struct twheel_timer	*timer;
	unsigned int		looks;
	unsigned int		missed;
};

static int move_fn(void *arg)
{
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;
	struct twheel_timer *timer = arg;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 1000; i; i--)
			twheel_mod(timer, expires + i);
		twheel_mod(timer, expires + 1000);
		cond_resched();
	}
	return 0;
}

static long watch_fn(void *arg)
{
	ktime_t end = ktime_get() + NSEC_PER_SEC / 2;
	struct watch *watch = arg;

	do {
		watch->looks++;
		if (!twheel_pending(watch->timer) ||
		    !twheel_remaining(watch->timer))
			watch->missed++;
		if (watch->looks % 256 == 0)
			cond_resched();
	} while (watch->looks % 256 || ktime_get() < end);
	return 0;
}

static void pending_while_it_is_moved(struct kunit *test)
{
	struct watch watch = { .timer = &probe_far(test)->timer };
	struct task_struct *task;

	engine_test_needs_cpus(test, 2);
	task = run_thread(cpumask_last(cpu_online_mask), move_fn, watch.timer);
	KUNIT_ASSERT_NOT_NULL(test, task);
	work_on_cpu(cpumask_first(cpu_online_mask), watch_fn, &watch);
	kthread_stop(task);
	KUNIT_EXPECT_EQ_MSG(test, watch.missed, 0U, "of %u looks", watch.looks);
	KUNIT_EXPECT_EQ(test, twheel_cancel(watch.timer), 1);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(everything_at_once),
	KUNIT_CASE(trap19_cancel_against_cascade),
	KUNIT_CASE(everything_while_a_cpu_goes_away),
	KUNIT_CASE(push_back_while_it_fires),
	KUNIT_CASE(unserialised_callers),
	KUNIT_CASE(trap4_shut_down_under_fire),
	KUNIT_CASE(pending_while_it_is_moved),
	{}
};

ENGINE_TEST_SUITE(stress);
