// SPDX-License-Identifier: MIT
/* The cgroup of the primary. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/exit.h"
#include "fencing.h"

#define CGROUP	"/sys/fs/cgroup/fencing-primary"

void cgroup_make(void)
{
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		err(EXIT_FAILURE, CGROUP);
}

void cgroup_write(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), CGROUP "/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(EXIT_FAILURE, "%s", path);
	close(fd);
}

void cgroup_enter(void)
{
	cgroup_write("cgroup.procs", "0");
}

void cgroup_signal(int number)
{
	FILE *file = fopen(CGROUP "/cgroup.procs", "re");
	int pid;

	if (!file)
		err(EXIT_FAILURE, CGROUP);
	while (fscanf(file, "%d", &pid) == 1)
		kill(pid, number);
	fclose(file);
}

void cgroup_remove(void)
{
	unsigned int i;

	cgroup_write("cgroup.freeze", "0");
	cgroup_write("cgroup.kill", "1");
	/* The kernel removes dead processes in its own time. */
	for (i = 0; rmdir(CGROUP) && i < 1000; i++)
		sleep_until(now() + 10 * MS);
}
