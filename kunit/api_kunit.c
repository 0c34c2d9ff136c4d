// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the functions of twheel.h, one behaviour a case
 *
 * Where a case arms a timer and does something to it before it is due, bottom
 * halves are off meanwhile, so that a slow machine makes no difference.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "engine_test.h"

static void expect_counts(struct kunit *test, u64 armed, u64 fired,
			  u64 cancelled, u64 replaced)
{
	struct twheel_counts counts;

	engine_test_counts(test, &counts);
	KUNIT_EXPECT_EQ(test, counts.armed, armed);
	KUNIT_EXPECT_EQ(test, counts.fired, fired);
	KUNIT_EXPECT_EQ(test, counts.cancelled, cancelled);
	KUNIT_EXPECT_EQ(test, counts.replaced, replaced);
}

/* A timer that is pending for longer than any case lasts. */
static struct probe *far_probe(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, get_jiffies_64() +
					    ENGINE_TEST_FAR));
	return probe;
}

/* A timer whose callback has run once. */
static struct probe *spent_probe(struct kunit *test,
				 void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);
	u64 expires = get_jiffies_64() + 1;

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, expires));
	probe_expect(test, probe, expires);
	return probe;
}

/* Setting up */

static void expect_idle(struct kunit *test, struct twheel_timer *timer)
{
	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));
	KUNIT_EXPECT_EQ(test, twheel_remaining(timer), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_try_cancel_sync(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 0);
}

static void new_timer_is_idle(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	expect_idle(test, &probe->timer);
	expect_counts(test, 0, 0, 0, 0);
}

static DECLARE_COMPLETION(static_ran);

static void static_fn(struct twheel_timer *timer)
{
	complete(&static_ran);
}

static DEFINE_TWHEEL_TIMER(static_timer, static_fn);

static void static_timer_needs_no_setup(struct kunit *test)
{
	unsigned long left;

	expect_idle(test, &static_timer);
	KUNIT_EXPECT_EQ(test, twheel_add_after(&static_timer, 1), 0);
	KUNIT_EXPECT_TRUE(test, twheel_pending(&static_timer));
	left = wait_for_completion_timeout(&static_ran, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_NE(test, left, 0UL);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&static_timer), 0);
	expect_counts(test, 1, 1, 0, 0);
}

static void onstack_timer_fires(struct kunit *test)
{
	struct probe probe = { };
	unsigned long left;

	init_completion(&probe.ran);
	twheel_setup_onstack(&probe.timer, probe_fn, 0);
	expect_idle(test, &probe.timer);
	KUNIT_EXPECT_EQ(test, twheel_add_after(&probe.timer, 1), 0);
	left = wait_for_completion_timeout(&probe.ran, ENGINE_TEST_PATIENCE);
	KUNIT_EXPECT_NE(test, left, 0UL);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe.timer), 0);
	twheel_destroy_onstack(&probe.timer);
	KUNIT_EXPECT_EQ(test, probe.runs, 1U);
}

/* Firing */

static void add_fires_at_its_tick(struct kunit *test)
{
	struct probe *probe;
	u64 expires;
	unsigned int d;

	for (d = 0; d < 6; d++) {
		probe = probe_new(test, NULL);
		expires = get_jiffies_64() + d;
		KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, expires));
		probe_expect(test, probe, expires);
	}
	expect_counts(test, 6, 6, 0, 0);
}

/* The tick source sleeps, wakes, and goes on tick by tick; on each CPU. */
static void distant_ticks_are_met(struct kunit *test)
{
	static const unsigned int ticks[] = {
		59, 60, 61, 62, 63, 64, 65, 100, 127, 128, 129, 135,
	};
	struct probe *probe[ARRAY_SIZE(ticks)];
	unsigned int cpu, i;
	u64 now;

	for_each_online_cpu(cpu) {
		now = get_jiffies_64();
		for (i = 0; i < ARRAY_SIZE(ticks); i++) {
			probe[i] = probe_new(test, NULL);
			probe[i]->expires = now + ticks[i];
			twheel_add_on(&probe[i]->timer, now + ticks[i], cpu);
		}
		for (i = 0; i < ARRAY_SIZE(ticks); i++)
			probe_expect(test, probe[i], probe[i]->expires);
	}
}

/* The tick source sleeps until a distant tick when a near one is asked for. */
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

static void never_can_be_changed(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires;

	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, U64_MAX), 1);
	expires = get_jiffies_64() + 2;
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 1);
	probe_expect(test, probe, expires);
}

static void callback_is_in_softirq(struct kunit *test)
{
	struct probe *probe = spent_probe(test, NULL);

	KUNIT_EXPECT_TRUE(test, probe->context);
}

