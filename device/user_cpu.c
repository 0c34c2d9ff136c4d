// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what softirqs of a CPU have to do for a user
 *
 * A visit and a wake-up take time that nobody owns. A program can cause as many as it has
 * descriptors, at every tick, by calls that cost it little more. So the engine knows one timer for
 * each CPU, and not one for each descriptor. Each user has a credit there: 16 steps a tick, and 256
 * after a quiet time. A turn is a visit, with one part of the wake-up that follows it. It costs a
 * step for each microsecond, and one more. What is left over waits for the next ticks; but a call
 * of the user does it, in the user's own time. So a server whose threads wait for very many
 * descriptors is served by the first of them. Wake-ups of the holders of leases, who may be
 * anybody, have a credit of their own: a holder with very many waiters delays only holders.
 *
 * Users take turns. So one user delays another by one turn at most, but a user's programs delay
 * each other. A softirq gives up to USER_CPU_ROUND turns, and more until USER_CPU_SLICE_NS have
 * passed. The next tick gives the rest.
 *
 * All users of a CPU together have such a credit, too. When it is used up, a user who has credit
 * left still has a turn at each tick. But users who are behind, because they want more than their
 * credit, have it round-robin.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include "user_cpu.h"

#define USER_CPU_STEPS		16U
#define USER_CPU_BURST		256U

#define USER_CPU_ROUND		4U	/* turns of a softirq, at least; see user_cpu_round() */
#define USER_CPU_SLICE_NS	(512U * NSEC_PER_USEC)

#define USER_CPU_STEP_NS	1024U
#define USER_CPU_LONG		64U	/* a turn of more steps is doubted */
#define USER_CPU_MOST		4096U	/* as which a turn counts at most */

#define USER_CPU_HELP		64U	/* visits that a call does for its user, at most */

/* What softirqs of a CPU have to do for all users. */
struct user_cpu_all {
	/* Nests inside the locks of sets. Taken with bottom halves off. Protects all of these. */
	spinlock_t		lock;
	struct timerqueue_head	users;		/* the users who want a turn, by tick */
	struct twheel_timer	timer;		/* for the first of them */
	u64			until;		/* as in struct user_cpu */
	u64			doubted;	/* the tick at which a time was last doubted */
	unsigned int		behind;		/* how many users are behind */
	bool			away;		/* @timer went to another CPU: engine/cpu.c */
};

static DEFINE_PER_CPU(struct user_cpu_all, user_cpu_alls);

/*
 * Visits a set, and wakes its program or, if @holders allows it, holders: then stores %true there,
 * else %false.
 */
static void (*user_cpu_visit)(struct timer_set *set, bool *holders);

/* Arms the timer on this CPU, also if it is isolated: each CPU has its own visits of a user. */
static void user_cpu_arm(struct user_cpu_all *all, u64 tick)
{
	lockdep_assert_held(&all->lock);

	if (all->away)
		twheel_cancel(&all->timer);
	if (!twheel_pending(&all->timer) || !twheel_mod_pending(&all->timer, tick))
		twheel_add_on(&all->timer, tick, smp_processor_id());
}

/*
 * Gives a user a turn at a tick, behind those who have one then, or at TWHEEL_NEVER none. Returns
 * whether it is the first turn of all users.
 */
static bool user_cpu_file(struct user_cpu *user, u64 tick)
{
	struct user_cpu_all *all = user->all;

	lockdep_assert_held(&all->lock);

	if (timerqueue_node_queued(&user->turn))
		timerqueue_del(&all->users, &user->turn);
	user->turn.expires = tick;
	return tick != TWHEEL_NEVER && timerqueue_add(&all->users, &user->turn);
}

/* Returns the tick of a user's next turn when all users have used up their credit. */
static u64 user_cpu_round(const struct user_cpu *user)
{
	return user->tick + 1 + (user->behind ? user->all->behind / USER_CPU_ROUND : 0);
}

