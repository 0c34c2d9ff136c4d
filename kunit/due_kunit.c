// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that are due, but whose callback has not begun
 *
 * Two timers are due at the same tick. While the first callback runs, the second timer must
 * still be pending, and any caller may cancel, change or free it.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "../twheel_compat.h"
#include "engine_test.h"

/* Ticks ahead of the new deadline that is given to a timer which is due. */
#define LATER	7
#define NEVER_RUNS	(-1)

#define THIS_CPU	(-1)

/**
 * struct due_op - what is done to the second timer
 * @name: Of the case.
 * @run: Does it, and returns the result.
 * @delay: Ticks from then until the timer runs, at least; or NEVER_RUNS. While a wheel
 *	runs, its hand may be behind, so "the next tick" may be the current tick.
 */
struct due_op {
	const char	*name;
	int		(*run)(struct twheel_timer *timer);
	int		delay;
};

static int push_back(struct twheel_timer *timer)
{
	return twheel_mod(timer, get_jiffies_64() + LATER);
}

static int bring_forward(struct twheel_timer *timer)
{
	return twheel_mod(timer, 0);
}

static const struct due_op ops[] = {
	{ "cancel", twheel_cancel, NEVER_RUNS },
	{ "cancel_sync", twheel_cancel_sync, NEVER_RUNS },
	{ "try_cancel_sync", twheel_try_cancel_sync, NEVER_RUNS },
	{ "shutdown_sync", twheel_shutdown_sync, NEVER_RUNS },
	{ "mod to later", push_back, LATER },
	{ "mod to earlier", bring_forward, 0 },
};

TEST_PARAM(op, ops, "%s", p->name);

/**
 * struct pair - two timers of a tick, on one CPU
 * @first: Its callback does what the case is about.
 * @second: The timer that this is done to.
 * @op: The operation.
 * @expires: The tick of both.
 * @counts: The counts just before the operation.
 * @pending: Was the second timer pending then?
 * @remaining: Its remaining ticks then.
 * @ret: The result of the operation.
 * @tick: The tick of the operation.
 * @begun: The first callback runs.
 * @done: The first callback may end.
 */
struct pair {
	struct probe		first;
	struct probe		second;
	const struct due_op	*op;
	u64			expires;
	struct twheel_counts	counts;
	bool			pending;
	u64			remaining;
	int			ret;
	u64			tick;
	bool			begun;
	bool			done;
};

static void look_and_act(struct pair *pair)
{
	pair->pending = twheel_pending(&pair->second.timer);
	pair->remaining = twheel_remaining(&pair->second.timer);
	twheel_base_read_counts(&pair->counts);
	pair->tick = get_jiffies_64();
	pair->ret = pair->op->run(&pair->second.timer);
}

static void act_on_second(struct probe *probe)
{
	look_and_act(container_of(probe, struct pair, first));
}

static struct pair *pair_new(struct kunit *test, void (*act)(struct probe *probe))
{
	struct pair *pair = kunit_kzalloc(test, sizeof(*pair), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pair);
	pair->op = test->param_value;
	probe_init(test, &pair->first, act);
	probe_init(test, &pair->second, NULL);
	/* A lockdep class of its own, as one callback waits for the other. */
	twheel_setup(&pair->second.timer, probe_fn, 0);
	return pair;
}

/*
 * A few timers of one tick expire in the order of arming. On this CPU (THIS_CPU), the
 * first callback does not begin before both timers are armed.
 */
static void pair_arm(struct pair *pair, int cpu, u64 period)
{
	unsigned int here = engine_test_hold();

	if (cpu == THIS_CPU)
		cpu = here;
	pair->expires = get_jiffies_64() + 5;
	twheel_add_on(&pair->first.timer, pair->expires, cpu);
	if (period)
		twheel_add_periodic(&pair->second.timer, pair->expires, period);
	else
		twheel_add_on(&pair->second.timer, pair->expires, cpu);
	engine_test_release();
}

