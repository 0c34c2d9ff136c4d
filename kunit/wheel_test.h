/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the wheel share: a wheel, and timers that check their own tick.
 *
 * Time is an argument here, so nothing in these suites waits. A case does this:
 *
 * 1. wheel_test_start() makes an empty wheel with the hand at a tick, and idle timers.
 * 2. wheel_test_arm(), _extend() and _remove() change timer i, and note what must
 *    follow. wheel_test_window() gives an idle timer a window.
 * 3. wheel_test_run() moves the hand to a tick; wheel_test_visit() moves it to the tick
 *    that the wheel itself asks for. Both check the tick of each timer that expires.
 * 4. wheel_test_audit() checks every rule of the data structure.
 *
 * WHEEL_TEST_SUITE(area) at the end of area_kunit.c makes a suite of area_cases[]. A
 * new suite is also listed in suites.[ch] and Kbuild.
 */
#ifndef _TWHEEL_KUNIT_WHEEL_TEST_H
#define _TWHEEL_KUNIT_WHEEL_TEST_H

#include <kunit/test.h>
#include "audit.h"
#include "suites.h"

/* A sanitizer takes ten times as long, so long cases do a tenth of the work there. */
#if IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN)
#define WHEEL_TEST_LONG(n)	((n) / 10)
#else
#define WHEEL_TEST_LONG(n)	(n)
#endif

/* A budget that no case uses up, and more calls of the wheel than any case makes. */
#define WHEEL_TEST_UNLIMITED	(16U * 1024 * 1024)

/**
 * struct test_timer - a timer and what is expected of it
 * @timer: The timer.
 * @due: The tick at which it must expire, if it is armed.
 * @slack: For how many ticks after @due it may expire as well.
 * @fired: How often it has expired.
 */
struct test_timer {
	struct twheel_node	timer;
	u64			due;
	u64			slack;
	u32			fired;
};

/**
 * struct wheel_test - what a case works with
 * @test: The case.
 * @wheel: Its wheel.
 * @timers: Its timers.
 * @size: Number of timers.
 * @armed: Number of timers that are armed.
 * @tick: The latest tick at which a timer has expired.
 * @calls: How often the wheel has been asked for a timer.
 * @rearm: Arm every timer that expires again, for the tick at which it expires.
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

/* The chain that a pending timer is in. */
struct place {
	unsigned int	level;
	unsigned int	slot;
	unsigned int	chain;
};

struct twheel_wheel *wheel_test_wheel(struct kunit *test, u64 clk);

int wheel_test_init(struct kunit *test);
void wheel_test_exit(struct kunit *test);

struct wheel_test *wheel_test_start(struct kunit *test, u64 clk,
				    unsigned int timers);
void wheel_test_window(struct wheel_test *wt, unsigned int i, u64 slack);
void wheel_test_expect_each_once(struct wheel_test *wt);
void wheel_test_arm(struct wheel_test *wt, unsigned int i, u64 expires);
void wheel_test_remove(struct wheel_test *wt, unsigned int i);
void wheel_test_extend(struct wheel_test *wt, unsigned int i, u64 expires);
void wheel_test_audit(struct wheel_test *wt, bool extended);

bool wheel_test_expire(struct wheel_test *wt, u64 now, unsigned int *budget);
unsigned int wheel_test_run(struct wheel_test *wt, u64 now);
unsigned int wheel_test_visit(struct wheel_test *wt);
unsigned int wheel_test_visit_all(struct wheel_test *wt);

struct place wheel_test_where(const struct wheel_test *wt, unsigned int i);

/* Timers moved inside the wheel so far, for any reason. */
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
