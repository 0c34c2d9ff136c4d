// SPDX-License-Identifier: GPL-2.0
/*
 * Counts instructions of twheel and its peers, in a machine with one CPU whose clock
 * counts them: scripts/vm --icount.
 *
 * usage: count TIMERS
 *
 * Prints a line for each metric and mechanism: metric,TIMERS,mechanism,0,instructions.
 * A delivery costs what the machine does from the arming to the last expiration, without
 * idling and the arming itself. So it includes the moves of timers within a wheel.
 */
#include <math.h>
#include "measure.h"

/* Time to the first deadline: more than any mechanism takes to arm its timers. */
#define LEAD	NSEC

/* Expirations of a mechanism are counted if it has @take. */
static const struct mechanism *const counted[] = {
	&twheel_single, &twheel_batch, &twheel_mmap, &twheel_ring,
	&twheel_ioctl_1, &twheel_command_1, &twheel_ioctl_8, &twheel_command_8,
	&twheel_ioctl_64, &twheel_command_64, &timerfd, &posix, &uring, &uring_single,
};

/* Lets @n timers expire, evenly over a second. Sets @deliver. */
static void trial_deliver(const struct mechanism *m, size_t n, struct outcome *outcome)
{
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint32_t *order = permutation(n);
	uint64_t busy, start, first;
	size_t i, taken = 0;

	m->open(n);
	settle_memory();
	busy = busy_ns();
	start = now_ns();
	first = start + LEAD;
	for (i = 0; i < n; i++)
		deadline[i] = first + order[i] * NSEC / n;
	m->arm(deadline, n);
	busy += now_ns() - start;
	if (now_ns() >= first)
		die(0, "%s: arming took more than a second", m->name);
	while (taken < n)
		taken += m->take();
	outcome->deliver = (double)(busy_ns() - busy) / (double)n;
}

static void print(const char *metric, size_t n, const struct mechanism *m, double value)
{
	if (!isnan(value))
		printf("%s,%zu,%s,0,%.3f\n", metric, n, m->name, value);
}

static void count(const struct mechanism *m, size_t n)
{
	struct outcome outcome = { NAN, NAN, NAN, NAN, NAN, NAN };

	run_trial(trial_operations, m, n, &outcome);
	if (m->take) {
		run_trial(trial_deliver, m, n, &outcome);
		run_trial(trial_drain, m, n, &outcome);
	}
	print("u_arm", n, m, outcome.arm);
	print("u_extend", n, m, outcome.extend);
	print("u_cancel", n, m, outcome.cancel);
	print("u_deliver", n, m, outcome.deliver);
	print("u_drain", n, m, outcome.drain);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	size_t i;

	if (n < 1)
		die(0, "usage: count TIMERS");
	if (sysconf(_SC_NPROCESSORS_ONLN) != 1 || !idle_is_exact())
		die(0, "count wants one CPU, whose idle time is exact");
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		count(counted[i], (size_t)n);
	return 0;
}
