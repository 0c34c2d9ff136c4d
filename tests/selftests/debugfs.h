/* SPDX-License-Identifier: GPL-2.0 */
/* Read the files in /sys/kernel/debug/twheel. Their lines are "KEY VALUE". */
#ifndef _DEBUGFS_H
#define _DEBUGFS_H

#include "device.h"
#include "parameter.h"

#define DEBUGFS		"/sys/kernel/debug/twheel/"
#define DEBUGFS_TEXT	8192

static inline void need_debugfs(void)
{
	if (access(DEBUGFS "counts", F_OK))
		skip("no debugfs, or none mounted");
}

/* The text of one file. The kernel writes the text as a whole. */
static inline void read_debugfs(const char *name, char text[DEBUGFS_TEXT])
{
	char path[64];

	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	read_file(path, text, DEBUGFS_TEXT);
}

static inline void reset(void)
{
	ASSERT(write_file(DEBUGFS "reset", "1"));
}

/* The rest of the line after a key; NULL if there is no such line. */
static inline const char *find_value(const char *text, const char *key)
{
	const size_t length = strlen(key);

	while (text && *text) {
		if (!strncmp(text, key, length) && text[length] == ' ')
			return text + length + 1;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

static inline __u64 number_of(const char *text, const char *key)
{
	const char *value = find_value(text, key);
	char *end;
	__u64 number;

	if (!value)
		FAIL("no %s", key);
	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno || end == value || *end != '\n')
		FAIL("%s is no number: %.20s", key, value);
	return number;
}

/* A number of one file. */
static inline __u64 number_in(const char *name, const char *key)
{
	char text[DEBUGFS_TEXT];

	read_debugfs(name, text);
	return number_of(text, key);
}

static inline int cpu_count(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

/* The sum of a key's numbers over all CPUs. */
static inline __u64 sum_of_cpus(const char *key)
{
	char name[16];
	__u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < cpu_count(); cpu++) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		sum += number_in(name, key);
	}
	return sum;
}

#endif /* _DEBUGFS_H */
