// SPDX-License-Identifier: GPL-2.0
/*
 * The limits per user, for users in user namespaces: the owner of the outermost
 * namespace is charged, whatever the user's id.
 */
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "user.h"

enum { LIMIT = 1000, FIRST = 100000 };

/* The test as root, with a device that everybody may open. */
static void with_open_device(void (*run)(void *data))
{
	struct stat before;
	int status;

	CALL(stat(DEVICE, &before));
	CALL(chmod(DEVICE, 0666));
	status = status_of(start(run, NULL));
	CALL(chmod(DEVICE, before.st_mode & 07777));
	pass_on(status);
}

#define NAMESPACE_TEST(id)				\
	static void body_##id(void *data);		\
	USER_LIMIT_TEST(id, LIMIT)			\
	{						\
		if (access("/proc/self/ns/user", F_OK))	\
			skip("no user namespaces");	\
		with_open_device(body_##id);		\
	}						\
	static void body_##id(void *data)

static void write_map(const char *name, const char *map)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), name);
	ASSERT(write_file(path, map));
}

/*
 * In a process that stays outside: write the maps of the parent once it is inside. The
 * parent's files in /proc belong to @owner.
 */
static void write_maps(const int *inside, uid_t owner, const char *map)
{
	hear(inside[0]);
	setfsuid(owner);
	write_map("uid_map", map);
	write_map("gid_map", "0 0 1\n");
	_exit(EXIT_PASS);
}

/*
 * Enter a new user namespace, which @owner owns. @map has lines with an id inside, an id
 * outside, and a count. The caller may map these ids. It is user 0 inside, with all
 * capabilities there.
 */
static void enter_namespace(uid_t owner, const char *map)
{
	int inside[2];
	pid_t child;

	CALL(pipe(inside));
	child = CALL(fork());
	if (!child)
		write_maps(inside, owner, map);
	CALL(setresuid(owner, owner, owner));
	CALL(unshare(CLONE_NEWUSER));
	CALL(prctl(PR_SET_DUMPABLE, 1));
	tell(inside[1]);
	join(child);
	close(inside[0]);
	close(inside[1]);
	CALL(setresuid(0, 0, 0));
}

/* Alice's namespace: she is user 0, and has ten more ids. */
static void enter_alices_namespace(void)
{
	char map[64];

	snprintf(map, sizeof(map), "0 %d 1\n1 %d 10\n", ALICE, FIRST);
	enter_namespace(ALICE, map);
}

static int open_inside(uid_t user)
{
	CALL(setresuid(user, 0, 0));
	return open_device(0);
}

/* A descriptor of Alice, outside of any namespace. The caller stays root, with all rights. */
static int open_outside(void)
{
	const int fd = open_as(ALICE);

	CALL(setresuid(0, 0, 0));
	return fd;
}

static void use_up_as_many_users(void *data)
{
	const int outside = *(int *)data;
	int first, second;

	enter_alices_namespace();
	first = open_inside(1);
	/* all capabilities inside are none outside */
	ASSERT_EQ(get_info(first).max_timers_user, LIMIT);
	add_timers(first, LIMIT / 2);
	second = open_inside(2);
	ASSERT_EQ(get_info(second).timers_user, LIMIT / 2);
	add_timers(second, LIMIT / 2);
	check_user_full(second, LIMIT);
	check_user_full(first, LIMIT);
	check_user_full(open_inside(3), LIMIT);
	check_user_full(open_inside(0), LIMIT);
	check_user_full(outside, LIMIT);
	close(first);
	ASSERT_EQ(get_info(outside).timers_user, LIMIT / 2);
	add_timers(open_inside(4), LIMIT / 2);
	check_user_full(second, LIMIT);
}

NAMESPACE_TEST(users_of_a_namespace_share_the_owners_quota)
{
	int outside = open_outside();

	join(start(use_up_as_many_users, &outside));
	ASSERT_EQ(get_info(outside).timers_user, 0);
	ASSERT_EQ(user_memory_kb_of(outside, 0), 0);
	add_timers(outside, LIMIT);
	check_user_full(outside, LIMIT);
}

static void add_half_in_nested_namespace(void *data)
{
	int fd;

	enter_alices_namespace();
	/* user 5 of the outer namespace owns the inner one */
	enter_namespace(5, "0 5 1\n1 6 2\n");
	add_timers(open_inside(1), LIMIT / 4);
	add_timers(open_inside(2), LIMIT / 4);
	fd = open_inside(0);
	check_user_full(fd, LIMIT);
	check_user_full(*(int *)data, LIMIT);
}

