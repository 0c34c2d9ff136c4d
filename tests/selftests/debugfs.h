/* SPDX-License-Identifier: GPL-2.0 */
/* Read the files in /sys/kernel/debug/twheel. Their lines are "KEY VALUE". */
#ifndef _DEBUGFS_H
#define _DEBUGFS_H

#include "device.h"

#define DEBUGFS		"/sys/kernel/debug/twheel/"
#define DEBUGFS_TEXT	8192

static inline void need_debugfs(void)
{
	if (access(DEBUGFS "counts", F_OK))
		skip("no debugfs, or none mounted");
}

static inline int open_debugfs(const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	return CALL(open(path, flags | O_CLOEXEC));
}

/* The text of one file. The kernel writes the text as a whole. */
static inline void read_debugfs(const char *name, char text[DEBUGFS_TEXT])
{
	const int fd = open_debugfs(name, O_RDONLY);
	size_t size = 0;
	ssize_t got;

	while ((got = CALL(read(fd, text + size, DEBUGFS_TEXT - 1 - size)))) {
		size += got;
		ASSERT_LT(size, DEBUGFS_TEXT - 1);
	}
	text[size] = 0;
	close(fd);
}

/* Returns the number of bytes written or a negative errno. */
static inline int write_debugfs(const char *name, const char *text)
{
	const int fd = open_debugfs(name, O_WRONLY);
	const int result = write(fd, text, strlen(text));
	const int error = result < 0 ? -errno : result;

	close(fd);
	return error;
}

static inline void reset(void)
{
	ASSERT_EQ(write_debugfs("reset", "1"), 1);
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

static inline int cpu_count(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

/* The sum of a key's numbers over all CPUs. */
static inline __u64 sum_of_cpus(const char *key)
{
	char text[DEBUGFS_TEXT], name[16];
	__u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < cpu_count(); cpu++) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		read_debugfs(name, text);
		sum += number_of(text, key);
	}
	return sum;
}

#endif /* _DEBUGFS_H */
