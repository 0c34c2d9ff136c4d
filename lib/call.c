// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: system calls */
#include <poll.h>
#include <sys/ioctl.h>
#include "internal.h"

int twheel_call(int fd, unsigned long call, void *argument)
{
	int ret = ioctl(fd, call, argument);

	return ret < 0 ? -errno : ret;
}

int twheel_poll(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int ret;

	/* poll() would wait for nothing, perhaps for ever. */
	if (fd < 0)
		return -EBADF;
	ret = poll(&poll_fd, 1, timeout_ms);
	if (ret < 0)
		return -errno;
	return poll_fd.revents & POLLNVAL ? -EBADF : ret;
}
