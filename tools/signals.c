// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include "signals.h"

void signals_block(sigset_t *signals, sigset_t *before)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action;
	size_t i;

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	/*
	 * nohup(1) has SIGHUP ignored, and a shell has SIGINT ignored in the background. The
	 * kernel keeps a signal that is blocked even if it is ignored.
	 */
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(signals, ends[i]);
	sigprocmask(SIG_BLOCK, signals, before);
}
