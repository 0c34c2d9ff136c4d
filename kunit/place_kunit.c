// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the CPU that a timer runs on: as asked for, as pinned, and when that CPU is
 * idle or goes offline
 */
#include <linux/bottom_half.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "engine_test.h"
#include "sleeper.h"

static const struct kind {
	const char	*name;
	u32		flags;
} kinds[] = {
	{ "plain", 0 },
	{ "pinned", TWHEEL_PINNED },
	{ "process", TWHEEL_PROCESS },
	{ "pinned process", TWHEEL_PINNED | TWHEEL_PROCESS },
};

TEST_PARAM(kind, kinds, "%s", p->name);

static struct probe *place_new(struct kunit *test, u32 flags,
			       void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);

	twheel_setup(&probe->timer, probe_fn, flags);
	return probe;
}

/* Waits for the next callback, which must run on @cpu. */
static void expect_on(struct kunit *test, struct probe *probe, int cpu)
{
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, probe->cpu, cpu);
}

/* All ways to arm an idle timer except twheel_add_on() */

static int by_add(struct twheel_timer *timer)
{
	return twheel_add(timer, get_jiffies_64() + 1);
}

static int by_add_after(struct twheel_timer *timer)
{
	return twheel_add_after(timer, 1);
}

static int by_mod(struct twheel_timer *timer)
{
	return twheel_mod(timer, get_jiffies_64() + 1);
}

static int by_forward(struct twheel_timer *timer)
{
	return twheel_forward(timer, 1) ? 0 : -EINVAL;
}

static int by_add_periodic(struct twheel_timer *timer)
{
	return twheel_add_periodic(timer, get_jiffies_64() + 1, ENGINE_TEST_FAR);
}

static const struct way {
	const char	*name;
	int		(*arm)(struct twheel_timer *timer);
	u32		flags;
} ways[] = {
	{ "add", by_add },
	{ "add_after", by_add_after },
	{ "mod", by_mod },
	{ "forward", by_forward },
	{ "add_periodic", by_add_periodic },
	{ "add, process", by_add, TWHEEL_PROCESS },
	{ "mod, process", by_mod, TWHEEL_PROCESS },
};

TEST_PARAM(way, ways, "%s", p->name);

/**
 * struct arming - a timer to arm on a given CPU
 * @way: The way to arm it.
 * @timer: The timer.
 */
struct arming {
	const struct way	*way;
	struct twheel_timer	*timer;
};

static long arm_here(void *arg)
{
	struct arming *arming = arg;

	return arming->way->arm(arming->timer);
}

static void arm_from(struct kunit *test, struct probe *probe, unsigned int cpu)
{
	struct arming arming = {
		.way = test->param_value,
		.timer = &probe->timer,
	};

	KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, arm_here, &arming), 0L);
}

static void add_on_is_obeyed(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct probe *probe = place_new(test, kind->flags, NULL);
	unsigned int round, cpu;

	for (round = 0; round < 2; round++) {
		for_each_online_cpu(cpu) {
			KUNIT_EXPECT_EQ(test, 0, twheel_add_on(&probe->timer, 0, cpu));
			expect_on(test, probe, cpu);
		}
	}
}

/*
 * twheel_add_on() chooses the CPU of a timer. When another CPU arms the timer after that,
 * a pinned timer stays, and any other timer moves to that CPU.
 */
static void expect_stays(struct kunit *test, bool stays)
{
	const struct way *way = test->param_value;
	u32 flags = way->flags | (stays ? TWHEEL_PINNED : 0);
	struct probe *probe = place_new(test, flags, NULL);
	unsigned int first, cpu;

	for_each_online_cpu(first) {
		twheel_add_on(&probe->timer, 0, first);
		expect_on(test, probe, first);
		for_each_online_cpu(cpu) {
			arm_from(test, probe, cpu);
			expect_on(test, probe, stays ? first : cpu);
		}
	}
}

static void pinned_stays_whoever_arms_it(struct kunit *test)
{
	expect_stays(test, true);
}

static void others_run_where_they_are_armed(struct kunit *test)
{
	expect_stays(test, false);
}

static void rearm(struct probe *probe)
{
	const struct way *way = (const struct way *)(unsigned long)probe->expires;

	if (!probe->left || !--probe->left)
		return;
	probe->ret |= way->arm(&probe->timer);
}

