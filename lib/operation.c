// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: one operation */
#include "internal.h"

/* The ioctls of one operation want @op->op and @op->result to be 0. */
static int run(int fd, unsigned long call, struct twheel_op *op)
{
	uint32_t opcode = op->op;
	int ret;

	op->op = 0;
	op->result = 0;
	ret = twheel_call(fd, call, op);
	op->op = opcode;
	return ret;
}

API int twheel_add(int fd, struct twheel_op *op)
{
	return run(fd, TWHEEL_IOC_ADD, op);
}

API int twheel_change(int fd, uint64_t handle, uint64_t time_ns, uint32_t flags)
{
	struct twheel_op op = {
		.flags = flags,
		.handle = handle,
		.time_ns = time_ns,
	};

	return run(fd, TWHEEL_IOC_CHANGE, &op);
}

API int twheel_cancel(int fd, uint64_t handle)
{
	struct twheel_op op = { .handle = handle };

	return run(fd, TWHEEL_IOC_CANCEL, &op);
}

API int twheel_query(int fd, uint64_t handle, struct twheel_op *op, uint32_t flags)
{
	*op = (struct twheel_op){ .handle = handle, .flags = flags };
	return run(fd, TWHEEL_IOC_QUERY, op);
}

API int twheel_upsert(int fd, struct twheel_op *op)
{
	return run(fd, TWHEEL_IOC_UPSERT, op);
}

API int twheel_push_or_rearm(int fd, const struct twheel_table *table, struct twheel_op *op)
{
	const uint32_t flags = TWHEEL_SHARED | TWHEEL_ABSTIME;

	if ((op->flags & flags) != flags || op->clockid != CLOCK_MONOTONIC || op->period_ns ||
	    op->time_ns > INT64_MAX)
		return -EINVAL;
	if (twheel_push_back(table, op->handle, op->time_ns) != TWHEEL_PUSHED_NOT)
		return 0;
	return twheel_upsert(fd, op);
}

API int twheel_cancel_group(int fd, uint64_t group, uint64_t *retracted)
{
	struct twheel_op op = { .group = group };
	int ret = run(fd, TWHEEL_IOC_CANCEL_GROUP, &op);

	if (retracted)
		*retracted = ret < 0 ? 0 : op.time_ns;
	return ret;
}
