// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the lease of a timer, as the timer sees it
 *
 * A lease ends when its timer expires, is cancelled or drained, or when the owner's file is closed;
 * or when the last copy of the lease is closed. An end is final: if the owner arms an expired timer
 * again, the timer has no lease. So a holder that has seen POLLHUP need not look again.
 *
 * The timer and the lease point to each other, both under the lock of the set. So a lease never
 * finds another timer in the place of its own.
 */
#include "leased.h"
#include "quota.h"

/*
 * Ends the lease of @t, if it has one. The user is uncharged now, and not when the last descriptor
 * is closed: a holder that keeps its descriptor takes nothing from the owner. The caller has the
 * holders woken: see wake.c.
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
	twheel_quota_uncharge(set->quota, QUOTA_LEASES, 1);
	/* Pairs with the barrier in twheel_waiters_poll(). */
	if (twheel_waiters_any(&lease->wait)) {
		lease->wait.next = 1;
		list_add_tail(&lease->ended, &set->ended_leases);
	}
}
