// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: twheel_set_slack(), on real ticks
 *
 * window_kunit.c tests what the wheel does with a slack.
 */
#include <linux/cpumask.h>
#include "engine_test.h"
#include "slacks.h"

/* An idle timer with a window. */
static struct probe *slack_new(struct kunit *test, u64 slack)
{
	struct probe *probe = probe_new(test, NULL);

	twheel_set_slack(&probe->timer, slack);
	return probe;
}

static void slack_is_put_into_the_timer(struct kunit *test)
{
	u64 slack = *(const u64 *)test->param_value;
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u32 flags = timer->node.flags;

	twheel_set_slack(timer, slack);
	KUNIT_EXPECT_EQ(test, timer->node.flags, flags | twheel_wheel_window_flags(slack));
	twheel_set_slack(timer, 0);
	KUNIT_EXPECT_EQ(test, timer->node.flags, flags);
	engine_test_expect_idle(test, timer);
	engine_test_expect_counts(test, 0, 0, 0, 0);
}

static void slack_of_every_size_runs_in_its_window(struct kunit *test)
{
	static const u64 slack[] = { 0, 1, 64, 127, 128, 130 };
	struct probe *probe[2 * ARRAY_SIZE(slack)];
	u64 expires[ARRAY_SIZE(probe)];
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = slack_new(test, slack[i / 2]);
		cpu = i % 2 ? cpumask_first(cpu_online_mask) :
			      cpumask_last(cpu_online_mask);
		expires[i] = get_jiffies_64() + 2 + i;
		twheel_add_on(&probe[i]->timer, expires[i], cpu);
	}
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe_expect_window(test, probe[i], expires[i], slack[i / 2]);
	engine_test_expect_counts(test, i, i, 0, 0);
}

/* A change, a cancel and another arming keep the window. */
static void slack_stays_until_it_is_set_anew(struct kunit *test)
{
	struct probe *probe = slack_new(test, 8192);
	struct twheel_timer *timer = &probe->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), 0);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires + 1000), 1);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires - 1000), 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(&timer->node), 2U);
	twheel_add_on(timer, expires, cpumask_last(cpu_online_mask));
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(&timer->node), 2U);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 1);

	twheel_set_slack(timer, 0);
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(&timer->node), 0U);
	expires = get_jiffies_64() + 1;
	twheel_add(timer, expires);
	probe_expect(test, probe, expires);
}

static struct kunit_case slack_cases[] = {
	KUNIT_CASE_PARAM(slack_is_put_into_the_timer, slack_gen_params),
	KUNIT_CASE(slack_of_every_size_runs_in_its_window),
	KUNIT_CASE(slack_stays_until_it_is_set_anew),
	{}
};

ENGINE_TEST_SUITE(slack);
