// SPDX-License-Identifier: GPL-2.0
/*
 * What the header and twheel(4) promise about operations: which check comes
 * first, what an open mode allows, what a change discards, limits of values.
 * promise_order.c has the order of events, promise_map.c the shared memory.
 */
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>

#include "device.h"
#include "parameter.h"

/* No timer has this handle. */
#define UNKNOWN		(~0ULL)

/* Open a descriptor that may hold one timer, and add that timer. */
static int full_device(__u64 *handle)
{
	const int fd = open_with("max_timers", 1);

	*handle = add(fd, LONG, 1);
	return fd;
}

static void stop(int fd)
{
	struct twheel_op op;

	while (CALL(drain(fd, &op, 1)))
		continue;
}

/* Open modes */

static void check_all_calls(int mode)
{
	const int fd = CALL(open(DEVICE, mode));
	struct twheel_eventfd eventfd = { .fd = -1 };
	struct twheel_op op = new_timer(LONG, 1);
	__u64 handle, retracted;

	batch(fd, &(struct twheel_op){ .op = TWHEEL_OP_QUERY }, 1);
	handle = add(fd, LONG, 1);
	ASSERT_EQ(change(fd, handle, LONG), 0);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_EQ(cancel(fd, handle), 0);
	op = new_timer(LONG, 1);
	op.group = 1;
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	ASSERT_EQ(cancel_group(fd, 1, &retracted), 1);
	CALL(ioctl(fd, TWHEEL_IOC_EVENTFD, &eventfd));
	CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
	stop(fd);
	resume(fd);
	add(fd, 0, 2);
	wait_for_event(fd);
	close(fd);
}

TEST(every_open_mode_allows_every_ioctl_and_poll)
{
	check_all_calls(O_RDONLY);
	check_all_calls(O_WRONLY);
	check_all_calls(O_RDWR);
}

TEST(read_needs_a_mode_that_reads)
{
	const int readable = CALL(open(DEVICE, O_RDONLY));
	const int writable = CALL(open(DEVICE, O_WRONLY));
	struct twheel_event event;

	add(readable, 0, 1);
	ASSERT_EQ(read_one(readable).cookie, 1);
	add(writable, 0, 2);
	wait_for_event(writable);
	ASSERT_EQ(read_events(writable, &event, 1), -EBADF);
	ASSERT_EQ(get_info(writable).unread, 1);
}

TEST(write_is_einval)
{
	const struct twheel_op op = new_timer(LONG, 1);

	ASSERT_ERRNO(write(CALL(open(DEVICE, O_RDWR)), &op, sizeof(op)), EINVAL);
	ASSERT_ERRNO(write(CALL(open(DEVICE, O_WRONLY)), &op, sizeof(op)), EINVAL);
	ASSERT_ERRNO(write(CALL(open(DEVICE, O_RDONLY)), &op, sizeof(op)), EBADF);
}

/* Which check comes first */

static void check_einval_before_enoent(unsigned long call)
{
	const int fd = open_device(0);
	struct twheel_op op = { .handle = UNKNOWN };

	REFUSED(fd, call, &op, ENOENT);
	op.window_ns = 1;
	REFUSED(fd, call, &op, EINVAL);
	op.window_ns = 0;
	op.flags = TWHEEL_EACH;
	REFUSED(fd, call, &op, EINVAL);
	op.flags = 0;
	op.cookie = 1;
	REFUSED(fd, call, &op, EINVAL);
	close(fd);
}

TEST(einval_comes_before_enoent)
{
	struct twheel_op op = { .group = 1 };
	const int fd = open_device(0);

	check_einval_before_enoent(TWHEEL_IOC_CHANGE);
	check_einval_before_enoent(TWHEEL_IOC_CANCEL);
	check_einval_before_enoent(TWHEEL_IOC_QUERY);
	REFUSED(fd, TWHEEL_IOC_CANCEL_GROUP, &op, ENOENT);
	op.cookie = 1;
	REFUSED(fd, TWHEEL_IOC_CANCEL_GROUP, &op, EINVAL);
}

/* Only a timer says which clock it is on. */
TEST(relative_time_for_realtime_is_einval_after_enoent)
{
	const int fd = open_device(0);
	struct twheel_op op = { .handle = UNKNOWN, .time_ns = LONG };

	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, ENOENT);
	op.handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + LONG, 0);
	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, EINVAL);
}

TEST(einval_then_eshutdown_then_edquot_then_enospc)
{
	__u64 handle;
	const int fd = full_device(&handle);
	struct twheel_op op = new_timer(LONG, 2);

	op.flags = TWHEEL_SHARED;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
	/* An expired timer is not drained: the descriptor stays full. */
	ASSERT_EQ(change(fd, handle, 0), 0);
	wait_for_event(fd);
	stop(fd);
	ASSERT_EQ(timers_of(fd), 1);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ESHUTDOWN);
	op.result = 1;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.result = 0;
	resume(fd);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ENOSPC);
}

/* CHANGE of a periodic timer with an unread event */

static void check_change_discards(__u32 policy)
{
	const int fd = open_device(0);
	const __u64 period = ticks(2), first = now();
	struct twheel_op op = new_timer(first, 1);
	struct twheel_event event;
	__u64 deadline;
	bool readable;

	op.flags = TWHEEL_ABSTIME | policy;
	op.period_ns = period;
	op.handle = arm(fd, op);
	pass(first + 5 * period);
	wait_for_event(fd);

	deadline = now() + ticks(50);
	ASSERT_EQ(change_to(fd, op.handle, deadline), TWHEEL_RETRACTED);
	/* A busy host may have let the new deadline come. */
	readable = has_event(fd);
	if (now() < deadline)
		ASSERT(!readable);

	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	/* None of the deadlines before the change is counted. */
	ASSERT_LE(event.count, (now() - deadline) / period + 1);
	event = read_one(fd);
	if (policy == TWHEEL_RESTART)
		ASSERT_GE(event.deadline_ns, deadline + period);
	else
		ASSERT_EQ((event.deadline_ns - deadline) % period, 0);
	close(fd);
}

