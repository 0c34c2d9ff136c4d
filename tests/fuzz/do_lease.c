// SPDX-License-Identifier: GPL-2.0
/*
 * The calls on leases. A lease has a slot among the files, so that all calls on files may
 * meet one.
 */
#include "world.h"

/* Whether @fd is a lease: the memory from which it was read may have been overwritten. */
static bool is_lease(int fd)
{
	__u64 left;

	return !ioctl(fd, TWHEEL_LEASE_IOC_LEFT, &left) || errno == ENOENT;
}

/* Memory that no other part of the program writes while a call runs. */
static char *quiet_memory(__u64 where, size_t size)
{
	const bool map = where % WHERE_COUNT == WHERE_MAP_0 ||
			 where % WHERE_COUNT == WHERE_MAP_1;

	return memory_at(map ? WHERE_ROOM : where, size);
}

long do_lease_make(const __u64 *arg)
{
	struct twheel_lease lease = {
		.handle = world_handle(arg[2]),
		.cap_ns = arg[3],
		.flags = arg[4] & 4 ? arg[4] : arg[4] & TWHEEL_LEASE_EXPIRE_ON_CLOSE,
	};
	char *at = quiet_memory(arg[5], sizeof(lease));
	long ret;

	if (arg[6])
		((char *)&lease)[(arg[6] - 1) % sizeof(lease)] ^= 1 + (arg[6] - 1) / sizeof(lease);
	memory_copy(at, &lease, sizeof(lease));
	ret = SYSCALL(ioctl(world_file(arg[0]), TWHEEL_IOC_LEASE, at));
	if (!ret && memory_copy(&lease, at, sizeof(lease)) && is_lease(lease.fd))
		world_set_file(arg[1], lease.fd);
	return ret;
}

long do_lease_use(const __u64 *arg)
{
	static const unsigned long calls[] = {
		TWHEEL_LEASE_IOC_PUSH_BY, TWHEEL_LEASE_IOC_LEFT, TWHEEL_LEASE_IOC_PUSH,
	};
	const int file = world_file(arg[0]);
	__u64 ns = arg[2];
	char *at = memory_at(arg[3], sizeof(ns));

	memory_copy(at, &ns, sizeof(ns));
	switch (arg[1] % 6) {
	case 0:
		return SYSCALL(write(file, at, ns % 4)) > 0;
	case 1:
		return SYSCALL(ioctl(file, TWHEEL_LEASE_IOC_PUSH, 0));
	default:
		return SYSCALL(ioctl(file, calls[arg[1] % 3], at));
	}
}
