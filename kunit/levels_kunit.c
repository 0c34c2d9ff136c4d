// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: wheels with few levels and few chains, which grow while timers are pending
 */
#include "wheel_test.h"

#define START		100000ULL
#define MANY		600U

static void *level_memory(struct kunit *test, unsigned int chains)
{
	void *memory = kunit_kzalloc(test, TWHEEL_LEVEL_BYTES(chains), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

static void add_level(struct wheel_test *wt, unsigned int chains)
{
	twheel_wheel_add_level(wt->wheel, level_memory(wt->test, chains), chains);
}

/* An empty wheel with so many levels of one chain, and idle timers. */
static struct wheel_test *levels_start(struct kunit *test, unsigned int levels,
				       unsigned int timers)
{
	struct wheel_test *wt = wheel_test_start(test, START, timers);

	twheel_wheel_init(wt->wheel, START);
	while (levels--)
		add_level(wt, 1);
	return wt;
}

/* Arms all timers: many for the same ticks, and some far beyond two levels. */
static void arm_many(struct wheel_test *wt)
{
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, START + 1 + (i % 3 ? i / 10 : i * i / 4));
}

static void widen(struct wheel_test *wt, unsigned int n, unsigned int chains)
{
	struct twheel_level *level = wt->wheel->level[n];
	size_t bytes = TWHEEL_LEVEL_BYTES(level->chains);

	KUNIT_ASSERT_PTR_EQ(wt->test,
			    twheel_wheel_widen_level(wt->wheel, n,
						     level_memory(wt->test, chains), chains),
			    (void *)level);
	KUNIT_EXPECT_EQ(wt->test, wt->wheel->level[n]->chains, chains);
	/* Nothing may use it any more. */
	memset(level, 0xa5, bytes);
	wheel_test_audit(wt, false);
}

/* Expires some timers, and stops within a tick. */
static void stop_in_a_tick(struct wheel_test *wt, u64 tick)
{
	unsigned int budget = 7;

	wheel_test_run(wt, tick - 1);
	while (wheel_test_expire(wt, tick, &budget))
		;
	KUNIT_ASSERT_NE(wt->test, wt->wheel->todo, 0U);
	KUNIT_ASSERT_EQ(wt->test, wt->wheel->clk, tick);
	wheel_test_audit(wt, false);
}

static void empty_without_a_level(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 0, 1);

	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), TWHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, START + 1000000), 0U);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), TWHEEL_NEVER);
	twheel_wheel_forward(wt->wheel, START + 2000000);
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, START + 2000000);
	KUNIT_EXPECT_NULL(test, twheel_wheel_first(wt->wheel));
	wheel_test_audit(wt, false);
	add_level(wt, 1);
	wheel_test_arm(wt, 0, START + 2000010);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), START + 2000010);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, START + 2000010), 1U);
}

/* On one level, a timer that is due later than the level reaches runs on its tick. */
static void far_deadline_on_one_level(struct kunit *test)
{
	static const u32 far[] = { 126, 127, 128, 129, 253, 254, 255, 4095, 4096, 100000 };
	struct wheel_test *wt = levels_start(test, 1, ARRAY_SIZE(far));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		wheel_test_arm(wt, i, START + far[i]);
		wheel_test_audit(wt, false);
	}
	while (twheel_wheel_next(wt->wheel) < TWHEEL_NEVER) {
		wheel_test_visit(wt);
		wheel_test_audit(wt, false);
	}
	wheel_test_expect_each_once(wt);
}

/* Whatever the wheel lacks, all timers run on their ticks: the same at each depth. */
static void each_depth_runs_all(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int levels;

	for (levels = 1; levels <= TWHEEL_LVL_DEPTH; levels++) {
		wt = levels_start(test, levels, MANY);
		arm_many(wt);
		wheel_test_audit(wt, false);
		wheel_test_visit_all(wt);
		wheel_test_expect_each_once(wt);
	}
}

static void wanted_says_how_many(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 1, 2 * TWHEEL_LVL_DEPTH + 1);
	unsigned int n;

	wheel_test_arm(wt, 0, START + TWHEEL_LVL_GRAN(1) - 1);
	KUNIT_EXPECT_EQ(test, wt->wheel->wanted, 0U);
	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		wheel_test_arm(wt, 2 * n, START + TWHEEL_LVL_GRAN(n));
		KUNIT_EXPECT_EQ(test, wt->wheel->wanted, n + 1);
		wheel_test_arm(wt, 2 * n + 1, START + TWHEEL_LVL_GRAN(n + 1) - 1);
		KUNIT_EXPECT_EQ(test, wt->wheel->wanted, n + 1);
	}
	/* A later deadline wants no more than all levels, a nearer one no fewer. */
	wheel_test_arm(wt, 1, TWHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, wt->wheel->wanted, (u32)TWHEEL_LVL_DEPTH);
	wheel_test_arm(wt, 2 * n, START + 1);
	KUNIT_EXPECT_EQ(test, wt->wheel->wanted, (u32)TWHEEL_LVL_DEPTH);
}

