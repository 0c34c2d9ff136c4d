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

static inline u32 wheel_setup(const struct bench_op *op,
			      const struct bench_base *base)
{
	twheel_setup(&op->object->wheel.timer, wheel_fn, 0);
	return 1;
}

static inline u32 wheel_add(const struct bench_op *op,
			    const struct bench_base *base)
{
	u64 expires = base->tick + op->deadline;

	op->object->wheel.due = expires;
	return !twheel_add(&op->object->wheel.timer, expires);
}

static inline u32 wheel_rearm(const struct bench_op *op,
			      const struct bench_base *base)
{
	u64 expires = base->tick + op->other;

	op->object->wheel.due = expires;
	return twheel_mod(&op->object->wheel.timer, expires);
}

static inline u32 wheel_later(const struct bench_op *op,
			      const struct bench_base *base)
{
	u64 expires = base->tick + op->other + BENCH_PUSH;

	op->object->wheel.due = expires;
	return twheel_mod(&op->object->wheel.timer, expires);
}

static inline u32 wheel_cancel(const struct bench_op *op,
			       const struct bench_base *base)
{
	return twheel_cancel(&op->object->wheel.timer);
}

static void list_fn(struct timer_list *timer)
{
	record_expiry(BENCH_TIMER_LIST, timer->expires);
}

static inline u32 list_setup(const struct bench_op *op,
			     const struct bench_base *base)
{
	timer_setup(&op->object->list.timer, list_fn, TIMER_PINNED);
	return 1;
}

static inline u32 list_add_op(const struct bench_op *op,
			      const struct bench_base *base)
{
	op->object->list.timer.expires = base->tick + op->deadline;
	add_timer(&op->object->list.timer);
	return 1;
}

static inline u32 list_rearm(const struct bench_op *op,
			     const struct bench_base *base)
{
	return mod_timer(&op->object->list.timer, base->tick + op->other);
}

static inline u32 list_later(const struct bench_op *op,
			     const struct bench_base *base)
{
	return mod_timer(&op->object->list.timer,
			 base->tick + op->other + BENCH_PUSH);
}

static inline u32 list_cancel(const struct bench_op *op,
			      const struct bench_base *base)
{
	return timer_delete(&op->object->list.timer);
}

static enum hrtimer_restart high_fn(struct hrtimer *timer)
{
	record_expiry(BENCH_HRTIMER, container_of(timer, struct bench_object,
						  high.timer)->high.due);
	return HRTIMER_NORESTART;
}

static inline u32 high_setup(const struct bench_op *op,
			     const struct bench_base *base)
{
	hrtimer_setup(&op->object->high.timer, high_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	return 1;
}

static inline u32 high_start(const struct bench_op *op,
			     const struct bench_base *base, u64 ticks)
{
	op->object->high.due = base->tick + ticks;
	hrtimer_start_range_ns(&op->object->high.timer,
			       ktime_add_ns(base->time, ticks * TICK_NSEC),
			       TICK_NSEC, HRTIMER_MODE_ABS_PINNED_SOFT);
	return 1;
}

static inline u32 high_add(const struct bench_op *op,
			   const struct bench_base *base)
{
	return high_start(op, base, op->deadline);
}

static inline u32 high_rearm(const struct bench_op *op,
			     const struct bench_base *base)
{
	return high_start(op, base, op->other);
}

static inline u32 high_later(const struct bench_op *op,
			     const struct bench_base *base)
{
	return high_start(op, base, op->other + BENCH_PUSH);
}

static inline u32 high_cancel(const struct bench_op *op,
			      const struct bench_base *base)
{
	return hrtimer_try_to_cancel(&op->object->high.timer) > 0;
}

BENCH_PASS(wheel_setup_pass, wheel_setup)
BENCH_PASS(wheel_add_pass, wheel_add)
BENCH_PASS(wheel_rearm_pass, wheel_rearm)
BENCH_PASS(wheel_later_pass, wheel_later)
BENCH_PASS(wheel_cancel_pass, wheel_cancel)
BENCH_PASS(list_setup_pass, list_setup)
BENCH_PASS(list_add_pass, list_add_op)
BENCH_PASS(list_rearm_pass, list_rearm)
BENCH_PASS(list_later_pass, list_later)
BENCH_PASS(list_cancel_pass, list_cancel)
BENCH_PASS(high_setup_pass, high_setup)
BENCH_PASS(high_add_pass, high_add)
BENCH_PASS(high_rearm_pass, high_rearm)
BENCH_PASS(high_later_pass, high_later)
BENCH_PASS(high_cancel_pass, high_cancel)

const struct bench_engine bench_engines[BENCH_ENGINES] = {
	[BENCH_TWHEEL] = {
		.name	= "twheel",
		.setup	= wheel_setup_pass,
		.op	= {
			[BENCH_ADD]	= wheel_add_pass,
			[BENCH_REARM]	= wheel_rearm_pass,
			[BENCH_LATER]	= wheel_later_pass,
			[BENCH_CANCEL]	= wheel_cancel_pass,
		},
	},
	[BENCH_TIMER_LIST] = {
		.name	= "timer_list",
		.setup	= list_setup_pass,
		.op	= {
			[BENCH_ADD]	= list_add_pass,
			[BENCH_REARM]	= list_rearm_pass,
			[BENCH_LATER]	= list_later_pass,
			[BENCH_CANCEL]	= list_cancel_pass,
		},
	},
	[BENCH_HRTIMER] = {
		.name	= "hrtimer",
		.setup	= high_setup_pass,
		.op	= {
			[BENCH_ADD]	= high_add_pass,
			[BENCH_REARM]	= high_rearm_pass,
			[BENCH_LATER]	= high_later_pass,
			[BENCH_CANCEL]	= high_cancel_pass,
		},
	},
};
