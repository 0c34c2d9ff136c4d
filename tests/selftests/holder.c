// SPDX-License-Identifier: GPL-2.0
#include "holder.h"

int try_lease(int fd, __u64 handle, __u64 cap_ns, __u32 flags)
{
	struct twheel_lease lease = {
		.handle = handle,
		.cap_ns = cap_ns,
		.flags = flags,
	};

	return ioctl(fd, TWHEEL_IOC_LEASE, &lease) ? -errno : lease.fd;
}

int new_lease(int fd, __u64 handle, __u64 cap_ns, __u32 flags)
{
	const int lease = try_lease(fd, handle, cap_ns, flags);

	ASSERT_GE(lease, 0);
	return lease;
}

int lease_of_new_timer(int fd, __u64 *handle, __u32 flags)
{
	*handle = add(fd, LONG, 1);
	return new_lease(fd, *handle, LONG, flags);
}

int push(int lease)
{
	return ioctl(lease, TWHEEL_LEASE_IOC_PUSH, 0) ? -errno : 0;
}

int push_by(int lease, __u64 ns)
{
	return ioctl(lease, TWHEEL_LEASE_IOC_PUSH_BY, &ns) ? -errno : 0;
}

long long left(int lease)
{
	__u64 ns;

	return ioctl(lease, TWHEEL_LEASE_IOC_LEFT, &ns) ? -errno : (long long)ns;
}

bool has_ended(int lease)
{
	const short events = poll_events(lease, POLLIN | POLLOUT, 0);

	ASSERT(events == POLLHUP || events == POLLOUT);
	return events == POLLHUP;
}

void wait_for_end(int lease)
{
	ASSERT_EQ(poll_events(lease, POLLIN, time_travel ? -1 : 30000), POLLHUP);
}

void check_ended(int lease)
{
	ASSERT(has_ended(lease));
	ASSERT_EQ(push(lease), -ENOENT);
	ASSERT_EQ(push_by(lease, 0), -ENOENT);
	ASSERT_EQ(left(lease), -ENOENT);
	ASSERT_ERRNO(write(lease, "x", 1), ENOENT);
}

bool is_leased(int fd, __u64 handle)
{
	struct twheel_op op;

	ASSERT_GE(query(fd, handle, &op), 0);
	return op.flags & TWHEEL_LEASED;
}

unsigned long long leases_of(int fd)
{
	return fdinfo_value(fd, "leases");
}

struct twheel_event read_closed(int fd)
{
	struct twheel_event event;

	wait_for_event(fd);
	ASSERT_EQ(read_events(fd, &event, 1), 1);
	ASSERT_EQ(event.flags, TWHEEL_EVENT_LEASE_CLOSED);
	ASSERT_LE(event.deadline_ns, event.expired_ns);
	ASSERT_LE(event.expired_ns, now());
	ASSERT_EQ(event.count, 1);
	ASSERT_EQ(event.type, TWHEEL_EVENT_TIMER);
	return event;
}
