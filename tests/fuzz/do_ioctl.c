// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl calls. A poke of n + 1 changes byte n of the structure, but for a pointer
 * that it begins with, once all else in it is as the other arguments say.
 */
#include <errno.h>
#include <linux/twheel.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

enum { ARRAY = 256 };	/* operations that are filled in at most */

__u64 handle_of(__u64 slot)
{
	return slot < HANDLES ? world.handle[slot] : slot;
}

void remember_handle(__u64 handle)
{
	world.handle[world.next_handle++ % HANDLES] = handle;
}

__u64 time_of(__u64 time, __u64 clockid)
{
	struct timespec now;

	if (!is_near_now(time))
		return time;
	if (clockid > CLOCK_BOOTTIME || clock_gettime(clockid, &now))
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec + (time - NOW);
}

long do_ioctl(int fd, unsigned long request, unsigned long arg)
{
	return SYS(ioctl(fd, request, arg));
}

static void poke(void *structure, size_t size, __u64 poke)
{
	if (poke)
		((char *)structure)[(poke - 1) % size] ^= 1 + (poke - 1) / size;
}

/*
 * What points to an array is left as it is: it would point to what is ours, stacks
 * of threads among them, and results would be written there.
 */
static size_t pointer_size(unsigned long request)
{
	_Static_assert(!offsetof(struct twheel_batch, ops), "first");
	_Static_assert(!offsetof(struct twheel_drain, ops), "first");

	return request == TWHEEL_IOC_BATCH || request == TWHEEL_IOC_DRAIN ?
	       sizeof(__u64) : 0;
}

/* With a structure that lies where the arguments want it. */
static long call(__u64 file, unsigned long request, void *structure, size_t size,
		 __u64 where, __u64 poked)
{
	const size_t skip = pointer_size(request);
	char *at = memory_at(where, size);
	long ret;

	poke((char *)structure + skip, size - skip, poked);
	copy_guarded(at, structure, size);
	ret = do_ioctl(file_of(file), request, (unsigned long)at);
	if (ret >= 0)
		copy_guarded(structure, at, size);
	return ret;
}

long do_info(const __u64 *arg)
{
	struct twheel_info info = { };

	return call(arg[0], TWHEEL_IOC_INFO, &info, sizeof(info), arg[1], 0);
}

/* As the arguments of add and upsert say. */
static struct twheel_op op_of(const __u64 *arg)
{
	return (struct twheel_op){
		.flags = arg[1],
		.clockid = arg[2],
		.time_ns = time_of(arg[3], arg[2]),
		.period_ns = arg[4],
		.group = arg[5],
		.handle = arg[6] ? handle_of(arg[6]) : 0,
		.cookie = arg[3],
	};
}

static long add_or_upsert(const __u64 *arg, unsigned long request)
{
	struct twheel_op op = op_of(arg);
	long ret;

	ret = call(arg[0], request, &op, sizeof(op), arg[7], arg[8]);
	if (ret >= 0)
		remember_handle(op.handle);
	return ret;
}

long do_add(const __u64 *arg)
{
	return add_or_upsert(arg, TWHEEL_IOC_ADD);
}

long do_upsert(const __u64 *arg)
{
	return add_or_upsert(arg, TWHEEL_IOC_UPSERT);
}

long do_change(const __u64 *arg)
{
	struct twheel_op op = {
		.flags = arg[1] & (TWHEEL_ABSTIME | ~31U),
		.time_ns = time_of(arg[2], CLOCK_MONOTONIC),
		.handle = handle_of(arg[3]),
	};

	return call(arg[0], TWHEEL_IOC_CHANGE, &op, sizeof(op), arg[4], arg[5]);
}

long do_cancel(const __u64 *arg)
{
	struct twheel_op op = { .handle = handle_of(arg[1]) };

	return call(arg[0], TWHEEL_IOC_CANCEL, &op, sizeof(op), arg[2], arg[3]);
}

long do_query(const __u64 *arg)
{
	struct twheel_op op = {
		.flags = arg[1] & (TWHEEL_ABSTIME | ~31U),
		.handle = handle_of(arg[2]),
	};

	return call(arg[0], TWHEEL_IOC_QUERY, &op, sizeof(op), arg[3], arg[4]);
}

