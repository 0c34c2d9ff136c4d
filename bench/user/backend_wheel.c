// SPDX-License-Identifier: GPL-2.0
/*
 * Timeouts in twheel's wheel, in the program's memory. A tick is 1 ms.
 *
 * A timer is filed anew each time its deadline is pushed back.
 */
#include "../../twheel_core.h"
#include "backend.h"
#include "measure.h"

#define TICK		1000000ull

struct entry {
	struct twheel_node	node;
	struct timeout		*timeout;
};

static struct twheel_wheel wheel;
static char levels[TWHEEL_LEVELS_BYTES] ____cacheline_aligned;
/* When the wheel was at tick 0 */
static uint64_t began;
/* The server starts each timeout once, so no entry is used again. */
static struct entry *unused, *end;

static uint64_t tick_at(uint64_t deadline)
{
	return (deadline - began + TICK - 1) / TICK;
}

static struct twheel_node *node_of(const struct timeout *timeout)
{
	return &((struct entry *)timeout->handle)->node;
}

static int wheel_open(struct timeouts *timeouts, size_t count)
{
	began = now_ns();
	twheel_wheel_init(&wheel, 0);
	twheel_wheel_add_all_levels(&wheel, levels);
	unused = calloc(count, sizeof(*unused));
	end = unused + count;
	timeouts->fd = unused ? alarm_open() : -ENOMEM;
	return timeouts->fd < 0 ? timeouts->fd : 0;
}

static int wheel_start(struct timeouts *timeouts, struct timeout *timeout)
{
	if (unused == end)
		return -ENOSPC;
	unused->timeout = timeout;
	timeout->handle = (uintptr_t)unused++;
	twheel_wheel_insert(&wheel, node_of(timeout), tick_at(timeout->deadline));
	return 0;
}

static int wheel_push_back(struct timeouts *timeouts, struct timeout *timeout, __u64 deadline)
{
	timeout->deadline = deadline;
	twheel_wheel_change(&wheel, node_of(timeout), tick_at(deadline));
	return 0;
}

static int wheel_stop(struct timeouts *timeouts, struct timeout *timeout)
{
	twheel_wheel_remove(&wheel, node_of(timeout), TWHEEL_IDLE);
	timeout->handle = 0;
	return 0;
}

static int wheel_flush(struct timeouts *timeouts)
{
	uint64_t next = twheel_wheel_next(&wheel);

	return next == TWHEEL_NEVER ? 0 : alarm_at(began + next * TICK);
}

static int wheel_expired(struct timeouts *timeouts, struct timeout **list, int room)
{
	uint64_t tick = (now_ns() - began) / TICK;
	unsigned int budget = UINT_MAX;
	struct twheel_node *node;
	int n, error;

	alarm_stop();
	for (n = 0; n < room && (node = twheel_wheel_expire(&wheel, tick, &budget)); n++) {
		list[n] = container_of(node, struct entry, node)->timeout;
		list[n]->handle = 0;
	}
	error = wheel_flush(timeouts);
	return error ? error : n;
}

const struct timeout_backend timeouts_wheel = {
	.name		= "wheel",
	.open		= wheel_open,
	.start		= wheel_start,
	.push_back	= wheel_push_back,
	.stop		= wheel_stop,
	.flush		= wheel_flush,
	.expired	= wheel_expired,
};
