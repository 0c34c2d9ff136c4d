// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what modules that used timer_list need besides: deadlines that only fall, timers that
 * stay idle, delays, deadlines that are read, values of jiffies
 */
#include <linux/delay.h>
#include <linux/timer.h>
#include "engine_test.h"

/* As mod_timer() does, and not as twheel_mod() with the same number. */
static void mod_after_waits_whole_ticks(struct kunit *test)
{
	static const u64 delays[] = { 0, 1, 2, 5, 250 };
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 before, after, expires;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		twheel_cancel_sync(timer);
		engine_test_hold();
		before = get_jiffies_64();
		twheel_mod_after(timer, delays[i]);
		after = get_jiffies_64();
		expires = twheel_expires(timer);
		engine_test_release();
		KUNIT_EXPECT_GE(test, expires, before + delays[i] + 1);
		KUNIT_EXPECT_LE(test, expires, after + delays[i] + 1);
	}
	KUNIT_EXPECT_GE(test, twheel_mod_after(timer, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, twheel_expires(timer), TWHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

static void mod_pending_leaves_an_idle_timer_idle(struct kunit *test)
{
	struct probe *probe = probe_spent(test, NULL);

	KUNIT_EXPECT_EQ(test, twheel_mod_pending(&probe->timer, 0), 0);
	KUNIT_EXPECT_EQ(test, twheel_mod_pending(&probe->timer, U64_MAX), 0);
	engine_test_expect_idle(test, &probe->timer);
	engine_test_expect_counts(test, 1, 1, 0, 0);
}

static void mod_pending_moves_a_pending_timer(struct kunit *test)
{
	struct probe *probe = probe_far(test);
	u64 far = twheel_expires(&probe->timer), near;

	KUNIT_EXPECT_EQ(test, twheel_mod_pending(&probe->timer, far + 9), 1);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), far + 9);
	near = get_jiffies_64() + 2;
	KUNIT_EXPECT_EQ(test, twheel_mod_pending(&probe->timer, near), 1);
	probe_expect(test, probe, near);
}

static void reduce_arms_an_idle_timer(struct kunit *test)
{
	struct probe *probe = probe_spent(test, NULL);
	u64 expires;

	reinit_completion(&probe->ran);
	probe->runs = 0;
	expires = get_jiffies_64() + 2;
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
}

static void reduce_keeps_the_earlier_deadline(struct kunit *test)
{
	struct probe *probe = probe_far(test);
	u64 far = twheel_expires(&probe->timer), near;

	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, far + 9), 1);
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, far), 1);
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, U64_MAX), 1);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), far);
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, far - 9), 1);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), far - 9);
	near = get_jiffies_64() + 2;
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, near), 1);
	probe_expect(test, probe, near);
	/* Two of the five calls have replaced an arming. */
	engine_test_expect_counts(test, 3, 1, 0, 2);
}

/* A timer that is due is not put off, nor is one that runs in its window. */
static void reduce_of_a_timer_that_is_due(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL), *late = probe_new(test, NULL);
	u64 expires;
	int ret, late_ret;

	twheel_set_slack(&late->timer, 1024);
	engine_test_hold();
	expires = get_jiffies_64() + 1;
	twheel_add(&probe->timer, expires);
	twheel_add(&late->timer, expires);
	while (!time_after64(get_jiffies_64(), expires))
		udelay(5);
	ret = twheel_reduce(&probe->timer, 0);
	late_ret = twheel_reduce(&late->timer, 0);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), expires);
	KUNIT_EXPECT_EQ(test, twheel_expires(&late->timer), expires);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, 1);
	KUNIT_EXPECT_EQ(test, late_ret, 1);
	probe_expect(test, probe, expires);
	probe_expect_window(test, late, expires, 1024);
	engine_test_expect_counts(test, 2, 2, 0, 0);
}

static void reduce_keeps_the_period(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	/* So far ahead that it has not passed, on a slow machine, when the timer gets it. */
	u64 near = get_jiffies_64() + HZ / 4;

	twheel_add_periodic(&probe->timer, near + ENGINE_TEST_FAR, ENGINE_TEST_FAR);
	KUNIT_EXPECT_EQ(test, twheel_reduce(&probe->timer, near), 1);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), near + ENGINE_TEST_FAR);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 1);
}

