// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "found.h"
#include "report.h"
#include "values.h"

struct search {
	void	(*function)(const struct found *found, void *data);
	void	*data;
	long	count;
};

/* Any program may give itself any name, also one that changes what a terminal shows. */
static void read_name(struct found *found)
{
	char path[64], *text, *c;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", found->pid);
	text = values_read(path);
	snprintf(found->program, sizeof(found->program), "%.*s",
		 (int)strcspn(text ?: "?", "\n"), text ?: "?");
	for (c = found->program; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	free(text);
}

static void look_at_descriptor(struct search *search, const char *pid, const char *fd)
{
	struct found found = { .pid = pid, .fd = fd };
	char path[64], *text, first;

	/*
	 * A server may have a million sockets, and fdinfo of its epoll has a line for each of them.
	 * So fdinfo is read only of what has a path. A stat() could hang with its file system.
	 */
	snprintf(path, sizeof(path), "/proc/%.16s/fd/%.16s", pid, fd);
	if (readlink(path, &first, 1) != 1 || first != '/')
		return;
	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo/%.16s", pid, fd);
	text = values_read(path);
	if (text && values_text(text, "twheel-timers")) {
		found.text = text;
		read_name(&found);
		search->function(&found, search->data);
		search->count++;
	}
	free(text);
}

static void look_at_process(struct search *search, const char *pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo", pid);
	dir = opendir(path);
	/* The process has ended, or belongs to another user. */
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at_descriptor(search, pid, entry->d_name);
	closedir(dir);
}

long found_each(void (*function)(const struct found *found, void *data), void *data)
{
	struct search search = { .function = function, .data = data };
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir) {
		report("there is no /proc");
		return -1;
	}
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at_process(&search, entry->d_name);
	closedir(dir);
	return search.count;
}
