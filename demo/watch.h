/* SPDX-License-Identifier: MIT */
/*
 * A watcher: a thread, bound to a CPU, that reads the events of /dev/twheel. For
 * comparison it also measures the lateness of a plain timerfd.
 */
#ifndef _DEMO_WATCH_H
#define _DEMO_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lateness.h"
#include "linux/twheel.h"

/**
 * struct sighting - an event, and when the program read it
 * @event: The event.
 * @seen: When read() returned.
 */
struct sighting {
	struct twheel_event	event;
	uint64_t		seen;
};

/**
 * struct watch - a watcher
 * @device: Descriptor of /dev/twheel, or -1 to watch only a timerfd.
 * @cpu: The CPU that the thread is bound to, or -1 for none.
 * @tick: Length of a tick in nanoseconds.
 * @period: Period of the timerfd in nanoseconds.
 * @timer: The timerfd.
 * @stop_fd: An eventfd that ends the thread.
 * @epoll: The epoll set of these descriptors.
 * @thread: The thread.
 * @lock: Protects the members below.
 * @late: Lateness of the timerfd.
 * @inbox: Events that watch_take() has not taken.
 * @count: Number of events in @inbox.
 * @room: Capacity of @inbox.
 * @error: The errno that ended the thread, or 0.
 */
struct watch {
	int		device;
	int		cpu;
	uint64_t	tick;
	uint64_t	period;
	int		timer;
	int		stop_fd;
	int		epoll;
	pthread_t	thread;

	pthread_mutex_t	lock;
	struct lateness	late;
	struct sighting	*inbox;
	size_t		count;
	size_t		room;
	int		error;
};

/* Binds the calling thread to a CPU. */
int watch_pin(int cpu);
int watch_start(struct watch *w, int device, int cpu, uint64_t tick);
void watch_stop(struct watch *w);
size_t watch_take(struct watch *w, struct sighting **spare, size_t *room);
void watch_lateness(struct watch *w, struct lateness *sum);
int watch_error(struct watch *w);

#endif /* _DEMO_WATCH_H */