static void note_expires(struct probe *probe)
{
	probe->expires = twheel_expires(&probe->timer);
}

static void last_deadline_can_be_read(struct kunit *test)
{
	struct probe *probe = probe_new(test, note_expires);
	u64 expires;

	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), 0ULL);
	expires = get_jiffies_64() + 3;
	twheel_add(&probe->timer, expires);
	probe_expect(test, probe, expires);
	KUNIT_EXPECT_EQ(test, probe->expires, expires);
	expires = get_jiffies_64() + ENGINE_TEST_FAR;
	twheel_add(&probe->timer, expires);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_expires(&probe->timer), expires);
}

static void shutdown_ends_a_timer(struct kunit *test)
{
	struct probe *pending = probe_far(test), *idle = probe_new(test, NULL);

	KUNIT_EXPECT_EQ(test, twheel_shutdown(&pending->timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_shutdown(&pending->timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_shutdown(&idle->timer), 0);
	engine_test_expect_dead(test, &pending->timer);
	engine_test_expect_dead(test, &idle->timer);
	KUNIT_EXPECT_EQ(test, twheel_mod_pending(&idle->timer, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_reduce(&idle->timer, 0), -ESHUTDOWN);
	engine_test_expect_counts(test, 1, 0, 1, 0);
}

static void shut_down_self(struct probe *probe)
{
	probe->ret = twheel_shutdown(&probe->timer) ?: twheel_add(&probe->timer, 0);
}

static void shutdown_in_its_own_callback(struct kunit *test)
{
	struct probe *probe = probe_spent(test, shut_down_self);

	KUNIT_EXPECT_EQ(test, probe->ret, -ESHUTDOWN);
	engine_test_expect_dead(test, &probe->timer);
}

static DECLARE_COMPLETION(static_ran);
static bool static_ran_in_process;

static void static_fn(struct twheel_timer *timer)
{
	static_ran_in_process = !in_softirq();
	complete(&static_ran);
}

static struct {
	unsigned int		other;
	struct twheel_timer	timer;
} static_member = {
	.timer = TWHEEL_TIMER_INIT(static_fn, TWHEEL_PROCESS),
};

static void static_member_needs_no_setup(struct kunit *test)
{
	unsigned long left;

	engine_test_expect_idle(test, &static_member.timer);
	KUNIT_EXPECT_EQ(test, twheel_add_after(&static_member.timer, 1), 0);
	left = wait_for_completion_timeout(&static_ran, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_NE(test, left, 0UL);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&static_member.timer), 0);
	KUNIT_EXPECT_TRUE(test, static_ran_in_process);
}

static void values_of_jiffies_are_deadlines(struct kunit *test)
{
	static const long ahead[] = { 0, 1, -1, 1000, -1000, MAX_JIFFY_OFFSET, -MAX_JIFFY_OFFSET };
	u64 before, got, after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ahead); i++) {
		before = get_jiffies_64();
		got = twheel_from_jiffies(jiffies + ahead[i]);
		after = get_jiffies_64();
		if (ahead[i] < 0 && before < 0 - (u64)ahead[i]) {
			KUNIT_EXPECT_EQ(test, got, 0ULL);
			continue;
		}
		KUNIT_EXPECT_GE(test, got - ahead[i], before);
		KUNIT_EXPECT_LE(test, got - ahead[i], after);
	}
}

static struct kunit_case port_cases[] = {
	KUNIT_CASE(mod_after_waits_whole_ticks),
	KUNIT_CASE(mod_pending_leaves_an_idle_timer_idle),
	KUNIT_CASE(mod_pending_moves_a_pending_timer),
	KUNIT_CASE(reduce_arms_an_idle_timer),
	KUNIT_CASE(reduce_keeps_the_earlier_deadline),
	KUNIT_CASE(reduce_of_a_timer_that_is_due),
	KUNIT_CASE(reduce_keeps_the_period),
	KUNIT_CASE(last_deadline_can_be_read),
	KUNIT_CASE(shutdown_ends_a_timer),
	KUNIT_CASE(shutdown_in_its_own_callback),
	KUNIT_CASE(static_member_needs_no_setup),
	KUNIT_CASE(values_of_jiffies_are_deadlines),
	{ }
};

ENGINE_TEST_SUITE(port);