static void thousand_on_one_tick(struct kunit *test)
{
	struct probe *probe, *first = NULL;
	struct engine_test *et = test->priv;
	u64 expires = get_jiffies_64() + 3;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		probe = probe_new(test, NULL);
		if (!first)
			first = probe;
		twheel_add(&probe->timer, expires);
	}
	probe = first;
	list_for_each_entry_from(probe, &et->probes, node)
		probe_expect(test, probe, expires);
	expect_counts(test, 1000, 1000, 0, 0);
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
	unsigned int i, cpu = cpumask_first(cpu_online_mask);
	u64 now;

	atomic_set(&order, 0);
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		probe[i] = probe_new(test, note_order);
	local_bh_disable();
	now = get_jiffies_64() + 3;
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		twheel_add_on(&probe[i]->timer, now + ticks[i], cpu);
	local_bh_enable();
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		probe_expect(test, probe[i], now + ticks[i]);
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		KUNIT_EXPECT_EQ(test, probe[i]->ret, (int)ticks[i] + 1);
}

/* Relative deadlines, and times */

/* The beginning of a tick. Reading the clock lets virtual time go by, too. */
static ktime_t next_edge(void)
{
	u64 tick = get_jiffies_64();
	ktime_t now;

	do {
		cpu_relax();
		now = ktime_get();
	} while (get_jiffies_64() == tick);
	return now;
}

/*
 * The same, of a tick that is not late: those before it came in time. Whether
 * there is one at all is up to the machine.
 */
static ktime_t steady_edge(struct kunit *test)
{
	const s64 tolerance = TICK_NSEC / 16;
	ktime_t edge[4];
	unsigned int i, steady, tries;

	for (tries = 0; tries < 100; tries++) {
		steady = 0;
		for (i = 0; i < ARRAY_SIZE(edge); i++) {
			edge[i] = next_edge();
			if (i && abs(edge[i] - edge[i - 1] - TICK_NSEC) < tolerance)
				steady++;
		}
		if (steady == i - 1)
			return edge[i - 1];
	}
	kunit_skip(test, "ticks are too irregular on this machine");
	return 0;
}

static void wait_until(ktime_t when)
{
	while (ktime_get() < when)
		cpu_relax();
}

#define PHASES	16
#define DELAYS	4

/*
 * Timers are armed all over a tick. A delay of d ticks is over no earlier than
 * d ticks later, on the clock, too; that is trap 7. What is armed when the next
 * tick is about to come, or late, proves nothing.
 */
static void add_after_is_never_early(struct kunit *test)
{
	struct probe *probe[PHASES][DELAYS];
	unsigned int i, d, good = 0;
	ktime_t edge, armed[PHASES];
	u64 tick[PHASES];

	for (i = 0; i < PHASES; i++)
		for (d = 0; d < DELAYS; d++)
			probe[i][d] = probe_new(test, NULL);
	edge = steady_edge(test);
	for (i = 0; i < PHASES; i++) {
		wait_until(edge + i * TICK_NSEC / PHASES);
		armed[i] = ktime_get();
		tick[i] = get_jiffies_64();
		for (d = 0; d < DELAYS; d++)
			twheel_add_after(&probe[i][d]->timer, d);
	}
	for (i = 0; i < PHASES; i++) {
		for (d = 0; d < DELAYS; d++)
			probe_expect(test, probe[i][d], tick[i] + d + 1);
		if (armed[i] > edge + TICK_NSEC * 7 / 8)
			continue;
		for (d = 0; d < DELAYS; d++)
			KUNIT_EXPECT_GE_MSG(test, probe[i][d]->time - armed[i],
					    d * TICK_NSEC - TICK_NSEC / 4,
					    "%u ticks, %lld ns into one", d,
					    armed[i] - edge);
		good++;
	}
	if (good < PHASES / 2)
		kunit_skip(test, "the machine is too busy");
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

static void ahead_desc(const s64 *ahead, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lld ns ahead", *ahead);
}

KUNIT_ARRAY_PARAM(ahead, aheads, ahead_desc);

static void tick_at_hits_the_tick(struct kunit *test)
{
	s64 ahead = *(const s64 *)test->param_value;
	struct probe *probe = probe_new(test, NULL);
	u64 before, after, tick;
	ktime_t edge, when;

	edge = steady_edge(test);
	wait_until(edge + TICK_NSEC / 3);
	before = get_jiffies_64();
	when = ktime_get() + ahead;
	tick = twheel_tick_at(when);
	after = get_jiffies_64();
	twheel_add(&probe->timer, tick);

	KUNIT_EXPECT_GE(test, tick, before + (ahead > TICK_NSEC));
	KUNIT_EXPECT_LE(test, tick, after + DIV_ROUND_UP_ULL(ahead, TICK_NSEC) + 1);
	probe_expect(test, probe, tick);
	KUNIT_EXPECT_GE(test, probe->time, when - TICK_NSEC - TICK_NSEC / 4);
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

static void mod_arms_an_idle_timer(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 expires = get_jiffies_64() + 2;

	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
	expect_counts(test, 1, 1, 0, 0);
}

static void mod_to_later(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	int ret;
	u64 now;

	local_bh_disable();
	now = get_jiffies_64();
	twheel_add(&probe->timer, now + 2);
	ret = twheel_mod(&probe->timer, now + 5);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, ret, 1);
	probe_expect(test, probe, now + 5);
	engine_test_pass(test, now + 5);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

static void mod_to_the_same(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	int ret;
	u64 now;

	local_bh_disable();
	now = get_jiffies_64();
	twheel_add(&probe->timer, now + 3);
	ret = twheel_mod(&probe->timer, now + 3);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, ret, 1);
	probe_expect(test, probe, now + 3);
	expect_counts(test, 2, 1, 0, 1);
}

static void mod_to_earlier(struct kunit *test)
{
	struct probe *probe = far_probe(test);
	u64 expires = get_jiffies_64() + 2;

	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 1);
	KUNIT_EXPECT_LE(test, twheel_remaining(&probe->timer), 2ULL);
	probe_expect(test, probe, expires);
	expect_counts(test, 2, 1, 0, 1);
}

