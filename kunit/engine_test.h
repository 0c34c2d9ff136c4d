/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the engine share: timers that note what their callback
 * saw, and the balance of the counts after every case.
 *
 * Time is the kernel's own here. Nothing sleeps for a while: cases wait for
 * callbacks, and that something does not happen is known when a later timer
 * has run on every CPU.
 */
#ifndef _TWHEEL_KUNIT_ENGINE_TEST_H
#define _TWHEEL_KUNIT_ENGINE_TEST_H

#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/preempt.h>
#include "../engine/counts.h"
#include "../engine/lane.h"
#include "suites.h"

/* For what has to happen; a machine under emulation may be very slow. */
#define ENGINE_TEST_PATIENCE	(30 * HZ)
/* How late a callback may be without a complaint: the machine may be busy. */
#define ENGINE_TEST_LATE	(5 * HZ)
/* A deadline that no case lives to see. */
#define ENGINE_TEST_FAR		(3600ULL * HZ)

/**
 * struct probe - a timer that notes what its callback saw
 * @timer: The timer.
 * @node: In the case's list: what is in it is shut down when the case ends.
 * @ran: Completed by every callback.
 * @act: What the callback does besides, or %NULL. It must not free the probe.
 * @other: For @act.
 * @expires: For @act.
 * @left: For @act: how often to do it.
 * @ret: For @act: what it was told.
 * @runs: Callbacks so far. The rest is of the latest one.
 * @tick: get_jiffies_64().
 * @time: ktime_get().
 * @cpu: Where.
 * @context: It ran in softirq with interrupts on.
 * @pending: The timer was pending still.
 */
struct probe {
	struct twheel_timer	timer;
	struct list_head	node;
	struct completion	ran;
	void			(*act)(struct probe *probe);
	struct probe		*other;
	u64			expires;
	unsigned int		left;
	int			ret;

	unsigned int		runs;
	u64			tick;
	ktime_t			time;
	int			cpu;
	bool			context;
	bool			pending;
};

/**
 * struct engine_test - what a case works with
 * @probes: Its timers.
 * @start: The counts when it began.
 */
struct engine_test {
	struct list_head	probes;
	struct twheel_counts	start;
};

int engine_test_init(struct kunit *test);
void engine_test_exit(struct kunit *test);
void engine_test_counts(struct kunit *test, struct twheel_counts *counts);
void engine_test_expect_counts(struct kunit *test, u64 armed, u64 fired,
			       u64 cancelled, u64 replaced);
void engine_test_balance(struct kunit *test);

void probe_fn(struct twheel_timer *timer);
void probe_setup(struct probe *probe, void (*act)(struct probe *probe));
struct probe *probe_new(struct kunit *test, void (*act)(struct probe *probe));
void probe_wait(struct kunit *test, struct probe *probe);
void probe_expect(struct kunit *test, struct probe *probe, u64 expires);
struct probe *probe_far(struct kunit *test);
struct probe *probe_spent(struct kunit *test,
			  void (*act)(struct probe *probe));

void engine_test_expect_idle(struct kunit *test, struct twheel_timer *timer);
void engine_test_expect_dead(struct kunit *test, struct twheel_timer *timer);
void engine_test_pass(struct kunit *test, u64 tick);
void engine_test_needs_cpus(struct kunit *test, unsigned int cpus);

/*
 * Between these two no callback runs on this CPU. On PREEMPT_RT softirqs are run by
 * threads, which local_bh_disable() need not hold off.
 */
static inline void engine_test_hold(void)
{
	local_bh_disable();
	preempt_disable();
}

static inline void engine_test_release(void)
{
	preempt_enable();
	local_bh_enable();
}

#define ENGINE_TEST_SUITE(_area)					\
	struct kunit_suite twheel_##_area##_suite = {			\
		.name = "twheel_" #_area,				\
		.init = engine_test_init,				\
		.exit = engine_test_exit,				\
		.test_cases = _area##_cases,				\
	}

#endif /* _TWHEEL_KUNIT_ENGINE_TEST_H */
