// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: twheel as modules use it, with its locks and interrupt flags
 */
#include "bench.h"
#include "engine/engine.h"
#include "twheel.h"

static void engine_open(uint64_t now)
{
	static bool started;
	unsigned int cpu;

	jiffies_64 = now;
	if (started)
		return;
	started = true;
	native_init();
	if (twheel_engine_init())
		abort();
	for_each_possible_cpu(cpu) {
		native_become_cpu(cpu);
		native_online(cpu);
	}
	native_become_cpu(0);
}

static void engine_setup(void *timer, fired_fn fn)
{
	twheel_setup((struct twheel_timer *)timer, (twheel_fn_t)(void *)fn, 0);
}

static void engine_add(void *timer, uint64_t expires)
{
	twheel_add(timer, expires);
}

static void engine_mod(void *timer, uint64_t expires)
{
	twheel_mod(timer, expires);
}

static void engine_cancel(void *timer)
{
	twheel_cancel(timer);
}

static void engine_tick(uint64_t now)
{
	WRITE_ONCE(jiffies_64, now);
	native_softirq();
}

const struct peer peer_engine = {
	.name	= "engine",
	.size	= sizeof(struct twheel_timer),
	.open	= engine_open,
	.setup	= engine_setup,
	.add	= engine_add,
	.mod	= engine_mod,
	.extend	= engine_mod,
	.cancel	= engine_cancel,
	.tick	= engine_tick,
};