/* Back and forth; where the timer lies is not what it is due for. */
static void last_mod_counts(struct kunit *test)
{
	static const unsigned int ticks[] = { 2, 300, 200, 5, 70, 10, 4 };
	struct probe *probe = probe_new(test, NULL);
	unsigned int i;
	int ret = 0;
	u64 now;

	local_bh_disable();
	now = get_jiffies_64();
	twheel_add(&probe->timer, now + 1);
	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		ret += twheel_mod(&probe->timer, now + ticks[i]);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, ret, (int)ARRAY_SIZE(ticks));
	probe_expect(test, probe, now + 4);
	expect_counts(test, 8, 1, 0, 7);
}

/* Pushed back whenever it is about to run, it does not run. */
static void heartbeat_keeps_it_away(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	struct probe *beat;
	u64 now, expires;
	unsigned int i;

	now = get_jiffies_64();
	expires = now + HZ;
	twheel_add(&probe->timer, expires);
	for (i = 0; i < 5; i++) {
		beat = probe_new(test, NULL);
		now = get_jiffies_64();
		twheel_add(&beat->timer, now + 2);
		probe_expect(test, beat, now + 2);
		expires = get_jiffies_64() + HZ;
		KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, expires), 1);
	}
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
	KUNIT_EXPECT_LE(test, twheel_remaining(&probe->timer), (u64)HZ);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
	expect_counts(test, 11, 5, 1, 5);
}

/* Cancelling */

static void cancel_pending(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	int ret;
	u64 now;

	local_bh_disable();
	now = get_jiffies_64();
	twheel_add(&probe->timer, now + 2);
	ret = twheel_cancel(&probe->timer);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, ret, 1);
	expect_idle(test, &probe->timer);
	expect_counts(test, 1, 0, 1, 0);
	engine_test_pass(test, now + 2);
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
}

static void cancel_sync_pending(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(&probe->timer), 1);
	expect_idle(test, &probe->timer);
	expect_counts(test, 1, 0, 1, 0);
}

static void try_cancel_sync_pending(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	KUNIT_EXPECT_EQ(test, twheel_try_cancel_sync(&probe->timer), 1);
	expect_idle(test, &probe->timer);
	expect_counts(test, 1, 0, 1, 0);
}

static void cancel_after_the_callback(struct kunit *test)
{
	struct probe *probe = spent_probe(test, NULL);

	expect_idle(test, &probe->timer);
	expect_counts(test, 1, 1, 0, 0);
}

static void cancelled_can_be_armed_again(struct kunit *test)
{
	struct probe *probe = far_probe(test);
	u64 expires;

	twheel_cancel(&probe->timer);
	expires = get_jiffies_64() + 2;
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), 0);
	probe_expect(test, probe, expires);
	expect_counts(test, 2, 1, 1, 0);
}

/* An extended timer lies where its old deadline was. */
static void cancel_extended(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 now = get_jiffies_64();

	twheel_add(&probe->timer, now + HZ);
	KUNIT_EXPECT_EQ(test, twheel_mod(&probe->timer, now + 2 * HZ), 1);
	KUNIT_EXPECT_EQ(test, twheel_cancel(&probe->timer), 1);
	expect_idle(test, &probe->timer);
	expect_counts(test, 2, 0, 1, 1);
}

/* Shutting down */

static void expect_dead(struct kunit *test, struct twheel_timer *timer)
{
	u64 expires = get_jiffies_64() + 1;
	int cpu = raw_smp_processor_id();

	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, expires, cpu), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_add_after(timer, 1), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, U64_MAX), -ESHUTDOWN);
	expect_idle(test, timer);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), -ESHUTDOWN);
}

static void shutdown_pending(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 1);
	expect_dead(test, &probe->timer);
	expect_counts(test, 1, 0, 1, 0);
}

static void shutdown_idle(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 0);
	expect_dead(test, &probe->timer);
	engine_test_pass(test, get_jiffies_64() + 1);
	KUNIT_EXPECT_EQ(test, probe->runs, 0U);
}

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
	struct probe *probe = far_probe(test);
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

