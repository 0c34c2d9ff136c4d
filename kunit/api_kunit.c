// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the functions of twheel.h, one behaviour a case
 *
 * If a case arms a timer and then changes it, callbacks are held off in between, so that
 * a slow machine makes no difference.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/timer.h>
#include "engine_test.h"

/* Setting up */

static DECLARE_COMPLETION(static_ran);

static void static_fn(struct twheel_timer *timer)
{
	complete(&static_ran);
}

static DEFINE_TWHEEL_TIMER(static_timer, static_fn);

static void static_timer_needs_no_setup(struct kunit *test)
{
	unsigned long left;
	bool pending;
	int ret;

	engine_test_expect_idle(test, &static_timer);
	engine_test_hold();
	ret = twheel_add_after(&static_timer, HZ / 2);
	pending = twheel_pending(&static_timer);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_TRUE(test, pending);
	left = wait_for_completion_timeout(&static_ran, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_NE(test, left, 0UL);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&static_timer), 0);
	engine_test_expect_counts(test, 1, 1, 0, 0);
}

static void onstack_timer_fires(struct kunit *test)
{
	struct probe probe = { };
	unsigned long left;

	init_completion(&probe.ran);
	twheel_setup_onstack(&probe.timer, probe_fn, 0);
	engine_test_expect_idle(test, &probe.timer);
	KUNIT_EXPECT_EQ(test, twheel_add_after(&probe.timer, 1), 0);
	left = wait_for_completion_timeout(&probe.ran, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_NE(test, left, 0UL);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe.timer), 0);
	twheel_destroy_onstack(&probe.timer);
	KUNIT_EXPECT_EQ(test, probe.runs, 1U);
}

/* Firing */

static const struct ahead {
	const char	*name;
	unsigned int	n;
	unsigned int	ticks[12];
} aheads_met[] = {
	{ "near", 5, { 1, 2, 3, 5, 8 } },
	/* Across the end of level 0, the tick source stays exact. */
	{ "distant", 12, { 59, 60, 61, 62, 63, 64, 65, 100, 126, 127, 128, 129 } },
	/* The tick source sleeps, and no other timer wakes the CPU. */
	{ "lone and distant", 1, { 131 } },
};

TEST_PARAM(ahead, aheads_met, "%s", p->name);

/* All ticks at once, on two CPUs. */
static void ticks_are_met(struct kunit *test)
{
	const struct ahead *ahead = test->param_value;
	unsigned int i, n = ahead->n;
	struct aim *aim = kunit_kcalloc(test, 2 * n, sizeof(*aim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, aim);
	for (i = 0; i < 2 * n; i++) {
		aim[i].cpu = i < n ? cpumask_first(cpu_online_mask) :
				     cpumask_last(cpu_online_mask);
		aim[i].ticks = ahead->ticks[i % n];
	}
	aim_expect_met(test, aim, 2 * n, 0);
}

/* A near timer is armed while the tick source sleeps until a distant tick. */
static void near_one_after_a_distant_one(struct kunit *test)
{
	struct probe *probe, *distant;
	unsigned int cpu;
	u64 now;

	for_each_online_cpu(cpu) {
		distant = probe_new(test, NULL);
		probe = probe_new(test, NULL);
		now = get_jiffies_64();
		twheel_add_on(&distant->timer, now + ENGINE_TEST_FAR, cpu);
		engine_test_pass(test, now);
		now = get_jiffies_64();
		twheel_add_on(&probe->timer, now + 2, cpu);
		probe_expect(test, probe, now + 2);
		KUNIT_EXPECT_TRUE(test, twheel_pending(&distant->timer));
	}
}

static void past_deadline_means_next_tick(struct kunit *test)
{
	u64 now = get_jiffies_64();
	const u64 past[] = { 0, 1, now - 100, now - 1, now };
	struct probe *probe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(past); i++) {
		probe = probe_new(test, NULL);
		now = get_jiffies_64();
		KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, past[i]));
		probe_expect(test, probe, now);
	}
}

