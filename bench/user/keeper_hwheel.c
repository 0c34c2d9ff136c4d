// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts in a hierarchical wheel in the program's memory, of ticks of a ms.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "hwheel.h"
#include "keeper.h"
#include "measure.h"

#define TICK		1000000ull

struct keeper {
	struct alarm	alarm;
	struct hwheel	wheel;
	uint64_t	began;
	size_t		count;
};

static uint64_t tick_after(const struct keeper *k, uint64_t deadline)
{
	return deadline > k->began ? (deadline - k->began + TICK - 1) / TICK : 0;
}

static int wheel_open(struct timeouts *all, size_t count)
{
	struct keeper *k = calloc(1, sizeof(*k));
	int error;

	if (!k)
		return -ENOMEM;
	k->began = now_ns();
	error = hwheel_open(&k->wheel, count);
	if (!error) {
		error = alarm_open(&k->alarm);
		if (error)
			hwheel_close(&k->wheel);
	}
	if (error) {
		free(k);
		return error;
	}
	all->private = k;
	all->fd = k->alarm.fd;
	return 0;
}

static void wheel_close(struct timeouts *all)
{
	struct keeper *k = all->private;

	close(k->alarm.fd);
	hwheel_close(&k->wheel);
	free(k);
}

static int wheel_start(struct timeouts *all, struct timeout *timeout)
{
	struct keeper *k = all->private;

	timeout->handle = hwheel_add(&k->wheel, tick_after(k, timeout->deadline),
				     timeout);
	if (!timeout->handle)
		return -ENOSPC;
	k->count++;
	return 0;
}

static int wheel_push_back(struct timeouts *all, struct timeout *timeout, __u64 deadline)
{
	struct keeper *k = all->private;

	timeout->deadline = deadline;
	return hwheel_change(&k->wheel, (uint32_t)timeout->handle,
			     tick_after(k, deadline));
}

static int wheel_stop(struct timeouts *all, struct timeout *timeout)
{
	struct keeper *k = all->private;

	hwheel_remove(&k->wheel, (uint32_t)timeout->handle);
	timeout->handle = 0;
	k->count--;
	return 0;
}

static int wheel_flush(struct timeouts *all)
{
	struct keeper *k = all->private;
	uint64_t next = hwheel_next(&k->wheel);

	return next == HWHEEL_NEVER ? 0 :
	       alarm_at(&k->alarm, k->began + next * TICK);
}

static int wheel_expired(struct timeouts *all, struct timeout **some, int room)
{
	struct keeper *k = all->private;
	int n, error;

	alarm_stop(&k->alarm);
	hwheel_advance(&k->wheel, (now_ns() - k->began) / TICK);
	for (n = 0; n < room; n++) {
		some[n] = hwheel_take(&k->wheel);
		if (!some[n])
			break;
		some[n]->handle = 0;
	}
	k->count -= (size_t)n;
	error = wheel_flush(all);
	return error ? error : n;
}

static long long wheel_running(struct timeouts *all)
{
	struct keeper *k = all->private;

	return (long long)k->count;
}

const struct timeouts_type timeouts_hwheel = {
	.name		= "wheel",
	.open		= wheel_open,
	.close		= wheel_close,
	.start		= wheel_start,
	.push_back	= wheel_push_back,
	.stop		= wheel_stop,
	.flush		= wheel_flush,
	.expired	= wheel_expired,
	.running	= wheel_running,
};