/* A level that is there is not wanted. */
static void wanted_once(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 3, 2);

	wheel_test_arm(wt, 0, START + TWHEEL_LVL_GRAN(3) - 1);
	KUNIT_EXPECT_EQ(test, wt->wheel->wanted, 0U);
	wheel_test_arm(wt, 1, START + TWHEEL_LVL_GRAN(3));
	KUNIT_EXPECT_EQ(test, wt->wheel->wanted, 4U);
}

/* The timers of the last slot go to the level that has been added, and are moved less. */
static void added_level_serves(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 1, 1);
	unsigned int level, slot, chain;

	wheel_test_arm(wt, 0, START + 100000);
	wheel_test_run(wt, START + 300);
	KUNIT_EXPECT_EQ(test, wheel_test_moves(wt), 2ULL);
	while (wt->wheel->depth < wt->wheel->wanted) {
		add_level(wt, 1);
		wheel_test_audit(wt, false);
	}
	wheel_test_run(wt, START + 3 * 127);
	wheel_test_where(wt, 0, &level, &slot, &chain);
	KUNIT_EXPECT_EQ(test, level, 2U);
	wheel_test_visit_all(wt);
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), 5ULL);
	wheel_test_expect_each_once(wt);
}

/* Levels come while timers are pending, and while a tick is not done. */
static void added_in_a_tick(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int levels;

	for (levels = 1; levels < TWHEEL_LVL_DEPTH; levels++) {
		wt = levels_start(test, levels, MANY);
		arm_many(wt);
		stop_in_a_tick(wt, START + 20);
		add_level(wt, levels % 2 ? 1 : TWHEEL_SLOT_CHAINS);
		wheel_test_audit(wt, false);
		/* The new level is used within the tick, too. */
		wheel_test_remove(wt, MANY - 1);
		wheel_test_arm(wt, MANY - 1, START + 20 + 3 * TWHEEL_LVL_GRAN(levels));
		wheel_test_audit(wt, false);
		wheel_test_run(wt, START + 20);
		wheel_test_visit_all(wt);
		wheel_test_expect_each_once(wt);
	}
}

static void widened_keeps_all(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 3, MANY);
	unsigned int n, before, chains;
	struct twheel_level *level;

	arm_many(wt);
	stop_in_a_tick(wt, START + 20);
	for (chains = 2; chains <= TWHEEL_SLOT_CHAINS; chains *= 2) {
		for (n = 0; n < wt->wheel->depth; n++) {
			before = wt->wheel->level[n]->count[(START / TWHEEL_LVL_GRAN(n) + 40) &
							    TWHEEL_LVL_MASK];
			widen(wt, n, chains);
			level = wt->wheel->level[n];
			KUNIT_EXPECT_EQ(test, level->count[(START / TWHEEL_LVL_GRAN(n) + 40) &
							   TWHEEL_LVL_MASK], before);
		}
	}
	wheel_test_run(wt, START + 20);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
}

/* The timers of a slot are spread over the chains that the slot has now. */
static void widened_uses_all_chains(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 1, 12);
	unsigned int i, level, slot, chain;

	for (i = 0; i < 4; i++)
		wheel_test_arm(wt, i, START + 10);
	widen(wt, 0, TWHEEL_SLOT_CHAINS);
	for (i = 4; i < wt->size; i++)
		wheel_test_arm(wt, i, START + 10);
	for (i = 0; i < wt->size; i++) {
		wheel_test_where(wt, i, &level, &slot, &chain);
		KUNIT_EXPECT_EQ(test, chain, i < 4 ? 0 : i % TWHEEL_SLOT_CHAINS);
	}
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, START + 10), wt->size);
}

/* A timer whose window asks for a level that the wheel lacks runs within the window. */
static void windows_without_their_level(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int levels, i;

	for (levels = 1; levels < TWHEEL_LVL_DEPTH; levels++) {
		wt = levels_start(test, levels, 120);
		for (i = 0; i < wt->size; i++) {
			wheel_test_window(wt, i, TWHEEL_LVL_GRAN(1 + i % 3) * 2);
			wheel_test_arm(wt, i, START + 1 + i * i * 3);
		}
		wheel_test_audit(wt, false);
		wheel_test_run(wt, START + 5000);
		add_level(wt, 1);
		wheel_test_audit(wt, false);
		wheel_test_visit_all(wt);
		wheel_test_expect_each_once(wt);
	}
}

static struct kunit_case levels_cases[] = {
	KUNIT_CASE(empty_without_a_level),
	KUNIT_CASE(far_deadline_on_one_level),
	KUNIT_CASE(each_depth_runs_all),
	KUNIT_CASE(wanted_says_how_many),
	KUNIT_CASE(wanted_once),
	KUNIT_CASE(added_level_serves),
	KUNIT_CASE(added_in_a_tick),
	KUNIT_CASE(widened_keeps_all),
	KUNIT_CASE(widened_uses_all_chains),
	KUNIT_CASE(windows_without_their_level),
	{}
};

WHEEL_TEST_SUITE(levels);
