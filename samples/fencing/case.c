// SPDX-License-Identifier: MIT
/* One way to end a primary, and one thing that happens to it. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/exit.h"
#include "fencing.h"

#define WELL_NS		(1000 * MS)	/* how long all is well */
#define START_NS	(60000 * MS)	/* how long a start may take */

void sleep_until(__u64 ns)
{
	const struct timespec time = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

/* How many of the milliseconds have a mark. */
static unsigned int marks(__u64 from_ns, __u64 to_ns)
{
	__u64 ms = (from_ns - shared->base_ns) / MS, end = (to_ns - shared->base_ns) / MS;
	unsigned int count = 0;

	for (; ms < end && ms < MARKS; ms++)
		count += shared->marks[ms];
	return count;
}

static bool is_acting(void)
{
	const __u64 at = now();

	return at > shared->base_ns + 100 * MS && marks(at - 100 * MS, at);
}

/* Start the primary, and let it work for a while. Returns its first process. */
static pid_t start(const struct way *way)
{
	const struct sched_param none = { 0 };
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	shared->base_ns = now();
	cgroup_make();
	pid = fork();
	if (pid < 0)
		err(EXIT_FAILURE, "fork");
	if (!pid) {
		sched_setscheduler(0, SCHED_OTHER, &none);
		cgroup_enter();
		setsid();
		way->run();
		_exit(EXIT_FAILURE);
	}
	while (!is_acting() && now() < shared->base_ns + START_NS)
		sleep_until(now() + 10 * MS);
	sleep_until(now() + WELL_NS);
	return pid;
}

/* When the standby takes over; 0 if it does not. */
static __u64 wait_for_standby(const struct way *way, __u64 struck_ns)
{
	const __u64 last = struck_ns + 2 * LEASE_NS;

	if (!way->clean) {
		/* The agent may have renewed once more. */
		sleep_until(struck_ns + LEASE_NS / 2);
		return (shared->renewed_ns ?: struck_ns) + LEASE_NS + MARGIN_NS;
	}
	while (!__atomic_load_n(&shared->standby_ns, __ATOMIC_ACQUIRE) && now() < last)
		sleep_until(now() + 10 * MS);
	return shared->standby_ns;
}

struct result case_run(const struct way *way, const struct strike *strike)
{
	struct result result = { .tried = !way->prepare || way->prepare() };
	__u64 standby, struck;
	pid_t pid;

	if (!result.tried)
		return result;
	pid = start(way);
	result.early = !is_acting();
	struck = now();
	if (way->hang)
		way->hang();
	__atomic_store_n(&shared->hang, 1, __ATOMIC_RELEASE);
	strike->begin(pid);
	standby = wait_for_standby(way, struck);
	result.kept = !standby;
	if (standby) {
		sleep_until(standby + RESUME_NS);
		if (strike->resume)
			strike->resume();
		sleep_until(standby + WATCH_NS);
		result.both_ms = marks(standby, standby + WATCH_NS);
		result.goes_on = is_acting();
	}
	if (strike->end)
		strike->end();
	cgroup_remove();
	waitpid(pid, NULL, 0);
	if (way->clean)
		way->clean();
	return result;
}
