// SPDX-License-Identifier: MIT
/*
 * The table and the last line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../common/exit.h"
#include "watchdog.h"

/**
 * struct times - how late a watcher noticed
 * @ns: The times, sorted at the end.
 * @count: Their number.
 */
struct times {
	__u64	*ns;
	__u64	count;
};

/**
 * struct result - what a watcher has noticed
 * @died: From the signal to the note, for each worker that was killed.
 * @hung: From the deadline to the note, for each worker that was stopped.
 * @missed: Struck, and not noticed.
 * @wrong: Noticed while all was well with them, or taken for the wrong thing.
 * @forged: Victims that the watcher took for alive, because the hostile worker said so.
 */
struct result {
	struct times	died;
	struct times	hung;
	__u64		missed;
	__u64		wrong;
	__u64		forged;
};

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* A time before the moment that counts is no time. */
static void add_time(struct times *times, __u64 at, __u64 from)
{
	times->ns[times->count++] = at > from ? at - from : 0;
}

/* The lease knows why it has ended, a pidfd knows of deaths alone, others know of silence. */
static bool note_is_wrong(const struct worker *worker, int way)
{
	const struct note *note = &worker->notes[way];

	if (worker->fate == FATE_HOSTILE)
		return false;
	if (worker->fate == FATE_LIVES || note->at_ns < worker->struck_ns)
		return true;
	return way == BY_LEASE && note->died != (worker->fate == FATE_KILLED);
}

static void judge(struct result *result, const struct worker *worker, int way)
{
	const struct note *note = &worker->notes[way];
	const bool killed = worker->fate == FATE_KILLED, hung = worker->fate == FATE_HUNG;

	if (!note->at_ns) {
		result->missed += killed || hung;
		result->forged += worker->victim && way != BY_PIDFD;
	} else if (note_is_wrong(worker, way)) {
		result->wrong++;
	} else if (killed) {
		add_time(&result->died, note->at_ns, worker->struck_ns);
	} else if (hung) {
		add_time(&result->hung, note->at_ns, worker->deadline_ns);
	}
}

static struct result judge_all(const struct watchdog *w, int way)
{
	struct result result = { 0 };
	__u64 n;

	result.died.ns = calloc(w->options.workers, sizeof(__u64));
	result.hung.ns = calloc(w->options.workers, sizeof(__u64));
	if (!result.died.ns || !result.hung.ns)
		errx(EXIT_FAILURE, "no memory");
	for (n = 0; n < w->options.workers; n++)
		judge(&result, &w->workers[n], way);
	qsort(result.died.ns, result.died.count, sizeof(__u64), compare);
	qsort(result.hung.ns, result.hung.count, sizeof(__u64), compare);
	return result;
}

static double worst(const struct times *times)
{
	return times->count ? times->ns[times->count - 1] / 1e6 : 0;
}

static void print_times(const struct times *times)
{
	if (times->count)
		printf("%11.1f %10.1f", times->ns[times->count / 2] / 1e6, worst(times));
	else
		printf("%11s %10s", "never", "never");
}

static void print_row(const struct watcher *watcher, const struct result *result)
{
	printf("%-8s", watcher->name);
	print_times(&result->died);
	print_times(&result->hung);
	printf("%10llu %8.1f%8llu %6llu %10s\n", (unsigned long long)watcher->wakeups,
	       watcher->cpu_ns / 1e6, (unsigned long long)result->missed,
	       (unsigned long long)result->wrong, result->forged ? "yes" : "no");
}

static void print_head(const struct watchdog *w)
{
	char well[32];

	snprintf(well, sizeof(well), "all well for %llu s",
		 (unsigned long long)w->options.idle_ns / 1000000000);
	printf("\n%-8s%22s%21s%20s\n", "", "ms from a SIGKILL", "ms from the deadline", well);
	printf("%-8s%22s%21s\n", "", "to knowing of it", "of a hung one");
	printf("%-8s%11s %10s%11s %10s%10s %8s%8s %6s %10s\n", "by", "median", "worst",
	       "median", "worst", "wake-ups", "CPU ms", "missed", "false", "forgeable");
}

static void print_attack(const struct watchdog *w)
{
	__u64 n;

	printf("\nThe hostile worker wrote garbage %llu times. It attacked leases of others",
	       (unsigned long long)w->attack->garbage);
	printf(" %llu times.\n", (unsigned long long)w->attack->tries);
	for (n = 0; n < w->options.workers; n++)
		if (w->workers[n].fate == FATE_HOSTILE && w->workers[n].notes[BY_LEASE].at_ns)
			printf("Its own lease has ended.\n");
}

static void print_last_line(const struct watchdog *w, const struct result *lease)
{
	printf("watchdog: workers=%llu killed=%llu hung=%llu",
	       (unsigned long long)w->options.workers, (unsigned long long)w->options.killed,
	       (unsigned long long)w->options.hung);
	printf(" missed=%llu false=%llu kill_ms=%.1f hang_ms=%.1f",
	       (unsigned long long)lease->missed, (unsigned long long)lease->wrong,
	       worst(&lease->died), worst(&lease->hung));
	printf(" idle_wakeups=%llu forged=%llu\n",
	       (unsigned long long)watchers[BY_LEASE].wakeups,
	       (unsigned long long)lease->forged);
}

bool report(const struct watchdog *w, __u64 forged)
{
	struct result lease = judge_all(w, BY_LEASE);
	bool failed = false;
	int way;

	lease.forged = forged;
	print_head(w);
	for (way = 0; way < WAYS; way++) {
		const struct result peer = judge_all(w, way);

		print_row(&watchers[way], way == BY_LEASE ? &lease : &peer);
	}
	print_attack(w);
	failed |= found_fault(lease.missed, "dead or hung workers were not noticed");
	failed |= found_fault(lease.wrong, "workers were reported that were fine");
	failed |= found_fault(forged, "leases were changed by another worker");
	failed |= found_fault(w->attack->beyond_cap, "pushes went beyond the cap");
	/* If a tick that comes late has very many leases, the supervisor is to look at them. */
	failed |= found_fault(watchers[BY_LEASE].wakeups > watchers[BY_MESSAGE].wakeups / 20 ?
			      watchers[BY_LEASE].wakeups : 0,
			      "wake-ups of the supervisor while all was well");
	print_last_line(w, &lease);
	return !failed;
}