/* Due, and kept from running by whoever asks: nothing remains. */
static void nothing_remains_of_a_due_timer(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	u64 remaining, expires;
	bool pending;

	local_bh_disable();
	expires = get_jiffies_64() + 1;
	twheel_add(&probe->timer, expires);
	while (get_jiffies_64() <= expires)
		ktime_get();
	remaining = twheel_remaining(&probe->timer);
	pending = twheel_pending(&probe->timer);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, remaining, 0ULL);
	KUNIT_EXPECT_TRUE(test, pending);
	probe_expect(test, probe, expires);
}

static void not_pending_in_its_callback(struct kunit *test)
{
	struct probe *probe = spent_probe(test, NULL);

	KUNIT_EXPECT_FALSE(test, probe->pending);
	KUNIT_EXPECT_FALSE(test, twheel_pending(&probe->timer));
}

/* From the timer's own callback */

static void cancel_sync_self(struct probe *probe)
{
	probe->ret = twheel_cancel_sync(&probe->timer);
}

static void own_cancel_sync_is_refused(struct kunit *test)
{
	struct probe *probe = spent_probe(test, cancel_sync_self);

	KUNIT_EXPECT_EQ(test, probe->ret, -EDEADLK);
}

static void arm_and_cancel_sync_self(struct probe *probe)
{
	if (probe->runs > 1)
		return;
	twheel_add(&probe->timer, probe->expires);
	probe->ret = twheel_cancel_sync(&probe->timer);
}

static void refused_cancel_sync_does_nothing(struct kunit *test)
{
	struct probe *probe = probe_new(test, arm_and_cancel_sync_self);

	probe->expires = get_jiffies_64() + 4;
	twheel_add(&probe->timer, get_jiffies_64());
	probe_wait(test, probe);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->ret, -EDEADLK);
	KUNIT_EXPECT_EQ(test, probe->runs, 2U);
	KUNIT_EXPECT_GE(test, probe->tick, probe->expires);
}

static void try_cancel_sync_self(struct probe *probe)
{
	probe->ret = twheel_try_cancel_sync(&probe->timer);
}

static void own_try_cancel_sync_is_refused(struct kunit *test)
{
	struct probe *probe = spent_probe(test, try_cancel_sync_self);

	KUNIT_EXPECT_EQ(test, probe->ret, -EAGAIN);
}

static void shutdown_self(struct probe *probe)
{
	probe->ret = twheel_shutdown_sync(&probe->timer);
}

static void own_shutdown_is_refused(struct kunit *test)
{
	struct probe *probe = spent_probe(test, shutdown_self);
	u64 expires = get_jiffies_64() + 1;

	KUNIT_EXPECT_EQ(test, probe->ret, -EDEADLK);
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, expires), 0);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->ret, -EDEADLK);
	KUNIT_EXPECT_EQ(test, probe->runs, 2U);
}

static void cancel_self(struct probe *probe)
{
	probe->ret = twheel_cancel(&probe->timer);
	twheel_add(&probe->timer, probe->tick);
	probe->ret += 10 * twheel_cancel(&probe->timer);
}

static void own_cancel_undoes_own_arming(struct kunit *test)
{
	struct probe *probe = spent_probe(test, cancel_self);

	KUNIT_EXPECT_EQ(test, probe->ret, 10);
	engine_test_pass(test, probe->tick + 1);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

/* The n-th run is no earlier than the n-th period. */
static void rearm_periodic(struct probe *probe)
{
	if (probe->tick < probe->expires)
		probe->ret++;
	if (!--probe->left)
		return;
	probe->expires += 3;
	twheel_add(&probe->timer, probe->expires);
}

static void periodic_without_drift(struct kunit *test)
{
	struct probe *probe = probe_new(test, rearm_periodic);
	u64 expires = get_jiffies_64() + 1;

	probe->left = 6;
	probe->expires = expires;
	twheel_add(&probe->timer, expires);
	while (probe->runs < 6)
		probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
	KUNIT_EXPECT_EQ(test, probe->expires, expires + 5 * 3);
	expect_counts(test, 6, 6, 0, 0);
}

/*
 * Armed for now, or for long ago, it runs on the next tick and not on this one
 * again; that is trap 16. Ticks that came late are made up for, so that several
 * runs may see the same one: it is the number of ticks that counts.
 */
static void rearm_zero(struct probe *probe)
{
	if (probe->tick < probe->expires + probe->runs - 1)
		probe->ret++;
	if (--probe->left)
		twheel_add(&probe->timer, probe->left & 1 ? 0 : probe->tick);
}

static void zero_rearm_is_once_a_tick(struct kunit *test)
{
	struct probe *probe = probe_new(test, rearm_zero);
	unsigned int i;

	probe->left = 8;
	probe->expires = get_jiffies_64() + 1;
	twheel_add(&probe->timer, probe->expires);
	for (i = 0; i < 8; i++)
		probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, probe->runs, 8U);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
}

