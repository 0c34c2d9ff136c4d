/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share: a wheel and timers that check their own tick.
 */
#ifndef _TWHEEL_KUNIT_WHEEL_TEST_H
#define _TWHEEL_KUNIT_WHEEL_TEST_H

#include <kunit/test.h>
#include "../twheel_core.h"
#include "suites.h"

/* Sanitizers cost ten times the time: a tenth of the long cases is enough. */
#if IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN)
#define WHEEL_TEST_LONG(n)	((n) / 10)
#else
#define WHEEL_TEST_LONG(n)	(n)
#endif

/* A budget that no case uses up, and more calls than any makes. */
#define WHEEL_TEST_UNLIMITED	(16U * 1024 * 1024)

/**
 * struct test_timer - a timer and what is expected of it
 * @timer: The timer.
 * @due: The tick it has to expire at, if it is armed.
 * @fired: How often it has expired.
 */
struct test_timer {
	struct twheel_timer	timer;
	u64			due;
	u32			fired;
};

/**
 * struct wheel_test - what a case works with
 * @test: The case.
 * @wheel: Its wheel.
 * @timers: Its timers.
 * @size: How many they are.
 * @armed: How many of them are armed.
 * @tick: The latest tick at which a timer has expired.
 * @calls: How often the wheel has been asked for a timer.
 * @rearm: Arm every timer that expires for the tick it expires at.
 */
struct wheel_test {
	struct kunit		*test;
	struct twheel_wheel	*wheel;
	struct test_timer	*timers;
	unsigned int		size;
	unsigned int		armed;
	u64			tick;
	unsigned int		calls;
	bool			rearm;
};

int wheel_test_init(struct kunit *test);
void wheel_test_exit(struct kunit *test);

struct wheel_test *wheel_test_start(struct kunit *test, u64 clk,
				    unsigned int timers);
void wheel_test_arm(struct wheel_test *wt, unsigned int i, u64 expires);
void wheel_test_remove(struct wheel_test *wt, unsigned int i);
void wheel_test_extend(struct wheel_test *wt, unsigned int i, u64 expires);
void wheel_test_audit(struct wheel_test *wt, bool extended);

/* The next timer that is due, and no more. */
static inline struct twheel_timer *wheel_test_next(struct twheel_wheel *w, u64 now,
						   unsigned int *budget)
{
	struct twheel_timer *t = NULL;

	twheel_wheel_expire(w, now, budget, &t, 1);
	return t;
}

struct twheel_timer *wheel_test_take(struct twheel_wheel *w, u64 now,
				     unsigned int *budget, u64 *missed);
bool wheel_test_expire(struct wheel_test *wt, u64 now, unsigned int *budget);
unsigned int wheel_test_run(struct wheel_test *wt, u64 now);
unsigned int wheel_test_run_sliced(struct wheel_test *wt, u64 now,
				   unsigned int budget);
unsigned int wheel_test_visit(struct wheel_test *wt);
unsigned int wheel_test_visit_all(struct wheel_test *wt);

void wheel_test_where(struct wheel_test *wt, unsigned int i,
		      unsigned int *level, unsigned int *slot,
		      unsigned int *chain);

/* Timers moved inside the wheel so far, for whatever reason. */
static inline u64 wheel_test_moves(const struct wheel_test *wt)
{
	return wt->wheel->cascaded + wt->wheel->refiled;
}

#define WHEEL_TEST_SUITE(_area)						\
	struct kunit_suite twheel_##_area##_suite = {			\
		.name = "twheel_" #_area,				\
		.init = wheel_test_init,				\
		.exit = wheel_test_exit,				\
		.test_cases = _area##_cases,				\
	}

#endif /* _TWHEEL_KUNIT_WHEEL_TEST_H */
