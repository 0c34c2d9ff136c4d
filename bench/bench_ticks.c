// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: what ticks cost in which a given number of timers are due
 *
 * For machines whose clock counts instructions (scripts/vm --icount), which are idle
 * otherwise. A probe of the tracepoints softirq_entry and softirq_exit sums up the time of
 * the two softirqs that run timers, while a thread waits until all due timers have run.
 *
 * Each tick has the same number of due timers. twheel moves each of them down one level
 * on its way, and these moves count. Other timers are pending more than an hour ahead.
 */
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "bench.h"
#include "bench_clock.h"

/* How far ahead the first due timer is: in the wheel's level 1, as all that are due. */
#define LEAD	192
/* The first is due at a multiple of that, a slot of level 2, so that moves are the same. */
#define ALIGN_TICKS	4096
/* A prime: has no factor in common with a count of timers. */
#define STRIDE	7919
/* At most so many ticks have due timers: the last of them is in level 1, too. */
#define MOST	2048
/* timer_list runs a timer up to 64 ticks late at that distance. */
#define LATE	64

/**
 * struct probe - the softirqs that ran
 * @entry: Tracepoint in front of a softirq.
 * @exit: Tracepoint behind a softirq.
 * @start: When the last softirq began.
 * @sum: Time of the softirqs that run timers, in nanoseconds.
 */
static struct probe {
	struct tracepoint	*entry;
	struct tracepoint	*exit;
	u64			start;
	u64			sum;
} probe;

static void softirq_begins(void *unused, unsigned int vector)
{
	probe.start = bench_clock();
}

static void softirq_ends(void *unused, unsigned int vector)
{
	u64 now = bench_clock();

	if (vector == TIMER_SOFTIRQ || vector == HRTIMER_SOFTIRQ)
		probe.sum += now - probe.start;
}

static void find_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "softirq_entry"))
		probe.entry = tp;
	if (!strcmp(tp->name, "softirq_exit"))
		probe.exit = tp;
}

static int start_probe(void)
{
	int ret;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!probe.entry || !probe.exit)
		return -EOPNOTSUPP;
	ret = tracepoint_probe_register(probe.entry, softirq_begins, NULL);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(probe.exit, softirq_ends, NULL);
	if (ret)
		tracepoint_probe_unregister(probe.entry, softirq_begins, NULL);
	return ret;
}

static void stop_probe(void)
{
	tracepoint_probe_unregister(probe.exit, softirq_ends, NULL);
	tracepoint_probe_unregister(probe.entry, softirq_begins, NULL);
	tracepoint_synchronize_unregister();
}

/*
 * The thread stays on the CPU: the idle task would stop ticks now and then, and start them
 * again. Time passes at once while the CPU is halted, but a loop that waits is emulated.
 */
static void wait_until_tick(u64 tick)
{
	while (time_before64(get_jiffies_64(), tick)) {
		cond_resched();
#ifdef CONFIG_X86
		asm volatile("hlt" : : : "memory");
#else
		cpu_relax();
#endif
	}
}

/* How many ticks have due timers. */
static u32 ticks_with(u32 n, u32 due)
{
	return due ? min(n / due, MOST) : MOST;
}

/* @due deadlines in each tick, in an order without a pattern; the others are far ahead. */
static void set_deadlines(struct bench_set *set, u32 due)
{
	u32 i, all = due * ticks_with(set->n, due);
	struct bench_op *op;

	bench_set_deadlines(set, BENCH_HOUR);
	for (i = 0; i < set->n; i++) {
		op = bench_at(&set->ops, i, sizeof(*op));
		if (i < all)
			op->deadline = (u64)i * STRIDE % all / due;
		else
			op->deadline += BENCH_HOUR;
	}
}

static int take_turn(struct bench_set *set, enum bench_engine_kind kind, u32 due,
		     unsigned int rep)
{
	const struct bench_engine *engine = &bench_engines[kind];
	u32 ticks = ticks_with(set->n, due), good = 0;
	struct bench_base base;
	char metric[16];

	memset(&bench_fired[kind], 0, sizeof(bench_fired[kind]));
	bench_pass(set, engine->setup, 0, set->n, NULL, &good);
	wait_until_tick(round_up(get_jiffies_64() + LEAD, ALIGN_TICKS) - LEAD - 1);
	bench_base_now(&base);
	base.tick += LEAD;
	base.time = ktime_add_ns(base.time, LEAD * TICK_NSEC);
	bench_pass(set, engine->op[BENCH_ADD], 0, set->n, &base, &good);
	probe.sum = 0;
	wait_until_tick(base.tick + ticks + LATE);
	snprintf(metric, sizeof(metric), "tick_%u", due);
	bench_result(metric, set->n, engine->name, rep, probe.sum, ticks);
	bench_pass(set, engine->op[BENCH_CANCEL], 0, set->n, &base, &good);
	if (bench_fired[kind].count == (u64)due * ticks)
		return 0;
	pr_err("%s: %llu timers expired, instead of %u in each of %u ticks\n",
	       engine->name, bench_fired[kind].count, due, ticks);
	return -EIO;
}

/**
 * bench_ticks - measure ticks with a given number of due timers
 * @n: Number of timers, in all.
 * @due: Number of timers that are due in each tick.
 * @reps: Number of repetitions.
 *
 * Return: 0 or a negative errno.
 */
int bench_ticks(u32 n, u32 due, unsigned int reps)
{
	struct bench_set set;
	unsigned int rep;
	int ret, kind;

	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	set_deadlines(&set, due);

	ret = start_probe();
	if (ret)
		goto out;
	for (rep = 0; rep < reps && !ret; rep++) {
		for (kind = 0; kind < BENCH_ENGINES && !ret; kind++) {
			ret = take_turn(&set, kind, due, rep);
			if (bench_stopped())
				ret = -EINTR;
		}
	}
	stop_probe();
out:
	bench_set_exit(&set);
	return ret;
}
