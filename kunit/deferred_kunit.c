// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that need process context, in the wheel
 *
 * The wheel defers such a timer when the timer is due: the timer stays pending until
 * the engine takes it. process_kunit.c tests the engine's part.
 */
#include <linux/mm.h>
#include "wheel_test.h"

/* A wheel with @n timers that need process context, armed for one tick. */
static struct wheel_test *deferred_start(struct kunit *test, unsigned int n,
					 u64 expires)
{
	struct wheel_test *wt = wheel_test_start(test, 0, n);
	unsigned int i;

	for (i = 0; i < n; i++) {
		wt->timers[i].timer.flags = TWHEEL_PROCESS;
		wheel_test_arm(wt, i, expires);
	}
	return wt;
}

/* Advances to @now: the wheel must return no timer, and have @n deferred ones. */
static void expect_deferred(struct wheel_test *wt, u64 now, unsigned int n)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED, deferred = 0;
	struct list_head *entry;

	KUNIT_EXPECT_NULL(wt->test, twheel_wheel_expire(wt->wheel, now, &budget));
	list_for_each(entry, &wt->wheel->deferred)
		deferred++;
	KUNIT_EXPECT_EQ(wt->test, deferred, n);
	wheel_test_audit(wt, true);
}

/* In another wheel, the timer is deferred again on the next tick. */
static void moved_where_it_waits(struct kunit *test)
{
	struct wheel_test *wt = deferred_start(test, 1, 10);
	struct twheel_wheel *from = wt->wheel, *to;
	struct twheel_node *t = &wt->timers[0].timer;

	expect_deferred(wt, 20, 1);
	to = wheel_test_wheel(test, 40);
	wt->wheel = to;
	/* A deferred timer is in no slot. */
	KUNIT_EXPECT_NULL(test, twheel_wheel_first(from));
	twheel_wheel_move(to, from, t);
	KUNIT_EXPECT_TRUE(test, list_empty(&from->deferred));
	KUNIT_EXPECT_EQ(test, from->pending, 0ULL);
	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(from, false));
	kvfree(from);
	expect_deferred(wt, 40, 0);
	expect_deferred(wt, 41, 1);
	KUNIT_EXPECT_TRUE(test, twheel_wheel_take(to, t, to->clk));
}

static void crowd_is_deferred_within_the_budget(struct kunit *test)
{
	struct wheel_test *wt = deferred_start(test, 1000, 10);
	unsigned int left, slices = 0;

	do {
		left = 100;
		KUNIT_EXPECT_NULL(test, twheel_wheel_expire(wt->wheel, 10, &left));
		wheel_test_audit(wt, false);
		slices++;
	} while (!left);
	KUNIT_EXPECT_GE(test, slices, 10U);
	expect_deferred(wt, 10, 1000);
}

static struct kunit_case deferred_cases[] = {
	KUNIT_CASE(moved_where_it_waits),
	KUNIT_CASE(crowd_is_deferred_within_the_budget),
	{}
};

WHEEL_TEST_SUITE(deferred);
