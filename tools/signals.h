/* SPDX-License-Identifier: GPL-2.0 */
/* Signals, while the tool has a command to wait for. */
#ifndef _SIGNALS_H
#define _SIGNALS_H

#include <signal.h>

/*
 * Block SIGCHLD and the signals that would end the tool. @signals is set to these, and
 * @before to the signals that were blocked before.
 */
void signals_block(sigset_t *signals, sigset_t *before);

#endif /* _SIGNALS_H */
