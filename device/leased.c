// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the lease of a timer, as the timer sees it
 *
 * A lease begins when lease.c has made an open file for it. A lease ends when its timer
 * expires, is cancelled or drained, or when the owner's file is closed; or when the last copy
 * of the lease is closed. An end is final: if the owner arms an expired timer again, the timer
 * has no lease. So a holder that has seen POLLHUP need not look again.
 *
 * The timer and the lease point to each other, both under the lock of the set. So a
 * lease never finds another timer in the place of its own.
 */
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "leased.h"
#include "quota.h"

/*
 * Any number of epolls may watch a lease. So this is work for the thread of low priority. The
 * owner is not charged, because the epolls may be another user's.
 */
static void leased_wake(struct twheel_work *wake)
{
	struct timer_lease *lease = container_of(wake, struct timer_lease, wake);

	wake_up_all(&lease->wait);
}

/**
 * twheel_leased_new - allocate a lease
 * @set: The set.
 * @cap: How far ahead of now a push may move the deadline, in ns.
 * @flags: The flags of the lease.
 *
 * Return: The lease, which has no timer yet; or %NULL if there is no memory.
 */
struct timer_lease *twheel_leased_new(struct timer_set *set, u64 cap, u32 flags)
{
	struct timer_lease *lease = kzalloc(sizeof(*lease), GFP_KERNEL_ACCOUNT);

	if (!lease)
		return NULL;
	lease->set = set;
	lease->cap = cap;
	lease->flags = flags;
	spin_lock_init(&lease->holders);
	init_waitqueue_head(&lease->wait);
	twheel_work_setup_low(&lease->wake, leased_wake);
	return lease;
}

/**
 * twheel_leased_begin - begin a lease
 * @lease: The lease.
 * @t: The timer, which has an @extra and no lease; its set is locked.
 *
 * Return: 0, or -EDQUOT if the user has as many leases as allowed.
 */
int twheel_leased_begin(struct timer_lease *lease, struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	if (!twheel_quota_charge_lease(set))
		return -EDQUOT;
	t->extra->lease = lease;
	WRITE_ONCE(lease->t, t);
	set->leases++;
	return 0;
}

/**
 * twheel_leased_end - end the lease of a timer, if it has one
 * @t: The timer, its set locked.
 *
 * The user is uncharged now, and not when the last descriptor is closed: a holder that keeps
 * its descriptor takes nothing from the owner.
 */
void twheel_leased_end(struct user_timer *t)
{
	struct timer_lease *lease = user_timer_lease(t);
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	if (!lease)
		return;
	t->extra->lease = NULL;
	WRITE_ONCE(lease->t, NULL);
	set->leases--;
	twheel_quota_uncharge_lease(set->quota);
	/*
	 * Pairs with the barrier in poll(). Holders are woken without the lock of the set,
	 * because no one knows how many wait.
	 */
	if (wq_has_sleeper(&lease->wait))
		twheel_work_leave(&lease->wake);
}

/**
 * twheel_leased_free - free a lease
 * @lease: The lease, which has ended and has no file.
 */
void twheel_leased_free(struct timer_lease *lease)
{
	twheel_work_cancel_sync(&lease->wake);
	kfree(lease);
}
