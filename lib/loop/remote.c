// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * libtwheel-loop: timers in the device
 *
 * The cookie of a timer in the device is its address. No event has the address of a timer that
 * was stopped: before events are read, the device has carried out all cancels, and a cancel
 * withdraws an event that was not read.
 */
#include <fcntl.h>
#include "loop.h"

/* Events in one read() */
#define EVENTS	64

int twheel_loop_remote_open(struct twheel_loop *loop)
{
	struct twheel_info info;
	int fd = twheel_open(O_NONBLOCK), error;

	if (fd < 0)
		return fd;
	error = twheel_get_info(fd, &info);
	if (error) {
		twheel_close(fd);
		return error;
	}
	loop->device = fd;
	loop->near_ns = 2ULL * info.resolution_ns;
	return 0;
}

void twheel_loop_remote_close(struct twheel_loop *loop)
{
	if (loop->device < 0)
		return;
	if (loop->table.words)
		twheel_unmap_table(&loop->table);
	loop->table = (struct twheel_table){ NULL, 0 };
	loop->asked = false;
	loop->shared = 0;
	loop->count = 0;
	twheel_close(loop->device);
	loop->device = -1;
	while (!list_empty(&loop->armed)) {
		struct twheel_loop_timer *timer = loop_timer(loop->armed.next);

		list_del(loop_entry(timer));
		loop_move(timer, &loop->changed, LOOP_CHANGED);
	}
}

/* Takes a timer out of what is known of the device. */
static void forget(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	loop->shared -= !!(timer->state & LOOP_SHARED);
	list_del(loop_entry(timer));
}

static void submit(struct twheel_loop *loop, struct twheel_op op, struct twheel_loop_timer *owner)
{
	loop->owners[loop->count] = owner;
	loop->ops[loop->count++] = op;
	if (loop->count == LOOP_BATCH)
		twheel_loop_remote_flush(loop);
}

void twheel_loop_remote_add(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	struct twheel_op op = twheel_at(CLOCK_MONOTONIC, timer->deadline_ns, (uintptr_t)timer);

	timer->filed = timer->deadline_ns;
	loop_move(timer, &loop->armed, LOOP_ARMED);
	/* The kernel finds a free entry faster if the table is never quite full. */
	if (loop->shared < loop->table.count / 8 * 7) {
		op.flags |= TWHEEL_SHARED;
		timer->state |= LOOP_SHARED;
		loop->shared++;
	}
	submit(loop, op, timer);
}

void twheel_loop_remote_cancel(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	const struct twheel_op op = { .op = TWHEEL_OP_CANCEL, .handle = timer->handle };

	forget(loop, timer);
	submit(loop, op, NULL);
}

/*
 * The device may keep an earlier deadline than the timer has. When that has come, read() finds
 * that the timer is not due, and arms it anew. With the table, the device does so by itself.
 */
void twheel_loop_remote_postpone(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	loop->restarted = true;
	if (timer->state & LOOP_SHARED &&
	    twheel_push_back(&loop->table, timer->handle, timer->deadline_ns) == TWHEEL_PUSHED)
		timer->filed = timer->deadline_ns;
}

void twheel_loop_remote_flush(struct twheel_loop *loop)
{
	const unsigned int count = loop->count;
	unsigned int i;
	long done;

	if (!count)
		return;
	done = twheel_submit(loop->device, loop->ops, count);
	loop->count = 0;
	for (i = 0; i < count; i++) {
		struct twheel_loop_timer *timer = loop->owners[i];
		const int result = i < done ? loop->ops[i].result : -EIO;

		if (!timer)
			continue;
		if (result >= 0) {
			timer->handle = loop->ops[i].handle;
			continue;
		}
		loop->reason = result;
		forget(loop, timer);
		twheel_loop_local_add(loop, timer);
	}
	/* Not every cancel was carried out: only without its descriptor is a timer surely gone. */
	if (done < (long)count) {
		twheel_loop_remote_close(loop);
		loop->reason = done < 0 ? (int)done : -EIO;
	}
}

uint64_t twheel_loop_remote_read(struct twheel_loop *loop, uint64_t now)
{
	struct twheel_event events[EVENTS];
	uint64_t latest = 0;
	long got, i;

	do {
		got = twheel_read(loop->device, events, EVENTS);
		for (i = 0; i < got; i++) {
			struct twheel_loop_timer *timer =
				(struct twheel_loop_timer *)(uintptr_t)events[i].cookie;

			latest = max_t(uint64_t, latest, events[i].expired_ns);
			forget(loop, timer);
			if (timer->deadline_ns > max(now, latest))
				loop_move(timer, &loop->changed, LOOP_CHANGED);
			else
				twheel_loop_local_due(loop, timer);
		}
	} while (got == EVENTS);
	return latest;
}
