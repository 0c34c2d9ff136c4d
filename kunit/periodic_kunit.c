// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: twheel_add_periodic() and twheel_forward(), on real ticks
 *
 * Whatever happens, each point of the grid that has passed is either a callback that
 * ran or a point that was reported missed. grid_kunit.c tests the wheel's part.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/workqueue.h>
#include "engine_test.h"

/* twheel_add_periodic() */

/**
 * struct beat - a periodic timer that checks each of its callbacks
 * @probe: The timer.
 * @period: Its period.
 * @start: Its first deadline.
 * @point: The deadline of the next callback, a point of its grid.
 * @missed: Number of points that were reported missed.
 * @wrong: Number of callbacks that were early, or pending for a wrong point.
 * @then: What the callback does besides, or %NULL.
 */
struct beat {
	struct probe	probe;
	u32		period;
	u64		start;
	u64		point;
	u64		missed;
	unsigned int	wrong;
	void		(*then)(struct beat *beat);
};

static struct beat *beat_of(struct probe *probe)
{
	return container_of(probe, struct beat, probe);
}

static void beat_act(struct probe *probe)
{
	struct beat *beat = beat_of(probe);
	u64 missed = twheel_missed(&probe->timer);

	if (!probe->pending || probe->tick < beat->point + missed * beat->period)
		beat->wrong++;
	beat->missed += missed;
	beat->point += (missed + 1) * beat->period;
	if (twheel_wheel_state(&probe->timer.node) != beat->point)
		beat->wrong++;
	if (beat->then)
		beat->then(beat);
}

static struct beat *beat_new(struct kunit *test, void (*then)(struct beat *beat))
{
	struct beat *beat = kunit_kzalloc(test, sizeof(*beat), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, beat);
	probe_init(test, &beat->probe, beat_act);
	beat->then = then;
	return beat;
}

/* The first deadline may be later than @expires, if arming takes some ticks. */
static int beat_arm(struct beat *beat, u64 expires, u32 period)
{
	int ret;

	engine_test_hold();
	beat->period = period;
	ret = twheel_add_periodic(&beat->probe.timer, expires, period);
	beat->start = twheel_wheel_state(&beat->probe.timer.node);
	beat->point = beat->start;
	engine_test_release();
	return ret;
}

static void beat_start(struct kunit *test, struct beat *beat, u64 expires,
		       u32 period)
{
	KUNIT_ASSERT_EQ(test, beat_arm(beat, expires, period), 0);
	KUNIT_EXPECT_GE(test, beat->start, expires);
}

/* Waits until @runs callbacks have run; each completes @ran once. */
static void beat_wait(struct kunit *test, struct beat *beat, unsigned int runs)
{
	while (READ_ONCE(beat->probe.runs) < runs)
		probe_wait(test, &beat->probe);
}

/* Disarms the timer, which must be pending. */
static void beat_stop(struct kunit *test, struct beat *beat)
{
	unsigned int runs;

	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&beat->probe.timer), 1);
	runs = beat->probe.runs;
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	engine_test_pass(test, get_jiffies_64() + beat->period);
	KUNIT_EXPECT_EQ(test, beat->probe.runs, runs);
	engine_test_expect_idle(test, &beat->probe.timer);
}

static void runs_on_its_grid(struct kunit *test)
{
	static const u32 period[] = { 1, 2, 3, 5, 8 };
	struct beat *beat[ARRAY_SIZE(period)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(period); i++) {
		beat[i] = beat_new(test, NULL);
		beat_start(test, beat[i], get_jiffies_64() + 2, period[i]);
	}
	for (i = 0; i < ARRAY_SIZE(period); i++) {
		beat_wait(test, beat[i], 8);
		beat_stop(test, beat[i]);
		KUNIT_EXPECT_EQ(test, beat[i]->point, beat[i]->start + period[i] *
				(beat[i]->probe.runs + beat[i]->missed));
	}
}

static void cancel_from_outside_ends_it(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);

	beat_start(test, beat, get_jiffies_64() + ENGINE_TEST_FAR, 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&beat->probe.timer), 1);
	engine_test_expect_idle(test, &beat->probe.timer);
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
}

static void then_cancel(struct beat *beat)
{
	if (!--beat->probe.left)
		beat->probe.ret = twheel_cancel(&beat->probe.timer);
}

static void own_cancel_ends_it(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_cancel);

	beat->probe.left = 4;
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 4);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&beat->probe.timer), 0);
	engine_test_expect_counts(test, 5, 4, 1, 0);
	engine_test_pass(test, get_jiffies_64() + 2);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, 1);
	KUNIT_EXPECT_EQ(test, beat->probe.runs, 4U);
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	engine_test_expect_idle(test, &beat->probe.timer);
}

