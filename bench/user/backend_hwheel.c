// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts in a hierarchical timing wheel in the program's memory. A tick is 1 ms.
 */
#include "hwheel.h"
#include "backend.h"
#include "measure.h"

#define TICK		1000000ull

struct wheel_backend {
	struct alarm	alarm;
	struct hwheel	wheel;
	uint64_t	began;
	size_t		count;
};

static uint64_t tick_after(const struct wheel_backend *b, uint64_t deadline)
{
	return deadline > b->began ? (deadline - b->began + TICK - 1) / TICK : 0;
}

static int wheel_open(struct timeouts *timeouts, size_t count)
{
	struct wheel_backend *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return -ENOMEM;
	b->began = now_ns();
	error = hwheel_open(&b->wheel, count);
	if (!error) {
		error = alarm_open(&b->alarm);
		if (error)
			hwheel_close(&b->wheel);
	}
	if (error) {
		free(b);
		return error;
	}
	timeouts->private = b;
	timeouts->fd = b->alarm.fd;
	return 0;
}

static void wheel_close(struct timeouts *timeouts)
{
	struct wheel_backend *b = timeouts->private;

	close(b->alarm.fd);
	hwheel_close(&b->wheel);
	free(b);
}

static int wheel_start(struct timeouts *timeouts, struct timeout *timeout)
{
	struct wheel_backend *b = timeouts->private;

	timeout->handle = hwheel_add(&b->wheel, tick_after(b, timeout->deadline),
				     timeout);
	if (!timeout->handle)
		return -ENOSPC;
	b->count++;
	return 0;
}

static int wheel_push_back(struct timeouts *timeouts, struct timeout *timeout, __u64 deadline)
{
	struct wheel_backend *b = timeouts->private;

	timeout->deadline = deadline;
	return hwheel_change(&b->wheel, (uint32_t)timeout->handle,
			     tick_after(b, deadline));
}

static int wheel_stop(struct timeouts *timeouts, struct timeout *timeout)
{
	struct wheel_backend *b = timeouts->private;

	hwheel_remove(&b->wheel, (uint32_t)timeout->handle);
	timeout->handle = 0;
	b->count--;
	return 0;
}

static int wheel_flush(struct timeouts *timeouts)
{
	struct wheel_backend *b = timeouts->private;
	uint64_t next = hwheel_next(&b->wheel);

	return next == HWHEEL_NEVER ? 0 :
	       alarm_at(&b->alarm, b->began + next * TICK);
}

static int wheel_expired(struct timeouts *timeouts, struct timeout **list, int room)
{
	struct wheel_backend *b = timeouts->private;
	int n, error;

	alarm_stop(&b->alarm);
	hwheel_advance(&b->wheel, (now_ns() - b->began) / TICK);
	for (n = 0; n < room; n++) {
		list[n] = hwheel_take(&b->wheel);
		if (!list[n])
			break;
		list[n]->handle = 0;
	}
	b->count -= (size_t)n;
	error = wheel_flush(timeouts);
	return error ? error : n;
}

static long long wheel_running(struct timeouts *timeouts)
{
	struct wheel_backend *b = timeouts->private;

	return (long long)b->count;
}

const struct timeout_backend timeouts_hwheel = {
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
