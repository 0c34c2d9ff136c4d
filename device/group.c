// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: groups: timers of a set that are cancelled together
 *
 * The timers of a set that have a group are in one tree, by the tag of the group. Only these
 * timers take memory and time for it. A hash table would take memory that no cgroup is
 * charged for, and time of a worker that no program is charged for.
 */
#include <linux/rbtree.h>
#include "group.h"

static u64 group_tag(const struct rb_node *node)
{
	return rb_entry(node, struct timer_extra, group)->tag;
}

static bool group_less(struct rb_node *a, const struct rb_node *b)
{
	return group_tag(a) < group_tag(b);
}

static int group_compare(const void *tag, const struct rb_node *node)
{
	u64 other = group_tag(node);

	return *(const u64 *)tag < other ? -1 : *(const u64 *)tag > other;
}

/**
 * twheel_group_join - put a timer into its group
 * @t: The timer, which has an extra with the tag; its set is locked.
 */
void twheel_group_join(struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	rb_add(&t->extra->group, &set->groups, group_less);
}

/**
 * twheel_group_leave - take a timer out of its group
 * @t: A timer in a group, its set locked.
 */
void twheel_group_leave(struct user_timer *t)
{
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	rb_erase(&t->extra->group, &set->groups);
}

/**
 * twheel_group_first - find a timer of a group
 * @set: The set, locked.
 * @tag: The group's tag.
 *
 * Return: The timer, or %NULL if the group has none.
 */
struct user_timer *twheel_group_first(struct timer_set *set, u64 tag)
{
	struct rb_node *node = rb_find(&tag, &set->groups, group_compare);

	timer_set_assert_locked(set);

	return node ? rb_entry(node, struct timer_extra, group)->t : NULL;
}
