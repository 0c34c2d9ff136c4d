/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the server of samples/epoll can have instead of /dev/twheel: structures in
 * its own memory, and one timerfd.
 */
#ifndef _BACKEND_H
#define _BACKEND_H

#include <stdint.h>
#include "../../samples/epoll/timeout.h"

extern const struct timeout_backend timeouts_heap;
extern const struct timeout_backend timeouts_hwheel;

/**
 * struct alarm - the timerfd of a backend
 * @fd: It.
 * @when: What it is set to, in ns of CLOCK_MONOTONIC; UINT64_MAX if to nothing.
 */
struct alarm {
	int		fd;
	uint64_t	when;
};

/* 0, or a negative errno. */
int alarm_open(struct alarm *alarm);

/* Sees to it that it rings no later than @when. 0, or a negative errno. */
int alarm_at(struct alarm *alarm, uint64_t when);

/* It has rung, or may have. */
void alarm_stop(struct alarm *alarm);

#endif /* _BACKEND_H */
