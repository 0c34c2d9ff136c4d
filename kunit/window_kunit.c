// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers with a window, which extends from their deadline to their slack after it
 *
 * The wheel reads the window from the flags of the timer, which twheel_set_slack() sets.
 * slack_kunit.c tests twheel_set_slack() itself, on real ticks.
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include "race.h"
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

/* The wheel sleeps from each tick that it has asked for to the next. */
static void runs_in_its_window(struct kunit *test)
{
	struct wheel_test *wt;
	struct rnd_state rnd;
	unsigned int i;
	u64 d;

	prandom_seed_state(&rnd, 1);
	wt = start(test, 12345, 2000, test->param_value, 1);
	for (i = 0; i < wt->size; i++) {
		d = (u64)prandom_u32_state(&rnd) << 10 | prandom_u32_state(&rnd);
		wheel_test_arm(wt, i, 12345 + (d >> prandom_u32_state(&rnd) % 42));
	}
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The hand stops at every tick, so that slots are emptied as early as possible. */
static void runs_in_its_window_tick_by_tick(struct kunit *test)
{
	struct wheel_test *wt;
	struct rnd_state rnd;
	unsigned int i;
	u64 now;

	prandom_seed_state(&rnd, 2);
	wt = start(test, 4000, 2000, test->param_value, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 4001 + prandom_u32_state(&rnd) % 10000);
	for (now = 4001; now < 14200; now++) {
		wheel_test_run(wt, now);
		if (now % 16 == 0)
			wheel_test_audit(wt, false);
	}
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The timer is armed at each distance in turn, from where the hand then is. */
static void every_distance(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int distance;

	wt = start(test, 0, 1, test->param_value, 1);
	for (distance = 1; distance <= 9000; distance++) {
		wheel_test_arm(wt, 0, wt->wheel->clk + distance);
		wheel_test_visit_all(wt);
		KUNIT_ASSERT_EQ(test, wt->timers[0].fired, distance);
	}
}

static void jump_over_many_windows(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;
	u64 last;

	wt = start(test, 77, 1000, test->param_value, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 100 + i * i);
	last = wheel_test_window_end(wt, wt->size - 1);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, min(last, 1ULL << 42)), wt->size);
	wheel_test_audit(wt, false);
}

static void narrow_window_is_exact(struct kunit *test)
{
	static const u64 slack[] = { 1, 2, 63, 64, 126, 127 };
	struct wheel_test *wt;
	unsigned int i;

	/* These timers have a slack in their flags only, so each tick is checked. */
	wt = wheel_test_start(test, 0, 600);
	for (i = 0; i < wt->size; i++) {
		wt->timers[i].timer.flags =
			twheel_wheel_window_flags(slack[i % ARRAY_SIZE(slack)]);
		wheel_test_arm(wt, i, 10 + 97 * i);
	}
	wheel_test_visit_all(wt);
}