/* A timer that its own callback arms stays on its CPU. */
static void rearmed_by_its_callback_it_stays(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct probe *probe;
	unsigned int cpu;

	/* A periodic timer is pending in its callback. */
	if (way->arm == by_add_periodic)
		kunit_skip(test, "arms an idle timer");
	for_each_online_cpu(cpu) {
		probe = place_new(test, TWHEEL_PINNED | way->flags, rearm);
		probe->expires = (unsigned long)way;
		probe->left = 3;
		twheel_add_on(&probe->timer, 0, cpu);
		while (READ_ONCE(probe->runs) < 3)
			probe_wait(test, probe);
		twheel_cancel_sync(&probe->timer);
		KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
		KUNIT_EXPECT_EQ(test, probe->ret, 0);
	}
}

static void pending_one_is_changed_where_it_is(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct arming arming = { .way = &ways[2] };
	struct probe *probe;
	unsigned int pin, cpu;

	for_each_online_cpu(pin) {
		for_each_online_cpu(cpu) {
			probe = place_new(test, kind->flags, NULL);
			arming.timer = &probe->timer;
			twheel_add_on(&probe->timer,
				      get_jiffies_64() + ENGINE_TEST_FAR, pin);
			KUNIT_EXPECT_EQ(test, 1L,
					work_on_cpu(cpu, arm_here, &arming));
			expect_on(test, probe, pin);
		}
	}
}

static void slack_does_not_move_it(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct probe *probe = place_new(test, kind->flags, NULL);
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		twheel_add_on(&probe->timer, 0, cpu);
		expect_on(test, probe, cpu);
		twheel_set_slack(&probe->timer, 100000);
		KUNIT_EXPECT_EQ(test, probe->timer.node.flags & TWHEEL_CPU_MASK, cpu);
		KUNIT_EXPECT_EQ(test, probe->timer.node.flags & TWHEEL_SETUP_FLAGS,
				kind->flags);
		twheel_set_slack(&probe->timer, 0);
		twheel_add_on(&probe->timer, 0, cpu);
		expect_on(test, probe, cpu);
	}
}

/* A CPU that is idle */

/* Tries in which a plain timer would have been in time. */
#define TRIES	10
/* Tries in all: on a busy host, plain timers are late as well. */
#define TRIES_MAX	200
/* An idle CPU that nobody wakes sleeps for longer than this. */
#define LATE	(HZ / 20 + 1)

/**
 * struct idle_add - a timer that one CPU arms on another, idle CPU
 * @probe: The timer.
 * @plain: A plain kernel timer to arm instead.
 * @plain_ran: Completed by the plain timer.
 * @plain_tick: The tick at which the plain timer ran.
 * @cpu: The idle CPU.
 * @ahead: How many ticks ahead the deadline is.
 */
struct idle_add {
	struct probe		*probe;
	struct timer_list	plain;
	struct completion	plain_ran;
	u64			plain_tick;
	unsigned int		cpu;
	u64			ahead;
};

static void idle_plain_fn(struct timer_list *plain)
{
	struct idle_add *add = container_of(plain, struct idle_add, plain);

	add->plain_tick = get_jiffies_64();
	complete(&add->plain_ran);
}

static long idle_add_here(void *arg)
{
	struct idle_add *add = arg;
	unsigned long left;

	/* Neither this CPU nor the other one has anything to do meanwhile. */
	schedule_timeout_uninterruptible(HZ / 20 + 2);
	add->probe->expires = get_jiffies_64() + add->ahead;
	twheel_add_on(&add->probe->timer, add->probe->expires, add->cpu);
	left = wait_for_completion_timeout(&add->probe->ran, ENGINE_TEST_PATIENCE);
	return left ? 0 : -ETIMEDOUT;
}

/* The same with a plain timer. Returns how many ticks late that is, or an error. */
static long idle_plain_here(void *arg)
{
	struct idle_add *add = arg;
	unsigned long left;
	u64 expires;

	schedule_timeout_uninterruptible(HZ / 20 + 2);
	timer_setup(&add->plain, idle_plain_fn, TIMER_PINNED);
	init_completion(&add->plain_ran);
	expires = get_jiffies_64() + add->ahead;
	/* timer_list runs a timer on the tick after its ->expires. */
	add->plain.expires = (unsigned long)expires - 1;
	add_timer_on(&add->plain, add->cpu);
	left = wait_for_completion_timeout(&add->plain_ran, ENGINE_TEST_PATIENCE);
	timer_delete_sync(&add->plain);
	return left ? (long)(add->plain_tick - expires) : -ETIMEDOUT;
}

