// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: twheel and its peers, as kernel code uses them
 *
 * Conditions are equal as far as possible. timer_list and hrtimer are pinned, so that
 * they do not look for a busy CPU. hrtimers run in softirq, as the others do, and have
 * a slack of one tick, because the others are exact to a tick. No cancellation
 * waits for a callback.
 */
#include <linux/kernel.h>
#include "../twheel_compat.h"
#include "bench.h"

struct bench_fired bench_fired[BENCH_ENGINES];
struct seq_buf bench_results;

const char * const bench_op_names[BENCH_OPS] = {
	[BENCH_ADD]	= "add",
	[BENCH_REARM]	= "rearm",
	[BENCH_LATER]	= "rearm_later",
	[BENCH_CANCEL]	= "cancel",
};

static void record_expiry(enum bench_engine_kind engine, u64 due)
{
	struct bench_fired *fired = &bench_fired[engine];
	u64 now = get_jiffies_64();

	fired->count++;
	if (now > due && now - due > fired->late)
		fired->late = now - due;
}

/* Waits for the next tick, so that both members describe the same moment. */
void bench_base_now(struct bench_base *base)
{
	u64 tick = get_jiffies_64();

	while (!time_after64(get_jiffies_64(), tick))
		cpu_relax();
	base->tick = get_jiffies_64();
	base->time = ktime_get();
}

static void wheel_fn(struct twheel_timer *timer)
{
	record_expiry(BENCH_TWHEEL, container_of(timer, struct bench_object,
						 wheel.timer)->wheel.due);
}

static inline u32 wheel_setup(const struct bench_op *op)
{
	twheel_setup(&op->object->wheel.timer, wheel_fn, 0);
	return 1;
}

static inline u32
wheel_add(const struct bench_op *op, const struct bench_base *base, u64 ticks)
{
	u64 expires = base->tick + ticks;

	op->object->wheel.due = expires;
	return !twheel_add(&op->object->wheel.timer, expires);
}

static inline u32
wheel_mod(const struct bench_op *op, const struct bench_base *base, u64 ticks)
{
	u64 expires = base->tick + ticks;

	op->object->wheel.due = expires;
	return twheel_mod(&op->object->wheel.timer, expires);
}

static inline u32 wheel_cancel(const struct bench_op *op)
{
	return twheel_cancel(&op->object->wheel.timer);
}

static void listed_fn(struct timer_list *timer)
{
	record_expiry(BENCH_TIMER_LIST, timer->expires);
}

static inline u32 listed_setup(const struct bench_op *op)
{
	timer_setup(&op->object->list.timer, listed_fn, TIMER_PINNED);
	return 1;
}

static inline u32
listed_add(const struct bench_op *op, const struct bench_base *base, u64 ticks)
{
	op->object->list.timer.expires = base->tick + ticks;
	add_timer(&op->object->list.timer);
	return 1;
}

static inline u32
listed_mod(const struct bench_op *op, const struct bench_base *base, u64 ticks)
{
	return mod_timer(&op->object->list.timer, base->tick + ticks);
}

static inline u32 listed_cancel(const struct bench_op *op)
{
	return timer_delete(&op->object->list.timer);
}

static enum hrtimer_restart high_fn(struct hrtimer *timer)
{
	record_expiry(BENCH_HRTIMER, container_of(timer, struct bench_object,
						  high.timer)->high.due);
	return HRTIMER_NORESTART;
}

static inline u32 high_setup(const struct bench_op *op)
{
	hrtimer_setup(&op->object->high.timer, high_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	return 1;
}

static inline u32
high_add(const struct bench_op *op, const struct bench_base *base, u64 ticks)
{
	op->object->high.due = base->tick + ticks;
	hrtimer_start_range_ns(&op->object->high.timer,
			       ktime_add_ns(base->time, ticks * TICK_NSEC),
			       TICK_NSEC, HRTIMER_MODE_ABS_PINNED_SOFT);
	return 1;
}

#define high_mod high_add

static inline u32 high_cancel(const struct bench_op *op)
{
	return hrtimer_try_to_cancel(&op->object->high.timer) > 0;
}

/* The operation is inlined into the loop, so that no figure includes a function call. */
#define PASS(_name, _call)						\
	static void _name(const struct bench_op *ops, u32 count,	\
			  const struct bench_base *base, u32 *good)	\
	{								\
		const struct bench_op *op;				\
		u32 i, sum = 0;						\
									\
		for (i = 0; i < count; i++) {				\
			op = &ops[i];					\
			sum += _call;					\
		}							\
		*good += sum;						\
	}

PASS(wheel_setup_pass, wheel_setup(op))
PASS(wheel_add_pass, wheel_add(op, base, op->deadline))
PASS(wheel_rearm_pass, wheel_mod(op, base, op->other))
PASS(wheel_later_pass, wheel_mod(op, base, op->other + BENCH_PUSH))
PASS(wheel_cancel_pass, wheel_cancel(op))
PASS(listed_setup_pass, listed_setup(op))
PASS(listed_add_pass, listed_add(op, base, op->deadline))
PASS(listed_rearm_pass, listed_mod(op, base, op->other))
PASS(listed_later_pass, listed_mod(op, base, op->other + BENCH_PUSH))
PASS(listed_cancel_pass, listed_cancel(op))
PASS(high_setup_pass, high_setup(op))
PASS(high_add_pass, high_add(op, base, op->deadline))
PASS(high_rearm_pass, high_mod(op, base, op->other))
PASS(high_later_pass, high_mod(op, base, op->other + BENCH_PUSH))
PASS(high_cancel_pass, high_cancel(op))

#define ENGINE(_name, _engine)	{			\
	.name	= _name,				\
	.setup	= _engine##_setup_pass,			\
	.op	= {					\
		[BENCH_ADD]	= _engine##_add_pass,	\
		[BENCH_REARM]	= _engine##_rearm_pass,	\
		[BENCH_LATER]	= _engine##_later_pass,	\
		[BENCH_CANCEL]	= _engine##_cancel_pass, \
	},						\
}

const struct bench_engine bench_engines[BENCH_ENGINES] = {
	[BENCH_TWHEEL]		= ENGINE("twheel", wheel),
	[BENCH_TIMER_LIST]	= ENGINE("timer_list", listed),
	[BENCH_HRTIMER]		= ENGINE("hrtimer", high),
};
