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

/*
 * Moves all timers to a new wheel, with which the case continues. Returns the old wheel,
 * now empty, which the caller frees.
 */
static struct twheel_wheel *move_all(struct wheel_test *wt, u64 clk)
{
	struct twheel_wheel *from = wt->wheel, *to;
	struct twheel_node *timer;
	unsigned int armed = 0;
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
	return from;
}

static void expect_empty(struct kunit *test, struct twheel_wheel *from)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED;

	KUNIT_EXPECT_EQ(test, from->pending, 0ULL);
	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(from, false));
	KUNIT_EXPECT_NULL(test, twheel_wheel_first(from));
	KUNIT_EXPECT_NULL(test, twheel_wheel_expire(from, from->clk + 1000000,
						    &budget));
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(from), TWHEEL_NEVER);
	kvfree(from);
}

static void none_early_none_lost(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	u64 start = 1ULL << 20;
	struct twheel_wheel *from;
	struct wheel_test *wt;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 25);
	wt = wheel_test_start(test, start, 2000);
	wheel_test_arm(wt, 0, start + (1ULL << 40));
	for (i = 1; i < wt->size; i++)
		wheel_test_arm(wt, i, start + 1 + (prandom_u32_state(&rnd) >>
						   prandom_u32_state(&rnd) % 31));
	from = move_all(wt, start + hand);
	expect_empty(test, from);
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* An extended timer takes its new deadline along. */
static void extended_ones_too(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	u64 start = 1ULL << 20;
	struct twheel_wheel *from;
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, start, 100);
	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, start + 1 + i * i);
		wheel_test_extend(wt, i, start + 1 + i * i * i);
	}
	from = move_all(wt, start + hand);
	expect_empty(test, from);
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
}

/* The CPU goes offline in the middle of a tick: some timers of the tick have expired. */
static void from_an_unfinished_tick(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	u64 start = 1ULL << 20;
	unsigned int i, budget = 4, fired = 0;
	struct twheel_wheel *from;
	struct wheel_test *wt;

	wt = wheel_test_start(test, start, 300);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, start + (i < 10 ? 10 : 10 * i));
	while (wheel_test_expire(wt, start + 10, &budget))
		fired++;
	KUNIT_ASSERT_EQ(test, fired, 3U);
	from = move_all(wt, start + 10 + hand);
	/* The old wheel's tick is still unfinished. */
	expect_empty(test, from);
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The timers of a slot that is being moved down are found, too. */
static void from_an_unfinished_cascade(struct kunit *test)
{
	s64 hand = *(const s64 *)test->param_value;
	u64 start = 1ULL << 20;
	struct twheel_wheel *from;
	struct wheel_test *wt;
	unsigned int i, budget = 50;

	wt = wheel_test_start(test, start, 400);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, start + 640 + i % 64);
	wheel_test_expire(wt, start + 700, &budget);
	KUNIT_ASSERT_EQ(test, wt->wheel->cascaded, 49ULL);
	from = move_all(wt, start + 640 + hand);
	expect_empty(test, from);
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
}

static struct kunit_case move_cases[] = {
	KUNIT_CASE_PARAM(none_early_none_lost, hand_gen_params),
	KUNIT_CASE_PARAM(extended_ones_too, hand_gen_params),
	KUNIT_CASE_PARAM(from_an_unfinished_tick, hand_gen_params),
	KUNIT_CASE_PARAM(from_an_unfinished_cascade, hand_gen_params),
	{}
};

WHEEL_TEST_SUITE(move);
