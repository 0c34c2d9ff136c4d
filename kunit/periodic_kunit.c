// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that run again and again, on a grid of deadlines
 *
 * The suite twheel_grid has the wheel's part in it, where time is an argument;
 * twheel_periodic has the functions of twheel.h on real ticks. Whatever happens,
 * the points of the grid that have gone by are the callbacks that have run and
 * those that were reported missed.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "engine_test.h"
#include "wheel_test.h"

static u32 rest(u64 dividend, u32 divisor)
{
	u32 rest;

	div_u64_rem(dividend, divisor, &rest);
	return rest;
}

/* The wheel */

/**
 * struct grid - periodic timers, and what they have done
 * @wt: The wheel and the timers; &struct test_timer.due is the next deadline.
 * @missed: What has been reported missed, of all.
 * @ran: How often one has run.
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

/* Takes one timer: on its point, and pending for the first point to come. */
static bool grid_expire(struct grid *grid, u64 now, unsigned int *budget)
{
	struct wheel_test *wt = grid->wt;
	struct twheel_wheel *w = wt->wheel;
	struct twheel_timer *timer = wheel_test_next(w, now, budget);
	struct test_timer *t;
	u64 passed, missed;

	KUNIT_ASSERT_LT(wt->test, wt->calls++, WHEEL_TEST_UNLIMITED);
	if (!timer)
		return false;
	t = container_of(timer, struct test_timer, timer);
	KUNIT_ASSERT_EQ_MSG(wt->test, w->clk, t->due, "timer %td", t - wt->timers);
	KUNIT_ASSERT_EQ(wt->test, timer->last, t->due);
	KUNIT_ASSERT_EQ(wt->test, twheel_wheel_state(timer), TWHEEL_DUE);
	passed = twheel_wheel_begin(w, timer, now);
	missed = div_u64(now - t->due, timer->period);
	KUNIT_ASSERT_EQ_MSG(wt->test, passed, missed, "timer %td",
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

/* Goes from tick to tick as the wheel asks, up to the next timer; or %NULL. */
static struct twheel_timer *take_next(struct twheel_wheel *w, u64 *missed)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED;
	struct twheel_timer *timer;
	u64 next;

	do {
		next = twheel_wheel_next(w);
		if (next >= TWHEEL_NEVER)
			return NULL;
		timer = wheel_test_take(w, next, &budget, missed);
	} while (!timer && budget);
	return timer;
}

static const u32 periods[] = {
	1, 2, 7, 63, 64, 65, 100, 127, 128, 4095, 4096, 100000, 1 << 24, U32_MAX,
};

static void period_desc(const u32 *period, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "period %u", *period);
}

KUNIT_ARRAY_PARAM(period, periods, period_desc);

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

static void once_a_tick(struct kunit *test)
{
	struct grid grid;
	u64 now;

	grid_start(test, &grid, 0, 10);
	for (now = 0; now < 10; now++)
		grid_arm(&grid, now, 1, 1);
	for (now = 1; now <= 5000; now++)
		KUNIT_ASSERT_EQ(test, grid_run(&grid, now), 10U);
	KUNIT_EXPECT_EQ(test, grid.missed, 0ULL);
}

/* That is trap 15 for a periodic timer: one callback, and what it missed. */
static void trap15_jump_10000_is_one_callback(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;

	grid_start(test, &grid, 0, 1);
	grid_arm(&grid, 0, 10, period);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, 10000), 1U);
	KUNIT_EXPECT_EQ(test, grid.missed, (u64)(9990 / period));
	KUNIT_EXPECT_EQ(test, grid.wt->timers[0].due,
			10 + (9990 / period + 1ULL) * period);
	/* nothing is made up for */
	KUNIT_EXPECT_EQ(test, grid_run(&grid, grid.wt->timers[0].due - 1), 0U);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, grid.wt->timers[0].due), 1U);
	wheel_test_audit(grid.wt, false);
}

/* Time goes on by leaps of every length. */
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
	/* or it has shown nothing */
	KUNIT_EXPECT_GT(test, grid.ran, 3ULL);
	if (period < 100000)
		KUNIT_EXPECT_GT(test, grid.missed, 0ULL);
}

