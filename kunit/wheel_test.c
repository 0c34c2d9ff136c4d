// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what the suites of the wheel share
 */
#include <linux/mm.h>
#include "wheel_test.h"

/**
 * struct full_wheel - a wheel with all levels
 * @wheel: The wheel.
 * @levels: The memory of its levels.
 */
struct full_wheel {
	struct twheel_wheel	wheel;
	u8			levels[TWHEEL_LEVELS_BYTES] ____cacheline_aligned;
};

/* Makes a wheel from wheel_test_wheel() empty. */
static void wheel_init(struct twheel_wheel *wheel, u64 clk)
{
	twheel_wheel_init(wheel, clk);
	twheel_wheel_add_all_levels(wheel,
				    container_of(wheel, struct full_wheel, wheel)->levels);
}

/* An empty wheel with all levels, for kvfree(). */
struct twheel_wheel *wheel_test_wheel(struct kunit *test, u64 clk)
{
	struct full_wheel *full = kvzalloc(sizeof(*full), GFP_KERNEL);

	static_assert(!offsetof(struct full_wheel, wheel));
	KUNIT_ASSERT_NOT_NULL(test, full);
	wheel_init(&full->wheel, clk);
	return &full->wheel;
}

int wheel_test_init(struct kunit *test)
{
	struct wheel_test *wt = kunit_kzalloc(test, sizeof(*wt), GFP_KERNEL);

	if (!wt)
		return -ENOMEM;
	wt->wheel = wheel_test_wheel(test, 0);
	wt->test = test;
	test->priv = wt;
	return 0;
}

void wheel_test_exit(struct kunit *test)
{
	struct wheel_test *wt = test->priv;

	if (!wt)
		return;
	kvfree(wt->timers);
	kvfree(wt->wheel);
	test->priv = NULL;
}

