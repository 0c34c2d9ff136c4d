// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/twheel: by single calls, by batches, by its two mappings, and by io_uring.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include "../../lib/libtwheel.h"
#include "io_ring.h"
#include "measure.h"

/* The longest batch, and the usual one. */
#define BATCH	256
#define EVENTS	1024

static size_t batch = BATCH;
static bool by_command;

static int device;
static int epoll;
static uint64_t *handle;
static struct twheel_op *ops;
static struct twheel_event *events;
static struct twheel_table table;
static struct twheel_events ring;

static void check(long result, long expected, const char *what)
{
	if (result != expected)
		die(result < 0 ? (int)-result : 0, "twheel: %s returned %ld", what,
		    result);
}

static void open_device(size_t n)
{
	struct epoll_event event = { .events = EPOLLIN };

	device = twheel_open(O_NONBLOCK);
	if (device < 0)
		die(-device, "/dev/twheel");
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, device, &event))
		die(errno, "epoll");
	handle = allocate(n * sizeof(*handle));
	ops = allocate(BATCH * sizeof(*ops));
	events = allocate(EVENTS * sizeof(*events));
}

static void open_table(size_t n)
{
	open_device(n);
	check(twheel_map_table(device, n, &table), 0, "twheel_map_table()");
}

static void open_ring(size_t n)
{
	open_device(n);
	/* Room for the events that may come between two reads, as a program would have. */
	check(twheel_map_ring(device, n < 65536 ? n : 65536, &ring), 0,
	      "twheel_map_ring()");
}

static void arm_single(const uint64_t *deadline, size_t n)
{
	struct twheel_op op;
	size_t i;

	for (i = 0; i < n; i++) {
		op = twheel_at(CLOCK_MONOTONIC, deadline[i], i);
		check(twheel_add(device, &op), 0, "twheel_add()");
		handle[i] = op.handle;
	}
}

static void extend_single(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		check(twheel_change(device, handle[order[i]], deadline[i],
				    TWHEEL_ABSTIME), 0, "twheel_change()");
}

static void cancel_single(const uint32_t *order, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		check(twheel_cancel(device, handle[order[i]]), 0, "twheel_cancel()");
}

static long submit_command(size_t count)
{
	struct twheel_batch arg = { .ops = (uintptr_t)ops, .count = (uint32_t)count };
	struct io_uring_cqe *cqe;
	int result;

	twheel_prep_command(io_uring_get_sqe(&io_ring), device, TWHEEL_IOC_BATCH, &arg);
	io_ring_submit(1, 1);
	if (io_uring_peek_cqe(&io_ring, &cqe))
		die(0, "no completion of io_uring");
	result = cqe->res;
	io_uring_cqe_seen(&io_ring, cqe);
	return result;
}

static void submit(size_t count)
{
	size_t i;

	check(by_command ? submit_command(count) : twheel_submit(device, ops, count),
	      (long)count, "a batch");
	for (i = 0; i < count; i++)
		check(ops[i].result, 0, "an operation of a batch");
}

static size_t batch_at(size_t done, size_t n)
{
	return n - done < batch ? n - done : batch;
}

static void arm_with(const uint64_t *deadline, size_t n, uint32_t flags)
{
	size_t i, done, count;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++) {
			ops[i] = twheel_at(CLOCK_MONOTONIC, deadline[done + i],
					   done + i);
			ops[i].flags |= flags;
		}
		submit(count);
		for (i = 0; i < count; i++)
			handle[done + i] = ops[i].handle;
	}
}

static void arm_batch(const uint64_t *deadline, size_t n)
{
	arm_with(deadline, n, 0);
}

static void arm_shared(const uint64_t *deadline, size_t n)
{
	arm_with(deadline, n, TWHEEL_SHARED);
}

static void extend_batch(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i, done, count;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++)
			ops[i] = (struct twheel_op) {
				.op = TWHEEL_OP_CHANGE,
				.flags = TWHEEL_ABSTIME,
				.handle = handle[order[done + i]],
				.time_ns = deadline[done + i],
			};
		submit(count);
	}
}

static void cancel_batch(const uint32_t *order, size_t n)
{
	size_t i, done, count;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++)
			ops[i] = (struct twheel_op) {
				.op = TWHEEL_OP_CANCEL,
				.handle = handle[order[done + i]],
			};
		submit(count);
	}
}

static void extend_shared(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		check(twheel_push_back(&table, handle[order[i]], deadline[i]),
		      TWHEEL_PUSHED, "twheel_push_back()");
}

static void wait_for_events(void)
{
	struct epoll_event event;

	if (epoll_wait(epoll, &event, 1, -1) != 1)
		die(errno, "epoll_wait");
}

static size_t take_events(void)
{
	size_t taken = 0;
	long n;

	wait_for_events();
	do {
		n = twheel_read(device, events, EVENTS);
		if (n == -EAGAIN)
			break;
		if (n < 0)
			die((int)-n, "twheel_read");
		taken += (size_t)n;
	} while (n == EVENTS);
	return taken;
}

static size_t take_from_ring(void)
{
	size_t n;

	wait_for_events();
	n = twheel_ring_count(&ring);
	twheel_ring_advance(&ring, n);
	return n;
}

const struct mechanism twheel_single = {
	.name = "twheel_single",
	.open = open_device,
	.arm = arm_single,
	.extend = extend_single,
	.cancel = cancel_single,
};

const struct mechanism twheel_batch = {
	.name = "twheel_batch",
	.open = open_device,
	.arm = arm_batch,
	.extend = extend_batch,
	.cancel = cancel_batch,
	.take = take_events,
};

const struct mechanism twheel_mmap = {
	.name = "twheel_mmap",
	.open = open_table,
	.arm = arm_shared,
	.extend = extend_shared,
	.cancel = cancel_batch,
};

const struct mechanism twheel_ring = {
	.name = "twheel_ring",
	.open = open_ring,
	.arm = arm_batch,
	.extend = extend_batch,
	.cancel = cancel_batch,
	.take = take_from_ring,
};

/* Batches of another length, by an ioctl() or by a command of io_uring for each. */
#define BATCHES_OF(length, way, command)			\
static void open_##way##_##length(size_t n)			\
{								\
	batch = length;						\
	by_command = command;					\
	if (command)						\
		io_ring_open(1);				\
	open_device(n);						\
}								\
								\
const struct mechanism twheel_##way##_##length = {		\
	.name = "twheel_" #way "_" #length,			\
	.open = open_##way##_##length,				\
	.arm = arm_batch,					\
	.extend = extend_batch,					\
	.cancel = cancel_batch,					\
}

BATCHES_OF(1, ioctl, false);
BATCHES_OF(8, ioctl, false);
BATCHES_OF(64, ioctl, false);
BATCHES_OF(1, command, true);
BATCHES_OF(8, command, true);
BATCHES_OF(64, command, true);
