// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl drain and resume: take the timers of another program
 *
 * Drain prints a command of twheelctl script for each timer, which adds it again, without
 * TWHEEL_SHARED.
 */
#include <libtwheel.h>
#include <signal.h>
#include <stdio.h>
#include "command.h"
#include "device.h"
#include "drain.h"
#include "json.h"
#include "record.h"
#include "report.h"
#include "status.h"

enum { ROOM = 256 };

/* The records could not be printed: arm their timers again. */
static int give_back(int fd, struct twheel_op *ops, long count)
{
	long i, lost = 0, ret = twheel_resume(fd);

	report("drain: cannot write the records");
	ret = ret ?: twheel_restore(fd, ops, (size_t)count);
	for (i = 0; i < count; i++)
		lost += i >= ret || ops[i].result < 0;
	report("drain: the last %ld timers are armed again, and the program may add new ones",
	       count - lost);
	if (lost)
		report("drain: %ld timers are lost", lost);
	return STATUS_FAILED;
}

int drain_show(int fd)
{
	struct twheel_op ops[ROOM];
	long i, count;

	while ((count = twheel_drain(fd, ops, ROOM)) > 0) {
		for (i = 0; i < count; i++) {
			if (json)
				record_show_json(&ops[i], NULL);
			else
				record_show_line(&ops[i]);
		}
		if (fflush(stdout) || ferror(stdout))
			return give_back(fd, ops, count);
	}
	return count < 0 ? device_report("drain", count) : STATUS_DONE;
}

static int resume(int fd)
{
	int ret = twheel_resume(fd);

	return ret ? device_report("resume", ret) : STATUS_DONE;
}

int drain_main(int argc, char **argv)
{
	/* If the reader of the records ends, write() fails, and drain arms their timers again. */
	signal(SIGPIPE, SIG_IGN);
	return device_with_option(argc, argv, drain_show);
}

int drain_resume_main(int argc, char **argv)
{
	return device_with_option(argc, argv, resume);
}
