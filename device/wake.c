// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: waking the readers of a set, and the holders of leases
 *
 * Any number of tasks may wait behind the epolls that watch a set, and a signal may go to a large
 * process group. So nobody knows how long a wake-up takes, and the clock tells afterwards:
 * user_cpu.c. Wake-ups that softirqs cause wait in a queue on each CPU. Users take turns there, and
 * a turn is one queue of waiters. A softirq does wake-ups until its slice of time is over, and a
 * thread does the rest (engine/run.c).
 *
 * A call wakes by itself, in its own time.
 */
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "twheel_compat.h"
#include "user_cpu.h"
#include "wake.h"

/*
 * The wake-ups that wait on a CPU. The users take turns. @lock protects what is in the list, and
 * is taken with bottom halves off.
 */
struct wake_cpu {
	spinlock_t		lock;
	struct list_head	users;
	struct twheel_work	next;
};

static DEFINE_PER_CPU(struct wake_cpu, wake_cpus);

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

/* Wakes all that wait for events of a set. May sleep. */
void twheel_wake_readers(struct timer_set *set)
{
	twheel_wake_eventfd(set);
	twheel_waiters_wake_all(&set->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&set->fasync, SIGIO, POLL_IN);
}

/*
 * Takes a queue of holders who are to be woken: returns the lease, or NULL. They may close the
 * lease, but its memory stays.
 */
static struct timer_lease *wake_pop_holders(struct timer_set *set, unsigned int *number)
{
	struct timer_lease *lease;

	timer_set_assert_locked(set);

	lease = list_first_entry_or_null(&set->ended_leases, struct timer_lease, ended);
	if (!lease)
		return NULL;
	*number = twheel_waiters_next(&lease->wait);
	if (!lease->wait.next)
		list_del_init(&lease->ended);
	return lease;
}

/* The slow part of twheel_wake_holders(). May sleep. */
void twheel_wake_some_holders(struct timer_set *set)
{
	struct timer_lease *lease;
	unsigned int number;

	do {
		rcu_read_lock();
		timer_set_lock(set);
		lease = wake_pop_holders(set, &number);
		timer_set_unlock(set);
		if (lease)
			twheel_waiters_wake(&lease->wait, number, 0);
		rcu_read_unlock();
		cond_resched();
	} while (lease);
}

/*
 * Has the readers of a set woken, or the holders of its ended leases. The set is locked, and not
 * @ended.
 */
static void wake_queue(struct timer_set *set)
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
	twheel_run_queue(&here->next);
}

/* Lets a user take turns again, who had no credit. */
void twheel_wake_user(struct user_cpu *user)
{
	struct wake_cpu *here = per_cpu_ptr(&wake_cpus, user->cpu);

	if (list_empty_careful(&user->sets))
		return;
	spin_lock(&here->lock);
	if (!list_empty(&user->sets) && list_empty(&user->node))
		list_add_tail(&user->node, &here->users);
	spin_unlock(&here->lock);
	twheel_run_queue(&here->next);
}

/* Takes the first set of a user off. */
static struct timer_set *wake_pop(struct user_cpu *user)
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

/* Wakes a queue of readers of a set, which is locked, or of holders of a lease. Unlocks the set. */
static void wake_unlock(struct timer_set *set)
	__releases(&set->lock)
{
	struct timer_lease *lease = NULL;
	unsigned int readers, holders;
	bool signal = set->signal;

	set->signal = false;
	readers = twheel_waiters_next(&set->wait);
	if (!readers)
		lease = wake_pop_holders(set, &holders);
	if ((set->wait.next || !list_empty(&set->ended_leases)) && !set->ended)
		wake_queue(set);
	timer_set_unlock(set);
	if (readers == 1)
		twheel_wake_eventfd(set);
	if (signal)
		kill_fasync(&set->fasync, SIGIO, POLL_IN);
	if (readers)
		twheel_waiters_wake(&set->wait, readers, EPOLLIN | EPOLLRDNORM);
	if (lease)
		twheel_waiters_wake(&lease->wait, holders, 0);
}

static void wake_set(struct timer_set *set)
{
	timer_set_lock(set);
	wake_unlock(set);
}

/* With PREEMPT_RT, whoever is woken may run before the wake-up ends. */
static u64 wake_clock(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? current->se.sum_exec_runtime : local_clock();
}

/*
 * Has the readers or holders of a set woken, which is locked: at once, if nobody waits on this CPU
 * and @at_once is the user. Unlocks the set.
 */
void twheel_wake_unlock(struct timer_set *set, struct user_cpu *at_once)
	__releases(&set->lock)
{
	u64 began;

	if (!at_once || !list_empty_careful(&this_cpu_ptr(&wake_cpus)->users)) {
		wake_queue(set);
		timer_set_unlock(set);
		return;
	}
	began = wake_clock();
	wake_unlock(set);
	twheel_user_cpu_spend_time(at_once, wake_clock() - began);
}

/* One turn. A user without credit goes on when @timer of its struct user_cpu comes. */
static void wake_next(struct twheel_work *next)
{
	struct wake_cpu *here = container_of(next, struct wake_cpu, next);
	struct user_cpu *user, *after;
	struct timer_set *set = NULL;
	u64 began;

	/* The set, and its user, may end meanwhile: twheel_wake_cancel() does not wait. */
	rcu_read_lock();
	spin_lock(&here->lock);
	user = list_first_entry_or_null(&here->users, struct user_cpu, node);
	if (user) {
		list_move_tail(&user->node, &here->users);
		if (twheel_user_cpu_has_credit(user, 0))
			set = wake_pop(user);
		else
			list_del_init(&user->node);
	}
	after = list_first_entry_or_null(&here->users, struct user_cpu, node);
	if (after)
		twheel_run_queue(&here->next);
	spin_unlock(&here->lock);
	if (set) {
		began = wake_clock();
		wake_set(set);
		twheel_user_cpu_spend_time(user, wake_clock() - began);
	} else if (user) {
		twheel_user_cpu_arm_next(user, true);
	}
	/*
	 * If the slice of time is over, the rest is left to a thread, which may have to wait long
	 * for the CPU. So whoever is next has a turn at the next tick at the latest.
	 */
	if (after && after != user)
		twheel_user_cpu_arm_soon(after);
	rcu_read_unlock();
}

/* Does up to @max wake-ups of a user, in a call of a program. */
void twheel_wake_help(struct user_cpu *user, unsigned int max)
{
	struct wake_cpu *here = per_cpu_ptr(&wake_cpus, user->cpu);
	struct timer_set *set;

	while (max--) {
		rcu_read_lock();
		spin_lock_bh(&here->lock);
		set = wake_pop(user);
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

/*
 * Takes a set off, which has ended: nothing queues it any more. A wake-up that has its turn may
 * still be under way, until the end of an RCU grace period.
 */
void twheel_wake_cancel(struct timer_set *set)
{
	struct user_cpu *user;
	struct wake_cpu *there;

	/* Pairs with wake_pop(). */
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

void twheel_wake_init(void)
{
	struct wake_cpu *c;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&wake_cpus, cpu);
		spin_lock_init(&c->lock);
		INIT_LIST_HEAD(&c->users);
		c->next.fn = wake_next;
	}
}

/* No set is left, so no queue has a user. */
void twheel_wake_exit(void)
{
	/* The last wake-ups may still look at their sets, and at their users. */
	rcu_barrier();
}
