// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: callbacks in process context
 *
 * At most TWHEEL_PROCESS_MAX callbacks of a CPU run at a time. Many cases let so many
 * sleep: then every other timer of that CPU with TWHEEL_PROCESS waits, pending.
 * deferred_kunit.c tests the wheel's part, and context_kunit.c what a callback may do to its own
 * timer, in either context.
 */
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "engine_test.h"
#include "sleeper.h"

/* Waits for the one callback of a probe, however late. */
static void process_expect(struct kunit *test, struct probe *probe)
{
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 0);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

/* Waits until all callbacks that are due now on @cpu and need not wait have begun. */
static void process_pass(struct kunit *test, unsigned int cpu)
{
	struct probe *probe = probe_new_process(test, NULL);

	engine_test_pass(test, get_jiffies_64() + 1);
	twheel_add_on(&probe->timer, 0, cpu);
	process_expect(test, probe);
}

static void note_context(struct probe *probe)
{
	probe->ret = in_task() && current->flags & PF_WQ_WORKER &&
		     !irqs_disabled();
	schedule_timeout_uninterruptible(1);
}

static void runs_in_process_context_and_may_sleep(struct kunit *test)
{
	struct probe *probe = probe_run(test, probe_new_process(test, note_context));

	KUNIT_EXPECT_EQ(test, probe->ret, 1);
	KUNIT_EXPECT_FALSE(test, probe->context);
	KUNIT_EXPECT_FALSE(test, probe->pending);
	engine_test_expect_counts(test, 1, 1, 0, 0);
}

static void distant_ones_are_never_early(struct kunit *test)
{
	struct probe *probe[12];
	u64 expires[12];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = probe_new_process(test, NULL);
		expires[i] = get_jiffies_64() + 1 + 6 * i;
		twheel_add(&probe[i]->timer, expires[i]);
	}
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe_expect(test, probe[i], expires[i]);
}

/**
 * struct plain_work - what a callback does, as a plain work item
 * @work: The work item.
 * @probe: What it notes.
 */
struct plain_work {
	struct work_struct	work;
	struct probe		probe;
};

static void plain_work_fn(struct work_struct *work)
{
	struct plain_work *plain = container_of(work, struct plain_work, work);

	probe_fn(&plain->probe.timer);
}

/* How many ticks @n plain work items on @cpu take. */
static u64 plain_work_ticks(struct kunit *test, unsigned int n, unsigned int cpu)
{
	struct plain_work *plain = kunit_kcalloc(test, n, sizeof(*plain), GFP_KERNEL);
	u64 start = get_jiffies_64();
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, plain);
	for (i = 0; i < n; i++) {
		INIT_WORK(&plain[i].work, plain_work_fn);
		probe_setup(&plain[i].probe, NULL);
		schedule_work_on(cpu, &plain[i].work);
	}
	for (i = 0; i < n; i++)
		flush_work(&plain[i].work);
	return get_jiffies_64() - start;
}

/* On a slow machine, the callbacks take long; so do as many plain work items. */
static void thousand_on_one_tick(struct kunit *test)
{
	unsigned int i, n = 1000, cpu = cpumask_first(cpu_online_mask);
	struct probe *probe = kunit_kcalloc(test, n, sizeof(*probe), GFP_KERNEL);
	u64 expires, plain, first = U64_MAX, last = 0;

	KUNIT_ASSERT_NOT_NULL(test, probe);
	plain = plain_work_ticks(test, n, cpu);
	expires = get_jiffies_64() + 5;
	for (i = 0; i < n; i++) {
		probe_init(test, &probe[i], NULL);
		twheel_setup(&probe[i].timer, probe_fn, TWHEEL_PROCESS);
		twheel_add_on(&probe[i].timer, expires, cpu);
	}
	for (i = 0; i < n; i++) {
		probe_ended(test, &probe[i], expires);
		first = min(first, probe[i].tick);
		last = max(last, probe[i].tick);
	}
	KUNIT_EXPECT_LE(test, first, engine_test_in_time(test, expires));
	KUNIT_EXPECT_LE(test, last, engine_test_in_time(test, expires) + 20 * plain);
	engine_test_expect_counts(test, n, n, 0, 0);
}

/* Callbacks that sleep until the case lets them go on */

/**
 * struct crowd - callbacks that sleep on one CPU
 * @go: Completed to let them go on.
 * @cpu: The CPU.
 * @sleeper: The timers.
 * @n: Number of timers.
 */
struct crowd {
	struct completion	go;
	unsigned int		cpu;
	struct sleeper		*sleeper[TWHEEL_PROCESS_MAX];
	unsigned int		n;
};

