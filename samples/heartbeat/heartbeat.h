/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HEARTBEAT_H
#define _HEARTBEAT_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>

enum { MOST_THREADS = 256 };

/**
 * struct options - what the command line says
 * @clients: How many there are.
 * @threads: How many share them.
 * @seconds: How long the clients report.
 * @timeout_ns: Silence after which a client is offline.
 * @silent: Of a thousand clients, how many never report.
 */
struct options {
	__u64		clients;
	unsigned int	threads;
	unsigned int	seconds;
	__u64		timeout_ns;
	unsigned int	silent;
};

/**
 * struct client - one that has to report
 * @handle: Its timer.
 * @deadline: The last one that was set. Its thread's, as @handle.
 * @expired: When it went offline. The reader's, as @event_deadline.
 * @event_deadline: The deadline that it missed, as the kernel had it.
 */
struct client {
	__u64	handle;
	__u64	deadline;
	__u64	expired;
	__u64	event_deadline;
};

/**
 * struct worker - a thread on a CPU
 * @thread: The thread.
 * @cpu: The CPU.
 * @first: Its first client.
 * @end: Its last, and one.
 * @heartbeats: Deadlines that it pushed back.
 * @unchanged: Those that were as late already.
 * @late: Those of clients that were offline.
 * @early: Of these, those that were offline before their deadline.
 * @cpu_ns: CPU time of all heartbeats.
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
 * struct reader - the thread that reads what expires
 * @thread: The thread.
 * @stop: No client reports any more.
 * @expected: Clients that never report.
 * @silent: Those of them that have expired.
 * @wrong: Events that should not be there.
 * @worst: The most ns that an expiry came after its deadline.
 */
struct reader {
	pthread_t	thread;
	bool		stop;
	__u64		expected;
	__u64		silent;
	__u64		wrong;
	__u64		worst;
};

/* heartbeat.c */
bool client_is_silent(const struct options *options, __u64 client);

/* options.c */
void options_parse(struct options *options, int argc, char **argv);

/* verify.c */
void report(const struct options *options, const struct worker *workers,
	    const struct reader *reader);
bool verify(const struct options *options, const struct client *clients,
	    const struct worker *workers, const struct reader *reader, int fd);

#endif /* _HEARTBEAT_H */
