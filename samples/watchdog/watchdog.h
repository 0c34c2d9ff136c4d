/* SPDX-License-Identifier: MIT */
/*
 * Thousands of workers, and four ways to watch them.
 *
 * The launcher (main.c) starts the workers and one process for each way to watch. Then it
 * strikes some of the workers: it kills them, or it stops them. Each watcher notes whom it
 * believes to have died or hung, and when. The launcher compares the notes with what it
 * did.
 */
#ifndef _WATCHDOG_H
#define _WATCHDOG_H

#include <libtwheel.h>
#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

/* The ways to watch. */
enum { BY_LEASE, BY_MESSAGE, BY_MEMORY, BY_PIDFD, WAYS };

enum fate { FATE_LIVES, FATE_KILLED, FATE_HUNG, FATE_HOSTILE };

/**
 * struct options - the values of the command line
 * @workers: Number of workers.
 * @killed: So many get SIGKILL.
 * @hung: So many get SIGSTOP.
 * @victims: Of the stopped workers, so many that the hostile worker tries to keep alive.
 * @lease_ns: A worker that is silent for so long hangs.
 * @idle_ns: How long nothing happens to any worker.
 * @strike_ns: How long it takes to kill and stop them all.
 * @seed: Seed of the random numbers.
 */
struct options {
	__u64	workers;
	__u64	killed;
	__u64	hung;
	__u64	victims;
	__u64	lease_ns;
	__u64	idle_ns;
	__u64	strike_ns;
	__u64	seed;
};

/**
 * struct note - what a watcher has noticed about a worker
 * @at_ns: When it noticed; 0 if it has noticed nothing.
 * @died: The watcher says that the worker died. Otherwise the worker is silent.
 */
struct note {
	__u64	at_ns;
	bool	died;
};

/**
 * struct worker - a worker, in memory that all processes share
 * @handle: The timer of its lease.
 * @pid: The process.
 * @fate: What the launcher does to it.
 * @victim: The hostile worker tries to keep it alive. Set once it has stopped.
 * @struck_ns: When the launcher sent the signal.
 * @deadline_ns: The deadline of the lease after the worker has stopped.
 * @event_ns: The deadline in the event of the lease.
 * @notes: What the watchers have noticed.
 *
 * The launcher and the watchers write here; workers can only read.
 */
struct worker {
	__u64		handle;
	pid_t		pid;
	enum fate	fate;
	bool		victim;
	__u64		struck_ns;
	__u64		deadline_ns;
	__u64		event_ns;
	struct note	notes[WAYS];
};

/**
 * struct attack - what the hostile worker has achieved, in memory that it can write to
 * @tries: Attempts to act on leases of others.
 * @garbage: Writes and calls without sense on its own lease.
 * @beyond_cap: How often its own lease had more time left than the cap.
 * @won: For each worker, whether an attempt on its lease succeeded.
 */
struct attack {
	__u64	tries;
	__u64	garbage;
	__u64	beyond_cap;
	bool	won[];
};

/**
 * struct watchdog - what all processes inherit
 * @options: The options.
 * @workers: The workers.
 * @beats: For BY_MEMORY: when each worker reported last. Every worker can write them all.
 * @attack: The hostile worker's results.
 * @device: The descriptor of the timers. Workers close it.
 * @notify: For BY_MESSAGE: the sockets that the watcher reads and the workers send from.
 */
struct watchdog {
	struct options	options;
	struct worker	*workers;
	__u64		*beats;
	struct attack	*attack;
	int		device;
	int		notify[2];
};

static inline __u64 now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

/* A good enough random number. @state must not be 0. */
static inline __u64 random_next(__u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* options.c */
void options_parse(struct options *options, int argc, char **argv);

/* worker.c */
/* Start a worker, which gets the lease. Its pid, or a negative errno. */
pid_t worker_start(struct watchdog *w, __u64 n, int lease);
/* Report in all ways. */
void worker_report(const struct watchdog *w, __u64 n, int lease);

/* hostile.c */
/*
 * The part of the hostile worker, which never returns. @device is an open file of its own
 * of the device.
 */
void hostile_run(struct watchdog *w, __u64 n, int lease, int device);

/* supervisor.c, by_message.c, by_memory.c, by_pidfd.c: they never return. */
void supervisor_run(struct watchdog *w);
void by_message_run(struct watchdog *w);
void by_memory_run(struct watchdog *w);
void by_pidfd_run(struct watchdog *w);

/* watcher.c */
/**
 * struct watcher - a process that watches
 * @name: The way to watch, for people.
 * @run: What the process does.
 * @pid: The process.
 * @wakeups: How often it woke while nothing happened.
 * @cpu_ns: The CPU time that it took meanwhile.
 */
struct watcher {
	const char	*name;
	void		(*run)(struct watchdog *w);
	pid_t		pid;
	__u64		wakeups;
	__u64		cpu_ns;
};

extern struct watcher watchers[WAYS];

void watchers_start(struct watchdog *w);
/* Do nothing for as long as the options say, and count what the watchers do meanwhile. */
void watchers_idle(const struct watchdog *w);
/* Note what the watcher has noticed; only the first note of a worker counts. */
bool watcher_note(struct worker *worker, int way, __u64 at_ns, bool died);

/* strike.c */
/* Choose who gets which fate. */
void strike_choose(struct watchdog *w);
/* Kill and stop them. */
void strike_all(struct watchdog *w);
/* Wait until the watchers have had the time to notice. */
void strike_wait(const struct watchdog *w);

/* forgery.c */
/* Count the leases of others that the hostile worker kept alive or changed. */
__u64 forgery_count(const struct watchdog *w);

/* report.c */
/* Print the table and the last line. Returns whether everything is right. */
bool report(const struct watchdog *w, __u64 forged);

#endif /* _WATCHDOG_H */
