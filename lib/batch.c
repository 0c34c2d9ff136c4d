// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
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

/*
 * Repeats a call until it has filled an array or finds nothing more. @arg is the argument of
 * the call, and @ops and @count are its fields. Returns how many operations are filled in.
 */
static long fill(int fd, unsigned long call, void *arg, __u64 *ops, __u32 *count,
		 struct twheel_op *array, size_t room)
{
	size_t done = 0;
	int ret;

	while (done < room) {
		*ops = (uintptr_t)(array + done);
		*count = call_size(room - done);
		ret = twheel_call(fd, call, arg);
		if (ret == -EINTR)
			continue;
		/* The caller must not lose the timers that have been taken back or listed. */
		if (ret < 0)
			return done ? (long)done : ret;
		if (!ret)
			break;
		done += (size_t)ret;
	}
	return (long)done;
}

API long twheel_drain(int fd, struct twheel_op *ops, size_t room)
{
	struct twheel_drain drain = { .ops = 0 };

	return fill(fd, TWHEEL_IOC_DRAIN, &drain, &drain.ops, &drain.count, ops, room);
}

API int twheel_resume(int fd)
{
	struct twheel_drain drain = { .flags = TWHEEL_DRAIN_RESUME };

	return twheel_call(fd, TWHEEL_IOC_DRAIN, &drain);
}

API long twheel_list(int fd, uint64_t *cursor, struct twheel_op *ops, size_t room,
		     uint32_t flags)
{
	struct twheel_list list = { .cursor = *cursor, .flags = flags };
	long ret = fill(fd, TWHEEL_IOC_LIST, &list, &list.ops, &list.count, ops, room);

	*cursor = list.cursor;
	return ret;
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
