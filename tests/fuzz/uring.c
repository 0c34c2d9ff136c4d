// SPDX-License-Identifier: GPL-2.0
/*
 * The next ioctl of a thread as a command of io_uring. Each command has a ring of its
 * own, which ends with it, so that nothing is left of it when the program ends.
 */
#include <liburing.h>

#include "world.h"

enum { ASYNC = 2 };		/* a bit of @uring_mode: in a thread of io_uring */

__thread unsigned int uring_mode;

/* Submit the request, and wait for its result: a command ends by itself. */
static long run_request(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	long ret;

	fail_begin();
	ret = io_uring_submit_and_wait(ring, 1);
	fail_end();
	if (ret < 0 && io_uring_sq_ready(ring))
		return ret;
	while (io_uring_wait_cqe(ring, &cqe))
		continue;
	return cqe->res;
}

/* Make the call of an ioctl as a command. Returns its result or a negative errno. */
long uring_issue(int fd, __u32 request, __u64 arg)
{
	const struct twheel_uring_cmd payload = { .arg = arg, .reserved = uring_mode >> 2 };
	const bool async = uring_mode & ASYNC;
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	long ret;

	uring_mode = 0;
	if (io_uring_queue_init(1, &ring, 0))
		return -EMFILE;
	sqe = io_uring_get_sqe(&ring);
	*sqe = (struct io_uring_sqe){
		.opcode = IORING_OP_URING_CMD,
		.flags = async ? IOSQE_ASYNC : 0,
		.fd = fd,
		.cmd_op = request,
	};
	memcpy(sqe->cmd, &payload, sizeof(payload));
	ret = run_request(&ring);
	io_uring_queue_exit(&ring);
	return ret;
}
