// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/* libtwheel: the system call */
#include <sys/ioctl.h>
#include "internal.h"

int twheel_call(int fd, unsigned long call, void *argument)
{
	int ret = ioctl(fd, call, argument);

	return ret < 0 ? -errno : ret;
}
