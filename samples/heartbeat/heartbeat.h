/* SPDX-License-Identifier: MIT */
#ifndef _HEARTBEAT_H
#define _HEARTBEAT_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>

enum { MOST_THREADS = 256 };

/**
 * struct options - the values of the command line
 * @clients: Number of clients.
 * @threads: Number of threads that share the clients.
 * @seconds: How long clients report.
 * @timeout_ns: Silence after which a client is offline.
 * @silent: Of a thousand clients, so many never report.
 */
struct options {
	__u64	clients;
	__u64	threads;
	__u64	seconds;
	__u64	timeout_ns;
	__u64	silent;
};

/**
 * struct client - a client that has to report before its deadline
 * @handle: Its timer. Only the client's worker uses @handle and @deadline.
 * @deadline: The deadline that the worker set last.
 * @expired: When the timer expired; 0 while the client is online. Only the reader
 *	uses @expired and @event_deadline.
 * @event_deadline: The deadline that the client missed, from the event.
 */
struct client {
	__u64	handle;
	__u64	deadline;
	__u64	expired;
	__u64	event_deadline;
};

/**
 * struct worker - a thread on a CPU, and its share of the clients
 * @thread: The thread.
 * @cpu: The CPU.
 * @first: Number of its first client.
 * @end: Number of its last client, plus 1.
 * @heartbeats: Reports that pushed a deadline back.
 * @unchanged: Reports that found a deadline at least as late.
 * @late: Reports from clients that were offline.
 * @early: Of these, reports before the client's deadline: a fault.
 * @cpu_ns: CPU time of all reports.
 */
struct worker {
	pthread_t	thread;
	unsigned int	cpu;
	__u64		first;
	__u64		end;
	__u64		heartbeats;
	__u64		unchanged;
	__u64		late;
	__u64		early;
	__u64		cpu_ns;
};

/**
 * struct reader - the thread that reads events
 * @thread: The thread.
 * @stop: The workers have ended.
 * @expected: Number of silent clients.
 * @silent: Of these, how many have gone offline.
 * @wrong: Events of unknown clients, and of clients that were offline already.
 * @worst: The longest time from a deadline to its expiry, in ns.
 */
struct reader {
	pthread_t	thread;
	bool		stop;
	__u64		expected;
	__u64		silent;
	__u64		wrong;
	__u64		worst;
};

/* options.c */
void options_parse(struct options *options, int argc, char **argv);

/* verify.c */
void report(const struct options *options, const struct worker *workers,
	    const struct reader *reader);
/* Check the result, and cancel all timers. Returns whether everything is right. */
bool verify(const struct options *options, const struct client *clients,
	    const struct worker *workers, const struct reader *reader, int fd);

#endif /* _HEARTBEAT_H */
