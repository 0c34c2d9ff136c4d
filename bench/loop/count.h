/* SPDX-License-Identifier: GPL-2.0 */
/* Counting instructions of an event loop's timers: what is common to the loops. */
#ifndef _COUNT_H
#define _COUNT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The timers of an event loop. @turn is what the loop does once in a turn, before it polls,
 * without system calls for descriptors.
 */
struct loop {
	const char	*name;
	size_t		size;	/* of a timer */
	void		(*open)(void);
	void		(*init)(void *timer);
	void		(*start)(void *timer, uint64_t ms);	/* or restart, in @ms */
	void		(*again)(void *timer, uint64_t ms);	/* one that runs */
	void		(*stop)(void *timer);
	void		(*turn)(void);
};

extern const struct loop loop_twheel, loop_libuv;

#endif /* _COUNT_H */
