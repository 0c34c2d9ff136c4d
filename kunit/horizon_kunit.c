// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: deadlines beyond the last slot, and how many visits a far timer costs
 */
#include <linux/math64.h>
#include "wheel_test.h"

#define TOP		(TWHEEL_LVL_DEPTH - 1)
/* The first tick that no slot covers, counted from the first tick of a top slot. */
#define SPAN		(TWHEEL_LVL_SIZE * TWHEEL_LVL_GRAN(TOP))

static const u64 starts[] = {
	0,
	TWHEEL_LVL_GRAN(TOP) - 1,
	TWHEEL_LVL_GRAN(TOP),
	TWHEEL_LVL_GRAN(TOP) + 1,
	(1ULL << 32) - 5,
	(1ULL << 36) - 70000,
	(1ULL << 63) - 12345,
};

TEST_PARAM(start, starts, "start %llu", *p);

/* Expires a timer in an otherwise empty wheel. Returns the number of visits. */
static unsigned int run_alone(struct kunit *test, u64 start, u64 expires)
{
	struct wheel_test *wt = wheel_test_start(test, start, 1);
	unsigned int visits = 0;

	wheel_test_arm(wt, 0, expires);
	wheel_test_audit(wt, false);
	while (wt->armed) {
		wheel_test_visit(wt);
		wheel_test_audit(wt, false);
		visits++;
	}
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, expires);
	return visits;
}

/* A far timer costs one visit a lap of the top level, and one a level on its way down. */
static void past_top_is_exact(struct kunit *test)
{
	static const u64 spans[] = {
		TWHEEL_LVL_GRAN(TWHEEL_LVL_DEPTH),
		TWHEEL_LVL_REACH * TWHEEL_LVL_GRAN(TOP),
		SPAN, 2 * SPAN, 3 * SPAN, 4 * SPAN - 1, 1ULL << 40, 1ULL << 42,
	};
	u64 start = *(const u64 *)test->param_value;
	unsigned int i, visits, laps;
	int off;

	for (i = 0; i < ARRAY_SIZE(spans); i++) {
		for (off = -1; off <= 1; off++) {
			visits = run_alone(test, start, start + spans[i] + off);
			laps = div64_u64(spans[i], TWHEEL_LVL_REACH * TWHEEL_LVL_GRAN(TOP));
			KUNIT_EXPECT_LE_MSG(test, visits, laps + 2U * TWHEEL_LVL_DEPTH,
					    "span %llu%+d", spans[i], off);
		}
	}
}

/* Every deadline beyond the horizon goes to the last slot of the top level. */
static void filed_in_last_slot(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	u64 last = (start >> TWHEEL_LVL_SHIFT(TOP)) + TWHEEL_LVL_REACH;
	const u64 far[] = {
		last << TWHEEL_LVL_SHIFT(TOP), start + SPAN, start + 3 * SPAN,
		start + (1ULL << 60), TWHEEL_NEVER - 1, TWHEEL_NEVER, U64_MAX,
	};
	struct wheel_test *wt = wheel_test_start(test, start, ARRAY_SIZE(far));
	struct place place;
	unsigned int i;

	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, far[i]);
		place = wheel_test_where(wt, i);
		KUNIT_EXPECT_EQ(test, place.level, (unsigned int)TOP);
		KUNIT_EXPECT_EQ(test, place.slot, (unsigned int)last & TWHEEL_LVL_MASK);
	}
	wheel_test_audit(wt, false);
}

static const unsigned int rates[] = { 100, 250, 1000 };

TEST_PARAM(rate, rates, "HZ=%u", *p);

static u64 month(const struct kunit *test)
{
	return 30ULL * 24 * 60 * 60 * *(const unsigned int *)test->param_value;
}

/* One timer a month away; or three, of one to three months. */
static void months_away_few_visits(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i, n;
	u64 start;

	for (start = 0; start < month(test); start += div_u64(month(test), 97)) {
		for (n = 1; n <= 3; n += 2) {
			wt = wheel_test_start(test, start, n);
			for (i = 0; i < n; i++)
				wheel_test_arm(wt, i, start + (i + 1) * month(test));
			KUNIT_EXPECT_LE_MSG(test, wheel_test_visit_all(wt), 16 * n,
					    "start %llu", start);
		}
	}
}

/* Removed timers leave bits behind, but these cause no visits. */
static void empty_no_visits(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 3);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, wheel_test_visit_all(wt), 0U);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, (i + 1) * month(test));
	for (i = 0; i < wt->size; i++)
		wheel_test_remove(wt, i);
	KUNIT_EXPECT_EQ(test, wheel_test_visit_all(wt), 0U);
}

static struct kunit_case horizon_cases[] = {
	KUNIT_CASE_PARAM(past_top_is_exact, start_gen_params),
	KUNIT_CASE_PARAM(filed_in_last_slot, start_gen_params),
	KUNIT_CASE_PARAM(months_away_few_visits, rate_gen_params),
	KUNIT_CASE_PARAM(empty_no_visits, rate_gen_params),
	{}
};

WHEEL_TEST_SUITE(horizon);