static struct crowd *crowd_asleep(struct kunit *test, unsigned int n)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	init_completion(&crowd->go);
	crowd->cpu = cpumask_last(cpu_online_mask);
	crowd->n = n;
	for (i = 0; i < n; i++) {
		crowd->sleeper[i] = sleeper_new(test, 0, &crowd->go);
		twheel_add_on(&crowd->sleeper[i]->probe.timer, 0, crowd->cpu);
	}
	for (i = 0; i < n; i++)
		sleeper_expect_begun(test, crowd->sleeper[i]);
	return crowd;
}

static void crowd_wakes(struct kunit *test, struct crowd *crowd)
{
	unsigned int i;

	complete_all(&crowd->go);
	for (i = 0; i < crowd->n; i++) {
		probe_wait(test, &crowd->sleeper[i]->probe);
		KUNIT_EXPECT_EQ(test, crowd->sleeper[i]->probe.runs, 1U);
	}
}

/* Another timer on the same CPU, which is due and must wait. */
static struct probe *one_that_waits(struct kunit *test, struct crowd *crowd)
{
	struct probe *probe = probe_new_process(test, NULL);
	u64 expires = get_jiffies_64() + 1;

	twheel_add_on(&probe->timer, expires, crowd->cpu);
	engine_test_pass(test, expires);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&probe->timer));
	KUNIT_EXPECT_EQ(test, twheel_remaining(&probe->timer), 0ULL);
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
	return probe;
}

static void expect_cancels(struct kunit *test, u64 cancels)
{
	struct twheel_counts counts;

	engine_test_counts(test, &counts);
	KUNIT_EXPECT_EQ(test, counts.cancelled, cancels);
}

static const struct cancel {
	const char	*name;
	int		(*cancel)(struct twheel_timer *timer);
} cancels[] = {
	{ "cancel", twheel_cancel },
	{ "try_cancel_sync", twheel_try_cancel_sync },
	{ "cancel_sync", twheel_cancel_sync },
	{ "shutdown_sync", twheel_shutdown_sync },
};

TEST_PARAM(cancel, cancels, "%s", p->name);

/* The timer is due, but its callback has not begun, and never does. */
static void one_that_waits_is_cancelled(struct kunit *test)
{
	const struct cancel *cancel = test->param_value;
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *probe = one_that_waits(test, crowd);

	KUNIT_EXPECT_EQ(test, cancel->cancel(&probe->timer), 1);
	KUNIT_EXPECT_FALSE(test, twheel_pending(&probe->timer));
	KUNIT_EXPECT_EQ(test, cancel->cancel(&probe->timer), 0);
	expect_cancels(test, 1);
	crowd_wakes(test, crowd);
	process_pass(test, crowd->cpu);
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
}

/* One timer is extended; the other gets a later deadline, then an earlier one. */
static void one_that_waits_is_pushed_back(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *a = one_that_waits(test, crowd);
	struct probe *b = one_that_waits(test, crowd);
	u64 expires = get_jiffies_64() + 12;

	KUNIT_EXPECT_EQ(test, twheel_mod(&a->timer, expires), 1);
	KUNIT_EXPECT_EQ(test, twheel_mod(&b->timer, expires + 9), 1);
	KUNIT_EXPECT_EQ(test, twheel_mod(&b->timer, expires), 1);
	crowd_wakes(test, crowd);
	probe_expect(test, a, expires);
	probe_expect(test, b, expires);
}

/* A waiting timer is pushed back far. When the eight callbacks end, it must not run. */
static void one_that_waits_is_pushed_far_back(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *probe = one_that_waits(test, crowd);
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 1);
	crowd_wakes(test, crowd);
	process_pass(test, crowd->cpu);
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
}

static void one_that_waits_is_made_earlier(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *probe = one_that_waits(test, crowd);

	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, 0), 1);
	crowd_wakes(test, crowd);
	process_expect(test, probe);
}

/**
 * struct gauge - how many callbacks run at a time
 * @inside: Callbacks that run now.
 * @most: The most that ran at a time.
 * @full: Completed when %TWHEEL_PROCESS_MAX callbacks run.
 */
struct gauge {
	atomic_t		inside;
	atomic_t		most;
	struct completion	full;
};

static struct gauge gauge;

static void gauge_enter(void)
{
	int inside = atomic_inc_return(&gauge.inside);
	int most = atomic_read(&gauge.most);

	while (inside > most && !atomic_try_cmpxchg(&gauge.most, &most, inside))
		;
	if (inside >= TWHEEL_PROCESS_MAX)
		complete_all(&gauge.full);
}