/* Whether a user may have a turn. */
static bool user_cpu_has_credit(const struct user_cpu *user, u64 now)
{
	u64 until = now * USER_CPU_STEPS;

	return user->until <= until &&
	       (user->all->until <= until || user_cpu_round(user) <= now);
}

/*
 * Lets a user go on. If visits are due and there is credit, the user gets another turn, behind the
 * other users. Otherwise it gets one for the next visit that may be done.
 */
static void user_cpu_go_on(struct user_cpu *user, u64 now)
{
	struct timerqueue_node *first = timerqueue_getnext(&user->visits);
	u64 next = first ? first->expires : TWHEEL_NEVER, credit;
	bool behind = next <= now && !user_cpu_has_credit(user, now);

	user->all->behind += behind - user->behind;
	WRITE_ONCE(user->behind, behind);
	if (behind) {
		credit = DIV_ROUND_UP_ULL(user->until, USER_CPU_STEPS);
		next = max3(now + 1, credit, user_cpu_round(user));
	}
	user_cpu_file(user, max(next, now));
}

/*
 * Takes a set, which has ended or goes to another CPU, out of the tree that it is in. A visit may
 * still be under way, until the end of an RCU grace period.
 */
void twheel_user_cpu_remove(struct timer_set *set)
{
	struct user_cpu *user = set->visit_user;
	struct user_cpu_all *all;

	if (!user)
		return;
	all = user->all;
	spin_lock_bh(&all->lock);
	if (timerqueue_node_queued(&set->visit))
		timerqueue_del(&user->visits, &set->visit);
	/* A timer for no visit would wake the CPU for nothing. */
	if (!timerqueue_getnext(&user->visits)) {
		user_cpu_go_on(user, get_jiffies_64());
		if (!timerqueue_getnext(&all->users))
			twheel_cancel(&all->timer);
	}
	spin_unlock_bh(&all->lock);
}

/* The slow part of twheel_user_cpu_visit_by(), which has found no earlier visit. */
void twheel_user_cpu_add(struct timer_set *set, u64 tick)
{
	struct user_cpu *user = raw_cpu_ptr(set->user);
	struct user_cpu_all *all = user->all;

	lockdep_assert_held(&set->lock);

	if (set->visit_user != user)
		twheel_user_cpu_remove(set);
	spin_lock(&all->lock);
	if (timerqueue_node_queued(&set->visit))
		timerqueue_del(&user->visits, &set->visit);
	set->visit_user = user;
	set->visit.expires = tick;
	/* Without credit, the user has a turn at the tick at which there is some again. */
	if (timerqueue_add(&user->visits, &set->visit) && !user->behind &&
	    tick < (u64)user->turn.expires && user_cpu_file(user, tick))
		user_cpu_arm(all, tick);
	spin_unlock(&all->lock);
}

/* Takes a set that wants a visit now, or NULL. The set exists until a grace period of RCU ends. */
static struct timer_set *user_cpu_pop(struct user_cpu *user, u64 now)
{
	struct timerqueue_node *first = timerqueue_getnext(&user->visits);

	lockdep_assert_held(&user->all->lock);

	if (!first || first->expires > now)
		return NULL;
	timerqueue_del(&user->visits, first);
	return container_of(first, struct timer_set, visit);
}

/*
 * Charges a user for a turn that took @ns. If the turn woke holders, the credit for these pays, and
 * the user's own pays a step. The clock also counts interrupts, and what the host of a virtual
 * machine takes. So a long time is doubted: once a second, the user does not pay for it.
 */
