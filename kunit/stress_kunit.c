// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the engine under fire from every CPU
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "stress.h"

/* Most timers are due soon; some must be moved down before. */
static unsigned int mixed_distance(u32 rnd)
{
	return rnd % 4 ? rnd / 4 % 4 : rnd / 4 % 200;
}

static const struct stress_profile everything = {
	.slots = 2000,
	.ticks = 40,
	.distance = mixed_distance,
	.op = {
		stress_op_mod, stress_op_mod, stress_op_mod, stress_op_mod,
		stress_op_later, stress_op_later, stress_op_later, stress_op_later,
		stress_op_add, stress_op_add_anywhere, stress_op_add_anywhere,
		stress_op_cancel, stress_op_try_cancel_sync, stress_op_cancel_sync,
		stress_op_shutdown, stress_op_free,
	},
	.callback = stress_callback_anything,
};

static void everything_at_once(struct kunit *test)
{
	stress_run(test, &everything, stress_pass_time);
}

static void last_cpu_comes_and_goes(struct kunit *test,
				    const struct stress_profile *profile)
{
	unsigned int i, cpu = cpumask_last(cpu_online_mask);

	for (i = 0; i < 3; i++) {
		stress_pass_time(test, profile);
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		stress_pass_time(test, profile);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
}

/* A CPU goes offline and comes back under load. */
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

/* The next slots of level 1: the wheel moves their timers down while threads change them. */
static unsigned int cascading_distance(u32 rnd)
{
	return 65 + rnd % 127;
}

static void cancel_against_cascade(struct kunit *test)
{
	static const struct stress_profile profile = {
		.slots = 4000,
		.ticks = 80,
		.distance = cascading_distance,
		.op = {
			stress_op_add, stress_op_add, stress_op_add,
			stress_op_add, stress_op_add, stress_op_add,
			stress_op_add_anywhere, stress_op_mod, stress_op_later,
			stress_op_cancel, stress_op_cancel, stress_op_cancel, stress_op_cancel,
			stress_op_cancel_sync, stress_op_shutdown, stress_op_free,
		},
		.callback = stress_callback_nothing,
	};

	stress_run(test, &profile, stress_pass_time);
}

/* Timers that expire on every tick while another CPU pushes them back */

#define VICTIMS		256
/* If the wheel took the state without a compare-and-exchange, one in 20 would fail. */
#define TRIES		500

/**
 * struct chase - one CPU expires timers that another pushes back
 * @stress: The timers.
 * @progress: The slot of the latest callback.
 * @tries: How often a timer that was about to expire was pushed back.
 * @enough: Completed when @tries reaches %TRIES.
 */
struct chase {
	struct stress		*stress;
	unsigned int		progress;
	unsigned int		tries;
	struct completion	enough;
};

static struct chase *chase;

static void callback_progress(struct stress_slot *slot, u32 rnd)
{
	stress_add(slot, get_jiffies_64() + 1, raw_smp_processor_id());
	/* Half of each tick in all, so that two virtual CPUs run at the same time. */
	udelay(TICK_NSEC / 1000 / 2 / VICTIMS);
	WRITE_ONCE(chase->progress, slot - chase->stress->slot);
}

/*
 * The timers of a tick expire mostly in the order of arming, so the timer behind the
 * latest one is about to expire. The wheel reads its state, then takes it. The extension
 * must fall in between.
 */
static int push_back_fn(void *arg)
{
	unsigned int seen = 0, now;
	struct stress_slot *slot;
	struct rnd_state rnd;
	u32 spin;

	prandom_seed_state(&rnd, 7);
	while (!kthread_should_stop()) {
		now = READ_ONCE(chase->progress);
		if (now == seen) {
			cpu_relax();
			cond_resched();
			continue;
		}
		seen = now;
		slot = &chase->stress->slot[(now + 1) % VICTIMS];
		for (spin = prandom_u32_state(&rnd) % 16; spin; spin--)
			cpu_relax();
		raw_spin_lock_irq(&slot->lock);
		stress_mod(slot, get_jiffies_64() + 1);
		raw_spin_unlock_irq(&slot->lock);
		if (++chase->tries == TRIES)
			complete(&chase->enough);
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
	chase = kunit_kzalloc(test, sizeof(*chase), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chase);
	init_completion(&chase->enough);
	chase->stress = stress_begin(test, &profile);
	for (i = 0; i < VICTIMS; i++) {
		slot = &chase->stress->slot[i];
		raw_spin_lock_irq(&slot->lock);
		stress_fill(slot);
		if (slot->t)
			stress_add(slot, get_jiffies_64() + 2, cpu);
		raw_spin_unlock_irq(&slot->lock);
	}
	task = stress_thread_run(cpumask_last(cpu_online_mask), push_back_fn, NULL);
	KUNIT_EXPECT_NOT_NULL(test, task);
	wait_for_completion_timeout(&chase->enough, 5 * HZ);
	if (task)
		kthread_stop(task);
	stress_end(test, chase->stress);
}

/* Shutdown while callbacks arm their timers again for ever */

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

/* Shuts all timers down while they run. Every other one is freed, for KASAN to watch. */
static void stop_mills(struct kunit *test, struct mill **mill)
{
	unsigned int i;
	int ret;

	for (i = 0; i < MILLS; i++) {
		/* The timer is pending whenever its callback does not run. */
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

static void shut_down_under_fire(struct kunit *test)
{
	ktime_t end = ktime_get() + NSEC_PER_SEC / 2;
	struct mill *mill[MILLS];
	struct completion begun;
	unsigned int cpu, i;

	do {
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
	} while (ktime_get() < end);
}

/* Threads that change and cancel the same timers without a lock */

#define SHARED		16

/**
 * struct shared - a timer that every thread changes
 * @timer: The timer.
 * @armed: How often twheel_mod() found it idle.
 * @ended: How often a cancel found it pending.
 * @runs: How often its callback ran.
 * @wrong: Impossible results.
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
	for (i = 0; i < STRESS_OPS_MAX && !kthread_should_stop(); i++) {
		dice = prandom_u32_state(&rnd);
		change_shared(&shared[dice % SHARED], dice / SHARED);
		if (i % 64 == 0)
			cond_resched();
	}
	stress_thread_wait();
	return 0;
}

/*
 * A thread that arms an idle timer takes the timer to its own CPU. Each arming must end in
 * one callback or one cancel.
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
	task[0] = stress_thread_run(cpumask_first(cpu_online_mask), shared_thread_fn, shared);
	task[1] = stress_thread_run(cpumask_last(cpu_online_mask), shared_thread_fn, shared);
	stress_pass_time(test, &profile);
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

/* A timer that is changed is pending all the time */

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
	task = stress_thread_run(cpumask_last(cpu_online_mask), move_fn, watch.timer);
	KUNIT_ASSERT_NOT_NULL(test, task);
	work_on_cpu(cpumask_first(cpu_online_mask), watch_fn, &watch);
	kthread_stop(task);
	KUNIT_EXPECT_EQ_MSG(test, watch.missed, 0U, "of %u looks", watch.looks);
	KUNIT_EXPECT_EQ(test, twheel_cancel(watch.timer), 1);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(everything_at_once),
	KUNIT_CASE(cancel_against_cascade),
	KUNIT_CASE(everything_while_a_cpu_goes_away),
	KUNIT_CASE(push_back_while_it_fires),
	KUNIT_CASE(unserialised_callers),
	KUNIT_CASE(shut_down_under_fire),
	KUNIT_CASE(pending_while_it_is_moved),
	{}
};

ENGINE_TEST_SUITE(stress);