/* More of them than the budget allows: they fall behind, and all is counted. */
static void trap17_storm_is_cut_and_counted(struct kunit *test)
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
	/* each one's turn came after four ticks, as soon as it could */
	KUNIT_EXPECT_EQ(test, ended, 0ULL);
	KUNIT_EXPECT_GE(test, grid.ran, n / 4 * 39ULL);
	KUNIT_EXPECT_LE(test, grid.ran, n / 4 * 40ULL);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_GE_MSG(test, grid.wt->timers[i].fired, 9U, "%u", i);
	wheel_test_audit(grid.wt, false);
	grid_run(&grid, 50);
	KUNIT_EXPECT_EQ(test, grid.ran + grid.missed, n * 50ULL);
}

static void removed_for_good(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;

	grid_start(test, &grid, 0, 2);
	grid_arm(&grid, 0, 5, period);
	grid_arm(&grid, 1, 5, period);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, 5), 2U);
	wheel_test_remove(grid.wt, 0);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, 5 + (u64)period), 1U);
	KUNIT_EXPECT_EQ(test, grid.wt->timers[0].fired, 1U);
	wheel_test_remove(grid.wt, 1);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(grid.wt->wheel), TWHEEL_NEVER);
	wheel_test_audit(grid.wt, false);
}

/* The grid goes with the deadline, wherever that is moved to. */
static void extension_moves_the_grid(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;

	grid_start(test, &grid, 0, 1);
	grid_arm(&grid, 0, 5, period);
	grid_run(&grid, 5);
	wheel_test_extend(grid.wt, 0, grid.wt->timers[0].due + 3);
	while (grid.ran < 50)
		grid_run(&grid, twheel_wheel_next(grid.wt->wheel));
	KUNIT_EXPECT_EQ(test, grid.wt->wheel->clk, 8 + 49ULL * period);
}

static void change_moves_the_grid(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;

	grid_start(test, &grid, 0, 1);
	grid_arm(&grid, 0, 1000000, period);
	twheel_wheel_change(grid.wt->wheel, &grid.wt->timers[0].timer, 8);
	grid.wt->timers[0].due = 8;
	while (grid.ran < 50)
		grid_run(&grid, twheel_wheel_next(grid.wt->wheel));
	KUNIT_EXPECT_EQ(test, grid.wt->wheel->clk, 8 + 49ULL * period);
}

/*
 * To a wheel whose hand is further on, or behind, as when a CPU goes away: an
 * overdue timer runs at once, and the next time on its grid.
 */
static void moved_to_another_wheel_keeps_the_grid(struct kunit *test)
{
	static const s64 hands[] = { -500, -1, 0, 1, 63, 64, 1000 };
	u32 period = *(const u32 *)test->param_value;
	struct twheel_wheel *to;
	unsigned int i, runs;
	struct twheel_timer *t;
	struct grid grid;

	to = kvzalloc(sizeof(*to), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, to);
	for (i = 0; i < ARRAY_SIZE(hands); i++) {
		grid_start(test, &grid, 1000, 1);
		grid_arm(&grid, 0, 1001, period);
		t = &grid.wt->timers[0].timer;
		twheel_wheel_init(to, 1000 + hands[i]);
		twheel_wheel_move(to, grid.wt->wheel, t);
		for (runs = 0; runs < 4; runs++) {
			KUNIT_EXPECT_PTR_EQ(test, take_next(to, NULL), t);
			KUNIT_EXPECT_GE(test, to->clk, 1001ULL);
			KUNIT_EXPECT_EQ_MSG(test, rest(twheel_wheel_state(t) - 1001, period), 0U,
					    "hand %+lld, run %u: next at %llu",
					    hands[i], runs, twheel_wheel_state(t));
		}
	}
	kvfree(to);
}

/* It waits for the end of time with the others then, and is never idle. */
static void grid_ends_with_time(struct kunit *test)
{
	u32 period = *(const u32 *)test->param_value;
	struct grid grid;
	u64 ahead = 0;

	grid_start(test, &grid, TWHEEL_NEVER - 1000, 1);
	grid_arm(&grid, 0, TWHEEL_NEVER - 999, period);
	while (take_next(grid.wt->wheel, NULL)) {
		grid.ran++;
		ahead = min(grid.ran * period, 999ULL);
		KUNIT_ASSERT_EQ(test, twheel_wheel_state(&grid.wt->timers[0].timer),
				TWHEEL_NEVER - 999 + ahead);
	}
	KUNIT_EXPECT_EQ(test, ahead, 999ULL);
	KUNIT_EXPECT_EQ(test, grid.ran, 998 / period + 1ULL);
	wheel_test_audit(grid.wt, false);
	wheel_test_remove(grid.wt, 0);
}

