// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl drain and resume: take the timers of another program
 *
 * Drain prints a command of twheelctl script for each timer, which adds it again.
 */
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "drain.h"
#include "format.h"
#include "json.h"
#include "parse.h"
#include "report.h"
#include "status.h"

enum { ROOM = 256 };

static const char *missed_name(uint32_t flags)
{
	return flags & TWHEEL_EACH ? "each" :
	       flags & TWHEEL_RESTART ? "restart" : "skip";
}

static void show_json(const struct twheel_op *op)
{
	json_open(NULL, '{');
	json_number("handle", op->handle);
	json_number("cookie", op->cookie);
	json_text("clock", format_clock(op->clockid));
	json_number(op->flags & TWHEEL_ABSTIME ? "deadline_ns" : "left_ns",
		    op->time_ns);
	if (op->period_ns) {
		json_number("period_ns", op->period_ns);
		json_text("missed", missed_name(op->flags));
	}
	if (op->group)
		json_number("group", op->group);
	json_close('}');
	json_end();
}

static void show(const struct twheel_op *op)
{
	if (op->flags & TWHEEL_ABSTIME)
		printf("at @%" PRIu64 ".%09" PRIu64, (uint64_t)(op->time_ns / NSEC_PER_SEC),
		       (uint64_t)(op->time_ns % NSEC_PER_SEC));
	else
		printf("add %" PRIu64 "ns", (uint64_t)op->time_ns);
	if (op->clockid == CLOCK_BOOTTIME)
		printf(" --clock boottime");
	if (op->period_ns)
		printf(" --period %" PRIu64 "ns --missed %s",
		       (uint64_t)op->period_ns, missed_name(op->flags));
	if (op->cookie)
		printf(" --cookie %" PRIu64, (uint64_t)op->cookie);
	if (op->group)
		printf(" --group %" PRIu64, (uint64_t)op->group);
	putchar('\n');
}

int drain_show(int fd)
{
	struct twheel_op ops[ROOM];
	long i, count;

	do {
		count = twheel_drain(fd, ops, ROOM);
		for (i = 0; i < count; i++) {
			if (json)
				show_json(&ops[i]);
			else
				show(&ops[i]);
		}
	} while (count > 0);
	fflush(stdout);
	return count < 0 ? device_report("drain", count) : STATUS_DONE;
}

/* Call @function with the descriptor that --of names. */
static int with_descriptor(int argc, char **argv, int (*function)(int fd))
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

static int resume(int fd)
{
	int ret = twheel_resume(fd);

	return ret ? device_report("resume", ret) : STATUS_DONE;
}

int drain_main(int argc, char **argv)
{
	return with_descriptor(argc, argv, drain_show);
}

int drain_resume_main(int argc, char **argv)
{
	return with_descriptor(argc, argv, resume);
}