static void never_never_comes(struct kunit *test)
{
	static const u64 never[] = { TWHEEL_NEVER, U64_MAX, TWHEEL_NEVER - 1 };
	struct probe *probe[ARRAY_SIZE(never) + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(never); i++) {
		probe[i] = probe_new(test, NULL);
		KUNIT_EXPECT_EQ(test, 0, twheel_add(&probe[i]->timer, never[i]));
	}
	probe[i] = probe_new(test, NULL);
	KUNIT_EXPECT_EQ(test, 0, twheel_add_after(&probe[i]->timer, U64_MAX));
	engine_test_pass(test, get_jiffies_64() + 2);
	for (i = 0; i < ARRAY_SIZE(probe); i++) {
		KUNIT_EXPECT_GE(test, twheel_remaining(&probe[i]->timer),
				TWHEEL_NEVER / 2);
		KUNIT_EXPECT_EQ(test, twheel_cancel(&probe[i]->timer), 1);
		KUNIT_EXPECT_EQ(test, probe[i]->runs, 0U);
	}
}

static void callback_is_in_softirq(struct kunit *test)
{
	struct probe *probe = probe_spent(test, NULL);

	KUNIT_EXPECT_TRUE(test, probe->context);
	KUNIT_EXPECT_FALSE(test, probe->pending);
	engine_test_expect_idle(test, &probe->timer);
}

/* A plain kernel timer that runs on every tick, and how often it has run. */
static struct {
	struct timer_list	timer;
	unsigned int		beats;
} plain;

/* timer_list runs a timer on the tick after its ->expires. */
static void plain_fn(struct timer_list *timer)
{
	WRITE_ONCE(plain.beats, plain.beats + 1);
	mod_timer(timer, jiffies);
}

static void note_beats(struct probe *probe)
{
	probe->left = READ_ONCE(plain.beats);
}

/*
 * More timers than one run may expire; see the module parameter budget. Callbacks take long
 * on a slow machine, so the case counts the ticks on which a plain timer of that CPU runs
 * meanwhile: the softirq that runs the plain timer also continues the run.
 */
static void thousands_on_one_tick(struct kunit *test)
{
	unsigned int i, n = 5000, cpu = cpumask_first(cpu_online_mask);
	struct probe *probe = kunit_kcalloc(test, n, sizeof(*probe), GFP_KERNEL);
	unsigned int first_beat = UINT_MAX, last_beat = 0;
	u64 expires, first = U64_MAX;

	KUNIT_ASSERT_NOT_NULL(test, probe);
	engine_test_watch_start(test);
	plain.beats = 0;
	timer_setup(&plain.timer, plain_fn, TIMER_PINNED);
	expires = get_jiffies_64() + HZ / 5;
	plain.timer.expires = (unsigned long)expires;
	add_timer_on(&plain.timer, cpu);
	for (i = 0; i < n; i++) {
		probe_init(test, &probe[i], note_beats);
		twheel_add_on(&probe[i].timer, expires, cpu);
	}
	/* An assertion that fails would leave the plain timer running, so none comes before. */
	for (i = 0; i < n; i++)
		if (!wait_for_completion_timeout(&probe[i].ran, ENGINE_TEST_PATIENCE))
			break;
	timer_delete_sync(&plain.timer);
	KUNIT_ASSERT_EQ(test, i, n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe[i].timer), 0);
		KUNIT_EXPECT_EQ(test, probe[i].runs, 1U);
		KUNIT_EXPECT_GE(test, probe[i].tick, expires);
		first = min(first, probe[i].tick);
		first_beat = min(first_beat, probe[i].left);
		last_beat = max(last_beat, probe[i].left);
	}
	KUNIT_EXPECT_LE(test, first, engine_test_in_time(test, expires));
	/*
	 * A run expires at least TWHEEL_LOCK_HOLD timers, and few ticks pass between runs. With
	 * KASAN on a busy host, a run itself takes many ticks.
	 */
	KUNIT_EXPECT_LE(test, last_beat - first_beat,
			IS_ENABLED(CONFIG_PREEMPT_RT) || IS_ENABLED(CONFIG_KASAN) ?
			(unsigned int)ENGINE_TEST_LATE : n / TWHEEL_LOCK_HOLD * 4);
	engine_test_expect_counts(test, n, n, 0, 0);
}

static atomic_t order;