static void armed_once_where_it_was_periodic(struct kunit *test)
{
	struct grid grid;

	grid_start(test, &grid, 0, 1);
	grid_arm(&grid, 0, 5, 5);
	KUNIT_EXPECT_EQ(test, grid_run(&grid, 12), 1U);
	wheel_test_remove(grid.wt, 0);
	grid_arm(&grid, 0, 20, 0);
	KUNIT_EXPECT_EQ(test, wheel_test_run(grid.wt, 20), 1U);
	KUNIT_EXPECT_EQ(test, grid.wt->armed, 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(grid.wt, 1000), 0U);
}

static void beside_timers_of_one_arming(struct kunit *test)
{
	unsigned int i, budget = WHEEL_TEST_UNLIMITED, once = 0, again = 0;
	struct twheel_timer *timer;
	struct wheel_test *wt;
	struct grid grid;
	u64 missed;

	grid_start(test, &grid, 0, 400);
	wt = grid.wt;
	for (i = 0; i < wt->size; i++)
		grid_arm(&grid, i, 1 + i / 2, i % 2 ? 50 : 0);
	while ((timer = wheel_test_take(wt->wheel, 200, &budget, &missed))) {
		if (timer->period) {
			again++;
			continue;
		}
		KUNIT_ASSERT_EQ(test, twheel_wheel_state(timer), TWHEEL_IDLE);
		KUNIT_ASSERT_EQ(test, missed, 0ULL);
		once++;
		wt->armed--;
	}
	KUNIT_EXPECT_EQ(test, once, 200U);
	/* the hand jumped to the end, and each is behind */
	KUNIT_EXPECT_EQ(test, again, 200U);
	wheel_test_audit(wt, false);
}

/* The grid is that of the deadlines, wherever in its window a callback runs. */
static void window_does_not_shift_the_grid(struct kunit *test)
{
	static const u64 slacks[] = { 128, 1000, 8192, 600000 };
	u32 period = *(const u32 *)test->param_value;
	u64 ran, missed, passed, due;
	struct twheel_timer *t;
	struct twheel_wheel *w;
	struct grid grid;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slacks); i++) {
		grid_start(test, &grid, 0, 1);
		w = grid.wt->wheel;
		t = &grid.wt->timers[0].timer;
		t->flags = twheel_wheel_window_flags(slacks[i]);
		grid_arm(&grid, 0, 500, period);
		missed = 0;
		due = 500;
		for (ran = 0; ran < 200; ran++) {
			KUNIT_ASSERT_PTR_EQ(test, take_next(w, &passed), t);
			KUNIT_ASSERT_GE(test, w->clk, due);
			KUNIT_ASSERT_LE(test, w->clk, due + slacks[i]);
			missed += passed;
			due = 500 + (ran + 1 + missed) * period;
			KUNIT_ASSERT_EQ(test, twheel_wheel_state(t), due);
			KUNIT_ASSERT_GT(test, due, w->clk);
		}
		wheel_test_audit(grid.wt, false);
	}
}

static struct kunit_case grid_cases[] = {
	KUNIT_CASE_PARAM(no_drift, period_gen_params),
	KUNIT_CASE(once_a_tick),
	KUNIT_CASE_PARAM(trap15_jump_10000_is_one_callback, period_gen_params),
	KUNIT_CASE_PARAM(ran_and_missed_make_up_the_grid, period_gen_params),
	KUNIT_CASE(trap17_storm_is_cut_and_counted),
	KUNIT_CASE_PARAM(removed_for_good, period_gen_params),
	KUNIT_CASE_PARAM(extension_moves_the_grid, period_gen_params),
	KUNIT_CASE_PARAM(change_moves_the_grid, period_gen_params),
	KUNIT_CASE_PARAM(moved_to_another_wheel_keeps_the_grid, period_gen_params),
	KUNIT_CASE_PARAM(grid_ends_with_time, period_gen_params),
	KUNIT_CASE(armed_once_where_it_was_periodic),
	KUNIT_CASE(beside_timers_of_one_arming),
	KUNIT_CASE_PARAM(window_does_not_shift_the_grid, period_gen_params),
	{}
};

WHEEL_TEST_SUITE(grid);

/* twheel_add_periodic() */

/**
 * struct beat - a periodic timer that checks each of its callbacks
 * @probe: The timer.
 * @period: Its period.
 * @start: Its first deadline.
 * @point: The deadline of the next callback.
 * @missed: Points that were reported missed.
 * @wrong: Callbacks that were early or not pending for the right point.
 * @then: What the callback does besides, or %NULL.
 */
struct beat {
	struct probe	probe;
	u32		period;
	u64		start;
	u64		point;
	u64		missed;
	unsigned int	wrong;
	void		(*then)(struct beat *beat);
};

