// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_CHANGE: a timer gets a new deadline and keeps the rest. */
#include "errors.h"

/* By ticks, and by less than a tick in both directions. */
DEVICE_TEST(deadline_moves)
{
	__u64 deadline, handle;
	int by_ticks, later, earlier;

	do {
		deadline = now() + margin_ns() + ticks(4);
		handle = add_at(fd, deadline - ticks(4), 1);
		by_ticks = change_to(fd, handle, deadline);
		later = change_to(fd, handle, deadline + 1);
		earlier = change_to(fd, handle, deadline - 1);
	} while (too_late(fd, handle, deadline - ticks(4)));
	ASSERT_EQ(by_ticks, 0);
	ASSERT_EQ(later, 0);
	ASSERT_EQ(earlier, 0);
	ASSERT_EQ(expect_expiry(fd, handle, deadline - 1).cookie, 1);
}

DEVICE_TEST(deadline_moves_into_the_past)
{
	const __u64 deadline = now() - ticks(4);
	const __u64 handle = add(fd, LONG, 1);
	const __u64 before = now();
	struct twheel_event event;

	ASSERT_EQ(change_to(fd, handle, deadline), 0);
	arm_timerfds(now());
	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	/* A busy host counts the next tick late: it began before the call then. */
	ASSERT_WITHIN(event.expired_ns, time_travel ? before : deadline, latest_expiry());
	check_no_event(fd);
}

DEVICE_TEST(relative_change_counts_from_now)
{
	const __u64 handle = add(fd, LONG, 1);
	const __u64 before = now();
	struct twheel_event event;
	__u64 after;

	ASSERT_EQ(change(fd, handle, ticks(4)), 0);
	after = now();
	arm_timerfds(after + ticks(4));
	event = read_one(fd);
	ASSERT_WITHIN(event.deadline_ns, before + ticks(4), after + ticks(4));
	check_lateness(&event);
}

DEVICE_TEST(unread_event_is_retracted)
{
	const __u64 handle = add(fd, 0, 1);
	struct twheel_op op;
	__u64 deadline;
	int result;

	wait_for_event(fd);
	deadline = now() + ticks(5) + margin_ns();
	ASSERT_EQ(change_to(fd, handle, deadline), TWHEEL_RETRACTED);
	ASSERT(!has_event(fd) || !in_time(deadline));
	result = query(fd, handle, &op);
	ASSERT(result == 0 || !in_time(deadline));
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(expect_expiry(fd, handle, deadline).cookie, 1);
}

DEVICE_TEST(longest_delay_is_accepted)
{
	const __u64 handle = add(fd, LONG, 1);
	struct twheel_op op;

	ASSERT_EQ(change(fd, handle, TIME_MAX - 1), 0);
	ASSERT_EQ(deadline_of(fd, handle), TIME_MAX);
	ASSERT_EQ(change(fd, handle, TIME_MAX), 0);
	ASSERT_EQ(change_to(fd, handle, TIME_MAX), 0);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_GT(op.time_ns, TIME_MAX / 2);
	ASSERT_EQ(change(fd, handle, 0), 0);
	ASSERT(read_one(fd).handle == handle);
}

DEVICE_TEST(operation_may_be_read_only)
{
	const __u64 deadline = now() + ticks(3);
	struct twheel_op *op = read_only_op((struct twheel_op){
		.flags = TWHEEL_ABSTIME,
		.handle = add(fd, LONG, 1),
		.time_ns = deadline,
	});

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_CHANGE, op)), 0);
	ASSERT_EQ(expect_expiry(fd, op->handle, deadline).cookie, 1);
}

TEST_REFUSALS(change, TWHEEL_IOC_CHANGE)

/* Only a timer says which clock it is on. */
DEVICE_TEST(relative_time_for_realtime_is_einval_after_enoent)
{
	struct twheel_op op = { .handle = ~0ULL, .time_ns = LONG };

	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, ENOENT);
	op.handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + LONG, 0);
	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, EINVAL);
}

DEVICE_TEST(refused_change_of_an_unread_event_keeps_it)
{
	struct twheel_op op = {
		.handle = add(fd, 0, 1),
		.time_ns = TIME_MAX + 1,
	};

	wait_for_event(fd);
	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, EINVAL);
	ASSERT(has_event(fd));
	ASSERT(read_one(fd).handle == op.handle);
}
