/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the lease of a timer
 *
 * A lease ends when its timer expires, is cancelled or drained, or when the owner's file is closed;
 * or when the last copy of the lease is closed. An end is final: if the owner arms an expired timer
 * again, the timer has no lease. So a holder that has seen POLLHUP need not look again.
 *
 * The timer and the lease point to each other, both under the lock of the set. So a lease never
 * finds another timer in the place of its own.
 */
#ifndef _TWHEEL_DEVICE_LEASED_H
#define _TWHEEL_DEVICE_LEASED_H

#include "quota.h"
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
	wait_queue_head_t	wait;
	/* The place in @ended_leases of the set, until the holders are woken. */
	struct list_head	ended;
	/* Frees the lease. A wake-up may still be under way. */
	struct rcu_head		rcu;
};

/*
 * Ends the lease of @t, if it has one. The user is uncharged now, and not when the last descriptor
 * is closed: a holder that keeps its descriptor takes nothing from the owner. The caller has the
 * holders woken: see wake.c.
 */
static inline void twheel_leased_end(struct user_timer *t)
{
	struct timer_lease *lease = user_timer_lease(t);
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	if (!lease)
		return;
	t->extra->lease = NULL;
	WRITE_ONCE(lease->t, NULL);
	set->leases--;
	twheel_quota_uncharge(set->quota, QUOTA_LEASES, 1);
	/* Pairs with the barrier in lease_poll(). */
	if (wq_has_sleeper(&lease->wait))
		list_add_tail(&lease->ended, &set->ended_leases);
}

/* Carries out a TWHEEL_IOC_LEASE: lease.c. */
long twheel_lease_create(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_LEASED_H */
