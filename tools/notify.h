/* SPDX-License-Identifier: GPL-2.0 */
/* The socket of sd_notify(3), by which a command says that it works. */
#ifndef _NOTIFY_H
#define _NOTIFY_H

#include <stdint.h>
#include <sys/types.h>

/* What a command has said */
enum {
	NOTIFY_WATCHDOG	= 1 << 0,
	NOTIFY_READY	= 1 << 1,
	NOTIFY_STOPPING	= 1 << 2,
};

/* Open a socket. Returns it, or a negative errno. */
int notify_open(void);

/* Tell the command of the socket, and of the length of its lease. In the child. */
void notify_set_variables(int socket, uint64_t lease_ns);

/*
 * Receive the messages that wait, of processes of the group or of the same user. Pass them on to
 * the socket in the tool's own environment, if there is one. Returns a set of the values above.
 */
unsigned int notify_receive(int socket, pid_t group);

#endif /* _NOTIFY_H */
