// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts on /dev/twheel, in three ways that differ in what it takes to push one
 * back:
 *
 *  twheel-single	a system call
 *  twheel-batch	a share in a system call, once the server has nothing else to do
 *  twheel-table	an atomic exchange in shared memory, and no system call
 *
 * A server has use for one of them: twheel-table if most of what happens is that
 * deadlines are pushed back.
 */
#include <fcntl.h>
#include <libtwheel.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../populate.h"
#include "timeout.h"

enum { QUEUE = 4096, ROOM = 256 };

/**
 * struct twheel - what this keeper has
 * @table: The table of deadlines, of twheel-table.
 * @flags: What timers are added with.
 * @queued: Operations that wait.
 * @ops: They.
 * @of: Whose they are.
 * @before: What the deadlines were before.
 */
struct twheel {
	struct twheel_table	table;
	__u32			flags;
	size_t			queued;
	struct twheel_op	ops[QUEUE];
	struct timeout		*of[QUEUE];
	__u64			before[QUEUE];
};

static int open_with(struct timeouts *all, size_t table)
{
	struct twheel *t = calloc(1, sizeof(*t));
	int error = 0;

	if (!t)
		return -ENOMEM;
	all->private = t;
	all->fd = twheel_open(O_NONBLOCK);
	if (all->fd < 0) {
		error = all->fd;
	} else if (table) {
		t->flags = TWHEEL_SHARED;
		error = twheel_map_table(all->fd, table, &t->table);
		if (error)
			twheel_close(all->fd);
		else
			populate(t->table.words, t->table.count * sizeof(*t->table.words));
	}
	if (error)
		free(t);
	return error;
}

static int open_plain(struct timeouts *all, size_t count)
{
	(void)count;
	return open_with(all, 0);
}

/* Entries are taken in turn, so a table that is not full is found room in sooner. */
static int open_table(struct timeouts *all, size_t count)
{
	return open_with(all, count + count / 8);
}

static void close_all(struct timeouts *all)
{
	struct twheel *t = all->private;

	if (t->flags & TWHEEL_SHARED)
		twheel_unmap_table(&t->table);
	twheel_close(all->fd);
	free(t);
}

static struct twheel_op add_op(const struct twheel *t, struct timeout *timeout)
{
	struct twheel_op op = twheel_at(CLOCK_MONOTONIC, timeout->deadline,
					(uintptr_t)timeout);

	op.flags |= t->flags;
	return op;
}

/*
 * A timer has been found to have expired before its event was read: what was
 * done to it came too late. It must have been late, then.
 */
static void was_due(struct timeouts *all, __u64 deadline)
{
	all->early += twheel_now(CLOCK_MONOTONIC) < deadline;
}

/*
 * What became of an operation. All timers that the server takes for running have
 * not been read, so they are there, pending or retracted.
 */
static int outcome(struct timeouts *all, int result, __u64 deadline)
{
	if (result == TWHEEL_RETRACTED)
		was_due(all, deadline);
	all->lost += result == -ENOENT;
	return result < 0 ? result : 0;
}

/* One system call for each operation */

static int start_single(struct timeouts *all, struct timeout *timeout)
{
	struct twheel_op op = add_op(all->private, timeout);
	const int error = twheel_add(all->fd, &op);

	if (!error)
		timeout->handle = op.handle;
	return error;
}

static int push_back_single(struct timeouts *all, struct timeout *timeout,
			    __u64 deadline)
{
	const int result = twheel_change(all->fd, timeout->handle, deadline,
					 TWHEEL_ABSTIME);
	const int error = outcome(all, result, timeout->deadline);

	if (!error)
		timeout->deadline = deadline;
	return error;
}

static int stop_single(struct timeouts *all, struct timeout *timeout)
{
	const int result = twheel_cancel(all->fd, timeout->handle);

	timeout->handle = 0;
	return outcome(all, result, timeout->deadline);
}

/* One system call for many of them */

