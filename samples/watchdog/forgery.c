// SPDX-License-Identifier: MIT
/*
 * What the hostile worker has done to the leases of others.
 */
#include "../common/exit.h"
#include "watchdog.h"

/* How often to look at a lease whose worker may be about to push it. */
enum { LOOKS = 50 };

/*
 * Whether the lease of a living worker is as the worker has left it: its deadline is a lease
 * after the worker's latest report, or later.
 */
static bool lease_is_right(const struct watchdog *w, __u64 n)
{
	const struct timespec pause = { 0, 20000000 };
	struct twheel_op op;
	int looks;

	for (looks = 0; looks < LOOKS; looks++) {
		const __u64 reported = __atomic_load_n(&w->beats[n], __ATOMIC_ACQUIRE);

		if (twheel_query(w->device, w->workers[n].handle, &op, TWHEEL_ABSTIME))
			return false;
		if (op.time_ns > now() + w->options.lease_ns)
			return false;
		if (op.time_ns >= reported + w->options.lease_ns)
			return true;
		/* the worker has reported, but has not yet pushed */
		nanosleep(&pause, NULL);
	}
	return false;
}

/*
 * Whether the lease of a worker has been changed by another. Nobody changes the deadline of
 * one that has stopped; a killed one's lease ends at once. A lease that has run out before
 * anything happened to its worker is a false report, and no forgery.
 */
static bool forged(const struct watchdog *w, __u64 n)
{
	const struct worker *worker = &w->workers[n];
	const __u64 noted = worker->notes[BY_LEASE].at_ns;

	if (w->attack->won[n])
		return true;
	if (noted && (!worker->struck_ns || noted < worker->struck_ns))
		return false;
	switch (worker->fate) {
	case FATE_HUNG:
		return !worker->deadline_ns || worker->event_ns != worker->deadline_ns;
	case FATE_LIVES:
		return !lease_is_right(w, n);
	default:
		return false;
	}
}

__u64 forgery_count(const struct watchdog *w)
{
	__u64 n, sum = 0;

	for (n = 0; n < w->options.workers; n++)
		sum += forged(w, n);
	return sum;
}
