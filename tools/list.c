// SPDX-License-Identifier: GPL-2.0
/* twheelctl list: the open files of the device, from /proc/PID/fdinfo */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "format.h"
#include "json.h"
#include "list_of.h"
#include "report.h"
#include "status.h"
#include "values.h"

/* A descriptor of the device, with the text of its fdinfo. */
struct found {
	const char	*pid;
	const char	*fd;
	char		name[32];
	const char	*text;
};

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
	json_text("program", found->name);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (values_number(found->text, keys[i][1], &value))
			json_number(keys[i][0], value);
	json_close('}');
	json_end();
}

static void show(const struct found *found)
{
	const uint64_t now = twheel_now(CLOCK_MONOTONIC);
	char place[48], left[FORMAT_SIZE] = "-";
	uint64_t timers, unread, next;

	values_number(found->text, "twheel-timers", &timers);
	values_number(found->text, "twheel-unread", &unread);
	if (values_number(found->text, "twheel-next-deadline-ns", &next))
		format_duration(next > now ? next - now : 0, left);
	snprintf(place, sizeof(place), "%s:%s", found->pid, found->fd);
	printf("%-14s %-16s %10" PRIu64 " %10" PRIu64 "  %s\n", place, found->name,
	       timers, unread, left);
}

/* Any program may give itself any name, also one that changes what a terminal shows. */
static void read_name(struct found *found)
{
	char path[64], *text, *c;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", found->pid);
	text = values_read(path);
	snprintf(found->name, sizeof(found->name), "%.*s",
		 (int)strcspn(text ?: "?", "\n"), text ?: "?");
	for (c = found->name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	free(text);
}

/* Print a descriptor if it is of the device. Returns whether it is. */
static bool show_descriptor(const char *pid, const char *fd)
{
	struct found found = { .pid = pid, .fd = fd };
	char path[64], *text;
	bool is_twheel;

	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo/%.16s", pid, fd);
	text = values_read(path);
	is_twheel = text && values_text(text, "twheel-timers");
	if (is_twheel) {
		found.text = text;
		read_name(&found);
		if (json)
			show_json(&found);
		else
			show(&found);
	}
	free(text);
	return is_twheel;
}

/* Print the descriptors of a process. Returns their number. */
static unsigned int show_process(const char *pid)
{
	unsigned int count = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo", pid);
	dir = opendir(path);
	/* The process has ended, or belongs to another user. */
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			count += show_descriptor(pid, entry->d_name);
	closedir(dir);
	return count;
}

static int list_descriptors(void)
{
	DIR *dir = opendir("/proc");
	unsigned int count = 0;
	struct dirent *entry;

	if (!dir) {
		report("list: there is no /proc");
		return STATUS_FAILED;
	}
	if (!json)
		printf("%-14s %-16s %10s %10s  %s\n", "PID:FD", "PROGRAM", "TIMERS",
		       "UNREAD", "NEXT IN");
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			count += show_process(entry->d_name);
	closedir(dir);
	if (!json && !count)
		puts("(no open file of the device that this user may see)");
	return STATUS_DONE;
}

int list_main(int argc, char **argv)
{
	return argc > 1 ? list_of(argc, argv) : list_descriptors();
}
