// SPDX-License-Identifier: GPL-2.0
/*
 * A ring with a polling thread: timers are armed, pushed back and cancelled, and their events
 * are read, without a system call.
 */
#include "device.h"
#include "io_ring.h"

/* Carry out a request, and wait for its result. Neither io_ring_ function makes a system call. */
static int carry_out(struct io_uring_sqe sqe)
{
	struct io_ring_result result;

	io_ring_queue(sqe);
	while (!io_ring_peek(&result))
		continue;
	return result.res;
}

TEST(polling_thread_makes_system_calls_unnecessary)
{
	const struct io_uring_sqe nop = { .opcode = IORING_OP_NOP };
	const int fd = open_device(0);
	struct twheel_event event;
	struct twheel_op op;
	int i;

	io_ring_open(IORING_SETUP_SQPOLL);
	/* the polling thread may begin asleep */
	io_ring_submit(nop);
	ASSERT_EQ(io_ring_wait().res, 0);
	for (i = 0; i < 40; i++) {
		op = new_timer(LONG, i);
		ASSERT_EQ(carry_out(io_ring_command(fd, TWHEEL_IOC_ADD, &op)), 0);
		op = op_on(0, op.handle);
		ASSERT_EQ(carry_out(io_ring_command(fd, i % 2 ? TWHEEL_IOC_CANCEL :
						    TWHEEL_IOC_CHANGE, &op)), 0);
		if (i % 2)
			continue;
		ASSERT_EQ(carry_out(io_ring_read(fd, &event, sizeof(event), i)),
			  sizeof(event));
		ASSERT_EQ(event.cookie, i);
	}
}
