// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_QUERY: it describes a timer and changes nothing. */
#include "errors.h"

DEVICE_TEST(pending_timer_is_described)
{
	const __u64 deadline = now() + LONG;
	const __u64 handle = add_at(fd, deadline, 0x1122334455667788ULL);
	struct twheel_op op;
	__u64 before, after;

	before = now();
	ASSERT_EQ(query(fd, handle, &op), 0);
	after = now();
	ASSERT(op.cookie == 0x1122334455667788ULL);
	ASSERT_WITHIN(op.time_ns, deadline - after, deadline - before);
	ASSERT_EQ(op.period_ns, 0);
	ASSERT_EQ(op.flags, 0);
	ASSERT_EQ(op.clockid, CLOCK_MONOTONIC);
}

/* With the deadline, which is told on request, the operation is the one that armed the timer. */
DEVICE_TEST(every_kind_of_timer_is_described)
{
	unsigned int i;

	for (i = 0; i < 30; i++) {
		struct twheel_op timer = mixed_timer(i), told = { .flags = TWHEEL_ABSTIME };

		timer.handle = arm(fd, timer);
		told.handle = timer.handle;
		ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_QUERY, &told)), 0);
		ASSERT(!memcmp(&told, &timer, sizeof(told)));
	}
}

DEVICE_TEST(unread_timer_is_expired)
{
	const __u64 handle = add(fd, 0, 2);
	struct twheel_op op;

	wait_for_event(fd);
	ASSERT_EQ(query(fd, handle, &op), TWHEEL_EXPIRED);
	ASSERT_EQ(op.time_ns, 0);
	ASSERT_EQ(op.cookie, 2);
	ASSERT_EQ(op.result, 0);

	/* the event is still there */
	ASSERT(has_event(fd));
	ASSERT(read_one(fd).handle == handle);
	ASSERT_EQ(query(fd, handle, &op), -ENOENT);
}

DEVICE_TEST(query_changes_nothing)
{
	const __u64 deadline = now() + ticks(4);
	const __u64 handle = add_at(fd, deadline, 3);
	struct twheel_op op;
	int i;

	for (i = 0; i < 1000; i++)
		ASSERT_GE(query(fd, handle, &op), 0);
	expect_expiry(fd, handle, deadline);
}

TEST_REFUSALS(query, TWHEEL_IOC_QUERY)

DEVICE_TEST(result_that_cannot_be_returned_is_efault)
{
	struct twheel_op *op = read_only_op((struct twheel_op){
		.handle = add(fd, ticks(2), 6),
	});

	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_QUERY, op), EFAULT);
	ASSERT(read_one(fd).handle == op->handle);
}
