/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what softirqs of a CPU have to do for a user
 */
#ifndef _TWHEEL_DEVICE_USER_CPU_H
#define _TWHEEL_DEVICE_USER_CPU_H

#include "timer_set.h"

/**
 * struct user_cpu - what softirqs of a CPU have to do for a user
 * @lock: Protects @visits and @at. Nests inside the locks of sets; taken with bottom halves off.
 * @visits: The sets that want a visit here, by tick.
 * @at: The tick for which @timer is armed; %TWHEEL_NEVER if it is not.
 * @timer: The engine's timer for the first of these visits.
 * @cpu: The CPU.
 * @until: The credit of the user is used up until this time, in parts of a tick: see user_cpu.c.
 * @tick: When softirqs did a step the last time.
 * @steps: How many they did in that tick.
 * @behind: There are visits or wake-ups that have waited for credit. The user's calls do them.
 * @sets: The sets that wait for their turn to wake their readers. Protected by wake.c, as @node.
 * @node: The place among the users of this CPU that take turns.
 */
struct user_cpu {
	spinlock_t		lock;
	struct rb_root_cached	visits;
	u64			at;
	struct twheel_timer	timer;
	unsigned int		cpu;
	u64			until;
	u64			tick;
	unsigned int		steps;
	bool			behind;
	struct list_head	sets;
	struct list_head	node;
};

struct user_cpu __percpu *twheel_user_cpu_new(void);
void twheel_user_cpu_stop(struct user_cpu __percpu *users);
void twheel_user_cpu_add(struct timer_set *set, u64 tick);
struct timer_set *twheel_user_cpu_take(struct user_cpu *user);
void twheel_user_cpu_rest(struct user_cpu *user, bool wakes);
void twheel_user_cpu_leave(struct timer_set *set);
bool twheel_user_cpu_has_credit(const struct user_cpu *user, unsigned int keep);
void twheel_user_cpu_spend(struct user_cpu *user, unsigned int steps);
void twheel_user_cpu_init(twheel_fn_t visit);

/* What the CPU of the caller, who has bottom halves off, has to do for the user of a set. */
static inline struct user_cpu *twheel_user_cpu_here(const struct timer_set *set)
{
	return raw_cpu_ptr(set->user);
}

/* Has a set visited at a tick, unless it is visited earlier. */
static inline void twheel_user_cpu_visit_by(struct timer_set *set, u64 tick)
{
	timer_set_assert_locked(set);

	if (tick < set->visit_at)
		twheel_user_cpu_add(set, tick);
}

#endif /* _TWHEEL_DEVICE_USER_CPU_H */
