// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: who does it
 *
 * Each CPU has so many threads, and each of them a timer_list timer, a tasklet
 * and an hrtimer on its CPU, so that things happen in every context there is.
 * The threads of a CPU stop when it goes offline, and go on when it is back.
 *
 * Each context has random numbers of its own: the same seed gives the same
 * sequence of choices. What comes of them depends on when they meet.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include "../../twheel_compat.h"
#include "torture.h"

/* A thread works so many ticks and then lets others have the next one. */
#define WORK_TICKS	4
/* What interrupts do at a time. */
#define BURST		8

enum source { THREAD, TIMER, TASKLET, HRTIMER, SOURCES };

/**
 * struct torturer - a thread, and its helpers in interrupt contexts
 * @task: The thread; %NULL while its CPU is offline.
 * @timer: Softirq.
 * @tasklet: Softirq, scheduled by @timer.
 * @hrtimer: Hardirq.
 * @rnd: For each of them.
 */
struct torturer {
	struct task_struct	*task;
	struct timer_list	timer;
	struct tasklet_struct	tasklet;
	struct hrtimer		hrtimer;
	struct rnd_state	rnd[SOURCES];
};

static struct torturer *torturers;
static enum cpuhp_state hotplug_state;
static enum cpuhp_state prepare_state;
static bool *in_transit;
static atomic_t transits, gen = ATOMIC_INIT(1);

static void do_something(struct rnd_state *rnd, enum torture_context context)
{
	if (torture_one_in(rnd, 4))
		torture_shared_op(rnd, context);
	else
		torture_model_op(rnd, context);
}

static void burst(struct rnd_state *rnd, enum torture_context context)
{
	unsigned int i;

	for (i = 0; i < BURST && !torture_failed(); i++)
		do_something(rnd, context);
}

static void timer_fn(struct timer_list *timer)
{
	struct torturer *t = container_of(timer, struct torturer, timer);

	burst(&t->rnd[TIMER], TORTURE_SOFTIRQ);
	tasklet_schedule(&t->tasklet);
	mod_timer(timer, jiffies + 1);
}

static void tasklet_fn(struct tasklet_struct *tasklet)
{
	struct torturer *t = container_of(tasklet, struct torturer, tasklet);

	burst(&t->rnd[TASKLET], TORTURE_SOFTIRQ);
}

static enum hrtimer_restart hrtimer_fn(struct hrtimer *hrtimer)
{
	struct torturer *t = container_of(hrtimer, struct torturer, hrtimer);

	burst(&t->rnd[HRTIMER], TORTURE_HARDIRQ);
	/* not every millisecond: the CPU may be an emulated one */
	hrtimer_forward_now(hrtimer, ms_to_ktime(1 + torture_below(&t->rnd[HRTIMER], 8)));
	return HRTIMER_RESTART;
}

