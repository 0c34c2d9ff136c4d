/* SPDX-License-Identifier: MIT */
/*
 * The simulated clients. They run in a process of their own and send through one pipe,
 * from which the server reads as it would read from sockets.
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

/* How a client ends: it sends until the end, it stops at some time, or it leaves. */
enum fate { SENDS_ON, FALLS_SILENT, SAYS_GOODBYE };

/**
 * struct clients - all clients
 * @options: How many there are, and what they do.
 * @fd: The server's end of the pipe.
 * @write_fd: The clients' end.
 * @process: The clients' process.
 * @rounds: Each client has its turn once a round.
 * @sent: Requests and goodbyes sent so far, in shared memory.
 */
struct clients {
	const struct options	*options;
	int			fd;
	int			write_fd;
	pid_t			process;
	__u32			rounds;
	__u64			*sent;
};

/* Start the clients, and wait for their end. Both end the program if they fail. */
void clients_start(struct clients *clients, const struct options *options);
void clients_join(struct clients *clients);

enum fate client_fate(const struct options *options, __u32 client);

#endif /* _CLIENT_H */
