// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: how much two CPUs slow each other down
 *
 * Each CPU arms, changes and cancels its own half of the timers. First one CPU does so
 * alone, then both CPUs do so at the same time. If they share nothing, both take as long
 * as one. The figure is the time of the slower CPU, divided by the time of one CPU alone,
 * in thousandths.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include "bench.h"
#include "bench_clock.h"

#define CPUS	2

/**
 * struct half - the half of a CPU
 * @set: All objects.
 * @engine: The engine that is measured.
 * @from: Index of the CPU's first object.
 * @to: Index of its last object, plus 1.
 * @ready: Number of CPUs that are ready to begin.
 * @parties: Number of CPUs that begin together.
 * @took: The CPU's time, in nanoseconds.
 * @done: Completed at the end.
 */
struct half {
	struct bench_set		*set;
	const struct bench_engine	*engine;
	u32				from;
	u32				to;
	atomic_t			*ready;
	int				parties;
	u64				took;
	struct completion		done;
};

static int half_thread(void *arg)
{
	struct half *half = arg;
	u32 rounds = max(1U, BENCH_LEAST / (half->to - half->from)), good = 0;
	enum bench_op_kind kind;
	struct bench_base base;
	u64 start;

	/* On this CPU, because a timer belongs to the CPU that sets it up. */
	bench_pass(half->set, half->engine->setup, half->from, half->to, NULL,
		   &good);
	bench_base_now(&base);
	atomic_inc(half->ready);
	while (atomic_read(half->ready) < half->parties)
		cond_resched();

	start = bench_clock();
	for (; rounds; rounds--)
		for (kind = 0; kind < BENCH_OPS; kind++)
			bench_pass(half->set, half->engine->op[kind],
				   half->from, half->to, &base, &good);
	half->took = bench_clock() - start;
	complete(&half->done);
	return 0;
}

static struct task_struct *create(struct half *half, unsigned int cpu)
{
	struct task_struct *task;

	init_completion(&half->done);
	task = kthread_create(half_thread, half, "twheel_bench/%u", cpu);
	if (!IS_ERR(task))
		kthread_bind(task, cpu);
	return task;
}

/* Runs the halves of @parties CPUs together. Returns the longest time, or 0 on failure. */
static u64 run_halves(struct bench_set *set, const struct bench_engine *engine,
		      int parties)
{
	struct task_struct *task[CPUS];
	atomic_t ready = ATOMIC_INIT(0);
	struct half half[CPUS];
	int i, created = 0;
	unsigned int cpu;
	u64 took = 0;

	for_each_online_cpu(cpu) {
		if (created == parties)
			break;
		half[created] = (struct half) {
			.set = set,
			.engine = engine,
			.from = created * (set->n / CPUS),
			.to = (created + 1) * (set->n / CPUS),
			.ready = &ready,
			.parties = parties,
		};
		task[created] = create(&half[created], cpu);
		if (IS_ERR(task[created]))
			break;
		created++;
	}
	if (created < parties) {
		for (i = 0; i < created; i++)
			kthread_stop(task[i]);
		return 0;
	}
	/* The thread of this CPU is last: it may keep this thread from running. */
	for (i = parties - 1; i >= 0; i--)
		wake_up_process(task[i]);
	for (i = 0; i < parties; i++) {
		wait_for_completion(&half[i].done);
		took = max(took, half[i].took);
	}
	return took;
}

/**
 * bench_cpus - measure how much two CPUs slow each other down
 * @n: Number of timers of both CPUs.
 * @unused: Unused.
 * @reps: Number of repetitions.
 *
 * Return: 0 or a negative errno.
 */
int bench_cpus(u32 n, u32 unused, unsigned int reps)
{
	struct bench_set set;
	unsigned int rep, i;
	u64 one, two;
	int ret;

	if (num_online_cpus() < CPUS || n < CPUS)
		return -ENODEV;
	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	for (rep = 0; rep < reps && !ret; rep++) {
		for (i = 0; i < BENCH_ENGINES && !ret; i++) {
			one = run_halves(&set, &bench_engines[i], 1);
			two = run_halves(&set, &bench_engines[i], CPUS);
			if (!one || !two)
				ret = -ENOMEM;
			else if (bench_stopped())
				ret = -EINTR;
			else
				bench_result("two_cpus", n, bench_engines[i].name,
					     rep, two * 1000, one);
		}
	}
	bench_set_exit(&set);
	return ret;
}
