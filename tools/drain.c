// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl drain and resume: take the timers of another program
 *
 * Drain prints a command of twheelctl script for each timer, which adds it again.
 */
#include <libtwheel.h>
#include <stdio.h>
#include "command.h"
#include "device.h"
#include "drain.h"
#include "json.h"
#include "record.h"
#include "status.h"

enum { ROOM = 256 };

int drain_show(int fd)
{
	struct twheel_op ops[ROOM];
	long i, count;

	do {
		count = twheel_drain(fd, ops, ROOM);
		for (i = 0; i < count; i++) {
			if (json)
				record_show_json(&ops[i], NULL);
			else
				record_show_line(&ops[i]);
		}
	} while (count > 0);
	fflush(stdout);
	return count < 0 ? device_report("drain", count) : STATUS_DONE;
}

static int resume(int fd)
{
	int ret = twheel_resume(fd);

	return ret ? device_report("resume", ret) : STATUS_DONE;
}

int drain_main(int argc, char **argv)
{
	return device_with_option(argc, argv, drain_show);
}

int drain_resume_main(int argc, char **argv)
{
	return device_with_option(argc, argv, resume);
}
