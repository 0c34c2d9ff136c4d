// SPDX-License-Identifier: GPL-2.0
#include "parameter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	const ssize_t length = strlen(text);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, text, length) == length;
	return !close(fd) && good;
}

void read_file(const char *path, char *text, size_t size)
{
	const int fd = CALL(open(path, O_RDONLY | O_CLOEXEC));
	size_t used = 0;
	ssize_t got;

	while ((got = CALL(read(fd, text + used, size - 1 - used)))) {
		used += got;
		ASSERT_LT(used, size - 1);
	}
	text[used] = 0;
	close(fd);
}

bool find_number(const char *path, const char *format, unsigned long long *number)
{
	FILE *file = fopen(path, "re");
	char line[512];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, format, number) == 1;
	if (file)
		fclose(file);
	return found;
}

unsigned long long number_from(const char *path, const char *format)
{
	unsigned long long number;

	if (!find_number(path, format, &number))
		FAIL("%s has no number as in \"%s\"", path, format);
	return number;
}

unsigned long long read_parameter(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return number_from(path, "%llu");
}

bool write_parameter(const char *name, unsigned long long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%llu\n", value);
	return write_file(path, text);
}

void drop_capability(int number)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	CALL(syscall(SYS_capget, &header, data));
	data[number / 32].effective &= ~(1U << number % 32);
	CALL(syscall(SYS_capset, &header, data));
}
