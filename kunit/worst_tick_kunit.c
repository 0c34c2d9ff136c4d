// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: no tick does the work of many others
 *
 * The cases count timers moved within the wheel, as time depends on the machine.
 */
#include <linux/prandom.h>
#include "wheel_test.h"

#define MILLION		WHEEL_TEST_LONG(1000000U)
#define HOUR(_hz)	(3600ULL * (_hz))

/**
 * struct sweep - many ticks of a wheel, and the worst of them
 * @wt: The wheel and the timers.
 * @worst: The most timers that one tick moved.
 * @worst_at: That tick.
 * @fired: Number of timers that expired.
 */
struct sweep {
	struct wheel_test	*wt;
	u64			worst;
	u64			worst_at;
	unsigned int		fired;
};

/* Does one tick, and counts the timers that it moves besides those that expire. */
static void sweep_tick(struct sweep *s, u64 now)
{
	struct twheel_wheel *w = s->wt->wheel;
	unsigned int budget = WHEEL_TEST_UNLIMITED;
	u64 before = w->cascaded + w->refiled, moved;

	while (wheel_test_expire(s->wt, now, &budget))
		s->fired++;
	moved = w->cascaded + w->refiled - before;
	if (moved > s->worst) {
		s->worst = moved;
		s->worst_at = now;
	}
	if (now % 4096 == 0)
		cond_resched();
}

static void expect_worst(struct sweep *s, u64 limit)
{
	kunit_info(s->wt->test, "worst tick moved %llu timers", s->worst);
	KUNIT_EXPECT_LE_MSG(s->wt->test, s->worst, limit, "at tick %llu",
			    s->worst_at);
	/* A wheel that moves nothing shows nothing. */
	KUNIT_EXPECT_GT(s->wt->test, s->wt->wheel->cascaded, 0ULL);
}

static const unsigned int rates[] = { 100, 250, 1000 };

TEST_PARAM(rate, rates, "HZ=%u", *p);

/*
 * A million timers expire within an hour. In the middle of the hour, slots of all levels
 * up to the fourth begin:
 *
 *	start ............... 64^4 ............... start + 1 h
 */
static u64 arm_million(struct kunit *test, struct sweep *s, u64 hour)
{
	u64 start = TWHEEL_LVL_GRAN(4) - hour / 2, r;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 4);
	s->wt = wheel_test_start(test, start, MILLION);
	for (i = 0; i < MILLION; i++) {
		r = prandom_u32_state(&rnd);
		wheel_test_arm(s->wt, i, start + 1 + (r * hour >> 32));
	}
	return start;
}

static void million_in_an_hour(struct kunit *test)
{
	u64 hour = HOUR(*(const unsigned int *)test->param_value), start, now;
	struct sweep s = { };

	start = arm_million(test, &s, hour);
	for (now = start + 1; now <= start + hour; now++)
		sweep_tick(&s, now);
	KUNIT_EXPECT_EQ(test, s.fired, MILLION);
	expect_worst(&s, 250);
}

/* A wheel that sleeps between visits has fewer ticks for the same work. */
static void million_in_an_hour_tickless(struct kunit *test)
{
	struct sweep s = { };
	u64 next;

	arm_million(test, &s, HOUR(1000));
	while ((next = twheel_wheel_next(s.wt->wheel)) < TWHEEL_NEVER)
		sweep_tick(&s, next);
	KUNIT_EXPECT_EQ(test, s.fired, MILLION);
	expect_worst(&s, 250);
}

/*
 * The wheel wakes up for one crowd only. It begins early enough to move TWHEEL_CASCADE_MIN
 * timers at a time, and a 64th of the crowd at a time from level 1.
 */
static void crowd_tickless(struct kunit *test)
{
	const unsigned int crowd = 6400;
	struct sweep s = { };
	unsigned int i;
	u64 next;

	s.wt = wheel_test_start(test, 0, crowd);
	for (i = 0; i < crowd; i++)
		wheel_test_arm(s.wt, i, HOUR(1000) + 63);
	while ((next = twheel_wheel_next(s.wt->wheel)) < TWHEEL_NEVER)
		sweep_tick(&s, next);
	KUNIT_EXPECT_EQ(test, s.fired, crowd);
	expect_worst(&s, TWHEEL_CASCADE_MIN + crowd / 64 + 1);
}

/* All timers expire within one second, an hour ahead. */
static void burst_in_a_second(struct kunit *test)
{
	u64 hour = HOUR(1000), start = TWHEEL_LVL_GRAN(4) - hour / 2, now;
	struct sweep s = { };
	unsigned int i;

	s.wt = wheel_test_start(test, start, MILLION);
	for (i = 0; i < MILLION; i++)
		wheel_test_arm(s.wt, i, start + hour + i % 1000);
	for (now = start + 1; now <= start + hour + 1000; now++)
		sweep_tick(&s, now);
	KUNIT_EXPECT_EQ(test, s.fired, MILLION);
	expect_worst(&s, 2500);
}

/*
 * A million clients with a time-out of 30 s send a heartbeat every second. No time-out
 * expires, and the wheel moves each timer at most about once in 30 s.
 */
static void million_heartbeats(struct kunit *test)
{
	const unsigned int beat = 1000, timeout = 30000, clients = MILLION;
	const unsigned int beats = clients / beat;
	u64 start = TWHEEL_LVL_GRAN(4) - 40000, now;
	struct sweep s = { };
	unsigned int i, k;

	s.wt = wheel_test_start(test, start, clients);
	for (now = start; now < start + 70000; now++) {
		sweep_tick(&s, now);
		i = (u32)(now - start) % beat * beats;
		for (k = 0; k < beats; k++, i++) {
			if (now < start + beat)
				wheel_test_arm(s.wt, i, now + timeout);
			else
				wheel_test_extend(s.wt, i, now + timeout);
		}
	}
	KUNIT_EXPECT_EQ(test, s.fired, 0U);
	KUNIT_EXPECT_EQ(test, s.wt->armed, clients);
	expect_worst(&s, 250);
	KUNIT_EXPECT_LE(test, wheel_test_moves(s.wt), 3ULL * clients);

	/* All clients fall silent, and each time-out expires on its tick. */
	for (; now < start + 70000 + timeout; now++)
		sweep_tick(&s, now);
	KUNIT_EXPECT_EQ(test, s.fired, clients);
}

static struct kunit_case worst_tick_cases[] = {
	KUNIT_CASE_PARAM(million_in_an_hour, rate_gen_params),
	KUNIT_CASE(million_in_an_hour_tickless),
	KUNIT_CASE(crowd_tickless),
	KUNIT_CASE(burst_in_a_second),
	KUNIT_CASE(million_heartbeats),
	{}
};

WHEEL_TEST_SUITE(worst_tick);
