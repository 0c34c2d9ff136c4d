// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that are removed, or armed again, before they are due
 */
#include <linux/prandom.h>
#include "wheel_test.h"

static void dead_stays_dead(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);
	struct twheel_node *idle = &wt->timers[0].timer;
	struct twheel_node *armed = &wt->timers[1].timer;

	KUNIT_EXPECT_FALSE(test, twheel_wheel_remove(wt->wheel, idle, TWHEEL_DEAD));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(idle), TWHEEL_DEAD);

	wheel_test_arm(wt, 1, 10);
	KUNIT_EXPECT_TRUE(test, twheel_wheel_remove(wt->wheel, armed, TWHEEL_DEAD));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(armed), TWHEEL_DEAD);

	/* A later cancel does not make it idle again. */
	KUNIT_EXPECT_FALSE(test, twheel_wheel_remove(wt->wheel, armed, TWHEEL_IDLE));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(armed), TWHEEL_DEAD);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 100), 0U);
}

/* Removal leaves stale bits and counts; twheel_wheel_next() clears them. */
static void residue_is_cleared(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 200);
	unsigned int n, i;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		for (i = 0; i < wt->size; i++)
			wheel_test_arm(wt, i, (2 + i % 100) * TWHEEL_LVL_GRAN(n));
		for (i = 0; i < wt->size; i++)
			wheel_test_remove(wt, i);
	}
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), TWHEEL_NEVER);
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		KUNIT_EXPECT_TRUE(test, bitmap_empty(wt->wheel->level[n]->map, TWHEEL_LVL_SIZE));
		for (i = 0; i < TWHEEL_LVL_SIZE; i++)
			KUNIT_EXPECT_EQ(test, wt->wheel->level[n]->count[i], 0U);
	}
}

/* Random timers are removed at every stage of their way down. */
static void remove_while_cascading(struct kunit *test)
{
	struct wheel_test *wt;
	struct rnd_state rnd;
	unsigned int i, left = 4000, fired = 0;
	u64 now = 0;

	prandom_seed_state(&rnd, 19);
	wt = wheel_test_start(test, 0, left);
	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 1 + prandom_u32_state(&rnd) % 300000);
	while (wt->armed) {
		fired += wheel_test_run(wt, ++now);
		i = prandom_u32_state(&rnd) % wt->size;
		if (now % 64 == 0 &&
		    twheel_wheel_pending(&wt->timers[i].timer)) {
			wheel_test_remove(wt, i);
			left--;
		}
	}
	KUNIT_EXPECT_EQ(test, fired, left);
	KUNIT_EXPECT_LT(test, fired, wt->size);
	wheel_test_audit(wt, false);
}

static struct kunit_case remove_cases[] = {
	KUNIT_CASE(dead_stays_dead),
	KUNIT_CASE(residue_is_cleared),
	KUNIT_CASE(remove_while_cascading),
	{}
};

WHEEL_TEST_SUITE(remove);
