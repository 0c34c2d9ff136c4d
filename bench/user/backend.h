/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backends for the server of samples/epoll that use no /dev/twheel: a data structure in
 * the program's memory, and one timerfd. Each is used once in a process of its own, and frees
 * nothing.
 */
#ifndef _BACKEND_H
#define _BACKEND_H

#include <stdint.h>
#include "../../samples/epoll/timeout.h"

extern const struct timeout_backend timeouts_heap;
extern const struct timeout_backend timeouts_wheel;

/* Opens the timerfd of the backend. Returns the descriptor or a negative errno. */
int alarm_open(void);

/*
 * Makes sure that the alarm expires at @when in ns of CLOCK_MONOTONIC, or earlier. Returns 0 or a
 * negative errno.
 */
int alarm_at(uint64_t when);

/* Called after the alarm has expired, or may have. It is not set any more. */
void alarm_stop(void);

#endif /* _BACKEND_H */
