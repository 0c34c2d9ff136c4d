// SPDX-License-Identifier: GPL-2.0
#include "parameter.h"

#include <linux/capability.h>
#include <sys/syscall.h>

#include "device.h"

bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const ssize_t length = strlen(text);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, text, length) == length;
	return !close(fd) && good;
}

unsigned long long read_parameter(const char *name)
{
	char path[128];
	unsigned long long value;
	FILE *file;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "r");
	if (!file)
		FAIL("%s: %s", path, strerror(errno));
	ASSERT_EQ(fscanf(file, "%llu", &value), 1);
	fclose(file);
	return value;
}

bool write_parameter(const char *name, unsigned long long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%llu\n", value);
	return write_file(path, text);
}

int open_with(const char *name, unsigned int limit)
{
	const unsigned long long before = read_parameter(name);
	int fd;

	if (!write_parameter(name, limit))
		skip("cannot write to %s%s", PARAMETERS, name);
	fd = open(DEVICE, O_RDWR);
	if (!write_parameter(name, before))
		FAIL("cannot set %s back from %u", name, limit);
	return CALL(fd);
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
