// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers with a window, from their deadline to their slack after it
 *
 * The wheel is told of a window by the timer's flags, as twheel_set_slack() sets
 * them. A second suite has that function, on real ticks.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include "engine_test.h"
#include "wheel_test.h"

/**
 * struct windows - a wheel whose timers have windows
 * @wt: The wheel and the timers.
 * @slack: Timer i has the slack i modulo @kinds of these.
 * @kinds: How many they are.
 */
struct windows {
	struct wheel_test	*wt;
	const u64		*slack;
	unsigned int		kinds;
};

static u64 later(u64 from, u64 by)
{
	return by > U64_MAX - from ? U64_MAX : from + by;
}

static u64 window_end(const struct windows *win, unsigned int i)
{
	return later(win->wt->timers[i].due, win->slack[i % win->kinds]);
}

static void start(struct kunit *test, struct windows *win, u64 clk,
		  unsigned int timers)
{
	struct wheel_test *wt = wheel_test_start(test, clk, timers);
	unsigned int i;

	win->wt = wt;
	for (i = 0; i < timers; i++)
		wt->timers[i].timer.flags =
			twheel_wheel_window_flags(win->slack[i % win->kinds]);
}

/* Takes one timer and checks that this is in its window. */
static bool expire(struct windows *win, u64 now, unsigned int *budget)
{
	struct wheel_test *wt = win->wt;
	struct twheel_timer *timer;
	struct test_timer *t;
	unsigned int i;

	timer = wheel_test_take(wt->wheel, now, budget, NULL);
	KUNIT_ASSERT_LT(wt->test, wt->calls++, WHEEL_TEST_UNLIMITED);
	KUNIT_ASSERT_GE(wt->test, wt->wheel->clk, wt->tick);
	wt->tick = wt->wheel->clk;
	if (!timer)
		return false;

	t = container_of(timer, struct test_timer, timer);
	i = t - wt->timers;
	KUNIT_ASSERT_GE_MSG(wt->test, wt->tick, t->due, "timer %u", i);
	KUNIT_ASSERT_LE_MSG(wt->test, wt->tick, window_end(win, i),
			    "timer %u of %llu", i, t->due);
	KUNIT_ASSERT_EQ(wt->test, twheel_wheel_state(timer), TWHEEL_IDLE);
	wt->armed--;
	t->fired++;
	return true;
}

/* Advances the hand to @now at once. Returns how many timers ran. */
static unsigned int run(struct windows *win, u64 now)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED, fired = 0;

	while (expire(win, now, &budget))
		fired++;
	KUNIT_ASSERT_EQ(win->wt->test, win->wt->wheel->clk, now);
	return fired;
}

/*
 * Visits no tick but those that the wheel asks for, until nothing waits any
 * more. Returns how many they are.
 */
static unsigned int visit_all(struct windows *win)
{
	struct wheel_test *wt = win->wt;
	unsigned int visits = 0;
	u64 next;

	while ((next = twheel_wheel_next(wt->wheel)) < TWHEEL_NEVER) {
		KUNIT_ASSERT_GT(wt->test, next, wt->wheel->clk);
		run(win, next);
		visits++;
	}
	KUNIT_ASSERT_EQ(wt->test, wt->armed, 0U);
	return visits;
}

static void expect_each_once(struct windows *win)
{
	struct wheel_test *wt = win->wt;
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		KUNIT_EXPECT_EQ_MSG(wt->test, wt->timers[i].fired, 1U,
				    "timer %u", i);
}

/* Each about where a level begins to fit, and what is beyond all. */
static const u64 slacks[] = {
	0, 1, 64, 127, 128, 129, 1000, 8191, 8192, 8193, 100000, 524287, 524288,
	33554431, 33554432, 2147483647, 2147483648, 1ULL << 40, U64_MAX,
};

static void slack_desc(const u64 *slack, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "slack %llu", *slack);
}

KUNIT_ARRAY_PARAM(slack, slacks, slack_desc);

/* Two slots of the level fit into the window, and none of the one above. */
static void level_fits_twice(struct kunit *test)
{
	u64 slack = *(const u64 *)test->param_value;
	struct twheel_timer t = { .flags = twheel_wheel_window_flags(slack) };
	unsigned int n = twheel_wheel_window_level(&t);

	KUNIT_EXPECT_LT(test, n, (unsigned int)TWHEEL_LVL_DEPTH);
	KUNIT_EXPECT_EQ(test, t.flags & ~TWHEEL_WINDOW_MASK, 0U);
	if (n)
		KUNIT_EXPECT_LE(test, TWHEEL_LVL_GRAN(n), slack / 2);
	if (n < TWHEEL_LVL_DEPTH - 1)
		KUNIT_EXPECT_GT(test, TWHEEL_LVL_GRAN(n + 1), slack / 2);
}

