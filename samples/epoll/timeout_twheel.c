// SPDX-License-Identifier: MIT
/*
 * Timeouts on /dev/twheel. There are three backends, which differ in how they push a
 * deadline back:
 *
 *  twheel-single	one system call for each
 *  twheel-batch	one system call for all of a turn of the event loop
 *  twheel-table	an atomic exchange in shared memory, without a system call
 *
 * A server needs only one of them: twheel-table if it pushes deadlines back far more
 * often than it starts and stops timeouts.
 */
#include <fcntl.h>
#include <libtwheel.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../common/populate.h"
#include "timeout.h"

/* Operations in one batch, and events in one read(). */
enum { QUEUE = 4096, EVENTS = 256 };

/**
 * struct twheel - the private data of these backends
 * @table: The table of deadlines; twheel-table only.
 * @flags: Flags of every timer.
 * @queued: Number of operations that wait to be submitted.
 * @ops: The operations.
 * @owners: The timeout of each operation.
 * @old_deadlines: The deadline of each timeout before the operation.
 */
struct twheel {
	struct twheel_table	table;
	__u32			flags;
	size_t			queued;
	struct twheel_op	ops[QUEUE];
	struct timeout		*owners[QUEUE];
	__u64			old_deadlines[QUEUE];
};

/* @table: how many entries the table of deadlines needs; 0 for none. */
static int open_device(struct timeouts *timeouts, size_t table)
{
	struct twheel *t = calloc(1, sizeof(*t));
	int error = 0;

	if (!t)
		return -ENOMEM;
	timeouts->private = t;
	timeouts->fd = twheel_open(O_NONBLOCK);
	if (timeouts->fd < 0) {
		error = timeouts->fd;
	} else if (table) {
		t->flags = TWHEEL_SHARED;
		error = twheel_map_table(timeouts->fd, table, &t->table);
		if (error)
			twheel_close(timeouts->fd);
		else
			populate(t->table.words, t->table.count * sizeof(*t->table.words));
	}
	if (error)
		free(t);
	return error;
}

static int open_plain(struct timeouts *timeouts, size_t count)
{
	(void)count;
	return open_device(timeouts, 0);
}

/* The kernel finds a free entry faster if the table is never quite full. */
static int open_table(struct timeouts *timeouts, size_t count)
{
	return open_device(timeouts, count + count / 8);
}

static void close_device(struct timeouts *timeouts)
{
	struct twheel *t = timeouts->private;

	if (t->flags & TWHEEL_SHARED)
		twheel_unmap_table(&t->table);
	twheel_close(timeouts->fd);
	free(t);
}

static struct twheel_op add_op(const struct twheel *t, struct timeout *timeout)
{
	struct twheel_op op = twheel_at(CLOCK_MONOTONIC, timeout->deadline,
					(uintptr_t)timeout);

	op.flags |= t->flags;
	return op;
}

/* Called for a timer that has expired. That is right only if its deadline has passed. */
static void check_expiry(struct timeouts *timeouts, __u64 deadline)
{
	timeouts->early += twheel_now(CLOCK_MONOTONIC) < deadline;
}

/*
 * Check the result of an operation on a running timeout. TWHEEL_RETRACTED means that the
 * timer had expired, but that the operation took its event back before the server read
 * it. -ENOENT is a fault: the server has not read the event, so the timer must exist.
 */
static int check_result(struct timeouts *timeouts, int result, __u64 deadline)
{
	if (result == TWHEEL_RETRACTED)
		check_expiry(timeouts, deadline);
	timeouts->lost += result == -ENOENT;
	return result < 0 ? result : 0;
}

/* twheel-single: one system call for each operation */

static int start_single(struct timeouts *timeouts, struct timeout *timeout)
{
	struct twheel_op op = add_op(timeouts->private, timeout);
	const int error = twheel_add(timeouts->fd, &op);

	if (!error)
		timeout->handle = op.handle;
	return error;
}

static int push_back_single(struct timeouts *timeouts, struct timeout *timeout,
			    __u64 deadline)
{
	const int result = twheel_change(timeouts->fd, timeout->handle, deadline,
					 TWHEEL_ABSTIME);
	const int error = check_result(timeouts, result, timeout->deadline);

	if (!error)
		timeout->deadline = deadline;
	return error;
}

static int stop_single(struct timeouts *timeouts, struct timeout *timeout)
{
	const int result = twheel_cancel(timeouts->fd, timeout->handle);

	timeout->handle = 0;
	return check_result(timeouts, result, timeout->deadline);
}

/* twheel-batch: operations are queued, and one system call carries all of them out */

