// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the hand, and the next visit
 */
#include "wheel_test.h"

/* A signed comparison mistakes some past deadlines for far ones. */
static void half_range_past(struct kunit *test)
{
	u64 start = (1ULL << 63) + 1000;
	struct wheel_test *wt = wheel_test_start(test, start, 3);

	wheel_test_arm(wt, 0, 0);
	wheel_test_arm(wt, 1, start - S64_MAX);
	wheel_test_arm(wt, 2, start - (1ULL << 63));
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, start + 1), 3U);
}

/* If the clock steps back, the hand stays. */
static void hand_never_goes_back(struct kunit *test)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED;
	struct wheel_test *wt = wheel_test_start(test, 1000, 1);

	wheel_test_arm(wt, 0, 1001);
	KUNIT_EXPECT_NULL(test, twheel_wheel_expire(wt->wheel, 500, &budget));
	twheel_wheel_forward(wt->wheel, 500);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 1000ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 1001), 1U);
}

static void next_is_exact_on_level_0(struct kunit *test)
{
	struct wheel_test *wt;
	u64 d;

	for (d = 1; d <= TWHEEL_LVL_REACH; d++) {
		wt = wheel_test_start(test, 100, 1);
		wheel_test_arm(wt, 0, 100 + d);
		/* A timer on level 1 may be visited once before. */
		if (100 + d < 2 * TWHEEL_LVL_GRAN(1) + TWHEEL_LVL_GRAN(1))
			KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), 100 + d);
		else
			KUNIT_EXPECT_LE(test, twheel_wheel_next(wt->wheel), 100 + d);
	}
}

/*
 * A crowd moves down three levels: twice TWHEEL_CASCADE_MIN timers a visit, and from level 1
 * within the 64 ticks of a slot. There are no other visits, as only a coming slot moves.
 */
static void next_of_a_crowd(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 100000);
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 1000000);
	KUNIT_EXPECT_LE(test, wheel_test_visit_all(wt),
			2 * (wt->size / TWHEEL_CASCADE_MIN + 1) + 64 + 1);
}

/* After a sleep, a new timer's level is chosen from the present time. */
static void forward_moves_a_sleeping_hand(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);

	wheel_test_arm(wt, 0, 1000000);
	twheel_wheel_forward(wt->wheel, 500000);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 500000ULL);
	wheel_test_audit(wt, false);
	wheel_test_arm(wt, 1, 500001);
	KUNIT_EXPECT_EQ(test, wheel_test_where(wt, 1).level, 0U);
	wheel_test_visit_all(wt);
}

static struct kunit_case time_cases[] = {
	KUNIT_CASE(half_range_past),
	KUNIT_CASE(hand_never_goes_back),
	KUNIT_CASE(next_is_exact_on_level_0),
	KUNIT_CASE(next_of_a_crowd),
	KUNIT_CASE(forward_moves_a_sleeping_hand),
	{}
};

WHEEL_TEST_SUITE(time);
