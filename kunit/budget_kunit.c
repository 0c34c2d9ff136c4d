// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the work of a wheel, cut into slices by a budget
 */
#include <linux/prandom.h>
#include "wheel_test.h"

static const unsigned int budgets[] = { 1, 2, 3, 7, 63, 64, 65, 1000 };

TEST_PARAM(budget, budgets, "budget %u", *p);

/* Far and near timers, crowded and alone, some of them extended. */
static void arm_a_mix(struct wheel_test *wt, u64 start)
{
	struct rnd_state rnd;
	unsigned int i;
	u64 d;

	prandom_seed_state(&rnd, 64);
	for (i = 0; i < wt->size; i++) {
		d = prandom_u32_state(&rnd) % (i % 3 ? 300000 : 3000);
		if (i % 10 == 0)
			d = 50000;
		wheel_test_arm(wt, i, start + 1 + d);
		if (i % 7 == 0)
			wheel_test_extend(wt, i, start + 1 + d + i);
	}
}

/* Each timer expires on its tick, as without a budget; wheel_test_expire() checks that. */
static void same_ticks_as_unlimited(struct kunit *test)
{
	unsigned int budget = *(const unsigned int *)test->param_value;
	u64 start = (1ULL << 24) - 100000;
	struct wheel_test *wt = wheel_test_start(test, start, 3000);

	arm_a_mix(wt, start);
	KUNIT_EXPECT_EQ(test, wt->size,
			wheel_test_run_sliced(wt, start + 400000, budget));
	wheel_test_expect_each_once(wt);
	wheel_test_audit(wt, true);
}

#define BUDGET_SLACK	20000

/* Timers with windows expire while their slots are moved down, within any budget. */
static void budgets_at_random(struct kunit *test)
{
	u64 start = (1ULL << 24) - 100000, now = start;
	struct wheel_test *wt = wheel_test_start(test, start, 3000);
	struct rnd_state rnd;
	unsigned int i, left;

	prandom_seed_state(&rnd, 1);
	for (i = 1; i < wt->size; i += 2)
		wheel_test_window(wt, i, BUDGET_SLACK);
	arm_a_mix(wt, start);
	while (wt->armed) {
		now += prandom_u32_state(&rnd) % 2000;
		do {
			left = 1 + prandom_u32_state(&rnd) % 300;
			while (wheel_test_expire(wt, now, &left))
				continue;
			wheel_test_audit(wt, true);
		} while (!left);
		for (i = 0; i < wt->size; i++)
			KUNIT_ASSERT_EQ_MSG(test, wt->timers[i].fired,
					    wt->timers[i].fired ||
					    wheel_test_window_end(wt, i) <= now,
					    "timer %u", i);
	}
}

/* A slice may end within a cascade, among the timers of a tick, or between ticks. */
static void rules_hold_between_slices(struct kunit *test)
{
	unsigned int budget = *(const unsigned int *)test->param_value, left;
	u64 start = (1ULL << 12) - 300;
	struct wheel_test *wt = wheel_test_start(test, start, 400);
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, start + 1 + (i % 2 ? i * 3 : 500));
	do {
		left = budget;
		while (wheel_test_expire(wt, start + 2000, &left))
			;
		wheel_test_audit(wt, false);
	} while (!left);
	KUNIT_EXPECT_EQ(test, wt->armed, 0U);
}

static void a_slice_is_bounded(struct kunit *test)
{
	unsigned int budget = *(const unsigned int *)test->param_value, left;
	struct wheel_test *wt = wheel_test_start(test, 0, 3000);
	unsigned int armed;
	u64 moves;

	arm_a_mix(wt, 0);
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

	arm_a_mix(wt, 0);
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

static void nothing_without_budget(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	unsigned int budget = 0;

	wheel_test_arm(wt, 0, 5);
	KUNIT_EXPECT_FALSE(test, wheel_test_expire(wt, 100, &budget));
	KUNIT_EXPECT_EQ(test, budget, 0U);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 0ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 100), 1U);
}

/* Two of four timers of tick 10 have expired; the hand is at 10. */
static struct wheel_test *stop_in_tick_10(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 8);
	unsigned int i, budget = 3;

	for (i = 0; i < 4; i++)
		wheel_test_arm(wt, i, 10);
	KUNIT_ASSERT_TRUE(test, wheel_test_expire(wt, 50, &budget));
	KUNIT_ASSERT_TRUE(test, wheel_test_expire(wt, 50, &budget));
	KUNIT_ASSERT_EQ(test, budget, 0U);
	KUNIT_ASSERT_EQ(test, wt->wheel->clk, 10ULL);
	KUNIT_ASSERT_EQ(test, wt->timers[0].fired + wt->timers[1].fired, 2U);
	return wt;
}