/* A callback that frees its timer, and perhaps leaves an heir in its place. */
struct mortal {
	struct twheel_timer	timer;
	unsigned int		heirs;
	struct completion	*last;
};

static void mortal_fn(struct twheel_timer *timer)
{
	struct mortal *m = container_of(timer, struct mortal, timer), *heir;
	struct completion *last = m->last;
	unsigned int heirs = m->heirs;

	memset(m, 0x5a, sizeof(*m));
	kfree(m);
	heir = heirs ? kmalloc(sizeof(*heir), GFP_ATOMIC) : NULL;
	if (!heir) {
		complete(last);
		return;
	}
	heir->heirs = heirs - 1;
	heir->last = last;
	twheel_setup(&heir->timer, mortal_fn, 0);
	twheel_add(&heir->timer, get_jiffies_64());
}

static void callback_frees_its_timer(struct kunit *test)
{
	struct completion last;
	struct mortal *m;
	unsigned int i;

	init_completion(&last);
	for (i = 0; i < 20; i++) {
		m = kmalloc(sizeof(*m), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, m);
		m->heirs = 4;
		m->last = &last;
		twheel_setup(&m->timer, mortal_fn, 0);
		twheel_add_after(&m->timer, 1);
	}
	for (i = 0; i < 20; i++)
		wait_for_completion(&last);
	expect_counts(test, 100, 100, 0, 0);
}

/* From another timer's callback */

static void arm_other(struct probe *probe)
{
	probe->ret = twheel_add(&probe->other->timer, probe->expires);
}

static void callback_arms_another(struct kunit *test)
{
	struct probe *probe = probe_new(test, arm_other);
	u64 expires = get_jiffies_64();

	probe->other = probe_new(test, NULL);
	probe->expires = expires + 3;
	twheel_add(&probe->timer, expires + 1);
	probe_expect(test, probe, expires + 1);
	KUNIT_EXPECT_EQ(test, probe->ret, 0);
	probe_expect(test, probe->other, expires + 3);
}

static void cancel_other(struct probe *probe)
{
	probe->ret = twheel_cancel(&probe->other->timer);
}

static void cancel_sync_other(struct probe *probe)
{
	probe->ret = twheel_cancel_sync(&probe->other->timer);
}

/* Two timers of one tick: the one that runs keeps the other from running. */
static void expect_one_of_two(struct kunit *test,
			      void (*act)(struct probe *probe))
{
	struct probe *a = probe_new(test, act), *b = probe_new(test, act);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	u64 expires;

	a->other = b;
	b->other = a;
	local_bh_disable();
	expires = get_jiffies_64() + 5;
	twheel_add_on(&a->timer, expires, cpu);
	twheel_add_on(&b->timer, expires, cpu);
	local_bh_enable();
	engine_test_pass(test, expires);
	KUNIT_EXPECT_EQ(test, a->runs + b->runs, 1U);
	KUNIT_EXPECT_EQ(test, a->ret + b->ret, 1);
}

static void callback_cancels_another_of_its_tick(struct kunit *test)
{
	expect_one_of_two(test, cancel_other);
}

static void callback_sync_cancels_another_of_its_tick(struct kunit *test)
{
	expect_one_of_two(test, cancel_sync_other);
}

static void push_other(struct probe *probe)
{
	probe->ret = twheel_mod(&probe->other->timer, probe->expires);
}

/* Extended while its own tick is being worked on. */
static void callback_pushes_another_of_its_tick_back(struct kunit *test)
{
	struct probe *a = probe_new(test, push_other);
	struct probe *b = probe_new(test, NULL);
	u64 expires;

	a->other = b;
	local_bh_disable();
	expires = get_jiffies_64() + 2;
	a->expires = expires + 3;
	/* one slot is worked on in the order of arming */
	twheel_add(&a->timer, expires);
	twheel_add(&b->timer, expires);
	local_bh_enable();
	probe_expect(test, a, expires);
	probe_expect(test, b, a->ret == 1 ? expires + 3 : expires);
}

/* From everywhere */

/**
 * struct context_call - something done to a timer in some context
 * @probe: The timer.
 * @op: What to do.
 * @ret: What @op returned.
 * @right: The context was the right one.
 * @done: Completed when @op has returned.
 * @irq_work: For hardirq context.
 * @tasklet: For softirq context.
 * @work: For process context.
 * @timer: For the context of a callback.
 */
struct context_call {
	struct probe		*probe;
	int			(*op)(struct probe *probe);
	int			ret;
	bool			right;
	struct completion	done;
	struct irq_work		irq_work;
	struct tasklet_struct	tasklet;
	struct work_struct	work;
	struct twheel_timer	timer;
};

static void context_op(struct context_call *call, bool right)
{
	call->right = right;
	call->ret = call->op(call->probe);
	complete(&call->done);
}

static void hardirq_fn(struct irq_work *work)
{
	context_op(container_of(work, struct context_call, irq_work),
		   in_hardirq());
}

