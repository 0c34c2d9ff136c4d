/* SPDX-License-Identifier: GPL-2.0 */
/* What an attacker counts. */
#ifndef _WORK_H
#define _WORK_H

#include <stdatomic.h>
#include <sys/types.h>

/* What the attacker has done, in memory that is shared. */
struct work {
	atomic_ullong	done;		/* events that it has got, or timers that it has armed */
	atomic_uint	steps;
	atomic_ullong	longest_poll_ns;	/* of a program that has got a descriptor */
	atomic_uint	helpers;	/* other processes whose time is the attacker's */
	pid_t		helper[2048];
};

extern struct work *work;

static inline void did(unsigned long long count)
{
	atomic_fetch_add_explicit(&work->done, count, memory_order_relaxed);
}

#endif /* _WORK_H */
