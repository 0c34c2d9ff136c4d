// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: work for the end of a run, and the thread that continues runs
 *
 * A run in softirq context takes time from whatever task it has interrupted. So a run ends
 * after a slice of time. A thread of the CPU, "twheel/N", continues the run. The thread also does
 * work that callbacks have queued, if the softirq has no time left for it. Work that is queued
 * outside a run is done at the next tick.
 *
 * Work runs with bottom halves off, on the CPU where it was queued, unless that CPU has
 * gone offline. One work may run on two CPUs at once if it is queued again meanwhile. Work
 * that is queued when the module is unloaded may run until twheel_work_exit() returns.
 */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smpboot.h>
#include "engine.h"
#include "twheel_compat.h"

static unsigned int slice_us = 1000;
module_param(slice_us, uint, 0644);
MODULE_PARM_DESC(slice_us, "Microseconds that the wheels of a CPU run in a row, at most; a thread continues (default 1000)");

/* The work of a CPU. */
struct work_cpu {
	/* Protects the next three, and @node of work in the lists. Taken with interrupts off. */
	raw_spinlock_t		lock;
	struct list_head	soon;	/* for the end of the run, or for the next tick */
	struct list_head	left;	/* for the thread */
	bool			online;	/* the thread can run */
	struct task_struct	*thread;
	struct timer_list	kick;	/* begins the work in @soon if no run does */
	/*
	 * The list for new work: @soon during a run in softirq context, @left while the thread
	 * works, NULL at other times. Only this CPU uses it, with bottom halves off.
	 */
	struct list_head	*to;
};

static DEFINE_PER_CPU(struct work_cpu, work_cpus);

void twheel_work_setup(struct twheel_work *work, void (*fn)(struct twheel_work *work))
{
	work->fn = fn;
	atomic_set(&work->queued, 0);
}

/* Locks the work of this CPU, or of another one if this CPU is going offline. */
static struct work_cpu *work_lock(void)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);

	lockdep_assert_irqs_disabled();

	for (;;) {
		raw_spin_lock(&c->lock);
		if (c->online)
			return c;
		raw_spin_unlock(&c->lock);
		c = per_cpu_ptr(&work_cpus, cpumask_any(cpu_active_mask));
	}
}

static void work_wake_thread(struct work_cpu *c)
{
	lockdep_assert_held(&c->lock);

	if (!list_empty(&c->left))
		wake_up_process(c->thread);
}

/* Does a work in this run that is left to the thread, which may have to wait for the CPU. */
static void work_hurry(struct twheel_work *work)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);
	struct twheel_work *left;

	if (READ_ONCE(c->to) != &c->soon || list_empty_careful(&c->left))
		return;
	raw_spin_lock(&c->lock);
	/* Looks for the work, which may be in the list of another CPU. The list is short. */
	list_for_each_entry(left, &c->left, node) {
		if (left == work) {
			list_move_tail(&work->node, &c->soon);
			break;
		}
	}
	raw_spin_unlock(&c->lock);
}

/* Queues a work, unless it is queued already. Another CPU's work does not wait for a tick. */
static void work_add(struct twheel_work *work, bool soon)
{
	struct work_cpu *c;
	struct list_head *to;
	unsigned long flags;

	local_irq_save(flags);
	if (!atomic_xchg(&work->queued, 1)) {
		c = work_lock();
		to = &c->left;
		if (soon && c == this_cpu_ptr(&work_cpus))
			to = READ_ONCE(c->to) ?: &c->soon;
		list_add_tail(&work->node, to);
		if (to == &c->left)
			work_wake_thread(c);
		else if (!READ_ONCE(c->to) && !timer_pending(&c->kick))
			/* timer_list runs a timer one tick after its ->expires. */
			mod_timer(&c->kick, jiffies);
		raw_spin_unlock(&c->lock);
	} else if (soon) {
		work_hurry(work);
	}
	local_irq_restore(flags);
}

/*
 * Has a work done at the end of the run, or at the next tick. If the work is queued already,
 * nothing happens: its function will see what the caller did before. Context: any.
 */
void twheel_work_queue(struct twheel_work *work)
{
	work_add(work, true);
}

/* The same, but leaves the work to the thread. */
void twheel_work_to_thread(struct twheel_work *work)
{
	work_add(work, false);
}

static struct twheel_work *work_pop(struct work_cpu *c, struct list_head *list)
{
	struct twheel_work *work;

