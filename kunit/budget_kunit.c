// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the work of a wheel, cut into slices by a budget
 */
#include <linux/prandom.h>
#include "wheel_test.h"

static const unsigned int budgets[] = { 1, 2, 3, 7, 63, 64, 65, 1000 };

TEST_PARAM(budget, budgets, "budget %u", *p);

/* Far and near timers, crowded and alone, some of them extended. */
static void arm_a_mix(struct wheel_test *wt)
{
	struct rnd_state rnd;
	unsigned int i;
	u64 d;

	prandom_seed_state(&rnd, 64);
	for (i = 0; i < wt->size; i++) {
		d = prandom_u32_state(&rnd) % (i % 3 ? 300000 : 3000);
		if (i % 10 == 0)
			d = 50000;
		wheel_test_arm(wt, i, 1 + d);
		if (i % 7 == 0)
			wheel_test_extend(wt, i, 1 + d + i);
	}
}

static void a_slice_is_bounded(struct kunit *test)
{
	unsigned int budget = *(const unsigned int *)test->param_value, left;
	struct wheel_test *wt = wheel_test_start(test, 0, 3000);
	unsigned int armed;
	u64 moves;

	arm_a_mix(wt);
	do {
		left = budget;
		armed = wt->armed;
		moves = wheel_test_moves(wt);
		while (wheel_test_expire(wt, 400000, &left))
			;
		KUNIT_ASSERT_LE(test, armed - wt->armed +
				wheel_test_moves(wt) - moves, (u64)budget);
	} while (!left);
	KUNIT_EXPECT_EQ(test, wt->armed, 0U);
}

/* The budget pays for each tick, and for each timer that is moved or expires. */
static void every_piece_of_work_counts(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 3000);
	unsigned int left, armed;
	u64 now, moves;

	arm_a_mix(wt);
	for (now = 1; wt->armed; now++) {
		left = 100000;
		armed = wt->armed;
		moves = wheel_test_moves(wt);
		while (wheel_test_expire(wt, now, &left))
			;
		KUNIT_ASSERT_EQ_MSG(test, 100000 - left,
				    1 + armed - wt->armed +
				    wheel_test_moves(wt) - moves,
				    "tick %llu", now);
	}
}

/* The hand skips ticks without work at no cost. */
static void idle_ticks_are_free(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	unsigned int budget = 64;

	wheel_test_arm(wt, 0, 1000000);
	KUNIT_EXPECT_TRUE(test, wheel_test_expire(wt, 2000000, &budget));
	KUNIT_EXPECT_FALSE(test, wheel_test_expire(wt, 2000000, &budget));
	KUNIT_EXPECT_GT(test, budget, 0U);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 2000000ULL);
}

/* The slot that is being moved down takes no new timers. */
static void insert_while_cascading(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 400);
	unsigned int i, budget = 50;

	for (i = 0; i < 200; i++)
		wheel_test_arm(wt, i, 640 + i % 64);
	/* Slot 10 of level 1 begins to move at tick 636, 64 timers a tick. */
	KUNIT_ASSERT_FALSE(test, wheel_test_expire(wt, 700, &budget));
	KUNIT_ASSERT_EQ(test, budget, 0U);
	KUNIT_ASSERT_EQ(test, wt->wheel->clk, 636ULL);
	KUNIT_ASSERT_EQ(test, wt->wheel->cascaded, 49ULL);
	for (; i < wt->size; i++)
		wheel_test_arm(wt, i, 640 + i % 64);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 703), wt->size);
	KUNIT_EXPECT_EQ(test, wt->wheel->cascaded, 200ULL);
}

/* A timer that its callback arms for now expires on the next tick, not on this one. */
static void rearm_now_once_a_tick(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 60, 1);
	u64 now;

	wheel_test_arm(wt, 0, 61);
	wt->rearm = true;
	for (now = 61; now <= 260; now++)
		KUNIT_EXPECT_EQ(test, wheel_test_run(wt, now), 1U);
	KUNIT_EXPECT_EQ(test, wt->timers[0].fired, 200U);
}

/* A crowd of one tick expires a thousand at a time, all on that tick. */
static void clump_is_cut(struct kunit *test)
{
	unsigned int timers = WHEEL_TEST_LONG(1000000), i, left, slices = 0, fired;
	struct wheel_test *wt = wheel_test_start(test, 0, timers);
	u64 moves;

	for (i = 0; i < timers; i++)
		wheel_test_arm(wt, i, 1000000);
	do {
		left = 1000;
		fired = 0;
		moves = wheel_test_moves(wt);
		while (wheel_test_expire(wt, 2000000, &left))
			fired++;
		KUNIT_ASSERT_LE(test, fired + wheel_test_moves(wt) - moves, 1000ULL);
		slices++;
		cond_resched();
	} while (!left);
	KUNIT_EXPECT_EQ(test, wt->armed, 0U);
	KUNIT_EXPECT_GE(test, slices, timers / 1000);
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE_PARAM(a_slice_is_bounded, budget_gen_params),
	KUNIT_CASE(every_piece_of_work_counts),
	KUNIT_CASE(idle_ticks_are_free),
	KUNIT_CASE(insert_while_cascading),
	KUNIT_CASE(rearm_now_once_a_tick),
	KUNIT_CASE(clump_is_cut),
	{}
};

WHEEL_TEST_SUITE(budget);
