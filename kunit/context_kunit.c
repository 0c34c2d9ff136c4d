// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the functions of twheel.h, called from callbacks (the timer's own included),
 * from every context, and for a timer of another CPU; and the context of callbacks in a storm
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "engine_test.h"

/* From the timer's own callback, in softirq context or in process context */

static const bool kinds[] = { false, true };

TEST_PARAM(kind, kinds, "%s", *p ? "process" : "softirq");

static struct probe *new_in(struct kunit *test, bool process, void (*act)(struct probe *probe))
{
	return process ? probe_new_process(test, act) : probe_new(test, act);
}

/**
 * struct own - a call by the callback of the timer itself
 * @name: Of the case.
 * @call: The call.
 * @ret: What it must return.
 * @process: The callback runs in process context.
 */
static const struct own {
	const char	*name;
	int		(*call)(struct twheel_timer *timer);
	int		ret;
	bool		process;
} owns[] = {
	{ "cancel_sync", twheel_cancel_sync, -EDEADLK },
	{ "cancel_sync, process", twheel_cancel_sync, -EDEADLK, true },
	{ "try_cancel_sync", twheel_try_cancel_sync, -EAGAIN },
	{ "try_cancel_sync, process", twheel_try_cancel_sync, -EAGAIN, true },
	{ "shutdown_sync", twheel_shutdown_sync, -EDEADLK },
	{ "shutdown_sync, process", twheel_shutdown_sync, -EDEADLK, true },
};

TEST_PARAM(own, owns, "%s", p->name);

static void call_own(struct probe *probe)
{
	const struct own *own = (const struct own *)(unsigned long)probe->expires;

	probe->ret += own->call(&probe->timer) == own->ret;
}

