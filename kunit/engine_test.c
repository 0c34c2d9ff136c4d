// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what the suites of the engine share
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include "engine_test.h"

int engine_test_init(struct kunit *test)
{
	struct engine_test *et = kunit_kzalloc(test, sizeof(*et), GFP_KERNEL);

	if (!et)
		return -ENOMEM;
	INIT_LIST_HEAD(&et->probes);
	twheel_counts_read(&et->start);
	test->priv = et;
	return 0;
}

/* Whatever became of the case, its timers must not outlive it. */
void engine_test_exit(struct kunit *test)
{
	struct engine_test *et = test->priv;
	struct probe *probe;

	if (!et)
		return;
	list_for_each_entry(probe, &et->probes, node)
		twheel_shutdown_sync(&probe->timer);
	engine_test_balance(test);
}

/* What has been counted since the case began; all that is pending. */
void engine_test_counts(struct kunit *test, struct twheel_counts *counts)
{
	struct engine_test *et = test->priv;

	twheel_counts_read(counts);
	counts->armed -= et->start.armed;
	counts->fired -= et->start.fired;
	counts->cancelled -= et->start.cancelled;
	counts->replaced -= et->start.replaced;
}

void engine_test_expect_counts(struct kunit *test, u64 armed, u64 fired,
			       u64 cancelled, u64 replaced)
{
	struct twheel_counts counts;

	engine_test_counts(test, &counts);
	KUNIT_EXPECT_EQ(test, counts.armed, armed);
	KUNIT_EXPECT_EQ(test, counts.fired, fired);
	KUNIT_EXPECT_EQ(test, counts.cancelled, cancelled);
	KUNIT_EXPECT_EQ(test, counts.replaced, replaced);
}

/* Each arming has ended in exactly one way, and none is left. */
void engine_test_balance(struct kunit *test)
{
	struct engine_test *et = test->priv;
	struct twheel_counts counts;

	twheel_counts_read(&counts);
	KUNIT_EXPECT_EQ(test, counts.pending, et->start.pending);
	KUNIT_EXPECT_EQ(test, counts.armed,
			counts.fired + counts.cancelled + counts.replaced +
			counts.pending);
}

void probe_fn(struct twheel_timer *timer)
{
	struct probe *probe = container_of(timer, struct probe, timer);

	probe->tick = get_jiffies_64();
	probe->time = ktime_get();
	probe->cpu = raw_smp_processor_id();
	probe->context = in_serving_softirq() && !irqs_disabled();
	probe->pending = twheel_pending(timer);
	probe->runs++;
	if (probe->act)
		probe->act(probe);
	complete(&probe->ran);
}

void probe_setup(struct probe *probe, void (*act)(struct probe *probe))
{
	memset(probe, 0, sizeof(*probe));
	init_completion(&probe->ran);
	probe->act = act;
	twheel_setup(&probe->timer, probe_fn, 0);
}

struct probe *probe_new(struct kunit *test, void (*act)(struct probe *probe))
{
	struct probe *probe = kunit_kmalloc(test, sizeof(*probe), GFP_KERNEL);
	struct engine_test *et = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, probe);
	probe_setup(probe, act);
	list_add_tail(&probe->node, &et->probes);
	return probe;
}

void probe_wait(struct kunit *test, struct probe *probe)
{
	KUNIT_ASSERT_NE_MSG(test, 0UL,
			    wait_for_completion_timeout(&probe->ran,
							ENGINE_TEST_PATIENCE),
			    "no callback at tick %llu", get_jiffies_64());
}

/* Waits for a probe's one callback: in its tick, or not much later. */
void probe_expect(struct kunit *test, struct probe *probe, u64 expires)
{
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
	KUNIT_EXPECT_GE(test, probe->tick, expires);
	KUNIT_EXPECT_LE(test, probe->tick, expires + ENGINE_TEST_LATE);
}

/* A timer that is pending for longer than any case lasts. */
struct probe *probe_far(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, get_jiffies_64() +
					    ENGINE_TEST_FAR));
	return probe;
}

/* A timer whose callback has run once. */
struct probe *probe_spent(struct kunit *test,
			  void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);
	u64 expires = get_jiffies_64() + 1;

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, expires));
	probe_expect(test, probe, expires);
	return probe;
}

void engine_test_expect_idle(struct kunit *test, struct twheel_timer *timer)
{
	KUNIT_EXPECT_FALSE(test, twheel_pending(timer));
	KUNIT_EXPECT_EQ(test, twheel_remaining(timer), 0ULL);
	KUNIT_EXPECT_EQ(test, twheel_cancel(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_try_cancel_sync(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_cancel_sync(timer), 0);
}

void engine_test_expect_dead(struct kunit *test, struct twheel_timer *timer)
{
	u64 expires = get_jiffies_64() + 1;
	int cpu = raw_smp_processor_id();

	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_add_on(timer, expires, cpu), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_add_after(timer, 1), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, expires), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, twheel_mod(timer, U64_MAX), -ESHUTDOWN);
	engine_test_expect_idle(test, timer);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(timer), 0);
	KUNIT_EXPECT_EQ(test, twheel_add(timer, expires), -ESHUTDOWN);
}

/* Lets all that is due up to a tick happen, on every CPU. */
void engine_test_pass(struct kunit *test, u64 tick)
{
	struct probe *probe;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		probe = probe_new(test, NULL);
		KUNIT_ASSERT_EQ(test, 0,
				twheel_add_on(&probe->timer, tick + 1, cpu));
		probe_expect(test, probe, tick + 1);
	}
}

void engine_test_needs_cpus(struct kunit *test, unsigned int cpus)
{
	if (num_online_cpus() < cpus)
		kunit_skip(test, "needs %u CPUs", cpus);
}
