/* SPDX-License-Identifier: GPL-2.0 */
/* An io_uring, by its system calls: one for each case. */
#ifndef _IO_RING_H
#define _IO_RING_H

#include <linux/io_uring.h>
#include <linux/twheel.h>
#include <stdbool.h>

#include "harness.h"

enum { IO_RING_ENTRIES = 64 };

/* A completion. */
struct io_ring_result {
	__u64		user_data;
	int		res;
	unsigned int	flags;
};

/* Open the ring with IORING_SETUP_ flags. Skips the case if that is impossible. */
void io_ring_open(unsigned int flags);
int io_ring_fd(void);

/* A case with a ring, and a descriptor of the device: @fd. For this, include device.h. */
#define URING_TEST(id)							\
	static void run_##id(int fd);					\
	TEST_CALL(id, io_ring_open(0); run_##id(open_device(0)))	\
	static void run_##id(const int fd)

/* End the ring. Its requests in flight are cancelled. */
void io_ring_close(void);

/*
 * Put a request into the queue, where the kernel does not look yet; let the kernel carry out all
 * requests of the queue; and both for one request.
 */
void io_ring_queue(struct io_uring_sqe sqe);
void io_ring_enter(void);
void io_ring_submit(struct io_uring_sqe sqe);

/* Take a completion that is there already, without a system call. */
bool io_ring_peek(struct io_ring_result *result);

/* The same, but let the kernel finish first the work that it has left to this task. */
bool io_ring_completed(struct io_ring_result *result);

/* Wait for a completion, and take it. */
struct io_ring_result io_ring_wait(void);

struct io_uring_sqe io_ring_read(int fd, void *buffer, size_t size, __u64 user_data);

/* A command is a TWHEEL_IOC_ call with its argument. Returns its result or a negative errno. */
struct io_uring_sqe io_ring_command(int fd, unsigned int call, const void *arg);
int io_ring_call(int fd, unsigned int call, const void *arg);

/* The number of threads that io_uring has started in this process to do work. */
unsigned int io_ring_workers(void);

#endif /* _IO_RING_H */