static void note_order(struct probe *probe)
{
	probe->ret = atomic_inc_return(&order);
}

static void ticks_come_in_order(struct kunit *test)
{
	static const unsigned int ticks[] = { 4, 1, 7, 3, 0, 6, 2, 5 };
	struct probe *probe[ARRAY_SIZE(ticks)];
	unsigned int i, cpu;
	bool in_time;
	u64 now;

	atomic_set(&order, 0);
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		probe[i] = probe_new(test, note_order);
	cpu = engine_test_hold();
	now = get_jiffies_64() + 3;
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		twheel_add_on(&probe[i]->timer, now + ticks[i], cpu);
	in_time = time_before64(get_jiffies_64(), now);
	engine_test_release();
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		probe_expect(test, probe[i], now + ticks[i]);
	/* Timers whose tick has gone by when they are armed share the next tick. */
	if (!in_time)
		kunit_skip(test, "the host is too busy");
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		KUNIT_EXPECT_EQ(test, probe[i]->ret, (int)ticks[i] + 1);
}

/* Relative deadlines and times */

/* Waits for the beginning of a tick. Each look at the clock also advances virtual time. */
static ktime_t next_edge(void)
{
	u64 tick = get_jiffies_64();
	ktime_t now;

	do {
		cpu_relax();
		now = ktime_get();
	} while (!time_after64(get_jiffies_64(), tick));
	return now;
}

/* At moments spread over a tick: the rest of the current tick does not count as a tick. */
static void add_after_waits_whole_ticks(struct kunit *test)
{
	enum { PHASES = 16, DELAYS = 4 };
	struct probe *probe[PHASES][DELAYS];
	u64 tick[PHASES];
	unsigned int i, d;
	ktime_t edge;

	for (i = 0; i < PHASES; i++)
		for (d = 0; d < DELAYS; d++)
			probe[i][d] = probe_new(test, NULL);
	edge = next_edge();
	for (i = 0; i < PHASES; i++) {
		while (ktime_get() < edge + i * TICK_NSEC / PHASES)
			cpu_relax();
		tick[i] = get_jiffies_64();
		for (d = 0; d < DELAYS; d++)
			twheel_add_after(&probe[i][d]->timer, d);
	}
	for (i = 0; i < PHASES; i++)
		for (d = 0; d < DELAYS; d++)
			probe_expect(test, probe[i][d], tick[i] + d + 1);
}

static void after_counts_whole_ticks(struct kunit *test)
{
	u64 before, after, deadline;

	before = get_jiffies_64();
	deadline = twheel_after(10);
	after = get_jiffies_64();
	KUNIT_EXPECT_GE(test, deadline, before + 11);
	KUNIT_EXPECT_LE(test, deadline, after + 11);
	KUNIT_EXPECT_EQ(test, twheel_after(U64_MAX), TWHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, twheel_after(TWHEEL_NEVER), TWHEEL_NEVER);
	KUNIT_EXPECT_LE(test, twheel_after(TWHEEL_NEVER - after - 2),
			TWHEEL_NEVER);
}

/* Nanoseconds; none is a whole number of ticks. */
static const s64 aheads[] = {
	0, 1, 5000, TICK_NSEC / 3, TICK_NSEC - 7, TICK_NSEC + 7,
	TICK_NSEC * 5 / 2, TICK_NSEC * 31 / 3, NSEC_PER_SEC / 4 + 77,
	NSEC_PER_SEC + 99,
};

/* The tick of a time is as far ahead as the time is, rounded up. */
static void tick_at_counts_ticks(struct kunit *test)
{
	const s64 moment = TICK_NSEC / 8;
	u64 before, after, tick;
	unsigned int i;
	ktime_t now;

	for (i = 0; i < ARRAY_SIZE(aheads); i++) {
		now = ktime_get();
		before = get_jiffies_64();
		tick = twheel_tick_at(now + aheads[i]);
		after = get_jiffies_64();
		KUNIT_EXPECT_LE_MSG(test, tick, after + 1 +
				    DIV_ROUND_UP_ULL(aheads[i], TICK_NSEC),
				    "%lld ns", aheads[i]);
		if (ktime_get() - now < moment && aheads[i] > moment)
			before += div_u64(aheads[i] - moment, TICK_NSEC) + 1;
		KUNIT_EXPECT_GE_MSG(test, tick, before, "%lld ns", aheads[i]);
	}
}

