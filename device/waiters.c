// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: who waits for a set, or for a lease, by poll() or read(); and waking them
 *
 * Any number of epolls may watch a file, and the kernel wakes a queue of waiters in a row. A signal
 * may go to a large process group. So nobody knows how long a wake-up takes. Many waiters are
 * spread over several queues, and a part of a wake-up is one queue. The clock tells afterwards how
 * long a part took: user_cpu.c.
 *
 * After a visit, a softirq does a part, and visits the set again for the next one. A call wakes by
 * itself, in its own time.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include "twheel_compat.h"
#include "waiters.h"

#define WAITERS_FEW	16U
#define WAITERS_QUEUES	32U

struct more_waiters {
	struct rcu_head		rcu;		/* a wake-up may still be under way */
	wait_queue_head_t	queue[WAITERS_QUEUES];
};

/* Nobody waits any more. */
void twheel_waiters_free(struct waiters *waiters)
{
	if (waiters->more)
		kfree_rcu(waiters->more, rcu);
}

static bool waiters_are_few(struct wait_queue_head *queue)
{
	struct list_head *entry;
	unsigned int n = 0;

	spin_lock_irq(&queue->lock);
	list_for_each(entry, &queue->head)
		if (++n == WAITERS_FEW)
			break;
	spin_unlock_irq(&queue->lock);
	return n < WAITERS_FEW;
}

/* Without memory, all go on to wait in the first queue. */
static void waiters_spread(struct waiters *waiters)
{
	struct more_waiters *more = kzalloc(sizeof(*more), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!more)
		return;
	for (i = 0; i < WAITERS_QUEUES; i++)
		init_waitqueue_head(&more->queue[i]);
	if (cmpxchg(&waiters->more, NULL, more))
		kfree(more);
}

/* Returns the queue for one more waiter. May sleep. */
struct wait_queue_head *twheel_waiters_choose(struct waiters *waiters)
{
	struct more_waiters *more;

	if (!READ_ONCE(waiters->more) && !waiters_are_few(&waiters->first))
		waiters_spread(waiters);
	more = READ_ONCE(waiters->more);
	/* At random: a program must not gather its waiters in one queue. */
	return more ? &more->queue[get_random_u32() % WAITERS_QUEUES] : &waiters->first;
}

/* Lets the caller of poll() wait, unless it waits already or only looks. */
void twheel_waiters_poll(struct waiters *waiters, struct file *file, poll_table *wait)
{
	/* poll_does_not_wait(), which newer kernels do not have */
	if (!wait || !wait->_qproc)
		return;
	poll_wait(file, twheel_waiters_choose(waiters), wait);
	/*
	 * Pairs with wq_has_sleeper(): first in the queue, then look for events. Newer kernels have
	 * this barrier in poll_wait().
	 */
	smp_mb();
}

/* Returns the queue with a number from 1, or NULL. */
static struct wait_queue_head *waiters_queue(struct waiters *waiters, unsigned int number)
{
	struct more_waiters *more = READ_ONCE(waiters->more);

	if (number == 1)
		return &waiters->first;
	return more && number - 2 < WAITERS_QUEUES ? &more->queue[number - 2] : NULL;
}

/* Returns whether anybody waits. Whoever comes later finds the event that the caller has found. */
bool twheel_waiters_any(struct waiters *waiters)
{
	struct wait_queue_head *queue;
	unsigned int i;

	for (i = 1; (queue = waiters_queue(waiters, i)); i++)
		if (wq_has_sleeper(queue))
			return true;
	return false;
}

/* Returns the queue to wake, and goes on to the next one in which anybody waits. */
static struct wait_queue_head *waiters_next(struct waiters *waiters)
{
	struct wait_queue_head *now = waiters_queue(waiters, waiters->next), *queue;
	unsigned int next = waiters->next;

	do {
		queue = waiters_queue(waiters, ++next);
		/* The set is locked: whoever joins a queue now has yet to look at the set. */
	} while (queue && !waitqueue_active(queue));
	WRITE_ONCE(waiters->next, queue ? next : 0);
	return now;
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
 * Takes the next part of what a set, which is locked, has to wake; of holders if @holders. Holders
 * may close their lease meanwhile, but its memory stays until the end of an RCU grace period.
 * Returns whether more parts are left.
 */
bool twheel_waiters_take(struct timer_set *set, struct wake_part *part, bool holders)
{
	struct timer_lease *lease;

	lockdep_assert_held(&set->lock);

	*part = (struct wake_part) { };
	lease = list_first_entry_or_null(&set->ended_leases, struct timer_lease, ended);
	if (set->wait.next) {
		part->eventfd = set->wait.next == 1;
		part->signal = set->signal;
		part->queue = waiters_next(&set->wait);
		set->signal = false;
	} else if (lease && holders) {
		part->holders = true;
		part->queue = waiters_next(&lease->wait);
		if (!lease->wait.next)
			list_del_init(&lease->ended);
	}
	return set->wait.next || !list_empty(&set->ended_leases);
}

/*
 * The clock for what a softirq does for a user, in ns. With PREEMPT_RT, others may run meanwhile.
 */
u64 twheel_waiters_clock(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? current->se.sum_exec_runtime : local_clock();
}

/*
 * Does a part of a wake-up, in the same section of RCU. Returns how long it took, in ns: 0 only if
 * there was nobody to wake.
 */
u64 twheel_waiters_wake_part(struct timer_set *set, const struct wake_part *part)
{
	u64 began;

	if (!part->queue)
		return 0;
	began = twheel_waiters_clock();
	if (part->eventfd)
		twheel_waiters_signal(set);
	if (part->signal)
		kill_fasync(&set->fasync, SIGIO, POLL_IN);
	if (wq_has_sleeper(part->queue)) {
		if (part->holders)
			wake_up_all(part->queue);
		else
			wake_up_interruptible_poll(part->queue, EPOLLIN | EPOLLRDNORM);
	}
	return twheel_waiters_clock() - began + 1;
}

/* Does the parts for readers, in a call; with @holders also those for holders. May sleep. */
void twheel_waiters_wake(struct timer_set *set, bool holders)
{
	struct wake_part part;
	bool more;

	do {
		/*
		 * Nobody else wakes for a part that is taken: so the caller is not preempted, but
		 * on PREEMPT_RT.
		 */
		local_bh_disable();
		rcu_read_lock();
		spin_lock(&set->lock);
		more = twheel_waiters_take(set, &part, holders);
		spin_unlock(&set->lock);
		twheel_waiters_wake_part(set, &part);
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	} while (more && (holders || READ_ONCE(set->wait.next)));
}
