// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#include <linux/capability.h>

static int to_attacker[2], from_attacker[2];

void end_attack(pid_t attacker)
{
	unsigned int i;

	kill_child(attacker);
	for (i = 0; i < atomic_load(&work->helpers); i++)
		kill_child(work->helper[i]);
}

/* Let the attacker be all users of a new user namespace. */
static void map_users(pid_t attacker)
{
	char path[64], map[64];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", attacker);
	snprintf(map, sizeof(map), "0 %d %d\n", FIRST_SUBUID, SUBUIDS);
	ASSERT(write_file(path, map));
}

/* Be root of a container, as engines make it: with a cgroup of its own, and few capabilities. */
static void enter_container(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/attack%d", getpid());
	CALL(mkdir(path, 0755));
	strcat(path, "/cgroup.procs");
	ASSERT(write_file(path, "0"));
	CALL(unshare(CLONE_NEWCGROUP));
	drop_capability(CAP_SYS_RESOURCE);
}

static void run_attack(void *data)
{
	const struct attack *attack = data;

	close(to_attacker[1]);
	close(from_attacker[0]);
	if (attack->prepare_as_root)
		attack->prepare_as_root();
	/* The user of another attack may have used up its credit. */
	become(attacked_cpu, attack->container ? 0 : FIRST_ATTACKER + getpid());
	if (attack->container)
		enter_container();
	if (attack->many_users) {
		CALL(unshare(CLONE_NEWUSER));
		tell(from_attacker[1]);
		hear(to_attacker[0]);
		CALL(setresuid(0, 0, 0));
	}
	attack->prepare(long_tests && attack->long_count ? attack->long_count :
			attack->count);
	if (attack->stores_only && other_cpu != attacked_cpu)
		stay_on_cpu(other_cpu);
	tell(from_attacker[1]);
	for (;; atomic_fetch_add(&work->steps, 1))
		attack->step();
}

pid_t start_attack(const struct attack *attack)
{
	pid_t attacker;

	memset(work, 0, sizeof(*work));
	CALL(pipe(to_attacker));
	CALL(pipe(from_attacker));
	attacker = start(run_attack, (void *)attack);
	close(from_attacker[1]);
	close(to_attacker[0]);
	if (attack->many_users) {
		hear(from_attacker[0]);
		map_users(attacker);
		tell(to_attacker[1]);
	}
	hear(from_attacker[0]);
	return attacker;
}
