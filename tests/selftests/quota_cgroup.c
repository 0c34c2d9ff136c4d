// SPDX-License-Identifier: GPL-2.0
/*
 * The limits per user, for root without CAP_SYS_RESOURCE in several cgroups, as
 * containers of root have it: each cgroup counts by itself.
 */
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "parameter.h"
#include "user.h"

#define CGROUPS	"/sys/fs/cgroup/"
#define FIRST	CGROUPS "twheel_first"
#define SECOND	CGROUPS "twheel_second"
#define BELOW	FIRST "/below"

enum { LIMIT = 1000 };

static const char *const cgroups[] = { FIRST, SECOND, BELOW };

static void enter(const char *cgroup)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = CALL(open(path, O_WRONLY));
	ASSERT_EQ(CALL(write(fd, "0\n", 2)), 2);
	close(fd);
}

/* The test as root, with three cgroups, the third of which is in the first. */
static void with_cgroups(void (*run)(void *data))
{
	int status;
	size_t i;
	pid_t child;

	if (access(CGROUPS "cgroup.procs", F_OK))
		skip("no cgroup2");
	for (i = 0; i < ARRAY_SIZE(cgroups); i++)
		CALL(mkdir(cgroups[i], 0755));
	child = start(run, NULL);
	CALL(waitpid(child, &status, 0));
	for (i = ARRAY_SIZE(cgroups); i-- > 0;)
		CALL(rmdir(cgroups[i]));
	pass_on(status);
}

#define CGROUP_TEST(id)					\
	static void body_##id(void *data);		\
	USER_LIMIT_TEST(id, LIMIT)			\
	{						\
		with_cgroups(body_##id);		\
	}						\
	static void body_##id(void *data)

static void leave(void)
{
	enter(CGROUPS);
}

CGROUP_TEST(cgroups_of_root_count_by_themselves)
{
	int first, second;

	drop_capability(CAP_SYS_RESOURCE);
	enter(FIRST);
	first = open_device(0);
	add_timers(first, LIMIT);
	check_user_full(first, LIMIT);
	check_user_full(open_device(0), LIMIT);

	enter(SECOND);
	second = open_device(0);
	ASSERT_EQ(get_info(second).timers_user, 0);
	add_timers(second, LIMIT);
	check_user_full(second, LIMIT);

	/* the cgroup of the opener is charged, wherever the user of the descriptor is */
	check_user_full(first, LIMIT);
	close(first);
	check_user_full(second, LIMIT);
	leave();
}

/* A container that makes cgroups below its own gains nothing by it. */
CGROUP_TEST(cgroup_namespace_counts_as_one_cgroup)
{
	enter(FIRST);
	if (unshare(CLONE_NEWCGROUP))
		skip("no cgroup namespaces");
	drop_capability(CAP_SYS_RESOURCE);
	add_timers(open_device(0), LIMIT);
	enter(BELOW);
	check_user_full(open_device(0), LIMIT);
	leave();
}

/* A user may make cgroups, so they do not count for other users than root. */
CGROUP_TEST(cgroups_of_a_user_share_the_users_quota)
{
	enter(FIRST);
	become(ALICE);
	add_timers(open_device(0), LIMIT);
	enter(SECOND);
	check_user_full(open_device(0), LIMIT);
	leave();
}
