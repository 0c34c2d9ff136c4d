// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: threads and interrupts that do the operations
 *
 * Each CPU has a thread with a timer_list timer, a tasklet and an hrtimer, so that operations
 * happen in every context. When a CPU goes offline, its thread ends; when it comes back, a new
 * thread starts.
 *
 * Each context of a thread has random numbers of its own: the same seed gives the same
 * sequence of choices. Their results depend on the timing.
 */
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/timer.h>
#include "../../twheel_compat.h"
#include "torture.h"

/* A thread works for this many ticks, then sleeps for one. */
#define WORK_TICKS	4
/* Operations in one interrupt. */
#define BURST_OPS		8

enum source { THREAD, TIMER, TASKLET, HRTIMER, SOURCES };

/* A thread, and its interrupts */
struct torturer {
	struct task_struct	*task;
	struct timer_list	timer;		/* softirq */
	struct tasklet_struct	tasklet;	/* softirq, scheduled by @timer */
	struct hrtimer		hrtimer;	/* hardirq */
	struct rnd_state	rnd[SOURCES];	/* of each context */
};

static struct torturer *torturers;
static enum cpuhp_state hotplug_state;
static enum cpuhp_state prepare_state;

static void random_op(struct rnd_state *rnd, enum torture_context context)
{
	if (torture_one_in(rnd, 4))
		torture_shared_op(rnd, context);
	else
		torture_model_op(rnd, context);
}

static void run_burst(struct rnd_state *rnd, enum torture_context context)
{
	unsigned int i;

	for (i = 0; i < BURST_OPS && !torture_failed(); i++)
		random_op(rnd, context);
}

static void run_timer(struct timer_list *timer)
{
	struct torturer *t = container_of(timer, struct torturer, timer);

	run_burst(&t->rnd[TIMER], TORTURE_SOFTIRQ);
	tasklet_schedule(&t->tasklet);
	mod_timer(timer, jiffies + 1);
}

static void run_tasklet(struct tasklet_struct *tasklet)
{
	struct torturer *t = container_of(tasklet, struct torturer, tasklet);

	run_burst(&t->rnd[TASKLET], TORTURE_SOFTIRQ);
}

static enum hrtimer_restart run_hrtimer(struct hrtimer *hrtimer)
{
	struct torturer *t = container_of(hrtimer, struct torturer, hrtimer);

	run_burst(&t->rnd[HRTIMER], TORTURE_HARDIRQ);
	/* Not every millisecond: an emulated CPU would do nothing else. */
	hrtimer_forward_now(hrtimer, ms_to_ktime(1 + torture_below(&t->rnd[HRTIMER], 8)));
	return HRTIMER_RESTART;
}

static void start_interrupts(struct torturer *t)
{
	t->timer.expires = jiffies + 1;
	add_timer_on(&t->timer, raw_smp_processor_id());
	hrtimer_start(&t->hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
}

/* The tasklet comes after the timer, which schedules it. */
static void stop_interrupts(struct torturer *t)
{
	hrtimer_cancel(&t->hrtimer);
	timer_delete_sync(&t->timer);
	tasklet_kill(&t->tasklet);
}

static int run_thread(void *arg)
{
	unsigned long pause = jiffies + WORK_TICKS;
	struct torturer *t = arg;

	start_interrupts(t);
	while (!kthread_should_stop()) {
		if (!torture_failed())
			random_op(&t->rnd[THREAD], TORTURE_PROCESS);
		if (time_after_eq(jiffies, pause)) {
			schedule_timeout_idle(1);
			pause = jiffies + WORK_TICKS;
		}
		cond_resched();
	}
	stop_interrupts(t);
	return 0;
}

static int stop_cpu(unsigned int cpu)
{
	/* Registered later than the wheel's callback, this runs first: timers have not moved. */
	torture_hotplug_begin(cpu);
	kthread_stop(torturers[cpu].task);
	return 0;
}

static int start_cpu(unsigned int cpu)
{
	struct torturer *t = &torturers[cpu];

	t->task = kthread_run_on_cpu(run_thread, t, cpu, "torture/%u");
	if (IS_ERR(t->task))
		return PTR_ERR(t->task);
	torture_hotplug_end(cpu);
	return 0;
}

static void init_torturer(struct torturer *t, unsigned int number)
{
	unsigned int i;

	timer_setup(&t->timer, run_timer, TIMER_PINNED);
	tasklet_setup(&t->tasklet, run_tasklet);
	hrtimer_setup(&t->hrtimer, run_hrtimer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < SOURCES; i++)
		prandom_seed_state(&t->rnd[i], ((u64)torture_seed << 32) +
				   number * SOURCES + i + 1);
}

static int register_hotplug(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					"twheel/torture:prepare",
					torture_hotplug_begin, torture_hotplug_end);
	if (ret < 0)
		return ret;
	prepare_state = ret;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel/torture:online",
				start_cpu, stop_cpu);
	if (ret < 0)
		cpuhp_remove_state_nocalls(prepare_state);
	else
		hotplug_state = ret;
	return ret < 0 ? ret : 0;
}

int torture_thread_start_all(void)
{
	unsigned int i;
	int ret;

	torturers = kvcalloc(nr_cpu_ids, sizeof(*torturers), GFP_KERNEL);
	if (!torturers)
		return -ENOMEM;
	for (i = 0; i < nr_cpu_ids; i++)
		init_torturer(&torturers[i], i);
	ret = register_hotplug();
	if (ret)
		kvfree(torturers);
	return ret;
}

/* From here on, only callbacks do operations. */
void torture_thread_stop_all(void)
{
	cpuhp_remove_state(hotplug_state);
	cpuhp_remove_state_nocalls(prepare_state);
	kvfree(torturers);
}