static struct beat *beat_of(struct probe *probe)
{
	return container_of(probe, struct beat, probe);
}

static void beat_act(struct probe *probe)
{
	struct beat *beat = beat_of(probe);
	u64 missed = twheel_missed(&probe->timer);

	if (!probe->pending || probe->tick < beat->point + missed * beat->period)
		beat->wrong++;
	beat->missed += missed;
	beat->point += (missed + 1) * beat->period;
	if (twheel_wheel_state(&probe->timer) != beat->point)
		beat->wrong++;
	if (beat->then)
		beat->then(beat);
}

static struct beat *beat_new(struct kunit *test, void (*then)(struct beat *beat))
{
	struct beat *beat = kunit_kzalloc(test, sizeof(*beat), GFP_KERNEL);
	struct engine_test *et = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, beat);
	probe_setup(&beat->probe, beat_act);
	list_add_tail(&beat->probe.node, &et->probes);
	beat->then = then;
	return beat;
}

/* The deadline may turn out to be later: this may have taken some ticks. */
static int beat_arm(struct beat *beat, u64 expires, u32 period)
{
	int ret;

	engine_test_hold();
	beat->period = period;
	ret = twheel_add_periodic(&beat->probe.timer, expires, period);
	beat->start = twheel_wheel_state(&beat->probe.timer);
	beat->point = beat->start;
	engine_test_release();
	return ret;
}

static void beat_start(struct kunit *test, struct beat *beat, u64 expires,
		       u32 period)
{
	KUNIT_ASSERT_EQ(test, beat_arm(beat, expires, period), 0);
	KUNIT_EXPECT_GE(test, beat->start, expires);
}

/* What @test waits for are callbacks; each completes @ran once. */
static void beat_wait(struct kunit *test, struct beat *beat, unsigned int runs)
{
	while (READ_ONCE(beat->probe.runs) < runs)
		probe_wait(test, &beat->probe);
}

/* Disarms it; that it was pending is part of what is expected. */
static void beat_stop(struct kunit *test, struct beat *beat)
{
	unsigned int runs;

	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&beat->probe.timer), 1);
	runs = beat->probe.runs;
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	engine_test_pass(test, get_jiffies_64() + beat->period);
	KUNIT_EXPECT_EQ(test, beat->probe.runs, runs);
	engine_test_expect_idle(test, &beat->probe.timer);
}

static void runs_on_its_grid(struct kunit *test)
{
	static const u32 period[] = { 1, 2, 3, 5, 8 };
	struct beat *beat[ARRAY_SIZE(period)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(period); i++) {
		beat[i] = beat_new(test, NULL);
		beat_start(test, beat[i], get_jiffies_64() + 2, period[i]);
	}
	for (i = 0; i < ARRAY_SIZE(period); i++) {
		beat_wait(test, beat[i], 8);
		beat_stop(test, beat[i]);
		KUNIT_EXPECT_EQ(test, beat[i]->point, beat[i]->start + period[i] *
				(beat[i]->probe.runs + beat[i]->missed));
	}
}

static void next_run_is_at_most_a_period_away(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	unsigned int i;

	beat_start(test, beat, get_jiffies_64() + 1, 3);
	for (i = 0; i < 8; i++) {
		probe_wait(test, &beat->probe);
		KUNIT_EXPECT_TRUE(test, twheel_pending(&beat->probe.timer));
		KUNIT_EXPECT_LE(test, twheel_remaining(&beat->probe.timer), 3ULL);
	}
	beat_stop(test, beat);
}

/* Each callback is an arming that ended and one that began. */
static void callbacks_are_counted(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	unsigned int runs;

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 5);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&beat->probe.timer), 1);
	runs = beat->probe.runs;
	engine_test_expect_counts(test, runs + 1, runs, 1, 0);
}

static void cancel_from_outside_ends_it(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);

	beat_start(test, beat, get_jiffies_64() + ENGINE_TEST_FAR, 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&beat->probe.timer), 1);
	engine_test_expect_idle(test, &beat->probe.timer);
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
}

static void then_cancel(struct beat *beat)
{
	if (!--beat->probe.left)
		beat->probe.ret = twheel_cancel(&beat->probe.timer);
}

static void own_cancel_ends_it(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_cancel);

	beat->probe.left = 4;
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 4);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&beat->probe.timer), 0);
	engine_test_expect_counts(test, 5, 4, 1, 0);
	engine_test_pass(test, get_jiffies_64() + 2);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, 1);
	KUNIT_EXPECT_EQ(test, beat->probe.runs, 4U);
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	engine_test_expect_idle(test, &beat->probe.timer);
}

