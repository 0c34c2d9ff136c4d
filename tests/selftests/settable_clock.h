/* SPDX-License-Identifier: GPL-2.0 */
/* Cases that set CLOCK_REALTIME, and set it back at their end. */
#ifndef _SETTABLE_CLOCK_H
#define _SETTABLE_CLOCK_H

#include <errno.h>

#include "device.h"

/* How far the case has set the clock. */
static __s64 clock_moved;

static inline void move_clock(__s64 by)
{
	const __u64 time = read_clock(CLOCK_REALTIME) + by;
	const struct timespec ts = {
		.tv_sec = time / NSEC_PER_SEC, .tv_nsec = time % NSEC_PER_SEC,
	};

	CALL(clock_settime(CLOCK_REALTIME, &ts));
	clock_moved += by;
}

static inline void restore_clock(void)
{
	if (clock_moved)
		move_clock(-clock_moved);
}

/* Skip the case where CLOCK_REALTIME cannot be set. */
static inline void need_settable_clock(void)
{
	const __u64 before = read_clock(CLOCK_REALTIME);
	const struct timespec ts = {
		.tv_sec = before / NSEC_PER_SEC, .tv_nsec = before % NSEC_PER_SEC,
	};

	if (clock_settime(CLOCK_REALTIME, &ts) && errno == EPERM)
		skip("only root may set the clock");
	atexit(restore_clock);
	move_clock(HOUR);
	if (read_clock(CLOCK_REALTIME) < before + HOUR / 2)
		skip("the clock cannot be set here");
	restore_clock();
}

#endif /* _SETTABLE_CLOCK_H */
