/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: who waits for a set, or for a lease, by poll() or read(); and waking them
 */
#ifndef _TWHEEL_DEVICE_WAITERS_H
#define _TWHEEL_DEVICE_WAITERS_H

#include "timer_set.h"

struct file;
struct poll_table_struct;

/* A part of a wake-up. */
struct wake_part {
	/* The queue of waiters to wake, or %NULL. */
	struct wait_queue_head	*queue;
	/* They hold a lease. Otherwise they are readers, who may also have these two. */
	bool			holders;
	bool			eventfd;
	bool			signal;
};

void twheel_waiters_free(struct waiters *waiters);
struct wait_queue_head *twheel_waiters_choose(struct waiters *waiters);
void twheel_waiters_poll(struct waiters *waiters, struct file *file,
			 struct poll_table_struct *wait);
bool twheel_waiters_any(struct waiters *waiters);
void twheel_waiters_signal(struct timer_set *set);
bool twheel_waiters_take(struct timer_set *set, struct wake_part *part, bool holders);
u64 twheel_waiters_clock(void);
u64 twheel_waiters_wake_part(struct timer_set *set, const struct wake_part *part);
void twheel_waiters_wake(struct timer_set *set, bool holders);

#endif /* _TWHEEL_DEVICE_WAITERS_H */
