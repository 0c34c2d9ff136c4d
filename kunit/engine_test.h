/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the engine share: a probe is a timer that notes what its callback
 * saw. After every case, the counts of the engine must balance.
 *
 * Time is the kernel's own here. A case does this:
 *
 * 1. probe_new() makes an idle timer; @act is what its callback does besides.
 * 2. The case arms it. If the case must do more before the timer is due, it does so
 *    between engine_test_hold() and engine_test_release(), so that a slow machine makes
 *    no difference; only then does it use KUNIT_EXPECT_*().
 * 3. probe_expect() waits for the callback and checks its tick. No case just sleeps.
 * 4. To see that something does not happen, engine_test_pass() waits until a later timer
 *    has expired on every CPU.
 *
 * ENGINE_TEST_SUITE(area) at the end of area_kunit.c makes a suite of area_cases[]. A
 * new suite is also listed in suites.[ch] and Kbuild.
 *
 * No verdict may depend on how busy the host is: engine_test_in_time() bounds lateness by
 * comparison with plain kernel timers.
 */
#ifndef _TWHEEL_KUNIT_ENGINE_TEST_H
#define _TWHEEL_KUNIT_ENGINE_TEST_H

#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include "../engine/base.h"
#include "suites.h"

/* How long a case waits for what must happen: only a hang takes that long. */
#define ENGINE_TEST_PATIENCE	(200 * HZ)
/* How much later than a plain kernel timer a callback may be. */
#define ENGINE_TEST_LATE	(5 * HZ)
/* A distance in ticks that no case lives to see the end of. */
#define ENGINE_TEST_FAR		(3600ULL * HZ)

/**
 * struct probe - a timer that notes what its callback saw
 * @timer: The timer.
 * @node: In the list of probes that are shut down when the case ends.
 * @ran: Completed by every callback.
 * @act: What the callback does besides, or %NULL. It must not free the probe.
 * @other: For @act.
 * @expires: For @act.
 * @left: For @act: how many times it still acts.
 * @ret: For @act: the result of what it did.
 * @runs: Number of callbacks. The members below are of the latest one.
 * @tick: get_jiffies_64().
 * @time: ktime_get().
 * @cpu: The CPU.
 * @context: The callback ran in softirq context with interrupts on.
 * @pending: The timer was still pending.
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
 * struct engine_test_watch - a plain kernel timer that runs again and again
 * @timer: The timer.
 * @due: The tick at which it should run next.
 * @late: How many ticks late it was at most.
 */
struct engine_test_watch {
	struct timer_list	timer;
	u64			due;
	u64			late;
};

/**
 * struct engine_test - what a case works with
 * @probes: Its timers.
 * @start: The counts when it began.
 * @watch: Plain timers by CPU; %NULL if they were not started.
 */
struct engine_test {
	struct list_head		probes;
	struct twheel_counts		start;
	struct engine_test_watch	*watch;
};

/**
 * struct aim - a timer that must run on its very tick
 * @cpu: Where to arm it.
 * @ticks: How many ticks ahead.
 * @probe: The timer of the present try.
 * @plain: A plain kernel timer for the same tick.
 * @plain_tick: The tick at which the plain timer ran; 0 if it has not.
 * @met: In some try, the timer ran on its tick, or no later than the plain timer.
 *
 * The case sets @cpu and @ticks; the rest is 0.
 */
struct aim {
	unsigned int		cpu;
	unsigned int		ticks;
	struct probe		*probe;
	struct timer_list	plain;
	u64			plain_tick;
	bool			met;
};

void aim_expect_met(struct kunit *test, struct aim *aim, unsigned int n, u64 late);

int engine_test_init(struct kunit *test);
void engine_test_exit(struct kunit *test);
void engine_test_counts(struct kunit *test, struct twheel_counts *counts);
void engine_test_expect_counts(struct kunit *test, u64 armed, u64 fired,
			       u64 cancelled, u64 replaced);
void engine_test_balance(struct kunit *test);
void engine_test_watch_start(struct kunit *test);
u64 engine_test_in_time(struct kunit *test, u64 expires);

void probe_fn(struct twheel_timer *timer);
void probe_setup(struct probe *probe, void (*act)(struct probe *probe));
void probe_init(struct kunit *test, struct probe *probe,
		void (*act)(struct probe *probe));
struct probe *probe_new(struct kunit *test, void (*act)(struct probe *probe));
void probe_wait(struct kunit *test, struct probe *probe);
void probe_ended(struct kunit *test, struct probe *probe, u64 expires);
void probe_expect_window(struct kunit *test, struct probe *probe, u64 expires,
			 u64 slack);
void probe_expect(struct kunit *test, struct probe *probe, u64 expires);
struct probe *probe_far(struct kunit *test);
struct probe *probe_new_process(struct kunit *test, void (*act)(struct probe *probe));
struct probe *probe_run(struct kunit *test, struct probe *probe);
struct probe *probe_spent(struct kunit *test,
			  void (*act)(struct probe *probe));

void engine_test_expect_idle(struct kunit *test, struct twheel_timer *timer);
void engine_test_expect_dead(struct kunit *test, struct twheel_timer *timer);
void engine_test_pass(struct kunit *test, u64 tick);
void engine_test_needs_cpus(struct kunit *test, unsigned int cpus);

/**
 * engine_test_hold - keep callbacks from running on this CPU
 *
 * On PREEMPT_RT softirqs run in threads, which local_bh_disable() need not keep off.
 *
 * Return: This CPU, until engine_test_release().
 */
static inline unsigned int engine_test_hold(void)
{
	local_bh_disable();
	preempt_disable();
	return smp_processor_id();
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
