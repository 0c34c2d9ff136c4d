// SPDX-License-Identifier: GPL-2.0
/*
 * One timerfd for each timeout, all in one epoll instance.
 *
 * All are in one process, which raises its limit of descriptors: root may do that up to
 * fs.nr_open.
 */
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include "measure.h"

#define EVENTS	1024

/* The other descriptors of the process. */
#define SPARE	64

static int epoll;
static int *fds;
static struct epoll_event *events;

static void open_timerfds(size_t n)
{
	raise_limit(RLIMIT_NOFILE, n + SPARE);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		die(errno, "epoll_create1");
	fds = allocate(n * sizeof(*fds));
	events = allocate(EVENTS * sizeof(*events));
}

static void set_timerfd(int fd, uint64_t deadline)
{
	struct itimerspec its = { .it_value = to_timespec(deadline) };

	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL))
		die(errno, "timerfd_settime");
}

static void arm_timerfds(const uint64_t *deadline, size_t n)
{
	struct epoll_event event = { .events = EPOLLIN };
	size_t i;

	for (i = 0; i < n; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
		if (fds[i] < 0)
			die(errno, "timerfd_create");
		set_timerfd(fds[i], deadline[i]);
		event.data.fd = fds[i];
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
			die(errno, "epoll_ctl");
	}
}

static void extend_timerfds(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		set_timerfd(fds[order[i]], deadline[i]);
}

static void cancel_timerfds(const uint32_t *order, size_t n)
{
	size_t i;

	/* close() also removes the timerfd from the epoll instance. */
	for (i = 0; i < n; i++)
		if (close(fds[order[i]]))
			die(errno, "close");
}

static size_t take_timerfds(void)
{
	uint64_t expirations;
	int i, n;

	n = epoll_wait(epoll, events, EVENTS, -1);
	if (n < 1)
		die(errno, "epoll_wait");
	for (i = 0; i < n; i++)
		if (read(events[i].data.fd, &expirations, sizeof(expirations)) !=
		    sizeof(expirations))
			die(errno, "read of a timerfd");
	return (size_t)n;
}

const struct mechanism timerfd = {
	.name = "timerfd",
	.open = open_timerfds,
	.arm = arm_timerfds,
	.extend = extend_timerfds,
	.cancel = cancel_timerfds,
	.take = take_timerfds,
};
