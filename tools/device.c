// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <libtwheel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "device.h"
#include "report.h"
#include "status.h"
#include "values.h"

const char *device_path = "/dev/twheel";

/* Whether the kernel has the driver. A container sees this file, but no device. */
static bool driver_is_there(void)
{
	char *text = values_read("/proc/devices");
	const bool found = text && strstr(text, " twheel\n");

	free(text);
	return found;
}

static int no_device(void)
{
	if (driver_is_there()) {
		report("%s does not exist here, although the module twheel is loaded", device_path);
		report("in a container: pass the device in, as by podman run --device /dev/twheel");
	} else {
		report("%s does not exist: the module twheel is not loaded", device_path);
		report("load the module: modprobe twheel, or insmod twheel.ko where it was built");
	}
	return -STATUS_NO_DEVICE;
}

static int no_access(int error)
{
	struct stat node;

	report("no access to %s", device_path);
	if (error == -EPERM)
		report("a container forbids it: pass the device in, as by podman run --device /dev/twheel");
	else if (!stat(device_path, &node) && (!node.st_gid || !(node.st_mode & 0060)))
		report("it is for root alone: run this as root, or install the udev rule of twheel");
	else
		report("run this as root, or join the group of the device: usermod -aG twheel NAME, and log in again");
	return -STATUS_NO_ACCESS;
}

int device_present(void)
{
	return access(device_path, F_OK) ? -no_device() : STATUS_DONE;
}

int device_open(void)
{
	int fd = twheel_open_path(device_path, O_NONBLOCK);

	switch (fd) {
	case -ENOENT:
	case -ENXIO:
		return no_device();
	case -EACCES:
	case -EPERM:
		return no_access(fd);
	case -ENODEV:
		report("%s is not the device of twheel", device_path);
		return -STATUS_NO_DEVICE;
	case -EPROTO:
		report("the module does not have the interface %u.%u of this program",
		       TWHEEL_ABI_MAJOR, TWHEEL_ABI_MINOR);
		return -STATUS_NO_DEVICE;
	default:
		return fd < 0 ? -device_report("opening the device", fd) : fd;
	}
}

/* Older C libraries lack pidfd_open() and pidfd_getfd(). */
int device_copy(int pid, int number)
{
	int fd, saved, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (pidfd < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	saved = errno;
	close(pidfd);
	return fd < 0 ? -saved : fd;
}

/* Returns @fd if it is a descriptor of the device; closes it otherwise. */
static int check_descriptor(int fd, const char *text)
{
	struct twheel_info info;

	if (!twheel_get_info(fd, &info) && info.abi_major == TWHEEL_ABI_MAJOR)
		return fd;
	close(fd);
	report("%s is not an open file of twheel; see twheelctl list", text);
	return -STATUS_FAILED;
}

int device_open_of(const char *text)
{
	int fd, pid, number, used = 0;

	if (sscanf(text, "%d:%d%n", &pid, &number, &used) != 2 || text[used] ||
	    pid <= 0 || number < 0) {
		report("'%s' is not PID:FD; see twheelctl list", text);
		return -STATUS_USAGE;
	}
	fd = device_copy(pid, number);
	if (fd >= 0)
		return check_descriptor(fd, text);
	if (fd == -EPERM) {
		report("no access to the descriptors of process %d: this takes the right to trace it (root)",
		       pid);
		return -STATUS_NO_ACCESS;
	}
	report("no descriptor %s: %s", text, strerror(-fd));
	return -STATUS_FAILED;
}

int device_open_of_option(int argc, char **argv, char ***rest)
{
	if (argc < 3 || strcmp(argv[1], "--of")) {
		report("%s: --of PID:FD is missing; see twheelctl list", argv[0]);
		return -STATUS_USAGE;
	}
	*rest = argv + 3;
	return device_open_of(argv[2]);
}

int device_with_option(int argc, char **argv, int (*function)(int fd))
{
	char **rest;
	int ret, fd = device_open_of_option(argc, argv, &rest);

	if (fd < 0)
		return -fd;
	if (*rest) {
		report("%s: unexpected argument '%s'", argv[0], *rest);
		ret = STATUS_USAGE;
	} else {
		ret = function(fd);
	}
	twheel_close(fd);
	return ret;
}

int device_report(const char *what, long error)
{
	switch (-error) {
	case EDQUOT:
		report("%s: no more timers allowed; see max_timers and max_timers_user in twheel(4)",
		       what);
		break;
	case ENOENT:
		report("%s: there is no such timer, or it has expired", what);
		break;
	case ESHUTDOWN:
		report("%s: no new timers since drain; resume accepts new ones again",
		       what);
		break;
	default:
		report("%s: %s", what, strerror((int)-error));
	}
	return STATUS_FAILED;
}
