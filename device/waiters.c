// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: who waits for a set, or for a lease, by poll() or read()
 *
 * Any number of epolls may watch a file, and the kernel wakes a queue of waiters in a row. So many
 * waiters are spread over several queues, and twheel wakes one queue at a time.
 */
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
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

/* Returns the number of the queue to wake, and goes on to the next one in which anybody waits. */
unsigned int twheel_waiters_next(struct waiters *waiters)
{
	unsigned int number = waiters->next, next = number + 1;
	struct wait_queue_head *queue;

	/* The set is locked: whoever joins a queue now has yet to lock it, and finds the event. */
	while ((queue = waiters_queue(waiters, next)) && !waitqueue_active(queue))
		next++;
	waiters->next = number && queue ? next : 0;
	return number;
}

/* Wakes the waiters of a queue: for @events, or for the end of what they wait for if it is 0. */
void twheel_waiters_wake(struct waiters *waiters, unsigned int number, __poll_t events)
{
	struct wait_queue_head *queue = waiters_queue(waiters, number);

	if (!wq_has_sleeper(queue))
		return;
	if (events)
		wake_up_interruptible_poll(queue, events);
	else
		wake_up_all(queue);
}
