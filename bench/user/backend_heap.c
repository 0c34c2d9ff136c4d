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

struct heap {
	struct alarm	alarm;
	struct entry	*entry;
	size_t		count;
	size_t		room;
};

static void place(struct heap *h, size_t i, struct entry entry)
{
	h->entry[i] = entry;
	entry.timeout->handle = i + 1;
}

static void move_up(struct heap *h, size_t i)
{
	struct entry entry = h->entry[i];

	while (i && entry.deadline < h->entry[(i - 1) / 2].deadline) {
		place(h, i, h->entry[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(h, i, entry);
}

static void move_down(struct heap *h, size_t i)
{
	struct entry entry = h->entry[i];
	size_t child;

	while ((child = 2 * i + 1) < h->count) {
		if (child + 1 < h->count &&
		    h->entry[child + 1].deadline < h->entry[child].deadline)
			child++;
		if (entry.deadline <= h->entry[child].deadline)
			break;
		place(h, i, h->entry[child]);
		i = child;
	}
	place(h, i, entry);
}

static void take_out(struct heap *h, struct timeout *timeout)
{
	size_t i = timeout->handle - 1;
	struct timeout *moved;

	timeout->handle = 0;
	if (i == --h->count)
		return;
	h->entry[i] = h->entry[h->count];
	moved = h->entry[i].timeout;
	move_down(h, i);
	move_up(h, moved->handle - 1);
}

static int heap_open(struct timeouts *timeouts, size_t count)
{
	struct heap *h = calloc(1, sizeof(*h));
	int error;

	if (!h)
		return -ENOMEM;
	h->room = count;
	h->entry = calloc(count, sizeof(*h->entry));
	error = h->entry ? alarm_open(&h->alarm) : -ENOMEM;
	if (error) {
		free(h->entry);
		free(h);
		return error;
	}
	timeouts->private = h;
	timeouts->fd = h->alarm.fd;
	return 0;
}

static void heap_close(struct timeouts *timeouts)
{
	struct heap *h = timeouts->private;

	close(h->alarm.fd);
	free(h->entry);
	free(h);
}

static int heap_start(struct timeouts *timeouts, struct timeout *timeout)
{
	struct heap *h = timeouts->private;

	if (h->count == h->room)
		return -ENOSPC;
	h->entry[h->count] = (struct entry) { timeout->deadline, timeout };
	move_up(h, h->count++);
	return 0;
}

static int heap_push_back(struct timeouts *timeouts, struct timeout *timeout, __u64 deadline)
{
	struct heap *h = timeouts->private;
	size_t i = timeout->handle - 1;

	timeout->deadline = deadline;
	h->entry[i].deadline = deadline;
	move_down(h, i);
	return 0;
}

static int heap_stop(struct timeouts *timeouts, struct timeout *timeout)
{
	take_out(timeouts->private, timeout);
	return 0;
}

static int heap_flush(struct timeouts *timeouts)
{
	struct heap *h = timeouts->private;

	return h->count ? alarm_at(&h->alarm, h->entry[0].deadline) : 0;
}

static int heap_expired(struct timeouts *timeouts, struct timeout **list, int room)
{
	struct heap *h = timeouts->private;
	uint64_t now = now_ns();
	int n, error;

	alarm_stop(&h->alarm);
	for (n = 0; n < room && h->count && h->entry[0].deadline <= now; n++) {
		list[n] = h->entry[0].timeout;
		take_out(h, list[n]);
	}
	error = heap_flush(timeouts);
	return error ? error : n;
}

static long long heap_running(struct timeouts *timeouts)
{
	struct heap *h = timeouts->private;

	return (long long)h->count;
}

const struct timeout_backend timeouts_heap = {
	.name		= "heap",
	.open		= heap_open,
	.close		= heap_close,
	.start		= heap_start,
	.push_back	= heap_push_back,
	.stop		= heap_stop,
	.flush		= heap_flush,
	.expired	= heap_expired,
	.running	= heap_running,
};
