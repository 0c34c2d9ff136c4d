// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: waking the readers of a set, and the holders of leases
 *
 * Any number of epolls may watch a set, and a signal may go to a large process group. So nobody
 * knows how long a wake-up takes. The wake-ups that softirqs cause wait in a queue on each CPU.
 * Users take turns there, and a turn is one wake-up: a user whose wake-ups take long delays
 * another user by one of them at most. A softirq does wake-ups until its slice of time is over,
 * and a thread does the rest (engine/work.c).
 *
 * A call wakes by itself, in its own time.
 */
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "leased.h"
#include "twheel_compat.h"
#include "user_cpu.h"
#include "wake.h"

/**
 * struct wake_cpu - the wake-ups that wait on a CPU
 * @lock: Protects @users and all that is in it. Taken with bottom halves off.
 * @users: The users, who take turns.
 * @next: Does the next wake-up.
 */
struct wake_cpu {
	spinlock_t		lock;
	struct list_head	users;
	struct twheel_work	next;
};

static DEFINE_PER_CPU(struct wake_cpu, wake_cpus);

/* Returns how many steps a wake-up of all that wait in a queue is. */
static unsigned int wake_steps(struct wait_queue_head *wait)
{
	struct list_head *entry;
	unsigned long flags;
	unsigned int n = 0;

	spin_lock_irqsave(&wait->lock, flags);
	list_for_each(entry, &wait->head)
		n++;
	spin_unlock_irqrestore(&wait->lock, flags);
	return n / 8;
}

/* Returns how many steps the signals of a set are, which may go to very many processes. */
static unsigned int wake_signal_steps(struct timer_set *set)
{
	struct fown_struct *owner;
	struct task_struct *task;
	unsigned long flags;
	unsigned int n = 0;

	timer_set_assert_locked(set);

	if (set->ended || !READ_ONCE(set->fasync))
		return 0;
	owner = file_f_owner(set->file);
	if (!owner)
		return 0;
	read_lock_irqsave(&owner->lock, flags);
	do_each_pid_task(owner->pid, owner->pid_type, task) {
		n++;
	} while_each_pid_task(owner->pid, owner->pid_type, task);
	read_unlock_irqrestore(&owner->lock, flags);
	return n / 4;
}

/**
 * twheel_wake_eventfd - signal the eventfd of a set, if it has one
 * @set: The set, not locked. Any number of waiters may watch the eventfd.
 */
void twheel_wake_eventfd(struct timer_set *set)
{
	if (!READ_ONCE(set->eventfd))
		return;
	spin_lock_bh(&set->eventfd_lock);
	if (set->eventfd)
		eventfd_signal(set->eventfd);
	spin_unlock_bh(&set->eventfd_lock);
}

/**
 * twheel_wake_readers - wake all that wait for events of a set
 * @set: The set, not locked.
 *
 * Context: any, with bottom halves off or in process context.
 *
 * Return: How many steps that was: see user_cpu.c.
 */
unsigned int twheel_wake_readers(struct timer_set *set)
{
	unsigned int steps = 1;

	twheel_wake_eventfd(set);
	if (wq_has_sleeper(&set->wait)) {
		steps += wake_steps(&set->wait);
		wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
	}
	kill_fasync(&set->fasync, SIGIO, POLL_IN);
	return steps;
}

/* Takes a lease whose holders are to be woken. They may close it, but its memory stays. */
static struct timer_lease *wake_take_lease(struct timer_set *set)
{
	struct timer_lease *lease;

	timer_set_assert_locked(set);

	lease = list_first_entry_or_null(&set->ended_leases, struct timer_lease, ended);
	if (lease)
		list_del_init(&lease->ended);
	return lease;
}

/**
 * twheel_wake_some_holders - wake the holders of leases that have ended
 * @set: The set, not locked.
 *
 * The slow part of twheel_wake_holders().
 *
 * Context: process.
 */
void twheel_wake_some_holders(struct timer_set *set)
{
	struct timer_lease *lease;

	do {
		rcu_read_lock();
		timer_set_lock(set);
		lease = wake_take_lease(set);
		timer_set_unlock(set);
		if (lease)
			wake_up_all(&lease->wait);
		rcu_read_unlock();
		cond_resched();
	} while (lease);
}

/**
 * twheel_wake_queue - have the readers of a set woken, or the holders of its ended leases
 * @set: The set, locked and not @ended. If it waits for its turn already, nothing happens.
 */
void twheel_wake_queue(struct timer_set *set)
{
	struct wake_cpu *here = this_cpu_ptr(&wake_cpus);
	struct user_cpu *user = twheel_user_cpu_here(set);

	timer_set_assert_locked(set);

	if (atomic_xchg(&set->wake_queued, 1))
		return;
	spin_lock(&here->lock);
	set->wake_cpu = smp_processor_id();
	list_add_tail(&set->wake, &user->sets);
	/* A user without credit is taken off again: see wake_next(). */
	if (list_empty(&user->node))
		list_add_tail(&user->node, &here->users);
	spin_unlock(&here->lock);
	twheel_work_queue(&here->next);
}

