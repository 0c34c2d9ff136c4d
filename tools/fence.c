// SPDX-License-Identifier: GPL-2.0
/*
 * The fence of a command
 *
 * The kernel sends the signal as long as any process has the device open. The tool may be killed,
 * so a helper has it open, too. The helper sleeps, in a session of its own. At the deadline it has
 * nothing to do, unless there is a cgroup to be killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <libtwheel.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fence.h"
#include "report.h"
#include "status.h"

enum { FIRST_FREE_FD = 3 };

static int open_file_of(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd = -1;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof(path), "%s/%s", directory, name) < (int)sizeof(path))
		fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		report("run: --cgroup: %s/%s: %s", directory, name, strerror(errno));
	return fd;
}

int fence_open_cgroup(struct fence *fence, const char *directory)
{
	ssize_t got;
	char byte;

	if (!mkdir(directory, 0755)) {
		fence->made = directory;
	} else if (errno != EEXIST) {
		report("run: --cgroup: %s: %s", directory, strerror(errno));
		return STATUS_FAILED;
	}
	fence->processes = open_file_of(directory, "cgroup.procs", O_RDWR);
	if (fence->processes < 0)
		return STATUS_FAILED;
	fence->kill = open_file_of(directory, "cgroup.kill", O_WRONLY);
	if (fence->kill < 0)
		return STATUS_FAILED;
	got = read(fence->processes, &byte, 1);
	if (got)
		report("run: --cgroup: %s %s", directory,
		       got < 0 ? strerror(errno) : "has processes, which would be killed, too");
	return got ? STATUS_FAILED : STATUS_DONE;
}

void fence_close_cgroup(struct fence *fence)
{
	if (fence->kill >= 0)
		close(fence->kill);
	if (fence->processes >= 0)
		close(fence->processes);
	if (fence->made)
		rmdir(fence->made);
}

void fence_kill_cgroup(const struct fence *fence)
{
	if (fence->kill >= 0 && write(fence->kill, "1", 1) < 0)
		report("run: --cgroup: cgroup.kill: %s", strerror(errno));
}

/* Close all descriptors except these. Returns them with other numbers, in the same order. */
static void close_others(int *fds, int count)
{
	unsigned int from = 0;
	int i, copy;

	/* Each gets a higher number than the one before it. If there is none, all stay open. */
	for (i = 0; i < count; i++) {
		copy = fcntl(fds[i], F_DUPFD_CLOEXEC, i ? fds[i - 1] + 1 : FIRST_FREE_FD);
		if (copy < 0)
			return;
		fds[i] = copy;
	}
	for (i = 0; i < count; i++) {
		close_range(from, (unsigned int)fds[i] - 1, 0);
		from = (unsigned int)fds[i] + 1;
	}
	close_range(from, ~0U, 0);
}

/* Be hard to kill and quick to run, as far as the user may. */
static void prepare_helper(void)
{
	const struct sched_param first = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "-1000", 5) < 0)
		errno = 0;
	close(fd);
	setsid();
	prctl(PR_SET_NAME, "twheelctl-fence");
	mlockall(MCL_CURRENT);
	sched_setscheduler(0, SCHED_FIFO, &first);
	if (chdir("/"))
		errno = 0;
}

/* The helper. It ends after the command. */
static _Noreturn void help(int command, int device, const struct fence *fence)
{
	int fds[] = { command, device, fence->kill };
	const bool has_cgroup = fence->kill >= 0;
	struct pollfd ready[2];

	close_others(fds, has_cgroup ? 3 : 2);
	prepare_helper();
	ready[0] = (struct pollfd){ .fd = fds[0], .events = POLLIN };
	ready[1] = (struct pollfd){ .fd = has_cgroup ? fds[1] : -1, .events = POLLIN };
	do {
		poll(ready, 2, -1);
		if (ready[1].fd >= 0 && ready[1].revents) {
			fence_kill_cgroup(&(struct fence){ .kill = fds[2] });
			ready[1].fd = -1;
		}
	} while (!ready[0].revents);
	_exit(STATUS_DONE);
}

static int fail(const char *what, int error)
{
	report("run: %s: %s", what, strerror(error));
	return STATUS_FAILED;
}

int fence_begin(const struct fence *fence, int device, pid_t command)
{
	int pidfd, ret = twheel_fence(device, -command, SIGKILL);
	pid_t pid;

	if (ret)
		return fail("--fence", -ret);
	if (fence->processes >= 0 && dprintf(fence->processes, "%d", command) < 0)
		return fail("--cgroup: moving the command there", errno);
	/* Older C libraries lack pidfd_open(). */
	pidfd = (int)syscall(SYS_pidfd_open, command, 0);
	if (pidfd < 0)
		return fail("--fence", errno);
	pid = fork();
	if (!pid)
		help(pidfd, device, fence);
	ret = pid < 0 ? fail("--fence", errno) : STATUS_DONE;
	close(pidfd);
	return ret;
}