long do_cancel_group(const __u64 *arg)
{
	struct twheel_op op = { .group = arg[1] };
	long ret;

	ret = call(arg[0], TWHEEL_IOC_CANCEL_GROUP, &op, sizeof(op), arg[2], arg[3]);
	return ret > 1 ? 2 : ret;
}

/*
 * One of the operations that @kinds has, with arguments that follow from @seed. A bit
 * more has all timers share a word.
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
		op.flags = (seed >> 16) % 4 ? 0 : 1U << (seed >> 20) % 6;
		op.time_ns = op.flags & TWHEEL_ABSTIME ? time_of(NOW + time, 1) : time;
		op.period_ns = (seed >> 24) % 8 ? 0 : 10 * NSEC_PER_MSEC;
		op.group = (seed >> 28) % 4;
		op.cookie = seed;
		if (kinds & 1 << 6) {
			op.flags = TWHEEL_SHARED;
			op.clockid = CLOCK_MONOTONIC;
			op.period_ns = 0;
		}
		if (op.op == TWHEEL_OP_UPSERT)
			op.handle = handle_of((seed >> 32) % HANDLES);
		break;
	case TWHEEL_OP_CHANGE:
		op.time_ns = time;
		op.handle = handle_of((seed >> 32) % HANDLES);
		break;
	case TWHEEL_OP_CANCEL_GROUP:
		op.group = (seed >> 28) % 4;
		break;
	default:
		op.handle = handle_of((seed >> 32) % HANDLES);
	}
	return op;
}

long do_batch(const __u64 *arg)
{
	const unsigned int filled = arg[1] < ARRAY ? arg[1] : ARRAY;
	struct twheel_op op, *array;
	struct twheel_batch batch;
	unsigned int n;
	long ret;

	array = (void *)memory_at(arg[4], arg[1] < ARRAY ? arg[1] * sizeof(op) : ROOM);
	batch = (struct twheel_batch){ .ops = (unsigned long)array,
				       .count = arg[1] };
	for (n = 0; n < filled; n++) {
		op = batch_op(mix(arg[2], n), arg[3]);
		if (!copy_guarded(&array[n], &op, sizeof(op)))
			break;
	}
	ret = call(arg[0], TWHEEL_IOC_BATCH, &batch, sizeof(batch), arg[5], arg[6]);
	for (n = 0; (long)n < ret && n < filled; n++)
		if (copy_guarded(&op, &array[n], sizeof(op)) && !op.result &&
		    op.op == TWHEEL_OP_ADD && n < HANDLES / 2)
			remember_handle(op.handle);
	return ret > 0 ? 1 + (ret < (long)arg[1]) : ret;
}

long do_drain(const __u64 *arg)
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
	ret = call(arg[0], TWHEEL_IOC_DRAIN, &drain, sizeof(drain), arg[4], arg[5]);
	return ret > 1 ? 2 : ret;
}

/* As many as it says of what a drain has left in memory are armed again. */
long do_restore(const __u64 *arg)
{
	struct twheel_batch batch = {
		.ops = (unsigned long)memory_at(WHERE_ROOM, 0),
		.count = arg[1],
	};

	return call(arg[0], TWHEEL_IOC_BATCH, &batch, sizeof(batch),
		    WHERE_TO_READ_ONLY, 0) > 0;
}

static int some_fd(__u64 which)
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
		return file_of(which);
	case 4:
		return 0;
	default:
		return which;
	}
}

long do_eventfd(const __u64 *arg)
{
	struct twheel_eventfd eventfd = { .fd = some_fd(arg[1]) };

	return call(arg[0], TWHEEL_IOC_EVENTFD, &eventfd, sizeof(eventfd), arg[2],
		    arg[3]);
}

long do_clock_set(const __u64 *arg)
{
	return do_ioctl(file_of(arg[0]), TWHEEL_IOC_CLOCK_SET,
			arg[1] < 4 ? 0 : arg[1]);
}

long do_raw(const __u64 *arg)
{
	const size_t size = _IOC_SIZE(arg[1]);

	return do_ioctl(file_of(arg[0]), arg[1],
			(unsigned long)memory_at(arg[2], size));
}
