// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/* libtwheel: many operations in one call */
#include "internal.h"

/*
 * Operations in one system call: no more than any driver takes, and enough to make the cost
 * of the call negligible.
 */
#define CALL_MAX	4096

static uint32_t call_size(size_t rest)
{
	return rest < CALL_MAX ? (uint32_t)rest : CALL_MAX;
}

API long twheel_submit(int fd, struct twheel_op *ops, size_t count)
{
	size_t done = 0;
	int ret;

	while (done < count) {
		struct twheel_batch batch = {
			.ops = (uintptr_t)(ops + done),
			.count = call_size(count - done),
		};

		ret = twheel_call(fd, TWHEEL_IOC_BATCH, &batch);
		if (ret == -EINTR)
			continue;
		if (ret < 0)
			return done ? (long)done : ret;
		done += (size_t)ret;
	}
	return (long)done;
}

API long twheel_drain(int fd, struct twheel_op *ops, size_t room)
{
	size_t done = 0;
	int ret;

	while (done < room) {
		struct twheel_drain drain = {
			.ops = (uintptr_t)(ops + done),
			.count = call_size(room - done),
		};

		ret = twheel_call(fd, TWHEEL_IOC_DRAIN, &drain);
		if (ret == -EINTR)
			continue;
		/* The caller must not lose the timers that have been taken back. */
		if (ret < 0)
			return done ? (long)done : ret;
		if (!ret)
			break;
		done += (size_t)ret;
	}
	return (long)done;
}

API int twheel_resume(int fd)
{
	struct twheel_drain drain = { .flags = TWHEEL_DRAIN_RESUME };

	return twheel_call(fd, TWHEEL_IOC_DRAIN, &drain);
}

API long twheel_list(int fd, uint64_t *cursor, struct twheel_op *ops, size_t room,
		     uint32_t flags)
{
	size_t done = 0;
	int ret;

	while (done < room) {
		struct twheel_list list = {
			.ops = (uintptr_t)(ops + done),
			.cursor = *cursor,
			.count = call_size(room - done),
			.flags = flags,
		};

		ret = twheel_call(fd, TWHEEL_IOC_LIST, &list);
		if (ret == -EINTR)
			continue;
		if (ret < 0)
			return done ? (long)done : ret;
		*cursor = list.cursor;
		if (!ret)
			break;
		done += (size_t)ret;
	}
	return (long)done;
}

API long twheel_restore(int fd, struct twheel_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		ops[i].op = TWHEEL_OP_ADD;
		ops[i].flags |= TWHEEL_RESTORE | TWHEEL_KEEP_HANDLE;
		ops[i].result = 0;
	}
	return twheel_submit(fd, ops, count);
}