/* Where the wheel sleeps from one tick that it has asked for to the next. */
static void runs_in_its_window(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	struct rnd_state rnd;
	unsigned int i;
	u64 d;

	prandom_seed_state(&rnd, 1);
	start(test, &win, 12345, 2000);
	for (i = 0; i < win.wt->size; i++) {
		d = (u64)prandom_u32_state(&rnd) << 10 | prandom_u32_state(&rnd);
		wheel_test_arm(win.wt, i, 12345 + (d >> prandom_u32_state(&rnd) % 42));
	}
	wheel_test_audit(win.wt, false);
	visit_all(&win);
	expect_each_once(&win);
}

/* The hand stands on every tick, so that slots are emptied as early as may be. */
static void runs_in_its_window_tick_by_tick(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	struct rnd_state rnd;
	unsigned int i;
	u64 now;

	prandom_seed_state(&rnd, 2);
	start(test, &win, 4000, 2000);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, 4001 + prandom_u32_state(&rnd) % 10000);
	for (now = 4001; now < 14200; now++) {
		run(&win, now);
		if (now % 16 == 0)
			wheel_test_audit(win.wt, false);
	}
	visit_all(&win);
	expect_each_once(&win);
}

/* One after the other, from wherever the hand has come to. */
static void every_distance(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int distance;

	start(test, &win, 0, 1);
	for (distance = 1; distance <= 9000; distance++) {
		wheel_test_arm(win.wt, 0, win.wt->wheel->clk + distance);
		visit_all(&win);
		KUNIT_ASSERT_EQ(test, win.wt->timers[0].fired, distance);
	}
}

static void jump_over_many_windows(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int i;
	u64 last;

	start(test, &win, 77, 1000);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, 100 + i * i);
	last = window_end(&win, win.wt->size - 1);
	KUNIT_EXPECT_EQ(test, run(&win, min(last, 1ULL << 42)), win.wt->size);
	wheel_test_audit(win.wt, false);
}

static void narrow_window_is_exact(struct kunit *test)
{
	static const u64 slack[] = { 1, 2, 63, 64, 126, 127 };
	struct windows win = { .slack = slack, .kinds = ARRAY_SIZE(slack) };
	unsigned int i;

	start(test, &win, 0, 600);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, 10 + 97 * i);
	/* this checks every tick */
	wheel_test_visit_all(win.wt);
}

/* Timers of both kinds share their deadlines, and slots of every level. */
static void exact_timers_beside_stay_exact(struct kunit *test)
{
	static const u64 slack[] = { 0, 128, 0, 10000, 0, 600000, 0, 1ULL << 35 };
	struct windows win = { .slack = slack, .kinds = ARRAY_SIZE(slack) };
	unsigned int i, n;

	start(test, &win, 500, 8 * 64 * TWHEEL_LVL_DEPTH);
	for (i = 0; i < win.wt->size; i++) {
		n = i / 8 % TWHEEL_LVL_DEPTH;
		wheel_test_arm(win.wt, i, 500 + 70 * TWHEEL_LVL_GRAN(n) +
			       i / 8 / TWHEEL_LVL_DEPTH * (TWHEEL_LVL_GRAN(n) / 3 + 1));
	}
	wheel_test_audit(win.wt, false);
	visit_all(&win);
	expect_each_once(&win);
}

/* From an exact one to a wide one and back, each time it is idle. */
static void slack_can_change_between_armings(struct kunit *test)
{
	struct windows win = { .slack = slacks, .kinds = 1 };
	unsigned int i;

	start(test, &win, 0, 1);
	for (i = 0; i < 40 * ARRAY_SIZE(slacks); i++) {
		win.slack = &slacks[i * 7 % ARRAY_SIZE(slacks)];
		win.wt->timers[0].timer.flags = twheel_wheel_window_flags(*win.slack);
		wheel_test_arm(win.wt, 0, win.wt->wheel->clk + 1 + i * 37);
		visit_all(&win);
		KUNIT_ASSERT_EQ(test, win.wt->timers[0].fired, i + 1);
	}
}

static void past_deadline_opens_the_window_now(struct kunit *test)
{
	static const u64 slack[] = { 128, 9000, 1 << 20 };
	struct windows win = { .slack = slack, .kinds = ARRAY_SIZE(slack) };
	unsigned int i;

	start(test, &win, 100000, 30);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, i % 2 ? 0 : 100000 - i);
	wheel_test_audit(win.wt, false);
	visit_all(&win);
	expect_each_once(&win);
}

/* What windows are for: less moving, and fewer visits */

/* Where its level reaches, a timer runs from the slot that it was filed in. */
static void runs_in_place(struct kunit *test)
{
	unsigned int n, ahead, level, slot, chain;
	struct windows win = { .kinds = 1 };
	u64 slack;

	win.slack = &slack;
	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		slack = 2 * TWHEEL_LVL_GRAN(n);
		for (ahead = 1; ahead < TWHEEL_LVL_REACH - 1; ahead++) {
			start(test, &win, 1000, 1);
			wheel_test_arm(win.wt, 0, 1000 + ahead * TWHEEL_LVL_GRAN(n) - ahead);
			wheel_test_where(win.wt, 0, &level, &slot, &chain);
			KUNIT_EXPECT_EQ(test, level, n);
			KUNIT_EXPECT_EQ(test, visit_all(&win), 1U);
			KUNIT_ASSERT_EQ(test, wheel_test_moves(win.wt), 0ULL);
		}
	}
}