/**
 * twheel_wake_user - let a user take turns again, who had no credit
 * @user: What this CPU has to do for the user.
 *
 * Context: softirq.
 */
void twheel_wake_user(struct user_cpu *user)
{
	struct wake_cpu *here = per_cpu_ptr(&wake_cpus, user->cpu);

	if (list_empty_careful(&user->sets))
		return;
	spin_lock(&here->lock);
	if (!list_empty(&user->sets) && list_empty(&user->node))
		list_add_tail(&user->node, &here->users);
	spin_unlock(&here->lock);
	twheel_work_queue(&here->next);
}

/* Takes the first set of a user off. */
static struct timer_set *wake_take(struct user_cpu *user)
{
	struct timer_set *set = list_first_entry_or_null(&user->sets, struct timer_set, wake);

	if (!set)
		return NULL;
	list_del_init(&set->wake);
	if (list_empty(&user->sets))
		list_del_init(&user->node);
	/* Pairs with twheel_wake_cancel(). */
	atomic_set_release(&set->wake_queued, 0);
	return set;
}

/* Wakes the readers of a set, or the holders of one lease. Returns how many steps that was. */
static unsigned int wake_set(struct timer_set *set)
{
	struct timer_lease *lease = NULL;
	unsigned int steps = 1, signals = 0;
	bool readers = false;

	timer_set_lock(set);
	swap(readers, set->wake_wanted);
	if (readers)
		signals = wake_signal_steps(set);
	else
		lease = wake_take_lease(set);
	if (!list_empty(&set->ended_leases) && !set->ended)
		twheel_wake_queue(set);
	timer_set_unlock(set);
	if (readers)
		steps = twheel_wake_readers(set) + signals;
	if (lease) {
		steps += wake_steps(&lease->wait);
		wake_up_all(&lease->wait);
	}
	return steps;
}

/* One turn. A user without credit goes on when @timer of its struct user_cpu comes. */
static void wake_next(struct twheel_work *next)
{
	struct wake_cpu *here = container_of(next, struct wake_cpu, next);
	struct user_cpu *user, *after;
	struct timer_set *set = NULL;

	/* The set, and its user, may end meanwhile: twheel_wake_cancel() does not wait. */
	rcu_read_lock();
	spin_lock(&here->lock);
	user = list_first_entry_or_null(&here->users, struct user_cpu, node);
	if (user) {
		list_move_tail(&user->node, &here->users);
		if (twheel_user_cpu_has_credit(user, 0))
			set = wake_take(user);
		else
			list_del_init(&user->node);
	}
	after = list_first_entry_or_null(&here->users, struct user_cpu, node);
	if (after)
		twheel_work_queue(&here->next);
	spin_unlock(&here->lock);
	if (set)
		twheel_user_cpu_spend(user, wake_set(set));
	else if (user)
		twheel_user_cpu_rest(user, true);
	/*
	 * If the slice of time is over, the rest is left to a thread, which may have to wait long
	 * for the CPU. So whoever is next has a turn at the next tick at the latest.
	 */
	if (after && after != user)
		twheel_user_cpu_rest(after, true);
	rcu_read_unlock();
}

/**
 * twheel_wake_help - do wake-ups of a user, in a call
 * @user: What a CPU has to do for the user.
 * @max: How many wake-ups, at most.
 *
 * Context: process.
 */
void twheel_wake_help(struct user_cpu *user, unsigned int max)
{
	struct wake_cpu *here = per_cpu_ptr(&wake_cpus, user->cpu);
	struct timer_set *set;

	while (max--) {
		rcu_read_lock();
		spin_lock_bh(&here->lock);
		set = wake_take(user);
		spin_unlock_bh(&here->lock);
		if (set)
			wake_set(set);
		rcu_read_unlock();
		if (!set)
			break;
		/* A wake-up may take long. */
		cond_resched();
	}
}

/**
 * twheel_wake_cancel - let a set wait no longer
 * @set: The set, which has ended: nothing queues a wake-up any more. One that has its turn may
 *	still be under way, until the end of an RCU grace period.
 */
void twheel_wake_cancel(struct timer_set *set)
{
	struct user_cpu *user;
	struct wake_cpu *there;

	/* Pairs with wake_take(). */
	if (!atomic_read_acquire(&set->wake_queued))
		return;
	there = per_cpu_ptr(&wake_cpus, set->wake_cpu);
	user = per_cpu_ptr(set->user, set->wake_cpu);
	spin_lock_bh(&there->lock);
	if (!list_empty(&set->wake)) {
		list_del_init(&set->wake);
		if (list_empty(&user->sets))
			list_del_init(&user->node);
	}
	spin_unlock_bh(&there->lock);
}

/**
 * twheel_wake_init - set up the queues
 */
void twheel_wake_init(void)
{
	struct wake_cpu *c;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&wake_cpus, cpu);
		spin_lock_init(&c->lock);
		INIT_LIST_HEAD(&c->users);
		twheel_work_setup(&c->next, wake_next);
	}
}

/**
 * twheel_wake_exit - wait for the last wake-ups; no set is left, so no queue has a user
 */
void twheel_wake_exit(void)
{
	/* The last wake-ups may still look at their sets, and at their users. */
	rcu_barrier();
}
