/* SPDX-License-Identifier: GPL-2.0 */
/* Signals of the tool, also while it has a command to wait for. */
#ifndef _SIGNALS_H
#define _SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Reap the children that end while the tool runs no command. As PID 1 of a container, it
 * has the children of all processes that have ended; and PID 1 ends by a signal only if the
 * signal has a handler.
 */
void signals_init(void);

/* Reap the children that have ended. Returns whether @command did; @status says how. */
bool signals_reap(pid_t command, int *status);

/*
 * Block SIGCHLD and the signals that would end the tool. @signals is set to these, and
 * @before to the signals that were blocked before.
 */
void signals_block(sigset_t *signals, sigset_t *before);

#endif /* _SIGNALS_H */
