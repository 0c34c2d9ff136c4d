// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: waking the readers of a set, and the holders of leases
 *
 * Any number of tasks may wait behind the epolls that watch a set, and a signal may go to a large
 * process group. So nobody knows how long a wake-up takes. It is done by parts, and a part is one
 * queue of waiters. The clock tells afterwards how long a part took: user_cpu.c.
 *
 * After a visit, a softirq does a part, and visits the set again for the next one. A call wakes by
 * itself, in its own time.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "twheel_compat.h"
#include "wake.h"

/* Signals the eventfd of a set, if it has one. Any number of waiters may watch it. */
void twheel_wake_eventfd(struct timer_set *set)
{
	if (!READ_ONCE(set->eventfd))
		return;
	spin_lock_bh(&set->eventfd_lock);
	if (set->eventfd)
		eventfd_signal(set->eventfd);
	spin_unlock_bh(&set->eventfd_lock);
}

/*
 * Takes the next part of what a set, which is locked, has to wake. Holders may close their lease
 * meanwhile, but its memory stays until the end of an RCU grace period. Returns whether more parts
 * are left.
 */
bool twheel_wake_take(struct timer_set *set, struct wake_part *part)
{
	struct timer_lease *lease;

	timer_set_assert_locked(set);

	*part = (struct wake_part) { };
	lease = list_first_entry_or_null(&set->ended_leases, struct timer_lease, ended);
	if (set->wait.next) {
		part->number = twheel_waiters_next(&set->wait);
		part->signal = set->signal;
		set->signal = false;
	} else if (lease) {
		part->number = twheel_waiters_next(&lease->wait);
		part->lease = lease;
		if (!lease->wait.next)
			list_del_init(&lease->ended);
	}
	return set->wait.next || !list_empty(&set->ended_leases);
}

/* With PREEMPT_RT, whoever is woken may run before the wake-up ends. */
static u64 wake_clock(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? current->se.sum_exec_runtime : local_clock();
}

/*
 * Does a part of a wake-up, in the same section of RCU. Returns how long it took, in ns: 0 only if
 * there was nobody to wake.
 */
u64 twheel_wake_part(struct timer_set *set, const struct wake_part *part)
{
	u64 began;

	if (!part->number)
		return 0;
	began = wake_clock();
	if (part->lease) {
		twheel_waiters_wake(&part->lease->wait, part->number, 0);
	} else {
		if (part->number == 1)
			twheel_wake_eventfd(set);
		if (part->signal)
			kill_fasync(&set->fasync, SIGIO, POLL_IN);
		twheel_waiters_wake(&set->wait, part->number, EPOLLIN | EPOLLRDNORM);
	}
	return wake_clock() - began + 1;
}

/* Does the parts for readers, in a call; with @holders also those for holders. May sleep. */
void twheel_wake_parts(struct timer_set *set, bool holders)
{
	struct wake_part part;
	bool more;

	do {
		rcu_read_lock();
		timer_set_lock(set);
		more = twheel_wake_take(set, &part);
		timer_set_unlock(set);
		twheel_wake_part(set, &part);
		rcu_read_unlock();
		cond_resched();
	} while (more && (holders || READ_ONCE(set->wait.next)));
}