/* An hour of milliseconds, and an eighth of it: what timer_list might be late. */
#define HOUR		3600000ULL
#define EIGHTH		(HOUR / 8)

static u64 moves_of_one(struct kunit *test, u64 expires, u64 slack)
{
	struct windows win = { .slack = &slack, .kinds = 1 };

	start(test, &win, 0, 1);
	wheel_test_arm(win.wt, 0, expires);
	visit_all(&win);
	return wheel_test_moves(win.wt);
}

static void wide_one_is_moved_once_at_most(struct kunit *test)
{
	u64 expires;

	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR, 0), 3ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR, EIGHTH), 1ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR / 8, 0), 2ULL);
	KUNIT_EXPECT_EQ(test, moves_of_one(test, HOUR / 8, EIGHTH / 8), 0ULL);
	/* the twentieth part of which is no multiple of anything */
	for (expires = HOUR; expires < 2 * HOUR; expires += 7919)
		KUNIT_ASSERT_LE(test, moves_of_one(test, expires, EIGHTH), 1ULL);
}

/* A crowd of timers, due in the second hour; the wheel sleeps in between. */
static unsigned int crowd(struct kunit *test, struct windows *win, unsigned int n)
{
	unsigned int i;

	start(test, win, 0, n);
	for (i = 0; i < n; i++)
		wheel_test_arm(win->wt, i, HOUR + HOUR * i / n);
	return visit_all(win);
}

static void wide_crowd_is_moved_once_at_most(struct kunit *test)
{
	static const u64 exact, wide = EIGHTH;
	struct windows win = { .slack = &exact, .kinds = 1 };
	unsigned int n = WHEEL_TEST_LONG(100000);
	u64 moves;

	crowd(test, &win, n);
	moves = wheel_test_moves(win.wt);
	KUNIT_EXPECT_GT(test, moves, n * 5ULL / 2);
	win.slack = &wide;
	crowd(test, &win, n);
	KUNIT_EXPECT_LE(test, wheel_test_moves(win.wt), (u64)n);
	kunit_info(test, "%u timers: exact ones moved %llu times, wide ones %llu",
		   n, moves, wheel_test_moves(win.wt));
}

static void wide_crowd_needs_few_visits(struct kunit *test)
{
	static const u64 exact, wide = EIGHTH;
	struct windows win = { .slack = &exact, .kinds = 1 };
	unsigned int n = WHEEL_TEST_LONG(100000), visits, few;

	visits = crowd(test, &win, n);
	KUNIT_EXPECT_GE(test, visits, n);
	win.slack = &wide;
	few = crowd(test, &win, n);
	/* a slot of the second level, emptied at TWHEEL_CASCADE_MIN a tick */
	KUNIT_EXPECT_LT(test, few, HOUR / TWHEEL_LVL_GRAN(2) * 3 + n / 32);
	kunit_info(test, "%u timers: %u visits for exact ones, %u for wide ones",
		   n, visits, few);
}

/* Even where every tick is visited, a window is not spent on one of them. */
static void crowd_is_spread_over_its_window(struct kunit *test)
{
	static const u64 slack = 2 * 4096;
	struct windows win = { .slack = &slack, .kinds = 1 };
	unsigned int i, n = 100000, fired, most = 0;
	u64 now;

	start(test, &win, 0, n);
	for (i = 0; i < n; i++)
		wheel_test_arm(win.wt, i, 20 * TWHEEL_LVL_GRAN(2));
	for (now = 1; win.wt->armed && now <= 22 * TWHEEL_LVL_GRAN(2); now++) {
		fired = run(&win, now);
		most = max(most, fired);
	}
	expect_each_once(&win);
	KUNIT_EXPECT_LE(test, most, TWHEEL_CASCADE_MIN);
}

/* The budget ends a run in the midst of a slot, and the next one goes on. */
static void windows_are_cut_by_the_budget(struct kunit *test)
{
	static const u64 slack = 1000;
	struct windows win = { .slack = &slack, .kinds = 1 };
	unsigned int i, left, fired = 0, slices = 0;

	start(test, &win, 0, 3000);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, 700);
	do {
		left = 100;
		while (expire(&win, 1700, &left))
			fired++;
		wheel_test_audit(win.wt, false);
		slices++;
	} while (!left);
	KUNIT_EXPECT_EQ(test, fired, win.wt->size);
	KUNIT_EXPECT_GE(test, slices, 30U);
	expect_each_once(&win);
}

/* Changes of the deadline */