/* The refused call changes nothing: the timer can be armed again. */
static void own_sync_call_is_refused(struct kunit *test)
{
	const struct own *own = test->param_value;
	struct probe *probe = new_in(test, own->process, call_own);

	probe->expires = (unsigned long)own;
	probe_run(test, probe);
	KUNIT_EXPECT_EQ(test, twheel_add(&probe->timer, get_jiffies_64() + 1), 0);
	probe_wait(test, probe);
	KUNIT_EXPECT_EQ(test, probe->ret, 2);
	KUNIT_EXPECT_EQ(test, twheel_shutdown_sync(&probe->timer), 0);
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

/* In process context, until the timer is long due: its callback cannot begin meanwhile. */
static void cancel_self(struct probe *probe)
{
	probe->ret = twheel_cancel(&probe->timer);
	twheel_add(&probe->timer, probe->tick);
	if (!probe->context)
		schedule_timeout_uninterruptible(2);
	probe->ret += 10 * twheel_cancel(&probe->timer);
}

static void own_cancel_undoes_own_arming(struct kunit *test)
{
	bool process = *(const bool *)test->param_value;
	struct probe *probe = probe_run(test, new_in(test, process, cancel_self));

	KUNIT_EXPECT_EQ(test, probe->ret, 10);
	engine_test_pass(test, get_jiffies_64() + 1);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

/*
 * A timer armed for now or for the past runs on the next tick, not on this one
 * again. After late ticks, the wheel catches up, and several callbacks may see the same
 * tick; so what counts is the number of ticks since the start.
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

/*
 * A callback that frees its timer, sleeps if it may, and perhaps arms a new timer, the heir. A
 * periodic timer is first cancelled, in its third callback.
 */
struct mortal {
	struct twheel_timer	timer;
	unsigned int		flags;
	unsigned int		heirs;
	unsigned int		left;
	struct completion	*last;
};

static void mortal_fn(struct twheel_timer *timer)
{
	struct mortal *m = container_of(timer, struct mortal, timer), *heir;
	struct completion *last = m->last;
	unsigned int heirs = m->heirs, flags = m->flags;

	if (m->left) {
		if (--m->left)
			return;
		twheel_cancel(timer);
	}
	memset(m, 0x5a, sizeof(*m));
	kfree(m);
	if (flags & TWHEEL_PROCESS)
		schedule_timeout_uninterruptible(1);
	heir = heirs ? kmalloc(sizeof(*heir), GFP_ATOMIC) : NULL;
	if (!heir) {
		complete(last);
		return;
	}
	heir->flags = flags;
	heir->heirs = heirs - 1;
	heir->left = 0;
	heir->last = last;
	twheel_setup(&heir->timer, mortal_fn, flags);
	twheel_add(&heir->timer, get_jiffies_64());
}

static void twenty_die(struct kunit *test, unsigned int flags, unsigned int heirs, u32 period)
{
	struct completion last;
	struct mortal *m;
	unsigned int i;

	init_completion(&last);
	for (i = 0; i < 20; i++) {
		m = kmalloc(sizeof(*m), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, m);
		m->flags = flags;
		m->heirs = heirs;
		m->left = period ? 3 : 0;
		m->last = &last;
		twheel_setup(&m->timer, mortal_fn, flags);
		if (period)
			twheel_add_periodic(&m->timer, get_jiffies_64() + 1, period + i % 3);
		else
			twheel_add_after(&m->timer, 1);
	}
	for (i = 0; i < 20; i++)
		wait_for_completion(&last);
}

static void callback_frees_its_timer(struct kunit *test)
{
	twenty_die(test, *(const bool *)test->param_value ? TWHEEL_PROCESS : 0, 4, 0);
	engine_test_expect_counts(test, 100, 100, 0, 0);
}

static void callback_frees_its_periodic_timer(struct kunit *test)
{
	twenty_die(test, 0, 0, 1);
	engine_test_expect_counts(test, 80, 60, 20, 0);
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

/* From every context */

/**
 * struct context_call - an operation on a timer, called in a given context
 * @probe: The timer.
 * @op: The operation.
 * @ret: What @op returned.
 * @right: @op ran in the right context.
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

TEST_PARAM(context, contexts, "%s", p->name);

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
	struct probe *probe = probe_far(test);

	probe->expires = get_jiffies_64() + 2 * ENGINE_TEST_FAR;
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_mod), 1);
	KUNIT_EXPECT_GT(test, twheel_remaining(&probe->timer), ENGINE_TEST_FAR);
}

static void mod_to_earlier_from(struct kunit *test)
{
	struct probe *probe = probe_far(test);

	probe->expires = get_jiffies_64() + 4;
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_mod), 1);
	probe_expect(test, probe, probe->expires);
}

static void cancel_from(struct kunit *test)
{
	struct probe *probe = probe_far(test);

	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_cancel), 1);
	KUNIT_EXPECT_EQ(test, call_from_context(test, probe, op_cancel), 0);
}

static void try_cancel_sync_from(struct kunit *test)
{
	struct probe *probe = probe_far(test);

	KUNIT_EXPECT_EQ(test, 1,
			call_from_context(test, probe, op_try_cancel_sync));
	KUNIT_EXPECT_EQ(test, 0,
			call_from_context(test, probe, op_try_cancel_sync));
}

/* From another CPU */

static long cancel_here(void *arg)
{
	struct probe *probe = arg;

	return twheel_cancel(&probe->timer);
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
	engine_test_expect_idle(test, &probe->timer);
}

/* A timer that is changed is pending all the time */

struct watch {
	struct twheel_timer	*timer;
	unsigned int		looks;
	unsigned int		missed;
};

static int move_fn(void *arg)
{
	u64 expires = get_jiffies_64() + ENGINE_TEST_FAR;
	struct twheel_timer *timer = arg;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 1000; i; i--)
			twheel_mod(timer, expires + i);
		twheel_mod(timer, expires + 1000);
		cond_resched();
	}
	return 0;
}

static long watch_here(void *arg)
{
	ktime_t end = ktime_get() + NSEC_PER_SEC / 2;
	struct watch *watch = arg;

	do {
		watch->looks++;
		if (!twheel_pending(watch->timer) || !twheel_remaining(watch->timer))
			watch->missed++;
		if (watch->looks % 256 == 0)
			cond_resched();
	} while (watch->looks % 256 || ktime_get() < end);
	return 0;
}

static void pending_while_it_is_moved(struct kunit *test)
{
	struct watch watch = { .timer = &probe_far(test)->timer };
	struct task_struct *task;

	engine_test_needs_cpus(test, 2);
	task = kthread_run_on_cpu(move_fn, watch.timer, cpumask_last(cpu_online_mask),
				  "twheel_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	work_on_cpu(cpumask_first(cpu_online_mask), watch_here, &watch);
	kthread_stop(task);
	KUNIT_EXPECT_EQ_MSG(test, watch.missed, 0U, "of %u looks", watch.looks);
	KUNIT_EXPECT_EQ(test, twheel_cancel(watch.timer), 1);
}

/* A callback that reports its beginning, and ends when the case lets it. */
static void wait_for_leave(struct probe *probe)
{
	u64 end = get_jiffies_64() + ENGINE_TEST_PATIENCE;

	complete(&probe->ran);
	while (!READ_ONCE(probe->left) && time_before64(get_jiffies_64(), end))
		cpu_relax();
	WRITE_ONCE(probe->ret, 1);
}

struct overlap {
	struct probe	*probe;
	unsigned int	cpu;
	unsigned long	begun;
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

	twheel_add_on(timer, 0, overlap->cpu);
	overlap->begun = wait_for_completion_timeout(&probe->ran,
						     ENGINE_TEST_PATIENCE);
	overlap->cancel = twheel_cancel(timer);
	overlap->try_cancel_sync = twheel_try_cancel_sync(timer);
	overlap->mod = twheel_mod(timer, get_jiffies_64() + ENGINE_TEST_FAR);
	WRITE_ONCE(probe->left, 1);
	overlap->cancel_sync = twheel_cancel_sync(timer);
	overlap->over = READ_ONCE(probe->ret);
	return 0;
}

static void cancel_while_the_callback_runs(struct kunit *test)
{
	struct probe *probe = probe_new(test, wait_for_leave);
	struct overlap overlap = {
		.probe = probe,
		.cpu = cpumask_last(cpu_online_mask),
	};

	engine_test_needs_cpus(test, 2);
	work_on_cpu(cpumask_first(cpu_online_mask), overlap_here, &overlap);
	KUNIT_ASSERT_NE(test, overlap.begun, 0UL);
	KUNIT_EXPECT_EQ(test, overlap.cancel, 0);
	KUNIT_EXPECT_EQ(test, overlap.try_cancel_sync, -EAGAIN);
	KUNIT_EXPECT_EQ(test, overlap.mod, 0);
	KUNIT_EXPECT_EQ(test, overlap.cancel_sync, 1);
	KUNIT_EXPECT_TRUE(test, overlap.over);
	KUNIT_EXPECT_EQ(test, probe->runs, 1U);
}

/* The callback takes 2 ms, so that the canceller has something to wait for. */
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
	int ret;

	twheel_add_on(&probe->timer, 0, probe->left);
	wait_for_completion_timeout(&probe->ran, ENGINE_TEST_PATIENCE);
	ret = twheel_shutdown_sync(&probe->timer);
	/* Callbacks that had begun but not ended by then. */
	probe->left = probe->runs - READ_ONCE(probe->ret);
	return ret;
}

static void shutdown_waits_for_the_callback(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int round, runs;
	struct probe *probe;

	engine_test_needs_cpus(test, 2);
	for (round = 0; round < 5; round++) {
		probe = probe_new(test, take_a_while);
		probe->left = cpumask_last(cpu_online_mask);
		KUNIT_EXPECT_EQ(test, work_on_cpu(here, shutdown_here, probe), 1L);
		KUNIT_EXPECT_EQ(test, probe->left, 0U);
		runs = probe->runs;
		engine_test_expect_dead(test, &probe->timer);
		engine_test_pass(test, get_jiffies_64() + 1);
		KUNIT_EXPECT_EQ(test, probe->runs, runs);
	}
}

/* A storm: the callbacks of one tick take half a second in all. */
#define STORM		10000
#define STORM_US	50

static atomic_t stormed, stormed_in_thread;

/* By the clock: under load, a kernel may find at boot that its udelay() takes few loops. */
static void storm_fn(struct twheel_timer *timer)
{
	u64 end = ktime_get_ns() + STORM_US * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
	atomic_inc(&stormed);
	if (!in_serving_softirq())
		atomic_inc(&stormed_in_thread);
}

static void look_at_storm(struct probe *probe)
{
	probe->ret = atomic_read(&stormed);
}

/* Arms a storm for @expires, and @probe for the next tick. False if that took too long. */
static bool storm_arm(struct probe *probe, struct twheel_timer *timers, twheel_fn_t fn, u64 expires)
{
	int i, cpu = cpumask_first(cpu_online_mask);

	atomic_set(&stormed, 0);
	atomic_set(&stormed_in_thread, 0);
	for (i = 0; i < STORM; i++) {
		twheel_setup(&timers[i], fn, 0);
		twheel_add_on(&timers[i], expires, cpu);
	}
	twheel_add_on(&probe->timer, expires + 1, cpu);
	return time_before64(get_jiffies_64(), expires);
}

static void storm_disarm(struct probe *probe, struct twheel_timer *timers)
{
	int i;

	twheel_cancel_sync(&probe->timer);
	for (i = 0; i < STORM; i++)
		twheel_shutdown_sync(&timers[i]);
}

/* Later timers wait for the end of a storm. */
static void storm_pass(struct kunit *test, twheel_fn_t fn)
{
	struct twheel_timer *timers = kvcalloc(STORM, sizeof(*timers), GFP_KERNEL);
	struct probe *probe;
	u64 ahead = HZ / 2;

	KUNIT_ASSERT_NOT_NULL(test, timers);
	/* If the machine is slow, the storm may begin too early. */
	for (;;) {
		probe = probe_new(test, look_at_storm);
		if (storm_arm(probe, timers, fn, get_jiffies_64() + ahead))
			break;
		storm_disarm(probe, timers);
		ahead *= 2;
	}
	probe_wait(test, probe);
	storm_disarm(probe, timers);
	kvfree(timers);
	KUNIT_EXPECT_EQ(test, probe->ret, STORM);
}

/* The scheduler weighs the thread. It does not weigh a softirq. */
static void storm_goes_on_in_the_thread(struct kunit *test)
{
	storm_pass(test, storm_fn);
	KUNIT_EXPECT_GT(test, atomic_read(&stormed_in_thread), STORM / 2);
}

/* The module does not export what tells one run from another. */
#ifndef MODULE
static u64 counted_run;
static unsigned int counted, counted_most;

static void count_in_run(struct twheel_timer *timer)
{
	u64 run = twheel_base_of(smp_processor_id())->stats.runs;

	counted = run == counted_run ? counted + 1 : 1;
	counted_run = run;
	counted_most = max(counted_most, counted);
	atomic_inc(&stormed);
}

/* These callbacks take so little time that the budget ends a run, and not its slice of time. */
static void run_ends_at_its_budget(struct kunit *test)
{
	counted_most = 0;
	storm_pass(test, count_in_run);
	KUNIT_EXPECT_LE(test, counted_most, 2048U);
}
#endif

static struct kunit_case context_cases[] = {
	KUNIT_CASE_PARAM(own_sync_call_is_refused, own_gen_params),
	KUNIT_CASE(refused_cancel_sync_does_nothing),
	KUNIT_CASE_PARAM(own_cancel_undoes_own_arming, kind_gen_params),
	KUNIT_CASE(zero_rearm_is_once_a_tick),
	KUNIT_CASE_PARAM(callback_frees_its_timer, kind_gen_params),
	KUNIT_CASE(callback_frees_its_periodic_timer),
	KUNIT_CASE(callback_arms_another),
	KUNIT_CASE_PARAM(add_from, context_gen_params),
	KUNIT_CASE_PARAM(mod_to_later_from, context_gen_params),
	KUNIT_CASE_PARAM(mod_to_earlier_from, context_gen_params),
	KUNIT_CASE_PARAM(cancel_from, context_gen_params),
	KUNIT_CASE_PARAM(try_cancel_sync_from, context_gen_params),
	KUNIT_CASE(cancel_from_another_cpu),
	KUNIT_CASE(pending_while_it_is_moved),
	KUNIT_CASE(cancel_while_the_callback_runs),
	KUNIT_CASE(shutdown_waits_for_the_callback),
	KUNIT_CASE(storm_goes_on_in_the_thread),
#ifndef MODULE
	KUNIT_CASE(run_ends_at_its_budget),
#endif
	{}
};

ENGINE_TEST_SUITE(context);
