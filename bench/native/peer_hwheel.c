// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: the wheel of the server in bench/user, which is only checked here
 *
 * Its hand rests until hwheel_next(), as the server's program sleeps until then.
 */
#include "../user/hwheel.h"
#include "bench.h"

#define MOST	3000

struct timer {
	uint32_t	number;
	fired_fn	fn;
};

static struct hwheel wheel;
static uint64_t began;

static void hwheel_begin(uint64_t now)
{
	began = now;
	if (hwheel_open(&wheel, MOST))
		abort();
}

static void hwheel_arm(void *timer, uint64_t expires)
{
	struct timer *t = timer;

	t->number = hwheel_add(&wheel, expires - began, t);
	if (!t->number)
		abort();
}

static void hwheel_mod(void *timer, uint64_t expires)
{
	struct timer *t = timer;

	if (hwheel_change(&wheel, t->number, expires - began))
		abort();
}

static void hwheel_cancel(void *timer)
{
	struct timer *t = timer;

	hwheel_remove(&wheel, t->number);
}

static void hwheel_tick(uint64_t now)
{
	struct timer *t;

	if (hwheel_next(&wheel) > now - began)
		return;
	hwheel_advance(&wheel, now - began);
	while ((t = hwheel_take(&wheel)))
		t->fn(t);
}

const struct peer peer_hwheel = {
	.name	= "hwheel",
	.exact	= true,
	.size	= sizeof(struct timer),
	.fn	= offsetof(struct timer, fn),
	.open	= hwheel_begin,
	.add	= hwheel_arm,
	.mod	= hwheel_mod,
	.extend	= hwheel_mod,
	.cancel	= hwheel_cancel,
	.tick	= hwheel_tick,
};
