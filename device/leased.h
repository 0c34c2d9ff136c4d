/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the lease of a timer, as the timer sees it
 */
#ifndef _TWHEEL_DEVICE_LEASED_H
#define _TWHEEL_DEVICE_LEASED_H

#include "timer_set.h"

/**
 * struct timer_lease - a lease, which lives as long as its open file
 * @set: The set. The lease holds a reference to its memory, not to the owner's open file.
 * @t: The timer, whose @extra points back to the lease; %NULL once the lease has ended. The
 *	lock of the set protects the field.
 * @cap: How far ahead of now a push may move the deadline, in ns.
 * @flags: TWHEEL_LEASE_EXPIRE_ON_CLOSE, or 0.
 * @holders: Held by a holder that takes the lock of the set. So however many threads use one
 *	lease, the owner waits for one of them at most.
 * @wait: Holders that wait for the end of the lease.
 * @ended: The place in @ended_leases of the set, until its holders are woken.
 * @rcu: Frees the lease. A wake-up may still be under way.
 */
struct timer_lease {
	struct timer_set	*set;
	struct user_timer	*t;
	u64			cap;
	u32			flags;
	spinlock_t		holders;
	struct waiters		wait;
	struct list_head	ended;
	struct rcu_head		rcu;
};

int twheel_leased_begin(struct timer_lease *lease, struct user_timer *t);
void twheel_leased_end(struct user_timer *t);

#endif /* _TWHEEL_DEVICE_LEASED_H */
