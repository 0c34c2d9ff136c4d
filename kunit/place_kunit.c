// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: which CPU a timer runs on: as it was asked for, as it is pinned, and
 * when that CPU is idle or goes away
 */
#include <linux/bottom_half.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "engine_test.h"

static const struct kind {
	const char	*name;
	u32		flags;
} kinds[] = {
	{ "plain", 0 },
	{ "pinned", TWHEEL_PINNED },
	{ "process", TWHEEL_PROCESS },
	{ "pinned process", TWHEEL_PINNED | TWHEEL_PROCESS },
};

static void kind_desc(const struct kind *kind, char *desc)
{
	strscpy(desc, kind->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kinds, kind_desc);

static struct probe *place_new(struct kunit *test, u32 flags,
			       void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);

	twheel_setup(&probe->timer, probe_fn, flags);
	return probe;
}

/* Its next callback has come, on @cpu, and is over. */
static void expect_on(struct kunit *test, struct probe *probe, int cpu)
{
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, probe->cpu, cpu);
}

/* Every way of arming an idle timer but twheel_add_on() */

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
	return twheel_add_periodic(timer, get_jiffies_64() + 1, 100);
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

static void way_desc(const struct way *way, char *desc)
{
	strscpy(desc, way->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, ways, way_desc);

/**
 * struct arming - something armed on a given CPU
 * @way: How.
 * @timer: What.
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

/* The pin is put where twheel_add_on() says, and each time anew. */
static void pinned_stays_whoever_arms_it(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct probe *probe = place_new(test, TWHEEL_PINNED | way->flags, NULL);
	unsigned int pin, cpu;

	for_each_online_cpu(pin) {
		twheel_add_on(&probe->timer, 0, pin);
		expect_on(test, probe, pin);
		for_each_online_cpu(cpu) {
			arm_from(test, probe, cpu);
			expect_on(test, probe, pin);
		}
	}
}

static void others_run_where_they_are_armed(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct probe *probe = place_new(test, way->flags, NULL);
	unsigned int pin, cpu;

	for_each_online_cpu(pin) {
		twheel_add_on(&probe->timer, 0, pin);
		expect_on(test, probe, pin);
		for_each_online_cpu(cpu) {
			arm_from(test, probe, cpu);
			expect_on(test, probe, cpu);
		}
	}
}

static void rearm(struct probe *probe)
{
	const struct way *way = (const struct way *)(unsigned long)probe->expires;

	if (!probe->left || !--probe->left)
		return;
	probe->ret |= way->arm(&probe->timer);
}

/* From its own callback it has no reason to go elsewhere. */
static void rearmed_by_its_callback_it_stays(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct probe *probe;
	unsigned int cpu;

	/* periodic ones are pending in their callback */
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
		KUNIT_EXPECT_EQ(test, probe->timer.flags & TWHEEL_CPU_MASK, cpu);
		KUNIT_EXPECT_EQ(test, probe->timer.flags & TWHEEL_USER_FLAGS,
				kind->flags);
		twheel_set_slack(&probe->timer, 0);
		twheel_add_on(&probe->timer, 0, cpu);
		expect_on(test, probe, cpu);
	}
}

/* A CPU that is idle */

/* How often a machine that is busy may be late before it is the engine's fault. */
#define TRIES	10
/* What is left to it then: an idle CPU that is not told sleeps for longer. */
#define LATE	(HZ / 20 + 1)

/**
 * struct idle_add - a timer that one CPU arms on another, which is idle
 * @probe: The timer.
 * @cpu: The other CPU.
 * @ahead: In how many ticks.
 */
struct idle_add {
	struct probe	*probe;
	unsigned int	cpu;
	u64		ahead;
};

static long idle_add_here(void *arg)
{
	struct idle_add *add = arg;
	unsigned long left;

	/* the other CPU has nothing to do meanwhile, nor has this one */
	schedule_timeout_uninterruptible(HZ / 20 + 2);
	add->probe->expires = get_jiffies_64() + add->ahead;
	twheel_add_on(&add->probe->timer, add->probe->expires, add->cpu);
	left = wait_for_completion_timeout(&add->probe->ran, ENGINE_TEST_PATIENCE);
	return left ? 0 : -ETIMEDOUT;
}

static const u64 aheads[] = { 1, 30, 70 };

static void ahead_desc(const u64 *ahead, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%llu ticks ahead", *ahead);
}

KUNIT_ARRAY_PARAM(ahead, aheads, ahead_desc);

static void trap26_idle_remote_cpu_fires_on_time(struct kunit *test)
{
	struct idle_add add = {
		.cpu = cpumask_last(cpu_online_mask),
		.ahead = *(const u64 *)test->param_value,
	};
	u64 late, least = U64_MAX;
	unsigned int i;

	engine_test_needs_cpus(test, 2);
	for (i = 0; i < TRIES && least > LATE; i++) {
		add.probe = probe_new(test, NULL);
		KUNIT_ASSERT_EQ(test, 0L, work_on_cpu(cpumask_first(cpu_online_mask),
						      idle_add_here, &add));
		twheel_cancel_sync(&add.probe->timer);
		KUNIT_EXPECT_EQ(test, add.probe->cpu, (int)add.cpu);
		KUNIT_ASSERT_GE(test, add.probe->tick, add.probe->expires);
		late = add.probe->tick - add.probe->expires;
		least = min(least, late);
	}
	KUNIT_EXPECT_LE(test, least, (u64)LATE);
}

