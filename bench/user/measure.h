/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmarks share: time, memory and random numbers; the machine; and the
 * mechanisms that are compared.
 */
#ifndef _MEASURE_H
#define _MEASURE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NSEC	1000000000ull

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Ends the program with a message, and that of the errno @error unless it is 0. */
void die(int error, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);

struct timespec to_timespec(uint64_t ns);

/* Allocates memory with all its pages. Its content is undefined. */
void *allocate(size_t size);

/* Allocates zeroed memory that child processes share with this one. */
void *allocate_shared(size_t size);

/* Random numbers: the same in every run. */
uint64_t random_below(uint64_t limit);

/* The numbers from 0 to @n - 1 in random order. */
uint32_t *permutation(size_t n);

/*
 * CPU time of all CPUs since boot in ns, interrupts included. The kernel must measure idle time. If
 * it samples at each tick instead, it never sees the work that the tick itself causes. Reads
 * /proc/timer_list, which lists all pending timers.
 */
uint64_t busy_ns(void);

/* Raises a resource limit of the process to at least @value. */
void raise_limit(int resource, uint64_t value);

/*
 * The mechanisms that the kernel offers for a program's timeouts. Each is used as a program
 * would use it: one process, one thread, absolute deadlines of CLOCK_MONOTONIC, resource
 * limits raised as needed. The result of every call is checked.
 */

/*
 * An implementation of timeouts. All functions but @open and @arm may be missing; then they
 * are not measured. A mechanism is used once in a process of its own, and frees nothing.
 */
struct mechanism {
	const char *name;
	/* Allocates the program's own memory, before anything is counted. */
	void (*open)(size_t n);
	/* Creates and arms timers: timer i for deadline[i]. */
	void (*arm)(const uint64_t *deadline, size_t n);
	/* Gives timers a later deadline, one after the other: timer order[i] gets deadline[i]. */
	void (*extend)(const uint32_t *order, const uint64_t *deadline, size_t n);
	/* Cancels and destroys the timers of @order, one after the other. */
	void (*cancel)(const uint32_t *order, size_t n);
	/* Waits for expirations, takes those that have come, and returns their number. */
	size_t (*take)(void);
	/* @extend and @cancel take time in proportion to the timers: only a sample is measured. */
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

#endif /* _MEASURE_H */
