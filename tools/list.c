// SPDX-License-Identifier: GPL-2.0
/* twheelctl list: the open files of the device */
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include "command.h"
#include "device.h"
#include "format.h"
#include "found.h"
#include "json.h"
#include "list_of.h"
#include "status.h"
#include "values.h"

static void show_json(const struct found *found)
{
	static const char *const keys[][2] = {
		{ "timers", "twheel-timers" },
		{ "unread", "twheel-unread" },
		{ "max_timers", "twheel-max-timers" },
		{ "timers_user", "twheel-user-timers" },
		{ "max_timers_user", "twheel-max-user-timers" },
		{ "next_deadline_ns", "twheel-next-deadline-ns" },
	};
	uint64_t value;
	size_t i;

	json_open(NULL, '{');
	json_number("pid", strtoull(found->pid, NULL, 10));
	json_number("fd", strtoull(found->fd, NULL, 10));
	json_text("program", found->program);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (values_number(found->text, keys[i][1], &value))
			json_number(keys[i][0], value);
	json_close('}');
	json_end();
}

static void show(const struct found *found, void *data)
{
	const uint64_t now = twheel_now(CLOCK_MONOTONIC);
	char place[48], left[FORMAT_SIZE] = "-";
	uint64_t timers, unread, next;

	(void)data;
	if (json) {
		show_json(found);
		return;
	}
	values_number(found->text, "twheel-timers", &timers);
	values_number(found->text, "twheel-unread", &unread);
	if (values_number(found->text, "twheel-next-deadline-ns", &next))
		format_duration(next > now ? next - now : 0, left);
	snprintf(place, sizeof(place), "%s:%s", found->pid, found->fd);
	printf("%-14s %-16s %10" PRIu64 " %10" PRIu64 "  %s\n", place, found->program,
	       timers, unread, left);
}

static int list_descriptors(void)
{
	const int status = device_present();
	long count;

	if (status)
		return status;
	if (!json)
		printf("%-14s %-16s %10s %10s  %s\n", "PID:FD", "PROGRAM", "TIMERS",
		       "UNREAD", "NEXT IN");
	count = found_each(show, NULL);
	if (!json && !count)
		puts("(no open file of the device that this user may see)");
	return count < 0 ? STATUS_FAILED : STATUS_DONE;
}

int list_main(int argc, char **argv)
{
	return argc > 1 ? list_of(argc, argv) : list_descriptors();
}
