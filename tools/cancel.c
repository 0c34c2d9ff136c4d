// SPDX-License-Identifier: GPL-2.0
/* twheelctl cancel: end timers of another program */
#include <libtwheel.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "parse.h"
#include "report.h"
#include "status.h"

static int cancel_group(int fd, char **words)
{
	uint64_t group;
	int ret;

	if (!words[0] || words[1]) {
		report("cancel: --group takes one TAG");
		return STATUS_USAGE;
	}
	if (!parse_number(words[0], &group))
		return STATUS_USAGE;
	ret = twheel_cancel_group(fd, group, NULL);
	return ret < 0 ? device_report("cancel", ret) : STATUS_DONE;
}

static int cancel_handles(int fd, char **handles)
{
	int ret, status = STATUS_DONE;
	uint64_t handle;
	size_t i;

	for (i = 0; handles[i]; i++)
		if (!parse_number(handles[i], &handle))
			return STATUS_USAGE;
	for (i = 0; handles[i]; i++) {
		parse_number(handles[i], &handle);
		ret = twheel_cancel(fd, handle);
		if (ret < 0)
			status = device_report(handles[i], ret);
	}
	return status;
}

int cancel_main(int argc, char **argv)
{
	char **rest;
	int ret, fd = device_open_of_option(argc, argv, &rest);

	if (fd < 0)
		return -fd;
	if (!*rest) {
		report("cancel: HANDLE... or --group TAG is missing");
		ret = STATUS_USAGE;
	} else if (!strcmp(*rest, "--group")) {
		ret = cancel_group(fd, rest + 1);
	} else {
		ret = cancel_handles(fd, rest);
	}
	twheel_close(fd);
	return ret;
}
