// SPDX-License-Identifier: GPL-2.0
/* Reads that must not wait (RWF_NOWAIT), and reads of io_uring, which need no thread. */
#include <sys/syscall.h>
#include <sys/uio.h>

#include "device.h"
#include "io_ring.h"

URING_TEST(uring_read_takes_no_thread)
{
	enum { READS = 20 };
	struct twheel_event events[READS];
	struct io_ring_result cqe;
	bool seen[READS] = { false };
	int i;

	for (i = 0; i < READS; i++)
		io_ring_submit(io_ring_read(fd, &events[i], sizeof(events[i]), i));
	pass_ticks(3);
	ASSERT(!io_ring_completed(&cqe));
	ASSERT_EQ(io_ring_workers(), 0);
	for (i = 0; i < READS; i++)
		add(fd, ticks(1 + i % 3), i);
	for (i = 0; i < READS; i++) {
		cqe = io_ring_wait();
		ASSERT_EQ(cqe.res, sizeof(events[0]));
		ASSERT_LT(cqe.user_data, READS);
		check_event(&events[cqe.user_data]);
		see_once(seen, events[cqe.user_data].cookie, READS);
	}
	ASSERT_EQ(io_ring_workers(), 0);
	ASSERT_EQ(timers_of(fd), 0);
}

URING_TEST(uring_read_takes_as_many_as_fit)
{
	struct twheel_event events[4];
	int i;

	for (i = 0; i < 5; i++)
		wait_until_expired(fd, add(fd, 0, i));
	io_ring_submit(io_ring_read(fd, events, sizeof(events), 1));
	ASSERT_EQ(io_ring_wait().res, sizeof(events));
	ASSERT_EQ(timers_of(fd), 1);
}

URING_TEST(uring_read_into_registered_memory)
{
	struct twheel_event *event = two_pages(PROT_READ | PROT_WRITE);
	struct iovec memory = { event, page_size() };
	struct io_uring_sqe sqe = io_ring_read(fd, event, sizeof(*event), 1);

	CALL(syscall(__NR_io_uring_register, io_ring_fd(), IORING_REGISTER_BUFFERS,
		     &memory, 1));
	sqe.opcode = IORING_OP_READ_FIXED;
	io_ring_submit(sqe);
	pass_ticks(2);
	ASSERT(!io_ring_completed(&(struct io_ring_result){ 0 }));
	add(fd, 0, 5);
	ASSERT_EQ(io_ring_wait().res, sizeof(*event));
	ASSERT_EQ(event->cookie, 5);
}

/* The second one has no room for an event. */
URING_TEST(uring_read_that_must_not_wait_is_eagain_or_einval)
{
	struct twheel_event event;
	struct io_uring_sqe sqe = io_ring_read(fd, &event, sizeof(event), 1);

	sqe.rw_flags = RWF_NOWAIT;
	io_ring_submit(sqe);
	ASSERT_EQ(io_ring_wait().res, -EAGAIN);
	io_ring_submit(io_ring_read(fd, &event, sizeof(event) - 1, 1));
	ASSERT_EQ(io_ring_wait().res, -EINVAL);
}

/* From a descriptor without O_NONBLOCK. page_fault.c reads what is there. */
DEVICE_TEST(nowait_read_without_an_event_is_eagain)
{
	struct twheel_event event;
	struct iovec piece = { &event, sizeof(event) };

	ASSERT_ERRNO(preadv2(fd, &piece, 1, -1, RWF_NOWAIT), EAGAIN);
	add(fd, LONG, 1);
	ASSERT_ERRNO(preadv2(fd, &piece, 1, -1, RWF_NOWAIT), EAGAIN);
}
