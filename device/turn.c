// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: turning the wheel of a set
 *
 * A timer that has expired needs nothing until its program asks. So the program's calls let the
 * wheel catch up with the clock, by a bounded number of steps in a hold of the set's lock. A step
 * is a timer that is moved, looked at or expired, or a tick that is visited.
 */
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include "turn.h"

static unsigned int tick_budget = 18000 / HZ;
module_param(tick_budget, uint, 0644);
MODULE_PARM_DESC(tick_budget, "Steps that the softirqs of a CPU do in a tick for all programs together, 16 to 256 (default 18000 / HZ)");

/* What softirqs of a CPU may still do for programs in a tick: @left steps. */
struct turn_budget {
	u64			tick;
	unsigned int		left;
};

static DEFINE_PER_CPU(struct turn_budget, turn_budgets);

/*
 * Takes what is left of the budget of this CPU and tick. Returns how many steps the caller may do.
 * It has bottom halves off until it gives back what it does not use. On PREEMPT_RT without
 * CONFIG_PREEMPT_RT_NEEDS_BH_LOCK, two callers may overlap, and do the steps of two ticks in one.
 */
unsigned int twheel_turn_allowed(void)
{
	struct turn_budget *here = this_cpu_ptr(&turn_budgets);
	u64 tick = get_jiffies_64();
	unsigned int steps;

	if (here->tick != tick) {
		here->tick = tick;
		here->left = clamp(READ_ONCE(tick_budget), 16U, 4 * TWHEEL_CHUNK);
	}
	steps = here->left;
	here->left = 0;
	return steps;
}

/* Gives steps back that twheel_turn_allowed() has allowed, and that are left. */
void twheel_turn_return(unsigned int steps)
{
	this_cpu_ptr(&turn_budgets)->left = steps;
}

/*
 * Lets @t expire, which the wheel has let go, or files it again: a tick may come before the
 * deadlines that it stands for, and the program may have pushed the deadline back, or set the
 * clock. Returns whether @t has expired: it is READY then, and in no list yet. The time @phase was
 * read since the set was locked.
 */
static bool turn_let_expire(struct timer_set *set, struct user_timer *t,
			    const struct twheel_phase *phase)
{
	s64 ahead = twheel_time_ahead(t->clockid), now = phase->now + ahead;

	if (unlikely(now < t->deadline) ||
	    (t->flags & TWHEEL_SHARED && !twheel_table_expire(set, t, now))) {
		twheel_wheel_insert(&set->wheel, &t->node, user_timer_tick(t, phase));
		return false;
	}
	user_timer_note_expiry(set, t, phase, ahead);
	t->state = USER_TIMER_READY;
	if (unlikely(t->extra))
		twheel_user_timer_end_lease(t);
	return true;
}

/*
 * Takes the next timer off the wheel of a set, which is locked, that expires. Stores the rest of
 * the steps: if the function returns NULL and any are left, nothing more is due. Returns the timer,
 * which is READY and in no list; or NULL.
 */
static struct user_timer *turn_next(struct timer_set *set, const struct twheel_phase *phase,
				    unsigned int *steps)
{
	struct twheel_node *node;
	struct user_timer *t;

	lockdep_assert_held(&set->lock);

	if (unlikely(set->refile) && !twheel_clock_refile(set, phase, steps))
		return NULL;
	do {
		if (*steps && twheel_wheel_peek(&set->wheel, &node) &&
		    twheel_wheel_state(node) <= set->wheel.clk) {
			/* Without an exchange: the lock of the set protects the state. */
			twheel_wheel_drop(&set->wheel, node);
			--*steps;
		} else {
			node = twheel_wheel_expire(&set->wheel, phase->tick, steps);
			if (!node)
				return NULL;
		}
		t = container_of(node, struct user_timer, node);
	} while (!turn_let_expire(set, t, phase));
	return t;
}

/* As turn_next(), but takes timers first that have been found before. */
struct user_timer *twheel_turn_take(struct timer_set *set, const struct twheel_phase *phase,
				    unsigned int *steps)
{
	struct user_timer *t;

	lockdep_assert_held(&set->lock);

	if (!*steps || !set->unread)
		return turn_next(set, phase, steps);
	t = list_first_entry(&set->ready, struct user_timer, node.entry);
	user_timer_unready(set, t);
	--*steps;
	return t;
}

/* Lets one timer expire that is due, if any. The rest is as for turn_next(). */
bool twheel_turn_expire(struct timer_set *set, const struct twheel_phase *phase,
			unsigned int *steps)
{
	struct user_timer *t = turn_next(set, phase, steps);

	if (t)
		user_timer_ready(set, t, false);
	return t;
}

/*
 * Lets the wheel of a set, which is locked, catch up with the clock, by up to %TWHEEL_CHUNK steps.
 * The timers that have expired become events. Returns whether nothing more is due.
 */
bool twheel_turn_some(struct timer_set *set, const struct twheel_phase *phase)
{
	unsigned int steps = TWHEEL_CHUNK;

	while (twheel_turn_expire(set, phase, &steps))
		continue;
	return steps;
}

/* Lets the wheel catch up with the clock in a call of the program, unless a signal comes. */
void twheel_turn_all(struct timer_set *set)
{
	struct twheel_phase phase;
	bool done;

	do {
		twheel_turn_call(set, &phase);
		done = twheel_turn_some(set, &phase);
		twheel_turn_end(set, &phase);
		cond_resched();
	} while (!done && !task_sigpending(current));
}

/* Asks for a visit of a set, which is locked, when its wheel needs attention next. */
void twheel_turn_ask_visit(struct timer_set *set, const struct twheel_phase *phase)
{
	struct twheel_wheel *w = &set->wheel;
	u64 next;

	lockdep_assert_held(&set->lock);

	next = w->next > w->clk && !w->todo ? w->next : twheel_wheel_next(w);
	/* If something is due that is left to the next call, the visit wakes for it. */
	if (next != TWHEEL_NEVER)
		twheel_user_cpu_visit_by(set, max(next, phase->tick + 1));
}
