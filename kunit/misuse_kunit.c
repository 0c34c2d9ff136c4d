// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: a caller's mistake is reported once, and has a defined result
 *
 * New kernels can keep a test's warnings out of the log. Older kernels cannot, so the
 * cases are skipped there. If the suite runs twice without a boot in between, nothing is
 * reported the second time, unless clear_warn_once in debugfs was written to.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include "engine_test.h"

struct kunit_suppressed_warning;

#ifdef kunit_warning_suppress
static struct kunit_suppressed_warning *misuse_begin(struct kunit *test)
{
	return kunit_start_suppress_warning(test);
}

/* A mistake that another case has made already is not reported @again. */
static void misuse_end(struct kunit *test, struct kunit_suppressed_warning *w, bool again)
{
	kunit_end_suppress_warning(test, w);
	/* Only some kernels count a suppressed warning as reported once. */
	KUNIT_EXPECT_GE(test, kunit_suppressed_warning_count(w), again ? 0 : 1);
}
#else
static struct kunit_suppressed_warning *misuse_begin(struct kunit *test)
{
	kunit_skip(test, "this kernel cannot suppress warnings");
	return NULL;
}

static void misuse_end(struct kunit *test, struct kunit_suppressed_warning *w, bool again)
{
}
#endif

static void add_of_a_pending_timer(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 before = get_jiffies_64(), expires = before + ENGINE_TEST_FAR;

	twheel_add(timer, expires);
	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires + 9), -EBUSY);
	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires - 9), -EBUSY);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, 0, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, twheel_add_after(timer, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, 0, 1), -EBUSY);
	misuse_end(test, w, false);

	/* The timer keeps its deadline. */
	KUNIT_EXPECT_LE(test, twheel_remaining(timer), expires - before);
	KUNIT_EXPECT_GE(test, twheel_remaining(timer),
			expires - get_jiffies_64());
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	engine_test_expect_counts(test, 1, 0, 1, 0);
}

static void add_other(struct probe *probe)
{
	probe->ret = twheel_add(&probe->other->timer,
				get_jiffies_64() + ENGINE_TEST_FAR);
}

/* The callback of another timer of that tick gets the same result, and changes nothing. */
static void add_of_a_timer_that_is_due(struct kunit *test)
{
	struct probe *first = probe_new(test, add_other);
	struct probe *second = probe_new(test, NULL);
	struct kunit_suppressed_warning *w;
	u64 expires;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs run in tasks of their own");
	w = misuse_begin(test);
	first->other = second;
	engine_test_hold();
	expires = get_jiffies_64() + 1;
	twheel_add(&first->timer, expires);
	twheel_add(&second->timer, expires);
	while (!time_after64(get_jiffies_64(), expires))
		udelay(5);
	/* Warnings are suppressed for this task, so the callback must run on top of it. */
	preempt_disable();
	engine_test_release();
	while (!READ_ONCE(first->runs) &&
	       time_before64(get_jiffies_64(), expires + ENGINE_TEST_PATIENCE))
		udelay(5);
	preempt_enable();
	probe_expect(test, first, expires);
	misuse_end(test, w, true);

	KUNIT_EXPECT_EQ(test, first->ret, -EBUSY);
	probe_expect(test, second, expires);
	engine_test_expect_counts(test, 2, 2, 0, 0);
}

static void timer_that_was_not_set_up(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + 1;

	memset(timer, 0, sizeof(*timer));
	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, expires, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_add_after(timer, 1), -EINVAL);
	misuse_end(test, w, false);

	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));
	KUNIT_EXPECT_EQ(test, twheel_remaining(timer), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 0);
	twheel_setup(timer, probe_fn, 0);
}

static void cpu_that_cannot_be(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;

	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, 0, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, 0, nr_cpu_ids), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, 0, INT_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, 0, INT_MIN), -EINVAL);
	misuse_end(test, w, false);
	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));
}

static void unknown_flag_is_ignored(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct probe *probe = probe_new(test, NULL);
	u64 expires;

	twheel_setup(&probe->timer, probe_fn, 0x80000000);
	misuse_end(test, w, false);
	expires = get_jiffies_64() + 1;
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
}

static void onstack_timer_left_pending(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct twheel_timer timer;

	twheel_setup_onstack(&timer, probe_fn, 0);
	twheel_add(&timer, TWHEEL_NEVER);
	twheel_destroy_onstack(&timer);
	misuse_end(test, w, false);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&timer), 0);
}

static void destroyed_timer_is_not_armed(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct probe *probe = probe_new(test, NULL);
	struct twheel_timer *timer = &probe->timer;

	twheel_destroy(timer);
	KUNIT_EXPECT_EQ(test, twheel_add(timer, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 1), 0);
	misuse_end(test, w, false);
	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));

	/* Set up again, the timer works again. */
	twheel_setup(timer, probe_fn, 0);
	twheel_add(timer, get_jiffies_64() + 1);
	probe_wait(test, probe);
}

static void slack_of_a_pending_timer(struct kunit *test)
{
	struct kunit_suppressed_warning *w = misuse_begin(test);
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	twheel_add(timer, expires);
	twheel_set_slack(timer, 1000);
	misuse_end(test, w, false);
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(&timer->node), 0);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

static struct kunit_case misuse_cases[] = {
	KUNIT_CASE(add_of_a_pending_timer),
	KUNIT_CASE(add_of_a_timer_that_is_due),
	KUNIT_CASE(timer_that_was_not_set_up),
	KUNIT_CASE(cpu_that_cannot_be),
	KUNIT_CASE(unknown_flag_is_ignored),
	KUNIT_CASE(onstack_timer_left_pending),
	KUNIT_CASE(destroyed_timer_is_not_armed),
	KUNIT_CASE(slack_of_a_pending_timer),
	{}
};

ENGINE_TEST_SUITE(misuse);