static int flush(struct timeouts *timeouts)
{
	struct twheel *t = timeouts->private;
	const size_t count = t->queued;
	int error = 0;
	long done;
	size_t i;

	if (!count)
		return 0;
	t->queued = 0;
	done = twheel_submit(timeouts->fd, t->ops, count);
	if (done != (long)count)
		return done < 0 ? (int)done : -EIO;
	for (i = 0; i < count; i++) {
		const struct twheel_op *op = &t->ops[i];
		const int failed = check_result(timeouts, op->result, t->old_deadlines[i]);

		if (!failed && op->op == TWHEEL_OP_ADD)
			t->owners[i]->handle = op->handle;
		error = failed ? failed : error;
	}
	return error;
}

static int queue(struct timeouts *timeouts, const struct twheel_op *op, struct timeout *timeout)
{
	struct twheel *t = timeouts->private;

	t->ops[t->queued] = *op;
	t->owners[t->queued] = timeout;
	t->old_deadlines[t->queued] = timeout->deadline;
	return ++t->queued < QUEUE ? 0 : flush(timeouts);
}

/* A timer has no handle before the operation that adds it has been submitted. */
static int get_handle(struct timeouts *timeouts, const struct timeout *timeout)
{
	return timeout->handle ? 0 : flush(timeouts);
}

static int start_queued(struct timeouts *timeouts, struct timeout *timeout)
{
	const struct twheel_op op = add_op(timeouts->private, timeout);

	return queue(timeouts, &op, timeout);
}

static int push_back_queued(struct timeouts *timeouts, struct timeout *timeout,
			    __u64 deadline)
{
	struct twheel_op op = {
		.op = TWHEEL_OP_CHANGE,
		.flags = TWHEEL_ABSTIME,
		.time_ns = deadline,
	};
	int error = get_handle(timeouts, timeout);

	op.handle = timeout->handle;
	if (!error)
		error = queue(timeouts, &op, timeout);
	if (!error)
		timeout->deadline = deadline;
	return error;
}

static int stop_queued(struct timeouts *timeouts, struct timeout *timeout)
{
	struct twheel_op op = { .op = TWHEEL_OP_CANCEL };
	int error = get_handle(timeouts, timeout);

	op.handle = timeout->handle;
	if (!error)
		error = queue(timeouts, &op, timeout);
	timeout->handle = 0;
	return error;
}

/* twheel-table: no system call to push back; the rest is queued, too */

static int push_back_in_table(struct timeouts *timeouts, struct timeout *timeout,
			      __u64 deadline)
{
	const struct twheel *t = timeouts->private;
	const int error = get_handle(timeouts, timeout);

	if (error)
		return error;
	if (twheel_push_back(&t->table, timeout->handle, deadline) ==
	    TWHEEL_PUSHED_NOT) {
		check_expiry(timeouts, timeout->deadline);
		return 1;
	}
	timeout->deadline = deadline;
	return 0;
}

/* Common to all three */

static int expired(struct timeouts *timeouts, struct timeout **list, int room)
{
	struct twheel_event events[EVENTS];
	long got, i;

	got = twheel_read(timeouts->fd, events, room < EVENTS ? room : EVENTS);
	if (got < 0)
		return got == -EAGAIN ? 0 : (int)got;
	for (i = 0; i < got; i++) {
		struct timeout *timeout = (struct timeout *)(uintptr_t)events[i].cookie;

		timeouts->wrong += events[i].handle != timeout->handle ||
			      events[i].deadline_ns != timeout->deadline;
		timeouts->early += events[i].expired_ns < timeout->deadline;
		timeout->handle = 0;
		list[i] = timeout;
	}
	return (int)got;
}

static long long running(struct timeouts *timeouts)
{
	struct twheel_info info;
	const int error = twheel_get_info(timeouts->fd, &info);

	return error ? error : (long long)info.timers;
}

const struct timeout_backend timeouts_twheel_single = {
	.name		= "twheel-single",
	.open		= open_plain,
	.close		= close_device,
	.start		= start_single,
	.push_back	= push_back_single,
	.stop		= stop_single,
	.expired	= expired,
	.running	= running,
};

const struct timeout_backend timeouts_twheel_batch = {
	.name		= "twheel-batch",
	.open		= open_plain,
	.close		= close_device,
	.start		= start_queued,
	.push_back	= push_back_queued,
	.stop		= stop_queued,
	.flush		= flush,
	.expired	= expired,
	.running	= running,
};

const struct timeout_backend timeouts_twheel_table = {
	.name		= "twheel-table",
	.open		= open_table,
	.close		= close_device,
	.start		= start_queued,
	.push_back	= push_back_in_table,
	.stop		= stop_queued,
	.flush		= flush,
	.expired	= expired,
	.running	= running,
};
