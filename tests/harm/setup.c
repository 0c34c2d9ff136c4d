// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#include <sys/resource.h>

struct work *work;

/* A setting of the kernel, and its value before set_up(). */
struct setting {
	const char	*path;
	const char	*value;
	char		before[32];
};

static struct setting settings[] = {
	{ .path = "/proc/sys/kernel/sched_rt_runtime_us", .value = "-1" },
	/* each program counts as one, as a kernel thread does */
	{ .path = "/proc/sys/kernel/sched_autogroup_enabled", .value = "0" },
};

static void change_settings(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (access(settings[i].path, F_OK))
			continue;
		read_file(settings[i].path, settings[i].before, sizeof(settings[i].before));
		write_file(settings[i].path, settings[i].value);
	}
}

void set_up(void)
{
	const struct rlimit files = { 100000, 100000 };
	const struct sched_param param = { .sched_priority = 99 };

	if (geteuid())
		skip("only for root");
	CALL(chmod(DEVICE, 0666));
	CALL(setrlimit(RLIMIT_NOFILE, &files));
	change_settings();
	attacked_cpu = last_cpu();
	stay_on_cpu(0);
	CALL(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param));
	work = shared_memory(sizeof(*work));
	/* the processes that the attacker has started */
	CALL(prctl(PR_SET_CHILD_SUBREAPER, 1));
	CALL(mlockall(MCL_CURRENT));
	tick_ns();
}

void set_back(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].before[0])
			write_file(settings[i].path, settings[i].before);
	CALL(chmod(DEVICE, 0600));
}
