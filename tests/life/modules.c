// SPDX-License-Identifier: GPL-2.0
#include "modules.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "device.h"
#include "parameter.h"

static int open_module(const char *name)
{
	const char *directory = getenv("TWHEEL_MODULES");
	char path[4096];
	int fd;

	if (!directory)
		skip("TWHEEL_MODULES is not set");
	snprintf(path, sizeof(path), "%s/%s.ko", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(path, sizeof(path), "%s/tests/modules/%s.ko", directory, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		FAIL("%s: %s", path, strerror(errno));
	return fd;
}

int try_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) < 0 ? -errno : 0;
}

void load(const char *name, const char *parameters)
{
	const int fd = open_module(name);

	if (syscall(SYS_finit_module, fd, parameters, 0))
		FAIL("cannot load %s: %s", name, strerror(errno));
	close(fd);
}

void unload(const char *name)
{
	const int ret = try_unload(name);

	if (ret)
		FAIL("cannot unload %s: %s", name, strerror(-ret));
}

void *module_image(const char *name, size_t *size)
{
	FILE *file = fdopen(open_module(name), "r");
	struct stat status;
	char *image;

	ASSERT(file);
	CALL(fstat(fileno(file), &status));
	*size = status.st_size;
	image = malloc(*size);
	ASSERT(image);
	ASSERT_EQ(fread(image, 1, *size, file), *size);
	fclose(file);
	return image;
}

void check_twheel_is_gone(void)
{
	static const char * const places[] = {
		DEVICE,
		"/sys/class/twheel",
		"/sys/kernel/debug/twheel",
		"/sys/kernel/slab/twheel_timers",
		"/sys/kernel/tracing/events/twheel",
		"/sys/module/twheel",
	};
	static const char * const lists[] = {
		"/proc/devices",
		"/proc/modules",
		"/proc/slabinfo",
		"/sys/devices/system/cpu/hotplug/states",
	};
	static char text[1 << 20];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (!access(places[i], F_OK))
			FAIL("%s still exists", places[i]);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (access(lists[i], R_OK))
			continue;
		read_file(lists[i], text, sizeof(text));
		if (strstr(text, "twheel"))
			FAIL("twheel is still in %s", lists[i]);
	}
}