static int flush(struct timeouts *all)
{
	struct twheel *t = all->private;
	const size_t count = t->queued;
	int error = 0;
	long done;
	size_t i;

	if (!count)
		return 0;
	t->queued = 0;
	done = twheel_submit(all->fd, t->ops, count);
	if (done != (long)count)
		return done < 0 ? (int)done : -EIO;
	for (i = 0; i < count; i++) {
		const struct twheel_op *op = &t->ops[i];
		const int failed = outcome(all, op->result, t->before[i]);

		if (!failed && op->op == TWHEEL_OP_ADD)
			t->of[i]->handle = op->handle;
		error = failed ? failed : error;
	}
	return error;
}

static int queue(struct timeouts *all, const struct twheel_op *op, struct timeout *timeout)
{
	struct twheel *t = all->private;

	t->ops[t->queued] = *op;
	t->of[t->queued] = timeout;
	t->before[t->queued] = timeout->deadline;
	return ++t->queued < QUEUE ? 0 : flush(all);
}

/* A timer that waits to be added has no handle yet. */
static int see_to_handle(struct timeouts *all, const struct timeout *timeout)
{
	return timeout->handle ? 0 : flush(all);
}

static int start_queued(struct timeouts *all, struct timeout *timeout)
{
	const struct twheel_op op = add_op(all->private, timeout);

	return queue(all, &op, timeout);
}

static int push_back_queued(struct timeouts *all, struct timeout *timeout,
			    __u64 deadline)
{
	struct twheel_op op = {
		.op = TWHEEL_OP_CHANGE,
		.flags = TWHEEL_ABSTIME,
		.time_ns = deadline,
	};
	int error = see_to_handle(all, timeout);

	op.handle = timeout->handle;
	if (!error)
		error = queue(all, &op, timeout);
	if (!error)
		timeout->deadline = deadline;
	return error;
}

static int stop_queued(struct timeouts *all, struct timeout *timeout)
{
	struct twheel_op op = { .op = TWHEEL_OP_CANCEL };
	int error = see_to_handle(all, timeout);

	op.handle = timeout->handle;
	if (!error)
		error = queue(all, &op, timeout);
	timeout->handle = 0;
	return error;
}

/* No system call at all */

static int push_back_in_table(struct timeouts *all, struct timeout *timeout,
			      __u64 deadline)
{
	const struct twheel *t = all->private;
	const int error = see_to_handle(all, timeout);

	if (error)
		return error;
	if (twheel_push_back(&t->table, timeout->handle, deadline) ==
	    TWHEEL_PUSHED_NOT) {
		was_due(all, timeout->deadline);
		return 1;
	}
	timeout->deadline = deadline;
	return 0;
}

/* What is the same for all of them */

static int expired(struct timeouts *all, struct timeout **some, int room)
{
	struct twheel_event events[ROOM];
	long got, i;

	got = twheel_read(all->fd, events, room < ROOM ? room : ROOM);
	if (got < 0)
		return got == -EAGAIN ? 0 : (int)got;
	for (i = 0; i < got; i++) {
		struct timeout *timeout = (struct timeout *)(uintptr_t)events[i].cookie;

		all->wrong += events[i].handle != timeout->handle ||
			      events[i].deadline_ns != timeout->deadline;
		all->early += events[i].expired_ns < timeout->deadline;
		timeout->handle = 0;
		some[i] = timeout;
	}
	return (int)got;
}

static long long running(struct timeouts *all)
{
	struct twheel_info info;
	const int error = twheel_get_info(all->fd, &info);

	return error ? error : (long long)info.timers;
}

const struct timeouts_type timeouts_twheel_single = {
	.name		= "twheel-single",
	.open		= open_plain,
	.close		= close_all,
	.start		= start_single,
	.push_back	= push_back_single,
	.stop		= stop_single,
	.expired	= expired,
	.running	= running,
};

const struct timeouts_type timeouts_twheel_batch = {
	.name		= "twheel-batch",
	.open		= open_plain,
	.close		= close_all,
	.start		= start_queued,
	.push_back	= push_back_queued,
	.stop		= stop_queued,
	.flush		= flush,
	.expired	= expired,
	.running	= running,
};

const struct timeouts_type timeouts_twheel_table = {
	.name		= "twheel-table",
	.open		= open_table,
	.close		= close_all,
	.start		= start_queued,
	.push_back	= push_back_in_table,
	.stop		= stop_queued,
	.flush		= flush,
	.expired	= expired,
	.running	= running,
};
