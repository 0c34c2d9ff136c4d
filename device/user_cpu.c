// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what softirqs of a CPU have to do for a user
 *
 * A visit and a wake-up take time that nobody owns. A program can cause as many as it has
 * descriptors, at every tick, by calls that cost it little more. So the engine knows one timer for
 * each user and CPU, and not one for each descriptor, and each user has a credit there: 16 steps a
 * tick, and 256 after a quiet time. A visit is a step. A wake-up is a step for each microsecond
 * that it took, and so is the wait for the lock of a set. What is left over waits for the next
 * ticks; but a call of the user does it, in the user's own time. So a server whose threads wait
 * for very many descriptors is served by the first of them. Wake-ups of the holders of leases, who
 * may be anybody, have a credit of their own: a holder with very many waiters delays only holders.
 *
 * Users take turns. A turn is a visit, with one part of the wake-up that follows it. So one user
 * delays another by one turn at most, but a user's programs delay each other. A softirq gives turns
 * until its slice of time is over, and a thread gives the rest (engine/run.c).
 *
 * All users of a CPU together have such a credit, too. When it is used up, a user who has credit
 * left still has a turn at each tick. But users who are behind, because they want more than their
 * credit, have it round-robin.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "user_cpu.h"

#define USER_CPU_STEPS_SHIFT	4
#define USER_CPU_STEPS		(1U << USER_CPU_STEPS_SHIFT)
#define USER_CPU_BURST		256U

/* When all users have used up their credit, so many users who are behind have a turn at a tick. */
#define USER_CPU_ROUND		4U

#define USER_CPU_STEP_NS	1024U	/* of a wake-up */
#define USER_CPU_LONG		64U	/* a wake-up of more steps is doubted */
#define USER_CPU_MOST		4096U	/* as which a wake-up counts at most */

#define USER_CPU_HELP		64U	/* visits that a call does for its user, at most */

/* What softirqs of a CPU have to do for all users. */
struct user_cpu_all {
	u64			until;		/* as in struct user_cpu */
	atomic_t		behind;		/* how many users are behind */
	u64			doubted;	/* the tick at which a time was last doubted */
	/* Nests inside the locks of users. Taken with bottom halves off. Protects the next one. */
	spinlock_t		lock;
	struct list_head	users;		/* users who wait for a turn */
	struct twheel_work	next;		/* the next turn */
};

static DEFINE_PER_CPU(struct user_cpu_all, user_cpu_alls);

/*
 * Visits a set, and wakes its program or, if @holders allows it, holders: then stores %true there,
 * else %false. Returns how long it took to wait for a lock, and to wake them, in ns, or 0.
 */
static u64 (*user_cpu_visit)(struct timer_set *set, bool *holders);

static void user_cpu_arm(struct user_cpu *user, u64 tick)
{
	lockdep_assert_held(&user->lock);

	if (tick >= user->at)
		return;
	user->at = tick;
	/* On this CPU, also if it is isolated: each CPU has its own share of a user's visits. */
	if (!twheel_mod_pending(&user->timer, tick))
		twheel_add_on(&user->timer, tick, smp_processor_id());
}

/*
 * Takes a set out of the tree that it is in. If the set has ended, it is visited no more; but a
 * visit may still be under way, until the end of an RCU grace period.
 */
void twheel_user_cpu_remove(struct timer_set *set)
{
	struct user_cpu *user = set->visit_user;

	if (!user)
		return;
	spin_lock_bh(&user->lock);
	if (timerqueue_node_queued(&set->visit))
		timerqueue_del(&user->visits, &set->visit);
	/* A timer for no visit would wake the CPU for nothing. */
	if ((set->ended || user != twheel_user_cpu_here(set)) &&
	    !timerqueue_getnext(&user->visits) && !user->behind) {
		twheel_cancel(&user->timer);
		user->at = TWHEEL_NEVER;
	}
	spin_unlock_bh(&user->lock);
}

/* The slow part of twheel_user_cpu_visit_by(), which has found no earlier visit. */
void twheel_user_cpu_add(struct timer_set *set, u64 tick)
{
	struct user_cpu *user = twheel_user_cpu_here(set);

	lockdep_assert_held(&set->lock);

	twheel_user_cpu_remove(set);
	set->visit_user = user;
	set->visit.expires = tick;
	spin_lock(&user->lock);
	/* Without credit, the timer is armed for the tick at which there is some again. */
	if (timerqueue_add(&user->visits, &set->visit) && !READ_ONCE(user->behind))
		user_cpu_arm(user, tick);
	spin_unlock(&user->lock);
}

