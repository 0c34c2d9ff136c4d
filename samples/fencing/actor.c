// SPDX-License-Identifier: MIT
/* The actors: what may happen on one machine only at a time. */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fencing.h"

#define ACT_NS	(MS / 2)

static _Noreturn void be_actor(unsigned int number)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(number, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	shared->tids[number] = (__u32)syscall(SYS_gettid);
	__atomic_add_fetch(&shared->actors, 1, __ATOMIC_RELEASE);
	for (;;) {
		const __u64 ms = (now() - shared->base_ns) / MS;

		if (ms < MARKS)
			shared->marks[ms] = 1;
		if (!__atomic_load_n(&shared->spin, __ATOMIC_RELAXED))
			sleep_until(now() + ACT_NS);
	}
}

void actors_start(bool die_with_parent)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;

	for (i = 0; i < cpus && i < MOST_ACTORS; i++)
		if (!fork()) {
			if (die_with_parent)
				prctl(PR_SET_PDEATHSIG, SIGKILL);
			be_actor(i);
		}
}