static void tick_at_of_the_past_is_now(struct kunit *test)
{
	ktime_t now = ktime_get();
	const ktime_t past[] = { 0, -1, KTIME_MIN, 1, now - NSEC_PER_SEC };
	u64 before, tick;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(past); i++) {
		before = get_jiffies_64();
		tick = twheel_tick_at(past[i]);
		KUNIT_EXPECT_GE(test, tick, before);
		KUNIT_EXPECT_LE(test, tick, get_jiffies_64());
	}
}

static void tick_at_of_the_end_is_far(struct kunit *test)
{
	u64 tick = twheel_tick_at(KTIME_MAX);

	KUNIT_EXPECT_GE(test, tick, KTIME_MAX / TICK_NSEC / 2);
	KUNIT_EXPECT_LT(test, tick, TWHEEL_NEVER);
}

/* Changing */

/* Back and forth: the slot that the timer is in does not tell its deadline. */
static void last_mod_counts(struct kunit *test)
{
	static const unsigned int ticks[] = { 2, 300, 200, 5, 70, 10, 4 };
	struct probe *probe = probe_new(test, NULL);
	unsigned int i;
	int ret = 0;
	u64 now;

	engine_test_hold();
	now = get_jiffies_64();
	twheel_add(&probe->timer, now + 1);
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		ret += twheel_mod(&probe->timer, now + ticks[i]);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, ret, (int)ARRAY_SIZE(ticks));
	probe_expect(test, probe, now + 4);
	engine_test_expect_counts(test, 8, 1, 0, 7);
}

/* Shutting down */

static void setup_ends_a_shutdown(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires;

	twheel_shutdown_sync(&probe->timer);
	twheel_setup(&probe->timer, probe_fn, 0);
	expires = get_jiffies_64() + 1;
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
}

/* Looking */

static void remaining_counts_down(struct kunit *test)
{
	struct probe *probe = probe_far(test);
	u64 before, after, expires, remaining;

	before = get_jiffies_64();
	expires = before + ENGINE_TEST_FAR;
	twheel_mod(&probe->timer, expires);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&probe->timer));
	engine_test_pass(test, before + 1);
	before = get_jiffies_64();
	remaining = twheel_remaining(&probe->timer);
	after = get_jiffies_64();
	KUNIT_EXPECT_LE(test, remaining, expires - before);
	KUNIT_EXPECT_GE(test, remaining, expires - after);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&probe->timer));
}

/* The timer is due, and its callback is held off: nothing remains. */
static void nothing_remains_of_a_due_timer(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 remaining, expires;
	bool pending;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are threads, which cannot be kept off");

	engine_test_hold();
	expires = get_jiffies_64() + 1;
	twheel_add(&probe->timer, expires);
	while (!time_after64(get_jiffies_64(), expires))
		udelay(5);
	remaining = twheel_remaining(&probe->timer);
	pending = twheel_pending(&probe->timer);
	engine_test_release();
	KUNIT_EXPECT_EQ(test, remaining, 0ULL);
	KUNIT_EXPECT_TRUE(test, pending);
	probe_expect(test, probe, expires);
}

/* Counts */

static void counts_tell_what_became_of_each(struct kunit *test)
{
	struct twheel_timer *timer = &probe_spent(test, NULL)->timer;
	u64 now = get_jiffies_64() + ENGINE_TEST_FAR;
	struct engine_test *et = test->priv;
	struct twheel_counts counts;

	engine_test_expect_counts(test, 1, 1, 0, 0);
	twheel_add(timer, now);
	engine_test_expect_counts(test, 2, 1, 0, 0);
	engine_test_counts(test, &counts);
	KUNIT_EXPECT_EQ(test, counts.pending, et->start.pending + 1);
	twheel_mod(timer, now);
	twheel_mod(timer, now + 9);
	engine_test_expect_counts(test, 4, 1, 0, 2);
	twheel_mod(timer, now + 3);
	engine_test_expect_counts(test, 5, 1, 0, 3);
	twheel_cancel(timer);
	engine_test_expect_counts(test, 5, 1, 1, 3);
	twheel_mod(timer, now);
	engine_test_expect_counts(test, 6, 1, 1, 3);
	twheel_shutdown_sync(timer);
	twheel_mod(timer, now);
	engine_test_expect_counts(test, 6, 1, 2, 3);
	engine_test_balance(test);
}

