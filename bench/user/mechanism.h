/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel offers for a program's timeouts.
 *
 * All are used as their own users would: one process, one thread, deadlines
 * that are readings of CLOCK_MONOTONIC, limits raised as far as it takes. Every
 * call's result is checked.
 */
#ifndef _MECHANISM_H
#define _MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mechanism - a way to have timeouts
 * @name: For people and the table.
 * @open: Get ready for @n timers. What the program itself keeps is allocated
 *	here, and not counted as the timers' memory.
 * @arm: Create and arm @n timers from @first on: timer i for deadline[i].
 * @extend: Give @n timers, in that order, a later deadline: timer order[i]
 *	deadline[i].
 * @cancel: Cancel and destroy @n timers, in that order.
 * @take: Wait for expirations, take what there is, and say how many.
 * @linear: @extend and @cancel look at all timers for each: measured for a part
 *	of the timers.
 *
 * What is not there, which may be all but @open and @arm, is not measured. A mechanism
 * is used once, in a process of its own, which ends without much ado.
 */
struct mechanism {
	const char *name;
	void (*open)(size_t n);
	void (*arm)(const uint64_t *deadline, size_t first, size_t n);
	void (*extend)(const uint32_t *order, const uint64_t *deadline, size_t n);
	void (*cancel)(const uint32_t *order, size_t n);
	size_t (*take)(void);
	bool linear;
};

extern const struct mechanism twheel_single;	/* an ioctl for each */
extern const struct mechanism twheel_batch;	/* an ioctl for 256, read() */
extern const struct mechanism twheel_mmap;	/* the table of deadlines */
extern const struct mechanism twheel_ring;	/* the ring of events */
extern const struct mechanism timerfd;
extern const struct mechanism posix;
extern const struct mechanism uring;		/* a call for 1024 */
extern const struct mechanism uring_single;	/* a call for each */

/* What is around the work of twheel's, without it: a system call, and so on. */
extern const struct mechanism floor_single;
extern const struct mechanism floor_batch;
extern const struct mechanism floor_mmap;
extern const struct mechanism floor_events;

#endif /* _MECHANISM_H */