static void extended_before_its_window(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int from, to;

	for (from = 0; from < TWHEEL_LVL_DEPTH; from++) {
		for (to = from; to < TWHEEL_LVL_DEPTH; to++) {
			start(test, &win, 1000, 1);
			wheel_test_arm(win.wt, 0, 1000 + 5 * TWHEEL_LVL_GRAN(from));
			wheel_test_extend(win.wt, 0, 1000 + 99 * TWHEEL_LVL_GRAN(to));
			wheel_test_audit(win.wt, true);
			visit_all(&win);
			KUNIT_EXPECT_EQ(test, win.wt->timers[0].fired, 1U);
		}
	}
}

/* Its deadline has come, but not its turn: it may still be pushed back. */
static void extended_in_its_window(struct kunit *test)
{
	static const u64 slack = 2 * 4096;
	struct windows win = { .slack = &slack, .kinds = 1 };
	unsigned int by;
	u64 due = 9 * TWHEEL_LVL_GRAN(2) + 1;

	for (by = 0; by < 20000; by += 61) {
		start(test, &win, 0, 1);
		wheel_test_arm(win.wt, 0, due);
		KUNIT_ASSERT_EQ(test, run(&win, due + 4000), 0U);
		wheel_test_audit(win.wt, false);
		wheel_test_extend(win.wt, 0, due + by);
		visit_all(&win);
		KUNIT_ASSERT_EQ(test, win.wt->timers[0].fired, 1U);
	}
}

/* The heartbeat: each beat a new window, and hardly any work. */
static void extended_on_every_tick(struct kunit *test)
{
	static const u64 slack = 256;
	struct windows win = { .slack = &slack, .kinds = 1 };
	u64 now;

	start(test, &win, 0, 1);
	wheel_test_arm(win.wt, 0, 1000);
	for (now = 1; now <= 20000; now++) {
		KUNIT_ASSERT_EQ(test, run(&win, now), 0U);
		wheel_test_extend(win.wt, 0, now + 1000);
		if (now % 8 == 0)
			wheel_test_audit(win.wt, true);
	}
	KUNIT_EXPECT_LE(test, wheel_test_moves(win.wt), 20000ULL / 999 + 1);
	visit_all(&win);
}

static void changed_to_an_earlier_window(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int i;

	start(test, &win, 0, 400);
	for (i = 0; i < win.wt->size; i++) {
		wheel_test_arm(win.wt, i, 5000000);
		win.wt->timers[i].due = 1 + i * 1000;
		twheel_wheel_change(win.wt->wheel, &win.wt->timers[i].timer,
				    win.wt->timers[i].due);
	}
	wheel_test_audit(win.wt, false);
	visit_all(&win);
	expect_each_once(&win);
}

static void removed_at_every_stage(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int i, ran = 0;
	u64 now;

	start(test, &win, 0, 1000);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, 3000 + i % 1000);
	for (i = 0, now = 0; i < win.wt->size; i++, now += 13) {
		ran += run(&win, now);
		if (!twheel_wheel_pending(&win.wt->timers[i].timer))
			continue;
		wheel_test_remove(win.wt, i);
		win.wt->timers[i].fired++;
		wheel_test_audit(win.wt, false);
	}
	/* some have been taken away from among those that ran */
	KUNIT_EXPECT_LT(test, ran, win.wt->size - 3000 / 13);
	visit_all(&win);
	expect_each_once(&win);
}

/* To another wheel, as when a CPU goes away */

static const s64 hands[] = {
	-100000, -5000, -64, -1, 0, 1, 63, 64, 127, 128, 5000, 9000, 1000000,
};

static void hand_desc(const s64 *hand, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "hand %+lld", *hand);
}

KUNIT_ARRAY_PARAM(hand, hands, hand_desc);

/* What is checked after the move is the window that was there before it. */
static void moved_ones_keep_their_windows(struct kunit *test)
{
	static const u64 slack[] = { 0, 128, 8192, 600000, 40000000 };
	struct windows win = { .slack = slack, .kinds = ARRAY_SIZE(slack) };
	u64 clk, first = 1 << 20, hand = *(const s64 *)test->param_value;
	struct twheel_wheel *from, *to;
	struct twheel_timer *timer;
	unsigned int i, left = 40;
	struct wheel_test *wt;
	u64 end, *ends;

	start(test, &win, first, 1000);
	wt = win.wt;
	ends = kunit_kcalloc(test, wt->size, sizeof(*ends), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ends);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, first + 1 + i * i / 20);
	/* some have run, and a slot is half emptied */
	while (expire(&win, first + 5000, &left))
		;
	from = wt->wheel;
	to = kvzalloc(sizeof(*to), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, to);
	clk = from->clk + hand;
	twheel_wheel_init(to, clk);
	wt->wheel = to;
	wt->tick = clk;
	for (i = 0; i < wt->size; i++)
		ends[i] = max(window_end(&win, i), clk + 1);
	while ((timer = twheel_wheel_first(from)))
		twheel_wheel_move(to, from, timer);
	KUNIT_EXPECT_EQ(test, from->pending, 0ULL);
	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(from, false));
	kvfree(from);

	wheel_test_audit(wt, false);
	while (wt->armed) {
		end = twheel_wheel_next(to);
		left = WHEEL_TEST_UNLIMITED;
		while ((timer = wheel_test_take(to, end, &left, NULL))) {
			i = container_of(timer, struct test_timer, timer) - wt->timers;
			KUNIT_ASSERT_GE(test, to->clk, wt->timers[i].due);
			KUNIT_ASSERT_LE_MSG(test, to->clk, ends[i], "timer %u", i);
			wt->timers[i].fired++;
			wt->armed--;
		}
		wheel_test_audit(wt, false);
	}
	expect_each_once(&win);
}