static const u64 aheads[] = { 1, 30, 70 };

TEST_PARAM(ahead, aheads, "%llu ticks ahead", *p);

/* A late try counts only if a plain timer, armed right after it, was in time. */
static void idle_remote_cpu_fires_on_time(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask), i, counted = 0;
	u64 late, least = U64_MAX;
	struct idle_add *add;
	long plain;

	engine_test_needs_cpus(test, 2);
	add = kunit_kzalloc(test, sizeof(*add), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, add);
	add->cpu = cpumask_last(cpu_online_mask);
	add->ahead = *(const u64 *)test->param_value;
	for (i = 0; i < TRIES_MAX && counted < TRIES; i++) {
		add->probe = probe_new(test, NULL);
		KUNIT_ASSERT_EQ(test, 0L, work_on_cpu(here, idle_add_here, add));
		twheel_cancel_sync(&add->probe->timer);
		KUNIT_EXPECT_EQ(test, add->probe->cpu, (int)add->cpu);
		KUNIT_ASSERT_GE(test, add->probe->tick, add->probe->expires);
		late = add->probe->tick - add->probe->expires;
		least = min(least, late);
		if (least <= LATE)
			return;
		plain = work_on_cpu(here, idle_plain_here, add);
		KUNIT_ASSERT_GE(test, plain, 0L);
		counted += plain <= LATE + (long)add->ahead / 8 + 1;
	}
	if (counted < TRIES)
		kunit_skip(test, "plain timers are late on this machine, too");
	KUNIT_EXPECT_LE(test, least, (u64)LATE);
}

/* A CPU that goes offline */

/* The last CPU; it is online again when the case ends. */
static unsigned int cpu_to_lose(struct kunit *test)
{
	engine_test_needs_cpus(test, 2);
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
	return cpumask_last(cpu_online_mask);
}

#define LOST	64

static void none_is_lost_when_its_cpu_goes_away(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	unsigned int cpu = cpu_to_lose(test), i;
	struct probe *probe[LOST];
	u64 expires[LOST];

	/* On a busy host it may take long until the CPU is offline. */
	engine_test_watch_start(test);
	for (i = 0; i < LOST; i++) {
		probe[i] = place_new(test, kind->flags, NULL);
		expires[i] = get_jiffies_64() + 1 + i;
		twheel_add_on(&probe[i]->timer, expires[i], cpu);
	}
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	for (i = 0; i < LOST; i++)
		probe_expect(test, probe[i], expires[i]);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	engine_test_expect_counts(test, LOST, LOST, 0, 0);
}

static long arm_by_tick(void *arg)
{
	struct probe *probe = arg;

	return twheel_add(&probe->timer, probe->expires);
}

/* The CPU that got the kernel's timers must not run the wheel of a CPU that is back. */
static void runs_on_its_cpu_when_that_is_back(struct kunit *test)
{
	unsigned int cpu = cpu_to_lose(test), tries;
	struct probe *probe = probe_new(test, NULL);

	for (tries = 0; tries < 5; tries++) {
		/* as far ahead as a tick is near */
		probe->expires = get_jiffies_64() + 39;
		KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, arm_by_tick, probe), 0L);
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
		twheel_cancel_sync(&probe->timer);
		reinit_completion(&probe->ran);
		if (get_jiffies_64() + 2 > probe->expires)
			continue;
		KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, arm_by_tick, probe), 0L);
		expect_on(test, probe, cpu);
		return;
	}
	kunit_skip(test, "the CPU takes too long to come back");
}

/* The timer is then pinned to the CPU that it was moved to, and does not go back. */
static void pinned_moves_when_its_cpu_goes_away(struct kunit *test)
{
	const struct way *way = test->param_value;
	unsigned int cpu = cpu_to_lose(test), there;
	struct probe *probe = place_new(test, TWHEEL_PINNED | way->flags, NULL);
	u64 now = get_jiffies_64();

	twheel_add_on(&probe->timer, now + ENGINE_TEST_FAR, cpu);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&probe->timer));
	twheel_mod(&probe->timer, 0);
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	there = probe->cpu;
	KUNIT_EXPECT_NE(test, there, cpu);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	arm_from(test, probe, cpu);
	expect_on(test, probe, there);
}

