// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: lanes, which are several wheels on a CPU, served in turn
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "engine_test.h"

static struct probe *probe_in(struct kunit *test, int lane,
			      void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);

	twheel_lane_use(&probe->timer, lane);
	return probe;
}

static void expect_in(struct kunit *test, struct probe *probe, int lane, int cpu)
{
	u32 flags = READ_ONCE(probe->timer.node.flags);

	KUNIT_EXPECT_EQ(test, flags & TWHEEL_CPU_MASK, cpu);
	KUNIT_EXPECT_EQ(test, (flags & TWHEEL_LANE_MASK) >> TWHEEL_LANE_SHIFT,
			lane);
}

static void timer_runs_there_and_stays(struct kunit *test)
{
	int lane = TWHEEL_LANE_BULK, cpu;
	struct probe *probe;
	u64 expires;

	for_each_online_cpu(cpu) {
		probe = probe_in(test, lane, NULL);
		expires = get_jiffies_64() + 2;
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, expires, cpu), 0);
		expect_in(test, probe, lane, cpu);
		probe_expect(test, probe, expires);
		KUNIT_EXPECT_EQ(test, probe->cpu, cpu);
		KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, U64_MAX), 0);
		KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires + ENGINE_TEST_FAR),
				1);
		KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
		expect_in(test, probe, lane, probe->timer.node.flags & TWHEEL_CPU_MASK);
		engine_test_expect_idle(test, &probe->timer);
		KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 0);
		engine_test_expect_dead(test, &probe->timer);
	}
}

/* Several wheels of a CPU have timers of the same tick. */
static void every_lane_has_the_tick(struct kunit *test)
{
	struct probe *probe[TWHEEL_LANES];
	u64 expires;
	int i;

	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe[i] = probe_in(test, i, NULL);
	expires = get_jiffies_64() + 3;
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		twheel_add_on(&probe[i]->timer, expires,
			      cpumask_first(cpu_online_mask));
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe_expect(test, probe[i], expires);
}

static int shutdown_result;

static void shut_down_here(struct probe *probe)
{
	shutdown_result = twheel_shutdown_sync(&probe->timer);
}

static void callback_is_known_there(struct kunit *test)
{
	int lane = TWHEEL_LANE_BULK;
	struct probe *probe = probe_in(test, lane, shut_down_here);

	twheel_add(&probe->timer, 0);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, shutdown_result, -EDEADLK);
}

static void move_to_other(struct probe *probe)
{
	twheel_lane_move(&probe->timer, probe->left);
}

/* An idle timer moves at once. A pending timer stays, also while its callback runs. */
static void idle_timer_is_moved(struct kunit *test)
{
	int lane = TWHEEL_LANE_BULK, cpu = cpumask_first(cpu_online_mask);
	struct probe *probe = probe_in(test, 0, move_to_other);

	probe->left = lane;
	KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, U64_MAX, cpu), 0);
	twheel_lane_move(&probe->timer, lane);
	expect_in(test, probe, 0, cpu);
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, 0), 1);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 0);
	expect_in(test, probe, 0, cpu);

	twheel_lane_move(&probe->timer, lane);
	expect_in(test, probe, lane, cpu);
	KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, 0, cpu), 0);
	probe_wait(test, probe);
	expect_in(test, probe, lane, cpu);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 0);
	twheel_lane_move(&probe->timer, 0);
	expect_in(test, probe, 0, cpu);
}

/* A storm: the callbacks of one tick take half a second in all. */
#define STORM		10000
#define STORM_US	50

static atomic_t stormed, stormed_in_thread;

/* By the clock: under load, a kernel may find at boot that its udelay() takes few loops. */
static void storm_fn(struct twheel_timer *timer)
{
	u64 end = ktime_get_ns() + STORM_US * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
	atomic_inc(&stormed);
	if (!in_serving_softirq())
		atomic_inc(&stormed_in_thread);
}

static void look_at_storm(struct probe *probe)
{
	probe->ret = atomic_read(&stormed);
}

/* Arms a storm for @expires, and @probe for the next tick. False if that took too long. */
static bool storm_arm(struct probe *probe, struct twheel_timer *timers, int lane, int cpu,
		      u64 expires)
{
	int i;

	for (i = 0; i < STORM; i++) {
		twheel_setup(&timers[i], storm_fn, 0);
		twheel_lane_use(&timers[i], lane);
		twheel_add_on(&timers[i], expires, cpu);
	}
	twheel_add_on(&probe->timer, expires + 1, cpu);
	return time_before64(get_jiffies_64(), expires);
}

static void storm_disarm(struct probe *probe, struct twheel_timer *timers)
{
	int i;

	twheel_cancel_sync(&probe->timer);
	for (i = 0; i < STORM; i++)
		twheel_shutdown_sync(&timers[i]);
}

/* How far a storm in a lane of a CPU has come when a timer of lane 0 runs. */
static int storm_passed(struct kunit *test, int lane)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct twheel_timer *timers;
	struct probe *probe;
	u64 ahead = HZ / 2;

	timers = kvcalloc(STORM, sizeof(*timers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, timers);
	for (;;) {
		probe = probe_new(test, look_at_storm);
		atomic_set(&stormed, 0);
		atomic_set(&stormed_in_thread, 0);
		if (storm_arm(probe, timers, lane, cpu, get_jiffies_64() + ahead))
			break;
		/* The machine is slow, and the storm began too early. */
		storm_disarm(probe, timers);
		ahead *= 2;
	}
	probe_wait(test, probe);
	storm_disarm(probe, timers);
	kvfree(timers);
	return probe->ret;
}

static void storm_holds_up_its_own_lane(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, storm_passed(test, 0), STORM);
}

/* The scheduler weighs the thread. It does not weigh a softirq. */
static void storm_goes_on_in_the_thread(struct kunit *test)
{
	storm_passed(test, TWHEEL_LANE_MODULES);
	KUNIT_EXPECT_GT(test, atomic_read(&stormed_in_thread), STORM / 2);
}

static void storm_does_not_hold_up_another_lane(struct kunit *test)
{
	int lane = TWHEEL_LANE_BULK;

	KUNIT_EXPECT_LT(test, storm_passed(test, lane), STORM / 2);
}

static struct kunit_case lane_cases[] = {
	KUNIT_CASE(timer_runs_there_and_stays),
	KUNIT_CASE(every_lane_has_the_tick),
	KUNIT_CASE(callback_is_known_there),
	KUNIT_CASE(idle_timer_is_moved),
	KUNIT_CASE(storm_holds_up_its_own_lane),
	KUNIT_CASE(storm_goes_on_in_the_thread),
	KUNIT_CASE(storm_does_not_hold_up_another_lane),
	{}
};

ENGINE_TEST_SUITE(lane);
