// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what the suites of the engine share
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include "engine_test.h"

int engine_test_init(struct kunit *test)
{
	struct engine_test *et = kunit_kzalloc(test, sizeof(*et), GFP_KERNEL);

	if (!et)
		return -ENOMEM;
	INIT_LIST_HEAD(&et->probes);
	twheel_base_read_counts(&et->start);
	test->priv = et;
	return 0;
}

/* Even if the case fails, its timers must not outlive it. */
void engine_test_exit(struct kunit *test)
{
	struct engine_test *et = test->priv;
	struct probe *probe;
	unsigned int cpu;

	if (!et)
		return;
	if (et->watch)
		for_each_possible_cpu(cpu)
			timer_delete_sync(&et->watch[cpu].timer);
	list_for_each_entry(probe, &et->probes, node)
		twheel_shutdown_sync(&probe->timer);
	engine_test_balance(test);
}

/* Reads what was counted since the case began; @counts->pending is the total. */
void engine_test_counts(struct kunit *test, struct twheel_counts *counts)
{
	struct engine_test *et = test->priv;

	twheel_base_read_counts(counts);
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

/* Each arming of the case has ended in exactly one way, and none is left. */
void engine_test_balance(struct kunit *test)
{
	struct engine_test *et = test->priv;
	struct twheel_counts counts;

	twheel_base_read_counts(&counts);
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
	probe->context = in_softirq() && !irqs_disabled();
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

	KUNIT_ASSERT_NOT_NULL(test, probe);
	probe_init(test, probe, act);
	return probe;
}

/* Sets up a timer that is part of something else; it is shut down when the case ends. */
void probe_init(struct kunit *test, struct probe *probe,
		void (*act)(struct probe *probe))
{
	struct engine_test *et = test->priv;

	probe_setup(probe, act);
	list_add_tail(&probe->node, &et->probes);
}

void probe_wait(struct kunit *test, struct probe *probe)
{
	KUNIT_ASSERT_NE_MSG(test, 0UL,
			    wait_for_completion_timeout(&probe->ran,
							ENGINE_TEST_PATIENCE),
			    "no callback at tick %llu", get_jiffies_64());
}

/* How often a plain timer of each CPU looks at the time while a case waits. */
#define WATCH_TICKS	(ENGINE_TEST_LATE / 2)
/* timer_list may run a timer of that length late by an eighth. */
#define WATCH_ROUNDING	(WATCH_TICKS / 8 + 1)

static u64 watch_late(const struct engine_test_watch *watch)
{
	u64 now = get_jiffies_64(), due = READ_ONCE(watch->due) + WATCH_ROUNDING;

	return now > due ? now - due : 0;
}

static void watch_fn(struct timer_list *timer)
{
	struct engine_test_watch *watch;

	watch = container_of(timer, struct engine_test_watch, timer);
	WRITE_ONCE(watch->late, max(watch->late, watch_late(watch)));
	WRITE_ONCE(watch->due, get_jiffies_64() + WATCH_TICKS);
	mod_timer(timer, (unsigned long)watch->due);
}

/*
 * From now until the case ends, one plain timer on each CPU runs every WATCH_TICKS. Their lateness
 * tells how busy the host is: engine_test_in_time(). probe_expect() starts them to wait.
 */
void engine_test_watch_start(struct kunit *test)
{
	struct engine_test *et = test->priv;
	struct engine_test_watch *watch;
	unsigned int cpu;

	if (et->watch)
		return;
	watch = kunit_kcalloc(test, nr_cpu_ids, sizeof(*watch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, watch);
	for_each_possible_cpu(cpu) {
		timer_setup(&watch[cpu].timer, watch_fn, TIMER_PINNED);
		watch[cpu].due = get_jiffies_64() + WATCH_TICKS;
		watch[cpu].timer.expires = (unsigned long)watch[cpu].due;
	}
	for_each_online_cpu(cpu)
		add_timer_on(&watch[cpu].timer, cpu);
	et->watch = watch;
}

/*
 * The latest tick for something that was due at @expires: ENGINE_TEST_LATE ticks later, and as much
 * as plain timers were late in this case. On a busy host, twheel may be as late as they.
 */
u64 engine_test_in_time(struct kunit *test, u64 expires)
{
	struct engine_test *et = test->priv;
	unsigned int cpu;
	u64 late = 0;

	if (et->watch) {
		for_each_online_cpu(cpu) {
			if (!timer_pending(&et->watch[cpu].timer))
				continue;
			late = max3(late, READ_ONCE(et->watch[cpu].late),
				    watch_late(&et->watch[cpu]));
		}
	}
	return expires + ENGINE_TEST_LATE + late;
}

/* Waits for the one callback of a probe, which must not come early. */
void probe_ended(struct kunit *test, struct probe *probe, u64 expires)
{
	if (!completion_done(&probe->ran))
		engine_test_watch_start(test);
	probe_wait(test, probe);
	twheel_cancel_sync(&probe->timer);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
	KUNIT_EXPECT_GE(test, probe->tick, expires);
}

/* The same; nor may the callback come much later than @expires and @slack ticks. */
void probe_expect_window(struct kunit *test, struct probe *probe, u64 expires, u64 slack)
{
	probe_ended(test, probe, expires);
	KUNIT_EXPECT_LE(test, probe->tick, engine_test_in_time(test, expires + slack));
}

/* Waits for the one callback of a probe: on its tick, or not much later. */
void probe_expect(struct kunit *test, struct probe *probe, u64 expires)
{
	probe_expect_window(test, probe, expires, 0);
}

/* A timer that is pending for longer than any case lasts. */
struct probe *probe_far(struct kunit *test)
{
	struct probe *probe = probe_new(test, NULL);

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, get_jiffies_64() +
					    ENGINE_TEST_FAR));
	return probe;
}

/* A timer whose callback runs in process context. */
struct probe *probe_new_process(struct kunit *test, void (*act)(struct probe *probe))
{
	struct probe *probe = probe_new(test, act);

	twheel_setup(&probe->timer, probe_fn, TWHEEL_PROCESS);
	return probe;
}

/* Lets the callback of a new timer run once. */
struct probe *probe_run(struct kunit *test, struct probe *probe)
{
	u64 expires = get_jiffies_64() + 1;

	KUNIT_ASSERT_EQ(test, 0, twheel_add(&probe->timer, expires));
	probe_expect(test, probe, expires);
	return probe;
}

struct probe *probe_spent(struct kunit *test,
			  void (*act)(struct probe *probe))
{
	return probe_run(test, probe_new(test, act));
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

/* Waits until all timers that are due by a tick have expired, on every CPU. */
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
