// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: work for the end of a run, and the thread that continues runs
 *
 * A run in softirq context takes time from whatever task it has interrupted, and no
 * scheduler weighs it. So a run ends after a slice of time. Every CPU has a thread,
 * "twheel/N", which does what is left. The scheduler weighs the thread as any other task.
 * A tasklet would not do: the kernel raises it again at the end of each interrupt, before
 * the task that was interrupted can go on.
 *
 * Two kinds of work go through this file:
 *
 * - A run that has used up its slice is left to the thread.
 * - Callbacks queue what has to be done once for many timers, such as waking a reader.
 *   The softirq does such work at the end of its run if there is time left. Work that is
 *   queued outside a run is done at the next tick.
 *
 * Work runs with bottom halves off, on the CPU where it was queued, unless that CPU has
 * gone offline. One work may run on two CPUs at once if it is queued again meanwhile.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smpboot.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include "twheel_compat.h"
#include "work.h"

static unsigned int slice_us = 1000;
module_param(slice_us, uint, 0644);
MODULE_PARM_DESC(slice_us, "Microseconds that the wheels of a CPU run in a row, at most; a thread continues (default 1000)");

/**
 * struct work_cpu - the work of a CPU
 * @lock: Protects the fields that follow, but for @to, and the @node and @cpu of queued
 *	work. Taken with interrupts off.
 * @online: The CPU's thread can run.
 * @soon: Work for the end of the run, or for the next tick.
 * @left: Work for the thread.
 * @to: The list for new work: @soon during a run in softirq context, @left while the thread
 *	works, %NULL at other times. Only this CPU uses it, with bottom halves off.
 * @kick: Begins the work in @soon if no run does.
 */
struct work_cpu {
	raw_spinlock_t		lock;
	bool			online;
	struct list_head	soon;
	struct list_head	left;
	struct list_head	*to;
	struct timer_list	kick;
};

static DEFINE_PER_CPU(struct work_cpu, work_cpus);
static DEFINE_PER_CPU(struct task_struct *, work_thread);

/**
 * twheel_work_setup - prepare a work
 * @work: The work.
 * @fn: What it does. Called with bottom halves off.
 */
void twheel_work_setup(struct twheel_work *work, void (*fn)(struct twheel_work *work))
{
	INIT_LIST_HEAD(&work->node);
	work->fn = fn;
	work->cpu = 0;
	atomic_set(&work->queued, 0);
	atomic_set(&work->running, 0);
}

/* Locks the work of this CPU, or of another one if this CPU is going offline. */
static unsigned int work_lock(void)
{
	unsigned int cpu = smp_processor_id();

	lockdep_assert_irqs_disabled();

	for (;;) {
		raw_spin_lock(&per_cpu(work_cpus, cpu).lock);
		if (per_cpu(work_cpus, cpu).online)
			return cpu;
		raw_spin_unlock(&per_cpu(work_cpus, cpu).lock);
		cpu = cpumask_any(cpu_active_mask);
	}
}

static void work_set_cpu(struct twheel_work *work, unsigned int cpu)
{
	WRITE_ONCE(work->cpu, cpu);
	/* Pairs with work_take_back(): a CPU that sees the work in a list sees its new CPU. */
	smp_wmb();
}

static void work_wake_thread(struct work_cpu *c, unsigned int cpu)
{
	lockdep_assert_held(&c->lock);

	if (!list_empty(&c->left))
		wake_up_process(per_cpu(work_thread, cpu));
}

static void work_add_left(struct twheel_work *work, unsigned int cpu)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);

	lockdep_assert_held(&c->lock);

	work_set_cpu(work, cpu);
	list_add_tail(&work->node, &c->left);
	work_wake_thread(c, cpu);
}

static void work_add_soon(struct twheel_work *work, unsigned int cpu)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);
	struct list_head *to = READ_ONCE(c->to);

	lockdep_assert_held(&c->lock);

	work_set_cpu(work, cpu);
	list_add_tail(&work->node, to ?: &c->soon);
	/* timer_list runs a timer one tick after its ->expires. */
	if (!to && !timer_pending(&c->kick))
		mod_timer(&c->kick, jiffies);
}

/* Does a work in this run that is left to the thread, which may have to wait for the CPU. */
static void work_hurry(struct twheel_work *work)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);

	if (READ_ONCE(c->to) != &c->soon || list_empty_careful(&c->left))
		return;
	raw_spin_lock(&c->lock);
	/* As in work_take_back(). */
	if (smp_load_acquire(&work->node.next) != &work->node &&
	    READ_ONCE(work->cpu) == smp_processor_id())
		list_move_tail(&work->node, &c->soon);
	raw_spin_unlock(&c->lock);
}

/* Queues a work, unless it is queued already. Another CPU's work does not wait for a tick. */
static void work_add(struct twheel_work *work, bool soon)
{
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	if (!atomic_xchg(&work->queued, 1)) {
		cpu = work_lock();
		if (soon && cpu == smp_processor_id())
			work_add_soon(work, cpu);
		else
			work_add_left(work, cpu);
		raw_spin_unlock(&per_cpu(work_cpus, cpu).lock);
	} else if (soon) {
		work_hurry(work);
	}
	local_irq_restore(flags);
}

/**
 * twheel_work_queue - do a work at the end of the run, or at the next tick
 * @work: The work. If it is queued already, nothing happens: its function will see what
 *	the caller did before.
 *
 * Context: any.
 */