	raw_spin_lock_irq(&c->lock);
	work = list_first_entry_or_null(list, struct twheel_work, node);
	if (work) {
		list_del_init(&work->node);
		/* A full barrier: the function sees what was done before twheel_work_queue(). */
		atomic_xchg(&work->queued, 0);
	}
	raw_spin_unlock_irq(&c->lock);
	return work;
}

/* Does the work in @list until the time @until, but at least one. */
static void work_do(struct work_cpu *c, struct list_head *list, u64 until)
{
	struct twheel_work *work;

	/* A task that waits for the CPU waits no longer than for one work of the thread. */
	do {
		work = work_pop(c, list);
		if (!work)
			break;
		work->fn(work);
	} while (local_clock() < until && (in_serving_softirq() || !need_resched()));
}

/* How long the wheels of a CPU may run in a row, in ns. */
u64 twheel_work_slice(void)
{
	return (u64)max(READ_ONCE(slice_us), 1U) * NSEC_PER_USEC;
}

/* Keeps new work for the end of a run in softirq context. */
void twheel_work_begin_run(void)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);

	WRITE_ONCE(c->to, &c->soon);
}

/* Does the work of a run until the time @until, by local_clock(). Leaves the rest to the thread. */
void twheel_work_end_run(u64 until)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);

	if (!list_empty_careful(&c->soon))
		work_do(c, &c->soon, until);
	/* An interrupt that still adds to the list has done so before the look at the list. */
	WRITE_ONCE(c->to, NULL);
	barrier();
	if (list_empty_careful(&c->soon))
		return;
	raw_spin_lock_irq(&c->lock);
	list_splice_tail_init(&c->soon, &c->left);
	work_wake_thread(c);
	raw_spin_unlock_irq(&c->lock);
}

static void work_kicked(struct timer_list *kick)
{
	twheel_work_begin_run();
	twheel_work_end_run(local_clock() + twheel_work_slice());
}

static void work_thread_run(unsigned int cpu)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);

	local_bh_disable();
	WRITE_ONCE(c->to, &c->left);
	work_do(c, &c->left, local_clock() + twheel_work_slice());
	WRITE_ONCE(c->to, NULL);
	local_bh_enable();
	cond_resched();
}

static int work_thread_should_run(unsigned int cpu)
{
	return !list_empty_careful(&per_cpu(work_cpus, cpu).left);
}

static struct smp_hotplug_thread work_threads = {
	.store			= &work_cpus.thread,
	.thread_should_run	= work_thread_should_run,
	.thread_fn		= work_thread_run,
	.thread_comm		= "twheel/%u",
};

/* A CPU takes work from now on. */
void twheel_work_online(unsigned int cpu)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);

	raw_spin_lock_irq(&c->lock);
	c->online = true;
	raw_spin_unlock_irq(&c->lock);
}

/* Gives the work of a CPU that goes offline to another one. Process context, on @cpu. */
void twheel_work_offline(unsigned int cpu, unsigned int to)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);
	struct work_cpu *other = per_cpu_ptr(&work_cpus, to);
	LIST_HEAD(moving);

	raw_spin_lock_irq(&c->lock);
	c->online = false;
	list_splice_tail_init(&c->soon, &c->left);
	list_splice_tail_init(&c->left, &moving);
	raw_spin_unlock_irq(&c->lock);
	raw_spin_lock_irq(&other->lock);
	list_splice_tail_init(&moving, &other->left);
	work_wake_thread(other);
	raw_spin_unlock_irq(&other->lock);
	timer_delete_sync(&c->kick);
}

/* Starts the threads. Returns 0 or a negative errno. */
int twheel_work_init(void)
{
	struct work_cpu *c;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&work_cpus, cpu);
		raw_spin_lock_init(&c->lock);
		INIT_LIST_HEAD(&c->soon);
		INIT_LIST_HEAD(&c->left);
		timer_setup(&c->kick, work_kicked, TIMER_PINNED);
	}
	return smpboot_register_percpu_thread(&work_threads);
}

/*
 * Stops the threads, when nothing queues any more work that has to be done. Waits until each thread
 * has run: a real-time task that never sleeps can delay that. May sleep.
 */
void twheel_work_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		timer_shutdown_sync(&per_cpu(work_cpus, cpu).kick);
	smpboot_unregister_percpu_thread(&work_threads);
}
