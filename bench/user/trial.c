// SPDX-License-Identifier: GPL-2.0
/*
 * The trials: one mechanism does one kind of work, in a process of its own.
 */
#include <sys/wait.h>
#include "../../lib/libtwheel.h"
#include "measure.h"

/* So far ahead that no timer expires while operations are measured. */
#define NEAREST		(60 * NSEC)
#define RANGE		(3600 * NSEC)
#define PUSH_BACK	(600 * NSEC)

/* For a linear mechanism: timers looked at by all operations of a trial together. */
#define LOOKS		(8u << 20)
#define LEAST_OPERATIONS 64

/* Time to the first deadline, besides the time that is allowed for arming. */
#define LEAD		(NSEC / 4)
/* Limit of struct outcome's patience. */
#define MOST_PATIENCE	64

/* Timers that expire to find out when ticks begin. */
#define PROBES		16

/* Exit status of a trial that armed its last timer after the first deadline. */
#define TOO_LATE	3

static double per_timer(uint64_t since, size_t n)
{
	return (double)(now_ns() - since) / (double)n;
}

static size_t sample_size(const struct mechanism *m, size_t n)
{
	size_t size = n;

	if (m->linear) {
		size = LOOKS / n;
		size = size < LEAST_OPERATIONS ? LEAST_OPERATIONS : size;
	}
	return size < n ? size : n;
}

void trial_operations(const struct mechanism *m, size_t n, struct outcome *outcome)
{
	uint32_t *extended = permutation(n), *cancelled = permutation(n);
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint64_t *later = allocate(n * sizeof(*later));
	size_t i, sampled = sample_size(m, n);
	uint64_t start = now_ns();

	for (i = 0; i < n; i++)
		deadline[i] = start + NEAREST + random_below(RANGE);
	for (i = 0; i < n; i++)
		later[i] = deadline[extended[i]] + PUSH_BACK;
	m->open(n);
	settle_memory();

	start = now_ns();
	m->arm(deadline, n);
	outcome->arm = per_timer(start, n);

	if (m->extend) {
		start = now_ns();
		m->extend(extended, later, sampled);
		outcome->extend = per_timer(start, sampled);
	}
	if (m->cancel) {
		start = now_ns();
		m->cancel(cancelled, sampled);
		outcome->cancel = per_timer(start, sampled);
	}
}

static void take_all(const struct mechanism *m, size_t n)
{
	size_t taken = 0;

	while (taken < n)
		taken += m->take();
	if (taken > n)
		die(0, "%s: %zu expirations of %zu timers", m->name, taken, n);
}

/*
 * When a tick of the system began, and the length of ticks. Estimated from timers that
 * expire soon after the beginning of a tick: the earliest within its tick counts.
 */
static uint64_t find_tick(uint64_t *length)
{
	struct twheel_op op;
	int i, device = twheel_open(0);
	struct twheel_event event;
	struct twheel_info info;
	int64_t sooner, began = 0;

	if (device < 0 || twheel_get_info(device, &info))
		die(errno, "/dev/twheel");
	*length = info.resolution_ns;
	for (i = 0; i < PROBES; i++) {
		op = twheel_after(1, 0);
		if (twheel_add(device, &op) || twheel_read(device, &event, 1) != 1)
			die(errno, "/dev/twheel");
		if (!i)
			began = (int64_t)event.expired_ns;
		sooner = ((int64_t)event.expired_ns - began) % (int64_t)*length;
		if (sooner > (int64_t)*length / 2)
			began += sooner - (int64_t)*length;
	}
	close(device);
	return (uint64_t)began;
}

/*
 * A time around @when, shortly before a tick begins. The wheel runs at the beginning of
 * ticks, so little of the measured time is the wait for the next one.
 */
static uint64_t before_tick(uint64_t when)
{
	uint64_t length, tick = find_tick(&length);

	return tick + (when - tick) / length * length - length / 8;
}

void trial_drain(const struct mechanism *m, size_t n, struct outcome *outcome)
{
	/* LEAD, and @patience times as long as arming took in trial_operations() */
	uint64_t lead = LEAD + (uint64_t)(outcome->patience * outcome->arm * (double)n);
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint64_t due;
	size_t i;

	m->open(n);
	settle_memory();
	due = before_tick(now_ns() + lead);
	for (i = 0; i < n; i++)
		deadline[i] = due;
	m->arm(deadline, n);
	if (now_ns() >= due)
		_exit(TOO_LATE);
	take_all(m, n);
	outcome->drain = per_timer(due, n);
}

static int run_once(void (*trial)(const struct mechanism *m, size_t n,
				  struct outcome *outcome),
		    const struct mechanism *m, size_t n, struct outcome *outcome)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die(errno, "fork");
	if (!pid) {
		trial(m, n, outcome);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		die(0, "%s with %zu timers died", m->name, n);
	return WEXITSTATUS(status);
}

void run_trial(void (*trial)(const struct mechanism *m, size_t n,
			     struct outcome *outcome),
	       const struct mechanism *m, size_t n, struct outcome *outcome)
{
	struct outcome *shared;
	int status;

	shared = allocate_shared(sizeof(*shared));
	*shared = *outcome;
	shared->patience = 2;
	do {
		status = run_once(trial, m, n, shared);
		shared->patience *= 2;
	} while (status == TOO_LATE && shared->patience <= MOST_PATIENCE);
	if (status)
		die(0, "%s with %zu timers failed", m->name, n);
	*outcome = *shared;
	munmap(shared, sizeof(*shared));
}