/* Time */

static void crosses_32_bits(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int i;

	start(test, &win, (1ULL << 32) - 5000, 1000);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, (1ULL << 32) - 4999 + 10 * i);
	visit_all(&win);
	expect_each_once(&win);
}

/* The window ends after the end of time; who waits for it may have to. */
static void window_over_the_end_of_time(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };
	unsigned int i, left;
	u64 now;

	start(test, &win, TWHEEL_NEVER - 20000, 200);
	for (i = 0; i < win.wt->size; i++)
		wheel_test_arm(win.wt, i, TWHEEL_NEVER - 19000 + 100 * i);
	for (now = TWHEEL_NEVER - 19999; now < TWHEEL_NEVER; now += 7) {
		left = WHEEL_TEST_UNLIMITED;
		while (expire(&win, now, &left))
			;
		KUNIT_ASSERT_NE(test, left, 0U);
	}
	wheel_test_audit(win.wt, false);
	for (i = 0; i < win.wt->size; i++)
		if (window_end(&win, i) < TWHEEL_NEVER - 7)
			KUNIT_EXPECT_EQ(test, win.wt->timers[i].fired, 1U);
}

static void never_has_no_window(struct kunit *test)
{
	struct windows win = { .slack = test->param_value, .kinds = 1 };

	start(test, &win, 1000, 2);
	wheel_test_arm(win.wt, 0, TWHEEL_NEVER);
	wheel_test_arm(win.wt, 1, U64_MAX);
	KUNIT_EXPECT_EQ(test, run(&win, 1ULL << 40), 0U);
	wheel_test_audit(win.wt, false);
	wheel_test_remove(win.wt, 0);
	wheel_test_remove(win.wt, 1);
}

/* Extensions against expiry from upper levels */

#define RACE_TIMERS	WHEEL_TEST_LONG(200000U)
#define RACE_WIDTH	16U	/* timers a tick */
#define RACE_SLACK	128U

/**
 * struct race - one thread pushes deadlines back, another runs the wheel
 * @wt: The wheel and the timers.
 * @extended: By timer, the deadline of the last extension that succeeded.
 * @extensions: How many did.
 * @under_way: Completed by each round.
 */
struct race {
	struct wheel_test	*wt;
	u64			*extended;
	unsigned int		extensions;
	struct completion	under_way;
};

/*
 * The first of the timers whose turn it is now: the slot that is emptied holds
 * the deadlines of the slot time before, and loses TWHEEL_CASCADE_MIN timers a tick.
 */
static unsigned int race_turn(const struct wheel_test *wt, u64 clk)
{
	u64 slot = clk >> TWHEEL_LVL_SHIFT(1), gone = clk & (TWHEEL_LVL_GRAN(1) - 1);

	if (!slot)
		return 0;
	slot = (slot - 1) << TWHEEL_LVL_SHIFT(1);
	return min_t(u64, slot * RACE_WIDTH + gone * TWHEEL_CASCADE_MIN, wt->size);
}

static int race_extend(void *data)
{
	struct race *race = data;
	struct wheel_test *wt = race->wt;
	unsigned int i, first, last;
	u64 clk;

	do {
		first = race_turn(wt, READ_ONCE(wt->wheel->clk));
		last = min(first + 2 * TWHEEL_CASCADE_MIN, wt->size);
		for (i = first; i < last; i++) {
			clk = READ_ONCE(wt->wheel->clk) + i % 4;
			if (twheel_wheel_extend(&wt->timers[i].timer, clk)) {
				race->extended[i] = clk;
				race->extensions++;
			}
		}
		complete(&race->under_way);
		cond_resched();
	} while (!kthread_should_stop());
	return 0;
}

static void race_run(struct wheel_test *wt, u64 now)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED;
	struct twheel_timer *timer;
	struct test_timer *t;

	while ((timer = wheel_test_take(wt->wheel, now, &budget, NULL))) {
		t = container_of(timer, struct test_timer, timer);
		t->due = wt->wheel->clk;
		t->fired++;
	}
}

/* The first timer that did not run once, in the last window it was given. */
static unsigned int race_wrong(const struct race *race)
{
	const struct test_timer *t = race->wt->timers;
	unsigned int i;
	u64 due;

	for (i = 0; i < race->wt->size; i++, t++) {
		due = max(race->extended[i], 1ULL + i / RACE_WIDTH);
		if (t->due < due || t->due > due + RACE_SLACK ||
		    t->fired != 1 || twheel_wheel_state(&t->timer) != TWHEEL_IDLE)
			break;
	}
	return i;
}

