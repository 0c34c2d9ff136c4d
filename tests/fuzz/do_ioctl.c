// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl calls. The other arguments fill in a structure; then a poke of n + 1 changes
 * its byte n. A pointer at the start of the structure is left out and not counted.
 */
#include <sys/eventfd.h>

#include "world.h"

enum { MAX_FILLED = 256 };	/* operations of an array that are filled in */

static long issue_ioctl(int fd, unsigned long request, unsigned long arg)
{
	if (uring_mode)
		return uring_issue(fd, request, arg);
	return SYSCALL(ioctl(fd, request, arg));
}

static void poke_byte(void *structure, size_t size, __u64 poke)
{
	if (poke)
		((char *)structure)[(poke - 1) % size] ^= 1 + (poke - 1) / size;
}

/*
 * The size of a pointer to an array, which is not poked. A changed pointer could point to
 * the fuzzer's own memory, such as a stack, and the kernel would write results there.
 */
static size_t pointer_size(unsigned long request)
{
	_Static_assert(!offsetof(struct twheel_batch, ops), "first");
	_Static_assert(!offsetof(struct twheel_drain, ops), "first");
	_Static_assert(!offsetof(struct twheel_list, ops), "first");

	return request == TWHEEL_IOC_BATCH || request == TWHEEL_IOC_DRAIN ||
	       request == TWHEEL_IOC_LIST ? sizeof(__u64) : 0;
}

/* Issue an ioctl with a copy of @structure at @where, and copy the structure back. */
static long issue_at(__u64 file, unsigned long request, void *structure, size_t size,
		     __u64 where, __u64 poked)
{
	const size_t skip = pointer_size(request);
	char *at = memory_at(where, size);
	long ret;

	poke_byte((char *)structure + skip, size - skip, poked);
	memory_copy(at, structure, size);
	ret = issue_ioctl(world_file(file), request, (unsigned long)at);
	if (ret >= 0)
		memory_copy(structure, at, size);
	return ret;
}

long do_ioctl_info(const __u64 *arg)
{
	struct twheel_info info = { };

	return issue_at(arg[0], TWHEEL_IOC_INFO, &info, sizeof(info), arg[1], 0);
}

static struct twheel_op op_of(const __u64 *arg)
{
	return (struct twheel_op){
		.flags = arg[1],
		.clockid = arg[2],
		.time_ns = world_time(arg[3], arg[2]),
		.period_ns = arg[4],
		.group = arg[5],
		.handle = arg[6] ? world_handle(arg[6]) : 0,
		.window_ns = arg[9],
		.cookie = arg[3],
	};
}

static long add_or_upsert(const __u64 *arg, unsigned long request)
{
	struct twheel_op op = op_of(arg);
	long ret;

	ret = issue_at(arg[0], request, &op, sizeof(op), arg[7], arg[8]);
	if (ret >= 0)
		world_remember_handle(op.handle);
	return ret;
}

long do_ioctl_add(const __u64 *arg)
{
	return add_or_upsert(arg, TWHEEL_IOC_ADD);
}

long do_ioctl_upsert(const __u64 *arg)
{
	return add_or_upsert(arg, TWHEEL_IOC_UPSERT);
}

/* TWHEEL_ABSTIME, and all flags from TWHEEL_KEEP_HANDLE on, known or not. */
#define SOME_FLAGS (TWHEEL_ABSTIME | ~31U)

long do_ioctl_change(const __u64 *arg)
{
	struct twheel_op op = {
		.flags = arg[1] & SOME_FLAGS,
		.time_ns = world_time(arg[2], CLOCK_MONOTONIC),
		.handle = world_handle(arg[3]),
	};

	return issue_at(arg[0], TWHEEL_IOC_CHANGE, &op, sizeof(op), arg[4], arg[5]);
}

long do_ioctl_cancel(const __u64 *arg)
{
	struct twheel_op op = { .handle = world_handle(arg[1]) };

	return issue_at(arg[0], TWHEEL_IOC_CANCEL, &op, sizeof(op), arg[2], arg[3]);
}

long do_ioctl_query(const __u64 *arg)
{
	struct twheel_op op = {
		.flags = arg[1] & SOME_FLAGS,
		.handle = world_handle(arg[2]),
	};

	return issue_at(arg[0], TWHEEL_IOC_QUERY, &op, sizeof(op), arg[3], arg[4]);
}

long do_ioctl_cancel_group(const __u64 *arg)
{
	struct twheel_op op = { .group = arg[1] };
	long ret;

	ret = issue_at(arg[0], TWHEEL_IOC_CANCEL_GROUP, &op, sizeof(op), arg[2], arg[3]);
	return ret > 1 ? 2 : ret;
}

/*
 * An operation whose arguments follow from @seed. Bits 0 to 5 of @kinds allow operations;
 * if none is set, any is allowed. With bit 6, all timers have TWHEEL_SHARED.
 */
static struct twheel_op batch_op(__u64 seed, __u64 kinds)
{
	struct twheel_op op = { .op = seed % 8 };
	const __u64 time = (seed >> 8) % 4 * 10 * NSEC_PER_MSEC;