/* Exact timers and timers with windows share deadlines, and slots of every level. */
static void exact_timers_beside_stay_exact(struct kunit *test)
{
	static const u64 slack[] = { 0, 128, 0, 10000, 0, 600000, 0, 1ULL << 35 };
	struct wheel_test *wt;
	unsigned int i, n;

	wt = start(test, 500, 8 * 64 * TWHEEL_LVL_DEPTH, slack, ARRAY_SIZE(slack));
	for (i = 0; i < wt->size; i++) {
		n = i / 8 % TWHEEL_LVL_DEPTH;
		wheel_test_arm(wt, i, 500 + 70 * TWHEEL_LVL_GRAN(n) +
			       i / 8 / TWHEEL_LVL_DEPTH * (TWHEEL_LVL_GRAN(n) / 3 + 1));
	}
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The slack of an idle timer changes, from none to a wide window and back. */
static void slack_can_change_between_armings(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;

	wt = start(test, 0, 1, slacks, 1);
	for (i = 0; i < 40 * ARRAY_SIZE(slacks); i++) {
		wheel_test_window(wt, 0, slacks[i * 7 % ARRAY_SIZE(slacks)]);
		wheel_test_arm(wt, 0, wt->wheel->clk + 1 + i * 37);
		wheel_test_visit_all(wt);
		KUNIT_ASSERT_EQ(test, wt->timers[0].fired, i + 1);
	}
}

static void past_deadline_opens_the_window_now(struct kunit *test)
{
	static const u64 slack[] = { 128, 9000, 1 << 20 };
	struct wheel_test *wt;
	unsigned int i;

	wt = start(test, 100000, 30, slack, ARRAY_SIZE(slack));
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, i % 2 ? 0 : 100000 - i);
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The purpose of windows: fewer moves and fewer visits */

/* Within the reach of its level, a timer expires from the slot that it was put into. */
static void runs_in_place(struct kunit *test)
{
	unsigned int n, ahead, level, slot, chain;
	struct wheel_test *wt;
	u64 slack;

	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		slack = 2 * TWHEEL_LVL_GRAN(n);
		for (ahead = 1; ahead < TWHEEL_LVL_REACH - 1; ahead++) {
			wt = start(test, 1000, 1, &slack, 1);
			wheel_test_arm(wt, 0, 1000 + ahead * TWHEEL_LVL_GRAN(n) - ahead);
			wheel_test_where(wt, 0, &level, &slot, &chain);
			KUNIT_EXPECT_EQ(test, level, n);
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

static void wide_crowd_is_moved_once_at_most(struct kunit *test)
{
	unsigned int n = WHEEL_TEST_LONG(100000);
	u64 exact, wide;

	crowd(test, n, 0, &exact);
	KUNIT_EXPECT_GT(test, exact, n * 5ULL / 2);
	crowd(test, n, EIGHTH, &wide);
	KUNIT_EXPECT_LE(test, wide, (u64)n);
	kunit_info(test, "%u timers: exact ones moved %llu times, wide ones %llu",
		   n, exact, wide);
}

static void wide_crowd_needs_few_visits(struct kunit *test)
{
	unsigned int n = WHEEL_TEST_LONG(100000), exact, wide;
	u64 moves;

	exact = crowd(test, n, 0, &moves);
	KUNIT_EXPECT_GE(test, exact, n);
	wide = crowd(test, n, EIGHTH, &moves);
	/* The slots of level 2, each emptied by TWHEEL_CASCADE_MIN timers a tick. */
	KUNIT_EXPECT_LT(test, wide, HOUR / TWHEEL_LVL_GRAN(2) * 3 + n / 32);
	kunit_info(test, "%u timers: %u visits for exact ones, %u for wide ones",
		   n, exact, wide);
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

/* The budget ends a run in the middle of a slot, and the next run continues there. */
static void windows_are_cut_by_the_budget(struct kunit *test)
{
	static const u64 slack = 1000;
	struct wheel_test *wt;
	unsigned int i, left, fired = 0, slices = 0;

	wt = start(test, 0, 3000, &slack, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 700);
	do {
		left = 100;
		while (wheel_test_expire(wt, 1700, &left))
			fired++;
		wheel_test_audit(wt, false);
		slices++;
	} while (!left);
	KUNIT_EXPECT_EQ(test, fired, wt->size);
	KUNIT_EXPECT_GE(test, slices, 30U);
	wheel_test_expect_each_once(wt);
}

/* Changed deadlines */

static void extended_before_its_window(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int from, to;

	for (from = 0; from < TWHEEL_LVL_DEPTH; from++) {
		for (to = from; to < TWHEEL_LVL_DEPTH; to++) {
			wt = start(test, 1000, 1, test->param_value, 1);
			wheel_test_arm(wt, 0, 1000 + 5 * TWHEEL_LVL_GRAN(from));
			wheel_test_extend(wt, 0, 1000 + 99 * TWHEEL_LVL_GRAN(to));
			wheel_test_audit(wt, true);
			wheel_test_visit_all(wt);
			KUNIT_EXPECT_EQ(test, wt->timers[0].fired, 1U);
		}
	}
}

/* The deadline has passed, the window has not: the timer can still be pushed back. */
static void extended_in_its_window(struct kunit *test)
{
	static const u64 slack = 2 * 4096;
	struct wheel_test *wt;
	unsigned int by;
	u64 due = 9 * TWHEEL_LVL_GRAN(2) + 1;

	for (by = 0; by < 20000; by += 61) {
		wt = start(test, 0, 1, &slack, 1);
		wheel_test_arm(wt, 0, due);
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, due + 4000), 0U);
		wheel_test_audit(wt, false);
		wheel_test_extend(wt, 0, due + by);
		wheel_test_visit_all(wt);
		KUNIT_ASSERT_EQ(test, wt->timers[0].fired, 1U);
	}
}

/* The heartbeat: each beat is a new window, and costs hardly any moves. */
static void extended_on_every_tick(struct kunit *test)
{
	static const u64 slack = 256;
	struct wheel_test *wt;
	u64 now;

	wt = start(test, 0, 1, &slack, 1);
	wheel_test_arm(wt, 0, 1000);
	for (now = 1; now <= 20000; now++) {
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, now), 0U);
		wheel_test_extend(wt, 0, now + 1000);
		if (now % 8 == 0)
			wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), 20000ULL / 999 + 1);
	wheel_test_visit_all(wt);
}

