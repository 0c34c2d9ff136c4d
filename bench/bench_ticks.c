// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: what ticks cost in which a given number of timers are due
 *
 * For machines whose clock counts instructions (scripts/vm --icount), which are idle otherwise.
 * Probes of tracepoints sum up the time of the timer's interrupts and of the two softirqs that run
 * timers, while a thread waits until all due timers have run: that is "tick". Such a softirq
 * searches the wheel of timer_list, for 400 instructions more or less by which timers the kernel
 * has. So "run" has the part in callbacks of timer_list: the runs of twheel.
 *
 * Each tick has the same number of due timers. twheel moves each of them down one level
 * on its way, and these moves count. Other timers are pending more than an hour ahead.
 */
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "bench.h"

/* How far ahead the first due timer is: in the wheel's level 1, as all that are due. */
#define LEAD	192
/* Timers are armed at the beginning of a slot of level 2, so that all are in level 1. */
#define ALIGN_TICKS	4096
/* A prime: has no factor in common with a count of timers. */
#define STRIDE	7919
/* At most so many ticks have due timers: the last of them is in level 1, too. */
#define MOST	2048
/* timer_list runs a timer up to 64 ticks late at that distance. */
#define LATE	64
/* What ticks cost in which no timer is due is measured over so many of them. */
#define EMPTY	256

/* When what is measured began; the time of all of that; the time of a look at the clock: in ns */
static u64 began, sum, look;

static void interrupt_begins(void *unused, int vector)
{
	began = ktime_get_ns();
}

static void interrupt_ends(void *unused, int vector)
{
	sum += ktime_get_ns() - began - look;
}

static void softirq_begins(void *unused, unsigned int vector)
{
	began = ktime_get_ns();
}

static void softirq_ends(void *unused, unsigned int vector)
{
	u64 now = ktime_get_ns();

	if (vector == TIMER_SOFTIRQ || vector == HRTIMER_SOFTIRQ)
		sum += now - began - look;
}

static void callback_begins(void *unused, struct timer_list *timer, unsigned long clk)
{
	began = ktime_get_ns();
}

static void callback_ends(void *unused, struct timer_list *timer)
{
	sum += ktime_get_ns() - began - look;
}

/* A function for a tracepoint */
struct probe {
	const char		*name;	/* of the tracepoint */
	void			*fn;
	struct tracepoint	*tp;	/* once it is found */
};

static struct probe tick_probes[] = {
	{ "local_timer_entry", interrupt_begins },
	{ "local_timer_exit", interrupt_ends },
	{ "softirq_entry", softirq_begins },
	{ "softirq_exit", softirq_ends },
	{ }
};

static struct probe callback_probes[] = {
	{ "timer_expire_entry", callback_begins },
	{ "timer_expire_exit", callback_ends },
	{ }
};

static void find_tracepoint(struct tracepoint *tp, void *arg)
{
	struct probe *probe = arg;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

static void stop_probes(struct probe *probe)
{
	for (; probe->tp; probe++) {
		tracepoint_probe_unregister(probe->tp, probe->fn, NULL);
		probe->tp = NULL;
	}
	tracepoint_synchronize_unregister();
}

static bool start_probes(struct probe *probes)
{
	struct probe *probe;

	began = ktime_get_ns();
	look = ktime_get_ns() - began;
	for (probe = probes; probe->name; probe++) {
		for_each_kernel_tracepoint(find_tracepoint, probe);
		if (!probe->tp || tracepoint_probe_register(probe->tp, probe->fn, NULL)) {
			probe->tp = NULL;
			stop_probes(probes);
			return false;
		}
	}
	return true;
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
		op = &set->ops[i];
		if (i < all)
			op->deadline = (u64)i * STRIDE % all / due;
		else
			op->deadline += BENCH_HOUR;
	}
}

/*
 * Measures @what: the time between probes while the due timers of an engine expire, less that of as
 * many ticks before, by the mean of %EMPTY. Without due timers, the time of a tick.
 */
static int measure(struct bench_set *set, const char *what, enum bench_engine_kind kind,
		   u32 due, struct probe *probes)
{
	const struct bench_engine *engine = &bench_engines[kind];
	u32 ticks = ticks_with(set->n, due), good = 0;
	struct bench_base base;
	u64 empty, waited;

	memset(&bench_fired[kind], 0, sizeof(bench_fired[kind]));
	bench_pass(set, engine->setup, NULL, &good);
	if (!start_probes(probes))
		return -EOPNOTSUPP;
	wait_until_tick(round_up(get_jiffies_64() + EMPTY, ALIGN_TICKS) - EMPTY);
	sum = 0;
	wait_until_tick(round_up(get_jiffies_64(), ALIGN_TICKS));
	empty = due ? sum : 0;
	bench_base_now(&base);
	base.tick += LEAD;
	base.time = ktime_add_ns(base.time, LEAD * TICK_NSEC);
	bench_pass(set, engine->op[BENCH_ADD], &base, &good);
	sum = 0;
	waited = base.tick + ticks + LATE - get_jiffies_64();
	wait_until_tick(base.tick + ticks + LATE);
	sum -= empty * waited / EMPTY;
	stop_probes(probes);
	bench_pass(set, engine->op[BENCH_CANCEL], &base, &good);
	if (bench_fired[kind].count != (u64)due * ticks) {
		pr_err("%s: %llu timers expired, instead of %u in each of %u ticks\n",
		       engine->name, bench_fired[kind].count, due, ticks);
		return -EIO;
	}
	seq_buf_printf(&bench_results, "%s_%u,%s,%llu,%llu\n", what, due, engine->name, sum,
		       due ? ticks : waited);
	return 0;
}

/* Measures ticks. @n: timers in all. @due: timers that are due in each tick. */
int bench_ticks(u32 n, u32 due)
{
	struct bench_set set;
	int ret, kind;

	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	set_deadlines(&set, due);
	for (kind = 0; kind < BENCH_ENGINES && !ret; kind++)
		ret = measure(&set, "tick", kind, due, tick_probes);
	if (!ret)
		ret = measure(&set, "run", BENCH_TWHEEL, due, callback_probes);
	bench_set_exit(&set);
	return ret;
}
