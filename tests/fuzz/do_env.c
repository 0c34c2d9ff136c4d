// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that change the environment of other calls: time passes or jumps, another
 * thread or process runs some calls, the user changes, the next call fails.
 */
#include "world.h"

long do_env_wait(const __u64 *arg)
{
	const struct timespec time = { .tv_nsec = 10 * NSEC_PER_MSEC * (arg[0] % 6) };

	return SYSCALL(nanosleep(&time, NULL)) ? 1 : 0;
}

long do_env_settime(const __u64 *arg)
{
	const __u64 time = world_time(arg[0], CLOCK_REALTIME);
	const struct timespec to = { .tv_sec = time / NSEC_PER_SEC,
				     .tv_nsec = time % NSEC_PER_SEC };

	/* At most about eight days either way. */
	if (arg[0] - (ARG_NOW - 700000 * NSEC_PER_SEC) > 1400000 * NSEC_PER_SEC)
		return -EINVAL;
	world.clock_moved = true;
	return SYSCALL(clock_settime(CLOCK_REALTIME, &to));
}

/* Changes the user of this thread alone. Users other than root have limits. */
long do_env_user(const __u64 *arg)
{
	return SYSCALL(syscall(SYS_setresuid, -1, arg[0] % 2 ? 1000 : 0, -1));
}

long do_env_fail(const __u64 *arg)
{
	fail_nth = 1 + arg[0] % 64;
	return 0;
}

/* With bit 1, in a thread of io_uring. Further bits are a reserved field. */
long do_env_uring(const __u64 *arg)
{
	uring_mode = arg[0] | 1;
	return 0;
}

long do_env_thread(const __u64 *arg)
{
	return helper_start(false, 1 + arg[0] % 8);
}

long do_env_fork(const __u64 *arg)
{
	return helper_start(true, 1 + arg[0] % 8);
}
