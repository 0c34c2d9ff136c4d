/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated clients, in a process of their own: what they send arrives through
 * a pipe, from which the server reads as it would from sockets.
 */
#ifndef _CLIENT_H
#define _CLIENT_H

#include <linux/types.h>
#include <sys/types.h>

struct options;

enum message_type { MESSAGE_HELLO, MESSAGE_REQUEST, MESSAGE_GOODBYE };

struct message {
	__u32	client;
	__u32	type;
};

enum fate { SENDS_ON, FALLS_SILENT, SAYS_GOODBYE };

/**
 * struct clients - all of them
 * @options: What they do.
 * @fd: The server's end of the pipe.
 * @other: Their end.
 * @process: Theirs.
 * @rounds: How often each client has its turn.
 * @sent: Requests and goodbyes that were sent, in shared memory.
 */
struct clients {
	const struct options	*options;
	int			fd;
	int			other;
	pid_t			process;
	__u32			rounds;
	__u64			*sent;
};

/* They end the program if something is not as it has to be. */
void clients_start(struct clients *clients, const struct options *options);
void clients_join(struct clients *clients);

/* What a client does in the end. */
enum fate client_fate(const struct options *options, __u32 client);

#endif /* _CLIENT_H */
