// SPDX-License-Identifier: GPL-2.0
#include "user.h"

#include <linux/capability.h>
#include <sys/resource.h>

void become(uid_t user)
{
	CALL(setresuid(user, 0, 0));
	drop_capability(CAP_SYS_RESOURCE);
}

int open_as(uid_t user)
{
	become(user);
	return open_device(0);
}

void with_limit(const char *parameter, unsigned int limit, void (*run)(void *data))
{
	const unsigned long long before = read_parameter(parameter);
	int status;

	if (!write_parameter(parameter, limit))
		skip("cannot write to " PARAMETERS "%s", parameter);
	status = status_of(start(run, NULL));
	ASSERT(write_parameter(parameter, before));
	pass_on(status);
}

void allow_files(unsigned int count)
{
	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ count, count }))
		skip("not so many descriptors");
}

void add_timers(int fd, unsigned int count)
{
	struct twheel_op *ops = allocate(count, sizeof(*ops));

	add_many(fd, ops, count, new_timer(LONG, 0));
	free(ops);
}

void check_user_full(int fd, unsigned int limit)
{
	struct twheel_op op = new_timer(ticks(1), 1);

	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	op.group = 1;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
	ASSERT_EQ(get_info(fd).timers_user, limit);
}

unsigned long user_memory_kb(int fd)
{
	return fdinfo_value(fd, "user-memory-kb");
}

unsigned long user_memory_kb_of(int fd, unsigned long most)
{
	unsigned long value = user_memory_kb(fd);
	int i;

	for (i = 0; i < 100 && value > most; i++) {
		wait_for_grace_period();
		value = user_memory_kb(fd);
	}
	return value;
}
