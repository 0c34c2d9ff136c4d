// SPDX-License-Identifier: GPL-2.0
/*
 * The server of samples/epoll with four backends for its timeouts: two of twheel, and
 * two in the server's own memory.
 *
 * usage: serve ENGINE CONNECTIONS SECONDS IDLE_MS EVERY_MS
 *
 * Prints lines of twheel's table of deadlines against the others:
 * CPU time of a heartbeat, of the whole machine without the clients (u_serve_machine);
 * and lateness of timeouts, the worst and the mean (u_serve_worst, u_serve_late).
 */
#include <sys/utsname.h>
#include <sys/wait.h>
#include "../../samples/epoll/client.h"
#include "../../samples/epoll/options.h"
#include "../../samples/epoll/server.h"
#include "backend.h"
#include "measure.h"

static const struct timeout_backend *const backends[] = {
	&timeouts_twheel_table, &timeouts_twheel_batch, &timeouts_heap, &timeouts_wheel,
};

#define BACKENDS	ARRAY_SIZE(backends)

/* The outcome of a run, in ns */
struct served {
	double machine;	/* CPU time for each heartbeat, without that of the clients */
	double worst;	/* lateness of a timeout */
	double late;	/* the mean lateness */
};

static struct served *results;

/* CPU time of the machine but for the clients, interrupts included. */
static uint64_t machine_ns(const struct clients *clients)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(clients->process, &clock) || clock_gettime(clock, &ts))
		die(0, "no clock of the clients' process");
	return busy_ns() - ((uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec);
}

static void check(const struct server *server, const struct options *o)
{
	uint64_t silent = 0;
	uint32_t i;

	for (i = 0; i < o->connections; i++)
		silent += server->connections[i].state == OPEN &&
			  client_fate(o, i) == FALLS_SILENT;
	if (server->timeouts.early || server->timeouts.lost ||
	    server->timeouts.wrong || silent || !server->timed_out)
		die(0, "%s: %llu early, %llu lost, %llu wrong, %llu not closed, %llu closed",
		    o->backend->name, server->timeouts.early, server->timeouts.lost,
		    server->timeouts.wrong, (unsigned long long)silent,
		    server->timed_out);
}

static void serve(const struct options *o, struct served *served)
{
	struct clients clients;
	struct server server;
	uint64_t start = 0;

	clients_start(&clients, o);
	server_open(&server, o->backend, o->connections, o->idle_ns, clients.fd);
	while (server.traffic >= 0) {
		server_run(&server, -1);
		if (!server.requests)
			start = machine_ns(&clients);
	}
	served->machine = (double)(machine_ns(&clients) - start) / (double)server.requests;
	served->worst = (double)server.lateness_worst;
	clients_join(&clients);
	check(&server, o);
	served->late = (double)server.lateness_total / (double)server.timed_out;
}

static void run(struct options *o, size_t backend)
{
	uint64_t start = now_ns();
	int status;
	pid_t pid;

	o->backend = backends[backend];
	pid = fork();
	if (!pid) {
		serve(o, &results[backend]);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die(0, "the server with %s failed", o->backend->name);
	fprintf(stderr, "bench/user: %s: %.0f ns of the machine a heartbeat, %.0f us late, %.0f at worst (%.0f s)\n",
		o->backend->name, results[backend].machine, results[backend].late / 1000,
		results[backend].worst / 1000, (double)(now_ns() - start) / NSEC);
}

/* Prints twheel's figure beside a peer's. */
static void print_result(const char *engine, const char *metric, size_t connections, size_t peer,
			 double twheel, double theirs)
{
	struct utsname kernel;

	uname(&kernel);
	printf("%s,%s,%s,%zu,%s,%.1f,%.1f,%.4f\n", engine, kernel.release, metric, connections,
	       backends[peer]->name, twheel, theirs, twheel / theirs);
}

static void print_all(const char *engine, size_t n)
{
	const struct served *ours = &results[0], *theirs;
	size_t i;

	for (i = 1; i < BACKENDS; i++) {
		theirs = &results[i];
		print_result(engine, "u_serve_machine", n, i, ours->machine, theirs->machine);
		print_result(engine, "u_serve_late", n, i, ours->late, theirs->late);
		print_result(engine, "u_serve_worst", n, i, ours->worst, theirs->worst);
	}
}

int main(int argc, char **argv)
{
	struct options o = { .silent = 10, .leaving = 10, .seed = 1 };
	size_t i;

	if (argc != 6)
		die(0, "usage: serve ENGINE CONNECTIONS SECONDS IDLE_MS EVERY_MS");
	o.connections = strtoul(argv[2], NULL, 10);
	o.seconds = strtoul(argv[3], NULL, 10);
	o.idle_ns = strtoull(argv[4], NULL, 10) * 1000000;
	o.every_ns = strtoull(argv[5], NULL, 10) * 1000000;
	if (!o.connections || !o.every_ns || o.every_ns > o.idle_ns / 2 ||
	    o.seconds * NSEC < o.idle_ns + 3 * o.every_ns)
		die(0, "serve: EVERY_MS is at most half of IDLE_MS, SECONDS at least IDLE_MS and three times EVERY_MS");
	results = allocate_shared(BACKENDS * sizeof(*results));
	for (i = 0; i < BACKENDS; i++)
		run(&o, i);
	print_all(argv[1], o.connections);
	return 0;
}
