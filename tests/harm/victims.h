/* SPDX-License-Identifier: GPL-2.0 */
/* The programs that an attack disturbs, and what they measure about themselves. */
#ifndef _VICTIMS_H
#define _VICTIMS_H

#include <stdatomic.h>

#include "device.h"

/* The CPU that is attacked, and the CPU of the program that measures. */
extern int attacked_cpu, other_cpu;

/* Run on this CPU as this user; uid 0 stays root. */
void become(int cpu, uid_t user);
void set_fifo(int priority);

/* The progress of a victim that computes, in memory that it shares. */
struct progress {
	atomic_ullong	chunks;		/* pieces of work that are done */
	atomic_ullong	wanted_ns;	/* SCHED_FIFO: time in which it wanted to compute */
	atomic_ullong	had_ns;		/* SCHED_FIFO: CPU time that it had then */
	atomic_ullong	gap_ns;		/* longest time without progress */
};

/* The timers of the innocent user, and how late their events came. */
enum { INNOCENT_TIMERS = 8, INNOCENT_EVENTS = 1 << 16 };

struct innocent {
	atomic_uint	events;
	__u64		late_ns[INNOCENT_EVENTS];
	atomic_ullong	deadline[INNOCENT_TIMERS];
};

struct lateness {
	unsigned int	events;
	__u64		p50_ns, p99_ns, max_ns;
};

/* Victims: processes that run until they are killed. */
pid_t start_cfs(struct progress *progress);
pid_t start_fifo(struct progress *progress);
pid_t start_innocent(struct innocent *innocent);

/* Forget what was measured so far. */
void reset_progress(struct progress *progress);
void reset_innocent(struct innocent *innocent);

/* How late events came since reset_innocent(). Timers that are overdue count, too. */
struct lateness lateness_of(struct innocent *innocent);

#endif /* _VICTIMS_H */