static void gauge_start(void)
{
	atomic_set(&gauge.inside, 0);
	atomic_set(&gauge.most, 0);
	init_completion(&gauge.full);
}

static void sleep_until_full(struct probe *probe)
{
	gauge_enter();
	wait_for_completion_timeout(&gauge.full, ENGINE_TEST_PATIENCE);
	schedule_timeout_uninterruptible(1);
	atomic_dec(&gauge.inside);
}

static void eight_sleep_at_a_time_and_no_more(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask), i;
	struct probe *probe[3 * TWHEEL_PROCESS_MAX];

	gauge_start();
	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = probe_new_process(test, sleep_until_full);
		twheel_add_on(&probe[i]->timer, 0, cpu);
	}
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe_wait(test, probe[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&gauge.most), TWHEEL_PROCESS_MAX);
}

static void others_go_on_while_seven_sleep(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX - 1);
	struct probe *probe[20];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = probe_new_process(test, note_context);
		twheel_add_on(&probe[i]->timer, 0, crowd->cpu);
	}
	for (i = 0; i < ARRAY_SIZE(probe); i++)
		process_expect(test, probe[i]);
	for (i = 0; i < crowd->n; i++)
		KUNIT_EXPECT_EQ(test, READ_ONCE(crowd->sleeper[i]->probe.ret), 0);
	crowd_wakes(test, crowd);
}

static void ninth_runs_as_soon_as_one_wakes(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *probe = one_that_waits(test, crowd);
	unsigned int i, awake = 0;

	complete(&crowd->go);
	probe_wait(test, probe);
	for (i = 0; i < crowd->n; i++)
		awake += READ_ONCE(crowd->sleeper[i]->probe.ret);
	KUNIT_EXPECT_EQ(test, awake, 1U);
	crowd_wakes(test, crowd);
}

static void other_cpus_are_not_held_up(struct kunit *test)
{
	struct probe *probe = probe_new_process(test, NULL);
	struct crowd *crowd;

	engine_test_needs_cpus(test, 2);
	crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	twheel_add_on(&probe->timer, 0, cpumask_first(cpu_online_mask));
	process_expect(test, probe);
	crowd_wakes(test, crowd);
}

static void softirq_timers_are_in_time_meanwhile(struct kunit *test)
{
	struct aim *aim = kunit_kzalloc(test, sizeof(*aim), GFP_KERNEL);
	struct crowd *crowd = crowd_asleep(test, TWHEEL_PROCESS_MAX);
	struct probe *waits = one_that_waits(test, crowd);

	KUNIT_ASSERT_NOT_NULL(test, aim);
	aim->cpu = crowd->cpu;
	aim->ticks = 3;
	aim_expect_met(test, aim, 1, 1);
	KUNIT_EXPECT_EQ(test, waits->runs, 0U);
	crowd_wakes(test, crowd);
	probe_wait(test, waits);
}

/* Cancels while the callback sleeps */

/* If a cancel does not stop a timer, the timer stops itself after so many callbacks. */
#define ENOUGH		2000

static void sleep_three_ticks(struct probe *probe)
{
	struct sleeper *sleeper = sleeper_of(probe);

	complete(&sleeper->begun);
	schedule_timeout_uninterruptible(3);
	if (probe->runs == ENOUGH)
		twheel_cancel(&probe->timer);
	WRITE_ONCE(probe->ret, probe->runs);
}

static void cancel_sync_waits_for_its_callback(struct kunit *test)
{
	struct sleeper *sleeper;
	unsigned int round;

	for (round = 0; round < 3; round++) {
		sleeper = sleeper_new(test, 0, NULL);
		sleeper->probe.act = sleep_three_ticks;
		twheel_add_on(&sleeper->probe.timer, 0,
			      cpumask_last(cpu_online_mask));
		sleeper_expect_begun(test, sleeper);
		KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&sleeper->probe.timer), 0);
		KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.ret), 1);
	}
}

static void what_others_are_told_while_it_sleeps(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, 1);
	struct twheel_timer *timer = &crowd->sleeper[0]->probe.timer;
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;

	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_try_cancel_sync(timer), -EAGAIN);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires), 0);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires + 1), 1);
	KUNIT_EXPECT_EQ(test, twheel_try_cancel_sync(timer), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, twheel_pending(timer));
	complete_all(&crowd->go);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(crowd->sleeper[0]->probe.ret), 1);
	KUNIT_EXPECT_EQ(test, crowd->sleeper[0]->probe.runs, 1U);
}

