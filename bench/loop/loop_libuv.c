// SPDX-License-Identifier: GPL-2.0
/* Counting instructions: libuv, whose timers are in a heap. */
#include <stdlib.h>
#include <uv.h>
#include "count.h"

static uv_loop_t loop;

static void open_loop(void)
{
	if (uv_loop_init(&loop))
		abort();
}

static void nothing(uv_timer_t *timer)
{
}

static void init(void *timer)
{
	uv_timer_init(&loop, timer);
}

static void start(void *timer, uint64_t ms)
{
	uv_timer_start(timer, nothing, ms, 0);
}

/* uv_timer_again() takes the timeout from the timer. */
static void again(void *timer, uint64_t ms)
{
	uv_timer_set_repeat(timer, ms);
	uv_timer_again(timer);
}

static void stop(void *timer)
{
	uv_timer_stop(timer);
}

static void turn(void)
{
	uv_backend_timeout(&loop);
}

const struct loop loop_libuv = {
	.name	= "libuv",
	.size	= sizeof(uv_timer_t),
	.open	= open_loop,
	.init	= init,
	.start	= start,
	.again	= again,
	.stop	= stop,
	.turn	= turn,
};