/* Cancelled from its callback, it may be freed there. */
struct mortal {
	struct twheel_timer	timer;
	unsigned int		left;
	struct completion	*gone;
};

static void mortal_fn(struct twheel_timer *timer)
{
	struct mortal *m = container_of(timer, struct mortal, timer);
	struct completion *gone = m->gone;

	if (--m->left)
		return;
	twheel_cancel(timer);
	memset(m, 0x5a, sizeof(*m));
	kfree(m);
	complete(gone);
}

static void cancelled_it_may_be_freed_in_its_callback(struct kunit *test)
{
	struct completion gone;
	struct mortal *m;
	unsigned int i;

	init_completion(&gone);
	for (i = 0; i < 20; i++) {
		m = kmalloc(sizeof(*m), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, m);
		m->left = 3;
		m->gone = &gone;
		twheel_setup(&m->timer, mortal_fn, 0);
		twheel_add_periodic(&m->timer, get_jiffies_64() + 1, 1 + i % 3);
	}
	for (i = 0; i < 20; i++)
		wait_for_completion(&gone);
	engine_test_expect_counts(test, 80, 60, 20, 0);
}

static void then_cancel_sync(struct beat *beat)
{
	beat->probe.ret = twheel_cancel_sync(&beat->probe.timer);
}

static void own_cancel_sync_is_refused(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_cancel_sync);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, -EDEADLK);
}

static void then_shutdown_sync(struct beat *beat)
{
	beat->probe.ret = twheel_shutdown_sync(&beat->probe.timer);
}

static void own_shutdown_is_refused(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_shutdown_sync);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, -EDEADLK);
}

static void then_try_cancel_sync(struct beat *beat)
{
	beat->probe.ret = twheel_try_cancel_sync(&beat->probe.timer);
}

static void own_try_cancel_sync_is_refused(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_try_cancel_sync);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, -EAGAIN);
}

/* The deadline it has now is void, and the grid begins at the new one. */
static void mod_moves_its_grid(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	struct twheel_timer *timer = &beat->probe.timer;

	engine_test_hold();
	beat_start(test, beat, get_jiffies_64() + 50, 3);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, get_jiffies_64() + 2), 1);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, twheel_wheel_state(timer) + 2), 1);
	beat->start = twheel_wheel_state(timer);
	beat->point = beat->start;
	engine_test_release();
	KUNIT_EXPECT_LT(test, beat->start, get_jiffies_64() + 50);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->point, beat->start + 3 * (beat->probe.runs +
							      beat->missed));
}

static void then_push_back(struct beat *beat)
{
	beat->point += 2;
	beat->probe.ret += twheel_mod(&beat->probe.timer, beat->point);
}

static void own_mod_moves_its_grid(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_push_back);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 4);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, (int)beat->probe.runs);
	KUNIT_EXPECT_EQ(test, beat->point,
			beat->start + 3 * beat->probe.runs + beat->missed);
}

/* Armed once */

static int once_add(struct twheel_timer *timer)
{
	return twheel_add(timer, get_jiffies_64() + 1);
}

static int once_add_after(struct twheel_timer *timer)
{
	return twheel_add_after(timer, 1);
}

static int once_add_on(struct twheel_timer *timer)
{
	return twheel_add_on(timer, get_jiffies_64() + 1,
			     cpumask_last(cpu_online_mask));
}

static int once_mod(struct twheel_timer *timer)
{
	return twheel_mod(timer, get_jiffies_64() + 1);
}

static int once_forward(struct twheel_timer *timer)
{
	return twheel_forward(timer, 2) ? 0 : -EINVAL;
}

static const struct once {
	const char	*name;
	int		(*arm)(struct twheel_timer *timer);
} arms[] = {
	{ "add", once_add },
	{ "add_after", once_add_after },
	{ "add_on", once_add_on },
	{ "mod", once_mod },
	{ "forward", once_forward },
};

