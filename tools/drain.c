// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl drain, resume and cancel: the timers of another program
 *
 * What drain prints are commands of twheelctl script that add them again.
 */
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "drain.h"
#include "job.h"
#include "json.h"
#include "parse.h"
#include "say.h"

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
	json_text("clock", clock_name(op->clockid));
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
	return count < 0 ? device_failed("drain", count) : DONE;
}

/* Does something to another program's descriptor. */
static int with_descriptor(int argc, char **argv, int (*function)(int fd))
{
	char **rest;
	int ret, fd = device_of_arguments(argc, argv, &rest);

	if (fd < 0)
		return -fd;
	if (*rest) {
		say("%s: what is '%s'?", argv[0], *rest);
		ret = USAGE;
	} else {
		ret = function(fd);
	}
	twheel_close(fd);
	return ret;
}

static int resume(int fd)
{
	int ret = twheel_resume(fd);

	return ret ? device_failed("resume", ret) : DONE;
}

int command_drain(int argc, char **argv)
{
	return with_descriptor(argc, argv, drain_show);
}

int command_resume(int argc, char **argv)
{
	return with_descriptor(argc, argv, resume);
}

static int cancel_group(int fd, const char *text)
{
	uint64_t group;
	int ret;

	if (!text || !parse_number(text, &group))
		return USAGE;
	ret = twheel_cancel_group(fd, group, NULL);
	return ret < 0 ? device_failed("cancel", ret) : DONE;
}

static int cancel_handles(int fd, char **handles)
{
	int ret, status = DONE;
	uint64_t handle;

	for (; *handles; handles++) {
		if (!parse_number(*handles, &handle))
			return USAGE;
		ret = twheel_cancel(fd, handle);
		if (ret < 0)
			status = device_failed(*handles, ret);
	}
	return status;
}

int command_cancel(int argc, char **argv)
{
	char **rest;
	int ret, fd = device_of_arguments(argc, argv, &rest);

	if (fd < 0)
		return -fd;
	if (!*rest) {
		say("cancel: which? HANDLE... or --group TAG");
		ret = USAGE;
	} else if (!strcmp(*rest, "--group")) {
		ret = cancel_group(fd, rest[1]);
	} else {
		ret = cancel_handles(fd, rest);
	}
	twheel_close(fd);
	return ret;
}
