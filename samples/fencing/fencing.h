/* SPDX-License-Identifier: MIT */
/*
 * A primary must stop at the deadline of its lease, because a standby takes over then. Several ways
 * to make sure of it, and what can happen to the primary and to whoever watches it: for how
 * long are two active at once?
 *
 * A primary is an agent, which renews the lease, and actors, which do the work: they mark each
 * millisecond in which they act. All are in a cgroup, with the process that watches them, if
 * the way has one. In each case the agent hangs, and something strikes them all.
 */
#ifndef _FENCING_H
#define _FENCING_H

#include <libtwheel.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MS		1000000ULL
#define LEASE_NS	(2000 * MS)	/* as short as etcd has it */
#define MARGIN_NS	(50 * MS)	/* how long a standby waits behind the deadline */
#define RESUME_NS	(1000 * MS)	/* until who was stopped goes on, from then on */
#define WATCH_NS	(3000 * MS)	/* and how long two may be active */

enum { MOST_ACTORS = 16, MARKS = 60000, MARKS_OFFSET = 4096 };

/**
 * struct shared - memory of all processes: a file, which primary.py maps, too
 * @base_ns: When the case began, on CLOCK_MONOTONIC.
 * @renewed_ns: When the agent began to renew the lease for the last time.
 * @standby_ns: When a standby took over that has a lease of its own to wait for; or 0.
 * @hang: The agent shall hang.
 * @spin: The actors shall spin, and not sleep between two marks.
 * @actors: How many actors there are.
 * @tids: Their threads.
 * @unused: Fills the page.
 * @marks: For each millisecond since @base_ns, whether an actor has acted.
 */
struct shared {
	__u64	base_ns;
	__u64	renewed_ns;
	__u64	standby_ns;
	__u32	hang;
	__u32	spin;
	__u32	actors;
	__u32	tids[MOST_ACTORS];
	char	unused[MARKS_OFFSET - 36 - 4 * MOST_ACTORS];
	__u8	marks[MARKS];
};

_Static_assert(offsetof(struct shared, marks) == MARKS_OFFSET, "primary.py knows the layout");

extern struct shared *shared;

/* Where the file of the shared memory is, and this program. */
extern const char *shared_path, *program_path;

static inline __u64 now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

void sleep_until(__u64 ns);

/**
 * struct way - a way to make sure that a primary ends
 * @name: Its name.
 * @run: Becomes the watcher or, if the way has none, the agent. Never returns.
 * @prepare: If not %NULL: starts what is not of the primary, before each case. Returns false
 *	if the way cannot be tried here.
 * @hang: If not %NULL: called before the strike, for an agent that does not look at @shared.
 * @clean: If not %NULL: the end of @prepare. Such a way also has a standby of its own.
 */
struct way {
	const char	*name;
	void		(*run)(void);
	bool		(*prepare)(void);
	void		(*hang)(void);
	void		(*clean)(void);
};

/* The last one has no name. */
extern const struct way ways[];

/* actor.c: an actor for each CPU, as children. They may die with their parent. */
void actors_start(bool die_with_parent);

/*
 * agent.c: start the actors, which may die with the agent, and call @renew four times in each
 * lease, until the agent is to hang. Never returns.
 */
void agent_run(void (*renew)(void), bool die_with_agent);

/* others.c: ways of other programs */
bool gunicorn_prepare(void);
void gunicorn_run(void);
void gunicorn_hang(void);
bool etcd_prepare(void);
void etcd_run(void);
void etcd_hang(void);
void etcd_clean(void);
/* The part of the standby in etcd. */
void etcd_standby(void);

/**
 * struct strike - what happens to a primary
 * @name: Its name.
 * @begin: Strike. @watcher is the first process of the primary, or of its watcher.
 * @resume: If not %NULL: let the processes go on.
 * @end: If not %NULL: the end of @begin.
 */
struct strike {
	const char	*name;
	void		(*begin)(pid_t watcher);
	void		(*resume)(void);
	void		(*end)(void);
};

/* The last one has no name. */
extern const struct strike strikes[];

/* cgroup.c: the cgroup of the primary */
void cgroup_make(void);
void cgroup_enter(void);
void cgroup_write(const char *file, const char *text);
/* Send a signal to all of its processes. */
void cgroup_signal(int number);
/* Kill all, and remove the cgroup. */
void cgroup_remove(void);

/**
 * struct result - how a case has ended
 * @tried: The way can be tried here.
 * @early: The primary ended while all was well.
 * @kept: There was no standby: the primary has kept its lease.
 * @goes_on: The primary still acted at the end.
 * @both_ms: For how many milliseconds both were active.
 */
struct result {
	bool		tried;
	bool		early;
	bool		kept;
	bool		goes_on;
	unsigned int	both_ms;
};

/* case.c */
struct result case_run(const struct way *way, const struct strike *strike);

#endif /* _FENCING_H */