static LIST_HEAD(owned);

static void list_it(struct probe *probe)
{
	list_add_tail(&probe->timer.owner, &owned);
}

static void owner_has_a_list_node_of_idle_timers(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask), i, round;
	struct probe *probe[8];

	for (i = 0; i < ARRAY_SIZE(probe); i++)
		probe[i] = probe_new(test, list_it);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(probe); i++)
			KUNIT_EXPECT_EQ(test, twheel_add_on(&probe[i]->timer,
							    twheel_after(i + 1), cpu), 0);
		for (i = 0; i < ARRAY_SIZE(probe); i++)
			probe_wait(test, probe[i]);
		/* No call that is allowed on an idle timer disturbs the list. */
		for (i = 0; i < ARRAY_SIZE(probe); i++) {
			KUNIT_EXPECT_FALSE(test, twheel_pending(&probe[i]->timer));
			KUNIT_EXPECT_EQ(test, twheel_cancel(&probe[i]->timer), 0);
			KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe[i]->timer), 0);
			if (round == 2)
				twheel_shutdown_sync(&probe[i]->timer);
		}
		for (i = 0; i < ARRAY_SIZE(probe); i++) {
			KUNIT_ASSERT_PTR_EQ(test, owned.next,
					    &probe[i]->timer.owner);
			list_del(owned.next);
		}
		KUNIT_EXPECT_TRUE(test, list_empty(&owned));
	}
}

/* The tracepoints are not exported. */
#ifndef MODULE
#include "../engine/trace.h"

/* What an event of twheel_extend said last. */
struct seen {
	const struct twheel_timer	*timer;
	u64				expires;
};

static void see_extend(void *data, const struct twheel_timer *timer, u64 expires)
{
	*(struct seen *)data = (struct seen) { timer, expires };
}

static void trace_tells_of_a_push(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;
	struct seen seen = { };

	if (register_trace_twheel_extend(see_extend, &seen))
		kunit_skip(test, "no tracepoints");
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 0);
	KUNIT_EXPECT_PTR_EQ(test, seen.timer, NULL);
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires + 7), 1);
	unregister_trace_twheel_extend(see_extend, &seen);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_PTR_EQ(test, seen.timer, &probe->timer);
	KUNIT_EXPECT_EQ(test, seen.expires, expires + 7);
}

#endif

static struct kunit_case api_cases[] = {
	KUNIT_CASE(static_timer_needs_no_setup),
	KUNIT_CASE(onstack_timer_fires),
	KUNIT_CASE_PARAM(ticks_are_met, ahead_gen_params),
	KUNIT_CASE(near_one_after_a_distant_one),
	KUNIT_CASE(past_deadline_means_next_tick),
	KUNIT_CASE(never_never_comes),
	KUNIT_CASE(callback_is_in_softirq),
	KUNIT_CASE(thousands_on_one_tick),
	KUNIT_CASE(ticks_come_in_order),
	KUNIT_CASE(add_after_waits_whole_ticks),
	KUNIT_CASE(after_counts_whole_ticks),
	KUNIT_CASE(tick_at_counts_ticks),
	KUNIT_CASE(tick_at_of_the_past_is_now),
	KUNIT_CASE(tick_at_of_the_end_is_far),
	KUNIT_CASE(last_mod_counts),
	KUNIT_CASE(setup_ends_a_shutdown),
	KUNIT_CASE(remaining_counts_down),
	KUNIT_CASE(nothing_remains_of_a_due_timer),
	KUNIT_CASE(counts_tell_what_became_of_each),
	KUNIT_CASE(owner_has_a_list_node_of_idle_timers),
#ifndef MODULE
	KUNIT_CASE(trace_tells_of_a_push),
#endif
	{}
};

ENGINE_TEST_SUITE(api);
