// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: each allocation and each copy of a call fails in turn, see fault.c. A call that
 * fails has changed nothing.
 */
#include "holder.h"
#include "inject.h"

static void lease_with_faults(enum fault_mode mode, unsigned int failed)
{
	const int fd = open_device(O_NONBLOCK);

	while (next_fault(mode)) {
		const __u64 handle = add(fd, LONG / 2, 1);
		struct twheel_lease lease = {
			.handle = handle,
			.cap_ns = LONG,
			.flags = ON_CLOSE,
		};

		if (UNDER_FAULT(ioctl(fd, TWHEEL_IOC_LEASE, &lease)) == 0) {
			ASSERT_EQ(push(lease.fd), 0);
			close(lease.fd);
			ASSERT(read_closed(fd).handle == handle);
		} else {
			ASSERT_EQ(lease.fd, 0);
			ASSERT(!is_leased(fd, handle));
			ASSERT_EQ(get_info(fd).unread, 0);
			ASSERT_EQ(cancel(fd, handle), 0);
		}
		ASSERT_EQ(timers_of(fd), 0);
		ASSERT_EQ(leases_of(fd), 0);
	}
	check_no_event(fd);
	ASSERT_GE(faults.failed, failed);
	ASSERT_GE(faults.no_memory, 3);
}

/* The lease read; itself, its file, its timer's extra; its descriptor written. */
TEST_CALL(lease_is_made_or_nothing_changes, lease_with_faults(FAULT_ONE, 5))
TEST_CALL(lease_is_made_or_nothing_changes_without_memory, lease_with_faults(FAULT_SLABS, 3))

NONBLOCK_TEST(push_by_works_or_changes_nothing)
{
	while (next_fault(FAULT_ONE)) {
		const __u64 handle = add(fd, LONG / 2, 1);
		const int lease = new_lease(fd, handle, LONG, 0);
		__u64 ns = LONG;
		long result;

		result = UNDER_FAULT(ioctl(lease, TWHEEL_LEASE_IOC_PUSH_BY, &ns));
		ASSERT_EQ(left(lease) > (long long)LONG / 2, !result);
		ASSERT_EQ(cancel(fd, handle), 0);
		close(lease);
	}
	ASSERT_GE(faults.failed, 1);
}

NONBLOCK_TEST(question_is_answered_or_nothing_is_written)
{
	__u64 handle, ns;
	const int lease = lease_of_new_timer(fd, &handle, 0);
	long result;

	while (next_fault(FAULT_ONE)) {
		ns = 0;
		result = UNDER_FAULT(ioctl(lease, TWHEEL_LEASE_IOC_LEFT, &ns));
		ASSERT_EQ(ns != 0, !result);
	}
	ASSERT_GE(faults.failed, 1);
	ASSERT_EQ(cancel(fd, handle), 0);
}

/* Neither allocates nor copies, so nothing can fail. */
NONBLOCK_TEST(push_does_not_fail)
{
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, 0);

	while (next_fault(FAULT_SLABS)) {
		ASSERT_EQ(UNDER_FAULT(push(lease)), 0);
		ASSERT_EQ(UNDER_FAULT(write(lease, "x", 1)), 1);
	}
	ASSERT_EQ(faults.failed, 0);
}
