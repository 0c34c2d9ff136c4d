/* SPDX-License-Identifier: MIT */
#ifndef _SERVER_H
#define _SERVER_H

#include <stddef.h>

#include "timeout.h"

enum connection_state { CLOSED, OPEN, TIMED_OUT, LEFT };

/**
 * struct connection - one of a million
 * @timeout: Closes the connection when the client has been silent for too long.
 * @requests: Number of requests from the client.
 * @state: One of &enum connection_state.
 */
struct connection {
	struct timeout	timeout;
	__u32		requests;
	__u32		state;
};

/**
 * struct server - the server
 * @timeouts: The timeouts of all connections.
 * @idle_ns: How long a client may be silent.
 * @connections: Array of connections; the index is the client's number.
 * @count: Length of the array.
 * @epoll: The epoll set: the timeouts' descriptor and @traffic.
 * @traffic: The descriptor that clients' messages come from; -1 after the last one.
 * @open: Connections that are open.
 * @requests: Messages that pushed a deadline back.
 * @late: Messages from clients whose connection was closed already.
 * @timed_out: Connections closed because the client was silent.
 * @left: Connections closed because the client said goodbye.
 * @lateness_total: Sum of the times from a deadline to the close, in ns.
 * @lateness_worst: The longest of these times.
 */
struct server {
	struct timeouts		timeouts;
	__u64			idle_ns;
	struct connection	*connections;
	size_t			count;
	int			epoll;
	int			traffic;
	__u64			open;
	__u64			requests;
	__u64			late;
	__u64			timed_out;
	__u64			left;
	__u64			lateness_total;
	__u64			lateness_worst;
};

/* All of these end the program with a message if a system call fails. */
void server_open(struct server *server, const struct timeout_backend *backend,
		 size_t count, __u64 idle_ns, int traffic);
/* One turn of the event loop: wait for up to @timeout_ms, or for ever if it is -1. */
void server_run(struct server *server, int timeout_ms);
/* Close the connections that are still open, and stop their timeouts. */
void server_stop(struct server *server);
void server_close(struct server *server);

#endif /* _SERVER_H */