static void once_desc(const struct once *once, char *desc)
{
	strscpy(desc, once->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(once, arms, once_desc);

static void first_be_periodic(struct probe *probe)
{
	if (probe->runs == 3)
		twheel_cancel(&probe->timer);
}

static void armed_once_it_runs_once(struct kunit *test)
{
	const struct once *once = test->param_value;
	struct probe *probe = probe_new(test, first_be_periodic);
	struct twheel_timer *timer = &probe->timer;

	KUNIT_ASSERT_EQ(test, 0,
			twheel_add_periodic(timer, get_jiffies_64() + 1, 1));
	while (READ_ONCE(probe->runs) < 3)
		probe_wait(test, probe);
	twheel_cancel_sync(timer);
	KUNIT_ASSERT_EQ(test, once->arm(timer), 0);
	while (READ_ONCE(probe->runs) < 4)
		probe_wait(test, probe);
	engine_test_pass(test, get_jiffies_64() + 3);
	KUNIT_EXPECT_EQ(test, probe->runs, 4U);
	KUNIT_EXPECT_FALSE(test, probe->pending);
	engine_test_expect_idle(test, timer);
}

/* What is refused */

static void period_of_nothing_is_refused(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;

	KUNIT_EXPECT_EQ(test, -EINVAL,
			twheel_add_periodic(timer, get_jiffies_64() + 1, 0));
	engine_test_expect_idle(test, timer);
	engine_test_expect_counts(test, 0, 0, 0, 0);
}

static void period_that_is_too_long_is_refused(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, U64_MAX),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, 1ULL << 32),
			-ERANGE);
	engine_test_expect_idle(test, timer);
	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

static void dead_one_is_refused(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	struct twheel_timer *timer = &beat->probe.timer;

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 1);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(timer), 1);
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN,
			twheel_add_periodic(timer, get_jiffies_64(), 1));
	engine_test_expect_dead(test, timer);
}

static void pending_one_is_refused(struct kunit *test)
{
#ifdef kunit_warning_suppress
	struct kunit_suppressed_warning *w = kunit_start_suppress_warning(test);
	struct twheel_timer *timer = &probe_far(test)->timer;

	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, get_jiffies_64(), 1),
			-EBUSY);
	kunit_end_suppress_warning(test, w);
	KUNIT_EXPECT_GT(test, twheel_remaining(timer), ENGINE_TEST_FAR / 2);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	engine_test_expect_counts(test, 1, 0, 1, 0);
#else
	kunit_skip(test, "this kernel cannot suppress warnings");
#endif
}

/* The grid begins there, too. */
static void start_in_the_past_means_the_next_tick(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	u64 before = get_jiffies_64(), after;

	KUNIT_EXPECT_EQ(test, beat_arm(beat, before - 5, 7), 0);
	after = get_jiffies_64();
	/* This tick, if the CPU has not come to it yet. */
	KUNIT_EXPECT_GE(test, beat->start, before);
	KUNIT_EXPECT_LE(test, beat->start, after + 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->point, beat->start + 7 * (beat->probe.runs +
							      beat->missed));
}

/* Slow callbacks, and ends under fire */

static void then_waste_ticks(struct beat *beat)
{
	ktime_t end = ktime_get() + 5 * (u64)NSEC_PER_SEC;
	u64 tick = get_jiffies_64() + beat->probe.left;

	while (time_before64(get_jiffies_64(), tick) && ktime_get() < end)
		cpu_relax();
	beat->probe.left = 0;
}

static void slow_callback_makes_it_miss(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_waste_ticks);

	beat->probe.left = 5;
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 4);
	beat_stop(test, beat);
	/* the five ticks but the one that the next callback stands for */
	KUNIT_EXPECT_GE(test, beat->missed, 4ULL);
}

static void missed_is_for_its_callback(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_waste_ticks);

	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
	beat->probe.left = 5;
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 2);
	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
	beat_stop(test, beat);
	KUNIT_EXPECT_GE(test, beat->missed, 4ULL);
	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
}

static long start_here(void *arg)
{
	struct beat *beat = arg;

	return beat_arm(beat, get_jiffies_64() + 1, 1);
}

/* On each CPU, while it runs on every tick, and in the midst of callbacks. */
static void shut_down_under_fire(struct kunit *test)
{
	unsigned int round, cpu, runs;
	struct beat *beat;

	for (round = 0; round < 5; round++) {
		for_each_online_cpu(cpu) {
			beat = beat_new(test, NULL);
			KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, start_here, beat), 0L);
			beat_wait(test, beat, 2);
			KUNIT_EXPECT_EQ(test, beat->probe.cpu, (int)cpu);
			KUNIT_EXPECT_EQ(test, 1,
					twheel_shutdown_sync(&beat->probe.timer));
			runs = beat->probe.runs;
			KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
			engine_test_pass(test, get_jiffies_64());
			KUNIT_EXPECT_EQ(test, beat->probe.runs, runs);
			KUNIT_EXPECT_FALSE(test, twheel_pending(&beat->probe.timer));
		}
	}
}

