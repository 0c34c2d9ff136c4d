/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* libtwheel-loop: what its files share */
#ifndef _TWHEEL_LOOP_INTERNAL_H
#define _TWHEEL_LOOP_INTERNAL_H

#include "../../twheel_core.h"
#include "../libtwheel.h"
#include "twheel_loop.h"

/* An exported function, which libtwheel-loop.map has to list as well. */
#define API	__attribute__((__visibility__("default")))

/* Operations in one system call */
#define LOOP_BATCH	256U
/* Entries of the table of deadlines: 1 MiB. Further timers are restarted without the table. */
#define LOOP_TABLE	65536U
/* A tick of the wheel in the process: 65 us. */
#define LOOP_TICK_SHIFT	16

/* Values of twheel_loop_timer.state, which is the wheel's twheel_node.flags, too. */
enum {
	LOOP_STOPPED	= 0,
	LOOP_CHANGED	= 1,	/* in @changed */
	LOOP_DUE	= 2,	/* in @due */
	LOOP_WHEEL	= 3,	/* in the wheel: @filed is the tick */
	LOOP_ARMED	= 4,	/* in @armed and the device, which knows the deadline @filed */
	LOOP_STATES	= 7,
	LOOP_SHARED	= 8	/* a flag: in the table of deadlines, too */
};

/**
 * struct twheel_loop - the timers of an event loop
 * @wheel: Timers that are in the process.
 * @soonest: No timer in the wheel is due earlier, unless this time has passed.
 * @changed: Timers whose start prepare() has yet to carry out.
 * @due: Timers whose tick has come. The callbacks of some of them may still be too early.
 * @unsorted: @due may be out of order.
 * @starts: How many times timers were started: the order among equal deadlines.
 * @flags: Those of twheel_loop_open().
 * @reason: Why timers are not where the program wants them, or 0.
 * @device: The device, or -1.
 * @near_ns: A timer that is due within this time does not go to the device.
 * @armed: Timers that are in the device.
 * @restarted: A timer of the device was restarted: prepare() maps the table.
 * @asked: prepare() has tried to.
 * @table: The table of deadlines; without @words if it is not mapped.
 * @shared: The number of timers in the table.
 * @timerfd: With %TWHEEL_LOOP_ONE_FD: a timerfd for the wheel. Otherwise -1.
 * @epoll: With %TWHEEL_LOOP_ONE_FD: what the program polls. Otherwise -1.
 * @alarm_ns: What the timerfd is set to; UINT64_MAX if it is not set.
 * @count: The number of operations in @ops.
 * @owners: The timer of each operation that arms one, or %NULL.
 * @ops: The operations of the next call.
 */
struct twheel_loop {
	struct twheel_wheel		wheel;
	uint64_t			soonest;
	struct list_head		changed;
	struct list_head		due;
	bool				unsorted;
	uint64_t			starts;
	unsigned int			flags;
	int				reason;
	int				device;
	uint64_t			near_ns;
	struct list_head		armed;
	bool				restarted;
	bool				asked;
	struct twheel_table		table;
	size_t				shared;
	int				timerfd;
	int				epoll;
	uint64_t			alarm_ns;
	unsigned int			count;
	struct twheel_loop_timer	*owners[LOOP_BATCH];
	struct twheel_op		ops[LOOP_BATCH];
};

/* The wheel's part of a timer begins at @link, and so do the links of the lists. */
static inline struct twheel_node *loop_node(struct twheel_loop_timer *timer)
{
	return (struct twheel_node *)timer->link;
}

static inline struct list_head *loop_entry(struct twheel_loop_timer *timer)
{
	return &loop_node(timer)->entry;
}

static inline struct twheel_loop_timer *loop_timer(void *entry)
{
	return list_entry(entry, struct twheel_loop_timer, link);
}

/* The tick at or after a time. */
static inline uint64_t loop_tick(uint64_t ns)
{
	return (ns >> LOOP_TICK_SHIFT) + !!(ns & ((1U << LOOP_TICK_SHIFT) - 1));
}

static inline void loop_move(struct twheel_loop_timer *timer, struct list_head *list,
			     uint32_t state)
{
	list_add_tail(loop_entry(timer), list);
	timer->state = state;
}

/* local.c: timers in the process */

/* Take a timer that is due, and is in no list. */
void twheel_loop_local_due(struct twheel_loop *loop, struct twheel_loop_timer *timer);
/* Take a timer that is in no list. */
void twheel_loop_local_add(struct twheel_loop *loop, struct twheel_loop_timer *timer);
/* Move what comes due in the tick of @now to @due. */
void twheel_loop_local_advance(struct twheel_loop *loop, uint64_t now);
/* The first timer whose deadline has come, or %NULL. */
struct twheel_loop_timer *twheel_loop_local_first(struct twheel_loop *loop, uint64_t now);
/* A time before which no timer is due, mostly when the next one is; UINT64_MAX: never. */
uint64_t twheel_loop_local_next(struct twheel_loop *loop);
void twheel_loop_local_free(struct twheel_loop *loop);

/* remote.c: timers in the device */

/* Open the device. Returns 0 or a negative errno. */
int twheel_loop_remote_open(struct twheel_loop *loop);
/* Close the device. Its timers are in @changed then. */
void twheel_loop_remote_close(struct twheel_loop *loop);
/* Add a timer that is in no list, with the next flush. */
void twheel_loop_remote_add(struct twheel_loop *loop, struct twheel_loop_timer *timer);
/* Cancel a timer with the next flush. It is in no list then. */
void twheel_loop_remote_cancel(struct twheel_loop *loop, struct twheel_loop_timer *timer);
/* Give a timer a later deadline, without a system call. */
void twheel_loop_remote_postpone(struct twheel_loop *loop, struct twheel_loop_timer *timer);
/* Carry out the operations. */
void twheel_loop_remote_flush(struct twheel_loop *loop);
/* Take the events. Returns the latest time at which one of the timers came due, or 0. */
uint64_t twheel_loop_remote_read(struct twheel_loop *loop, uint64_t now);

#endif /* _TWHEEL_LOOP_INTERNAL_H */
