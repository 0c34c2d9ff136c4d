// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: deadlines pushed back, while the timers stay in their slots
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include "wheel_test.h"

static void moves_nothing(struct kunit *test)
{
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	struct place before, after;
	u64 next;

	wheel_test_arm(wt, 0, 5000);
	next = twheel_wheel_next(wt->wheel);
	before = wheel_test_where(wt, 0);
	wheel_test_extend(wt, 0, 5000000);
	after = wheel_test_where(wt, 0);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &after, sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, twheel_wheel_next(wt->wheel), next);
	KUNIT_EXPECT_EQ(test, wheel_test_moves(wt), 0ULL);
	wheel_test_audit(wt, true);
}

/**
 * struct heartbeat - a timer that is pushed back on every tick
 * @slack: Its slack.
 * @timeout: How far it is pushed back.
 * @ticks: For how long.
 */
static const struct heartbeat {
	u64		slack;
	unsigned int	timeout;
	unsigned int	ticks;
} heartbeats[] = { { 0, 30, 3000 }, { 256, 1000, 20000 } };

TEST_PARAM(heartbeat, heartbeats, "slack %llu", p->slack);

/* The wheel looks at the timer once in a timeout. In a window, each beat is a new window. */
static void on_every_tick(struct kunit *test)
{
	const struct heartbeat *h = test->param_value;
	struct wheel_test *wt = wheel_test_start(test, 0, 1);
	u64 now;

	wheel_test_window(wt, 0, h->slack);
	wheel_test_arm(wt, 0, h->timeout);
	for (now = 1; now <= h->ticks; now++) {
		KUNIT_ASSERT_EQ(test, wheel_test_run(wt, now), 0U);
		wheel_test_extend(wt, 0, now + h->timeout);
		if (!h->slack || now % 8 == 0)
			wheel_test_audit(wt, true);
	}
	KUNIT_EXPECT_LE(test, wheel_test_moves(wt), h->ticks / (h->timeout - 1) + 1ULL);
	KUNIT_EXPECT_EQ(test, wheel_test_run(wt, h->ticks + h->timeout - 1), 0U);
	wheel_test_visit_all(wt);
	wheel_test_expect_each_once(wt);
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

/* Extensions against expiry */

#define ROUNDS	5
/* Timers that are due on each tick. */
#define RACE_WIDTH	16U

/**
 * struct race_plan - a race
 * @name: Of the case.
 * @ticks: The last tick for which timers are armed; the first one is tick 1.
 * @slack: The slack of every timer.
 * @reach: How many timers the extending thread extends in a round.
 * @first: Finds the first of these timers for a hand at @clk: the one that the wheel is
 *	about to take.
 */
struct race_plan {
	const char	*name;
	unsigned int	ticks;
	u64		slack;
	unsigned int	reach;
	unsigned int	(*first)(const struct race_plan *plan, u64 clk);
};

/**
 * struct race - one thread pushes deadlines back, another runs the wheel
 * @plan: What to do.
 * @wt: The wheel and the timers.
 * @extended: By timer, the deadline of the last extension that succeeded.
 * @extensions: Number of extensions that succeeded.
 * @round: Completed by each round of the extending thread.
 */
struct race {
	const struct race_plan	*plan;
	struct wheel_test	*wt;
	u64			*extended;
	unsigned int		extensions;
	struct completion	round;
};

static u64 first_deadline(unsigned int i)
{
	return 1ULL + i / RACE_WIDTH;
}

/* Extends the timers that are due about now. */
static int extend_timers(void *data)
{
	struct race *race = data;
	struct wheel_test *wt = race->wt;
	unsigned int i, first, last;
	u64 clk;

	do {
		first = race->plan->first(race->plan, READ_ONCE(wt->wheel->clk));
		last = min(first + race->plan->reach, wt->size);
		for (i = first; i < last; i++) {
			clk = READ_ONCE(wt->wheel->clk) + i % 4;
			if (twheel_wheel_extend(&wt->timers[i].timer, clk)) {
				race->extended[i] = clk;
				race->extensions++;
			}
		}
		complete(&race->round);
		cond_resched();
	} while (!kthread_should_stop());
	return 0;
}

/* Moves the hand to @now, and notes the tick at which each timer expires. */
static void expire_timers(struct wheel_test *wt, u64 now)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED;
	struct twheel_node *timer;
	struct test_timer *t;

	while ((timer = twheel_wheel_expire(wt->wheel, now, &budget))) {
		t = container_of(timer, struct test_timer, timer);
		t->due = wt->wheel->clk;
		t->fired++;
	}
}

