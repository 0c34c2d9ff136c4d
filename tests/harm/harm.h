/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attacks: what a program without privileges does with /dev/twheel. An attack prepares
 * itself, and then makes one step after the other until it is killed.
 *
 * Each file calls only files above it in this list:
 *
 *	victims.c	the programs that an attack disturbs, and what they measure about themselves
 *	figure.c	figures, with their bounds
 *	setup.c		what an attack needs of the machine
 *	crowds.c	attacks by very many wake-ups: of many descriptors, threads and processes
 *	attacks.c	the attacks
 *	attacker.c	the process that attacks
 *	irqs_off.c	how long twheel keeps interrupts off during an attack
 *	fences.c, ordinary.c, harm.c	the cases
 */
#ifndef _HARM_H
#define _HARM_H

#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "device.h"
#include "parameter.h"
#include "rights.h"

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
	__u64		p99_ns, max_ns;
};

/* Victims: what processes run until they are killed, with a struct progress or innocent. */
void run_cfs(void *data);
void run_fifo(void *data);
void run_innocent(void *data);

/* Forget what was measured so far. */
void reset_progress(struct progress *progress);
void reset_innocent(struct innocent *innocent);

/* How late events came since reset_innocent(). Timers that are overdue count, too. */
struct lateness lateness_of(struct innocent *innocent);

double ms(__u64 ns);

/*
 * Print a figure of the case @mode and its bound, which is 0 if there is none. Bounds hold
 * on one CPU. Returns whether the figure is above the bound.
 */
bool exceeds(const char *mode, const char *what, double quiet, double figure, double bound,
	     const char *unit);

/* What the attacker has done, in memory that is shared. */
struct work {
	atomic_ullong	done;		/* events that it has got, or timers that it has armed */
	atomic_uint	steps;
	atomic_ullong	longest_poll_ns;	/* of a program that has got a descriptor */
	atomic_uint	helpers;	/* other processes whose time is the attacker's */
	pid_t		helper[2048];
};

extern struct work *work;

static inline void did(unsigned long long count)
{
	atomic_fetch_add_explicit(&work->done, count, memory_order_relaxed);
}

/* Make the device, the scheduler and the limits as the attacks need them, and undo it. */
void set_up(void);
void set_back(void);

/* crowds.c: many descriptors are due at one tick. One thread reads each, and arms it again. */
void prepare_calls(unsigned int count);
void call_all(void);

/* The same by many users, with 200 descriptors each. */
void start_users(void);
void prepare_users(unsigned int count);

/* The same with a thread for each descriptor. Timers are due at each tick. */
void prepare_threads(unsigned int count);

/* The same; the expiry of each descriptor sends a signal to many processes. */
void prepare_kill(unsigned int count);
void kill_group(void);
void prepare_signals(unsigned int count);

/* Many threads poll many epolls, which watch one descriptor. */
void prepare_pollers(unsigned int count);
void wake_pollers(void);

/* A descriptor with many deadlines in its table, for a program that polls it at each tick. */
void start_receiver(void);
void prepare_handed(int fd);

/* Descriptors with timers that are due at each tick, of programs that are stopped. */
void prepare_stopped(unsigned int count);

enum { FIRST_ATTACKER = 1000, FIRST_SUBUID = 200000, SUBUIDS = 100 };

struct attack {
	const char	*name;
	void		(*prepare)(unsigned int count);
	void		(*step)(void);
	unsigned int	count;		/* how many timers or descriptors */
	unsigned int	long_count;	/* the same with --long, if not 0 */
	bool		stores_only;	/* a step need not run on the attacked CPU */
	bool		waiters;	/* the kernel wakes many at a stretch */
	void		(*prepare_as_root)(void);	/* if not NULL, called first */
	bool		two_cpus;	/* nothing to attack with one CPU */
	bool		many_users;	/* in a user namespace with SUBUIDS users */
	bool		container;	/* as root of a container without a user namespace */
};

/* The attacks, and those for a CPU that goes offline. The last one of each has no name. */
extern const struct attack attacks[];
extern const struct attack hotplug_attacks[];

/* Start an attack, as a user of its own. It is prepared when this returns. */
pid_t start_attack(const struct attack *attack);

void end_attack(pid_t attacker);

/* Whether the module tests/modules/twheel_irqs_off.c is loaded, which measures that. */
bool irqs_off_are_measured(void);

void irqs_off_measure(const struct attack *attack);

#endif /* _HARM_H */
