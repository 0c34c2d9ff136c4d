/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Races: threads use the timers of one descriptor, all at once. Each timer ends exactly once: its
 * event is read, or a call ends it.
 */
#ifndef _RACE_H
#define _RACE_H

#include "device.h"

enum { RACE_MOST = 1 << 20 };
enum ending { READ = 1, CANCELLED = 2, DRAINED = 4, REFUSED_ADD = 8 };

/* Indexed by the number of the timer, from 1, which is also its cookie. */
extern struct race_timer {
	__u64		handle;		/* from the call that added it */
	__u64		event_handle;	/* from its event */
	atomic_uchar	ended;		/* enum ending */
} timers[RACE_MOST];

extern int race_fd;
extern atomic_uint added;			/* the last number that was given out */
extern atomic_uint ended[REFUSED_ADD + 1];	/* timers by their ending */

void open_race(void);

/* Numbers for @count new timers: the first of them, or 0 if there have been enough. */
unsigned int new_numbers(unsigned int count);
void end_timer(__u64 number, enum ending how);

/* For threads: read events until no worker is left, and no timer. */
void read_race(void *data);

/*
 * Stop the oldest @workers threads, and then the readers. Check that no timer is left, and that
 * each event had the handle of its timer.
 */
void finish_race(unsigned int workers);

#endif /* _RACE_H */