static void softirq_fn(struct tasklet_struct *tasklet)
{
	context_op(container_of(tasklet, struct context_call, tasklet),
		   in_serving_softirq());
}

static void process_fn(struct work_struct *work)
{
	context_op(container_of(work, struct context_call, work), in_task());
}

static void callback_fn(struct twheel_timer *timer)
{
	context_op(container_of(timer, struct context_call, timer),
		   in_serving_softirq());
}

static void from_hardirq(struct context_call *call)
{
	irq_work_queue(&call->irq_work);
	wait_for_completion(&call->done);
	irq_work_sync(&call->irq_work);
}

static void from_softirq(struct context_call *call)
{
	tasklet_schedule(&call->tasklet);
	wait_for_completion(&call->done);
	tasklet_kill(&call->tasklet);
}

static void from_process(struct context_call *call)
{
	schedule_work(&call->work);
	wait_for_completion(&call->done);
	flush_work(&call->work);
}

static void from_callback(struct context_call *call)
{
	twheel_add_after(&call->timer, 0);
	wait_for_completion(&call->done);
	twheel_cancel_sync(&call->timer);
}

static const struct context {
	const char	*name;
	void		(*call)(struct context_call *call);
} contexts[] = {
	{ "process", from_process },
	{ "softirq", from_softirq },
	{ "hardirq", from_hardirq },
	{ "callback", from_callback },
};

static void context_desc(const struct context *context, char *desc)
{
	strscpy(desc, context->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(context, contexts, context_desc);

static int call_from_context(struct kunit *test, struct probe *probe,
			     int (*op)(struct probe *probe))
{
	const struct context *context = test->param_value;
	struct context_call *call;

	call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, call);
	call->probe = probe;
	call->op = op;
	init_completion(&call->done);
	call->irq_work = IRQ_WORK_INIT_HARD(hardirq_fn);
	tasklet_setup(&call->tasklet, softirq_fn);
	INIT_WORK(&call->work, process_fn);
	twheel_setup(&call->timer, callback_fn, 0);
	context->call(call);
	KUNIT_EXPECT_TRUE(test, call->right);
	return call->ret;
}

static int op_add(struct probe *probe)
{
	return twheel_add(&probe->timer, probe->expires);
}

static int op_mod(struct probe *probe)
{
	return twheel_mod(&probe->timer, probe->expires);
}

static int op_cancel(struct probe *probe)
{
	return twheel_cancel(&probe->timer);
}

static int op_try_cancel_sync(struct probe *probe)
{
	return twheel_try_cancel_sync(&probe->timer);
}

static void add_from(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	probe->expires = get_jiffies_64() + 4;
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_add), 0);
	probe_expect(test, probe, probe->expires);
}

static void mod_to_later_from(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	probe->expires = get_jiffies_64() + 2 * ENGINE_TEST_FAR;
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_mod), 1);
	KUNIT_EXPECT_GT(test, twheel_remaining(&probe->timer), ENGINE_TEST_FAR);
}

static void mod_to_earlier_from(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	probe->expires = get_jiffies_64() + 4;
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_mod), 1);
	probe_expect(test, probe, probe->expires);
}

static void cancel_from(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_cancel), 1);
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_cancel), 0);
}

static void try_cancel_sync_from(struct kunit *test)
{
	struct probe *probe = far_probe(test);

	KUNIT_EXPECT_EQ(test, 1,
			call_from_context(test, probe, op_try_cancel_sync));
	KUNIT_EXPECT_EQ(test, 0,
			call_from_context(test, probe, op_try_cancel_sync));
}

/* CPUs */

static void add_on_runs_there(struct kunit *test)
{
	struct probe *probe;
	unsigned int cpu;
	u64 expires;

	for_each_online_cpu(cpu) {
		probe = probe_new(test, NULL);
		expires = get_jiffies_64() + 2;
		KUNIT_EXPECT_EQ(test, 0,
				twheel_add_on(&probe->timer, expires, cpu));
		probe_expect(test, probe, expires);
		KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
	}
}

/* A timer moves to where it is wanted each time it is armed. */
static void one_timer_on_every_cpu(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);
	unsigned int round, cpu;

	for (round = 0; round < 2; round++) {
		for_each_online_cpu(cpu) {
			twheel_add_on(&probe->timer, 0, cpu);
			probe_wait(test, probe);
			twheel_cancel_sync(&probe->timer);
			KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
		}
	}
}

static long add_here(void *arg)
{
	struct probe *probe = arg;

	return twheel_add(&probe->timer, probe->expires);
}

static void add_runs_where_it_was_called(struct kunit *test)
{
	struct probe *probe;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		probe = probe_new(test, NULL);
		probe->expires = get_jiffies_64() + 3;
		KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, add_here, probe), 0L);
		probe_expect(test, probe, probe->expires);
		KUNIT_EXPECT_EQ(test, probe->cpu, (int)cpu);
	}
}

static long mod_here(void *arg)
{
	struct probe *probe = arg;

	return twheel_mod(&probe->timer, probe->expires);
}

