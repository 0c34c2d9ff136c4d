// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: the cost of running due timers
 *
 * All engines run timers in softirq, so the benchmark measures the time of softirqs. It
 * disables bottom halves, waits for the next tick, whose interrupt raises the softirqs,
 * reads the clock and enables bottom halves: that runs the softirqs at once. This window
 * has the whole work of the tick, including moves of timers within a wheel. It does not
 * have the work of the tick's interrupt itself, which checks timer_list and hrtimer.
 *
 * The kernel may break off a long run of softirqs and leave the rest to ksoftirqd. So after
 * each window in which callbacks ran, the next window opens without waiting for a tick,
 * and runs that rest. Callbacks outside of windows do not count.
 */
#include <linux/bottom_half.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include "bench.h"
#include "bench_clock.h"

/**
 * bench_window - run softirqs and measure their time
 * @wait: Whether to wait for the next tick first.
 *
 * Return: the time in nanoseconds.
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

/**
 * struct windows - the measurements of a turn
 * @sum: Time of all windows, in nanoseconds.
 * @longest: Time of the longest window.
 * @fired: Number of callbacks in windows.
 * @count: Number of windows.
 */
struct windows {
	u64	sum;
	u64	longest;
	u64	fired;
	u64	count;
};

/* Measures windows until @n callbacks have run. Gives up at tick @last. */
static int run_windows(struct bench_fired *fired, u32 n, u64 last, struct windows *w)
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
 * The first deadline is far enough ahead to arm all timers before, and for the wheels to
 * get rid of what the turn before has left behind.
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
	ret = run_windows(&bench_fired[kind], set->n, base.tick + 2 * range + 60 * HZ, w);
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
 * bench_expire - measure the cost of running due timers
 * @n: Number of timers.
 * @seconds: Deadlines are spread over so long a time.
 * @reps: Number of repetitions.
 *
 * Return: 0 or a negative errno.
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
