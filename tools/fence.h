/* SPDX-License-Identifier: GPL-2.0 */
/* A fence: the end of a command that no program has to bring about. */
#ifndef _FENCE_H
#define _FENCE_H

#include <sys/types.h>

/**
 * struct fence - a fence, and the cgroup of the command
 * @kill: The cgroup's file cgroup.kill, or -1.
 * @processes: The cgroup's file cgroup.procs, or -1.
 * @made: The folder of the cgroup, if the tool has made it; or %NULL.
 */
struct fence {
	int		kill;
	int		processes;
	const char	*made;
};

/* A fence without a cgroup */
#define FENCE_INIT	{ .kill = -1, .processes = -1 }

/*
 * Use a cgroup, which has no processes. Make it if it is not there. Reports an error and returns
 * an exit status.
 */
int fence_open_cgroup(struct fence *fence, const char *directory);

/*
 * Have the kernel kill a command and its process group when a timer of @device expires. Start a
 * helper, which keeps @device until the command ends, whatever becomes of the tool, and kills
 * the cgroup. Reports an error and returns an exit status.
 */
int fence_begin(const struct fence *fence, int device, pid_t command);

/* Remove the cgroup, if the tool has made it and it is empty. */
void fence_close_cgroup(struct fence *fence);

/* Kill all processes of the cgroup, if there is one. */
void fence_kill_cgroup(const struct fence *fence);

#endif /* _FENCE_H */
