// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts in a binary heap. The handle of a timeout is the index of its entry.
 */
#include "heap.h"
#include "backend.h"
#include "measure.h"

static uint32_t room;

static inline void heap_note(void *timer, size_t i)
{
	((struct timeout *)timer)->handle = i;
}

static int heap_open(struct timeouts *timeouts, size_t most)
{
	room = most;
	heap = calloc(most + 1, sizeof(*heap));
	timeouts->fd = heap ? alarm_open() : -ENOMEM;
	return timeouts->fd < 0 ? timeouts->fd : 0;
}

static int heap_start(struct timeouts *timeouts, struct timeout *timeout)
{
	if (heap_size == room)
		return -ENOSPC;
	heap_insert(timeout, timeout->deadline);
	return 0;
}

static int heap_push_back(struct timeouts *timeouts, struct timeout *timeout, __u64 deadline)
{
	timeout->deadline = deadline;
	heap_down(timeout->handle, (struct entry){ deadline, timeout });
	return 0;
}

static int heap_stop(struct timeouts *timeouts, struct timeout *timeout)
{
	heap_take_out(timeout->handle);
	timeout->handle = 0;
	return 0;
}

static int heap_flush(struct timeouts *timeouts)
{
	return heap_size ? alarm_at(heap[1].expires) : 0;
}

static int heap_expired(struct timeouts *timeouts, struct timeout **list, int most)
{
	uint64_t now = now_ns();
	int n, error;

	alarm_stop();
	for (n = 0; n < most && heap_size && heap[1].expires <= now; n++) {
		list[n] = heap[1].timer;
		heap_stop(timeouts, list[n]);
	}
	error = heap_flush(timeouts);
	return error ? error : n;
}

const struct timeout_backend timeouts_heap = {
	.name		= "heap",
	.open		= heap_open,
	.start		= heap_start,
	.push_back	= heap_push_back,
	.stop		= heap_stop,
	.flush		= heap_flush,
	.expired	= heap_expired,
};