static void then_take_a_while(struct beat *beat)
{
	ktime_t end = ktime_get() + 2 * NSEC_PER_MSEC;

	complete(&beat->probe.ran);
	while (ktime_get() < end)
		cpu_relax();
	WRITE_ONCE(beat->probe.ret, beat->probe.runs);
}

static long cancel_while_it_runs(void *arg)
{
	struct beat *beat = arg;
	int ret;

	wait_for_completion_timeout(&beat->probe.ran, ENGINE_TEST_PATIENCE);
	ret = twheel_cancel_sync(&beat->probe.timer);
	/* where the callback got to by then */
	beat->probe.left = beat->probe.runs - READ_ONCE(beat->probe.ret);
	return ret;
}

static void cancel_sync_waits_for_its_callback(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask), round;
	unsigned int there = cpumask_last(cpu_online_mask);
	struct beat *beat;

	engine_test_needs_cpus(test, 2);
	for (round = 0; round < 5; round++) {
		beat = beat_new(test, then_take_a_while);
		work_on_cpu(there, start_here, beat);
		KUNIT_EXPECT_EQ(test, 1L,
				work_on_cpu(here, cancel_while_it_runs, beat));
		KUNIT_EXPECT_EQ(test, beat->probe.left, 0U);
		engine_test_expect_idle(test, &beat->probe.timer);
	}
}

/* twheel_forward() */

/**
 * struct step - a timer that goes forward by itself
 * @probe: The timer.
 * @interval: By how much at a time.
 * @start: Its first deadline.
 * @point: The deadline of the next callback.
 * @points: What twheel_forward() has returned so far.
 * @wrong: Callbacks that were early, or not idle, or got a wrong deadline.
 */
struct step {
	struct probe	probe;
	u64		interval;
	u64		start;
	u64		point;
	u64		points;
	unsigned int	wrong;
};

static void step_act(struct probe *probe)
{
	struct step *step = container_of(probe, struct step, probe);
	u64 points;

	if (probe->pending || probe->tick < step->point)
		step->wrong++;
	if (!probe->left || !--probe->left)
		return;
	points = twheel_forward(&probe->timer, step->interval);
	step->points += points;
	step->point += points * max(step->interval, 1ULL);
	if (!points || twheel_wheel_state(&probe->timer) != step->point ||
	    step->point <= probe->tick)
		step->wrong++;
}

static struct step *step_start(struct kunit *test, u64 interval, unsigned int runs)
{
	struct step *step = kunit_kzalloc(test, sizeof(*step), GFP_KERNEL);
	struct engine_test *et = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, step);
	probe_setup(&step->probe, step_act);
	list_add_tail(&step->probe.node, &et->probes);
	step->interval = interval;
	step->probe.left = runs;
	engine_test_hold();
	KUNIT_EXPECT_EQ(test, twheel_add_after(&step->probe.timer, 1), 0);
	step->start = twheel_wheel_state(&step->probe.timer);
	step->point = step->start;
	engine_test_release();
	return step;
}

static void step_wait(struct kunit *test, struct step *step, unsigned int runs)
{
	while (READ_ONCE(step->probe.runs) < runs)
		probe_wait(test, &step->probe);
	twheel_cancel_sync(&step->probe.timer);
	KUNIT_EXPECT_EQ(test, step->wrong, 0U);
	KUNIT_EXPECT_EQ(test, step->probe.runs, runs);
}