static long cancel_here(void *arg)
{
	struct probe *probe = arg;

	return twheel_cancel(&probe->timer);
}

/* A pending timer that is changed stays where it is. */
static void mod_leaves_it_on_its_cpu(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int there = cpumask_last(cpu_online_mask);
	struct probe *probe = probe_new(test, NULL);

	engine_test_needs_cpus(test, 2);
	probe->expires = get_jiffies_64() + ENGINE_TEST_FAR;
	twheel_add_on(&probe->timer, probe->expires, there);
	probe->expires++;
	KUNIT_EXPECT_EQ(test, work_on_cpu(here, mod_here, probe), 1L);
	probe->expires = get_jiffies_64() + 3;
	KUNIT_EXPECT_EQ(test, work_on_cpu(here, mod_here, probe), 1L);
	probe_expect(test, probe, probe->expires);
	KUNIT_EXPECT_EQ(test, probe->cpu, (int)there);
}

static void cancel_from_another_cpu(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int there = cpumask_last(cpu_online_mask);
	struct probe *probe = probe_new(test, NULL);
	u64 now = get_jiffies_64();

	engine_test_needs_cpus(test, 2);
	twheel_add_on(&probe->timer, now + ENGINE_TEST_FAR, there);
	KUNIT_EXPECT_EQ(test, work_on_cpu(here, cancel_here, probe), 1L);
	KUNIT_EXPECT_EQ(test, work_on_cpu(there, cancel_here, probe), 0L);
	expect_idle(test, &probe->timer);
}

/* A callback that says it has begun, and ends when it is told to. */
static void wait_for_leave(struct probe *probe)
{
	ktime_t end = ktime_get() + 5 * (u64)NSEC_PER_SEC;

	complete(&probe->ran);
	while (!smp_load_acquire(&probe->left) && ktime_get() < end)
		cpu_relax();
	WRITE_ONCE(probe->ret, 1);
}

struct overlap {
	struct probe	*probe;
	int		cancel;
	int		try_cancel_sync;
	int		mod;
	int		cancel_sync;
	bool		over;
};

/* Runs while the callback does, on another CPU. */
static long overlap_here(void *arg)
{
	struct overlap *overlap = arg;
	struct probe *probe = overlap->probe;
	struct twheel_timer *timer = &probe->timer;

	overlap->cancel = twheel_cancel(timer);
	overlap->try_cancel_sync = twheel_try_cancel_sync(timer);
	overlap->mod = twheel_mod(timer, get_jiffies_64() + ENGINE_TEST_FAR);
	smp_store_release(&probe->left, 1);
	overlap->cancel_sync = twheel_cancel_sync(timer);
	overlap->over = READ_ONCE(probe->ret);
	return 0;
}

