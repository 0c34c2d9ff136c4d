/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mechanisms that the kernel offers for a program's timeouts.
 *
 * Each is used as a program would use it: one process, one thread, absolute deadlines of
 * CLOCK_MONOTONIC, resource limits raised as needed. The result of every call is checked.
 */
#ifndef _MECHANISM_H
#define _MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mechanism - an implementation of timeouts
 * @name: Its name in messages and results.
 * @open: Prepare for @n timers. This allocates the program's own memory, which does not
 *	count as memory of the timers.
 * @arm: Create and arm @n timers: timer i for deadline[i].
 * @extend: Give @n timers a later deadline, one after the other: timer order[i] gets
 *	deadline[i].
 * @cancel: Cancel and destroy the @n timers of @order, one after the other.
 * @take: Wait for expirations, take those that have come, and return their number.
 * @linear: @extend and @cancel take time in proportion to the number of timers, so that
 *	only a sample of the timers is measured.
 *
 * All functions but @open and @arm may be missing; then they are not measured. A
 * mechanism is used once in a process of its own, and frees nothing.
 */
struct mechanism {
	const char *name;
	void (*open)(size_t n);
	void (*arm)(const uint64_t *deadline, size_t n);
	void (*extend)(const uint32_t *order, const uint64_t *deadline, size_t n);
	void (*cancel)(const uint32_t *order, size_t n);
	size_t (*take)(void);
	bool linear;
};

extern const struct mechanism twheel_single;	/* one ioctl() per operation */
extern const struct mechanism twheel_batch;	/* one ioctl() for 256; read() */
extern const struct mechanism twheel_mmap;	/* the table of deadlines */
extern const struct mechanism twheel_ring;	/* the ring of events */
extern const struct mechanism twheel_ioctl_1;	/* one ioctl() for a batch of 1 */
extern const struct mechanism twheel_ioctl_8;
extern const struct mechanism twheel_ioctl_64;
extern const struct mechanism twheel_command_1;	/* the same by a command of io_uring */
extern const struct mechanism twheel_command_8;
extern const struct mechanism twheel_command_64;
extern const struct mechanism timerfd;
extern const struct mechanism posix;
extern const struct mechanism uring;		/* one system call for 1024 */
extern const struct mechanism uring_single;	/* one system call per operation */

/* The floors: the surroundings of twheel's operations, such as an empty system call. */
extern const struct mechanism floor_single;
extern const struct mechanism floor_batch;
extern const struct mechanism floor_mmap;
extern const struct mechanism floor_events;

#endif /* _MECHANISM_H */
