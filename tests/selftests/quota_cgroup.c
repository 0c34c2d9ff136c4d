// SPDX-License-Identifier: GPL-2.0
/*
 * The limits per user, for root without CAP_SYS_RESOURCE in several cgroups, as
 * containers of root have it: each cgroup counts by itself.
 */
#include <linux/capability.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/stat.h>

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

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	ASSERT(write_file(path, "0\n"));
}

/* The test as root, with three cgroups, the third of which is in the first. */
static void with_cgroups(void (*run)(void *data))
{
	int status;
	size_t i;

	if (access(CGROUPS "cgroup.procs", F_OK))
		skip("no cgroup2");
	for (i = 0; i < ARRAY_SIZE(cgroups); i++)
		CALL(mkdir(cgroups[i], 0755));
	status = status_of(start(run, NULL));
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

/* Enter a container as an engine makes it without a user namespace. */
static void enter_container(const char *cgroup)
{
	enter(cgroup);
	if (unshare(CLONE_NEWCGROUP))
		skip("no cgroup namespaces");
	drop_capability(CAP_SYS_RESOURCE);
}

/* A container: its cgroup, and pipes to say that it holds half of a quota, and to go on. */
struct container {
	const char	*cgroup;
	int		half[2];
	int		go_on[2];
};

static void fill_container(void *data)
{
	struct container *container = data;
	int fd;

	enter_container(container->cgroup);
	fd = open_device(0);
	add_timers(fd, LIMIT / 2);
	tell(container->half[1]);
	hear(container->go_on[0]);
	add_timers(fd, LIMIT - LIMIT / 2);
	check_user_full(fd, LIMIT);
	leave();
}

/* Two containers of root run side by side. One must not keep the other from its quota. */
CGROUP_TEST(containers_of_root_do_not_starve_each_other)
{
	struct container container[] = { { .cgroup = FIRST }, { .cgroup = SECOND } };
	pid_t child[ARRAY_SIZE(container)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(container); i++) {
		CALL(pipe(container[i].half));
		CALL(pipe(container[i].go_on));
		child[i] = start(fill_container, &container[i]);
		/* If the child fails, the pipe ends. */
		close(container[i].half[1]);
	}
	for (i = 0; i < ARRAY_SIZE(container); i++)
		hear(container[i].half[0]);
	for (i = 0; i < ARRAY_SIZE(container); i++)
		tell(container[i].go_on[1]);
	for (i = 0; i < ARRAY_SIZE(container); i++)
		join(child[i]);
}

/* A container that makes cgroups below its own gains nothing by it. */
CGROUP_TEST(cgroup_namespace_counts_as_one_cgroup)
{
	enter_container(FIRST);
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

/* Root of a container may become any user. No user has a quota by itself. */
CGROUP_TEST(users_of_a_container_share_its_quota)
{
	enter_container(FIRST);
	CALL(setresuid(ALICE, 0, 0));
	add_timers(open_device(0), LIMIT / 2);
	CALL(setresuid(BOB, 0, 0));
	ASSERT_EQ(get_info(open_device(0)).timers_user, LIMIT / 2);
	add_timers(open_device(0), LIMIT / 2);
	check_user_full(open_device(0), LIMIT);
	CALL(setresuid(CAROL, 0, 0));
	check_user_full(open_device(0), LIMIT);
	CALL(setresuid(0, 0, 0));
	check_user_full(open_device(0), LIMIT);
	leave();
}

static void fill_as_alice(void *data)
{
	enter_container(data);
	CALL(setresuid(ALICE, 0, 0));
	add_timers(open_device(0), LIMIT);
	check_user_full(open_device(0), LIMIT);
	CALL(setresuid(0, 0, 0));
	leave();
}

/* The same user has a quota in each container, and one outside. */
CGROUP_TEST(user_counts_in_each_container_by_itself)
{
	int outside;

	fill_as_alice(FIRST);
	join(start(fill_as_alice, SECOND));
	/* This process stays in the namespace of the first container. */
	check_user_full(open_device(0), LIMIT);
	outside = open("/proc/1/ns/cgroup", O_RDONLY);
	CALL(setns(outside, CLONE_NEWCGROUP));
	CALL(setresuid(ALICE, 0, 0));
	ASSERT_EQ(get_info(open_device(0)).timers_user, 0);
}

static void check_full_in_user_namespace(void *data)
{
	if (unshare(CLONE_NEWUSER))
		skip("no user namespaces");
	check_user_full(open_device(0), LIMIT);
}

/* The namespaces that a container makes may belong to root, or to another user. */
CGROUP_TEST(user_namespaces_of_a_container_share_its_quota)
{
	enter_container(FIRST);
	add_timers(open_device(0), LIMIT);
	join(start(check_full_in_user_namespace, NULL));
	/* The effective user owns the namespace, and root's file system user opens the device. */
	CALL(setresuid(ALICE, ALICE, 0));
	setfsuid(0);
	join(start(check_full_in_user_namespace, NULL));
	CALL(setresuid(0, 0, 0));
	leave();
}

/* Root of a user namespace may get cgroups of its own, and gains nothing by them. */
CGROUP_TEST(cgroups_of_a_user_namespace_share_its_quota)
{
	enter(FIRST);
	if (unshare(CLONE_NEWUSER))
		skip("no user namespaces");
	add_timers(open_device(0), LIMIT);
	enter(SECOND);
	check_user_full(open_device(0), LIMIT);
	if (unshare(CLONE_NEWCGROUP))
		skip("no cgroup namespaces");
	check_user_full(open_device(0), LIMIT);
	leave();
}