/* The second timer was pending, and the operation has had its effect. */
static void pair_expect(struct kunit *test, struct pair *pair)
{
	struct engine_test *et = test->priv;
	struct twheel_counts *counts = &pair->counts;
	u64 due = pair->tick + pair->op->delay;

	KUNIT_EXPECT_EQ(test, pair->ret, 1);
	KUNIT_EXPECT_TRUE(test, pair->pending);
	KUNIT_EXPECT_EQ(test, pair->remaining, 0ULL);
	KUNIT_EXPECT_EQ(test, counts->armed - et->start.armed, 2ULL);
	KUNIT_EXPECT_EQ(test, counts->fired - et->start.fired, 1ULL);
	KUNIT_EXPECT_EQ(test, counts->pending - et->start.pending, 1ULL);
	if (pair->op->delay == NEVER_RUNS) {
		engine_test_pass(test, pair->tick + LATER);
		KUNIT_EXPECT_EQ(test, pair->second.runs, 0U);
		return;
	}
	probe_expect(test, &pair->second, due);
	/* The hand, behind or not, is at the tick of the pair. */
	KUNIT_EXPECT_GT(test, pair->second.tick, pair->expires);
}

static void callback_of_its_tick_gets_hold_of_it(struct kunit *test)
{
	struct pair *pair = pair_new(test, act_on_second);

	pair_arm(pair, THIS_CPU, 0);
	probe_wait(test, &pair->first);
	pair_expect(test, pair);
	if (pair->op->delay != NEVER_RUNS)
		engine_test_expect_counts(test, 3, 2, 0, 1);
}

/* The period is so long that the timer runs no more than once here. */
static void so_it_does_if_it_is_periodic(struct kunit *test)
{
	struct pair *pair = pair_new(test, act_on_second);

	pair_arm(pair, THIS_CPU, 1000000);
	probe_wait(test, &pair->first);
	pair_expect(test, pair);
}

static void wait_for_the_other(struct probe *probe)
{
	struct pair *pair = container_of(probe, struct pair, first);

	WRITE_ONCE(pair->begun, true);
	while (!READ_ONCE(pair->done))
		cpu_relax();
}

/*
 * Runs on another CPU than the pair. The first callback does not end before this is done,
 * so the second timer waits even if it is armed late.
 */
static long act_from_here(void *arg)
{
	struct pair *pair = arg;
	u64 end;

	pair_arm(pair, cpumask_first(cpu_online_mask), 0);
	end = get_jiffies_64() + ENGINE_TEST_PATIENCE;
	while (!READ_ONCE(pair->begun) && time_before64(get_jiffies_64(), end))
		cpu_relax();
	look_and_act(pair);
	WRITE_ONCE(pair->done, true);
	return pair->begun;
}

static void so_does_another_cpu(struct kunit *test)
{
	struct pair *pair;

	engine_test_needs_cpus(test, 2);
	pair = pair_new(test, wait_for_the_other);
	KUNIT_ASSERT_EQ(test, 1, work_on_cpu(cpumask_last(cpu_online_mask),
					     act_from_here, pair));
	probe_wait(test, &pair->first);
	pair_expect(test, pair);
}

#define OTHERS	50

static unsigned int lost_runs;

static void lost_fn(struct twheel_timer *timer)
{
	lost_runs++;
}

static void free_others(struct probe *probe)
{
	struct twheel_timer **others = (void *)probe->other;

	for (; *others; others++) {
		probe->ret += twheel_cancel(*others);
		memset(*others, 0x5a, sizeof(**others));
		kfree(*others);
	}
}