	if (kinds & 0x3f)
		while (!(kinds >> (op.op - 1) & 1))
			op.op = op.op % 6 + 1;
	switch (op.op) {
	case TWHEEL_OP_ADD:
	case TWHEEL_OP_UPSERT:
		op.clockid = (seed >> 12) % 8 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME;
		op.flags = (seed >> 16) % 4 ? 0 :
			   1U << (seed >> 20) % __builtin_popcount(ALL_OP_FLAGS);
		op.time_ns = op.flags & TWHEEL_ABSTIME ? world_time(ARG_NOW + time, 1) : time;
		op.period_ns = (seed >> 24) % 8 ? 0 : 10 * NSEC_PER_MSEC;
		op.group = (seed >> 28) % 4;
		op.cookie = seed;
		if (kinds & 1 << 6) {
			op.flags = TWHEEL_SHARED;
			op.clockid = CLOCK_MONOTONIC;
			op.period_ns = 0;
		}
		if (op.op == TWHEEL_OP_UPSERT)
			op.handle = world_handle((seed >> 32) % WORLD_HANDLES);
		break;
	case TWHEEL_OP_CHANGE:
		op.time_ns = time;
		op.handle = world_handle((seed >> 32) % WORLD_HANDLES);
		break;
	case TWHEEL_OP_CANCEL_GROUP:
		op.group = (seed >> 28) % 4;
		break;
	default:
		op.handle = world_handle((seed >> 32) % WORLD_HANDLES);
	}
	return op;
}

long do_ioctl_batch(const __u64 *arg)
{
	const unsigned int filled = arg[1] < MAX_FILLED ? arg[1] : MAX_FILLED;
	struct twheel_op op, *array;
	struct twheel_batch batch;
	unsigned int n;
	long ret;

	array = (void *)memory_at(arg[4], arg[1] < MAX_FILLED ? arg[1] * sizeof(op) :
							       MEMORY_ROOM);
	batch = (struct twheel_batch){ .ops = (unsigned long)array,
				       .count = arg[1] };
	for (n = 0; n < filled; n++) {
		op = batch_op(random_mix(arg[2], n), arg[3]);
		if (!memory_copy(&array[n], &op, sizeof(op)))
			break;
	}
	ret = issue_at(arg[0], TWHEEL_IOC_BATCH, &batch, sizeof(batch), arg[5], arg[6]);
	for (n = 0; (long)n < ret && n < filled; n++)
		if (memory_copy(&op, &array[n], sizeof(op)) && !op.result &&
		    op.op == TWHEEL_OP_ADD && n < WORLD_HANDLES / 2)
			world_remember_handle(op.handle);
	return ret > 0 ? 1 + (ret < (long)arg[1]) : ret;
}

long do_ioctl_drain(const __u64 *arg)
{
	const size_t size = arg[1] * sizeof(struct twheel_op);
	struct twheel_drain drain = {
		.ops = (unsigned long)memory_at(arg[3], size),
		.count = arg[1],
		.flags = arg[2],
	};
	long ret;

	if (drain.flags == TWHEEL_DRAIN_RESUME && arg[1] % 2) {
		drain.ops = 0;
		drain.count = 0;
	}
	ret = issue_at(arg[0], TWHEEL_IOC_DRAIN, &drain, sizeof(drain), arg[4], arg[5]);
	return ret > 1 ? 2 : ret;
}

/* The cursor: small, or at the end. */
long do_ioctl_list(const __u64 *arg)
{
	const size_t size = arg[1] * sizeof(struct twheel_op);
	struct twheel_list list = {
		.ops = (unsigned long)memory_at(arg[3], size),
		.cursor = arg[6] % 8 == 7 ? (1 << 24) - 1 + arg[6] / 8 % 3 : arg[6],
		.count = arg[1],
		.flags = arg[2],
	};
	long ret;

	ret = issue_at(arg[0], TWHEEL_IOC_LIST, &list, sizeof(list), arg[4], arg[5]);
	return ret > 1 ? 2 : ret;
}

/*
 * A batch of the operations that a drain or a list has left in memory: it restores the
 * timers, with flags that are added.
 */
long do_ioctl_restore(const __u64 *arg)
{
	struct twheel_op *array = (void *)memory_at(WHERE_ROOM, 0), op;
	struct twheel_batch batch = {
		.ops = (unsigned long)array,
		.count = arg[1],
	};
	unsigned int n;

	for (n = 0; arg[2] && n < arg[1] && n < MAX_FILLED; n++) {
		if (!memory_copy(&op, &array[n], sizeof(op)))
			break;
		op.flags |= arg[2];
		op.result = 0;
		memory_copy(&array[n], &op, sizeof(op));
	}
	return issue_at(arg[0], TWHEEL_IOC_BATCH, &batch, sizeof(batch),
			WHERE_TO_READ_ONLY, 0) > 0;
}

/* A descriptor to signal: an eventfd in two of six cases. */
static int eventfd_or_other(__u64 which)
{
	int expected = -1, fd;

	switch (which % 6) {
	case 0:
	case 1:
		fd = world.eventfd;
		if (fd >= 0)
			return fd;
		fd = eventfd(which % 2 ? 0 : -2U, EFD_NONBLOCK | EFD_CLOEXEC);
		if (fd >= 0 && !atomic_compare_exchange_strong(&world.eventfd,
							       &expected, fd)) {
			close(fd);
			fd = expected;
		}
		return fd;
	case 2:
		return -1;
	case 3:
		return world_file(which);
	case 4:
		return 0;
	default:
		return which;
	}
}

long do_ioctl_eventfd(const __u64 *arg)
{
	struct twheel_eventfd eventfd = { .fd = eventfd_or_other(arg[1]) };

	return issue_at(arg[0], TWHEEL_IOC_EVENTFD, &eventfd, sizeof(eventfd), arg[2],
			arg[3]);
}

long do_ioctl_clock_set(const __u64 *arg)
{
	return issue_ioctl(world_file(arg[0]), TWHEEL_IOC_CLOCK_SET,
			   arg[1] < 4 ? 0 : arg[1]);
}

long do_ioctl_raw(const __u64 *arg)
{
	const size_t size = _IOC_SIZE(arg[1]);

	return issue_ioctl(world_file(arg[0]), arg[1],
			   (unsigned long)memory_at(arg[2], size));
}