/* An empty wheel with its hand at @clk, and @timers idle timers. */
struct wheel_test *wheel_test_start(struct kunit *test, u64 clk,
				    unsigned int timers)
{
	struct wheel_test *wt = test->priv;

	kvfree(wt->timers);
	wt->timers = kvcalloc(timers, sizeof(*wt->timers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, wt->timers);
	wt->size = timers;
	wt->armed = 0;
	wt->tick = clk;
	wt->calls = 0;
	wt->rearm = false;
	wheel_init(wt->wheel, clk);
	return wt;
}

/* Gives an idle timer a window: it may expire up to @slack ticks after its deadline. */
void wheel_test_window(struct wheel_test *wt, unsigned int i, u64 slack)
{
	wt->timers[i].slack = slack;
	wt->timers[i].timer.flags = twheel_wheel_window_flags(slack);
}

/* The last tick at which a timer may expire. */
static u64 window_end(const struct wheel_test *wt, unsigned int i)
{
	const struct test_timer *t = &wt->timers[i];

	return t->slack > U64_MAX - t->due ? U64_MAX : t->due + t->slack;
}

void wheel_test_expect_each_once(struct wheel_test *wt)
{
	unsigned int i;

	for (i = 0; i < wt->size; i++)
		KUNIT_EXPECT_EQ_MSG(wt->test, wt->timers[i].fired, 1U,
				    "timer %u", i);
}

void wheel_test_arm(struct wheel_test *wt, unsigned int i, u64 expires)
{
	struct test_timer *t = &wt->timers[i];

	twheel_wheel_insert(wt->wheel, &t->timer, expires);
	if (expires <= wt->wheel->clk)
		expires = wt->wheel->clk + 1;
	t->due = min_t(u64, expires, TWHEEL_NEVER);
	wt->armed++;
	KUNIT_ASSERT_EQ_MSG(wt->test, twheel_wheel_state(&t->timer), t->due,
			    "timer %u", i);
}

void wheel_test_remove(struct wheel_test *wt, unsigned int i)
{
	struct twheel_node *t = &wt->timers[i].timer;

	KUNIT_ASSERT_TRUE_MSG(wt->test,
			      twheel_wheel_remove(wt->wheel, t, TWHEEL_IDLE),
			      "timer %u", i);
	wt->armed--;
}

void wheel_test_extend(struct wheel_test *wt, unsigned int i, u64 expires)
{
	struct test_timer *t = &wt->timers[i];

	KUNIT_ASSERT_TRUE_MSG(wt->test,
			      twheel_wheel_extend(&t->timer, expires),
			      "timer %u of %llu to %llu", i, t->due, expires);
	t->due = min_t(u64, expires, TWHEEL_NEVER);
}

void wheel_test_audit(struct wheel_test *wt, bool extended)
{
	const char *wrong = twheel_wheel_audit(wt->wheel, extended);

	KUNIT_ASSERT_EQ_MSG(wt->test, wt->wheel->pending, (u64)wt->armed,
			    "the wheel's count");
	KUNIT_ASSERT_TRUE_MSG(wt->test, !wrong, "hand %llu: %s",
			      wt->wheel->clk, wrong);
}

/* Checks a timer that has just expired. */
static struct test_timer *expired(struct wheel_test *wt, struct twheel_node *timer, u64 now)
{
	struct test_timer *t = container_of(timer, struct test_timer, timer);

	KUNIT_ASSERT_LT(wt->test, (unsigned int)(t - wt->timers), wt->size);
	KUNIT_ASSERT_LE_MSG(wt->test, t->due, wt->wheel->clk, "timer %td",
			    t - wt->timers);
	KUNIT_ASSERT_LE(wt->test, wt->wheel->clk, max(now, wt->tick));
	KUNIT_ASSERT_EQ(wt->test, twheel_wheel_state(timer), TWHEEL_IDLE);
	wt->armed--;
	t->fired++;
	return t;
}

/* Takes one timer, and checks that this is its tick, and that ticks come in order. */
bool wheel_test_expire(struct wheel_test *wt, u64 now, unsigned int *budget)
{
	struct twheel_wheel *w = wt->wheel;
	struct twheel_node *timer = twheel_wheel_expire(w, now, budget);
	struct test_timer *t;
	unsigned int i;

	/* A wheel that runs in circles fails; it does not hang. */
	KUNIT_ASSERT_LT(wt->test, wt->calls++, WHEEL_TEST_UNLIMITED);
	KUNIT_ASSERT_GE(wt->test, w->clk, wt->tick);
	KUNIT_ASSERT_LE(wt->test, w->clk, max(now, wt->tick));
	wt->tick = w->clk;
	if (!timer)
		return false;

	t = expired(wt, timer, now);
	i = t - wt->timers;
	KUNIT_ASSERT_LE_MSG(wt->test, w->clk, window_end(wt, i),
			    "timer %u of %llu", i, t->due);
	if (wt->rearm)
		wheel_test_arm(wt, i, w->clk);
	return true;
}

/* Moves the hand to @now at once. Returns how many timers expired. */
unsigned int wheel_test_run(struct wheel_test *wt, u64 now)
{
	unsigned int budget = WHEEL_TEST_UNLIMITED, fired = 0;

	while (wheel_test_expire(wt, now, &budget))
		fired++;
	KUNIT_ASSERT_EQ(wt->test, wt->wheel->clk, min(now, TWHEEL_NEVER - 1));
	return fired;
}

/* Moves the hand to the next tick that needs a visit, as a wheel that sleeps does. */
unsigned int wheel_test_visit(struct wheel_test *wt)
{
	u64 next = twheel_wheel_next(wt->wheel);

	KUNIT_ASSERT_GT(wt->test, next, wt->wheel->clk);
	KUNIT_ASSERT_LT(wt->test, next, TWHEEL_NEVER);
	return wheel_test_run(wt, next);
}

/* Visits the wheel until no timer waits any more. Returns the number of visits. */
unsigned int wheel_test_visit_all(struct wheel_test *wt)
{
	unsigned int visits = 0;

	while (twheel_wheel_next(wt->wheel) < TWHEEL_NEVER) {
		wheel_test_visit(wt);
		visits++;
	}
	KUNIT_ASSERT_EQ(wt->test, wt->armed, 0U);
	return visits;
}

/* Finds the list whose head is in a level. */
struct place wheel_test_where(const struct wheel_test *wt, unsigned int i)
{
	struct list_head *head = wt->timers[i].timer.entry.next, *first;
	const struct twheel_level *level;
	unsigned int n;
	size_t chain;

	for (;; head = head->next) {
		for (n = 0; n < wt->wheel->depth; n++) {
			level = wt->wheel->level[n];
			first = twheel_level_slot(wt->wheel->level[n], 0);
			chain = head - first;
			if (head >= first && chain < TWHEEL_LVL_SIZE * level->chains)
				return (struct place){ n, chain / level->chains,
						       chain % level->chains };
		}
	}
}
