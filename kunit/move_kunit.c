// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: all timers of a wheel move to another wheel, as when a CPU goes offline
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include "wheel_test.h"

/* How far the hand of the new wheel is ahead of the hand of the old one. */
static const s64 hands[] = { -100000, -64, -1, 0, 1, 63, 64, 5000, 1000000 };

TEST_PARAM(hand, hands, "hand %+lld", *p);

#define START	(1ULL << 20)

/*
 * Moves all timers to a new wheel. The old one must be empty then, and each timer must expire
 * once, none early.
 */
static void move_all(struct wheel_test *wt, u64 clk)
{
	unsigned int armed = 0, budget = WHEEL_TEST_UNLIMITED;
	struct twheel_wheel *from = wt->wheel, *to;
	struct twheel_node *timer;
	struct test_timer *t;

	to = wheel_test_wheel(wt->test, clk);
	wt->wheel = to;
	wt->tick = clk;
	while ((timer = twheel_wheel_first(from)) && armed <= wt->size) {
		twheel_wheel_move(to, from, timer);
		t = container_of(timer, struct test_timer, timer);
		t->due = max(t->due, clk + 1);
		armed++;
	}
	KUNIT_EXPECT_EQ(wt->test, armed, wt->armed);

	KUNIT_EXPECT_EQ(wt->test, from->pending, 0ULL);
	KUNIT_EXPECT_TRUE(wt->test, !twheel_wheel_audit(from, false));
	KUNIT_EXPECT_NULL(wt->test, twheel_wheel_first(from));
	KUNIT_EXPECT_NULL(wt->test, twheel_wheel_expire(from, from->clk + 1000000, &budget));
	KUNIT_EXPECT_EQ(wt->test, twheel_wheel_next(from), TWHEEL_NEVER);
	kvfree(from);

	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

static void none_early_none_lost(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	struct wheel_test *wt;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 25);
	wt = wheel_test_start(test, START, 2000);
	wheel_test_arm(wt, 0, START + (1ULL << 40));
	for (i = 1; i < wt->size; i++)
		wheel_test_arm(wt, i, START + 1 + (prandom_u32_state(&rnd) >>
						   prandom_u32_state(&rnd) % 31));
	move_all(wt, START + hand);
}

/* An extended timer takes its new deadline along. */
static void extended_ones_too(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, START, 100);
	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, START + 1 + i * i);
		wheel_test_extend(wt, i, START + 1 + i * i * i);
	}
	move_all(wt, START + hand);
}

/* The CPU goes offline in the middle of a tick: some timers of the tick have expired. */
static void from_an_unfinished_tick(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	unsigned int i, budget = 4, fired = 0;
	struct wheel_test *wt;

	wt = wheel_test_start(test, START, 300);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, START + (i < 10 ? 10 : 10 * i));
	while (wheel_test_expire(wt, START + 10, &budget))
		fired++;
	KUNIT_ASSERT_EQ(test, fired, 3U);
	move_all(wt, START + 10 + hand);
}

/* The timers of a slot that is being moved down are found, too. */
static void from_an_unfinished_cascade(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	struct wheel_test *wt;
	unsigned int i, budget = 50;

	wt = wheel_test_start(test, START, 400);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, START + 640 + i % 64);
	wheel_test_expire(wt, START + 700, &budget);
	KUNIT_ASSERT_EQ(test, wt->wheel->cascaded, 49ULL);
	move_all(wt, START + 640 + hand);
}

static struct kunit_case move_cases[] = {
	KUNIT_CASE_PARAM(none_early_none_lost, hand_gen_params),
	KUNIT_CASE_PARAM(extended_ones_too, hand_gen_params),
	KUNIT_CASE_PARAM(from_an_unfinished_tick, hand_gen_params),
	KUNIT_CASE_PARAM(from_an_unfinished_cascade, hand_gen_params),
	{}
};

WHEEL_TEST_SUITE(move);