NAMESPACE_TEST(nested_namespace_counts_for_the_outermost_owner)
{
	int outside = open_outside(), i;

	add_timers(outside, LIMIT / 2);
	for (i = 0; i < 2; i++) {
		join(start(add_half_in_nested_namespace, &outside));
		ASSERT_EQ(get_info(outside).timers_user, LIMIT / 2);
	}
}

static void map_one_page_each(void *data)
{
	const unsigned int most = 2 * (LIMIT * sizeof(struct twheel_event) / page_size() + 2);
	unsigned int n;

	enter_alices_namespace();
	for (n = 0; n <= most; n++)
		if (mmap(NULL, page_size(), PROT_READ, MAP_SHARED, open_inside(n % 10),
			 TWHEEL_MMAP_TABLE) == MAP_FAILED)
			break;
	ASSERT_EQ(errno, EDQUOT);
	ASSERT_EQ(n, most);
}

NAMESPACE_TEST(users_of_a_namespace_share_the_owners_pages)
{
	const int outside = open_outside();

	join(start(map_one_page_each, NULL));
	ASSERT_EQ(user_memory_kb_of(outside, 0), 0);
}

static void fill_namespace_of_root(void *ready)
{
	int first, second;

	enter_namespace(0, "0 100000 10\n");
	first = open_inside(1);
	ASSERT_EQ(get_info(first).timers_user, 0);
	ASSERT_EQ(get_info(first).max_timers_user, LIMIT);
	add_timers(first, LIMIT / 2);
	second = open_inside(2);
	add_timers(second, LIMIT / 2);
	check_user_full(first, LIMIT);
	check_user_full(second, LIMIT);
	tell(*(int *)ready);
	wait_to_be_killed(NULL);	/* ends with the case */
}

/* Root's namespaces may be of different users: they do not share. */
NAMESPACE_TEST(namespaces_of_root_count_by_themselves)
{
	const int outside = open_device(0);
	const __u64 before = get_info(outside).timers_user;
	int ready[2], i;

	CALL(pipe(ready));
	for (i = 0; i < 2; i++)
		start(fill_namespace_of_root, &ready[1]);
	close(ready[1]);
	for (i = 0; i < 2; i++)
		hear(ready[0]);
	ASSERT_EQ(get_info(outside).timers_user, before);
	add_timers(outside, LIMIT + 1);
}

#define MAX_NAMESPACES "/proc/sys/user/max_user_namespaces"

static void set_most_namespaces(unsigned int most)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", most);
	ASSERT(write_file(MAX_NAMESPACES, text));
}

static void make_namespace(void *data)
{
	if (unshare(CLONE_NEWUSER))
		_exit(EXIT_SKIP);
}

/* May root make one more namespace if it may have @most? */
static bool room_for_namespace(unsigned int most)
{
	set_most_namespaces(most);
	return WEXITSTATUS(status_of(start(make_namespace, NULL))) == EXIT_PASS;
}

static void use_device_in_namespace(void *data)
{
	int fd;

	CALL(unshare(CLONE_NEWUSER));
	fd = open_device(0);
	add(fd, 0, 1);
	wait_for_event(fd);
	close(fd);
}

static void check_namespaces_go(void *data)
{
	enum { NAMESPACES = 20 };
	const __u64 end = now() + 100 * NSEC_PER_SEC;
	unsigned int i, most = 1;

	while (!room_for_namespace(most))
		most++;
	set_most_namespaces(most + NAMESPACES);
	for (i = 0; i < NAMESPACES; i++)
		join(start(use_device_in_namespace, NULL));
	note("root may have %u namespaces", most);
	/* No other program opens or closes the device. */
	while (!room_for_namespace(most)) {
		ASSERT_LT(now(), end);
		usleep(10000);
	}
}

/* The quota of a namespace keeps it for a moment, while memory or a share is not free yet. */
NAMESPACE_TEST(namespace_goes_after_the_last_file)
{
	unsigned int before;
	int status;

	if (access(MAX_NAMESPACES, R_OK))
		skip("no " MAX_NAMESPACES);
	before = number_from(MAX_NAMESPACES, "%llu");
	status = status_of(start(check_namespaces_go, NULL));
	set_most_namespaces(before);
	pass_on(status);
}