static void user_cpu_spend(struct user_cpu *user, u64 now, u64 ns, bool holders)
{
	u64 until = now * USER_CPU_STEPS;
	u64 earliest = until - USER_CPU_BURST, latest = until + USER_CPU_BURST;
	unsigned int steps = min_t(u64, ns / USER_CPU_STEP_NS + 1, USER_CPU_MOST);
	struct user_cpu_all *all = user->all;
	unsigned int own = steps;

	if (steps > USER_CPU_LONG && now >= all->doubted + HZ) {
		all->doubted = now;
		own = 1;
	}
	if (holders) {
		user->holders_until = max(user->holders_until, earliest) + own;
		own = 1;
	}
	user->until = max(user->until, earliest) + own;
	/* Each user pays its own debt. That of all is bounded, so a new user soon has turns. */
	all->until = min(max(all->until, earliest) + steps, latest);
	user->tick = now;
}

/* The clock of turns, in ns, at the time @now. With PREEMPT_RT, others may run during a turn. */
static u64 user_cpu_clock(u64 now)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? current->se.sum_exec_runtime : now;
}

/*
 * A turn of a user, which begins at @began. Returns when it ends. The set and the user may end
 * meanwhile.
 */
static u64 user_cpu_turn(struct user_cpu *user, u64 now, u64 began)
	__must_hold(&user->all->lock)
{
	bool holders = user->holders_until <= now * USER_CPU_STEPS;
	struct timer_set *set = NULL;
	u64 end = began;

	if (user_cpu_has_credit(user, now))
		set = user_cpu_pop(user, now);
	if (set) {
		spin_unlock(&user->all->lock);
		user_cpu_visit(set, &holders);
		spin_lock(&user->all->lock);
		end = user_cpu_clock(local_clock());
		user_cpu_spend(user, now, end - began, holders);
	}
	user_cpu_go_on(user, now);
	return end;
}

/*
 * The callback of the timer. However many users there are, and however long their visits take, it
 * comes to an end, and the next tick goes on.
 */
static void user_cpu_expire(struct twheel_timer *timer)
{
	struct user_cpu_all *all = container_of(timer, struct user_cpu_all, timer);
	struct timerqueue_node *first;
	u64 began = local_clock(), clock = user_cpu_clock(began), now = get_jiffies_64();
	unsigned int n = 0;

	rcu_read_lock();
	spin_lock(&all->lock);
	all->away = all != this_cpu_ptr(&user_cpu_alls);
	while ((first = timerqueue_getnext(&all->users)) && first->expires <= now &&
	       (n++ < USER_CPU_ROUND || local_clock() < began + USER_CPU_SLICE_NS))
		clock = user_cpu_turn(container_of(first, struct user_cpu, turn), now, clock);
	if (first)
		user_cpu_arm(all, max_t(u64, first->expires, now + 1));
	spin_unlock(&all->lock);
	rcu_read_unlock();
}

/* Does what softirqs have not done for the user of a set, in a call of a program. */
void twheel_user_cpu_help(struct timer_set *set)
{
	struct user_cpu *user = raw_cpu_ptr(set->user);
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
		spin_lock(&user->all->lock);
		overdue = user_cpu_pop(user, get_jiffies_64());
		spin_unlock(&user->all->lock);
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
		user->all = per_cpu_ptr(&user_cpu_alls, cpu);
		timerqueue_init_head(&user->visits);
		timerqueue_init(&user->turn);
		user->turn.expires = TWHEEL_NEVER;
	}
	return users;
}

void twheel_user_cpu_init(void (*visit)(struct timer_set *set, bool *holders))
{
	struct user_cpu_all *all;
	unsigned int cpu;

	user_cpu_visit = visit;
	for_each_possible_cpu(cpu) {
		all = per_cpu_ptr(&user_cpu_alls, cpu);
		spin_lock_init(&all->lock);
		timerqueue_init_head(&all->users);
		twheel_setup(&all->timer, user_cpu_expire, 0);
	}
}

/* No set is left. */
void twheel_user_cpu_exit(void)
{
	struct twheel_timer *timer;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		timer = &per_cpu(user_cpu_alls, cpu).timer;
		twheel_shutdown_sync(timer);
		/* debugobjects does not notice that per-CPU memory is freed. */
		twheel_destroy_onstack(timer);
	}
}
