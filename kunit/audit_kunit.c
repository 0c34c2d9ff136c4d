// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the audit finds a broken wheel, which every other suite relies on
 */
#include "wheel_test.h"

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

static void pass_over(struct wheel_test *wt, unsigned int n)
{
	/* The hand has passed slot 10 of level 0, which now belongs to the next lap. */
	wt->wheel->clk = 11;
	set_state(wt, 0, 10);
}

static void stop_at_a_slot(struct wheel_test *wt, unsigned int n)
{
	wt->wheel->clk = 10;
}

static void make_earlier(struct wheel_test *wt, unsigned int n)
{
	set_state(wt, n, 10 * TWHEEL_LVL_GRAN(n) - 1);
}

static void make_later(struct wheel_test *wt, unsigned int n)
{
	set_state(wt, n, 11 * TWHEEL_LVL_GRAN(n));
}

static void clear_bit_of_slot(struct wheel_test *wt, unsigned int n)
{
	__clear_bit(10, wt->wheel->level[n]->map);
}

static void clear_count_of_slot(struct wheel_test *wt, unsigned int n)
{
	wt->wheel->level[n]->count[10] = 0;
}

static void visit_late(struct wheel_test *wt, unsigned int n)
{
	wt->wheel->next = 11;
}

static void make_idle(struct wheel_test *wt, unsigned int n)
{
	set_state(wt, n, TWHEEL_IDLE);
}

static void count_one_more(struct wheel_test *wt, unsigned int n)
{
	wt->wheel->pending++;
}

/**
 * struct fault - a fault in the wheel
 * @rule: How the audit's complaint begins.
 * @put_in: Puts the fault in at a level.
 * @first: The first level at which it is one.
 * @levels: The number of levels at which it is one.
 */
static const struct fault {
	const char	*rule;
	void		(*put_in)(struct wheel_test *wt, unsigned int n);
	unsigned int	first;
	unsigned int	levels;
} faults[] = {
	{ "R1", pass_over, 0, 1 },
	{ "R2", stop_at_a_slot, 0, 1 },
	{ "R3: a timer's slot begins after", make_earlier, 1, TWHEEL_LVL_DEPTH - 1 },
	/* The top level may hold timers beyond the horizon. */
	{ "R3: a timer's slot does not cover", make_later, 0, TWHEEL_LVL_DEPTH - 1 },
	{ "R4: an occupied slot has no bit", clear_bit_of_slot, 0, TWHEEL_LVL_DEPTH },
	{ "R4: a slot holds more", clear_count_of_slot, 0, TWHEEL_LVL_DEPTH },
	{ "R5", visit_late, 0, 1 },
	{ "a timer in a slot is not pending", make_idle, 3, 1 },
	{ "the number of timers is wrong", count_one_more, 0, 1 },
};

TEST_PARAM(fault, faults, "%s", p->rule);

static void finds_a_fault(struct kunit *test)
{
	const struct fault *fault = test->param_value;
	struct wheel_test *wt;
	const char *wrong;
	unsigned int n;

	for (n = fault->first; n < fault->first + fault->levels; n++) {
		wt = one_a_level(test);
		fault->put_in(wt, n);
		wrong = twheel_wheel_audit(wt->wheel, false);
		KUNIT_ASSERT_TRUE_MSG(test, wrong, "level %u: the audit finds nothing", n);
		KUNIT_EXPECT_EQ_MSG(test, strncmp(wrong, fault->rule, strlen(fault->rule)), 0,
				    "level %u: the audit finds: %s", n, wrong);
		/* An extended timer looks as if it was made later, and is allowed. */
		if (fault->put_in == make_later)
			KUNIT_EXPECT_TRUE(test, !twheel_wheel_audit(wt->wheel, true));
	}
}

static struct kunit_case audit_cases[] = {
	KUNIT_CASE(accepts_what_is_right),
	KUNIT_CASE_PARAM(finds_a_fault, fault_gen_params),
	{}
};

WHEEL_TEST_SUITE(audit);
