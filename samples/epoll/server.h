/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SERVER_H
#define _SERVER_H

#include <stddef.h>

#include "timeout.h"

enum connection_state { CLOSED, OPEN, TIMED_OUT, LEFT };

/**
 * struct connection - one of very many
 * @timeout: Closes it when the client has been silent for too long.
 * @requests: How many the client sent.
 * @state: One of &enum connection_state.
 */
struct connection {
	struct timeout	timeout;
	__u32		requests;
	__u32		state;
};

/**
 * struct server - all there is
 * @timeouts: Those of all connections.
 * @idle_ns: How long one of them is.
 * @connections: By the client's number.
 * @count: How many.
 * @epoll: What the server waits with.
 * @traffic: Where clients' messages come from; -1 once they have ended.
 * @open: Connections that are open.
 * @requests: Messages that have pushed back a deadline.
 * @late: Messages of clients whose connection had been closed.
 * @timed_out: Connections that were closed because their client was silent.
 * @left: Connections that were closed because their client said goodbye.
 * @worst: The most ns that a connection was open beyond its deadline.
 * @beyond: What all of them were, together.
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
	__u64			worst;
	__u64			beyond;
};

/* They end the program if something is not as it has to be. */
void server_open(struct server *server, const struct timeouts_type *type,
		 size_t count, __u64 idle_ns, int traffic);
/* Wait for something to do, and do it. False if nothing came for so long. */
int server_run(struct server *server, int timeout_ms);
/* Close all connections: whether their clients speak or not. */
void server_stop(struct server *server);
void server_close(struct server *server);

#endif /* _SERVER_H */
