// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: wheels with few levels and few chains, which grow while timers are pending
 */
#include "wheel_test.h"

#define START		100000ULL

static void *level_memory(struct kunit *test, unsigned int chains)
{
	void *memory = kunit_kzalloc(test, TWHEEL_LEVEL_BYTES(chains), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

static void add_level(struct wheel_test *wt, unsigned int chains)
{
	KUNIT_EXPECT_NULL(wt->test, twheel_wheel_set_level(wt->wheel, wt->wheel->depth,
							   level_memory(wt->test, chains), chains));
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

static void widen(struct wheel_test *wt, unsigned int n, unsigned int chains)
{
	struct twheel_level *level = wt->wheel->level[n];
	size_t bytes = TWHEEL_LEVEL_BYTES(level->chains);

	KUNIT_ASSERT_PTR_EQ(wt->test,
			    twheel_wheel_set_level(wt->wheel, n,
						   level_memory(wt->test, chains), chains),
			    (void *)level);
	KUNIT_EXPECT_EQ(wt->test, wt->wheel->level[n]->chains, chains);
	/* Nothing may use it any more. */
	memset(level, 0xa5, bytes);
	wheel_test_audit(wt, false);
}

/* The timers of the last slot go to the level that has been added, and are moved less. */
static void added_level_serves(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 1, 1);

	wheel_test_arm(wt, 0, START + 100000);
	wheel_test_run(wt, START + 300);
	KUNIT_EXPECT_EQ(test, wheel_test_moves(wt), 2ULL);
	while (wt->wheel->depth < wt->wheel->wanted) {
		add_level(wt, 1);
		wheel_test_audit(wt, false);
	}
	wheel_test_run(wt, START + 3 * 127);
	KUNIT_EXPECT_EQ(test, wheel_test_where(wt, 0).level, 2U);
	wheel_test_visit_all(wt);
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), 5ULL);
	wheel_test_expect_each_once(wt);
}

/* The timers of a slot are spread over the chains that the slot has now. */
static void widened_uses_all_chains(struct kunit *test)
{
	struct wheel_test *wt = levels_start(test, 1, 12);
	unsigned int i;

	for (i = 0; i < 4; i++)
		wheel_test_arm(wt, i, START + 10);
	widen(wt, 0, TWHEEL_SLOT_CHAINS);
	for (i = 4; i < wt->size; i++)
		wheel_test_arm(wt, i, START + 10);
	for (i = 0; i < wt->size; i++)
		KUNIT_EXPECT_EQ(test, wheel_test_where(wt, i).chain,
				i < 4 ? 0 : i % TWHEEL_SLOT_CHAINS);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, START + 10), wt->size);
}

static struct kunit_case levels_cases[] = {
	KUNIT_CASE(added_level_serves),
	KUNIT_CASE(widened_uses_all_chains),
	{}
};

WHEEL_TEST_SUITE(levels);