/* The old deadline is void, and the grid starts at the new one. */
static void mod_moves_its_grid(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	struct twheel_timer *timer = &beat->probe.timer;
	int armed, earlier, later;

	engine_test_hold();
	armed = beat_arm(beat, get_jiffies_64() + 50, 3);
	earlier = twheel_mod(timer, get_jiffies_64() + 2);
	later = twheel_mod(timer, twheel_wheel_state(&timer->node) + 2);
	beat->start = twheel_wheel_state(&timer->node);
	beat->point = beat->start;
	engine_test_release();
	KUNIT_ASSERT_EQ(test, armed, 0);
	KUNIT_EXPECT_EQ(test, earlier, 1);
	KUNIT_EXPECT_EQ(test, later, 1);
	KUNIT_EXPECT_LT(test, beat->start, get_jiffies_64() + 50);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->point, beat->start + 3 * (beat->probe.runs +
							      beat->missed));
}

static void then_push_back(struct beat *beat)
{
	beat->point += 2;
	beat->probe.ret += twheel_mod(&beat->probe.timer, beat->point);
}

static void own_mod_moves_its_grid(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_push_back);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 4);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->probe.ret, (int)beat->probe.runs);
	KUNIT_EXPECT_EQ(test, beat->point,
			beat->start + 3 * beat->probe.runs + beat->missed);
}

/* Armed for one callback, after it was periodic */

static int once_add(struct twheel_timer *timer)
{
	return twheel_add(timer, get_jiffies_64() + 1);
}

static int once_add_after(struct twheel_timer *timer)
{
	return twheel_add_after(timer, 1);
}

static int once_add_on(struct twheel_timer *timer)
{
	return twheel_add_on(timer, get_jiffies_64() + 1,
			     cpumask_last(cpu_online_mask));
}

static int once_mod(struct twheel_timer *timer)
{
	return twheel_mod(timer, get_jiffies_64() + 1);
}

static int once_forward(struct twheel_timer *timer)
{
	return twheel_forward(timer, 2) ? 0 : -EINVAL;
}

static const struct once {
	const char	*name;
	int		(*arm)(struct twheel_timer *timer);
} arms[] = {
	{ "add", once_add },
	{ "add_after", once_add_after },
	{ "add_on", once_add_on },
	{ "mod", once_mod },
	{ "forward", once_forward },
};

TEST_PARAM(once, arms, "%s", p->name);

static void first_be_periodic(struct probe *probe)
{
	if (probe->runs == 3)
		twheel_cancel(&probe->timer);
}

static void armed_once_it_runs_once(struct kunit *test)
{
	const struct once *once = test->param_value;
	struct probe *probe = probe_new(test, first_be_periodic);
	struct twheel_timer *timer = &probe->timer;

	KUNIT_ASSERT_EQ(test, 0,
			twheel_add_periodic(timer, get_jiffies_64() + 1, 1));
	while (READ_ONCE(probe->runs) < 3)
		probe_wait(test, probe);
	twheel_cancel_sync(timer);
	KUNIT_ASSERT_EQ(test, once->arm(timer), 0);
	while (READ_ONCE(probe->runs) < 4)
		probe_wait(test, probe);
	engine_test_pass(test, get_jiffies_64() + 3);
	KUNIT_EXPECT_EQ(test, probe->runs, 4U);
	KUNIT_EXPECT_FALSE(test, probe->pending);
	engine_test_expect_idle(test, timer);
}

/* Refusals */

static void period_of_nothing_is_refused(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;

	KUNIT_EXPECT_EQ(test, -EINVAL,
			twheel_add_periodic(timer, get_jiffies_64() + 1, 0));
	engine_test_expect_idle(test, timer);
	engine_test_expect_counts(test, 0, 0, 0, 0);
}

static void period_that_is_too_long_is_refused(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, U64_MAX),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, 1ULL << 32),
			-ERANGE);
	engine_test_expect_idle(test, timer);
	KUNIT_EXPECT_EQ(test, twheel_add_periodic(timer, expires, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

static void dead_one_is_refused(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	struct twheel_timer *timer = &beat->probe.timer;

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 1);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(timer), 1);
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN,
			twheel_add_periodic(timer, get_jiffies_64(), 1));
	engine_test_expect_dead(test, timer);
}