void twheel_work_queue(struct twheel_work *work)
{
	work_add(work, true);
}

/**
 * twheel_work_leave - leave a work to the thread
 * @work: The work. If it is queued already, nothing happens.
 *
 * Context: any.
 */
void twheel_work_leave(struct twheel_work *work)
{
	work_add(work, false);
}

/* Takes a work off its list. False if the work is just being queued, moved or begun. */
static bool work_take_back(struct twheel_work *work)
{
	unsigned int cpu = READ_ONCE(work->cpu);
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&c->lock, flags);
	/* Pairs with work_set_cpu(): the list is that of @cpu, or @cpu is out of date. */
	found = smp_load_acquire(&work->node.next) != &work->node &&
		READ_ONCE(work->cpu) == cpu;
	if (found) {
		list_del_init(&work->node);
		atomic_set(&work->queued, 0);
	}
	raw_spin_unlock_irqrestore(&c->lock, flags);
	return found;
}

/**
 * twheel_work_cancel_sync - take a work back and wait until it does not run
 * @work: The work, which only its own function still queues, and not for ever.
 *
 * If the function does queue the work again, it may still run once more when the call
 * returns: it must then be safe to run until twheel_work_exit().
 *
 * Context: process, may sleep.
 */
void twheel_work_cancel_sync(struct twheel_work *work)
{
	for (;;) {
		if (!twheel_work_queued(work)) {
			/* Pairs with work_take(): a work that is not queued any more is running. */
			smp_rmb();
			/* Pairs with work_do(): what the function did comes first. */
			if (!atomic_read_acquire(&work->running) && !twheel_work_queued(work))
				break;
		} else if (work_take_back(work)) {
			continue;
		}
		schedule_timeout_uninterruptible(1);
	}
}

static struct twheel_work *work_take(struct work_cpu *c, struct list_head *list)
{
	struct twheel_work *work;

	raw_spin_lock_irq(&c->lock);
	work = list_first_entry_or_null(list, struct twheel_work, node);
	if (work) {
		list_del_init(&work->node);
		atomic_inc(&work->running);
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
		work = work_take(c, list);
		if (!work)
			break;
		work->fn(work);
		/* Pairs with twheel_work_cancel_sync(). */
		atomic_dec_return_release(&work->running);
	} while (local_clock() < until && (in_serving_softirq() || !need_resched()));
}

/**
 * twheel_work_slice - how long the wheels of a CPU may run in a row
 *
 * Return: The time in ns.
 */
u64 twheel_work_slice(void)
{
	return (u64)max(READ_ONCE(slice_us), 1U) * NSEC_PER_USEC;
}

/**
 * twheel_work_begin_run - keep new work for the end of a run
 *
 * Context: softirq, on the CPU of the run, outside other runs.
 */
void twheel_work_begin_run(void)
{
	struct work_cpu *c = this_cpu_ptr(&work_cpus);

	WRITE_ONCE(c->to, &c->soon);
}

/**
 * twheel_work_end_run - do the work of a run, and leave the rest to the thread
 * @until: When to stop, by local_clock().
 *
 * Context: softirq, on the CPU that called twheel_work_begin_run().
 */
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
	work_wake_thread(c, smp_processor_id());
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
	.store			= &work_thread,
	.thread_should_run	= work_thread_should_run,
	.thread_fn		= work_thread_run,
	.thread_comm		= "twheel/%u",
};

/**
 * twheel_work_online - take work for a CPU
 * @cpu: The CPU.
 */
void twheel_work_online(unsigned int cpu)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);

	raw_spin_lock_irq(&c->lock);
	c->online = true;
	raw_spin_unlock_irq(&c->lock);
}

static struct twheel_work *work_first(struct work_cpu *c)
{
	lockdep_assert_held(&c->lock);

	list_splice_tail_init(&c->soon, &c->left);
	return list_first_entry_or_null(&c->left, struct twheel_work, node);
}

/**
 * twheel_work_offline - give the work of a CPU to another one
 * @cpu: The CPU, which goes offline.
 * @to: The other CPU.
 *
 * Context: process, on @cpu.
 */
void twheel_work_offline(unsigned int cpu, unsigned int to)
{
	struct work_cpu *c = per_cpu_ptr(&work_cpus, cpu);
	struct work_cpu *other = per_cpu_ptr(&work_cpus, to);
	struct twheel_work *work;

	raw_spin_lock_irq(&c->lock);
	c->online = false;
	while ((work = work_first(c))) {
		list_del_init(&work->node);
		/* No one may look for the work in this CPU's list any more. */
		work_set_cpu(work, to);
		raw_spin_unlock_irq(&c->lock);
		raw_spin_lock_irq(&other->lock);
		work_add_left(work, to);
		raw_spin_unlock_irq(&other->lock);
		cond_resched();
		raw_spin_lock_irq(&c->lock);
	}
	raw_spin_unlock_irq(&c->lock);
	timer_delete_sync(&c->kick);
}

/**
 * twheel_work_init - start the threads
 *
 * Return: 0 or a negative errno.
 */
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

/**
 * twheel_work_exit - stop the threads
 *
 * No work is queued, and no caller queues any more. Waits until each thread has run: a
 * real-time task that never sleeps can delay that.
 *
 * Context: process, may sleep.
 */
void twheel_work_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		timer_shutdown_sync(&per_cpu(work_cpus, cpu).kick);
	smpboot_unregister_percpu_thread(&work_threads);
}
