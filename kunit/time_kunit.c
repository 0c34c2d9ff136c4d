// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the hand, the next visit, and the beginning and end of time
 */
#include <linux/math64.h>
#include "wheel_test.h"

/* The kernel starts jiffies five minutes before 2^32. */
static void crosses_32_bits(struct kunit *test)
{
	u64 start = (1ULL << 32) - 5;
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, start, 1000);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, start + 1 + i * i);
	wheel_test_audit(wt, false);
	for (i = 1; i <= 10; i++) {
		wheel_test_run(wt, start + i);
		wheel_test_audit(wt, false);
	}
	wheel_test_visit_all(wt);
	KUNIT_EXPECT_GT(test, wt->wheel->clk, (u64)U32_MAX);
}

static const u64 ends[] = { 5, 63, 64, 65, 126, 127, 128, 129, 200, 5000, 300000,
			    1ULL << 40 };

TEST_PARAM(end, ends, "%llu before the end", *p);

/* The @i-th of @n deadlines spread over the @span ticks after @start. */
static u64 share_of(u64 start, u64 span, unsigned int i, unsigned int n)
{
	return start + max(1ULL, div_u64(span * i, n));
}

/*
 *	hand ... NEVER - 2, NEVER - 1 | NEVER, U64_MAX
 *	                     ^ the last deadline that comes
 */
static void end_of_time(struct kunit *test)
{
	u64 left = *(const u64 *)test->param_value;
	u64 start = U64_MAX - left;
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, start, 70);
	wheel_test_arm(wt, 0, TWHEEL_NEVER);
	wheel_test_arm(wt, 1, U64_MAX);
	wheel_test_arm(wt, 2, TWHEEL_NEVER - 1);
	for (i = 3; i < wt->size; i++)
		wheel_test_arm(wt, i, share_of(start, left - 2, i, wt->size));
	wheel_test_audit(wt, false);

	while (twheel_wheel_next(wt->wheel) < TWHEEL_NEVER) {
		wheel_test_visit(wt);
		wheel_test_audit(wt, false);
	}
	for (i = 2; i < wt->size; i++)
		KUNIT_EXPECT_EQ_MSG(test, wt->timers[i].fired, 1U, "timer %u", i);

	/* Timers of NEVER or later stay pending, and the hand stops before NEVER. */
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, U64_MAX), 0U);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, TWHEEL_NEVER - 1);
	KUNIT_EXPECT_EQ(test, wt->wheel->pending, 2ULL);
	wheel_test_remove(wt, 0);
	wheel_test_remove(wt, 1);
	wheel_test_audit(wt, false);
}

/* The same deadlines, in one jump. */
static void jump_to_the_end(struct kunit *test)
{
	u64 left = *(const u64 *)test->param_value;
	u64 start = U64_MAX - left;
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, start, 70);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, share_of(start, left - 2, i, wt->size));
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, U64_MAX), wt->size);
	wheel_test_audit(wt, false);
}

/* A signed comparison mistakes half of all deadlines for past ones. */
static void half_range_ahead(struct kunit *test)
{
	static const u64 starts[] = { 0, 1, 1ULL << 32, (1ULL << 63) - 5 };
	static const u64 far[] = { S64_MAX, 1ULL << 63, (1ULL << 63) + 1 };
	struct wheel_test *wt;
	unsigned int s, i;

	for (s = 0; s < ARRAY_SIZE(starts); s++) {
		wt = wheel_test_start(test, starts[s], ARRAY_SIZE(far));
		for (i = 0; i < wt->size; i++)
			wheel_test_arm(wt, i, starts[s] + far[i]);
		wheel_test_audit(wt, false);
		KUNIT_EXPECT_EQ(test, 0U, wheel_test_run(wt, starts[s] +
							 (1ULL << 40)));
		wheel_test_audit(wt, false);
		KUNIT_EXPECT_EQ(test, wt->wheel->pending, (u64)wt->size);
	}
}

