// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: calls as commands of io_uring */
#include <linux/io_uring.h>
#include "internal.h"

API void twheel_prep_command(struct io_uring_sqe *sqe, int fd, uint32_t call, void *argument)
{
	const struct twheel_uring_cmd payload = { .arg = (uintptr_t)argument };

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = fd;
	sqe->cmd_op = call;
	memcpy(sqe->cmd, &payload, sizeof(payload));
}
