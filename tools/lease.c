// SPDX-License-Identifier: GPL-2.0
/* twheelctl lease: push the lease of a command that "twheelctl run" has started */
#include <errno.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "format.h"
#include "json.h"
#include "lease.h"
#include "parse.h"
#include "report.h"
#include "status.h"

static int fail(const char *what, int error)
{
	switch (-error) {
	case ENOENT:
		report("%s: the lease has ended", what);
		break;
	case EBADF:
	case ENOTTY:
		report("%s: descriptor %s is not a lease; a program in between may have closed it: let that program keep it, in Python with pass_fds=[%s]",
		       what, getenv(LEASE_FD), getenv(LEASE_FD));
		break;
	case EINVAL:
		report("%s: longer than the lease", what);
		break;
	default:
		report("%s: %s", what, strerror(-error));
	}
	return STATUS_FAILED;
}

/* Push the deadline to @duration from now, or to the cap if there is none. */
static int push_lease(int fd, const char *duration)
{
	uint64_t ns = 0;
	int ret;

	if (duration && !parse_duration(duration, &ns))
		return STATUS_USAGE;
	ret = duration ? twheel_lease_push_by(fd, ns) : twheel_lease_push(fd);
	return ret ? fail("lease push", ret) : STATUS_DONE;
}

static int show_left(int fd)
{
	char text[FORMAT_SIZE];
	uint64_t left;
	int ret = twheel_lease_left(fd, &left);

	if (ret)
		return fail("lease left", ret);
	if (!json) {
		puts(format_duration(left, text));
		return STATUS_DONE;
	}
	json_open(NULL, '{');
	json_number("left_ns", left);
	json_close('}');
	json_end();
	return STATUS_DONE;
}

int lease_main(int argc, char **argv)
{
	const char *text = getenv(LEASE_FD);
	uint64_t fd;

	if (argc > 1 && (!text || !parse_number(text, &fd) || fd > INT32_MAX)) {
		report("lease: " LEASE_FD " is not set; \"twheelctl run\" sets it");
		return STATUS_USAGE;
	}
	if ((argc == 2 || argc == 3) && !strcmp(argv[1], "push"))
		return push_lease((int)fd, argv[2]);
	if (argc == 2 && !strcmp(argv[1], "left"))
		return show_left((int)fd);
	report("lease: push [DURATION], or left");
	return STATUS_USAGE;
}