static void changed_to_an_earlier_window(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;

	wt = start(test, 0, 400, test->param_value, 1);
	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, 5000000);
		wt->timers[i].due = 1 + i * 1000;
		twheel_wheel_change(wt->wheel, &wt->timers[i].timer,
				    wt->timers[i].due);
	}
	wheel_test_audit(wt, false);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

static void removed_at_every_stage(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i, ran = 0;
	u64 now;

	wt = start(test, 0, 1000, test->param_value, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 3000 + i % 1000);
	for (i = 0, now = 0; i < wt->size; i++, now += 13) {
		ran += wheel_test_run(wt, now);
		if (!twheel_wheel_pending(&wt->timers[i].timer))
			continue;
		wheel_test_remove(wt, i);
		wt->timers[i].fired++;
		wheel_test_audit(wt, false);
	}
	/* Some timers were removed in their window, before they expired. */
	KUNIT_EXPECT_LT(test, ran, wt->size - 3000 / 13);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* To another wheel, as when a CPU goes offline */

static const s64 hands[] = {
	-100000, -5000, -64, -1, 0, 1, 63, 64, 127, 128, 5000, 9000, 1000000,
};

TEST_PARAM(hand, hands, "hand %+lld", *p);

/* After the move, each timer expires in the window that it had before. */
static void moved_ones_keep_their_windows(struct kunit *test)
{
	static const u64 slack[] = { 0, 128, 8192, 600000, 40000000 };
	u64 clk, first = 1 << 20, hand = *(const s64 *)test->param_value;
	struct twheel_wheel *from, *to;
	struct twheel_node *timer;
	unsigned int i, left = 40;
	struct wheel_test *wt;
	struct test_timer *t;

	wt = start(test, first, 1000, slack, ARRAY_SIZE(slack));
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, first + 1 + i * i / 20);
	/* Some timers have expired, and one slot is half empty. */
	while (wheel_test_expire(wt, first + 5000, &left))
		;
	from = wt->wheel;
	clk = from->clk + hand;
	to = wheel_test_wheel(test, clk);
	wt->wheel = to;
	wt->tick = clk;
	for (i = 0; i < wt->size; i++) {
		t = &wt->timers[i];
		t->slack = max(wheel_test_window_end(wt, i), clk + 1) - t->due;
	}
	while ((timer = twheel_wheel_first(from)))
		twheel_wheel_move(to, from, timer);
	KUNIT_EXPECT_EQ(test, from->pending, 0ULL);
	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(from, false));
	kvfree(from);

	wheel_test_audit(wt, false);
	while (wt->armed) {
		wheel_test_visit(wt);
		wheel_test_audit(wt, false);
	}
	wheel_test_expect_each_once(wt);
}

/* Time */

