// SPDX-License-Identifier: GPL-2.0
/*
 * A server whose connections are closed when nothing has come from their client for
 * too long. This is the file to begin a server of one's own with: it has what such
 * a server does, and timeout_twheel.c what it does to /dev/twheel.
 *
 * One descriptor has the timeouts of all connections. It is in the epoll set like
 * any other, so the loop needs no timeout of its own and looks at no
 * connection that has nothing to say.
 */
#include <libtwheel.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "../number.h"
#include "../populate.h"
#include "client.h"
#include "server.h"

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
	err(WENT_WRONG, "%s", what);
}

static void connection_open(struct server *server, struct connection *connection,
			    __u64 now)
{
	connection->state = OPEN;
	connection->timeout.deadline = now + server->idle_ns;
	check(server->timeouts.type->start(&server->timeouts, &connection->timeout),
	      "no timeout for a connection");
	server->open++;
}

/* The heartbeat: what happens most, by far. */
static void connection_request(struct server *server, struct connection *connection,
			       __u64 now)
{
	const int result = server->timeouts.type->push_back(&server->timeouts,
							    &connection->timeout,
							    now + server->idle_ns);

	check(result, "cannot push a timeout back");
	if (result > 0) {
		/* it has timed out in this turn of the loop */
		server->late++;
		return;
	}
	connection->requests++;
	server->requests++;
}

static void connection_leave(struct server *server, struct connection *connection)
{
	check(server->timeouts.type->stop(&server->timeouts, &connection->timeout),
	      "cannot stop a timeout");
	connection->state = LEFT;
	server->left++;
	server->open--;
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
	server->beyond += now - deadline;
	if (now - deadline > server->worst)
		server->worst = now - deadline;
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

/* Some of what has come. The rest has its turn after what has timed out. */
static void handle_traffic(struct server *server)
{
	struct message messages[MESSAGES];
	const ssize_t size = read(server->traffic, messages, sizeof(messages));
	/* one look at the clock does for all of them: they have come by now */
	const __u64 now = twheel_now(CLOCK_MONOTONIC);
	size_t i;

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size < 0)
		err(WENT_WRONG, "cannot read what clients send");
	if (!size) {
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, server->traffic, NULL);
		server->traffic = -1;
	}
	for (i = 0; i < size / sizeof(messages[0]); i++)
		handle_message(server, &messages[i], now);
}

static void handle_timeouts(struct server *server)
{
	struct timeout *some[TIMEOUTS];
	int i, count;

	do {
		__u64 now;

		count = server->timeouts.type->expired(&server->timeouts, some, TIMEOUTS);
		check(count, "cannot read what has timed out");
		now = twheel_now(CLOCK_MONOTONIC);
		for (i = 0; i < count; i++)
			connection_time_out(server, connection_of(some[i]), now);
	} while (count == TIMEOUTS);
}

int server_run(struct server *server, int timeout_ms)
{
	struct epoll_event events[2];
	bool timeouts = false;
	int i, count;

	count = epoll_wait(server->epoll, events, 2, timeout_ms);
	if (count < 0 && errno != EINTR)
		err(WENT_WRONG, "cannot wait");
	for (i = 0; i < count; i++) {
		if (events[i].data.fd == server->timeouts.fd)
			timeouts = true;
		else
			handle_traffic(server);
	}
	/* What clients have sent counts, before it is said that they have not. */
	check(timeouts_flush(&server->timeouts), "cannot set timeouts");
	if (timeouts)
		handle_timeouts(server);
	return count;
}

void server_stop(struct server *server)
{
	size_t i;

	for (i = 0; i < server->count; i++) {
		struct connection *connection = &server->connections[i];

		if (connection->state != OPEN)
			continue;
		check(server->timeouts.type->stop(&server->timeouts,
						  &connection->timeout),
		      "cannot stop a timeout");
		connection->state = CLOSED;
		server->open--;
	}
	check(timeouts_flush(&server->timeouts), "cannot stop timeouts");
}

static void wait_for(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(WENT_WRONG, "cannot add to the epoll set");
}

void server_open(struct server *server, const struct timeouts_type *type,
		 size_t count, __u64 idle_ns, int traffic)
{
	int error;

	*server = (struct server){
		.timeouts.type = type,
		.idle_ns = idle_ns,
		.connections = calloc(count, sizeof(*server->connections)),
		.count = count,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.traffic = traffic,
	};
	if (!server->connections)
		err(WENT_WRONG, "no memory for %zu connections", count);
	populate(server->connections, count * sizeof(*server->connections));
	if (server->epoll < 0)
		err(WENT_WRONG, "epoll");
	error = type->open(&server->timeouts, count);
	if (error)
		no_device(error);
	wait_for(server->epoll, server->timeouts.fd);
	wait_for(server->epoll, traffic);
}

void server_close(struct server *server)
{
	server->timeouts.type->close(&server->timeouts);
	close(server->epoll);
	free(server->connections);
}
