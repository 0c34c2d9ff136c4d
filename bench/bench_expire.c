// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: what it costs to run due timers
 *
 * All engines measured here work in softirqs, so those of a CPU are made to run
 * where a clock can be read before and behind them: bottom halves are disabled
 * while the CPU waits for the next tick, whose interrupt marks what there is to
 * do, and enabled then. What runs in this window is the tick's whole work, all
 * moving of timers included, at the time at which it would run anyway. It is
 * no part of it that the tick's interrupt itself looks at both the kernel's
 * facilities.
 *
 * A run that the kernel breaks off, to go on in ksoftirqd, goes on in the next
 * window instead, without waiting for a tick: that is done whenever callbacks ran.
 * What runs outside of windows nonetheless is not counted as run in them.
 */
#include <linux/bottom_half.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include "bench.h"
#include "bench_clock.h"

/**
 * bench_window - run softirqs and take the time
 * @wait: Wait for the next tick first.
 *
 * Return: How long they ran, in nanoseconds.
 */
u64 bench_window(bool wait)
{
	u64 start, tick;

	local_bh_disable();
	tick = get_jiffies_64();
	while (wait && bench_tick_is(tick))
		cpu_relax();
	start = bench_clock();
	local_bh_enable();
	return bench_clock() - start;
}

/* What was measured in the windows of a turn. */
struct windows {
	u64	sum;
	u64	longest;
	u64	fired;
	u64	count;
};

/* Until all have run or something has gone wrong. */
static int watch(struct bench_fired *fired, u32 n, u64 last, struct windows *w)
{
	bool wait = true;
	u64 before, took;

	while (fired->count < n) {
		if (time_after64(get_jiffies_64(), last))
			return -ETIMEDOUT;
		if (bench_stopped())
			return -EINTR;
		before = fired->count;
		took = bench_window(wait);
		wait = fired->count == before;
		w->sum += took;
		w->fired += fired->count - before;
		w->longest = max(w->longest, took);
		if (++w->count % 64 == 0)
			cond_resched();
	}
	return 0;
}

/*
 * Arming takes some time, so the first deadline lies a little ahead, and the
 * wheels have been cleaned of what the turn before has left behind.
 */
static int take_turn(struct bench_set *set, enum bench_engine_kind kind,
		     u64 range, struct windows *w)
{
	const struct bench_engine *engine = &bench_engines[kind];
	u64 lead = HZ / 2 + (u64)HZ * set->n / 400000;
	struct bench_base base;
	u32 good = 0;
	int ret;

	memset(w, 0, sizeof(*w));
	memset(&bench_fired[kind], 0, sizeof(bench_fired[kind]));
	bench_pass(set, engine->setup, 0, set->n, NULL, &good);
	bench_base_now(&base);
	base.tick += lead;
	base.time = ktime_add_ns(base.time, lead * TICK_NSEC);
	bench_pass(set, engine->op[BENCH_ADD], 0, set->n, &base, &good);
	if (time_after_eq64(get_jiffies_64(), base.tick))
		pr_warn("%s: arming took longer than expected\n", engine->name);
	ret = watch(&bench_fired[kind], set->n, base.tick + 2 * range + 60 * HZ, w);
	if (ret)
		bench_pass(set, engine->op[BENCH_CANCEL], 0, set->n, &base, &good);
	return ret;
}

static void report(enum bench_engine_kind kind, u32 n, unsigned int rep,
		   const struct windows *w)
{
	const char *name = bench_engines[kind].name;

	bench_result("expire", n, name, rep, w->sum, w->fired);
	bench_result("worst_run", n, name, rep, w->longest, 1);
	bench_result("late_ticks", n, name, rep, bench_fired[kind].late, 1);
}

/**
 * bench_expire - measure what running timers costs
 * @n: Timers.
 * @seconds: They are spread over so long a time.
 * @reps: How often.
 *
 * Return: 0 or an error.
 */
int bench_expire(u32 n, u32 seconds, unsigned int reps)
{
	struct bench_set set;
	struct windows w;
	unsigned int rep;
	int ret, kind;

	ret = bench_set_init(&set, n);
	if (ret)
		return ret;
	bench_set_deadlines(&set, (u64)seconds * HZ);
	for (rep = 0; rep < reps && !ret; rep++) {
		for (kind = 0; kind < BENCH_ENGINES && !ret; kind++) {
			ret = take_turn(&set, kind, (u64)seconds * HZ, &w);
			if (!ret)
				report(kind, n, rep, &w);
		}
	}
	bench_set_exit(&set);
	return ret;
}
