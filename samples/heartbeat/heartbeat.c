// SPDX-License-Identifier: MIT
/*
 * Heartbeats without system calls, from a thread on each CPU.
 *
 * Each client has a timer; all timers are on one descriptor. Each thread serves its own
 * share of the clients. When a client reports, its thread pushes the deadline back in the
 * table that the threads share with the kernel. That takes neither a system call nor a
 * lock. One more thread reads the events of timers that expire.
 *
 * The interface allows two threads to push back the same timer. Here they never do, so
 * that the program knows every deadline and can check it at the end.
 */
#include <fcntl.h>
#include <libtwheel.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/exit.h"
#include "../common/populate.h"
#include "heartbeat.h"

/* Reports for each reading of the clock, and timers in each batch. */
enum { STEP = 512 };

/* How long to wait for events that are overdue before the test has failed. */
#define PATIENCE_NS	60000000000ULL

static struct options options;
static struct client *clients;
static struct twheel_table table;
static int fd;

/* One thread at a time adds timers: the kernel would make the threads wait anyway. */
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static __u64 now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

static bool client_is_silent(__u64 client)
{
	return client * 0x9e3779b97f4a7c15 % 1000 < options.silent;
}

static void bind_to_cpu(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	/* only for speed: without it, the thread runs wherever it may */
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* All clients of this thread come online. Their timers go to this CPU's wheel. */
static void add_timers(const struct worker *w)
{
	struct twheel_op ops[STEP];
	__u64 first, i, count;

	for (first = w->first; first < w->end; first += count) {
		const __u64 deadline = now() + options.timeout_ns;

		count = w->end - first < STEP ? w->end - first : STEP;
		for (i = 0; i < count; i++) {
			ops[i] = twheel_at(CLOCK_MONOTONIC, deadline, first + i);
			ops[i].flags |= TWHEEL_SHARED;
		}
		if (twheel_submit(fd, ops, count) != (long)count)
			errx(EXIT_FAILURE, "cannot add timers");
		for (i = 0; i < count; i++) {
			if (ops[i].result)
				errx(EXIT_FAILURE, "cannot add a timer: %s",
				     strerror(-ops[i].result));
			clients[first + i].handle = ops[i].handle;
			clients[first + i].deadline = deadline;
		}
	}
}

/* A client has reported. */
static void heartbeat(struct worker *w, struct client *client, __u64 deadline)
{
	switch (twheel_push_back(&table, client->handle, deadline)) {
	case TWHEEL_PUSHED:
		client->deadline = deadline;
		w->heartbeats++;
		break;
	case TWHEEL_PUSHED_BEFORE:
		w->unchanged++;
		break;
	case TWHEEL_PUSHED_NOT:
		/* The timer has expired: this thread did not run for too long. */
		w->early += now() < client->deadline;
		w->late++;
		break;
	}
}

/* Each client that is not silent reports once. The order is scattered over memory. */
static void report_all(struct worker *w)
{
	const __u64 count = w->end - w->first;
	__u64 i, deadline = 0;

	for (i = 0; i < count; i++) {
		/* the factor is a prime above the number of clients: each has one turn */
		const __u64 client = w->first + i * 2654435761 % count;

		if (i % STEP == 0)
			deadline = now() + options.timeout_ns;
		if (!client_is_silent(client))
			heartbeat(w, &clients[client], deadline);
	}
}

static void *work(void *data)
{
	struct worker *w = data;
	__u64 end, start;

	bind_to_cpu(w->cpu);
	pthread_mutex_lock(&adding);
	add_timers(w);
	pthread_mutex_unlock(&adding);
	end = now() + options.seconds * 1000000000ULL;
	start = twheel_now(CLOCK_THREAD_CPUTIME_ID);
	while (now() < end)
		report_all(w);
	w->cpu_ns = twheel_now(CLOCK_THREAD_CPUTIME_ID) - start;
	return NULL;
}

/* A timer has expired: its client is offline. */
static void handle_event(struct reader *reader, const struct twheel_event *event)
{
	struct client *client = &clients[event->cookie];

	if (event->cookie >= options.clients || client->expired) {
		reader->wrong++;
		return;
	}
	client->expired = event->expired_ns;
	client->event_deadline = event->deadline_ns;
	reader->silent += client_is_silent(event->cookie);
	if (event->expired_ns - event->deadline_ns > reader->worst)
		reader->worst = event->expired_ns - event->deadline_ns;
}

/*
 * The thread that reads events. It ends once @stop is set and every silent client has
 * gone offline, or patience has run out.
 */
static void *read_events(void *data)
{
	struct reader *reader = data;
	struct twheel_event events[256];
	__u64 end = 0;
	long got, i;

	while (!end || (reader->silent < reader->expected && now() < end)) {
		if (!end && __atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE))
			end = now() + options.timeout_ns + PATIENCE_NS;
		twheel_wait(fd, 100);
		while ((got = twheel_read(fd, events, 256)) > 0)
			for (i = 0; i < got; i++)
				handle_event(reader, &events[i]);
		if (got < 0 && got != -EAGAIN && got != -EINTR)
			errx(EXIT_FAILURE, "cannot read: %s", strerror(-(int)got));
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *data), void *data)
{
	const int error = pthread_create(thread, NULL, function, data);

	if (error)
		errx(EXIT_FAILURE, "cannot create a thread: %s", strerror(error));
}

static void open_all(void)
{
	int error;

	clients = calloc(options.clients, sizeof(*clients));
	if (!clients)
		err(EXIT_FAILURE, "no memory for %llu clients", options.clients);
	fd = twheel_open(O_NONBLOCK);
	if (fd < 0)
		exit_without_device(fd);
	error = twheel_map_table(fd, options.clients, &table);
	if (error)
		errx(EXIT_FAILURE, "cannot map the table: %s", strerror(-error));
	populate(clients, options.clients * sizeof(*clients));
	populate(table.words, table.count * sizeof(*table.words));
}

/* Give each worker a CPU and an equal share of the clients. */
static void assign_clients(struct worker *workers)
{
	unsigned int i, cpu = 0;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		CPU_SET(0, &cpus);
	for (i = 0; i < options.threads; i++, cpu++) {
		while (!CPU_ISSET(cpu % CPU_SETSIZE, &cpus))
			cpu++;
		workers[i] = (struct worker){
			.cpu = cpu % CPU_SETSIZE,
			.first = options.clients * i / options.threads,
			.end = options.clients * (i + 1) / options.threads,
		};
	}
}

int main(int argc, char **argv)
{
	static struct worker workers[MOST_THREADS];
	struct reader reader = { 0 };
	unsigned int i;
	bool passed;
	__u64 client;

	options_parse(&options, argc, argv);
	open_all();
	for (client = 0; client < options.clients; client++)
		reader.expected += client_is_silent(client);
	assign_clients(workers);
	start(&reader.thread, read_events, &reader);
	for (i = 0; i < options.threads; i++)
		start(&workers[i].thread, work, &workers[i]);
	for (i = 0; i < options.threads; i++)
		pthread_join(workers[i].thread, NULL);
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
	pthread_join(reader.thread, NULL);
	report(&options, workers, &reader);
	passed = verify(&options, clients, workers, &reader, fd);
	printf("verdict         %s\n", passed ? "ok" : "FAILED");
	return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