static void crosses_32_bits(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;

	wt = start(test, (1ULL << 32) - 5000, 1000, test->param_value, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, (1ULL << 32) - 4999 + 10 * i);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* A window that ends after the end of time may never expire. */
static void window_over_the_end_of_time(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i, left;
	u64 now;

	wt = start(test, TWHEEL_NEVER - 20000, 200, test->param_value, 1);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, TWHEEL_NEVER - 19000 + 100 * i);
	for (now = TWHEEL_NEVER - 19999; now < TWHEEL_NEVER; now += 7) {
		left = WHEEL_TEST_UNLIMITED;
		while (wheel_test_expire(wt, now, &left))
			;
		KUNIT_ASSERT_NE(test, left, 0U);
	}
	wheel_test_audit(wt, false);
	for (i = 0; i < wt->size; i++)
		if (wheel_test_window_end(wt, i) < TWHEEL_NEVER - 7)
			KUNIT_EXPECT_EQ(test, wt->timers[i].fired, 1U);
}

static void never_has_no_window(struct kunit *test)
{
	struct wheel_test *wt;

	wt = start(test, 1000, 2, test->param_value, 1);
	wheel_test_arm(wt, 0, TWHEEL_NEVER);
	wheel_test_arm(wt, 1, U64_MAX);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 1ULL << 40), 0U);
	wheel_test_audit(wt, false);
	wheel_test_remove(wt, 0);
	wheel_test_remove(wt, 1);
}

/* Extensions against expiry from upper levels */

/*
 * The timers that the wheel takes next from level 1. The slot that is being emptied holds
 * the deadlines of the slot time before. It loses TWHEEL_CASCADE_MIN timers a tick.
 */
static unsigned int leaving_level_1(const struct race_plan *plan, u64 clk)
{
	u64 slot = clk >> TWHEEL_LVL_SHIFT(1), gone = clk & (TWHEEL_LVL_GRAN(1) - 1);

	if (!slot)
		return 0;
	slot = (slot - 1) << TWHEEL_LVL_SHIFT(1);
	return min_t(u64, slot * RACE_WIDTH + gone * TWHEEL_CASCADE_MIN,
		     plan->ticks * RACE_WIDTH);
}

static void races_with_expiry(struct kunit *test)
{
	static const struct race_plan plan = {
		.ticks	= WHEEL_TEST_LONG(12500),
		.slack	= 128,
		.reach	= 2 * TWHEEL_CASCADE_MIN,
		.first	= leaving_level_1,
	};

	race_run(test, &plan);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE_PARAM(level_fits_twice, slack_gen_params),
	KUNIT_CASE_PARAM(runs_in_its_window, slack_gen_params),
	KUNIT_CASE_PARAM(runs_in_its_window_tick_by_tick, slack_gen_params),
	KUNIT_CASE_PARAM(every_distance, slack_gen_params),
	KUNIT_CASE_PARAM(jump_over_many_windows, slack_gen_params),
	KUNIT_CASE(narrow_window_is_exact),
	KUNIT_CASE(exact_timers_beside_stay_exact),
	KUNIT_CASE(slack_can_change_between_armings),
	KUNIT_CASE(past_deadline_opens_the_window_now),
	KUNIT_CASE(runs_in_place),
	KUNIT_CASE(wide_one_is_moved_once_at_most),
	KUNIT_CASE(wide_crowd_is_moved_once_at_most),
	KUNIT_CASE(wide_crowd_needs_few_visits),
	KUNIT_CASE(crowd_is_spread_over_its_window),
	KUNIT_CASE(windows_are_cut_by_the_budget),
	KUNIT_CASE_PARAM(extended_before_its_window, slack_gen_params),
	KUNIT_CASE(extended_in_its_window),
	KUNIT_CASE(extended_on_every_tick),
	KUNIT_CASE_PARAM(changed_to_an_earlier_window, slack_gen_params),
	KUNIT_CASE_PARAM(removed_at_every_stage, slack_gen_params),
	KUNIT_CASE_PARAM(moved_ones_keep_their_windows, hand_gen_params),
	KUNIT_CASE_PARAM(crosses_32_bits, slack_gen_params),
	KUNIT_CASE_PARAM(window_over_the_end_of_time, slack_gen_params),
	KUNIT_CASE_PARAM(never_has_no_window, slack_gen_params),
	KUNIT_CASE(races_with_expiry),
	{}
};

WHEEL_TEST_SUITE(window);
