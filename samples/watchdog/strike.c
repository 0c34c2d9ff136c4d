// SPDX-License-Identifier: MIT
/*
 * Killing and stopping workers.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

/* How long to wait for notes that are overdue. */
#define PATIENCE_NS	60000000000ULL

/* The workers to strike, in the order in which they are struck. */
static __u32 *struck;
static __u64 count;

static void wait_ns(__u64 ns)
{
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL);
}

/* Shuffle the workers. The first one is hostile, and those that follow it are struck. */
void strike_choose(struct watchdog *w)
{
	const __u64 workers = w->options.workers;
	__u64 state = w->options.seed, i;
	__u32 *order = calloc(workers, sizeof(*order));

	if (!order)
		errx(EXIT_FAILURE, "no memory");
	for (i = 0; i < workers; i++)
		order[i] = i;
	count = w->options.killed + w->options.hung;
	for (i = 0; i <= count; i++) {
		const __u64 other = i + random_next(&state) % (workers - i);
		const __u32 kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	w->workers[order[0]].fate = FATE_HOSTILE;
	struck = order + 1;
	/* killed and stopped ones take turns, as far as there are both */
	for (i = 0; i < count; i++)
		w->workers[struck[i]].fate =
			(i + 1) * w->options.killed / count > i * w->options.killed / count ?
			FATE_KILLED : FATE_HUNG;
}

/* The deadline of a worker's lease. */
static __u64 deadline_of(const struct watchdog *w, const struct worker *worker)
{
	struct twheel_op op;

	if (twheel_query(w->device, worker->handle, &op, TWHEEL_ABSTIME) < 0)
		return 0;
	return op.time_ns;
}

/*
 * Stop a worker. From then on, only a forger can change the deadline of its lease. A worker
 * has ended already if its lease had: then it has no deadline.
 */
static void stop(struct watchdog *w, struct worker *worker)
{
	int status;

	kill(worker->pid, SIGSTOP);
	if (waitpid(worker->pid, &status, WUNTRACED) == worker->pid && WIFSTOPPED(status))
		worker->deadline_ns = deadline_of(w, worker);
}

void strike_all(struct watchdog *w)
{
	__u64 i, victims = w->options.victims;

	for (i = 0; i < count; i++) {
		struct worker *worker = &w->workers[struck[i]];

		worker->struck_ns = now();
		if (worker->fate == FATE_KILLED) {
			kill(worker->pid, SIGKILL);
		} else {
			stop(w, worker);
			if (victims) {
				__atomic_store_n(&worker->victim, true, __ATOMIC_RELEASE);
				victims--;
			}
		}
		wait_ns(w->options.strike_ns / count);
	}
}

/* Whether a watcher still has to notice what it can notice. */
static bool overdue(const struct worker *worker)
{
	const struct note *notes = worker->notes;
	const bool silent = worker->fate == FATE_HUNG || worker->fate == FATE_KILLED;

	return silent && (!notes[BY_LEASE].at_ns || !notes[BY_MESSAGE].at_ns ||
			  (!notes[BY_MEMORY].at_ns && !worker->victim) ||
			  (!notes[BY_PIDFD].at_ns && worker->fate == FATE_KILLED));
}

void strike_wait(const struct watchdog *w)
{
	__u64 i, end;

	/* Long enough to see that a victim is kept alive beyond its deadline */
	wait_ns(w->options.lease_ns * 4 / 3 + 2000000000);
	end = now() + PATIENCE_NS;
	for (i = 0; i < count && now() < end; i++)
		while (overdue(&w->workers[struck[i]]) && now() < end)
			wait_ns(100000000);
}