static void race_forward(struct race *race)
{
	u64 now, end = RACE_TIMERS / RACE_WIDTH;

	for (now = 1; now <= end; now++) {
		/* where there is one CPU, now and then it is the thread's turn */
		if (now % 64 == 1)
			wait_for_completion(&race->under_way);
		race_run(race->wt, now);
	}
}

static void race_once(struct kunit *test)
{
	static const u64 slack = RACE_SLACK;
	struct windows win = { .slack = &slack, .kinds = 1 };
	struct task_struct *task;
	struct race race = { };
	unsigned int i;

	start(test, &win, 0, RACE_TIMERS);
	race.wt = win.wt;
	race.extended = kvcalloc(RACE_TIMERS, sizeof(*race.extended), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, race.extended);
	for (i = 0; i < RACE_TIMERS; i++)
		twheel_wheel_insert(win.wt->wheel, &win.wt->timers[i].timer,
				    1 + i / RACE_WIDTH);
	init_completion(&race.under_way);
	/* No assertion while the thread runs: nobody would stop it. */
	task = kthread_run(race_extend, &race, "twheel_race");
	if (!IS_ERR(task)) {
		race_forward(&race);
		kthread_stop(task);
	}
	race_run(win.wt, RACE_TIMERS + 1000);
	i = race_wrong(&race);
	if (i < RACE_TIMERS)
		kunit_err(test, "timer %u ran %u times, at %llu, extended to %llu",
			  i, win.wt->timers[i].fired, win.wt->timers[i].due,
			  race.extended[i]);
	kvfree(race.extended);
	KUNIT_EXPECT_EQ(test, i, RACE_TIMERS);
	KUNIT_EXPECT_EQ(test, win.wt->wheel->pending, 0ULL);
	KUNIT_EXPECT_GT(test, race.extensions, 0U);
}

/*
 * One thread pushes deadlines back while another runs the wheel. A timer is
 * either extended or expires: it runs in the window of the last extension that
 * said it succeeded.
 */
static void races_with_expiry(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		race_once(test);
}

/* Random operations, against the windows that the timers should have */

#define MODEL_TIMERS	256U

/**
 * struct model_timer - a timer, and when it may run
 * @timer: The timer.
 * @due: From when on, if it is armed.
 * @slack: For how long; changes only while it is not.
 * @armed: It is.
 */
struct model_timer {
	struct twheel_timer	timer;
	u64			due;
	u64			slack;
	bool			armed;
};

/**
 * struct model - a wheel, and what it should hold
 * @test: The case.
 * @wheel: The wheel.
 * @timers: %MODEL_TIMERS of them.
 * @rnd: Where all choices come from.
 * @seed: What it was seeded with.
 * @step: How many operations have been done.
 * @now: The time; the hand is behind while an advance is unfinished.
 * @armed: Timers armed now.
 * @expired: How often one expired, ever.
 * @late: How often one did so after its deadline.
 */
struct model {
	struct kunit		*test;
	struct twheel_wheel	*wheel;
	struct model_timer	*timers;
	struct rnd_state	rnd;
	u32			seed;
	u32			step;
	u64			now;
	u64			armed;
	u64			expired;
	u64			late;
};

