// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: periodic timers in the wheel: each runs on a grid of deadlines
 *
 * Whatever happens, each point of the grid that has passed is either a callback that
 * ran or a point that was reported missed. periodic_kunit.c tests the functions of
 * twheel.h, on real ticks.
 */
#include <linux/math64.h>
#include <linux/prandom.h>
#include "wheel_test.h"

/**
 * struct grid - periodic timers, and what they have done
 * @wt: The wheel and the timers; &struct test_timer.due is the next deadline.
 * @missed: Number of points that were reported missed, of all timers.
 * @ran: Number of callbacks of all timers.
 */
struct grid {
	struct wheel_test	*wt;
	u64			missed;
	u64			ran;
};

static void grid_start(struct kunit *test, struct grid *grid, u64 clk,
		       unsigned int timers)
{
	grid->wt = wheel_test_start(test, clk, timers);
	grid->missed = 0;
	grid->ran = 0;
}

static void grid_arm(struct grid *grid, unsigned int i, u64 expires, u32 period)
{
	grid->wt->timers[i].timer.period = period;
	wheel_test_arm(grid->wt, i, expires);
}

/* Takes one timer, which must be at its point, and then pending for the next one. */
static bool grid_expire(struct grid *grid, u64 now, unsigned int *budget)
{
	struct wheel_test *wt = grid->wt;
	struct twheel_wheel *w = wt->wheel;
	struct twheel_node *timer = twheel_wheel_expire(w, now, budget);
	struct test_timer *t;
	u64 missed;

	KUNIT_ASSERT_LT(wt->test, wt->calls++, WHEEL_TEST_UNLIMITED);
	if (!timer)
		return false;
	t = container_of(timer, struct test_timer, timer);
	KUNIT_ASSERT_EQ_MSG(wt->test, w->clk, t->due, "timer %td", t - wt->timers);
	KUNIT_ASSERT_EQ(wt->test, w->last, t->due);
	missed = div_u64(now - t->due, timer->period);
	KUNIT_ASSERT_EQ_MSG(wt->test, w->missed, missed, "timer %td",
			    t - wt->timers);
	t->due += (missed + 1) * timer->period;
	KUNIT_ASSERT_EQ_MSG(wt->test, twheel_wheel_state(timer), t->due, "timer %td",
			    t - wt->timers);
	t->fired++;
	grid->ran++;
	grid->missed += missed;
	return true;
}

static unsigned int grid_run(struct grid *grid, u64 now)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED, ran = 0;

	while (grid_expire(grid, now, &budget))
		ran++;
	KUNIT_ASSERT_EQ(grid->wt->test, grid->wt->wheel->clk, now);
	return ran;
}

static const u32 periods[] = {
	1, 2, 7, 63, 64, 65, 100, 127, 128, 4095, 4096, 100000, 1 << 24, U32_MAX,
};

TEST_PARAM(period, periods, "period %u", *p);

/* The wheel sleeps from one point to the next. */
static void no_drift(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;
	u64 next;

	grid_start(test, &grid, 1000, 1);
	grid_arm(&grid, 0, 1234, period);
	while (grid.ran < 2000) {
		next = twheel_wheel_next(grid.wt->wheel);
		KUNIT_ASSERT_LE(test, next, grid.wt->timers[0].due);
		grid_run(&grid, next);
		if (grid.ran % 64 == 0)
			wheel_test_audit(grid.wt, false);
	}
	KUNIT_EXPECT_EQ(test, grid.wt->wheel->clk, 1234 + 1999ULL * period);
	KUNIT_EXPECT_EQ(test, grid.missed, 0ULL);
}

/* After a jump, a periodic timer has one callback, which reports the points missed. */
static void jump_10000_is_one_callback(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;

	grid_start(test, &grid, 0, 1);
	grid_arm(&grid, 0, 10, period);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, 10000), 1U);
	KUNIT_EXPECT_EQ(test, grid.missed, (u64)(9990 / period));
	KUNIT_EXPECT_EQ(test, grid.wt->timers[0].due,
			10 + (9990 / period + 1ULL) * period);
	/* Missed points get no callbacks later. */
	KUNIT_EXPECT_EQ(test, grid_run(&grid, grid.wt->timers[0].due - 1), 0U);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, grid.wt->timers[0].due), 1U);
	wheel_test_audit(grid.wt, false);
}

/* Time advances by leaps of every length. */
static void ran_and_missed_make_up_the_grid(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct rnd_state rnd;
	struct grid grid;
	unsigned int i;
	u64 now = 77;

	prandom_seed_state(&rnd, period);
	grid_start(test, &grid, now, 3);
	for (i = 0; i < 3; i++)
		grid_arm(&grid, i, 78 + i * 1000, period);
	for (i = 0; i < 3000; i++) {
		now += prandom_u32_state(&rnd) >> prandom_u32_state(&rnd) % 32;
		grid_run(&grid, now);
	}
	wheel_test_audit(grid.wt, false);
	KUNIT_EXPECT_EQ(test, grid.ran + grid.missed,
			div_u64(now - 78, period) + 1 +
			div_u64(now - 1078, period) + 1 +
			div_u64(now - 2078, period) + 1);
	/* A run in which little happens shows nothing. */
	KUNIT_EXPECT_GT(test, grid.ran, 3ULL);
	if (period < 100000)
		KUNIT_EXPECT_GT(test, grid.missed, 0ULL);
}

/* The timers are more than the budget allows: they fall behind, and no point is lost. */
static void storm_is_cut_and_counted(struct kunit *test)
{
	unsigned int i, n = WHEEL_TEST_LONG(100000), left;
	struct grid grid;
	u64 now, ended = 0;

	grid_start(test, &grid, 0, n);
	for (i = 0; i < n; i++)
		grid_arm(&grid, i, 1, 1);
	for (now = 1; now <= 40; now++) {
		left = n / 4;
		while (grid_expire(&grid, now, &left))
			;
		ended += !!left;
	}
	/* A quarter of the timers runs each tick, so each timer runs every four ticks. */
	KUNIT_EXPECT_EQ(test, ended, 0ULL);
	KUNIT_EXPECT_GE(test, grid.ran, n / 4 * 39ULL);
	KUNIT_EXPECT_LE(test, grid.ran, n / 4 * 40ULL);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_GE_MSG(test, grid.wt->timers[i].fired, 9U, "%u", i);
	wheel_test_audit(grid.wt, false);
	grid_run(&grid, 50);
	KUNIT_EXPECT_EQ(test, grid.ran + grid.missed, n * 50ULL);
}

static struct kunit_case grid_cases[] = {
	KUNIT_CASE_PARAM(no_drift, period_gen_params),
	KUNIT_CASE_PARAM(jump_10000_is_one_callback, period_gen_params),
	KUNIT_CASE_PARAM(ran_and_missed_make_up_the_grid, period_gen_params),
	KUNIT_CASE(storm_is_cut_and_counted),
	{}
};

WHEEL_TEST_SUITE(grid);
