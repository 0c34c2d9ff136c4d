/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backends for the server of samples/epoll that use no /dev/twheel: a data structure in
 * the program's memory, and one timerfd.
 */
#ifndef _BACKEND_H
#define _BACKEND_H

#include <stdint.h>
#include "../../samples/epoll/timeout.h"

extern const struct timeout_backend timeouts_heap;
extern const struct timeout_backend timeouts_hwheel;

/* The timerfd of a backend */
struct alarm {
	int		fd;
	uint64_t	when;	/* in ns of CLOCK_MONOTONIC; UINT64_MAX: not set */
};

/* Returns 0 or a negative errno. */
int alarm_open(struct alarm *alarm);

/* Makes sure that the alarm expires at @when or earlier. Returns 0 or a negative errno. */
int alarm_at(struct alarm *alarm, uint64_t when);

/* Called after the alarm has expired, or may have. It is not set any more. */
void alarm_stop(struct alarm *alarm);

#endif /* _BACKEND_H */