/* The grid starts at that tick, too. */
static void start_in_the_past_means_the_next_tick(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);
	u64 before = get_jiffies_64(), after;

	KUNIT_EXPECT_EQ(test, beat_arm(beat, before - 5, 7), 0);
	after = get_jiffies_64();
	/* The wheel may not have reached the current tick yet. */
	KUNIT_EXPECT_GE(test, beat->start, before);
	KUNIT_EXPECT_LE(test, beat->start, after + 1);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
	KUNIT_EXPECT_EQ(test, beat->point, beat->start + 7 * (beat->probe.runs +
							      beat->missed));
}

/* Slow callbacks, and shutdowns while callbacks run */

static void then_waste_ticks(struct beat *beat)
{
	u64 tick = get_jiffies_64() + beat->probe.left;

	/* Each look at the clock also advances virtual time. */
	while (time_before64(get_jiffies_64(), tick) && ktime_get())
		cpu_relax();
	beat->probe.left = 0;
}

static void missed_is_for_its_callback(struct kunit *test)
{
	struct beat *beat = beat_new(test, then_waste_ticks);

	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
	beat->probe.left = 5;
	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 2);
	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
	beat_stop(test, beat);
	/* Of the five ticks, the next callback accounts for one. */
	KUNIT_EXPECT_GE(test, beat->missed, 4ULL);
	KUNIT_EXPECT_EQ(test, twheel_missed(&beat->probe.timer), 0ULL);
}

static long start_here(void *arg)
{
	struct beat *beat = arg;

	return beat_arm(beat, get_jiffies_64() + 1, 1);
}

/* On each CPU, while the timer runs on every tick, also while its callback runs. */
static void shut_down_under_fire(struct kunit *test)
{
	unsigned int round, cpu, runs;
	struct beat *beat;

	for (round = 0; round < 5; round++) {
		for_each_online_cpu(cpu) {
			beat = beat_new(test, NULL);
			KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, start_here, beat), 0L);
			beat_wait(test, beat, 2);
			KUNIT_EXPECT_EQ(test, beat->probe.cpu, (int)cpu);
			KUNIT_EXPECT_EQ(test, 1,
					twheel_shutdown_sync(&beat->probe.timer));
			runs = beat->probe.runs;
			KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
			engine_test_pass(test, get_jiffies_64());
			KUNIT_EXPECT_EQ(test, beat->probe.runs, runs);
			KUNIT_EXPECT_FALSE(test, twheel_pending(&beat->probe.timer));
		}
	}
}

/* twheel_forward() */

/* Moves the timer forward by its period, as long as @left counts down. */
static void step_act(struct probe *probe)
{
	struct beat *beat = beat_of(probe);
	u64 points;

	if (probe->pending || probe->tick < beat->point)
		beat->wrong++;
	if (!--probe->left)
		return;
	points = twheel_forward(&probe->timer, beat->period);
	beat->missed += points - 1;
	beat->point += points * max(beat->period, 1U);
	if (!points || twheel_wheel_state(&probe->timer.node) != beat->point ||
	    beat->point <= probe->tick)
		beat->wrong++;
}

static struct beat *step_start(struct kunit *test, u32 period, unsigned int runs)
{
	struct beat *beat = beat_new(test, NULL);
	struct probe *probe = &beat->probe;
	int ret;

	probe->act = step_act;
	probe->left = runs;
	beat->period = period;
	engine_test_hold();
	ret = twheel_add_after(&probe->timer, 1);
	beat->start = twheel_wheel_state(&probe->timer.node);
	beat->point = beat->start;
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, 0);
	return beat;
}

static void step_wait(struct kunit *test, struct beat *beat, unsigned int runs)
{
	beat_wait(test, beat, runs);
	twheel_cancel_sync(&beat->probe.timer);
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	KUNIT_EXPECT_EQ(test, beat->probe.runs, runs);
}

static void forward_does_not_drift(struct kunit *test)
{
	struct beat *step[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		step[i] = step_start(test, 1 + i, 6);
	for (i = 0; i < 4; i++) {
		step_wait(test, step[i], 6);
		KUNIT_EXPECT_EQ(test, step[i]->point,
				step[i]->start + (5 + step[i]->missed) * (1 + i));
	}
	engine_test_expect_counts(test, 24, 24, 0, 0);
}

static void forward_by_nothing_is_by_one(struct kunit *test)
{
	struct beat *step = step_start(test, 0, 4);

	step_wait(test, step, 4);
	KUNIT_EXPECT_EQ(test, step->point, step->start + 3 + step->missed);
}

/* The result is the number of points passed, however long that took. */
static void forward_counts_the_points(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	struct twheel_timer *timer = &probe->timer;
	u64 last, before, after, points, next;
	int ret;

	engine_test_hold();
	ret = twheel_add_after(timer, 1);
	last = twheel_wheel_state(&timer->node);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, 0);
	probe_expect(test, probe, last);
	engine_test_pass(test, last + 25);

	engine_test_hold();
	before = get_jiffies_64();
	points = twheel_forward(timer, 7);
	after = get_jiffies_64();
	next = twheel_wheel_state(&timer->node);
	engine_test_release();
	KUNIT_EXPECT_GE(test, points, div_u64(before - last, 7) + 1);
	KUNIT_EXPECT_LE(test, points, div_u64(after - last, 7) + 1);
	KUNIT_EXPECT_EQ(test, next, last + 7 * points);
	while (probe->runs < 2)
		probe_wait(test, probe);
	KUNIT_EXPECT_GE(test, probe->tick, next);
}

