// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: deadlines pushed back, while the timers stay in their slots
 */
#include "race.h"

static void fires_at_the_later_deadline(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int from, to;

	for (from = 0; from < TWHEEL_LVL_DEPTH; from++) {
		for (to = from; to < TWHEEL_LVL_DEPTH; to++) {
			wt = wheel_test_start(test, 1000, 1);
			wheel_test_arm(wt, 0, 1000 + 5 * TWHEEL_LVL_GRAN(from));
			wheel_test_extend(wt, 0, 1000 + 99 * TWHEEL_LVL_GRAN(to));
			KUNIT_EXPECT_EQ(test, twheel_wheel_state(&wt->timers[0].timer),
					1000 + 99 * TWHEEL_LVL_GRAN(to));
			wheel_test_visit_all(wt);
			KUNIT_EXPECT_EQ(test, wt->timers[0].fired, 1U);
		}
	}
}

static void by_nothing_is_accepted(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);

	wheel_test_arm(wt, 0, 700);
	wheel_test_extend(wt, 0, 700);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 699), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 700), 1U);
	KUNIT_EXPECT_EQ(test, wt->wheel->refiled, 0ULL);
}

static void earlier_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	wheel_test_arm(wt, 0, 700);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 699));
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 1));
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 0));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), 700ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 699), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 700), 1U);
}

/* The timer's present deadline counts, not the one that chose its slot. */
static void earlier_than_extended_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	wheel_test_arm(wt, 0, 300);
	wheel_test_extend(wt, 0, 900);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 600));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), 900ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 899), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 900), 1U);
}

/* A signed comparison mistakes the later of two such deadlines for the earlier. */
static void half_range(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);
	struct twheel_node *t = &wt->timers[0].timer;

	wheel_test_arm(wt, 0, 100);
	wheel_test_extend(wt, 0, (1ULL << 63) + 200);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 150));
	wheel_test_arm(wt, 1, 100);
	wheel_test_extend(wt, 1, S64_MAX);
	wheel_test_extend(wt, 1, 1ULL << 63);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 1000000), 0U);
	wheel_test_audit(wt, true);
}

static void moves_nothing(struct kunit *test)
{
	unsigned int level, slot, chain, was_level, was_slot;
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	u64 next;

	wheel_test_arm(wt, 0, 5000);
	next = twheel_wheel_next(wt->wheel);
	wheel_test_where(wt, 0, &was_level, &was_slot, &chain);
	wheel_test_extend(wt, 0, 5000000);
	wheel_test_where(wt, 0, &level, &slot, &chain);
	KUNIT_EXPECT_EQ(test, level, was_level);
	KUNIT_EXPECT_EQ(test, slot, was_slot);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), next);
	KUNIT_EXPECT_EQ(test, wheel_test_moves(wt), 0ULL);
	wheel_test_audit(wt, true);
}

static void many_times_before_the_slot(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	unsigned int i;

	wheel_test_arm(wt, 0, 100);
	for (i = 0; i < 10000; i++)
		wheel_test_extend(wt, 0, 101 + i);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 10099), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 10100), 1U);
}

/* The heartbeat: one beat a tick, and the wheel looks at the timer every 29 ticks. */
static void on_every_tick(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	unsigned int now;

	wheel_test_arm(wt, 0, 30);
	for (now = 1; now <= 3000; now++) {
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, now), 0U);
		wheel_test_extend(wt, 0, now + 30);
		wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), 3000ULL / 29 + 1);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 3029), 0U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 3030), 1U);
}

/*
 *	level n   | current | coming: timers 0 to 199 |
 *	             ^hand
 * A timer in the coming slot goes to where its new deadline belongs: to a level below,
 * to a later slot of the same level, or to a level above. It never goes back to the
 * same slot.
 */
static void while_its_slot_is_coming(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n, i;
	u64 slot;

	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		wt = wheel_test_start(test, 0, 400);
		slot = 10 * TWHEEL_LVL_GRAN(n);
		for (i = 0; i < wt->size; i++)
			wheel_test_arm(wt, i, slot + i % TWHEEL_LVL_GRAN(n));
		/* The hand is in the slot before, and some timers have been moved down. */
		wheel_test_run(wt, slot - 4);
		KUNIT_ASSERT_GT(test, wt->wheel->cascaded, 0ULL);
		KUNIT_ASSERT_LT(test, wt->wheel->cascaded, 400ULL);
		for (i = 0; i < wt->size; i++)
			wheel_test_extend(wt, i, wt->timers[i].due +
						 i % 5 * TWHEEL_LVL_GRAN(n) / 2);
		for (i = 0; i < wt->size; i += 7)
			wheel_test_extend(wt, i, slot + 1000 * TWHEEL_LVL_GRAN(n));
		while (wt->armed) {
			wheel_test_visit(wt);
			wheel_test_audit(wt, true);
		}
	}
}

