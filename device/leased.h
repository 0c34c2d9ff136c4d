/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: leases
 */
#ifndef _TWHEEL_DEVICE_LEASED_H
#define _TWHEEL_DEVICE_LEASED_H

#include "timer_set.h"

/* Lives as long as its open file. */
struct timer_lease {
	/* The lease holds a reference to the memory of the set, not to the owner's open file. */
	struct timer_set	*set;
	/* %NULL once the lease has ended. Protected by the lock of the set. */
	struct user_timer	*t;
	/* How far ahead of now a push may move the deadline, in ns. */
	u64			cap;
	/* TWHEEL_LEASE_EXPIRE_ON_CLOSE, or 0. */
	u32			flags;
	/*
	 * Held by a holder that takes the lock of the set. So however many threads use one
	 * lease, the owner waits for one of them at most.
	 */
	spinlock_t		holders;
	/* Holders that wait for the end of the lease. */
	struct waiters		wait;
	/* The place in @ended_leases of the set, until the holders are woken. */
	struct list_head	ended;
	/* Frees the lease. A wake-up may still be under way. */
	struct rcu_head		rcu;
};

void twheel_leased_end(struct user_timer *t);

/* Carries out a TWHEEL_IOC_LEASE: lease.c. */
long twheel_lease_create(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_LEASED_H */