#define MODEL_ASSERT(_m, _condition, _fmt, ...)				\
	KUNIT_ASSERT_TRUE_MSG((_m)->test, _condition,			\
			      "seed %u, step %u, hand %llu: " _fmt,	\
			      (_m)->seed, (_m)->step, (_m)->wheel->clk,	\
			      ##__VA_ARGS__)

static u32 below(struct model *m, u32 limit)
{
	return prandom_u32_state(&m->rnd) % limit;
}

/* A number of up to so many bits, every length as likely as any other. */
static u64 random_bits(struct model *m, unsigned int bits)
{
	u64 random = (u64)prandom_u32_state(&m->rnd) << 32;

	random |= prandom_u32_state(&m->rnd);
	return random >> (63 - below(m, bits));
}

static u64 model_end(const struct model_timer *t)
{
	return later(t->due, t->slack);
}

/* The end of the window that ends first, or U64_MAX. */
static u64 model_first(const struct model *m)
{
	u64 first = U64_MAX;
	unsigned int i;

	for (i = 0; i < MODEL_TIMERS; i++)
		if (m->timers[i].armed)
			first = min(first, model_end(&m->timers[i]));
	return first;
}

static void model_arm(struct model *m, struct model_timer *t, u64 expires)
{
	t->slack = below(m, 4) ? random_bits(m, 34) : 0;
	t->timer.flags = twheel_wheel_window_flags(t->slack);
	twheel_wheel_insert(m->wheel, &t->timer, expires);
	t->due = max(expires, m->wheel->clk + 1);
	t->armed = true;
	m->armed++;
}

static void model_remove(struct model *m, struct model_timer *t)
{
	MODEL_ASSERT(m, t->armed == twheel_wheel_remove(m->wheel, &t->timer,
							TWHEEL_IDLE),
		     "remove says the contrary of %d", t->armed);
	m->armed -= t->armed;
	t->armed = false;
}

static bool model_extend(struct model *m, struct model_timer *t, u64 expires)
{
	bool may = t->armed && expires >= t->due;

	MODEL_ASSERT(m, may == twheel_wheel_extend(&t->timer, expires),
		     "extend to %llu says the contrary of %d", expires, may);
	if (may)
		t->due = expires;
	return may;
}

static void model_change(struct model *m, struct model_timer *t, u64 expires)
{
	if (!t->armed) {
		model_arm(m, t, expires);
	} else if (!model_extend(m, t, expires)) {
		twheel_wheel_change(m->wheel, &t->timer, expires);
		t->due = max(expires, m->wheel->clk + 1);
	}
}

static u64 model_deadline(struct model *m)
{
	u64 clk = m->wheel->clk;

	switch (below(m, 8)) {
	case 0:
		return clk - min(clk, random_bits(m, 20));
	case 1:
		return clk + random_bits(m, 37);
	case 2:		/* together with another one */
		return m->timers[below(m, MODEL_TIMERS)].due;
	default:
		return clk + random_bits(m, 20);
	}
}

static void model_expire(struct model *m, unsigned int slice)
{
	unsigned int budget = slice;
	struct twheel_timer *timer;
	struct model_timer *t;

	while ((timer = wheel_test_take(m->wheel, m->now, &budget, NULL))) {
		t = container_of(timer, struct model_timer, timer);
		MODEL_ASSERT(m, t->armed, "timer %td is not armed", t - m->timers);
		MODEL_ASSERT(m, m->wheel->clk >= t->due,
			     "timer %td of %llu", t - m->timers, t->due);
		MODEL_ASSERT(m, m->wheel->clk <= model_end(t),
			     "timer %td of %llu, slack %llu", t - m->timers,
			     t->due, t->slack);
		t->armed = false;
		m->armed--;
		m->expired++;
		m->late += m->wheel->clk > t->due;
		if (!below(m, 8))
			model_arm(m, t, model_deadline(m));
	}
	MODEL_ASSERT(m, !budget || m->wheel->clk == m->now,
		     "stopped before %llu", m->now);
	MODEL_ASSERT(m, !budget || model_first(m) > m->now,
		     "a timer was forgotten whose window ended at %llu",
		     model_first(m));
}

static void model_next(struct model *m)
{
	u64 next = twheel_wheel_next(m->wheel);

	MODEL_ASSERT(m, next <= max(m->wheel->clk, model_first(m)),
		     "next is %llu, a window ends at %llu", next, model_first(m));
	if (m->armed)
		m->now = max(m->now, next);
	model_expire(m, WHEEL_TEST_UNLIMITED);
}

static void model_step(struct model *m)
{
	struct model_timer *t = &m->timers[below(m, MODEL_TIMERS)];

	m->step++;
	switch (below(m, 16)) {
	case 0 ... 5:
		model_change(m, t, model_deadline(m));
		break;
	case 6 ... 7:
		model_remove(m, t);
		break;
	case 8 ... 9:
		model_extend(m, t, t->due + random_bits(m, 12));
		break;
	case 10:
		m->now++;
		model_expire(m, WHEEL_TEST_UNLIMITED);
		break;
	case 11 ... 12:
		model_next(m);
		break;
	case 13:
		m->now += random_bits(m, 20);
		model_expire(m, below(m, 4) ? WHEEL_TEST_UNLIMITED : below(m, 300));
		break;
	case 14:
		model_expire(m, below(m, 20));
		break;
	default:
		if (!m->wheel->todo && m->wheel->clk == m->now)
			m->now += random_bits(m, 14);
		twheel_wheel_forward(m->wheel, m->now);
		break;
	}
	MODEL_ASSERT(m, m->wheel->pending == m->armed, "%llu armed, not %llu",
		     m->wheel->pending, m->armed);
	MODEL_ASSERT(m, m->wheel->todo || m->wheel->next <= model_first(m),
		     "no visit before %llu", model_first(m));
}

static void model_audit(struct model *m)
{
	const char *wrong = twheel_wheel_audit(m->wheel, true);

	MODEL_ASSERT(m, !wrong, "%s", wrong);
}

struct model_param {
	u32	seed;
	u32	steps;
	u32	audit_every;
	u64	start;
};

static void model_desc(const struct model_param *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u start %llu", param->seed,
		 param->start);
}

#define MODEL_LONG	WHEEL_TEST_LONG(100000)

static const struct model_param models[] = {
	{ 1, 3000, 1, 0 },
	{ 2, 3000, 1, 63 },
	{ 3, 3000, 1, (1ULL << 24) - 5000 },
	{ 4, 3000, 1, (1ULL << 60) - 70000 },
	{ 11, MODEL_LONG, 64, 0 },
	{ 12, MODEL_LONG, 64, (1ULL << 18) - 1000 },
	{ 13, MODEL_LONG, 64, (1ULL << 30) - 5000 },
	{ 14, MODEL_LONG, 64, (1ULL << 32) - 5 },
	{ 15, MODEL_LONG, 64, (1ULL << 36) - 70000 },
	{ 16, MODEL_LONG, 64, (1ULL << 60) - 70000 },
};

