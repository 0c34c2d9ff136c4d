// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: extensions against expiry
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include "race.h"

#define ROUNDS	5

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

/*
 * A timer is either extended or expires. So it expires at the deadline of the last
 * extension that returned true, or in the window after that deadline.
 */
void race_run(struct kunit *test, const struct race_plan *plan)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		race_once(test, plan);
}