/* Their memory is freed before their turn. */
static void they_may_be_freed(struct kunit *test)
{
	static struct twheel_timer *others[OTHERS + 1];
	struct probe *first = probe_new(test, free_others);
	unsigned int cpu, i;
	u64 expires;

	lost_runs = 0;
	memset(others, 0, sizeof(others));
	for (i = 0; i < ARRAY_SIZE(others) - 1; i++) {
		others[i] = kmalloc(sizeof(*others[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, others[i]);
		twheel_setup(others[i], lost_fn, 0);
	}
	first->other = (void *)others;
	cpu = engine_test_hold();
	expires = get_jiffies_64() + 5;
	twheel_add_on(&first->timer, expires, cpu);
	for (i = 0; i < ARRAY_SIZE(others) - 1; i++)
		twheel_add_on(others[i], expires, cpu);
	engine_test_release();
	engine_test_pass(test, expires);
	KUNIT_EXPECT_EQ(test, first->runs, 1U);
	KUNIT_EXPECT_EQ(test, first->ret, (int)OTHERS);
	KUNIT_EXPECT_EQ(test, lost_runs, 0U);
}

/*
 * While one CPU runs the timers of a tick, another CPU cancels timers whose turn is next. A
 * turn comes faster than a cancel, so these are at various distances.
 */
#define CROWD		1024
#define DISTANCES	48

struct crowd {
	struct {
		struct twheel_timer	timer;
		unsigned int		runs;
		int			ret;
	} member[CROWD];
	int			at;
	unsigned int		wrong;
	unsigned int		ran;
	unsigned int		cancelled;
};

static struct crowd *crowd;

static void crowd_fn(struct twheel_timer *timer)
{
	unsigned int i = ((void *)timer - (void *)crowd->member) /
			 sizeof(crowd->member[0]);

	crowd->member[i].runs++;
	WRITE_ONCE(crowd->at, i);
}

static void crowd_round(unsigned int cpu)
{
	unsigned int i, tries;

	crowd->at = -1;
	for (i = 0; i < CROWD; i++) {
		crowd->member[i].runs = 0;
		crowd->member[i].ret = 0;
		twheel_add_on(&crowd->member[i].timer, 0, cpu);
	}
	while (READ_ONCE(crowd->at) < 0)
		cpu_relax();
	for (tries = 0; tries < 100 * CROWD; tries++) {
		i = READ_ONCE(crowd->at) + 1 + tries % DISTANCES;
		if (i >= CROWD)
			break;
		crowd->member[i].ret += twheel_cancel(&crowd->member[i].timer);
	}
	for (i = 0; i < CROWD; i++) {
		crowd->member[i].ret += twheel_cancel_sync(&crowd->member[i].timer);
		crowd->wrong += crowd->member[i].runs + crowd->member[i].ret != 1;
		crowd->ran += crowd->member[i].runs;
		crowd->cancelled += crowd->member[i].ret;
	}
}

static long crowd_here(void *arg)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		crowd_round(cpumask_first(cpu_online_mask));
		cond_resched();
	}
	return 0;
}

static void each_runs_or_is_cancelled(struct kunit *test)
{
	unsigned int i;

	engine_test_needs_cpus(test, 2);
	crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowd);
	for (i = 0; i < CROWD; i++)
		twheel_setup(&crowd->member[i].timer, crowd_fn, 0);
	work_on_cpu(cpumask_last(cpu_online_mask), crowd_here, NULL);
	KUNIT_EXPECT_EQ(test, crowd->wrong, 0U);
	KUNIT_EXPECT_GT(test, crowd->ran, 0U);
	kunit_info(test, "%u ran, %u were cancelled", crowd->ran, crowd->cancelled);
}

static struct kunit_case due_cases[] = {
	KUNIT_CASE_PARAM(callback_of_its_tick_gets_hold_of_it, op_gen_params),
	KUNIT_CASE_PARAM(so_it_does_if_it_is_periodic, op_gen_params),
	KUNIT_CASE_PARAM(so_does_another_cpu, op_gen_params),
	KUNIT_CASE(they_may_be_freed),
	KUNIT_CASE(each_runs_or_is_cancelled),
	{ }
};

ENGINE_TEST_SUITE(due);
