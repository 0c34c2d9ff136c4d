// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what softirqs of a CPU have to do for a user
 *
 * A visit and a wake-up take time that nobody owns. A program can cause as many as it has
 * descriptors, at every tick, by calls that cost it little more. So the engine knows one timer for
 * each user and CPU, and not one for each descriptor, and each user has a credit there: 16 steps a
 * tick, and 256 after a quiet time. A visit is a step. A wake-up is a step for each microsecond
 * that it took. What is left over waits for the next ticks; but a call of the user does it, in the
 * user's own time. So a server whose threads wait for very many descriptors is served by the first
 * of them. One user's visits do not delay another's, but those of a user's programs delay each
 * other.
 *
 * All users of a CPU together have such a credit, too. When it is used up, a user who has credit
 * left still has two steps at each tick, a visit and a wake-up. But users who are behind, because
 * they want more than their credit, have them round-robin.
 */
#include <linux/percpu.h>
#include "user_cpu.h"

#define USER_CPU_STEPS_SHIFT	4
#define USER_CPU_BURST		256U

/* How many steps of a tick a user has when all users have used up their credit. */
#define USER_CPU_FIRST		2U

/* Of so many users who are behind, one has these steps at a tick. */
#define USER_CPU_ROUND		4U

#define USER_CPU_STEP_NS	1024U	/* of a wake-up */
#define USER_CPU_LONG		64U	/* a wake-up of more steps is doubted */
#define USER_CPU_MOST		4096U	/* as which a wake-up counts at most */

/* What softirqs of a CPU have to do for all users. */
struct user_cpu_all {
	u64			until;		/* as in struct user_cpu */
	atomic_t		behind;		/* how many users are behind */
	u64			doubted;	/* the tick at which a time was last doubted */
};

static DEFINE_PER_CPU(struct user_cpu_all, user_cpu_alls);

static twheel_fn_t user_cpu_visit;

void twheel_user_cpu_init(twheel_fn_t visit)
{
	user_cpu_visit = visit;
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
		user->cpu = cpu;
		timerqueue_init_head(&user->visits);
		user->at = TWHEEL_NEVER;
		twheel_setup(&user->timer, user_cpu_visit, 0);
		INIT_LIST_HEAD(&user->sets);
		INIT_LIST_HEAD(&user->node);
	}
	return users;
}

/*
 * Ends the timers of a user who has no set any more. A wake-up may still use the structures, until
 * the end of an RCU grace period.
 */
