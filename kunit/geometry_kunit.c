// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: levels, frames and slots, at their edges
 */
#include "wheel_test.h"

/* Soon after each of these ticks, slots of several levels begin. */
static const u64 starts[] = {
	0,
	1,
	63,
	64,
	(1ULL << 18) - 1000,
	(1ULL << 24) - 5000,
	(1ULL << 32) - 5,
	(1ULL << 36) - 70000,
	(1ULL << 60) - 70000,
};

TEST_PARAM(start, starts, "start %llu", *p);

/* How many slots ahead: the first, the ends of both frames, and beyond. */
static const u32 edges[] = { 1, 2, 3, 62, 63, 64, 65, 126, 127, 128, 129 };

/*
 * The rule in its plain form: the lowest level on which @expires is in the current frame
 * or in the next one.
 */
static unsigned int lowest_level(u64 clk, u64 expires)
{
	unsigned int n = 0;

	while (n < TWHEEL_LVL_DEPTH - 1 && (expires >> TWHEEL_LVL_SHIFT(n + 1)) -
				    (clk >> TWHEEL_LVL_SHIFT(n + 1)) > 1)
		n++;
	return n;
}

static void expect_lowest_level(struct wheel_test *wt, unsigned int i)
{
	unsigned int level, slot, chain, n;
	u64 due = wt->timers[i].due;

	n = lowest_level(wt->wheel->clk, due);
	wheel_test_where(wt, i, &level, &slot, &chain);
	KUNIT_EXPECT_EQ_MSG(wt->test, level, n, "hand %llu, deadline %llu",
			    wt->wheel->clk, due);
	KUNIT_EXPECT_EQ_MSG(wt->test, slot,
			    (unsigned int)(due >> TWHEEL_LVL_SHIFT(n)) & TWHEEL_LVL_MASK,
			    "hand %llu, deadline %llu", wt->wheel->clk, due);
}

/* One tick before, at and after each edge of every level. */
static void edges_alone(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	unsigned int n, e, visits;
	struct wheel_test *wt;
	int off;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		for (e = 0; e < ARRAY_SIZE(edges); e++) {
			for (off = -1; off <= 1; off++) {
				wt = wheel_test_start(test, start, 1);
				wheel_test_arm(wt, 0, start + edges[e] *
						      TWHEEL_LVL_GRAN(n) + off);
				wheel_test_audit(wt, false);
				visits = wheel_test_visit_all(wt);
				KUNIT_EXPECT_LE(test, visits, 2U * TWHEEL_LVL_DEPTH);
				KUNIT_EXPECT_EQ(test, wt->timers[0].fired, 1U);
			}
		}
	}
}

static void filed_on_lowest_level(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	unsigned int n, e;
	struct wheel_test *wt;
	int off;

	wt = wheel_test_start(test, start, 1);
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		/* The last edges of the top level are beyond the horizon. */
		for (e = 0; e < ARRAY_SIZE(edges) - (n == TWHEEL_LVL_DEPTH - 1) * 3; e++) {
			for (off = -1; off <= 1; off++) {
				wheel_test_arm(wt, 0, start + edges[e] *
						      TWHEEL_LVL_GRAN(n) + off);
				expect_lowest_level(wt, 0);
				wheel_test_remove(wt, 0);
			}
		}
	}
}

/* chains [0] [1] [2] [3] get timers 0 and 4, 1 and 5, 2 and 6, 3 and 7 */
static void chains_fill_evenly(struct kunit *test)
{
	unsigned int i, level, slot, chain;
	struct wheel_test *wt;

	wt = wheel_test_start(test, 0, 2 * TWHEEL_SLOT_CHAINS);
	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, 1000);
		wheel_test_where(wt, i, &level, &slot, &chain);
		KUNIT_EXPECT_EQ(test, chain, i % TWHEEL_SLOT_CHAINS);
	}
}

static struct kunit_case geometry_cases[] = {
	KUNIT_CASE_PARAM(edges_alone, start_gen_params),
	KUNIT_CASE_PARAM(filed_on_lowest_level, start_gen_params),
	KUNIT_CASE(chains_fill_evenly),
	{}
};

WHEEL_TEST_SUITE(geometry);