static void cancel_while_the_callback_runs(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int there = cpumask_last(cpu_online_mask);
	struct probe *probe = probe_new(test, wait_for_leave);
	struct overlap overlap = { .probe = probe };

	engine_test_needs_cpus(test, 2);
	twheel_add_on(&probe->timer, 0, there);
	probe_wait(test, probe);
	work_on_cpu(here, overlap_here, &overlap);
	KUNIT_EXPECT_EQ(test, overlap.cancel, 0);
	KUNIT_EXPECT_EQ(test, overlap.try_cancel_sync, -EAGAIN);
	KUNIT_EXPECT_EQ(test, overlap.mod, 0);
	KUNIT_EXPECT_EQ(test, overlap.cancel_sync, 1);
	KUNIT_EXPECT_TRUE(test, overlap.over);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

/* The callback takes its time, so that there is something to wait for. */
static void take_a_while(struct probe *probe)
{
	ktime_t end = ktime_get() + 2 * NSEC_PER_MSEC;

	complete(&probe->ran);
	while (ktime_get() < end)
		cpu_relax();
	twheel_add(&probe->timer, probe->tick);
	WRITE_ONCE(probe->ret, probe->runs);
}

static long shutdown_here(void *arg)
{
	struct probe *probe = arg;
	int ret = twheel_shutdown_sync(&probe->timer);

	probe->other = READ_ONCE(probe->ret) == READ_ONCE(probe->runs) ?
		       probe : NULL;
	return ret;
}

static void shutdown_waits_for_the_callback(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int there = cpumask_last(cpu_online_mask);
	unsigned int round, runs;
	struct probe *probe;

	engine_test_needs_cpus(test, 2);
	for (round = 0; round < 5; round++) {
		probe = probe_new(test, take_a_while);
		twheel_add_on(&probe->timer, 0, there);
		probe_wait(test, probe);
		KUNIT_EXPECT_EQ(test, work_on_cpu(here, shutdown_here, probe), 1L);
		KUNIT_EXPECT_PTR_EQ(test, probe->other, probe);
		runs = probe->runs;
		expect_dead(test, &probe->timer);
		engine_test_pass(test, get_jiffies_64() + 1);
		KUNIT_EXPECT_EQ(test, probe->runs, runs);
	}
}

/* Counts */

static void counts_tell_what_became_of_each(struct kunit *test)
{
	struct twheel_timer *timer = &spent_probe(test, NULL)->timer;
	u64 now = get_jiffies_64() + ENGINE_TEST_FAR;
	struct engine_test *et = test->priv;
	struct twheel_counts counts;

	expect_counts(test, 1, 1, 0, 0);
	twheel_add(timer, now);
	expect_counts(test, 2, 1, 0, 0);
	engine_test_counts(test, &counts);
	KUNIT_EXPECT_EQ(test, counts.pending, et->start.pending + 1);
	twheel_mod(timer, now + 9);
	expect_counts(test, 3, 1, 0, 1);
	twheel_mod(timer, now + 3);
	expect_counts(test, 4, 1, 0, 2);
	twheel_cancel(timer);
	expect_counts(test, 4, 1, 1, 2);
	twheel_mod(timer, now);
	expect_counts(test, 5, 1, 1, 2);
	twheel_shutdown_sync(timer);
	twheel_mod(timer, now);
	expect_counts(test, 5, 1, 2, 2);
	engine_test_balance(test);
}

static struct kunit_case api_cases[] = {
	KUNIT_CASE(new_timer_is_idle),
	KUNIT_CASE(static_timer_needs_no_setup),
	KUNIT_CASE(onstack_timer_fires),
	KUNIT_CASE(add_fires_at_its_tick),
	KUNIT_CASE(distant_ticks_are_met),
	KUNIT_CASE(near_one_after_a_distant_one),
	KUNIT_CASE(past_deadline_means_next_tick),
	KUNIT_CASE(never_never_comes),
	KUNIT_CASE(never_can_be_changed),
	KUNIT_CASE(callback_is_in_softirq),
	KUNIT_CASE(thousand_on_one_tick),
	KUNIT_CASE(ticks_come_in_order),
	KUNIT_CASE(add_after_is_never_early),
	KUNIT_CASE(after_counts_whole_ticks),
	KUNIT_CASE_PARAM(tick_at_hits_the_tick, ahead_gen_params),
	KUNIT_CASE(tick_at_of_the_past_is_now),
	KUNIT_CASE(tick_at_of_the_end_is_far),
	KUNIT_CASE(mod_arms_an_idle_timer),
	KUNIT_CASE(mod_to_later),
	KUNIT_CASE(mod_to_the_same),
	KUNIT_CASE(mod_to_earlier),
	KUNIT_CASE(last_mod_counts),
	KUNIT_CASE(heartbeat_keeps_it_away),
	KUNIT_CASE(cancel_pending),
	KUNIT_CASE(cancel_sync_pending),
	KUNIT_CASE(try_cancel_sync_pending),
	KUNIT_CASE(cancel_after_the_callback),
	KUNIT_CASE(cancelled_can_be_armed_again),
	KUNIT_CASE(cancel_extended),
	KUNIT_CASE(shutdown_pending),
	KUNIT_CASE(shutdown_idle),
	KUNIT_CASE(setup_ends_a_shutdown),
	KUNIT_CASE(remaining_counts_down),
	KUNIT_CASE(nothing_remains_of_a_due_timer),
	KUNIT_CASE(not_pending_in_its_callback),
	KUNIT_CASE(own_cancel_sync_is_refused),
	KUNIT_CASE(refused_cancel_sync_does_nothing),
	KUNIT_CASE(own_try_cancel_sync_is_refused),
	KUNIT_CASE(own_shutdown_is_refused),
	KUNIT_CASE(own_cancel_undoes_own_arming),
	KUNIT_CASE(periodic_without_drift),
	KUNIT_CASE(zero_rearm_is_once_a_tick),
	KUNIT_CASE(callback_frees_its_timer),
	KUNIT_CASE(callback_arms_another),
	KUNIT_CASE(callback_cancels_another_of_its_tick),
	KUNIT_CASE(callback_sync_cancels_another_of_its_tick),
	KUNIT_CASE(callback_pushes_another_of_its_tick_back),
	KUNIT_CASE_PARAM(add_from, context_gen_params),
	KUNIT_CASE_PARAM(mod_to_later_from, context_gen_params),
	KUNIT_CASE_PARAM(mod_to_earlier_from, context_gen_params),
	KUNIT_CASE_PARAM(cancel_from, context_gen_params),
	KUNIT_CASE_PARAM(try_cancel_sync_from, context_gen_params),
	KUNIT_CASE(add_on_runs_there),
	KUNIT_CASE(one_timer_on_every_cpu),
	KUNIT_CASE(add_runs_where_it_was_called),
	KUNIT_CASE(mod_leaves_it_on_its_cpu),
	KUNIT_CASE(cancel_from_another_cpu),
	KUNIT_CASE(cancel_while_the_callback_runs),
	KUNIT_CASE(shutdown_waits_for_the_callback),
	KUNIT_CASE(counts_tell_what_became_of_each),
	{}
};

ENGINE_TEST_SUITE(api);
