// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * libtwheel: fences
 *
 * The kernel sends the signal, so no program needs to run at the deadline.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include "internal.h"

/* Returns the flags of an open file, or a negative errno. */
static int get_flags(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -errno : flags;
}

static int set_flags(int fd, int flags)
{
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

/* The signals must be off: an expiry in between would send the wrong one. */
static int set_target(int fd, pid_t owner, int signal)
{
	return fcntl(fd, F_SETOWN, owner) || fcntl(fd, F_SETSIG, signal) ? -errno : 0;
}

/* Whether the descriptor has no unread event: the kernel sends no signal for an older one. */
static int check_events(int fd)
{
	struct twheel_info info;
	const int ret = twheel_get_info(fd, &info);

	return !ret && info.unread ? -EBUSY : ret;
}

/* Whether the caller may signal the process or group, which exists. F_SETOWN does not ask. */
static int check_target(pid_t owner, int signal)
{
	/* kill() takes -1 for all processes, and F_SETOWN for group 1. */
	if (owner == -1 || owner == INT_MIN || signal < 1 || signal > SIGRTMAX)
		return -EINVAL;
	return kill(owner, 0) ? -errno : 0;
}

static int fence(int fd, int flags, pid_t owner, int signal)
{
	int ret = check_target(owner, signal);

	if (!ret)
		ret = check_events(fd);
	if (!ret)
		ret = set_flags(fd, flags);
	if (!ret)
		ret = set_target(fd, owner, signal);
	if (!ret)
		ret = set_flags(fd, flags | O_ASYNC);
	if (ret)
		return ret;
	/* A timer may have expired before the signals were on. */
	ret = check_events(fd);
	if (ret)
		set_flags(fd, flags);
	return ret;
}

API int twheel_fence(int fd, pid_t owner, int signal)
{
	struct twheel_info info;
	int ret, flags;

	/* Other files have F_SETOWN, too. */
	ret = twheel_get_info(fd, &info);
	if (ret)
		return ret;
	flags = get_flags(fd);
	if (flags < 0)
		return flags;
	flags &= ~O_ASYNC;
	if (owner)
		return fence(fd, flags, owner, signal);
	if (signal)
		return -EINVAL;
	ret = set_flags(fd, flags);
	return ret ? ret : set_target(fd, 0, 0);
}
