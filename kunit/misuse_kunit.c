// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what a caller must not do is reported once, and its result is defined
 *
 * New kernels can keep a test's warnings out of the log. Older ones cannot, so
 * the cases are skipped there. After a second run without a new boot in between
 * nothing is reported any more; clear_warn_once in debugfs makes it as new.
 */
#include <linux/cpumask.h>
#include "engine_test.h"

#ifdef kunit_warning_suppress
/* Runs the block that follows. */
#define MISUSE(_test)	kunit_warning_suppress(_test)
#define EXPECT_REPORTS(_test, _n) \
	KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(_test, _n)
#else
/* Skips the case instead. */
#define MISUSE(_test) \
	kunit_skip(_test, "this kernel cannot suppress warnings");
#define EXPECT_REPORTS(_test, _n) do { } while (0)
#endif

static void add_of_a_pending_timer(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires = get_jiffies_64() + 2 * HZ;

	twheel_add(&probe->timer, expires);
	MISUSE(test) {
		KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires + HZ), -EBUSY);
		KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires - HZ), -EBUSY);
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, 0, 0), -EBUSY);
		KUNIT_EXPECT_EQ(test, twheel_add_after(&probe->timer, 0), -EBUSY);
		EXPECT_REPORTS(test, 1);
	}
	/* it keeps its deadline */
	KUNIT_EXPECT_GE(test, get_jiffies_64() +
			twheel_remaining(&probe->timer), expires);
	KUNIT_EXPECT_LE(test, get_jiffies_64() +
			twheel_remaining(&probe->timer), expires + 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
}

static void timer_that_was_not_set_up(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires = get_jiffies_64() + 1;

	memset(&probe->timer, 0, sizeof(probe->timer));
	MISUSE(test) {
		KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), -EINVAL);
		KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), -EINVAL);
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, expires, 0), -EINVAL);
		KUNIT_EXPECT_EQ(test, twheel_add_after(&probe->timer, 1), -EINVAL);
		EXPECT_REPORTS(test, 1);
	}
	KUNIT_EXPECT_FALSE(test, twheel_pending(&probe->timer));
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 0);
	twheel_setup(&probe->timer, probe_fn, 0);
}

static void cpu_that_cannot_be(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires = get_jiffies_64() + 1;

	MISUSE(test) {
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, expires, -1),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, expires,
						    nr_cpu_ids), -EINVAL);
		KUNIT_EXPECT_EQ(test, twheel_add_on(&probe->timer, expires,
						    INT_MAX), -EINVAL);
		EXPECT_REPORTS(test, 1);
	}
	KUNIT_EXPECT_FALSE(test, twheel_pending(&probe->timer));
}

static void unknown_flag_is_ignored(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires;

	MISUSE(test) {
		twheel_setup(&probe->timer, probe_fn, 0x80000000);
		EXPECT_REPORTS(test, 1);
	}
	expires = get_jiffies_64() + 1;
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
}

static void onstack_timer_left_pending(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	twheel_setup_onstack(&probe->timer, probe_fn, 0);
	twheel_add(&probe->timer, TWHEEL_NEVER);
	MISUSE(test) {
		twheel_destroy_onstack(&probe->timer);
		EXPECT_REPORTS(test, 1);
	}
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
}

static struct kunit_case misuse_cases[] = {
	KUNIT_CASE(add_of_a_pending_timer),
	KUNIT_CASE(timer_that_was_not_set_up),
	KUNIT_CASE(cpu_that_cannot_be),
	KUNIT_CASE(unknown_flag_is_ignored),
	KUNIT_CASE(onstack_timer_left_pending),
	{}
};

ENGINE_TEST_SUITE(misuse);
