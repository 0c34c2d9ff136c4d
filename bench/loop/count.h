/* SPDX-License-Identifier: GPL-2.0 */
/* Counting instructions of an event loop's timers: what is common to the loops. */
#ifndef _COUNT_H
#define _COUNT_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct loop - the timers of an event loop
 * @name: Its name.
 * @size: The size of a timer.
 * @open: Open a loop.
 * @init: Initialise a timer.
 * @start: Start or restart a timer, @ms from now.
 * @again: Restart a timer that runs, @ms from now, as after each message of a client.
 * @stop: Stop a timer.
 * @turn: What the loop does once in a turn, before it polls, without system calls for descriptors.
 */
struct loop {
	const char	*name;
	size_t		size;
	void		(*open)(void);
	void		(*init)(void *timer);
	void		(*start)(void *timer, uint64_t ms);
	void		(*again)(void *timer, uint64_t ms);
	void		(*stop)(void *timer);
	void		(*turn)(void);
};

extern const struct loop loop_twheel, loop_libuv;

#endif /* _COUNT_H */
