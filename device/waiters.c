// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: who waits for a set, or for a lease, by poll() or read(); and waking them
 *
 * Any number of epolls may watch a file, and a signal may go to a large process group. So nobody
 * knows how long a wake-up takes, and it is done by parts of a few waiters. The clock tells
 * afterwards how long a visit took, with a part: user_cpu.c.
 *
 * If a part is not enough, two marks in the queue enclose the rest. A part moves the first mark on:
 *
 *	joined later, woken | mark | for the next parts | end | joined later, EPOLLEXCLUSIVE
 *
 * A waiter that joins meanwhile is outside the marks: it has yet to look at the set. So a wake-up
 * ends, however fast others join.
 *
 * After a visit, a softirq does a part, and visits the set again for the next one. A call does up
 * to 64 parts by itself, in its own time. Leases that have ended take turns.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include "twheel_compat.h"
#include "turn.h"

/* The most waiters that are woken in a row, with interrupts off. */
#define WAITERS_PART	16U

/* The most parts that a call does. */
#define WAITERS_PARTS	64U

/* The function of a mark, which waits for nothing. */
static int waiters_pass_mark(struct wait_queue_entry *mark, unsigned int mode, int flags, void *key)
{
	return 0;
}

void twheel_waiters_init(struct waiters *waiters)
{
	init_waitqueue_head(&waiters->queue);
	init_waitqueue_func_entry(&waiters->mark, waiters_pass_mark);
	init_waitqueue_func_entry(&waiters->end, waiters_pass_mark);
	INIT_LIST_HEAD(&waiters->mark.entry);
	INIT_LIST_HEAD(&waiters->end.entry);
}

static bool waiters_are_marked(const struct waiters *waiters)
{
	/* Without the lock of the queue: a mark that moves is never alone. */
	return !data_race(list_empty(&waiters->mark.entry));
}

/* Whether a set, which is locked, has readers to wake; or with @holders, anybody. */
bool twheel_waiters_left(const struct timer_set *set, bool holders)
{
	lockdep_assert_held(&set->lock);

	return set->notify || set->again || waiters_are_marked(&set->wait) ||
	       (holders && !list_empty(&set->ended_leases));
}

/*
 * Wakes the next waiters between the marks, as __wake_up() would. With @begin, wakes those who wait
 * now, and marks the rest: whoever joins later finds what the caller has found with the set locked.
 */
static void waiters_wake_some(struct waiters *waiters, bool begin, bool holders)
{
	const unsigned int mode = holders ? TASK_NORMAL : TASK_INTERRUPTIBLE;
	void *key = holders ? NULL : poll_to_key(EPOLLIN | EPOLLRDNORM);
	struct list_head *mark = &waiters->mark.entry, *end = &waiters->end.entry;
	struct list_head *queue = &waiters->queue.head, *from = mark, *to = end, *at, *next;
	struct wait_queue_entry *waiter;
	unsigned int n = 0, flags;
	int ret;

	spin_lock_irq(&waiters->queue.lock);
	if (begin && waiters_are_marked(waiters)) {
		list_move(mark, queue);
		list_move_tail(end, queue);
	} else if (begin) {
		from = queue;
		to = queue;
	}
	/* If the wake-up is over, the mark is alone. */
	for (at = from->next; at != to && at != from && n < WAITERS_PART; at = next, n++) {
		/* First: the waiter may leave the queue. */
		next = at->next;
		waiter = list_entry(at, struct wait_queue_entry, entry);
		flags = waiter->flags;
		ret = waiter->func(waiter, mode, 0, key);
		/* One reader with EPOLLEXCLUSIVE is enough. */
		if (ret < 0 || (ret && flags & WQ_FLAG_EXCLUSIVE && !holders))
			next = to;
	}
	if (at != to && at != from) {
		list_move_tail(mark, at);
		if (to == queue)
			list_add_tail(end, queue);
	} else if (to == end) {
		list_del_init(mark);
		list_del_init(end);
	}
	spin_unlock_irq(&waiters->queue.lock);
}

/* Gives a set an eventfd, whose reference it takes over, or %NULL. A wake-up may be under way. */
void twheel_waiters_set_eventfd(struct timer_set *set, struct eventfd_ctx *eventfd)
{
	struct eventfd_ctx *old;

	spin_lock_bh(&set->eventfd_lock);
	old = set->eventfd;
	WRITE_ONCE(set->eventfd, eventfd);
	spin_unlock_bh(&set->eventfd_lock);
	if (old)
		eventfd_ctx_put(old);
}

/* Signals the eventfd of a set, if it has one. Any number of waiters may watch it. */
void twheel_waiters_signal(struct timer_set *set)
{
	if (!READ_ONCE(set->eventfd))
		return;
	spin_lock_bh(&set->eventfd_lock);
	if (set->eventfd)
		eventfd_signal(set->eventfd);
	spin_unlock_bh(&set->eventfd_lock);
}

/*
 * Does the next part of what a set has to wake, in a read-side section of RCU. Wakes holders only
 * if @holders is %true and no reader is left, and stores there whether it did. The set is locked,
 * and bottom halves are off. Unlocks the set meanwhile. Returns whether it did anything.
 */
bool twheel_waiters_wake_part(struct timer_set *set, bool *holders)
	__must_hold(&set->lock)
{
	bool readers = set->notify || waiters_are_marked(&set->wait), notify, begin;
	struct timer_lease *lease = NULL;
	bool signal = set->signal;

	if (!readers && *holders)
		lease = list_first_entry_or_null(&set->ended_leases, struct timer_lease, ended);
	*holders = lease;
	/* Behind holders: else a program could keep them waiting by close() again and again. */
	notify = set->notify || (set->again && !readers && !lease);
	if (!readers && !lease && !notify)
		return false;
	begin = lease ? !lease->begun : notify;
	set->notify = false;
	set->again &= !notify;
	set->signal = false;
	spin_unlock(&set->lock);
	if (notify)
		twheel_waiters_signal(set);
	if (signal)
		kill_fasync(&set->fasync, SIGIO, POLL_IN);
	waiters_wake_some(lease ? &lease->wait : &set->wait, begin, lease);
	spin_lock(&set->lock);
	if (!lease)
		return true;
	/* Not before: a second part would find nobody marked, and think that it is the last. */
	lease->begun = true;
	/* Holders may have closed the lease meanwhile. Its memory is still there. */
	if (!waiters_are_marked(&lease->wait))
		list_del_init(&lease->ended);
	else if (!list_empty(&lease->ended))
		list_move_tail(&lease->ended, &set->ended_leases);
	return true;
}

/* Does the parts for all, in a call: at most %WAITERS_PARTS, and visits do the rest. May sleep. */
void twheel_waiters_wake(struct timer_set *set)
{
	unsigned int n = 0;
	bool holders, left;

	do {
		/*
		 * Nobody else marks, wakes or signals readers for a part that this caller has
		 * taken. So it must not be preempted. On PREEMPT_RT it can be, and readers wait.
		 */
		local_bh_disable();
		rcu_read_lock();
		spin_lock(&set->lock);
		holders = true;
		twheel_waiters_wake_part(set, &holders);
		left = twheel_waiters_left(set, true);
		/* Nobody pays for a kernel thread. A set that has ended gets no visit. */
		if (left && !set->ended && (++n == WAITERS_PARTS || current->flags & PF_KTHREAD)) {
			twheel_user_cpu_visit_by(set, get_jiffies_64() + 1);
			left = false;
		}
		spin_unlock(&set->lock);
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	} while (left);
}
