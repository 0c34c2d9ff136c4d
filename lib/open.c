// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: opening and closing a descriptor */
#include <fcntl.h>
#include <unistd.h>
#include "internal.h"

#define DEVICE	"/dev/twheel"

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)

API const char *twheel_version(void)
{
	return TEXT(LIBTWHEEL_VERSION_MAJOR) "." TEXT(LIBTWHEEL_VERSION_MINOR);
}

/* Returns @fd if the library knows the driver's interface; closes it otherwise. */
static int check_driver(int fd)
{
	struct twheel_info info;
	int ret = twheel_get_info(fd, &info);

	if (!ret && info.abi_major == TWHEEL_ABI_MAJOR)
		return fd;
	close(fd);
	if (!ret)
		return -EPROTO;
	return ret == -ENOTTY ? -ENODEV : ret;
}

API int twheel_open_path(const char *path, int flags)
{
	int fd;

	if (flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | flags);
	return fd < 0 ? -errno : check_driver(fd);
}

API int twheel_open(int flags)
{
	return twheel_open_path(DEVICE, flags);
}

API int twheel_close(int fd)
{
	return close(fd) ? -errno : 0;
}

API int twheel_get_info(int fd, struct twheel_info *info)
{
	return twheel_call(fd, TWHEEL_IOC_INFO, info);
}