static void insert_between_slices(struct kunit *test)
{
	struct wheel_test *wt = stop_in_tick_10(test);

	wheel_test_arm(wt, 4, 5);
	wheel_test_arm(wt, 5, 10);
	wheel_test_arm(wt, 6, 11);
	wheel_test_arm(wt, 7, 30);
	wheel_test_audit(wt, false);
	/* The hand is at 10, so timers 4, 5 and 6 are due at 11. */
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 10), 2U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 11), 3U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 30), 1U);
}

static void remove_between_slices(struct kunit *test)
{
	struct wheel_test *wt = stop_in_tick_10(test);

	wheel_test_remove(wt, 3);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 50), 1U);
	KUNIT_EXPECT_EQ(test, wt->timers[2].fired, 1U);
	KUNIT_EXPECT_EQ(test, wt->timers[3].fired, 0U);
}

static void remove_all_between_slices(struct kunit *test)
{
	struct wheel_test *wt = stop_in_tick_10(test);

	wheel_test_remove(wt, 2);
	wheel_test_remove(wt, 3);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 50), 0U);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), TWHEEL_NEVER);
}

static void extend_between_slices(struct kunit *test)
{
	struct wheel_test *wt = stop_in_tick_10(test);

	wheel_test_extend(wt, 2, 40);
	wheel_test_extend(wt, 3, 10);
	wheel_test_audit(wt, true);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 39), 1U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 40), 1U);
	KUNIT_EXPECT_EQ(test, wt->timers[2].due, 40ULL);
}

static void rearm_between_slices(struct kunit *test)
{
	struct wheel_test *wt = stop_in_tick_10(test);

	/* One timer moves to a later tick, one to the tick that is under way. */
	wheel_test_remove(wt, 2);
	wheel_test_arm(wt, 2, 20);
	wheel_test_remove(wt, 3);
	wheel_test_arm(wt, 3, 10);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 10), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 11), 1U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 20), 1U);
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

static void remove_and_extend_while_cascading(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 200);
	unsigned int i, budget = 50;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 640 + i % 64);
	KUNIT_ASSERT_FALSE(test, wheel_test_expire(wt, 700, &budget));
	for (i = 0; i < wt->size; i += 2) {
		if (i % 4)
			wheel_test_remove(wt, i);
		else
			wheel_test_extend(wt, i, 704 + 5 * i);
	}
	wheel_test_audit(wt, true);
	KUNIT_EXPECT_EQ(test, wheel_test_run_sliced(wt, 703, 7), 100U);
	KUNIT_EXPECT_EQ(test, wheel_test_run_sliced(wt, 2000, 7), 50U);
	wheel_test_audit(wt, true);
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

static void rearm_now_in_a_jump(struct kunit *test)
{
	unsigned int budget = *(const unsigned int *)test->param_value, i;
	struct wheel_test *wt = wheel_test_start(test, 60, 10);

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 61);
	wt->rearm = true;
	KUNIT_EXPECT_EQ(test, wheel_test_run_sliced(wt, 260, budget), 2000U);
	for (i = 0; i < wt->size; i++)
		KUNIT_EXPECT_EQ(test, wt->timers[i].fired, 200U);
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
	KUNIT_CASE_PARAM(same_ticks_as_unlimited, budget_gen_params),
	KUNIT_CASE(budgets_at_random),
	KUNIT_CASE_PARAM(rules_hold_between_slices, budget_gen_params),
	KUNIT_CASE_PARAM(a_slice_is_bounded, budget_gen_params),
	KUNIT_CASE(every_piece_of_work_counts),
	KUNIT_CASE(idle_ticks_are_free),
	KUNIT_CASE(nothing_without_budget),
	KUNIT_CASE(insert_between_slices),
	KUNIT_CASE(remove_between_slices),
	KUNIT_CASE(remove_all_between_slices),
	KUNIT_CASE(extend_between_slices),
	KUNIT_CASE(rearm_between_slices),
	KUNIT_CASE(insert_while_cascading),
	KUNIT_CASE(remove_and_extend_while_cascading),
	KUNIT_CASE(rearm_now_once_a_tick),
	KUNIT_CASE_PARAM(rearm_now_in_a_jump, budget_gen_params),
	KUNIT_CASE(clump_is_cut),
	{}
};

WHEEL_TEST_SUITE(budget);