void twheel_user_cpu_stop(struct user_cpu __percpu *users)
{
	struct user_cpu *user;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		user = per_cpu_ptr(users, cpu);
		twheel_shutdown_sync(&user->timer);
		/* A wake-up that is still under way finds that this is done. */
		spin_lock_bh(&user->lock);
		if (user->behind)
			atomic_dec(&per_cpu(user_cpu_alls, cpu).behind);
		WRITE_ONCE(user->behind, false);
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

static void user_cpu_arm(struct user_cpu *user, u64 tick)
{
	lockdep_assert_held(&user->lock);

	if (tick >= user->at)
		return;
	user->at = tick;
	twheel_mod(&user->timer, tick);
}

/* Takes a set out of the tree that it is in. */
static void user_cpu_remove(struct timer_set *set)
{
	struct user_cpu *user = set->visit_user;

	if (!user)
		return;
	spin_lock(&user->lock);
	if (timerqueue_node_queued(&set->visit))
		timerqueue_del(&user->visits, &set->visit);
	/* A timer for no visit would wake the CPU for nothing. */
	if ((set->ended || user != twheel_user_cpu_here(set)) &&
	    !timerqueue_getnext(&user->visits) && !user->behind &&
	    list_empty_careful(&user->sets)) {
		twheel_cancel(&user->timer);
		user->at = TWHEEL_NEVER;
	}
	spin_unlock(&user->lock);
}

/* The slow part of twheel_user_cpu_visit_by(), which has found no earlier visit. */
void twheel_user_cpu_add(struct timer_set *set, u64 tick)
{
	struct user_cpu *user = twheel_user_cpu_here(set);

	timer_set_assert_locked(set);

	user_cpu_remove(set);
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
struct timer_set *twheel_user_cpu_pop(struct user_cpu *user)
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

/* Returns the tick at which a user is served when all users have used up their credit. */
static u64 user_cpu_round(const struct user_cpu *user, const struct user_cpu_all *all)
{
	unsigned int behind = READ_ONCE(user->behind) ? atomic_read(&all->behind) : 0;

	return user->tick + 1 + behind / USER_CPU_ROUND;
}

/* Arms the timer for what is left. @wakes: wake-ups have waited for credit. */
void twheel_user_cpu_arm_next(struct user_cpu *user, bool wakes)
{
	struct user_cpu_all *all = &per_cpu(user_cpu_alls, user->cpu);
	u64 now = get_jiffies_64(), next = TWHEEL_NEVER;
	struct timerqueue_node *first;
	bool behind;

	spin_lock(&user->lock);
	user->at = TWHEEL_NEVER;
	first = timerqueue_getnext(&user->visits);
	if (first)
		next = first->expires;
	behind = next <= now || (wakes && !list_empty_careful(&user->sets));
	if (behind != user->behind)
		atomic_add(behind ? 1 : -1, &all->behind);
	WRITE_ONCE(user->behind, behind);
	if (behind)
		next = max3(now + 1, READ_ONCE(user->until) >> USER_CPU_STEPS_SHIFT,
			    user_cpu_round(user, all));
	if (next != TWHEEL_NEVER)
		user_cpu_arm(user, next);
	spin_unlock(&user->lock);
}

/* Has the timer come at the next tick: the user's wake-ups wait behind others. */
void twheel_user_cpu_arm_soon(struct user_cpu *user)
{
	spin_lock(&user->lock);
	user_cpu_arm(user, get_jiffies_64() + 1);
	spin_unlock(&user->lock);
}

/*
 * Has a set visited no more, which has ended. A visit may still be under way, until the end of an
 * RCU grace period.
 */
void twheel_user_cpu_remove(struct timer_set *set)
{
	local_bh_disable();
	user_cpu_remove(set);
	local_bh_enable();
}

/* Whether softirqs may do a step for a user, and have @keep steps left for wake-ups. */
bool twheel_user_cpu_has_credit(const struct user_cpu *user, unsigned int keep)
{
	const struct user_cpu_all *all = &per_cpu(user_cpu_alls, user->cpu);
	u64 tick = get_jiffies_64(), until = tick << USER_CPU_STEPS_SHIFT;

	if (READ_ONCE(user->until) + keep > until)
		return false;
	if (all->until <= until)
		return true;
	return user->tick == tick ? user->steps + !!keep < USER_CPU_FIRST :
				    user_cpu_round(user, all) <= tick;
}

/*
 * Takes steps that a softirq has done: @own from the credit of the user, and @common from the
 * credit of all users.
 */
void twheel_user_cpu_spend(struct user_cpu *user, unsigned int own, unsigned int common)
{
	u64 now = get_jiffies_64(), earliest = (now << USER_CPU_STEPS_SHIFT) - USER_CPU_BURST;
	struct user_cpu_all *all = &per_cpu(user_cpu_alls, user->cpu);

	WRITE_ONCE(user->until, max(user->until, earliest) + own);
	all->until = max(all->until, earliest) + common;
	if (user->tick != now) {
		user->tick = now;
		user->steps = 0;
	}
	user->steps += own;
}

/*
 * Takes a wake-up from the credit of a user. The clock also counts interrupts, and what the host
 * of a virtual machine takes. So a long time is doubted: once a second, the user does not pay for
 * it.
 */
void twheel_user_cpu_spend_time(struct user_cpu *user, u64 ns)
{
	struct user_cpu_all *all = &per_cpu(user_cpu_alls, user->cpu);
	unsigned int steps = min_t(u64, ns / USER_CPU_STEP_NS + 1, USER_CPU_MOST), own = steps;
	u64 now = get_jiffies_64();

	if (steps > USER_CPU_LONG && now >= all->doubted + HZ) {
		all->doubted = now;
		own = 1;
	}
	twheel_user_cpu_spend(user, own, steps);
}
