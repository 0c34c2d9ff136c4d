// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * Random operations on the timers of an event loop, next to a model of them: the deadline and the
 * number of the start of each timer that runs. In the process or on the device: see turn.h.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "turn.h"

enum { TIMERS = 400, TURNS = 3000, CHANGES = 40 };

struct subject {
	struct twheel_loop_timer	*timer;	/* elsewhere in memory after each stop */
	bool				runs;
	uint64_t			deadline;
	uint64_t			order;
};

static struct subject subjects[TIMERS];
static unsigned int last_dispatch;
static uint64_t starts, last_deadline, last_order, runs, bits;

/* xorshift64 */
static uint64_t random_below(uint64_t limit)
{
	bits ^= bits << 13;
	bits ^= bits >> 7;
	bits ^= bits << 17;
	return bits % limit;
}

static void changes(struct twheel_loop *loop, unsigned int count);

static void ran(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	struct subject *s = subjects;

	while (s->timer != timer)
		if (++s == subjects + TIMERS)
			FAIL("a callback of a timer that is gone");
	ASSERT(s->runs);
	ASSERT_EQ(timer->deadline_ns, s->deadline);
	if (now() < s->deadline)
		FAIL("%llu ns early", (unsigned long long)(s->deadline - now()));
	/* The order of one dispatch */
	if (last_dispatch == dispatches &&
	    (s->deadline < last_deadline ||
	     (s->deadline == last_deadline && s->order < last_order)))
		FAIL("out of order by %llu ns", (unsigned long long)(last_deadline - s->deadline));
	last_dispatch = dispatches;
	last_deadline = s->deadline;
	last_order = s->order;
	s->runs = false;
	runs++;
	changes(loop, random_below(3));
}

static struct twheel_loop_timer *new_timer(void)
{
	struct twheel_loop_timer *timer = malloc(sizeof(*timer));

	ASSERT(timer);
	twheel_loop_timer_init(timer, ran);
	return timer;
}

/* From the past to some hours, most of them short. In a few cases a full ms: equal deadlines. */
static uint64_t random_deadline(void)
{
	static const uint64_t spans[] = {
		MSEC, 10 * MSEC, 100 * MSEC, SEC, 100 * SEC, 10000 * SEC
	};
	uint64_t deadline = now() + random_below(spans[random_below(ARRAY_SIZE(spans))]);

	switch (random_below(4)) {
	case 0:
		return deadline / MSEC * MSEC;
	case 1:
		return deadline - MSEC;
	default:
		return deadline;
	}
}

static void change(struct twheel_loop *loop, struct subject *s)
{
	const uint64_t deadline = random_deadline();
	bool ran_before = s->runs;

	switch (random_below(4)) {
	case 0:
		ASSERT_EQ(twheel_loop_timer_stop(loop, s->timer), ran_before);
		s->runs = false;
		memset(s->timer, 0xaa, sizeof(*s->timer));
		free(s->timer);
		s->timer = new_timer();
		return;
	case 1:
		ASSERT_EQ(twheel_loop_timer_again(loop, s->timer, deadline), ran_before);
		if (!ran_before)
			return;
		break;
	default:
		twheel_loop_timer_start(loop, s->timer, deadline);
	}
	s->runs = true;
	s->deadline = deadline;
	s->order = starts++;
}

static void changes(struct twheel_loop *loop, unsigned int count)
{
	while (count--)
		change(loop, &subjects[random_below(TIMERS)]);
}

/* How late a callback may be: the wait is rounded up to 1 ms, and the device has ticks. */
static uint64_t bound(void)
{
	return in_device ? tick_ns + MSEC : MSEC;
}

/* Of the timers that started before the turn, none is overdue. */
static void check_overdue(uint64_t started)
{
	unsigned int i;

	for (i = 0; i < TIMERS; i++) {
		const struct subject *s = &subjects[i];

		ASSERT_EQ(s->runs, twheel_loop_timer_running(s->timer));
		if (s->runs && s->order < started && s->deadline + bound() < dispatched)
			FAIL("a timer is %llu ns late",
			     (unsigned long long)(dispatched - s->deadline));
	}
}

static void run_seed(uint64_t seed, unsigned int turns)
{
	struct twheel_loop *loop = open_loop(0);
	unsigned int i;

	bits = seed;
	for (i = 0; i < TIMERS; i++)
		subjects[i] = (struct subject){ .timer = new_timer() };
	for (i = 0; i < turns; i++) {
		uint64_t started;

		changes(loop, random_below(CHANGES));
		started = starts;
		if (random_below(8))
			turn_until(loop, now() + random_below(MSEC));
		else
			turn(loop);
		/* On the real clock, a machine may stop for a while. */
		if (!in_device || time_travel)
			check_overdue(started);
	}
	twheel_loop_close(loop);
	for (i = 0; i < TIMERS; i++)
		free(subjects[i].timer);
}

TEST(random_operations_match_the_model)
{
	unsigned int seeds, turns;
	uint64_t seed;

	twheel_loop_close(open_loop(0));
	/* On the real clock, turns take real time. */
	turns = in_device && !time_travel ? TURNS / 10 : TURNS;
	seeds = in_device ? 2 : 10;
	for (seed = 1; seed <= seeds; seed++)
		run_seed(seed * 0x9e3779b97f4a7c15, turns);
	note("%llu starts, %llu callbacks", (unsigned long long)starts, (unsigned long long)runs);
	ASSERT_GT(runs, seeds * turns);
}
