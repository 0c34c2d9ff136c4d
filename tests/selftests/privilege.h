/* SPDX-License-Identifier: GPL-2.0 */
/* Giving up privileges, in test programs that root starts. */
#ifndef _PRIVILEGE_H
#define _PRIVILEGE_H

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A user ID without privileges. */
#define USER	1000U

static inline bool write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY);
	const bool written = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (!written)
		perror(path);
	close(fd);
	return written;
}

/*
 * Give up all privileges. The program may still read its own files in /proc. Returns false
 * with a message on stderr if that fails.
 */
static inline bool become_user(void)
{
	if (!setgroups(0, NULL) && !setresgid(USER, USER, USER) &&
	    !setresuid(USER, USER, USER) && !prctl(PR_SET_DUMPABLE, 1))
		return true;
	perror("cannot become an unprivileged user");
	return false;
}

/* Be root in a user namespace that the user has made. Returns false as above. */
static inline bool become_root_of_a_namespace(void)
{
	char map[32];

	if (unshare(CLONE_NEWUSER)) {
		perror("cannot make a user namespace");
		return false;
	}
	snprintf(map, sizeof(map), "0 %u 1", USER);
	return write_text("/proc/self/uid_map", map) &&
	       write_text("/proc/self/setgroups", "deny") &&
	       write_text("/proc/self/gid_map", map);
}

#endif /* _PRIVILEGE_H */
