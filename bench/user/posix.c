// SPDX-License-Identifier: GPL-2.0
/*
 * One POSIX timer for each timeout. Their signal is blocked, and the program reads it
 * from a signalfd, many at a time: the fastest way to take expirations.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include "measure.h"

#define EVENTS	1024

/* Other signals that may be pending for the user. */
#define SPARE	1024

static int signals;
static timer_t *timers;
static struct signalfd_siginfo *events;

static void open_posix(size_t n)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	raise_limit(RLIMIT_SIGPENDING, n + SPARE);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		die(errno, "sigprocmask");
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		die(errno, "signalfd");
	timers = allocate(n * sizeof(*timers));
	events = allocate(EVENTS * sizeof(*events));
}

static void set_posix(timer_t timer, uint64_t deadline)
{
	struct itimerspec its = { .it_value = to_timespec(deadline) };

	if (timer_settime(timer, TIMER_ABSTIME, &its, NULL))
		die(errno, "timer_settime");
}

static void arm_posix(const uint64_t *deadline, size_t n)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGRTMIN,
	};
	size_t i;

	for (i = 0; i < n; i++) {
		event.sigev_value.sival_int = (int)i;
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]))
			die(errno, "timer_create");
		set_posix(timers[i], deadline[i]);
	}
}

static void extend_posix(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		set_posix(timers[order[i]], deadline[i]);
}

static void cancel_posix(const uint32_t *order, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (timer_delete(timers[order[i]]))
			die(errno, "timer_delete");
}

static size_t take_posix(void)
{
	ssize_t size = read(signals, events, EVENTS * sizeof(*events));

	if (size <= 0)
		die(errno, "read of a signalfd");
	return (size_t)size / sizeof(*events);
}

const struct mechanism posix = {
	.name = "posix",
	.open = open_posix,
	.arm = arm_posix,
	.extend = extend_posix,
	.cancel = cancel_posix,
	.take = take_posix,
};
