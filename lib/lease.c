// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: leases */
#include "internal.h"

API int twheel_lease(int fd, uint64_t handle, uint64_t cap_ns, uint32_t flags)
{
	struct twheel_lease lease = {
		.handle = handle,
		.cap_ns = cap_ns,
		.flags = flags,
	};
	int ret = twheel_call(fd, TWHEEL_IOC_LEASE, &lease);

	return ret < 0 ? ret : lease.fd;
}

API int twheel_lease_push(int lease)
{
	return twheel_call(lease, TWHEEL_LEASE_IOC_PUSH, NULL);
}

API int twheel_lease_push_by(int lease, uint64_t delay_ns)
{
	__u64 ns = delay_ns;

	return twheel_call(lease, TWHEEL_LEASE_IOC_PUSH_BY, &ns);
}

API int twheel_lease_left(int lease, uint64_t *left_ns)
{
	__u64 ns = 0;
	int ret = twheel_call(lease, TWHEEL_LEASE_IOC_LEFT, &ns);

	*left_ns = ns;
	return ret;
}

API int twheel_lease_wait(int lease, int timeout_ms)
{
	return twheel_poll(lease, 0, timeout_ms);
}