/* An idle timer is pinned to a CPU that is offline. */
static void pinned_is_armed_though_its_cpu_is_away(struct kunit *test)
{
	const struct way *way = test->param_value;
	unsigned int cpu = cpu_to_lose(test);
	struct probe *probe = place_new(test, TWHEEL_PINNED | way->flags, NULL);

	twheel_add_on(&probe->timer, 0, cpu);
	expect_on(test, probe, cpu);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	arm_from(test, probe, cpumask_first(cpu_online_mask));
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_NE(test, probe->cpu, (int)cpu);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
}

static void note_missed(struct probe *probe)
{
	probe->left += twheel_missed(&probe->timer);
	if (twheel_wheel_state(&probe->timer.node) !=
	    probe->expires + 2 * (probe->runs + probe->left))
		probe->ret++;
}

static void periodic_one_keeps_its_grid_when_its_cpu_goes_away(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	unsigned int cpu = cpu_to_lose(test), i;
	struct probe *probe = place_new(test, TWHEEL_PINNED | kind->flags, note_missed);

	twheel_add_on(&probe->timer, get_jiffies_64() + ENGINE_TEST_FAR, cpu);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
	probe->expires = get_jiffies_64() + HZ;
	KUNIT_EXPECT_EQ(test, 0,
			twheel_add_periodic(&probe->timer, probe->expires, 2));
	/* On whichever CPU, the timer runs on every other tick while CPUs come and go. */
	probe_wait(test, probe);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		probe_wait(test, probe);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 1);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
}

/* Process context, while the CPU goes offline */

static struct completion *go_new(struct kunit *test)
{
	struct completion *go = kunit_kzalloc(test, sizeof(*go), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, go);
	init_completion(go);
	return go;
}

/* A timer on another CPU completes @go, in case that remove_cpu() waits for callbacks. */
static void tell_to_go(struct probe *probe)
{
	complete_all((struct completion *)(unsigned long)probe->expires);
}

static void go_in_a_while(struct kunit *test, struct completion *go)
{
	struct probe *probe = probe_new(test, tell_to_go);

	probe->expires = (unsigned long)go;
	twheel_add_on(&probe->timer, get_jiffies_64() + HZ / 4,
		      cpumask_first(cpu_online_mask));
}

/* Eight callbacks sleep, and eight more timers wait: all of them end well. */
static void sleeping_and_waiting_ones_survive_their_cpu(struct kunit *test)
{
	struct sleeper *sleeper[2 * TWHEEL_PROCESS_MAX];
	unsigned int cpu = cpu_to_lose(test), i;
	struct completion *go = go_new(test);

	for (i = 0; i < ARRAY_SIZE(sleeper); i++) {
		sleeper[i] = sleeper_new(test, 0, go);
		twheel_add_on(&sleeper[i]->probe.timer, get_jiffies_64() + i, cpu);
	}
	for (i = 0; i < TWHEEL_PROCESS_MAX; i++)
		sleeper_expect_begun(test, sleeper[i]);
	engine_test_pass(test, get_jiffies_64() + 1);
	go_in_a_while(test, go);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	for (i = 0; i < ARRAY_SIZE(sleeper); i++) {
		probe_wait(test, &sleeper[i]->probe);
		KUNIT_EXPECT_EQ(test, 0,
				twheel_cancel_sync(&sleeper[i]->probe.timer));
		KUNIT_EXPECT_EQ(test, sleeper[i]->probe.runs, 1U);
	}
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
}

/*
 * The CPU of a timer goes offline while its callback sleeps. Armed again, the timer may move,
 * but its second callback must not begin before the first one has ended.
 */
static void one_that_sleeps_does_not_overlap_itself_elsewhere(struct kunit *test)
{
	unsigned int cpu = cpu_to_lose(test);
	struct completion *go = go_new(test);
	struct sleeper *sleeper = sleeper_new(test, 0, go);
	struct probe *probe = &sleeper->probe;
	int ended;

	sleeper->rearm = true;
	twheel_add_on(&probe->timer, 0, cpu);
	sleeper_expect_begun(test, sleeper);
	go_in_a_while(test, go);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	/* The timer is pending, unless its callback has just begun and is refused to arm it. */
	ended = twheel_shutdown_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, ended + sleeper->refused, 1);
	KUNIT_EXPECT_FALSE(test, sleeper->overlaps);
}