/* Extended at the last moment, on the tick before the deadline. */
static void on_the_last_tick(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n;
	u64 due;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		due = 77 * TWHEEL_LVL_GRAN(n);
		wt = wheel_test_start(test, 0, 1);
		wheel_test_arm(wt, 0, due);
		KUNIT_EXPECT_EQ(test, wheel_test_run(wt, due - 1), 0U);
		wheel_test_extend(wt, 0, due + 1);
		KUNIT_EXPECT_EQ(test, wheel_test_run(wt, due), 0U);
		KUNIT_EXPECT_EQ(test, wt->wheel->refiled, 1ULL);
		KUNIT_EXPECT_EQ(test, wheel_test_run(wt, due + 1), 1U);
	}
}

static void past_the_horizon(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 4);
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 100 + i * TWHEEL_LVL_GRAN(2));
	wheel_test_extend(wt, 0, 128 * TWHEEL_LVL_GRAN(5));
	wheel_test_extend(wt, 1, 1ULL << 40);
	wheel_test_extend(wt, 2, TWHEEL_NEVER - 1);
	wheel_test_extend(wt, 3, TWHEEL_NEVER);
	while (wt->armed > 2) {
		wheel_test_visit(wt);
		wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_EQ(test, wt->wheel->clk, 1ULL << 40);
}

/* U64_MAX in a timer's state means dead: no deadline may be stored as U64_MAX. */
static void saturates(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);

	wheel_test_arm(wt, 0, 100);
	wheel_test_extend(wt, 0, U64_MAX);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(&wt->timers[0].timer), TWHEEL_NEVER);
	wheel_test_extend(wt, 0, U64_MAX);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 1000), 0U);
	wheel_test_remove(wt, 0);
	wheel_test_audit(wt, true);
}

static void idle_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 100));
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, TWHEEL_NEVER));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), TWHEEL_IDLE);
}

static void expired_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	wheel_test_arm(wt, 0, 10);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 10), 1U);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 100));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), TWHEEL_IDLE);
}

static void dead_is_refused(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct twheel_node *t = &wt->timers[0].timer;

	twheel_wheel_remove(wt->wheel, t, TWHEEL_DEAD);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, 100));
	KUNIT_EXPECT_FALSE(test, twheel_wheel_extend(t, U64_MAX));
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(t), TWHEEL_DEAD);
}

static void removed_where_it_was_filed(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 2);

	wheel_test_arm(wt, 0, 100);
	wheel_test_arm(wt, 1, 100);
	wheel_test_extend(wt, 0, 1000000);
	wheel_test_remove(wt, 0);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 2000000), 1U);
}

/* Removal allows an earlier deadline again: the extension leaves nothing behind. */
static void back_to_the_old_deadline(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);

	wheel_test_arm(wt, 0, 100);
	wheel_test_extend(wt, 0, 1000000);
	wheel_test_remove(wt, 0);
	wheel_test_arm(wt, 0, 100);
	wheel_test_audit(wt, false);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 100), 1U);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 2000000), 0U);
}

/* All timers of a slot are pushed back to nearly the same tick, again and again. */
static void a_crowd_stays_exact(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1000);
	unsigned int i, round;

	for (i = 0; i < wt->size; i++)
		wheel_test_arm(wt, i, 1 + i);
	for (round = 1; round <= 20; round++) {
		for (i = 0; i < wt->size; i++)
			wheel_test_extend(wt, i, round * 1000 + i % 3);
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, round * 1000 - 1), 0U);
		wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, 20002), wt->size);
}

/* The timers of the tick that the hand is at. */
static unsigned int due_now(const struct race_plan *plan, u64 clk)
{
	return min_t(u64, clk, plan->ticks - 1) * RACE_WIDTH;
}

static void races_with_expiry(struct kunit *test)
{
	static const struct race_plan plan = {
		.ticks	= WHEEL_TEST_LONG(20000),
		.reach	= 2 * RACE_WIDTH,
		.first	= due_now,
	};

	race_run(test, &plan);
}

static struct kunit_case extend_cases[] = {
	KUNIT_CASE(fires_at_the_later_deadline),
	KUNIT_CASE(by_nothing_is_accepted),
	KUNIT_CASE(earlier_is_refused),
	KUNIT_CASE(earlier_than_extended_is_refused),
	KUNIT_CASE(half_range),
	KUNIT_CASE(moves_nothing),
	KUNIT_CASE(many_times_before_the_slot),
	KUNIT_CASE(on_every_tick),
	KUNIT_CASE(while_its_slot_is_coming),
	KUNIT_CASE(on_the_last_tick),
	KUNIT_CASE(past_the_horizon),
	KUNIT_CASE(saturates),
	KUNIT_CASE(idle_is_refused),
	KUNIT_CASE(expired_is_refused),
	KUNIT_CASE(dead_is_refused),
	KUNIT_CASE(removed_where_it_was_filed),
	KUNIT_CASE(back_to_the_old_deadline),
	KUNIT_CASE(a_crowd_stays_exact),
	KUNIT_CASE(races_with_expiry),
	{}
};

WHEEL_TEST_SUITE(extend);