static void forward_does_not_drift(struct kunit *test)
{
	struct step *step[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		step[i] = step_start(test, 1 + i, 6);
	for (i = 0; i < 4; i++) {
		step_wait(test, step[i], 6);
		KUNIT_EXPECT_EQ(test, step[i]->point,
				step[i]->start + step[i]->points * (1 + i));
	}
	engine_test_expect_counts(test, 24, 24, 0, 0);
}

static void forward_by_nothing_is_by_one(struct kunit *test)
{
	struct step *step = step_start(test, 0, 4);

	step_wait(test, step, 4);
	KUNIT_EXPECT_GE(test, step->points, 3ULL);
}

/* How many points have gone by, however long that took. */
static void forward_counts_the_points(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	struct twheel_timer *timer = &probe->timer;
	u64 last, before, after, points, next;

	engine_test_hold();
	KUNIT_EXPECT_EQ(test, twheel_add_after(timer, 1), 0);
	last = twheel_wheel_state(timer);
	engine_test_release();
	probe_expect(test, probe, last);
	engine_test_pass(test, last + 25);

	engine_test_hold();
	before = get_jiffies_64();
	points = twheel_forward(timer, 7);
	after = get_jiffies_64();
	next = twheel_wheel_state(timer);
	engine_test_release();
	KUNIT_EXPECT_GE(test, points, div_u64(before - last, 7) + 1);
	KUNIT_EXPECT_LE(test, points, div_u64(after - last, 7) + 1);
	KUNIT_EXPECT_EQ(test, next, last + 7 * points);
	while (probe->runs < 2)
		probe_wait(test, probe);
	KUNIT_EXPECT_GE(test, probe->tick, next);
}

static void forward_of_a_new_timer_counts_from_tick_0(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 before = get_jiffies_64(), points;

	points = twheel_forward(timer, ENGINE_TEST_FAR);
	KUNIT_EXPECT_GE(test, points, div64_u64(before, ENGINE_TEST_FAR) + 1);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(timer), points * ENGINE_TEST_FAR);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

/* The grid is then that of the deadline that did not come. */
static void forward_of_a_cancelled_timer(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	twheel_add(timer, expires);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 100), 1ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(timer), expires + 100);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires + 150), 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 100), 1ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(timer), expires + 250);
	engine_test_expect_counts(test, 4, 0, 2, 1);
}

static void forward_of_a_pending_timer_does_nothing(struct kunit *test)
{
	struct twheel_timer *timer = &probe_far(test)->timer;
	u64 state = twheel_wheel_state(timer);

	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 1), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, U64_MAX), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(timer), state);
	engine_test_expect_counts(test, 1, 0, 0, 0);
}

static void forward_of_a_periodic_timer_does_nothing(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(&beat->probe.timer, 100), 0ULL);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
}

static void forward_of_a_dead_timer_does_nothing(struct kunit *test)
{
	struct probe *probe = probe_spent(test, NULL);

	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_forward(&probe->timer, 1), 0ULL);
	engine_test_expect_dead(test, &probe->timer);
}

static void forward_saturates(struct kunit *test)
{
	static const u64 intervals[] = { U64_MAX, TWHEEL_NEVER, 1ULL << 63, 10 };
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		twheel_add(timer, TWHEEL_NEVER - 5);
		twheel_cancel(timer);
		KUNIT_EXPECT_EQ(test, twheel_forward(timer, intervals[i]), 1ULL);
		KUNIT_EXPECT_EQ(test, twheel_wheel_state(timer), TWHEEL_NEVER);
		KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	}
}

static struct kunit_case periodic_cases[] = {
	KUNIT_CASE(runs_on_its_grid),
	KUNIT_CASE(next_run_is_at_most_a_period_away),
	KUNIT_CASE(callbacks_are_counted),
	KUNIT_CASE(cancel_from_outside_ends_it),
	KUNIT_CASE(own_cancel_ends_it),
	KUNIT_CASE(cancelled_it_may_be_freed_in_its_callback),
	KUNIT_CASE(own_cancel_sync_is_refused),
	KUNIT_CASE(own_shutdown_is_refused),
	KUNIT_CASE(own_try_cancel_sync_is_refused),
	KUNIT_CASE(mod_moves_its_grid),
	KUNIT_CASE(own_mod_moves_its_grid),
	KUNIT_CASE_PARAM(armed_once_it_runs_once, once_gen_params),
	KUNIT_CASE(period_of_nothing_is_refused),
	KUNIT_CASE(period_that_is_too_long_is_refused),
	KUNIT_CASE(dead_one_is_refused),
	KUNIT_CASE(pending_one_is_refused),
	KUNIT_CASE(start_in_the_past_means_the_next_tick),
	KUNIT_CASE(slow_callback_makes_it_miss),
	KUNIT_CASE(missed_is_for_its_callback),
	KUNIT_CASE(shut_down_under_fire),
	KUNIT_CASE(cancel_sync_waits_for_its_callback),
	KUNIT_CASE(forward_does_not_drift),
	KUNIT_CASE(forward_by_nothing_is_by_one),
	KUNIT_CASE(forward_counts_the_points),
	KUNIT_CASE(forward_of_a_new_timer_counts_from_tick_0),
	KUNIT_CASE(forward_of_a_cancelled_timer),
	KUNIT_CASE(forward_of_a_pending_timer_does_nothing),
	KUNIT_CASE(forward_of_a_periodic_timer_does_nothing),
	KUNIT_CASE(forward_of_a_dead_timer_does_nothing),
	KUNIT_CASE(forward_saturates),
	{}
};

ENGINE_TEST_SUITE(periodic);
