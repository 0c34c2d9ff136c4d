// SPDX-License-Identifier: MIT
/* What happens to a primary, and to whoever watches it. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/exit.h"
#include "fencing.h"

enum { BUSY = 50 };

static pid_t busy[BUSY];

/* The watcher is killed or, if there is none, the agent: the actors are left alone. */
static void kill_watcher(pid_t watcher)
{
	kill(watcher, SIGKILL);
}

static void stop_all(pid_t watcher)
{
	(void)watcher;
	cgroup_signal(SIGSTOP);
}

static void continue_all(void)
{
	cgroup_signal(SIGCONT);
}

/* The actors spin on all CPUs, before all programs without real-time priority. */
static void spin_in_real_time(pid_t watcher)
{
	const struct sched_param param = { .sched_priority = 50 };
	unsigned int i;

	(void)watcher;
	__atomic_store_n(&shared->spin, 1, __ATOMIC_RELAXED);
	for (i = 0; i < MOST_ACTORS; i++)
		if (shared->tids[i] &&
		    sched_setscheduler((pid_t)shared->tids[i], SCHED_FIFO, &param))
			warn("no SCHED_FIFO for an actor");
}

static void starve(pid_t watcher)
{
	const struct sched_param param = { 0 };
	unsigned int i;

	(void)watcher;
	for (i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (busy[i] < 0)
			err(EXIT_FAILURE, "fork");
		if (!busy[i]) {
			sched_setscheduler(0, SCHED_OTHER, &param);
			for (;;)
				;
		}
	}
}

static void end_starving(void)
{
	unsigned int i;

	for (i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
}

static void freeze(pid_t watcher)
{
	(void)watcher;
	cgroup_write("cgroup.freeze", "1");
}

static void thaw(void)
{
	cgroup_write("cgroup.freeze", "0");
}

const struct strike strikes[] = {
	{ "killed", kill_watcher, NULL, NULL },
	{ "stopped", stop_all, continue_all, NULL },
	{ "fifo", spin_in_real_time, NULL, NULL },
	{ "starved", starve, NULL, end_starving },
	{ "frozen", freeze, thaw, NULL },
	{ NULL },
};
