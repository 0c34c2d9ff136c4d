/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: who waits for a set, or for a lease, by poll() or read()
 */
#ifndef _TWHEEL_DEVICE_WAITERS_H
#define _TWHEEL_DEVICE_WAITERS_H

#include <linux/rcupdate.h>
#include <linux/wait.h>

struct file;
struct more_waiters;
struct poll_table_struct;

/* Any number of waiters. */
struct waiters {
	wait_queue_head_t	first;		/* for all of them, while they are few */
	struct more_waiters	*more;		/* or NULL; once there, it stays */
	unsigned int		next;		/* queue to wake, from 1, or 0; the set is locked */
};

void twheel_waiters_free(struct waiters *waiters);
struct wait_queue_head *twheel_waiters_choose(struct waiters *waiters);
void twheel_waiters_poll(struct waiters *waiters, struct file *file,
			 struct poll_table_struct *wait);
bool twheel_waiters_any(struct waiters *waiters);
unsigned int twheel_waiters_next(struct waiters *waiters);
void twheel_waiters_wake(struct waiters *waiters, unsigned int number, __poll_t events);

#endif /* _TWHEEL_DEVICE_WAITERS_H */