KUNIT_ARRAY_PARAM(model, models, model_desc);

static void random_operations(struct kunit *test)
{
	const struct model_param *param = test->param_value;
	struct wheel_test *wt = test->priv;
	struct model *m;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->timers = kunit_kcalloc(test, MODEL_TIMERS, sizeof(*m->timers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->timers);
	m->test = test;
	m->wheel = wt->wheel;
	m->seed = param->seed;
	m->now = param->start;
	prandom_seed_state(&m->rnd, m->seed);
	twheel_wheel_init(m->wheel, param->start);
	while (m->step < param->steps) {
		model_step(m);
		if (m->step % param->audit_every == 0) {
			model_audit(m);
			cond_resched();
		}
	}
	model_expire(m, WHEEL_TEST_UNLIMITED);
	while (m->armed && m->step++ < param->steps + 100 * MODEL_TIMERS)
		model_next(m);
	MODEL_ASSERT(m, !m->armed && !m->wheel->pending, "%llu left", m->armed);
	model_audit(m);
	/* or it has shown nothing */
	MODEL_ASSERT(m, m->expired > param->steps / 10, "expired %llu", m->expired);
	MODEL_ASSERT(m, m->late > m->expired / 10, "late %llu", m->late);
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
	KUNIT_CASE_PARAM(random_operations, model_gen_params),
	{}
};

WHEEL_TEST_SUITE(window);

/* twheel_set_slack() */

/* An idle timer with a window. */
static struct probe *slack_new(struct kunit *test, u64 slack)
{
	struct probe *probe = probe_new(test, NULL);

	twheel_set_slack(&probe->timer, slack);
	return probe;
}

static void slack_is_put_into_the_timer(struct kunit *test)
{
	u64 slack = *(const u64 *)test->param_value;
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u32 flags = timer->flags;

	twheel_set_slack(timer, slack);
	KUNIT_EXPECT_EQ(test, timer->flags, flags | twheel_wheel_window_flags(slack));
	twheel_set_slack(timer, 0);
	KUNIT_EXPECT_EQ(test, timer->flags, flags);
	engine_test_expect_idle(test, timer);
	engine_test_expect_counts(test, 0, 0, 0, 0);
}

static void slack_of_every_size_runs_in_its_window(struct kunit *test)
{
	static const u64 slack[] = { 0, 1, 64, 127, 128, 130 };
	struct probe *probe[2 * ARRAY_SIZE(slack)];
	u64 expires[ARRAY_SIZE(probe)];
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = slack_new(test, slack[i / 2]);
		cpu = i % 2 ? cpumask_first(cpu_online_mask) :
			      cpumask_last(cpu_online_mask);
		expires[i] = get_jiffies_64() + 2 + i;
		twheel_add_on(&probe[i]->timer, expires[i], cpu);
	}
	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe_wait(test, probe[i]);
		KUNIT_EXPECT_GE(test, probe[i]->tick, expires[i]);
		KUNIT_EXPECT_LE(test, probe[i]->tick, expires[i] + slack[i / 2] +
				ENGINE_TEST_LATE);
	}
	engine_test_expect_counts(test, i, i, 0, 0);
}

/* The window is kept over a change, a cancel and another arming. */
static void slack_stays_until_it_is_set_anew(struct kunit *test)
{
	struct probe *probe = slack_new(test, 8192);
	struct twheel_timer *timer = &probe->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), 0);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires + 1000), 1);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires - 1000), 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(timer), 2U);
	twheel_add_on(timer, expires, cpumask_last(cpu_online_mask));
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(timer), 2U);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 1);

	twheel_set_slack(timer, 0);
	KUNIT_EXPECT_EQ(test, twheel_wheel_window_level(timer), 0U);
	expires = get_jiffies_64() + 1;
	twheel_add(timer, expires);
	probe_expect(test, probe, expires);
}

static void slack_of_a_pending_timer_is_refused(struct kunit *test)
{
#ifdef kunit_warning_suppress
	struct kunit_suppressed_warning *w = kunit_start_suppress_warning(test);
	struct twheel_timer *timer = &probe_far(test)->timer;
	u32 flags = timer->flags;

	twheel_set_slack(timer, 100000);
	kunit_end_suppress_warning(test, w);
	KUNIT_EXPECT_EQ(test, timer->flags, flags);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
#else
	kunit_skip(test, "this kernel cannot suppress warnings");
#endif
}

static struct kunit_case slack_cases[] = {
	KUNIT_CASE_PARAM(slack_is_put_into_the_timer, slack_gen_params),
	KUNIT_CASE(slack_of_every_size_runs_in_its_window),
	KUNIT_CASE(slack_stays_until_it_is_set_anew),
	KUNIT_CASE(slack_of_a_pending_timer_is_refused),
	{}
};

ENGINE_TEST_SUITE(slack);
