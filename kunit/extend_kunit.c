// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: deadlines pushed back, while the timers stay in their slots
 */
#include "race.h"

static void moves_nothing(struct kunit *test)
{
	unsigned int level, slot, chain, was_level, was_slot;
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	u64 next;

	wheel_test_arm(wt, 0, 5000);
	next = twheel_wheel_next(wt->wheel);
	wheel_test_where(wt, 0, &was_level, &was_slot, &chain);
	wheel_test_extend(wt, 0, 5000000);
	wheel_test_where(wt, 0, &level, &slot, &chain);
	KUNIT_EXPECT_EQ(test, level, was_level);
	KUNIT_EXPECT_EQ(test, slot, was_slot);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), next);
	KUNIT_EXPECT_EQ(test, wheel_test_moves(wt), 0ULL);
	wheel_test_audit(wt, true);
}

/* The heartbeat: one beat a tick, and the wheel looks at the timer every 29 ticks. */
static void on_every_tick(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	unsigned int now;

	wheel_test_arm(wt, 0, 30);
	for (now = 1; now <= 3000; now++) {
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, now), 0U);
		wheel_test_extend(wt, 0, now + 30);
		wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), 3000ULL / 29 + 1);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 3029), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 3030), 1U);
}

static void dead_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	twheel_wheel_remove(wt->wheel, t, TWHEEL_DEAD);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 100));
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, U64_MAX));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), TWHEEL_DEAD);
}

/* The timers of the tick that the hand is at. */
static unsigned int due_now(const struct race_plan *plan, u64 clk)
{
	return min_t(u64, clk, plan->ticks - 1) * RACE_WIDTH;
}

static void races_with_expiry(struct kunit *test)
{
	static const struct race_plan plan = {
		.ticks	= WHEEL_TEST_LONG(20000),
		.reach	= 2 * RACE_WIDTH,
		.first	= due_now,
	};

	race_run(test, &plan);
}

static struct kunit_case extend_cases[] = {
	KUNIT_CASE(moves_nothing),
	KUNIT_CASE(on_every_tick),
	KUNIT_CASE(dead_is_refused),
	KUNIT_CASE(races_with_expiry),
	{}
};

WHEEL_TEST_SUITE(extend);