static void start_interrupts(struct torturer *t)
{
	t->timer.expires = jiffies + 1;
	add_timer_on(&t->timer, raw_smp_processor_id());
	hrtimer_start(&t->hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
}

/* The timer schedules the tasklet, so that the order matters. */
static void stop_interrupts(struct torturer *t)
{
	hrtimer_cancel(&t->hrtimer);
	timer_delete_sync(&t->timer);
	tasklet_kill(&t->tasklet);
}

static int thread_fn(void *arg)
{
	unsigned long pause = jiffies + WORK_TICKS;
	struct torturer *t = arg;

	start_interrupts(t);
	while (!kthread_should_stop()) {
		if (!torture_failed())
			do_something(&t->rnd[THREAD], TORTURE_PROCESS);
		if (time_after_eq(jiffies, pause)) {
			schedule_timeout_idle(1);
			pause = jiffies + WORK_TICKS;
		}
		cond_resched();
	}
	stop_interrupts(t);
	return 0;
}

static struct torturer *torturers_of(unsigned int cpu)
{
	return &torturers[cpu * torture_threads];
}

/* CPU hotplug does one thing at a time. */
static int begin_transit(unsigned int cpu)
{
	if (in_transit[cpu])
		return 0;
	in_transit[cpu] = true;
	atomic_inc(&transits);
	atomic_inc_return(&gen);
	return 0;
}

static int end_transit(unsigned int cpu)
{
	if (!in_transit[cpu])
		return 0;
	in_transit[cpu] = false;
	atomic_inc_return(&gen);
	atomic_dec(&transits);
	return 0;
}

static int stop_on(unsigned int cpu)
{
	struct torturer *t = torturers_of(cpu);
	unsigned int i;

	/* before the wheel's timers move: we were set up later */
	begin_transit(cpu);
	for (i = 0; i < torture_threads; i++, t++) {
		if (!t->task)
			continue;
		kthread_stop(t->task);
		t->task = NULL;
	}
	if (torture_verbose)
		pr_alert(TORTURE_FLAG " threads of CPU %u have stopped\n", cpu);
	return 0;
}

static int start_on(unsigned int cpu)
{
	struct torturer *t = torturers_of(cpu);
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < torture_threads; i++, t++) {
		task = kthread_create_on_node(thread_fn, t, cpu_to_node(cpu),
					      "torture/%u:%u", cpu, i);
		if (IS_ERR(task)) {
			stop_on(cpu);
			return PTR_ERR(task);
		}
		kthread_bind(task, cpu);
		t->task = task;
		wake_up_process(task);
	}
	end_transit(cpu);
	if (torture_verbose)
		pr_alert(TORTURE_FLAG " threads of CPU %u have started\n", cpu);
	return 0;
}

/**
 * torture_gen - tell whether CPUs come and go
 *
 * Return: A number that changes when a CPU comes or goes: before anything is
 * done to its timers, and after; in between %TORTURE_NO_GEN.
 */
unsigned int torture_gen(void)
{
	unsigned int now = atomic_read_acquire(&gen);

	return atomic_read(&transits) ? TORTURE_NO_GEN : now;
}

static void torturer_init(struct torturer *t, unsigned int number)
{
	unsigned int i;

	timer_setup(&t->timer, timer_fn, TIMER_PINNED);
	tasklet_setup(&t->tasklet, tasklet_fn);
	hrtimer_setup(&t->hrtimer, hrtimer_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < SOURCES; i++)
		prandom_seed_state(&t->rnd[i], ((u64)torture_seed << 32) +
				   number * SOURCES + i + 1);
}

static int start_on_all(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					"twheel/torture:prepare",
					begin_transit, end_transit);
	if (ret < 0)
		return ret;
	prepare_state = ret;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel/torture:online",
				start_on, stop_on);
	if (ret < 0)
		cpuhp_remove_state_nocalls(prepare_state);
	else
		hotplug_state = ret;
	return ret < 0 ? ret : 0;
}

static void free_torturers(void)
{
	kvfree(torturers);
	kfree(in_transit);
}

/**
 * torture_threads_start - begin on every CPU
 *
 * Return: 0 or an error.
 */
int torture_threads_start(void)
{
	unsigned int i, number = nr_cpu_ids * torture_threads;
	int ret = -ENOMEM;

	torturers = kvcalloc(number, sizeof(*torturers), GFP_KERNEL);
	in_transit = kcalloc(nr_cpu_ids, sizeof(*in_transit), GFP_KERNEL);
	if (!torturers || !in_transit)
		goto out_free;
	for (i = 0; i < number; i++)
		torturer_init(&torturers[i], i);
	ret = start_on_all();
	if (ret)
		goto out_free;
	return 0;

out_free:
	free_torturers();
	return ret;
}

/**
 * torture_threads_stop - end on every CPU
 *
 * Only callbacks act from here on.
 */
void torture_threads_stop(void)
{
	cpuhp_remove_state(hotplug_state);
	cpuhp_remove_state_nocalls(prepare_state);
	free_torturers();
}