/*
 * Takes a set that wants a visit now, or NULL. The set exists until the end of an RCU grace
 * period.
 */
static struct timer_set *user_cpu_pop(struct user_cpu *user)
{
	u64 now = get_jiffies_64();
	struct timerqueue_node *first;
	struct timer_set *set = NULL;

	spin_lock(&user->lock);
	first = timerqueue_getnext(&user->visits);
	if (first && first->expires <= now) {
		timerqueue_del(&user->visits, first);
		set = container_of(first, struct timer_set, visit);
	}
	spin_unlock(&user->lock);
	return set;
}

/* Returns the tick of a user's next turn when all users have used up their credit. */
static u64 user_cpu_round(const struct user_cpu *user)
{
	unsigned int behind = READ_ONCE(user->behind) ? atomic_read(&user->all->behind) : 0;

	return user->tick + 1 + behind / USER_CPU_ROUND;
}

/* Whether a user may have a turn. */
static bool user_cpu_has_credit(const struct user_cpu *user)
{
	u64 tick = get_jiffies_64(), until = tick << USER_CPU_STEPS_SHIFT;

	if (READ_ONCE(user->until) > until)
		return false;
	return user->all->until <= until || user_cpu_round(user) <= tick;
}

/*
 * Takes a visit from the credit of a user, and what came with it and took @ns, or 0; a wake-up of
 * holders from the credit for these. The clock also counts interrupts, and what the host of
 * a virtual machine takes. So a long time is doubted: once a second, the user does not pay for it.
 */
static void user_cpu_spend(struct user_cpu *user, u64 ns, bool holders)
{
	u64 now = get_jiffies_64(), until = now << USER_CPU_STEPS_SHIFT;
	u64 earliest = until - USER_CPU_BURST, latest = until + USER_CPU_BURST;
	unsigned int steps = min_t(u64, DIV_ROUND_UP_ULL(ns, USER_CPU_STEP_NS), USER_CPU_MOST);
	struct user_cpu_all *all = user->all;
	unsigned int own = steps;

	if (steps > USER_CPU_LONG && now >= all->doubted + HZ) {
		all->doubted = now;
		own = 1;
	}
	if (holders) {
		user->holders_until = max(user->holders_until, earliest) + own;
		own = 0;
	}
	WRITE_ONCE(user->until, max(user->until, earliest) + 1 + own);
	/* Each user pays its own debt. That of all is bounded, so a new user soon has turns. */
	all->until = min(max(all->until, earliest) + 1 + steps, latest);
	user->tick = now;
}

/*
 * Lets a user go on. If visits are due and there is credit, the user gets another turn, behind the
 * other users. Otherwise the timer is armed for the next visit that may be done.
 */
static void user_cpu_go_on(struct user_cpu *user)
{
	u64 now = get_jiffies_64(), next = TWHEEL_NEVER, armed, credit;
	struct user_cpu_all *all = user->all;
	struct timerqueue_node *first;
	bool due, behind;

	spin_lock(&user->lock);
	armed = user->at;
	user->at = TWHEEL_NEVER;
	first = timerqueue_getnext(&user->visits);
	if (first)
		next = first->expires;
	due = next <= now;
	behind = due && !user_cpu_has_credit(user);
	if (behind != user->behind)
		atomic_add(behind ? 1 : -1, &all->behind);
	WRITE_ONCE(user->behind, behind);
	if (behind) {
		credit = (READ_ONCE(user->until) + USER_CPU_STEPS - 1) >> USER_CPU_STEPS_SHIFT;
		next = max3(now + 1, credit, user_cpu_round(user));
	} else if (due) {
		/*
		 * If the slice of time is over, turns are left to a thread, which may have to wait
		 * long for the CPU. So there is a turn at the next tick at the latest.
		 */
		next = now + 1;
		spin_lock(&all->lock);
		if (list_empty(&user->node))
			list_add_tail(&user->node, &all->users);
		spin_unlock(&all->lock);
		twheel_run_queue(&all->next);
	}
	if (next != TWHEEL_NEVER)
		user_cpu_arm(user, next);
	else if (armed > now)
		twheel_cancel(&user->timer);
	spin_unlock(&user->lock);
}

/* A turn of a user: a visit. The set may end meanwhile. */
static void user_cpu_turn(struct user_cpu *user)
{
	u64 tick = get_jiffies_64(), until = tick << USER_CPU_STEPS_SHIFT, ns;
	struct timer_set *set = NULL;
	bool holders;

	rcu_read_lock();
	if (user_cpu_has_credit(user))
		set = user_cpu_pop(user);
	if (set) {
		holders = user->holders_until <= until;
		ns = user_cpu_visit(set, &holders);
		user_cpu_spend(user, ns, holders);
	}
	rcu_read_unlock();
	user_cpu_go_on(user);
}

