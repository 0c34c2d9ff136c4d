// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what softirqs of a CPU have to do for a user
 *
 * A visit and a wake-up take time that nobody owns. A program can cause as many as it has
 * descriptors, at every tick, by calls that cost it little more. So the engine knows one timer for
 * each user and CPU, and not one for each descriptor, and each user has a credit there: 16 steps a
 * tick, and 256 after a quiet time. All users of a CPU together have 64 and 256. A visit is a
 * step. So is a wake-up, and for each eight waiters another one. What is left over waits for the
 * next ticks; but a call of the user does it, in the own time. So a server whose threads wait for
 * very many descriptors is served by the first of them, and one user's visits do not delay
 * another's.
 */
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include "user_cpu.h"

#define USER_CPU_STEPS_SHIFT	4
#define USER_CPU_BURST		256U

/* For all users of a CPU together: 64 steps a tick. But each user has the first two of a tick. */
#define USER_CPU_ALL_SHIFT	6
#define USER_CPU_FIRST		2U

static DEFINE_PER_CPU(u64, user_cpu_all_until);

static twheel_fn_t user_cpu_visit;

/**
 * twheel_user_cpu_init - say what visits
 * @visit: The callback of @timer of all users.
 */
void twheel_user_cpu_init(twheel_fn_t visit)
{
	user_cpu_visit = visit;
}

/**
 * twheel_user_cpu_new - make the structures for a user
 *
 * Return: The structures, or %NULL if there is no memory.
 */
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
		user->visits = RB_ROOT_CACHED;
		user->at = TWHEEL_NEVER;
		twheel_setup(&user->timer, user_cpu_visit, 0);
		INIT_LIST_HEAD(&user->sets);
		INIT_LIST_HEAD(&user->node);
	}
	return users;
}

/**
 * twheel_user_cpu_stop - end the timers of a user, who has no set any more
 * @users: The structures. A wake-up may still use them, until the end of an RCU grace period.
 *
 * Context: process, may sleep.
 */
void twheel_user_cpu_stop(struct user_cpu __percpu *users)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		twheel_shutdown_sync(&per_cpu_ptr(users, cpu)->timer);
}

static struct timer_set *user_cpu_set(struct rb_node *node)
{
	return rb_entry(node, struct timer_set, visit);
}

static bool user_cpu_earlier(struct rb_node *a, const struct rb_node *b)
{
	return user_cpu_set(a)->visit_at < rb_entry(b, struct timer_set, visit)->visit_at;
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
	if (!RB_EMPTY_NODE(&set->visit)) {
		rb_erase_cached(&set->visit, &user->visits);
		RB_CLEAR_NODE(&set->visit);
	}
	/* A timer for no visit would wake the CPU for nothing. */
	if ((set->ended || user != twheel_user_cpu_here(set)) &&
	    RB_EMPTY_ROOT(&user->visits.rb_root) && !user->behind) {
		twheel_cancel(&user->timer);
		user->at = TWHEEL_NEVER;
	}
	spin_unlock(&user->lock);
}

/**
 * twheel_user_cpu_add - have a set visited at a tick
 * @set: The set, locked and not @ended.
 * @tick: The tick, earlier than that of the visit that the set has, if any.
 *
 * The slow part of twheel_user_cpu_visit_by().
 */
void twheel_user_cpu_add(struct timer_set *set, u64 tick)
{
	struct user_cpu *user = twheel_user_cpu_here(set);

	timer_set_assert_locked(set);

	user_cpu_remove(set);
	set->visit_user = user;
	set->visit_at = tick;
	spin_lock(&user->lock);
	/* Without credit, the timer is armed for the tick at which there is some again. */
	if (rb_add_cached(&set->visit, &user->visits, user_cpu_earlier) &&
	    !READ_ONCE(user->behind))
		user_cpu_arm(user, tick);
	spin_unlock(&user->lock);
}

/**
 * twheel_user_cpu_take - take a set that wants a visit now
 * @user: What a CPU has to do for its user.
 *
 * Return: The set, in no tree, which exists until the end of an RCU grace period; or %NULL.
 */
struct timer_set *twheel_user_cpu_take(struct user_cpu *user)
{
	u64 now = get_jiffies_64();
	struct rb_node *first;

	spin_lock(&user->lock);
	first = rb_first_cached(&user->visits);
	if (first && user_cpu_set(first)->visit_at <= now) {
		rb_erase_cached(first, &user->visits);
		RB_CLEAR_NODE(first);
	} else {
		first = NULL;
	}
	spin_unlock(&user->lock);
	return first ? user_cpu_set(first) : NULL;
}

/**
 * twheel_user_cpu_rest - arm the timer for what is left
 * @user: What a CPU has to do for its user.
 * @wakes: Wake-ups have waited for credit, and not only for their turn.
 *
 * Context: bottom halves off.
 */
void twheel_user_cpu_rest(struct user_cpu *user, bool wakes)
{
	u64 now = get_jiffies_64(), next = TWHEEL_NEVER;
	struct rb_node *first;
	bool behind;

	spin_lock(&user->lock);
	user->at = TWHEEL_NEVER;
	first = rb_first_cached(&user->visits);
	if (first)
		next = user_cpu_set(first)->visit_at;
	behind = next <= now || (wakes && !list_empty_careful(&user->sets));
	if (behind)
		next = max(now + 1, READ_ONCE(user->until) >> USER_CPU_STEPS_SHIFT);
	WRITE_ONCE(user->behind, behind);
	if (next != TWHEEL_NEVER)
		user_cpu_arm(user, next);
	spin_unlock(&user->lock);
}

/**
 * twheel_user_cpu_leave - have a set visited no more
 * @set: The set, which has ended. A visit may still be under way, until the end of an RCU grace
 *	period.
 */
void twheel_user_cpu_leave(struct timer_set *set)
{
	local_bh_disable();
	user_cpu_remove(set);
	local_bh_enable();
}

/**
 * twheel_user_cpu_has_credit - find out whether softirqs may do a step for a user
 * @user: What this CPU has to do for the user.
 * @keep: Of how many other steps the credit is to be kept.
 *
 * Return: Whether they may.
 */
bool twheel_user_cpu_has_credit(const struct user_cpu *user, unsigned int keep)
{
	u64 tick = get_jiffies_64();
	u64 own = tick << USER_CPU_STEPS_SHIFT, all = tick << USER_CPU_ALL_SHIFT;

	if (READ_ONCE(user->until) + keep > own)
		return false;
	return per_cpu(user_cpu_all_until, user->cpu) <= all || user->tick != tick ||
	       user->steps + !!keep < USER_CPU_FIRST;
}

/**
 * twheel_user_cpu_spend - take steps from the credit of a user
 * @user: What this CPU has to do for the user.
 * @steps: How many steps a softirq has done.
 */
void twheel_user_cpu_spend(struct user_cpu *user, unsigned int steps)
{
	u64 now = get_jiffies_64(), earliest = (now << USER_CPU_STEPS_SHIFT) - USER_CPU_BURST;
	u64 *all = per_cpu_ptr(&user_cpu_all_until, user->cpu);

	WRITE_ONCE(user->until, max(user->until, earliest) + steps);
	*all = max(*all, (now << USER_CPU_ALL_SHIFT) - USER_CPU_BURST) + steps;
	if (user->tick != now) {
		user->tick = now;
		user->steps = 0;
	}
	user->steps += steps;
}