static void run_wheel(struct race *race)
{
	u64 now;

	for (now = 1; now <= race->plan->ticks; now++) {
		/* On a single CPU the extending thread must get its turn. */
		if (now % 64 == 1)
			wait_for_completion(&race->round);
		expire_timers(race->wt, now);
	}
}

/* Finds the first timer that did not expire once, by its last deadline; or the end. */
static unsigned int find_wrong(const struct race *race)
{
	const struct test_timer *t = race->wt->timers;
	unsigned int i;
	u64 due;

	for (i = 0; i < race->wt->size; i++, t++) {
		due = max(race->extended[i], first_deadline(i));
		if (t->due < due || t->due > due + race->plan->slack ||
		    t->fired != 1 || twheel_wheel_state(&t->timer) != TWHEEL_IDLE)
			break;
	}
	return i;
}

static void race_once(struct kunit *test, const struct race_plan *plan)
{
	struct wheel_test *wt = wheel_test_start(test, 0, plan->ticks * RACE_WIDTH);
	struct race race = { .plan = plan, .wt = wt };
	struct task_struct *task;
	unsigned int i;

	race.extended = kvcalloc(wt->size, sizeof(*race.extended), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, race.extended);
	for (i = 0; i < wt->size; i++) {
		wheel_test_window(wt, i, plan->slack);
		twheel_wheel_insert(wt->wheel, &wt->timers[i].timer, first_deadline(i));
	}
	init_completion(&race.round);
	/* No assertion until the thread is stopped: a failed one would leave it running. */
	task = kthread_run(extend_timers, &race, "twheel_race");
	if (!IS_ERR(task)) {
		run_wheel(&race);
		kthread_stop(task);
	}
	expire_timers(wt, plan->ticks + plan->slack + 10);
	i = find_wrong(&race);
	if (i < wt->size)
		kunit_err(test, "timer %u expired %u times, at %llu, extended to %llu, state %llu",
			  i, wt->timers[i].fired, wt->timers[i].due, race.extended[i],
			  twheel_wheel_state(&wt->timers[i].timer));
	kvfree(race.extended);
	KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(task), "no thread");
	KUNIT_EXPECT_EQ(test, i, wt->size);
	KUNIT_EXPECT_EQ(test, wt->wheel->pending, 0ULL);
	KUNIT_EXPECT_GT(test, race.extensions, 0U);
}

/* The timers of the tick that the hand is at. */
static unsigned int due_now(const struct race_plan *plan, u64 clk)
{
	return min_t(u64, clk, plan->ticks - 1) * RACE_WIDTH;
}

/*
 * The timers that the wheel takes next from level 1. The slot that is being emptied holds
 * the deadlines of the slot time before. It loses TWHEEL_CASCADE_MIN timers a tick.
 */
static unsigned int leaving_level_1(const struct race_plan *plan, u64 clk)
{
	u64 slot = clk >> TWHEEL_LVL_SHIFT(1), gone = clk & (TWHEEL_LVL_GRAN(1) - 1);

	if (!slot)
		return 0;
	slot = (slot - 1) << TWHEEL_LVL_SHIFT(1);
	return min_t(u64, slot * RACE_WIDTH + gone * TWHEEL_CASCADE_MIN,
		     plan->ticks * RACE_WIDTH);
}

static const struct race_plan plans[] = {
	{ "exact", WHEEL_TEST_LONG(20000), 0, 2 * RACE_WIDTH, due_now },
	{ "with a window", WHEEL_TEST_LONG(12500), 128, 2 * TWHEEL_CASCADE_MIN, leaving_level_1 },
};

TEST_PARAM(plan, plans, "%s", p->name);

/*
 * A timer is either extended or expires. So it expires at the deadline of the last
 * extension that returned true, or in the window after that deadline.
 */
static void races_with_expiry(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		race_once(test, test->param_value);
}

static struct kunit_case extend_cases[] = {
	KUNIT_CASE(moves_nothing),
	KUNIT_CASE_PARAM(on_every_tick, heartbeat_gen_params),
	KUNIT_CASE(dead_is_refused),
	KUNIT_CASE_PARAM(races_with_expiry, plan_gen_params),
	{}
};

WHEEL_TEST_SUITE(extend);
