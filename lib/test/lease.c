// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* Test the leases of libtwheel on the real device. */
#include <fcntl.h>
#include <libtwheel.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define FAR	(100 * NSEC_PER_SEC)

/* A timer and its lease, which may push by FAR. */
static int lease_of_new_timer(int *fd, uint64_t *handle, uint32_t flags)
{
	struct twheel_op op = twheel_after(FAR / 2, 1);
	int lease;

	*fd = twheel_open(O_NONBLOCK);
	ASSERT_GE(*fd, 0);
	ASSERT_EQ(twheel_add(*fd, &op), 0);
	*handle = op.handle;
	lease = twheel_lease(*fd, op.handle, FAR, flags);
	ASSERT_GE(lease, 0);
	return lease;
}

TEST(lease_is_pushed_and_says_how_much_is_left)
{
	uint64_t handle, left;
	int fd, lease = lease_of_new_timer(&fd, &handle, 0);

	ASSERT(fcntl(lease, F_GETFD) & FD_CLOEXEC);
	ASSERT_EQ(twheel_lease_left(lease, &left), 0);
	ASSERT(left > 0 && left <= FAR / 2);
	ASSERT_EQ(twheel_lease_push_by(lease, FAR / 4 * 3), 0);
	ASSERT_EQ(twheel_lease_left(lease, &left), 0);
	ASSERT(left > FAR / 2 && left <= FAR / 4 * 3);
	ASSERT_EQ(twheel_lease_push(lease), 0);
	ASSERT_EQ(twheel_lease_left(lease, &left), 0);
	ASSERT(left > FAR / 4 * 3 && left <= FAR);
	ASSERT_EQ(twheel_lease_push_by(lease, FAR + 1), -EINVAL);
	ASSERT_EQ(twheel_lease(fd, handle, FAR, 0), -EBUSY);
	ASSERT_EQ(twheel_lease_wait(lease, 0), 0);
	ASSERT_EQ(twheel_lease_wait(lease, 10), 0);
}

TEST(lease_ends_with_its_timer)
{
	uint64_t handle, left = 1;
	int fd, lease = lease_of_new_timer(&fd, &handle, 0);

	ASSERT_EQ(twheel_cancel(fd, handle), 0);
	ASSERT_EQ(twheel_lease_wait(lease, 30000), 1);
	ASSERT_EQ(twheel_lease_push(lease), -ENOENT);
	ASSERT_EQ(twheel_lease_push_by(lease, 1), -ENOENT);
	ASSERT_EQ(twheel_lease_left(lease, &left), -ENOENT);
	ASSERT_EQ(left, 0);
	ASSERT_EQ(twheel_lease(fd, handle, FAR, 0), -ENOENT);
	ASSERT_EQ(twheel_lease(fd, handle, 0, 0), -EINVAL);
}

TEST(closed_lease_is_an_event)
{
	struct twheel_event event;
	uint64_t handle;
	int fd, lease = lease_of_new_timer(&fd, &handle, TWHEEL_LEASE_EXPIRE_ON_CLOSE);

	ASSERT_EQ(twheel_close(lease), 0);
	ASSERT_EQ(twheel_wait(fd, 30000), 1);
	ASSERT_EQ(twheel_read(fd, &event, 1), 1);
	ASSERT(event.handle == handle);
	ASSERT_EQ(event.flags, TWHEEL_EVENT_LEASE_CLOSED);
}

TEST(calls_on_what_is_no_lease_fail)
{
	const int fd = twheel_open(0);
	uint64_t left;

	ASSERT_EQ(twheel_lease_push(fd), -ENOTTY);
	ASSERT_EQ(twheel_lease_push(-1), -EBADF);
	ASSERT_EQ(twheel_lease_push_by(-1, 1), -EBADF);
	ASSERT_EQ(twheel_lease_left(-1, &left), -EBADF);
	ASSERT_EQ(twheel_lease(-1, 1, 1, 0), -EBADF);
	ASSERT_EQ(twheel_lease_wait(-1, -1), -EBADF);
	close(fd);
	ASSERT_EQ(twheel_lease_wait(fd, 0), -EBADF);
}
