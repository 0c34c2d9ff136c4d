// SPDX-License-Identifier: MIT
/*
 * A peer of the supervisor: each worker writes the time into shared memory, and the watcher
 * scans the memory once a second.
 */
#include "watchdog.h"

static void scan(struct watchdog *w, __u64 at)
{
	__u64 n;

	for (n = 0; n < w->options.workers; n++)
		if (__atomic_load_n(&w->beats[n], __ATOMIC_ACQUIRE) + w->options.lease_ns < at)
			watcher_note(&w->workers[n], BY_MEMORY, at, false);
}

void by_memory_run(struct watchdog *w)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		next.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		scan(w, now());
	}
}
