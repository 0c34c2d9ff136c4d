// SPDX-License-Identifier: MIT
/*
 * The supervisor: it sleeps in read() until the kernel tells it that a lease has ended.
 * While all is well, it does not run at all.
 */
#include <stdio.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

enum { ROOM = 64 };

static void tell(struct watchdog *w, const struct twheel_event *event, __u64 at)
{
	const bool died = event->flags & TWHEEL_EVENT_LEASE_CLOSED;
	struct worker *worker = &w->workers[event->cookie];

	worker->event_ns = event->deadline_ns;
	if (!watcher_note(worker, BY_LEASE, at, died))
		return;
	/* The program that reads a supervisor's event would start another worker here. */
	if (died)
		printf("worker %llu (process %d) died, known %.1f ms after the signal\n",
		       (unsigned long long)event->cookie, worker->pid,
		       (at - worker->struck_ns) / 1e6);
	else
		printf("worker %llu (process %d) hangs, known %.1f ms after its deadline\n",
		       (unsigned long long)event->cookie, worker->pid,
		       (at - event->deadline_ns) / 1e6);
}

void supervisor_run(struct watchdog *w)
{
	struct twheel_event events[ROOM];

	for (;;) {
		const long got = twheel_read(w->device, events, ROOM);
		const __u64 at = now();
		long i;

		if (got < 0)
			errx(EXIT_FAILURE, "cannot read events: %s", strerror(-(int)got));
		for (i = 0; i < got; i++)
			tell(w, &events[i], at);
		fflush(stdout);
	}
}
