// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_CANCEL: its result is right, and no event comes afterwards. */
#include "errors.h"

DEVICE_TEST(operation_may_be_read_only)
{
	struct twheel_op *op = read_only_op((struct twheel_op){
		.handle = add(fd, LONG, 1),
	});

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_CANCEL, op)), 0);
	ASSERT_EQ(timers_of(fd), 0);
}

DEVICE_TEST(unread_event_is_retracted)
{
	const __u64 handle = add(fd, 0, 2);

	wait_for_event(fd);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	ASSERT(!has_event(fd));
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
	ASSERT_EQ(cancel(fd, handle), -ENOENT);
}

DEVICE_TEST(stale_handle_never_meets_its_successor)
{
	const int count = many(3000);
	struct twheel_op op;
	int i;

	for (i = 0; i < count; i++) {
		const __u64 stale = add(fd, LONG, 5);
		__u64 fresh;

		ASSERT_EQ(cancel(fd, stale), 0);
		fresh = add(fd, 200 * NSEC_PER_SEC, 6);
		ASSERT(fresh != stale);
		ASSERT_EQ(cancel(fd, stale), -ENOENT);
		ASSERT_EQ(change(fd, stale, 0), -ENOENT);
		ASSERT_EQ(query(fd, stale, &op), -ENOENT);
		ASSERT_EQ(query(fd, fresh, &op), 0);
		ASSERT_EQ(op.cookie, 6);
		ASSERT_GT(op.time_ns, LONG);
		ASSERT_EQ(cancel(fd, fresh), 0);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST_REFUSALS(cancel, TWHEEL_IOC_CANCEL)
