// SPDX-License-Identifier: MIT
/*
 * Wait for a deadline by twheel, with the device or without it.
 *
 * A program in a container often does not know whether its host has the module, and whether the
 * container got the device. libtwheel-loop finds out: where the device cannot be used, the same
 * wheel runs in the process. The last line of the output says where the timer was, and why.
 *
 * usage: deadline
 */
#include <err.h>
#include <errno.h>
#include <libtwheel.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twheel_loop.h>

/* More than two ticks at HZ=100: a shorter timer is in the process anyway. */
#define DELAY_NS	100000000u

static uint64_t now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

static void expire(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	(void)loop;
	if (now() < timer->deadline_ns)
		errx(EXIT_FAILURE, "the timer expired too early");
}

static void report(const struct twheel_loop *loop)
{
	int reason;
	const enum twheel_loop_place place = twheel_loop_backend(loop, &reason);

	if (place == TWHEEL_LOOP_IN_PROCESS && !reason)
		puts("in the process, as TWHEEL_LOOP says");
	else if (reason) /* also if the device has refused the timer */
		printf("in the process: %s\n", strerror(-reason));
	else
		puts("in the device");
}

int main(void)
{
	struct twheel_loop_timer timer;
	struct twheel_loop *loop;
	const int error = twheel_loop_open(&loop, 0);

	if (error) {
		errno = -error;
		err(EXIT_FAILURE, "twheel_loop_open");
	}
	twheel_loop_timer_init(&timer, expire);
	twheel_loop_timer_start(loop, &timer, now() + DELAY_NS);
	while (twheel_loop_timer_running(&timer)) {
		struct pollfd fd = { .fd = twheel_loop_fd(loop), .events = POLLIN };

		twheel_loop_prepare(loop, now());
		if (poll(&fd, 1, twheel_loop_timeout(loop, now())) < 0 && errno != EINTR)
			err(EXIT_FAILURE, "poll");
		twheel_loop_dispatch(loop, now(), fd.revents);
	}
	report(loop);
	twheel_loop_close(loop);
	return EXIT_SUCCESS;
}
