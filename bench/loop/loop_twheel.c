// SPDX-License-Identifier: GPL-2.0
/* Counting instructions: libtwheel-loop, in the process. Time stands still, as libuv's does. */
#include <libtwheel.h>
#include <stdlib.h>
#include <twheel_loop.h>
#include "count.h"

static struct twheel_loop *loop;
static uint64_t now;

static void twheel_open_loop(void)
{
	if (twheel_loop_open(&loop, TWHEEL_LOOP_PROCESS))
		abort();
	now = twheel_now(CLOCK_MONOTONIC);
	twheel_loop_prepare(loop, now);
}

static void nothing(struct twheel_loop *l, struct twheel_loop_timer *timer)
{
}

static void init(void *timer)
{
	twheel_loop_timer_init(timer, nothing);
}

static void start(void *timer, uint64_t ms)
{
	twheel_loop_timer_start(loop, timer, now + ms * 1000000);
}

static void again(void *timer, uint64_t ms)
{
	twheel_loop_timer_again(loop, timer, now + ms * 1000000);
}

static void stop(void *timer)
{
	twheel_loop_timer_stop(loop, timer);
}

static void turn(void)
{
	twheel_loop_prepare(loop, now);
	twheel_loop_timeout(loop, now);
	twheel_loop_dispatch(loop, now, 0);
}

const struct loop loop_twheel = {
	.name	= "twheel",
	.size	= sizeof(struct twheel_loop_timer),
	.open	= twheel_open_loop,
	.init	= init,
	.start	= start,
	.again	= again,
	.stop	= stop,
	.turn	= turn,
};
