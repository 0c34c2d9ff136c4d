// SPDX-License-Identifier: MIT
/*
 * A server that closes a connection when its client has been silent for too long.
 * Copy from this file for the event loop, and from timeout_twheel.c for the calls to
 * /dev/twheel.
 *
 * One descriptor stands for the timeouts of all connections, and is in the epoll set
 * like any other descriptor. So epoll_wait() needs no timeout, and the loop only
 * looks at connections that have a message or have timed out.
 */
#include <libtwheel.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "../common/exit.h"
#include "../common/populate.h"
#include "client.h"
#include "server.h"

/* Messages in one read(), and expired timeouts in one call of the backend. */
enum { MESSAGES = 8192, TIMEOUTS = 256 };

static struct connection *connection_of(struct timeout *timeout)
{
	return (struct connection *)((char *)timeout -
				     offsetof(struct connection, timeout));
}

static void check(int error, const char *what)
{
	if (error >= 0)
		return;
	errno = -error;
	err(EXIT_FAILURE, "%s", what);
}

static void connection_open(struct server *server, struct connection *connection,
			    __u64 now)
{
	connection->state = OPEN;
	connection->timeout.deadline = now + server->idle_ns;
	check(server->timeouts.backend->start(&server->timeouts, &connection->timeout),
	      "no timeout for a connection");
	server->open++;
}

/* The heartbeat, the fast path of this server. */
static void connection_request(struct server *server, struct connection *connection,
			       __u64 now)
{
	const int result = server->timeouts.backend->push_back(&server->timeouts,
							    &connection->timeout,
							    now + server->idle_ns);

	check(result, "cannot push a timeout back");
	if (result > 0) {
		/* expired in this turn of the loop; handle_timeouts() will close it */
		server->late++;
		return;
	}
	connection->requests++;
	server->requests++;
}

/* Close a connection that has not timed out. */
static void connection_close(struct server *server, struct connection *connection,
			     enum connection_state state)
{
	check(server->timeouts.backend->stop(&server->timeouts, &connection->timeout),
	      "cannot stop a timeout");
	connection->state = state;
	server->open--;
}

static void connection_leave(struct server *server, struct connection *connection)
{
	connection_close(server, connection, LEFT);
	server->left++;
}

static void connection_time_out(struct server *server, struct connection *connection,
				__u64 now)
{
	const __u64 deadline = connection->timeout.deadline;

	if (connection->state != OPEN) {
		server->timeouts.wrong++;
		return;
	}
	connection->state = TIMED_OUT;
	server->timed_out++;
	server->open--;
	if (now < deadline) {
		server->timeouts.early++;
		return;
	}
	server->lateness_total += now - deadline;
	if (now - deadline > server->lateness_worst)
		server->lateness_worst = now - deadline;
}

static void handle_message(struct server *server, const struct message *message,
			   __u64 now)
{
	struct connection *connection = &server->connections[message->client];

	if (message->type == MESSAGE_HELLO)
		connection_open(server, connection, now);
	else if (connection->state != OPEN)
		server->late++;
	else if (message->type == MESSAGE_REQUEST)
		connection_request(server, connection, now);
	else
		connection_leave(server, connection);
}

/* One read() only: more messages wait until expired timeouts have had their turn. */
static void handle_traffic(struct server *server)
{
	struct message messages[MESSAGES];
	const ssize_t size = read(server->traffic, messages, sizeof(messages));
	/* one reading of the clock serves all: none of them came later */
	const __u64 now = twheel_now(CLOCK_MONOTONIC);
	size_t i;

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size < 0)
		err(EXIT_FAILURE, "cannot read from the clients");
	if (!size) {
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, server->traffic, NULL);
		server->traffic = -1;
	}
	for (i = 0; i < size / sizeof(messages[0]); i++)
		handle_message(server, &messages[i], now);
}

static void handle_timeouts(struct server *server)
{
	struct timeout *list[TIMEOUTS];
	int i, count;

	do {
		__u64 now;

		count = server->timeouts.backend->expired(&server->timeouts, list, TIMEOUTS);
		check(count, "cannot read expired timeouts");
		now = twheel_now(CLOCK_MONOTONIC);
		for (i = 0; i < count; i++)
			connection_time_out(server, connection_of(list[i]), now);
	} while (count == TIMEOUTS);
}

void server_run(struct server *server, int timeout_ms)
{
	struct epoll_event events[2];
	bool timeouts = false;
	int i, count;

	count = epoll_wait(server->epoll, events, 2, timeout_ms);
	if (count < 0 && errno != EINTR)
		err(EXIT_FAILURE, "cannot wait");
	for (i = 0; i < count; i++) {
		if (events[i].data.fd == server->timeouts.fd)
			timeouts = true;
		else
			handle_traffic(server);
	}
	/* Before connections time out: a message that has come must save its connection. */
	check(timeouts_flush(&server->timeouts), "cannot set timeouts");
	if (timeouts)
		handle_timeouts(server);
}

void server_stop(struct server *server)
{
	size_t i;

	for (i = 0; i < server->count; i++)
		if (server->connections[i].state == OPEN)
			connection_close(server, &server->connections[i], CLOSED);
	check(timeouts_flush(&server->timeouts), "cannot stop timeouts");
}

static void add_to_epoll(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(EXIT_FAILURE, "cannot add to the epoll set");
}

void server_open(struct server *server, const struct timeout_backend *backend,
		 size_t count, __u64 idle_ns, int traffic)
{
	int error;

	*server = (struct server){
		.timeouts.backend = backend,
		.idle_ns = idle_ns,
		.connections = calloc(count, sizeof(*server->connections)),
		.count = count,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.traffic = traffic,
	};
	if (!server->connections)
		err(EXIT_FAILURE, "no memory for %zu connections", count);
	populate(server->connections, count * sizeof(*server->connections));
	if (server->epoll < 0)
		err(EXIT_FAILURE, "epoll_create1");
	error = backend->open(&server->timeouts, count);
	if (error)
		exit_without_device(error);
	add_to_epoll(server->epoll, server->timeouts.fd);
	add_to_epoll(server->epoll, traffic);
}

void server_close(struct server *server)
{
	server->timeouts.backend->close(&server->timeouts);
	close(server->epoll);
	free(server->connections);
}
