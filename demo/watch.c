// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "clock.h"
#include "watch.h"

/* Events in one read(). */
#define READ_EVENTS	256
/* The timerfd's period. No multiple of a tick, so that its phase within a tick varies. */
#define PERIOD(tick)	((tick) * 2 + (tick) / 7)

int watch_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Keeps events until the main thread takes them. The caller holds the lock. */
static void store_events(struct watch *w, const struct twheel_event *event, size_t n,
			 uint64_t seen)
{
	size_t i;

	if (w->count + n > w->room) {
		size_t room = (w->count + n) * 2;
		struct sighting *inbox = realloc(w->inbox,
						 room * sizeof(*inbox));

		if (!inbox) {
			w->error = ENOMEM;
			return;
		}
		w->inbox = inbox;
		w->room = room;
	}
	for (i = 0; i < n; i++) {
		w->inbox[w->count].event = event[i];
		w->inbox[w->count++].seen = seen;
	}
}

/* A single read(): the timerfd has its turn before the next one. */
static void read_device(struct watch *w)
{
	struct twheel_event event[READ_EVENTS];
	ssize_t got = read(w->device, event, sizeof(event));
	uint64_t seen = clock_now();
	int error = 0;

	if (got < 0)
		error = errno == EAGAIN || errno == EINTR ? 0 : errno;
	else if (!got || got % (ssize_t)sizeof(*event))
		error = EPROTO;
	pthread_mutex_lock(&w->lock);
	if (error)
		w->error = error;
	else if (got > 0)
		store_events(w, event, (size_t)got / sizeof(*event), seen);
	pthread_mutex_unlock(&w->lock);
}

/* Each period that has passed counts, not only the last one. */
static void read_timer(struct watch *w, uint64_t *due)
{
	uint64_t passed, seen;

	if (read(w->timer, &passed, sizeof(passed)) != sizeof(passed))
		return;
	seen = clock_now();
	pthread_mutex_lock(&w->lock);
	for (; passed; passed--, *due += w->period)
		lateness_add(&w->late, seen - *due);
	pthread_mutex_unlock(&w->lock);
}

static void *watch_thread(void *arg)
{
	struct watch *w = arg;
	uint64_t due = clock_now() + w->period;
	struct itimerspec its = {
		.it_value = clock_timespec(due),
		.it_interval = clock_timespec(w->period),
	};
	int err = 0;

	if (watch_pin(w->cpu) ||
	    timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &its, NULL))
		err = errno;
	while (!err) {
		struct epoll_event ready[3];
		int i, n = epoll_wait(w->epoll, ready, 3, -1);

		if (n < 0 && errno != EINTR)
			err = errno;
		for (i = 0; i < n; i++) {
			int fd = ready[i].data.fd;

			if (fd == w->stop_fd)
				return NULL;
			if (fd == w->timer)
				read_timer(w, &due);
			else
				read_device(w);
		}
	}
	pthread_mutex_lock(&w->lock);
	w->error = err;
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int poll_add(struct watch *w, int fd)
{
	struct epoll_event want = { .events = EPOLLIN, .data.fd = fd };

	return fd < 0 ? -1 : epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &want);
}

static void close_all(struct watch *w)
{
	close(w->timer);
	close(w->stop_fd);
	close(w->epoll);
}

int watch_start(struct watch *w, int device, int cpu, uint64_t tick)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->device = device;
	w->cpu = cpu;
	w->tick = tick;
	w->period = PERIOD(tick);
	lateness_init(&w->late, tick);
	pthread_mutex_init(&w->lock, NULL);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (poll_add(w, w->stop_fd) || poll_add(w, w->timer) ||
	    (device >= 0 && poll_add(w, device))) {
		warnx("cannot wait for timers: %s", strerror(errno));
		goto out_close;
	}
	err = pthread_create(&w->thread, NULL, watch_thread, w);
	if (err) {
		warnx("cannot start a thread: %s", strerror(err));
		goto out_close;
	}
	return 0;

out_close:
	close_all(w);
	return -1;
}

void watch_stop(struct watch *w)
{
	uint64_t one = 1;

	while (write(w->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(w->thread, NULL);
	close_all(w);
}

/*
 * Takes the events that have come, in the order in which they were read. Exchanges the
 * full array for the caller's, which is overwritten. Returns the number of events.
 */
size_t watch_take(struct watch *w, struct sighting **spare, size_t *room)
{
	struct sighting *full;
	size_t count, size;

	pthread_mutex_lock(&w->lock);
	count = w->count;
	if (count) {
		full = w->inbox;
		size = w->room;
		w->inbox = *spare;
		w->room = *room;
		w->count = 0;
		*spare = full;
		*room = size;
	}
	pthread_mutex_unlock(&w->lock);
	return count;
}

/* Adds the lateness of the timerfd so far to @sum. */
void watch_lateness(struct watch *w, struct lateness *sum)
{
	pthread_mutex_lock(&w->lock);
	lateness_merge(sum, &w->late);
	pthread_mutex_unlock(&w->lock);
}

int watch_error(struct watch *w)
{
	int error;

	pthread_mutex_lock(&w->lock);
	error = w->error;
	pthread_mutex_unlock(&w->lock);
	return error;
}