/* Does what softirqs have not done for the user of a set, in a call of a program. */
void twheel_user_cpu_help(struct timer_set *set)
{
	struct user_cpu *user = twheel_user_cpu_here(set);
	struct timer_set *overdue;
	unsigned int n;
	bool holders;

	/* A program that has got the descriptor from another user does not pay for that user. */
	if (current->flags & PF_KTHREAD || !uid_eq(set->file->f_cred->uid, current_uid()))
		return;
	for (n = 0; n < USER_CPU_HELP; n++) {
		/* As in twheel_waiters_wake(): nobody else visits a set that is popped. */
		local_bh_disable();
		rcu_read_lock();
		overdue = user_cpu_pop(user);
		holders = true;
		if (overdue)
			user_cpu_visit(overdue, &holders);
		rcu_read_unlock();
		local_bh_enable();
		if (!overdue)
			break;
		/* A wake-up may take long. */
		cond_resched();
	}
}

/* Gives the next user a turn. That user may end meanwhile. */
static void user_cpu_next(struct twheel_work *next)
{
	struct user_cpu_all *all = container_of(next, struct user_cpu_all, next);
	struct user_cpu *user;

	rcu_read_lock();
	spin_lock(&all->lock);
	user = list_first_entry_or_null(&all->users, struct user_cpu, node);
	if (user)
		list_del_init(&user->node);
	if (!list_empty(&all->users))
		twheel_run_queue(next);
	spin_unlock(&all->lock);
	if (user)
		user_cpu_turn(user);
	rcu_read_unlock();
}

/* The callback of the timer of a user: a turn at once, unless a user waits for a turn. */
static void user_cpu_expire(struct twheel_timer *timer)
{
	struct user_cpu *user = container_of(timer, struct user_cpu, timer);

	if (list_empty_careful(&user->all->users))
		user_cpu_turn(user);
	else
		user_cpu_go_on(user);
}

/* Returns what each CPU has to do for a new user, or NULL. */
struct user_cpu __percpu *twheel_user_cpu_new(void)
{
	struct user_cpu __percpu *users = alloc_percpu_gfp(struct user_cpu, GFP_KERNEL_ACCOUNT);
	struct user_cpu *user;
	unsigned int cpu;

	if (!users)
		return NULL;
	for_each_possible_cpu(cpu) {
		user = per_cpu_ptr(users, cpu);
		spin_lock_init(&user->lock);
		user->all = per_cpu_ptr(&user_cpu_alls, cpu);
		timerqueue_init_head(&user->visits);
		user->at = TWHEEL_NEVER;
		twheel_setup(&user->timer, user_cpu_expire, 0);
		INIT_LIST_HEAD(&user->node);
	}
	return users;
}

/*
 * Ends the timers and the turns of a user whose last set has ended. A turn that is under way may
 * still use the structures, until the end of an RCU grace period.
 */
void twheel_user_cpu_stop(struct user_cpu __percpu *users)
{
	struct user_cpu *user;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		user = per_cpu_ptr(users, cpu);
		twheel_shutdown_sync(&user->timer);
		/* A turn that is still under way finds this done, and no visit that is due. */
		spin_lock_bh(&user->lock);
		if (user->behind)
			atomic_dec(&user->all->behind);
		WRITE_ONCE(user->behind, false);
		spin_lock(&user->all->lock);
		list_del_init(&user->node);
		spin_unlock(&user->all->lock);
		spin_unlock_bh(&user->lock);
	}
}

void twheel_user_cpu_free(struct user_cpu __percpu *users)
{
	unsigned int cpu;

	/* debugobjects does not notice that per-CPU memory is freed. */
	for_each_possible_cpu(cpu)
		twheel_destroy_onstack(&per_cpu_ptr(users, cpu)->timer);
	free_percpu(users);
}

void twheel_user_cpu_init(u64 (*visit)(struct timer_set *set, bool *holders))
{
	struct user_cpu_all *all;
	unsigned int cpu;

	user_cpu_visit = visit;
	for_each_possible_cpu(cpu) {
		all = per_cpu_ptr(&user_cpu_alls, cpu);
		spin_lock_init(&all->lock);
		INIT_LIST_HEAD(&all->users);
		all->next.fn = user_cpu_next;
	}
}