static void forward_of_a_new_timer_counts_from_tick_0(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 before = get_jiffies_64(), points;

	points = twheel_forward(timer, ENGINE_TEST_FAR);
	KUNIT_EXPECT_GE(test, points, div64_u64(before, ENGINE_TEST_FAR) + 1);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(&timer->node), points * ENGINE_TEST_FAR);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
}

/* The grid goes on from the deadline that was cancelled. */
static void forward_of_a_cancelled_timer(struct kunit *test)
{
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	twheel_add(timer, expires);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 100), 1ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(&timer->node), expires + 100);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires + 150), 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 100), 1ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(&timer->node), expires + 250);
	engine_test_expect_counts(test, 4, 0, 2, 1);
}

static void forward_of_a_pending_timer_does_nothing(struct kunit *test)
{
	struct twheel_timer *timer = &probe_far(test)->timer;
	u64 state = twheel_wheel_state(&timer->node);

	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 1), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_forward(timer, U64_MAX), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_wheel_state(&timer->node), state);
	engine_test_expect_counts(test, 1, 0, 0, 0);
}

static void forward_of_a_periodic_timer_does_nothing(struct kunit *test)
{
	struct beat *beat = beat_new(test, NULL);

	beat_start(test, beat, get_jiffies_64() + 1, 1);
	beat_wait(test, beat, 1);
	KUNIT_EXPECT_EQ(test, twheel_forward(&beat->probe.timer, 100), 0ULL);
	beat_wait(test, beat, 3);
	beat_stop(test, beat);
}

static void forward_of_a_dead_timer_does_nothing(struct kunit *test)
{
	struct probe *probe = probe_spent(test, NULL);

	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_forward(&probe->timer, 1), 0ULL);
	engine_test_expect_dead(test, &probe->timer);
}

static void forward_saturates(struct kunit *test)
{
	static const u64 intervals[] = { U64_MAX, TWHEEL_NEVER, 1ULL << 63, 10 };
	struct twheel_timer *timer = &probe_new(test, NULL)->timer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		twheel_add(timer, TWHEEL_NEVER - 5);
		twheel_cancel(timer);
		KUNIT_EXPECT_EQ(test, twheel_forward(timer, intervals[i]), 1ULL);
		KUNIT_EXPECT_EQ(test, twheel_wheel_state(&timer->node), TWHEEL_NEVER);
		KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 1);
	}
}

static struct kunit_case periodic_cases[] = {
	KUNIT_CASE(runs_on_its_grid),
	KUNIT_CASE(cancel_from_outside_ends_it),
	KUNIT_CASE(own_cancel_ends_it),
	KUNIT_CASE(mod_moves_its_grid),
	KUNIT_CASE(own_mod_moves_its_grid),
	KUNIT_CASE_PARAM(armed_once_it_runs_once, once_gen_params),
	KUNIT_CASE(period_of_nothing_is_refused),
	KUNIT_CASE(period_that_is_too_long_is_refused),
	KUNIT_CASE(dead_one_is_refused),
	KUNIT_CASE(start_in_the_past_means_the_next_tick),
	KUNIT_CASE(missed_is_for_its_callback),
	KUNIT_CASE(shut_down_under_fire),
	KUNIT_CASE(forward_does_not_drift),
	KUNIT_CASE(forward_by_nothing_is_by_one),
	KUNIT_CASE(forward_counts_the_points),
	KUNIT_CASE(forward_of_a_new_timer_counts_from_tick_0),
	KUNIT_CASE(forward_of_a_cancelled_timer),
	KUNIT_CASE(forward_of_a_pending_timer_does_nothing),
	KUNIT_CASE(forward_of_a_periodic_timer_does_nothing),
	KUNIT_CASE(forward_of_a_dead_timer_does_nothing),
	KUNIT_CASE(forward_saturates),
	{}
};

ENGINE_TEST_SUITE(periodic);
