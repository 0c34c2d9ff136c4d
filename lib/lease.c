// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: leases */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
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

/* Read a variable of the environment: a decimal number up to @most, and nothing else. */
static int number_of(const char *name, uint64_t most, uint64_t *number)
{
	const char *text = getenv(name);
	char *end;

	if (!text)
		return -ENOENT;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !isdigit((unsigned char)*text) || *end || errno || *number > most ? -EINVAL : 0;
}

API int twheel_lease_from_env(uint64_t *lease_ns)
{
	uint64_t lease, ns = 0, left;
	int ret = number_of("TWHEEL_LEASE_FD", INT_MAX, &lease);

	if (!ret && lease_ns)
		ret = number_of("TWHEEL_LEASE_NS", INT64_MAX, &ns);
	if (ret)
		return ret;
	/* A lease that has ended is one. */
	ret = twheel_lease_left((int)lease, &left);
	if (ret && ret != -ENOENT)
		return ret;
	if (fcntl((int)lease, F_SETFD, FD_CLOEXEC))
		return -errno;
	if (lease_ns)
		*lease_ns = ns;
	return (int)lease;
}
