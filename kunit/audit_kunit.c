// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the audit finds a broken wheel, which every other suite relies on
 */
#include "wheel_test.h"

/* The case has broken @rule in the wheel. The next wheel_test_start() makes a new one. */
static void expect_rule(struct wheel_test *wt, const char *rule)
{
	const char *wrong = twheel_wheel_audit(wt->wheel, false);

	KUNIT_ASSERT_TRUE_MSG(wt->test, wrong, "the audit does not find %s", rule);
	KUNIT_EXPECT_EQ_MSG(wt->test, strncmp(wrong, rule, strlen(rule)), 0,
			    "the audit finds %s as: %s", rule, wrong);
}

/* A correct wheel, with a timer in slot 10 of every level. */
static struct wheel_test *one_a_level(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, TWHEEL_LVL_DEPTH);
	unsigned int n;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		wheel_test_arm(wt, n, 10 * TWHEEL_LVL_GRAN(n) + n);
	wheel_test_audit(wt, false);
	return wt;
}

static void set_state(struct wheel_test *wt, unsigned int i, u64 state)
{
	atomic64_set(&wt->timers[i].timer.state, state);
}

static void accepts_what_is_right(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(wt->wheel, true));
	wheel_test_visit_all(wt);
	KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(wt->wheel, false));
}

static void finds_r1_passed_over(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	/* The hand has passed slot 10 of level 0, which now belongs to the next lap. */
	wt->wheel->clk = 11;
	set_state(wt, 0, 10);
	expect_rule(wt, "R1");
}

static void finds_r2_current_slot(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	wt->wheel->clk = 10;
	expect_rule(wt, "R2");
}

static void finds_r3_slot_after_deadline(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n;

	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		wt = one_a_level(test);
		set_state(wt, n, 10 * TWHEEL_LVL_GRAN(n) - 1);
		expect_rule(wt, "R3");
	}
}

static void finds_r3_slot_too_early(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n;

	/* The top level may hold timers beyond the horizon. */
	for (n = 0; n < TWHEEL_LVL_DEPTH - 1; n++) {
		wt = one_a_level(test);
		set_state(wt, n, 11 * TWHEEL_LVL_GRAN(n));
		expect_rule(wt, "R3");
		/* An extended timer looks the same, and is allowed. */
		KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(wt->wheel, true));
	}
}

static void finds_r4_missing_bit(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		wt = one_a_level(test);
		__clear_bit(10, wt->wheel->level[n]->map);
		expect_rule(wt, "R4");
	}
}

static void finds_r4_low_count(struct kunit *test)
{
	struct wheel_test *wt;
	unsigned int n;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		wt = one_a_level(test);
		wt->wheel->level[n]->count[10] = 0;
		expect_rule(wt, "R4");
	}
}

static void finds_r5_late_visit(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	wt->wheel->next = 11;
	expect_rule(wt, "R5");
}

static void finds_idle_in_a_slot(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	set_state(wt, 3, TWHEEL_IDLE);
	expect_rule(wt, "a timer in a slot is not pending");
}

static void finds_wrong_number(struct kunit *test)
{
	struct wheel_test *wt = one_a_level(test);

	wt->wheel->pending++;
	expect_rule(wt, "the number of timers is wrong");
}

static struct kunit_case audit_cases[] = {
	KUNIT_CASE(accepts_what_is_right),
	KUNIT_CASE(finds_r1_passed_over),
	KUNIT_CASE(finds_r2_current_slot),
	KUNIT_CASE(finds_r3_slot_after_deadline),
	KUNIT_CASE(finds_r3_slot_too_early),
	KUNIT_CASE(finds_r4_missing_bit),
	KUNIT_CASE(finds_r4_low_count),
	KUNIT_CASE(finds_r5_late_visit),
	KUNIT_CASE(finds_idle_in_a_slot),
	KUNIT_CASE(finds_wrong_number),
	{}
};

WHEEL_TEST_SUITE(audit);
