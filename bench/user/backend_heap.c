// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts in a binary heap, as in most event loops. Each entry has a copy of the
 * deadline, so that a comparison follows no pointer.
 */
#include "backend.h"
#include "measure.h"

/* A place in the heap */
struct entry {
	uint64_t	deadline;	/* the deadline of @timeout */
	/* the timeout, whose handle is the index of its entry plus 1 */
	struct timeout	*timeout;
};

static struct entry *heap;
static size_t count, room;

static void place(size_t i, struct entry entry)
{
	heap[i] = entry;
	entry.timeout->handle = i + 1;
}

static void move_up(size_t i)
{
	struct entry entry = heap[i];

	while (i && entry.deadline < heap[(i - 1) / 2].deadline) {
		place(i, heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(i, entry);
}

static void move_down(size_t i)
{
	struct entry entry = heap[i];
	size_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count && heap[child + 1].deadline < heap[child].deadline)
			child++;
		if (entry.deadline <= heap[child].deadline)
			break;
		place(i, heap[child]);
		i = child;
	}
	place(i, entry);
}

static void take_out(struct timeout *timeout)
{
	size_t i = timeout->handle - 1;
	struct timeout *moved;

	timeout->handle = 0;
	if (i == --count)
		return;
	heap[i] = heap[count];
	moved = heap[i].timeout;
	move_down(i);
	move_up(moved->handle - 1);
}

static int heap_open(struct timeouts *timeouts, size_t most)
{
	room = most;
	heap = calloc(room, sizeof(*heap));
	timeouts->fd = heap ? alarm_open() : -ENOMEM;
	return timeouts->fd < 0 ? timeouts->fd : 0;
}

static int heap_start(struct timeouts *timeouts, struct timeout *timeout)
{
	if (count == room)
		return -ENOSPC;
	heap[count] = (struct entry) { timeout->deadline, timeout };
	move_up(count++);
	return 0;
}

static int heap_push_back(struct timeouts *timeouts, struct timeout *timeout, __u64 deadline)
{
	size_t i = timeout->handle - 1;

	timeout->deadline = deadline;
	heap[i].deadline = deadline;
	move_down(i);
	return 0;
}

static int heap_stop(struct timeouts *timeouts, struct timeout *timeout)
{
	take_out(timeout);
	return 0;
}

static int heap_flush(struct timeouts *timeouts)
{
	return count ? alarm_at(heap[0].deadline) : 0;
}

static int heap_expired(struct timeouts *timeouts, struct timeout **list, int most)
{
	uint64_t now = now_ns();
	int n, error;

	alarm_stop();
	for (n = 0; n < most && count && heap[0].deadline <= now; n++) {
		list[n] = heap[0].timeout;
		take_out(list[n]);
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