/* The same for a periodic timer, which is pending all the time. */
static void periodic_one_does_not_overlap_itself_elsewhere(struct kunit *test)
{
	unsigned int cpu = cpu_to_lose(test);
	struct completion *go = go_new(test);
	struct sleeper *sleeper = sleeper_new(test, TWHEEL_PINNED, go);
	struct probe *probe = &sleeper->probe;

	twheel_add_on(&probe->timer, get_jiffies_64() + ENGINE_TEST_FAR, cpu);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
	KUNIT_EXPECT_EQ(test, 0,
			twheel_add_periodic(&probe->timer, get_jiffies_64() + 1, 1));
	sleeper_expect_begun(test, sleeper);
	KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
	go_in_a_while(test, go);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 1);
	KUNIT_EXPECT_FALSE(test, sleeper->overlaps);
}

/* A canceller still waits for the callback. */
static void cancel_sync_waits_though_its_cpu_went_away(struct kunit *test)
{
	unsigned int cpu = cpu_to_lose(test), rearm;
	struct completion *go;
	struct sleeper *sleeper;

	for (rearm = 0; rearm < 2; rearm++) {
		go = go_new(test);
		sleeper = sleeper_new(test, 0, go);
		sleeper->rearm = rearm;
		twheel_add_on(&sleeper->probe.timer, 0, cpu);
		sleeper_expect_begun(test, sleeper);
		go_in_a_while(test, go);
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		KUNIT_EXPECT_GE(test, twheel_shutdown_sync(&sleeper->probe.timer), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&sleeper->inside), 0);
		KUNIT_EXPECT_TRUE(test, completion_done(go));
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
}

/* PREEMPT_RT */

/* A sync cancel may have to sleep there: a caller that cannot gets a warning, not a hang. */
static void sync_cancel_with_preemption_off(struct kunit *test)
{
#ifdef kunit_warning_suppress
	struct twheel_timer *timer = &probe_far(test)->timer;
	struct kunit_suppressed_warning *w;
	int ret;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT) || !IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "needs CONFIG_PREEMPT_RT and CONFIG_PROVE_LOCKING");
	w = kunit_start_suppress_warning(test);
	preempt_disable();
	ret = twheel_cancel_sync(timer);
	preempt_enable();
	kunit_end_suppress_warning(test, w);
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(w), 1);
	KUNIT_EXPECT_EQ(test, ret, 1);
#else
	kunit_skip(test, "this kernel cannot suppress warnings");
#endif
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE_PARAM(add_on_is_obeyed, kind_gen_params),
	KUNIT_CASE_PARAM(pinned_stays_whoever_arms_it, way_gen_params),
	KUNIT_CASE_PARAM(others_run_where_they_are_armed, way_gen_params),
	KUNIT_CASE_PARAM(rearmed_by_its_callback_it_stays, way_gen_params),
	KUNIT_CASE_PARAM(pending_one_is_changed_where_it_is, kind_gen_params),
	KUNIT_CASE_PARAM(slack_does_not_move_it, kind_gen_params),
	KUNIT_CASE_PARAM(idle_remote_cpu_fires_on_time, ahead_gen_params),
	KUNIT_CASE_PARAM(none_is_lost_when_its_cpu_goes_away, kind_gen_params),
	KUNIT_CASE(runs_on_its_cpu_when_that_is_back),
	KUNIT_CASE_PARAM(pinned_moves_when_its_cpu_goes_away, way_gen_params),
	KUNIT_CASE_PARAM(pinned_is_armed_though_its_cpu_is_away, way_gen_params),
	KUNIT_CASE_PARAM(periodic_one_keeps_its_grid_when_its_cpu_goes_away,
			 kind_gen_params),
	KUNIT_CASE(sleeping_and_waiting_ones_survive_their_cpu),
	KUNIT_CASE(one_that_sleeps_does_not_overlap_itself_elsewhere),
	KUNIT_CASE(periodic_one_does_not_overlap_itself_elsewhere),
	KUNIT_CASE(cancel_sync_waits_though_its_cpu_went_away),
	KUNIT_CASE(sync_cancel_with_preemption_off),
	{}
};

ENGINE_TEST_SUITE(place);
