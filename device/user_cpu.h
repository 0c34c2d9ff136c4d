/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what softirqs of a CPU have to do for a user
 */
#ifndef _TWHEEL_DEVICE_USER_CPU_H
#define _TWHEEL_DEVICE_USER_CPU_H

#include "timer_set.h"

/* What softirqs of a CPU have to do for a user. The lock of @all protects it. */
struct user_cpu {
	struct timerqueue_head	visits;		/* the sets that want a visit here, by tick */
	struct timerqueue_node	turn;		/* the tick of the next turn, or TWHEEL_NEVER */
	struct user_cpu_all	*all;		/* of the same CPU */
	u64			until;		/* of the credit, in 1/16 ticks; above now: debt */
	u64			holders_until;	/* the same, for wake-ups of holders of leases */
	u64			tick;		/* of the last turn */
	bool			behind;		/* due visits wait for credit */
};

struct user_cpu __percpu *twheel_user_cpu_new(void);
void twheel_user_cpu_add(struct timer_set *set, u64 tick);
void twheel_user_cpu_remove(struct timer_set *set);
void twheel_user_cpu_help(struct timer_set *set);
void twheel_user_cpu_init(void (*visit)(struct timer_set *set, bool *holders));
void twheel_user_cpu_exit(void);

/* visit.c */
void twheel_visit_set(struct timer_set *set, bool *holders);

/* Begins a call on a set: if softirqs are behind with what they do for the user, it helps. */
static inline void twheel_user_cpu_call(struct timer_set *set)
{
	if (unlikely(READ_ONCE(raw_cpu_ptr(set->user)->behind)))
		twheel_user_cpu_help(set);
}

/* Has a set visited at a tick, unless it is visited earlier. */
static inline void twheel_user_cpu_visit_by(struct timer_set *set, u64 tick)
{
	lockdep_assert_held(&set->lock);

	if (tick < (u64)set->visit.expires)
		twheel_user_cpu_add(set, tick);
}

#endif /* _TWHEEL_DEVICE_USER_CPU_H */