static void half_range_past(struct kunit *test)
{
	u64 start = (1ULL << 63) + 1000;
	struct wheel_test *wt = wheel_test_start(test, start, 3);

	wheel_test_arm(wt, 0, 0);
	wheel_test_arm(wt, 1, start - S64_MAX);
	wheel_test_arm(wt, 2, start - (1ULL << 63));
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, start + 1), 3U);
}

/*
 * A timer waits on level n, and a later one is armed on a level below. The next visit must
 * not be later than the first timer.
 */
static void not_hidden_by_any_level(struct kunit *test)
{
	unsigned int n, m, visits;
	struct wheel_test *wt;
	u64 due;

	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		for (m = 0; m < n; m++) {
			due = 70 * TWHEEL_LVL_GRAN(n);
			wt = wheel_test_start(test, 0, 2);
			wheel_test_arm(wt, 0, due);
			/* The wheel sleeps until the slot must be moved down. */
			twheel_wheel_forward(wt->wheel, due - 2);
			KUNIT_ASSERT_EQ(test, wt->wheel->clk, due - 2);
			wheel_test_arm(wt, 1, due + 2 * TWHEEL_LVL_GRAN(m));
			for (visits = 0; !wt->timers[0].fired; visits++) {
				KUNIT_ASSERT_LE(test, due, wt->timers[0].due);
				KUNIT_ASSERT_LE(test, twheel_wheel_next(wt->wheel), due);
				wheel_test_visit(wt);
			}
			KUNIT_EXPECT_LE(test, visits, 2U);
			KUNIT_EXPECT_EQ(test, wt->timers[1].fired, 0U);
			wheel_test_visit_all(wt);
		}
	}
}

/* One jump skips whole levels. */
static void jump_over_all_levels(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, 12345, 40);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 12345 + (1ULL << i));
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 1ULL << 41), wt->size);
	wheel_test_audit(wt, false);
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

static void next_of_unfinished_tick(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);
	unsigned int budget = 2;

	wheel_test_arm(wt, 0, 10);
	wheel_test_arm(wt, 1, 10);
	/* The budget pays for the tick and the first timer. */
	KUNIT_EXPECT_TRUE(test, wheel_test_expire(wt, 20, &budget));
	KUNIT_EXPECT_EQ(test, budget, 0U);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), 10ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 20), 1U);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), TWHEEL_NEVER);
}

/* After a sleep, a new timer's level is chosen from the present time. */
static void forward_moves_a_sleeping_hand(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);
	unsigned int level, slot, chain;

	wheel_test_arm(wt, 0, 1000000);
	twheel_wheel_forward(wt->wheel, 500000);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 500000ULL);
	wheel_test_audit(wt, false);
	wheel_test_arm(wt, 1, 500001);
	wheel_test_where(wt, 1, &level, &slot, &chain);
	KUNIT_EXPECT_EQ(test, level, 0U);
	wheel_test_visit_all(wt);
}

static void forward_stops_before_a_visit(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);

	wheel_test_arm(wt, 0, 100);
	twheel_wheel_forward(wt->wheel, 100);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 0ULL);
	twheel_wheel_forward(wt->wheel, 5000);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 0ULL);
	twheel_wheel_forward(wt->wheel, 99);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 99ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 5000), 1U);
}

static struct kunit_case time_cases[] = {
	KUNIT_CASE(crosses_32_bits),
	KUNIT_CASE_PARAM(end_of_time, end_gen_params),
	KUNIT_CASE_PARAM(jump_to_the_end, end_gen_params),
	KUNIT_CASE(half_range_ahead),
	KUNIT_CASE(half_range_past),
	KUNIT_CASE(not_hidden_by_any_level),
	KUNIT_CASE(jump_over_all_levels),
	KUNIT_CASE(hand_never_goes_back),
	KUNIT_CASE(next_is_exact_on_level_0),
	KUNIT_CASE(next_of_a_crowd),
	KUNIT_CASE(next_of_unfinished_tick),
	KUNIT_CASE(forward_moves_a_sleeping_hand),
	KUNIT_CASE(forward_stops_before_a_visit),
	{}
};

WHEEL_TEST_SUITE(time);
