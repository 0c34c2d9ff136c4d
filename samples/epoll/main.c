// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the server against its simulated clients, says what it did, and whether
 * that was right. server.c is what to read.
 */
#include <libtwheel.h>
#include <stdbool.h>
#include <stdio.h>

#include "../number.h"
#include "client.h"
#include "options.h"
#include "server.h"

/* As long may a timeout be waited for that is due: nobody has got so much to do. */
enum { PATIENCE_MS = 60000 };

/* Clients that fell silent and whose connection is open all the same. */
static __u64 silent_and_open(const struct server *server, const struct options *o)
{
	__u64 count = 0;
	__u32 i;

	for (i = 0; i < server->count; i++)
		count += server->connections[i].state == OPEN &&
			 client_fate(o, i) == FALLS_SILENT;
	return count;
}

/* Clients that sent what they had to, and whose connection timed out. */
static __u64 speaking_and_timed_out(const struct server *server,
				    const struct options *o)
{
	__u64 count = 0;
	__u32 i;

	for (i = 0; i < server->count; i++)
		count += server->connections[i].state == TIMED_OUT &&
			 client_fate(o, i) != FALLS_SILENT;
	return count;
}

static __u64 cpu_ns(void)
{
	return twheel_now(CLOCK_THREAD_CPUTIME_ID);
}

/* Until clients have sent all. The ns of CPU time that requests took. */
static __u64 serve(struct server *server)
{
	__u64 start;

	while (server->traffic >= 0 && !server->requests)
		server_run(server, -1);
	start = cpu_ns();
	while (server->traffic >= 0)
		server_run(server, -1);
	return cpu_ns() - start;
}

/* Those that fell silent have been due for a while, if all went at its pace. */
static __u64 wait_for_the_silent(struct server *server, const struct options *o)
{
	const __u64 end = twheel_now(CLOCK_MONOTONIC) + o->idle_ns +
			  PATIENCE_MS * 1000000ULL;
	__u64 left;

	while ((left = silent_and_open(server, o))) {
		if (twheel_now(CLOCK_MONOTONIC) >= end)
			break;
		server_run(server, 1000);
	}
	return left;
}

static bool complain(__u64 count, const char *what)
{
	if (count)
		warnx("%llu %s", count, what);
	return count;
}

static long long running(struct server *server)
{
	return server->timeouts.type->running(&server->timeouts);
}

/* Is all as it has to be? Ends with all connections closed. */
static bool verify(struct server *server, const struct clients *clients, __u64 silent)
{
	const long long before = running(server), open = server->open;
	bool wrong = false;
	long long after;

	server_stop(server);
	after = running(server);
	wrong |= complain(silent, "silent connections were not closed");
	wrong |= complain(server->timeouts.early, "connections timed out early");
	wrong |= complain(server->timeouts.lost, "timeouts were lost");
	wrong |= complain(server->timeouts.wrong, "timeouts were not as they were set");
	wrong |= complain(before >= 0 ? llabs(before - open) : 0,
			  "timeouts are too many or too few for the connections");
	wrong |= complain(after > 0 ? after : 0, "timeouts are left of no connection");
	wrong |= complain(llabs((long long)(server->requests + server->left +
					    server->late - *clients->sent)),
			  "messages are too many or too few");
	return !wrong;
}

static void report(const struct server *server, const struct options *o, __u64 cpu)
{
	const __u64 speaking = speaking_and_timed_out(server, o);

	printf("timeouts        %s\n", o->type->name);
	printf("connections     %zu\n", server->count);
	printf("heartbeats      %llu\n", server->requests);
	printf("cpu_ns          %llu for each\n",
	       server->requests ? cpu / server->requests : 0);
	printf("timed_out       %llu\n", server->timed_out);
	printf("left            %llu\n", server->left);
	printf("early           %llu\n", server->timeouts.early);
	printf("too_slow        %llu of them had a request under way\n", speaking);
	printf("lateness_us     %llu on average, %llu at worst\n",
	       server->timed_out ? server->beyond / server->timed_out / 1000 : 0,
	       server->worst / 1000);
}

int main(int argc, char **argv)
{
	struct options options;
	struct clients clients;
	struct server server;
	__u64 cpu, silent;
	bool well;

	options_parse(&options, argc, argv);
	clients_start(&clients, &options);
	server_open(&server, options.type, options.connections, options.idle_ns,
		    clients.fd);
	cpu = serve(&server);
	clients_join(&clients);
	silent = wait_for_the_silent(&server, &options);
	report(&server, &options, cpu);
	well = verify(&server, &clients, silent);
	server_close(&server);
	printf("verdict         %s\n", well ? "ok" : "FAILED");
	return well ? ALL_WELL : WENT_WRONG;
}