/* A timer that is armed while its callback sleeps waits until that callback has ended. */
static void callback_of_its_own_waits_for_it(struct kunit *test)
{
	struct crowd *crowd = crowd_asleep(test, 1);
	struct probe *probe = &crowd->sleeper[0]->probe;

	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, 0), 0);
	process_pass(test, crowd->cpu);
	KUNIT_EXPECT_EQ(test, READ_ONCE(probe->runs), 1U);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&probe->timer));
	complete_all(&crowd->go);
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->runs, 2U);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 0);
}

static void rearm_and_sleep(struct probe *probe)
{
	struct sleeper *sleeper = sleeper_of(probe);

	if (atomic_inc_return(&gauge.inside) != 1)
		probe->left++;
	if (probe->runs == 2)
		complete(&sleeper->begun);
	if (probe->runs < ENOUGH)
		twheel_mod(&probe->timer, probe->runs % 2 ? probe->tick : 0);
	schedule_timeout_uninterruptible(1);
	atomic_dec(&gauge.inside);
	WRITE_ONCE(probe->ret, probe->runs);
}

/*
 * At this moment the timer is pending, or its callback has just begun and will find that
 * it cannot arm the timer again.
 */
static void shut_down_rearming(struct kunit *test, struct twheel_timer *timer)
{
	int ended = twheel_shutdown_sync(timer);

	KUNIT_EXPECT_GE(test, ended, 0);
	KUNIT_EXPECT_LE(test, ended, 1);
}

static void shutdown_ends_one_that_rearms_itself(struct kunit *test)
{
	struct sleeper *sleeper;
	unsigned int round, runs;

	for (round = 0; round < 5; round++) {
		gauge_start();
		sleeper = sleeper_new(test, 0, NULL);
		sleeper->probe.act = rearm_and_sleep;
		twheel_add_on(&sleeper->probe.timer, 0,
			      cpumask_last(cpu_online_mask));
		sleeper_expect_begun(test, sleeper);
		shut_down_rearming(test, &sleeper->probe.timer);
		runs = READ_ONCE(sleeper->probe.runs);
		KUNIT_ASSERT_LT(test, runs, (unsigned int)ENOUGH);
		KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.ret), (int)runs);
		engine_test_expect_dead(test, &sleeper->probe.timer);
		engine_test_pass(test, get_jiffies_64() + 1);
		KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.runs), runs);
	}
}

static long mod_here(void *arg)
{
	return twheel_mod(arg, 0);
}

/* Every CPU arms the timer again while its callback sleeps. */
static void callbacks_of_one_timer_never_overlap(struct kunit *test)
{
	struct sleeper *sleeper = sleeper_new(test, 0, NULL);
	struct probe *probe = &sleeper->probe;
	unsigned int cpu;

	gauge_start();
	probe->act = rearm_and_sleep;
	twheel_add(&probe->timer, 0);
	while (READ_ONCE(probe->runs) < 12) {
		for_each_online_cpu(cpu)
			work_on_cpu(cpu, mod_here, &probe->timer);
		/* Without SMP, work_on_cpu() is just a call. */
		cond_resched();
	}
	shut_down_rearming(test, &probe->timer);
	KUNIT_EXPECT_EQ(test, probe->left, 0U);
}

/* From another callback */

static void cancel_sync_other(struct probe *probe)
{
	probe->ret = twheel_cancel_sync(&probe->other->timer);
}

/* One callback waits for another callback of the same CPU. */
static void callback_cancels_another_that_sleeps(struct kunit *test)
{
	struct sleeper *sleeper = sleeper_new(test, 0, NULL);
	struct probe *probe = probe_new_process(test, cancel_sync_other);
	unsigned int cpu = cpumask_last(cpu_online_mask);

	/* A lockdep class of its own, as one callback waits for the other. */
	twheel_setup(&probe->timer, probe_fn, TWHEEL_PROCESS);
	probe->other = &sleeper->probe;
	sleeper->probe.act = sleep_three_ticks;
	twheel_add_on(&sleeper->probe.timer, 0, cpu);
	sleeper_expect_begun(test, sleeper);
	twheel_add_on(&probe->timer, 0, cpu);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.ret), 1);
}

/* Periodic timers */

/**
 * struct beat - a periodic timer whose callback sleeps longer than its period
 * @probe: The timer.
 * @start: Its first deadline.
 * @missed: Number of points that were reported missed.
 * @wrong: Number of callbacks that found the timer pending for a wrong point.
 * @ended: The tick at which the latest callback ended.
 * @prompt: Number of callbacks that began on the tick at which the previous one ended.
 * @over: Completed when the callback has cancelled the timer.
 */
struct beat {
	struct probe		probe;
	u64			start;
	u64			missed;
	unsigned int		wrong;
	u64			ended;
	unsigned int		prompt;
	struct completion	over;
};

