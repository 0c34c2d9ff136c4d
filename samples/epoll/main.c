// SPDX-License-Identifier: MIT
/*
 * Runs the server with its simulated clients, prints statistics, and checks the
 * result. Read server.c first.
 */
#include <libtwheel.h>
#include <stdbool.h>
#include <stdio.h>

#include "../common/exit.h"
#include "client.h"
#include "options.h"
#include "server.h"

/* How long to wait for timeouts that are overdue before the test has failed. */
#define PATIENCE_NS	60000000000ULL

/* Clients that fell silent, but whose connection is still open. */
static __u64 silent_and_open(const struct server *server, const struct options *o)
{
	__u64 count = 0;
	__u32 i;

	for (i = 0; i < server->count; i++)
		count += server->connections[i].state == OPEN &&
			 client_fate(o, i) == FALLS_SILENT;
	return count;
}

/* Clients that did not fall silent, but whose connection timed out. */
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

/* Run the server until the clients end. Returns the ns of CPU time for all requests. */
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

/*
 * Run the server until the connections of all silent clients are closed. Most of them are
 * already. Returns how many are left when patience runs out.
 */
static __u64 wait_for_the_silent(struct server *server, const struct options *o)
{
	const __u64 end = twheel_now(CLOCK_MONOTONIC) + o->idle_ns + PATIENCE_NS;
	__u64 left;

	while ((left = silent_and_open(server, o))) {
		if (twheel_now(CLOCK_MONOTONIC) >= end)
			break;
		server_run(server, 1000);
	}
	return left;
}

static long long running(struct server *server)
{
	return server->timeouts.backend->running(&server->timeouts);
}

/*
 * Check the result, and close all connections. @silent: connections of silent clients
 * that are still open. Returns whether everything is right.
 */
static bool verify(struct server *server, const struct clients *clients, __u64 silent)
{
	const long long before = running(server), open = server->open;
	bool fault = false;
	long long after;

	server_stop(server);
	after = running(server);
	fault |= found_fault(silent, "silent connections were not closed");
	fault |= found_fault(server->timeouts.early, "connections timed out early");
	fault |= found_fault(server->timeouts.lost, "timeouts were lost");
	fault |= found_fault(server->timeouts.wrong, "timeouts were not as they were set");
	fault |= found_fault(before >= 0 ? llabs(before - open) : 0,
			     "timeouts are missing, or have no open connection");
	fault |= found_fault(after > 0 ? after : 0, "timeouts are left after the last stop");
	fault |= found_fault(llabs((long long)(server->requests + server->left +
					       server->late - *clients->sent)),
			     "messages are missing, or were never sent");
	return !fault;
}

static void report(const struct server *server, const struct options *o, __u64 cpu)
{
	const __u64 speaking = speaking_and_timed_out(server, o);

	printf("timeouts        %s\n", o->backend->name);
	printf("connections     %zu\n", server->count);
	printf("heartbeats      %llu\n", server->requests);
	printf("cpu_ns          %llu for each\n",
	       server->requests ? cpu / server->requests : 0);
	printf("timed_out       %llu\n", server->timed_out);
	printf("left            %llu\n", server->left);
	printf("early           %llu\n", server->timeouts.early);
	printf("too_slow        %llu of them had a request under way\n", speaking);
	printf("lateness_us     %llu on average, %llu at worst\n",
	       server->timed_out ? server->lateness_total / server->timed_out / 1000 : 0,
	       server->lateness_worst / 1000);
}

int main(int argc, char **argv)
{
	struct options options;
	struct clients clients;
	struct server server;
	__u64 cpu, silent;
	bool passed;

	options_parse(&options, argc, argv);
	clients_start(&clients, &options);
	server_open(&server, options.backend, options.connections, options.idle_ns,
		    clients.fd);
	cpu = serve(&server);
	clients_join(&clients);
	silent = wait_for_the_silent(&server, &options);
	report(&server, &options, cpu);
	passed = verify(&server, &clients, silent);
	server_close(&server);
	printf("verdict         %s\n", passed ? "ok" : "FAILED");
	return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
