// SPDX-License-Identifier: MIT
/*
 * The processes that watch, and what they do while nothing happens to any worker.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

struct watcher watchers[WAYS] = {
	[BY_LEASE]	= { .name = "lease", .run = supervisor_run },
	[BY_MESSAGE]	= { .name = "message", .run = by_message_run },
	[BY_MEMORY]	= { .name = "memory", .run = by_memory_run },
	[BY_PIDFD]	= { .name = "pidfd", .run = by_pidfd_run },
};

void watchers_start(struct watchdog *w)
{
	int way;

	fflush(stdout);
	for (way = 0; way < WAYS; way++) {
		watchers[way].pid = fork();
		if (watchers[way].pid < 0)
			err(EXIT_FAILURE, "cannot start a watcher");
		if (watchers[way].pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		watchers[way].run(w);
		_exit(EXIT_FAILURE);
	}
}

/* How often a process has gone to sleep since it began, which is how often it woke. */
static __u64 wakeups(pid_t pid)
{
	unsigned long long count = 0;
	char path[64], line[128];
	bool found = false;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	while (status && !found && fgets(line, sizeof(line), status))
		found = sscanf(line, "voluntary_ctxt_switches: %llu", &count) == 1;
	if (!found)
		errx(EXIT_FAILURE, "a watcher has ended");
	fclose(status);
	return count;
}

static __u64 cpu_time(pid_t pid)
{
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock))
		errx(EXIT_FAILURE, "a watcher has ended");
	return twheel_now(clock);
}

void watchers_idle(const struct watchdog *w)
{
	const struct timespec idle = {
		w->options.idle_ns / 1000000000, w->options.idle_ns % 1000000000
	};
	struct watcher *watcher;

	for (watcher = watchers; watcher < watchers + WAYS; watcher++) {
		watcher->wakeups = wakeups(watcher->pid);
		watcher->cpu_ns = cpu_time(watcher->pid);
	}
	nanosleep(&idle, NULL);
	for (watcher = watchers; watcher < watchers + WAYS; watcher++) {
		watcher->wakeups = wakeups(watcher->pid) - watcher->wakeups;
		watcher->cpu_ns = cpu_time(watcher->pid) - watcher->cpu_ns;
	}
}

bool watcher_note(struct worker *worker, int way, __u64 at_ns, bool died)
{
	struct note *note = &worker->notes[way];

	if (note->at_ns)
		return false;
	note->died = died;
	__atomic_store_n(&note->at_ns, at_ns, __ATOMIC_RELEASE);
	return true;
}
