// SPDX-License-Identifier: GPL-2.0
/*
 * What happens around the calls: time passes, or jumps; another thread or process
 * goes on with some of them; another user opens descriptors; something fails.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

long do_wait(const __u64 *arg)
{
	const struct timespec time = { .tv_nsec = 10 * NSEC_PER_MSEC * (arg[0] % 6) };

	return SYS(nanosleep(&time, NULL)) ? 1 : 0;
}

long do_settime(const __u64 *arg)
{
	const __u64 time = time_of(arg[0], CLOCK_REALTIME);
	const struct timespec to = { .tv_sec = time / NSEC_PER_SEC,
				     .tv_nsec = time % NSEC_PER_SEC };

	/* A week or so either way is enough for anybody. */
	if (arg[0] - (NOW - 700000 * NSEC_PER_SEC) > 1400000 * NSEC_PER_SEC)
		return -EINVAL;
	world.clock_moved = true;
	return SYS(clock_settime(CLOCK_REALTIME, &to));
}

/* Of this thread alone; who is not root has limits. */
long do_user(const __u64 *arg)
{
	return SYS(syscall(SYS_setresuid, -1, arg[0] % 2 ? 1000 : 0, -1));
}

long do_fail(const __u64 *arg)
{
	fail_nth = 1 + arg[0] % 64;
	return 0;
}

long do_thread(const __u64 *arg)
{
	return run_elsewhere(false, 1 + arg[0] % 8);
}

long do_fork(const __u64 *arg)
{
	return run_elsewhere(true, 1 + arg[0] % 8);
}