/* Runs five times, or more often if no callback was prompt, as on a busy host. */
static void sleep_over_periods(struct probe *probe)
{
	struct beat *beat = container_of(probe, struct beat, probe);

	beat->missed += twheel_missed(&probe->timer);
	if (!probe->pending ||
	    twheel_wheel_state(&probe->timer.node) != beat->start + probe->runs + beat->missed)
		beat->wrong++;
	beat->prompt += probe->tick == beat->ended;
	schedule_timeout_uninterruptible(4);
	if ((probe->runs >= 5 && beat->prompt) || probe->runs == ENOUGH) {
		probe->ret = twheel_cancel(&probe->timer);
		complete(&beat->over);
	}
	beat->ended = get_jiffies_64();
}

static void slow_periodic_one_misses_what_it_sleeps_over(struct kunit *test)
{
	struct beat *beat = kunit_kzalloc(test, sizeof(*beat), GFP_KERNEL);
	struct twheel_timer *timer;
	unsigned int runs;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, beat);
	probe_init(test, &beat->probe, sleep_over_periods);
	init_completion(&beat->over);
	timer = &beat->probe.timer;
	twheel_setup(timer, probe_fn, TWHEEL_PROCESS);
	engine_test_hold();
	ret = twheel_add_periodic(timer, get_jiffies_64() + 1, 1);
	beat->start = twheel_wheel_state(&timer->node);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_ASSERT_NE(test, 0UL,
			wait_for_completion_timeout(&beat->over, ENGINE_TEST_PATIENCE));
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 0);
	runs = beat->probe.runs;
	KUNIT_EXPECT_EQ(test, beat->probe.ret, 1);
	KUNIT_EXPECT_GE(test, runs, 5U);
	KUNIT_EXPECT_EQ(test, beat->wrong, 0U);
	/* Of the four ticks of a sleep, the next callback accounts for one. */
	KUNIT_EXPECT_GE(test, beat->missed, (runs - 1) * 3ULL);
	/* A prompt callback: the timer was deferred during the sleep, not only afterwards. */
	KUNIT_EXPECT_GE(test, beat->prompt, 1U);
	engine_test_expect_counts(test, runs + 1, runs, 1, 0);
}

static void periodic_one_that_sleeps_is_cancelled(struct kunit *test)
{
	struct sleeper *sleeper = sleeper_new(test, 0, NULL);
	struct twheel_timer *timer = &sleeper->probe.timer;
	unsigned int runs;

	sleeper->probe.act = sleep_three_ticks;
	KUNIT_EXPECT_EQ(test, 0,
			twheel_add_periodic(timer, get_jiffies_64() + 1, 1));
	sleeper_expect_begun(test, sleeper);
	sleeper_expect_begun(test, sleeper);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 1);
	runs = READ_ONCE(sleeper->probe.runs);
	KUNIT_EXPECT_LT(test, runs, (unsigned int)ENOUGH);
	KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.ret), (int)runs);
	engine_test_pass(test, get_jiffies_64() + 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper->probe.runs), runs);
	engine_test_expect_idle(test, timer);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE(runs_in_process_context_and_may_sleep),
	KUNIT_CASE(distant_ones_are_never_early),
	KUNIT_CASE(thousand_on_one_tick),
	KUNIT_CASE_PARAM(one_that_waits_is_cancelled, cancel_gen_params),
	KUNIT_CASE(one_that_waits_is_pushed_back),
	KUNIT_CASE(one_that_waits_is_pushed_far_back),
	KUNIT_CASE(one_that_waits_is_made_earlier),
	KUNIT_CASE(eight_sleep_at_a_time_and_no_more),
	KUNIT_CASE(others_go_on_while_seven_sleep),
	KUNIT_CASE(ninth_runs_as_soon_as_one_wakes),
	KUNIT_CASE(other_cpus_are_not_held_up),
	KUNIT_CASE(softirq_timers_are_in_time_meanwhile),
	KUNIT_CASE(cancel_sync_waits_for_its_callback),
	KUNIT_CASE(what_others_are_told_while_it_sleeps),
	KUNIT_CASE(callback_of_its_own_waits_for_it),
	KUNIT_CASE(shutdown_ends_one_that_rearms_itself),
	KUNIT_CASE(callbacks_of_one_timer_never_overlap),
	KUNIT_CASE(callback_cancels_another_that_sleeps),
	KUNIT_CASE(slow_periodic_one_misses_what_it_sleeps_over),
	KUNIT_CASE(periodic_one_that_sleeps_is_cancelled),
	{}
};

ENGINE_TEST_SUITE(process);
