// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the life of a program's timer
 *
 *	DEAD -----> PENDING -----> READY
 *	 ^           |   ^           |
 *	 |           |   +-----------+  changed, or periodic and read
 *	 +-----------+---------------+  cancelled, drained or read
 *
 * DEAD: The place of the timer is free for another one (block.c).
 *
 * PENDING: The timer is in the wheel of its set. It may have expired already: that is a matter of
 * the clock, and not of whether someone has turned the wheel (turn.c).
 *
 * READY: The timer has been taken off the wheel, and is in the list of events. The event is the
 * timer itself, so nothing has to be allocated when the timer expires. read() takes timers from
 * the list, and then straight from the wheel (deliver.c).
 *
 * All of this happens under the set's lock.
 *
 * Timers with a group are in a tree of their set, by the tag of the group. Only these timers take
 * memory and time for it. A hash table would take memory that no cgroup is charged for, and time
 * of a worker that no program is charged for.
 */
#include <linux/rbtree.h>
#include <linux/slab.h>
#include "quota.h"
#include "user_timer.h"

/*
 * Returns the tick of a deadline on a clock that jumps, as CLOCK_MONOTONIC is ahead of or behind
 * that clock now. If the clock jumps, the timer is filed again: see clock.c.
 */
u64 twheel_user_timer_jumping_tick(clockid_t clockid, s64 deadline,
				   const struct twheel_phase *phase)
{
	s64 when;

	if (check_sub_overflow(deadline, twheel_time_ahead(clockid), &when))
		when = deadline < 0 ? S64_MIN : S64_MAX;
	return twheel_clock_tick(phase, ns_to_ktime(when));
}

/*
 * Whether @t, which is not DEAD, is READY or would be if the wheel were turned, or if its lease was
 * closed and it comes behind timers that are due. @phase was read since the set was locked.
 */
bool twheel_user_timer_has_expired(const struct user_timer *t, const struct twheel_phase *phase)
{
	lockdep_assert_held(&user_timer_set(t)->lock);

	if (t->state == USER_TIMER_READY || t->flags & USER_TIMER_LEASE_CLOSED)
		return true;
	if (twheel_wheel_state(&t->node) > phase->tick)
		return false;
	/* The wheel lets the timer go at the end of its window at the latest. */
	if (twheel_wheel_has_window(&t->node))
		return phase->tick >=
		       twheel_clock_tick(phase, twheel_time_add(twheel_table_deadline(t),
								t->extra->window));
	/* A clock may have been set back, and the timer not been filed again yet. */
	return twheel_table_deadline(t) <= phase->now + twheel_time_ahead(t->clockid);
}

static u64 user_timer_tag(const struct rb_node *node)
{
	return rb_entry(node, struct timer_extra, group)->tag;
}

static bool user_timer_tag_less(struct rb_node *a, const struct rb_node *b)
{
	return user_timer_tag(a) < user_timer_tag(b);
}

static int user_timer_tag_compare(const void *tag, const struct rb_node *node)
{
	u64 other = user_timer_tag(node);

	return *(const u64 *)tag < other ? -1 : *(const u64 *)tag > other;
}

/* Returns a timer of the group with a tag, or %NULL if the group has none. The set is locked. */
struct user_timer *twheel_user_timer_of_group(struct timer_set *set, u64 tag)
{
	struct rb_node *node = rb_find(&tag, &set->groups, user_timer_tag_compare);

	lockdep_assert_held(&set->lock);

	return node ? rb_entry(node, struct timer_extra, group)->t : NULL;
}

/* Uses the extra that a timer has just got. The timer is in no group. The set is locked. */
void twheel_user_timer_use_extra(struct timer_set *set, struct user_timer *t)
{
	lockdep_assert_held(&set->lock);

	t->extra->t = t;
	user_timer_block(t)->extras++;
	set->clocked += t->clockid != CLOCK_MONOTONIC;
	/* Whole ticks: the timer expires at the first tick after its window at the latest. */
	if (t->clockid == CLOCK_MONOTONIC)
		t->node.flags = twheel_wheel_window_flags(div_u64(t->extra->window, TICK_NSEC));
	if (t->extra->tag)
		rb_add(&t->extra->group, &set->groups, user_timer_tag_less);
}

/*
 * Ends the lease of @t, a timer with an extra, if it has one. The timer and the lease point to each
 * other, both under the lock of the set. So a lease never finds another timer in the place of its
 * own. A holder that keeps its descriptor takes nothing from the owner, who is uncharged now. The
 * caller has the holders woken: see waiters.c.
 */
void twheel_user_timer_end_lease(struct user_timer *t)
{
	struct timer_lease *lease = t->extra->lease;
	struct timer_set *set = user_timer_set(t);

	lockdep_assert_held(&set->lock);

	if (!lease)
		return;
	t->extra->lease = NULL;
	lease->t = NULL;
	set->leases--;
	twheel_quota_uncharge(set->quota, QUOTA_LEASES, 1);
	if (wq_has_sleeper(&lease->wait.queue))
		list_add_tail(&lease->ended, &set->ended_leases);
}

/* Frees the extra of a timer that has ended and has one. The set is locked. */
void twheel_user_timer_free_extra(struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);

	if (t->extra->tag)
		rb_erase(&t->extra->group, &set->groups);
	twheel_user_timer_end_lease(t);
	set->clocked -= t->clockid != CLOCK_MONOTONIC;
	user_timer_block(t)->extras--;
	kfree(t->extra);
}

/* Ends a timer, in whatever state it is. Its handle names no timer afterwards. */
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t)
{
	if (unlikely(t->state == USER_TIMER_READY))
		user_timer_unready(set, t);
	else
		twheel_wheel_drop(&set->wheel, &t->node);
	twheel_user_timer_end(set, t);
}

/* The slow part of twheel_user_timer_finish(). */
void twheel_user_timer_give_back(struct timer_set *set)
{
	twheel_quota_uncharge(set->quota, QUOTA_TIMERS, set->charged - set->count);
	set->charged = set->count;
	twheel_block_free(set);
}
