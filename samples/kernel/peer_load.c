// SPDX-License-Identifier: MIT
/*
 * A sample of twheel.h: simulated traffic for the table of peers
 *
 * Each CPU has a thread, a softirq and a hardirq. All of them hear from peers. Threads
 * also add peers; threads and softirqs also remove them.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include "../../twheel_compat.h"
#include "peer.h"

#define IDS	2048
#define BURST	16

/**
 * struct peer_load - the traffic of a CPU
 * @task: The thread.
 * @softirq: A timer that runs in softirq.
 * @hardirq: A timer that runs in hardirq.
 * @rnd: Random number generators: for the softirq, the hardirq and the thread.
 */
struct peer_load {
	struct task_struct	*task;
	struct timer_list	softirq;
	struct hrtimer		hardirq;
	struct rnd_state	rnd[3];
};

static struct peer_load *loads;

static u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

/* One peer in four is always silent. */
static void hear_some(struct rnd_state *rnd)
{
	unsigned int i;
	u32 id;

	for (i = 0; i < BURST; i++) {
		id = below(rnd, IDS);
		if (id % 4)
			peer_heard(id);
	}
}

static void load_softirq(struct timer_list *timer)
{
	struct peer_load *load = container_of(timer, struct peer_load, softirq);

	hear_some(&load->rnd[0]);
	peer_remove(below(&load->rnd[0], IDS));
	mod_timer(timer, jiffies + 1);
}

static enum hrtimer_restart load_hardirq(struct hrtimer *timer)
{
	struct peer_load *load = container_of(timer, struct peer_load, hardirq);

	hear_some(&load->rnd[1]);
	hrtimer_forward_now(timer, ms_to_ktime(2));
	return HRTIMER_RESTART;
}

static int load_thread(void *arg)
{
	struct peer_load *load = arg;
	struct rnd_state *rnd = &load->rnd[2];

	mod_timer(&load->softirq, jiffies + 1);
	hrtimer_start(&load->hardirq, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		peer_add(below(rnd, IDS));
		hear_some(rnd);
		if (!below(rnd, 8))
			peer_remove(below(rnd, IDS));
		if (!below(rnd, 128))
			schedule_timeout_idle(1);
		cond_resched();
	}
	hrtimer_cancel(&load->hardirq);
	timer_delete_sync(&load->softirq);
	return 0;
}

static int start_on(unsigned int cpu, struct peer_load *load)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(load->rnd); i++)
		prandom_seed_state(&load->rnd[i], 1 + cpu * ARRAY_SIZE(load->rnd) + i);
	timer_setup(&load->softirq, load_softirq, TIMER_PINNED);
	hrtimer_setup(&load->hardirq, load_hardirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	load->task = kthread_create(load_thread, load, "twheel_peer/%u", cpu);
	if (IS_ERR(load->task))
		return PTR_ERR(load->task);
	kthread_bind(load->task, cpu);
	wake_up_process(load->task);
	return 0;
}

/**
 * peer_load_start - start the traffic
 *
 * Context: process; sleeps.
 *
 * Return: 0 or a negative errno.
 */
int peer_load_start(void)
{
	unsigned int cpu;
	int ret = 0;

	loads = kcalloc(nr_cpu_ids, sizeof(*loads), GFP_KERNEL);
	if (!loads)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		ret = start_on(cpu, &loads[cpu]);
		if (ret) {
			peer_load_stop();
			return ret;
		}
	}
	return 0;
}

/**
 * peer_load_stop - stop the traffic, and wait until the last packet has been handled
 *
 * Context: process; sleeps.
 */
void peer_load_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (!IS_ERR_OR_NULL(loads[cpu].task))
			kthread_stop(loads[cpu].task);
	kfree(loads);
}
