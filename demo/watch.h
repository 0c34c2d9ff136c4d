/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A watcher: a thread on a CPU of its own choice that waits for what expires,
 * timers of /dev/twheel and a plain timerfd side by side.
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
 * struct sighting - an event, and when the program had it
 * @event: As read.
 * @seen: When read() returned.
 */
struct sighting {
	struct twheel_event	event;
	uint64_t		seen;
};

/**
 * struct watch - a watcher
 * @device: Descriptor of /dev/twheel, or -1 to watch a timerfd only.
 * @cpu: Where it runs, or -1.
 * @tick: Length of a tick.
 * @period: Of the timerfd.
 * @lock: Protects what follows it.
 * @late: How late the timerfd was.
 * @inbox: Events that watch_take() has not fetched.
 * @error: errno of what went wrong, or 0.
 */
struct watch {
	int		device;
	int		cpu;
	uint64_t	tick;
	uint64_t	period;
	int		timer;
	int		bell;		/* eventfd: end */
	int		poll;
	pthread_t	thread;

	pthread_mutex_t	lock;
	struct lateness	late;
	struct sighting	*inbox;
	size_t		count;
	size_t		room;
	int		error;
};

int watch_pin(int cpu);
int watch_start(struct watch *w, int device, int cpu, uint64_t tick);
void watch_stop(struct watch *w);
size_t watch_take(struct watch *w, struct sighting **spare, size_t *room);
void watch_lateness(struct watch *w, struct lateness *sum);
int watch_error(struct watch *w);

#endif /* _DEMO_WATCH_H */
