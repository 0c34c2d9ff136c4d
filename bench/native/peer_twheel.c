// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: twheel's wheel alone, as twheel_core.c has it, without a lock
 */
#include "bench.h"
#include "twheel.h"
#include "twheel_core.h"

static struct twheel_wheel *wheel;
static void *levels;

static void twheel_open(uint64_t now)
{
	if (!wheel) {
		wheel = bench_memory(sizeof(*wheel));
		levels = bench_memory(TWHEEL_LEVELS_BYTES);
	}
	twheel_wheel_init(wheel, now);
	twheel_wheel_add_all_levels(wheel, levels);
}

static void twheel_timer_add(void *timer, uint64_t expires)
{
	twheel_wheel_insert(wheel, timer, expires);
}

static void twheel_timer_mod(void *timer, uint64_t expires)
{
	twheel_wheel_change(wheel, timer, expires);
}

static void twheel_timer_extend(void *timer, uint64_t expires)
{
	twheel_wheel_extend(timer, expires);
}

static void twheel_timer_cancel(void *timer)
{
	twheel_wheel_remove(wheel, timer, TWHEEL_IDLE);
}

static void twheel_tick(uint64_t now)
{
	unsigned int budget = UINT_MAX;
	struct twheel_node *node;
	struct twheel_timer *timer;

	while ((node = twheel_wheel_expire(wheel, now, &budget))) {
		timer = container_of(node, struct twheel_timer, node);
		timer->fn(timer);
	}
}

const struct peer peer_twheel = {
	.name	= "twheel",
	.size	= sizeof(struct twheel_timer),
	.fn	= offsetof(struct twheel_timer, fn),
	.fixed	= sizeof(struct twheel_wheel) + TWHEEL_LEVELS_BYTES,
	.open	= twheel_open,
	.add	= twheel_timer_add,
	.mod	= twheel_timer_mod,
	.extend	= twheel_timer_extend,
	.cancel	= twheel_timer_cancel,
	.tick	= twheel_tick,
};
