// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers with a window, which extends from their deadline to their slack after it
 *
 * The wheel reads the window from the flags of the timer, which twheel_set_slack() sets.
 * slack_kunit.c tests twheel_set_slack() itself, on real ticks.
 */
#include "slacks.h"
#include "wheel_test.h"

/* A wheel with idle timers: timer i has the i-th slack of @kinds, over and over. */
static struct wheel_test *start(struct kunit *test, u64 clk, unsigned int timers,
				const u64 *slack, unsigned int kinds)
{
	struct wheel_test *wt = wheel_test_start(test, clk, timers);
	unsigned int i;

	for (i = 0; i < timers; i++)
		wheel_test_window(wt, i, slack[i % kinds]);
	return wt;
}

/* Two slots of the chosen level fit into the window; two slots of the next do not. */
static void level_fits_twice(struct kunit *test)
{
	u64 slack = *(const u64 *)test->param_value;
	struct twheel_node t = { .flags = twheel_wheel_window_flags(slack) };
	unsigned int n = twheel_wheel_window_level(&t);

	KUNIT_EXPECT_LT(test, n, (unsigned int)TWHEEL_LVL_DEPTH);
	KUNIT_EXPECT_EQ(test, t.flags & ~TWHEEL_WINDOW_MASK, 0U);
	if (n)
		KUNIT_EXPECT_LE(test, TWHEEL_LVL_GRAN(n), slack / 2);
	if (n < TWHEEL_LVL_DEPTH - 1)
		KUNIT_EXPECT_GT(test, TWHEEL_LVL_GRAN(n + 1), slack / 2);
}

/* The purpose of windows: fewer moves and fewer visits */

/* Within the reach of its level, a timer expires from the slot that it was put into. */
static void runs_in_place(struct kunit *test)
{
	unsigned int n, ahead;
	struct wheel_test *wt;
	u64 slack;

	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		slack = 2 * TWHEEL_LVL_GRAN(n);
		for (ahead = 1; ahead < TWHEEL_LVL_REACH - 1; ahead++) {
			wt = start(test, 1000, 1, &slack, 1);
			wheel_test_arm(wt, 0, 1000 + ahead * TWHEEL_LVL_GRAN(n) - ahead);
			KUNIT_EXPECT_EQ(test, wheel_test_where(wt, 0).level, n);
			KUNIT_EXPECT_EQ(test, wheel_test_visit_all(wt), 1U);
			KUNIT_ASSERT_EQ(test, wheel_test_moves(wt), 0ULL);
		}
	}
}

/* An hour in ticks of a millisecond, and the most that timer_list may be late then. */
#define HOUR		3600000ULL
#define EIGHTH		(HOUR / 8)

static u64 moves_of_one(struct kunit *test, u64 expires, u64 slack)
{
	struct wheel_test *wt;

	wt = start(test, 0, 1, &slack, 1);
	wheel_test_arm(wt, 0, expires);
	wheel_test_visit_all(wt);
	return wheel_test_moves(wt);
}

static void wide_one_is_moved_once_at_most(struct kunit *test)
{
	u64 expires;

	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR, 0), 3ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR, EIGHTH), 1ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR / 8, 0), 2ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR / 8, EIGHTH / 8), 0ULL);
	/* A step that is no multiple of any granularity. */
	for (expires = HOUR; expires < 2 * HOUR; expires += 7919)
		KUNIT_ASSERT_LE(test, moves_of_one(test, expires, EIGHTH), 1ULL);
}

/* Expires @n timers in the second hour, visit by visit. Returns the number of visits. */
static unsigned int crowd(struct kunit *test, unsigned int n, u64 slack, u64 *moves)
{
	struct wheel_test *wt = start(test, 0, n, &slack, 1);
	unsigned int i, visits;

	for (i = 0; i < n; i++)
		wheel_test_arm(wt, i, HOUR + HOUR * i / n);
	visits = wheel_test_visit_all(wt);
	*moves = wheel_test_moves(wt);
	return visits;
}

static void wide_crowd_needs_few_moves_and_visits(struct kunit *test)
{
	unsigned int n = WHEEL_TEST_LONG(100000), exact, wide;
	u64 exact_moves, wide_moves;

	exact = crowd(test, n, 0, &exact_moves);
	wide = crowd(test, n, EIGHTH, &wide_moves);
	KUNIT_EXPECT_GT(test, exact_moves, n * 5ULL / 2);
	KUNIT_EXPECT_LE(test, wide_moves, (u64)n);
	KUNIT_EXPECT_GE(test, exact, n);
	/* The slots of level 2, each emptied by TWHEEL_CASCADE_MIN timers a tick. */
	KUNIT_EXPECT_LT(test, wide, HOUR / TWHEEL_LVL_GRAN(2) * 3 + n / 32);
	kunit_info(test, "%u timers: %llu moves and %u visits for exact ones, %llu and %u for wide",
		   n, exact_moves, exact, wide_moves, wide);
}

/* Though the hand stops at every tick, the timers do not all expire on one of them. */
static void crowd_is_spread_over_its_window(struct kunit *test)
{
	static const u64 slack = 2 * 4096;
	struct wheel_test *wt;
	unsigned int i, n = 100000, fired, most = 0;
	u64 now;

	wt = start(test, 0, n, &slack, 1);
	for (i = 0; i < n; i++)
		wheel_test_arm(wt, i, 20 * TWHEEL_LVL_GRAN(2));
	for (now = 1; wt->armed && now <= 22 * TWHEEL_LVL_GRAN(2); now++) {
		fired = wheel_test_run(wt, now);
		most = max(most, fired);
	}
	wheel_test_expect_each_once(wt);
	KUNIT_EXPECT_LE(test, most, TWHEEL_CASCADE_MIN);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE_PARAM(level_fits_twice, slack_gen_params),
	KUNIT_CASE(runs_in_place),
	KUNIT_CASE(wide_one_is_moved_once_at_most),
	KUNIT_CASE(wide_crowd_needs_few_moves_and_visits),
	KUNIT_CASE(crowd_is_spread_over_its_window),
	{}
};

WHEEL_TEST_SUITE(window);