/* A CPU that goes away */

/* The last one; it is there again when the case ends. */
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

/* It is pinned to the CPU that it was moved to, and does not go back. */
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

/* Idle, with its pin on a CPU that is not there. */
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
	if (twheel_wheel_state(&probe->timer) !=
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
	/* wherever it is: it runs on every other tick while CPUs come and go */
	probe_wait(test, probe);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		probe_wait(test, probe);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 1);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
}

/* Process context, while its CPU goes away */

/**
 * struct sleeper - a timer whose callback sleeps over what happens
 * @probe: The timer.
 * @begun: Completed when a callback begins.
 * @go: What the callback waits for.
 * @inside: Callbacks under way.
 * @overlaps: There were two.
 * @rearm: Arm the timer for the next tick as soon as the callback begins.
 */
struct sleeper {
	struct probe		probe;
	struct completion	begun;
	struct completion	*go;
	atomic_t		inside;
	bool			overlaps;
	bool			rearm;
};

static void sleep_until_told(struct probe *probe)
{
	struct sleeper *sleeper = container_of(probe, struct sleeper, probe);

	if (atomic_inc_return(&sleeper->inside) != 1)
		sleeper->overlaps = true;
	if (sleeper->rearm && !probe->pending)
		twheel_mod(&probe->timer, 0);
	complete(&sleeper->begun);
	wait_for_completion_timeout(sleeper->go, ENGINE_TEST_PATIENCE);
	atomic_dec(&sleeper->inside);
}

static struct sleeper *sleeper_new(struct kunit *test, u32 flags,
				   struct completion *go)
{
	struct sleeper *sleeper = kunit_kzalloc(test, sizeof(*sleeper), GFP_KERNEL);
	struct engine_test *et = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, sleeper);
	probe_setup(&sleeper->probe, sleep_until_told);
	twheel_setup(&sleeper->probe.timer, probe_fn, TWHEEL_PROCESS | flags);
	init_completion(&sleeper->begun);
	sleeper->go = go;
	list_add_tail(&sleeper->probe.node, &et->probes);
	return sleeper;
}

static struct completion *go_new(struct kunit *test)
{
	struct completion *go = kunit_kzalloc(test, sizeof(*go), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, go);
	init_completion(go);
	return go;
}

/* A timer elsewhere tells them to go on, in case the CPU waits for them. */
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

/* Eight are asleep, and as many are due and wait: all of them end well. */
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
		wait_for_completion_timeout(&sleeper[i]->begun, ENGINE_TEST_PATIENCE);
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
 * Its CPU goes away while its callback sleeps; armed again, it may move, but must
 * not run a second time before that callback has ended.
 */
static void one_that_sleeps_does_not_overlap_itself_elsewhere(struct kunit *test)
{
	unsigned int cpu = cpu_to_lose(test);
	struct completion *go = go_new(test);
	struct sleeper *sleeper = sleeper_new(test, 0, go);
	struct probe *probe = &sleeper->probe;

	sleeper->rearm = true;
	twheel_add_on(&probe->timer, 0, cpu);
	wait_for_completion_timeout(&sleeper->begun, ENGINE_TEST_PATIENCE);
	go_in_a_while(test, go);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 1);
	KUNIT_EXPECT_FALSE(test, sleeper->overlaps);
}

/* The same of a periodic one, which is pending all the time. */
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
	wait_for_completion_timeout(&sleeper->begun, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
	go_in_a_while(test, go);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 1);
	KUNIT_EXPECT_FALSE(test, sleeper->overlaps);
}

/* Whoever cancels it after that waits for the callback all the same. */
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
		wait_for_completion_timeout(&sleeper->begun, ENGINE_TEST_PATIENCE);
		go_in_a_while(test, go);
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		KUNIT_EXPECT_GE(test, twheel_shutdown_sync(&sleeper->probe.timer), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&sleeper->inside), 0);
		KUNIT_EXPECT_TRUE(test, completion_done(go));
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
}

/* PREEMPT_RT */

/* A sync cancel may have to sleep there: who cannot is told so, and not hung. */
static void trap3_sync_cancel_with_preemption_off(struct kunit *test)
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
	KUNIT_CASE_PARAM(trap26_idle_remote_cpu_fires_on_time, ahead_gen_params),
	KUNIT_CASE_PARAM(none_is_lost_when_its_cpu_goes_away, kind_gen_params),
	KUNIT_CASE_PARAM(pinned_moves_when_its_cpu_goes_away, way_gen_params),
	KUNIT_CASE_PARAM(pinned_is_armed_though_its_cpu_is_away, way_gen_params),
	KUNIT_CASE_PARAM(periodic_one_keeps_its_grid_when_its_cpu_goes_away,
			 kind_gen_params),
	KUNIT_CASE(sleeping_and_waiting_ones_survive_their_cpu),
	KUNIT_CASE(one_that_sleeps_does_not_overlap_itself_elsewhere),
	KUNIT_CASE(periodic_one_does_not_overlap_itself_elsewhere),
	KUNIT_CASE(cancel_sync_waits_though_its_cpu_went_away),
	KUNIT_CASE(trap3_sync_cancel_with_preemption_off),
	{}
};

ENGINE_TEST_SUITE(place);
