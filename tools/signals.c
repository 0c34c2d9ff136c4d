// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include "signals.h"

#define ENDS	(sizeof(ends) / sizeof(*ends))

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

bool signals_reap(pid_t command, int *status)
{
	bool found = false;
	int its_status;
	pid_t pid;

	while ((pid = waitpid(-1, &its_status, WNOHANG)) > 0)
		if (pid == command) {
			found = true;
			*status = its_status;
		}
	return found;
}

static void reap(int number)
{
	const int error = errno;

	(void)number;
	signals_reap(0, NULL);
	errno = error;
}

static void end(int number)
{
	_exit(128 + number);
}

static bool ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

void signals_init(void)
{
	size_t i;

	/* A parent may have it ignored: then the tool would not hear of the end of commands. */
	signal(SIGCHLD, reap);
	for (i = 0; i < ENDS && getpid() == 1; i++)
		if (!ignored(ends[i]))
			signal(ends[i], end);
}

void signals_block(sigset_t *signals, sigset_t *before)
{
	size_t i;

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	/*
	 * nohup(1) has SIGHUP ignored, and a shell has SIGINT ignored in the background. The
	 * kernel keeps a signal that is blocked even if it is ignored.
	 */
	for (i = 0; i < ENDS; i++)
		if (!ignored(ends[i]))
			sigaddset(signals, ends[i]);
	sigprocmask(SIG_BLOCK, signals, before);
}
