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

static void expect_lowest_level(struct wheel_test *wt)
{
	struct place place = wheel_test_where(wt, 0);
	u64 due = wt->timers[0].due;
	unsigned int n;

	n = lowest_level(wt->wheel->clk, due);
	KUNIT_EXPECT_EQ_MSG(wt->test, place.level, n, "hand %llu, deadline %llu",
			    wt->wheel->clk, due);
	KUNIT_EXPECT_EQ_MSG(wt->test, place.slot,
			    (unsigned int)(due >> TWHEEL_LVL_SHIFT(n)) & TWHEEL_LVL_MASK,
			    "hand %llu, deadline %llu", wt->wheel->clk, due);
}

/* A timer that is due one tick before, at or after an edge of a level */
static void edge_alone(struct kunit *test, unsigned int n, unsigned int e, int off)
{
	u64 start = *(const u64 *)test->param_value;
	struct wheel_test *wt = wheel_test_start(test, start, 1);

	wheel_test_arm(wt, 0, start + edges[e] * TWHEEL_LVL_GRAN(n) + off);
	/* The last edges of the top level are beyond the horizon. */
	if (n < TWHEEL_LVL_DEPTH - 1 || e < ARRAY_SIZE(edges) - 3)
		expect_lowest_level(wt);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_LE(test, wheel_test_visit_all(wt), 2U * TWHEEL_LVL_DEPTH);
	KUNIT_EXPECT_EQ(test, wt->timers[0].fired, 1U);
}

static void edges_alone(struct kunit *test)
{
	unsigned int n, e;
	int off;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		for (e = 0; e < ARRAY_SIZE(edges); e++)
			for (off = -1; off <= 1; off++)
				edge_alone(test, n, e, off);
}

/* chains [0] [1] [2] [3] get timers 0 and 4, 1 and 5, 2 and 6, 3 and 7 */
static void chains_fill_evenly(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int i;

	wt = wheel_test_start(test, 0, 2 * TWHEEL_SLOT_CHAINS);
	for (i = 0; i < wt->size; i++) {
		wheel_test_arm(wt, i, 1000);
		KUNIT_EXPECT_EQ(test, wheel_test_where(wt, i).chain, i % TWHEEL_SLOT_CHAINS);
	}
}

static struct kunit_case geometry_cases[] = {
	KUNIT_CASE_PARAM(edges_alone, start_gen_params),
	KUNIT_CASE(chains_fill_evenly),
	{}
};

WHEEL_TEST_SUITE(geometry);