TEST(change_discards_every_missed_deadline)
{
	check_change_discards(0);
	check_change_discards(TWHEEL_EACH);
	check_change_discards(TWHEEL_RESTART);
}

/* TWHEEL_SHARED */

TEST(shared_on_another_clock_is_einval)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(0, 1);
	unsigned int i;

	ASSERT(mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    TWHEEL_MMAP_TABLE) != MAP_FAILED);
	op.flags = TWHEEL_ABSTIME | TWHEEL_SHARED;
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		op.clockid = clocks[i];
		op.time_ns = read_clock(clocks[i]) + LONG;
		if (clocks[i] == CLOCK_MONOTONIC) {
			arm(fd, op);
			continue;
		}
		REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
		REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	}
}

/* UPSERT */

TEST(upsert_with_restore_is_einval)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(LONG, 1);

	op.flags = TWHEEL_RESTORE;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.handle = UNKNOWN;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.handle = add(fd, LONG, 1);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
}

TEST(upsert_of_a_drained_descriptor_changes_but_does_not_add)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(LONG, 1), unknown = op, record;

	op.handle = add(fd, 0, 1);
	wait_for_event(fd);
	stop(fd);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_RETRACTED);
	ASSERT_EQ(upsert(fd, &op), 0);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &unknown, ESHUTDOWN);
	unknown.handle = UNKNOWN;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &unknown, ESHUTDOWN);
	/* The timer is pending again, so that it can be taken back. */
	ASSERT_EQ(drain(fd, &record, 1), 1);
	ASSERT(record.handle == op.handle);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ESHUTDOWN);
	resume(fd);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
}

TEST(upsert_that_changes_needs_no_room)
{
	__u64 handle;
	const int fd = full_device(&handle);
	struct twheel_op op = new_timer(LONG, 1);

	op.flags = TWHEEL_SHARED;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
	op.handle = handle;
	ASSERT_EQ(upsert(fd, &op), 0);
}

TEST(upsert_of_a_realtime_timer_needs_abstime)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(LONG, 1);

	/* Only TWHEEL_ABSTIME and the time count: the timer keeps its clock. */
	op.handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + LONG, 0);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.flags = TWHEEL_ABSTIME;
	op.time_ns = read_clock(CLOCK_REALTIME) + 2 * LONG;
	ASSERT_EQ(upsert(fd, &op), 0);
	ASSERT_EQ(deadline_of(fd, op.handle), op.time_ns);
}

/* Times and handles */

TEST(deadline_that_has_passed_expires_by_the_next_tick)
{
	unsigned int i;

	stay_on_one_cpu();
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		const int fd = open_device(O_NONBLOCK);
		const __u64 before = read_clock(clocks[i]), deadline = before - ticks(1);
		const __u64 handle = add_on(fd, clocks[i], deadline, 0);
		struct twheel_event event;

		/* Not later than another timer of this CPU that was due then. */
		pass_ticks(1);
		ASSERT(has_event(fd));
		event = read_any(fd);
		ASSERT(event.handle == handle);
		ASSERT_EQ(event.deadline_ns, deadline);
		/* A busy host counts the next tick late: it began before the call then. */
		ASSERT_GE(event.expired_ns, time_travel ? before : deadline);
		ASSERT_LE(event.expired_ns, read_clock(clocks[i]));
		close(fd);
	}
}

TEST(time_above_2_63_minus_1_is_einval)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(TIME_MAX + 1, 1);

	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.flags = TWHEEL_ABSTIME;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	op = (struct twheel_op){ .handle = add(fd, LONG, 1), .time_ns = TIME_MAX + 1 };
	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, EINVAL);
}

TEST(deadline_beyond_2_63_minus_1_becomes_2_63_minus_1)
{
	const int fd = open_device(0);
	const __u64 handle = add(fd, TIME_MAX, 1);
	const __u64 periodic = add_periodic(fd, now(), TIME_MAX, 2);

	ASSERT_EQ(deadline_of(fd, handle), TIME_MAX);
	ASSERT_EQ(change(fd, handle, TIME_MAX - 1), 0);
	ASSERT_EQ(deadline_of(fd, handle), TIME_MAX);
	ASSERT_EQ(read_one(fd).cookie, 2);
	ASSERT_EQ(deadline_of(fd, periodic), TIME_MAX);
}

static int compare_handles(const void *a, const void *b)
{
	const __u64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* 2^40 - 1 adds are too many for a test. These use the same few places all the time. */
TEST(handle_does_not_come_again_soon)
{
	enum { MOST = 1 << 18, CHUNK = 256 };
	const unsigned int count = many(MOST) / CHUNK * CHUNK;
	const int fd = open_device(0);
	static struct twheel_op ops[CHUNK];
	static __u64 handles[MOST];
	unsigned int i, j;

	for (i = 0; i < count; i += CHUNK) {
		add_many(fd, ops, CHUNK, new_timer(LONG, 0));
		for (j = 0; j < CHUNK; j++) {
			handles[i + j] = ops[j].handle;
			ops[j] = op_on(TWHEEL_OP_CANCEL, handles[i + j]);
		}
		batch(fd, ops, CHUNK);
	}
	qsort(handles, count, sizeof(*handles), compare_handles);
	ASSERT(handles[0] != 0);
	for (i = 1; i < count; i++)
		ASSERT(handles[i] != handles[i - 1]);
}
