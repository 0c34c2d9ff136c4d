// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: groups: timers of a set that are cancelled together
 *
 * A group exists while it has members. Only timers in a group take memory and time for it.
 * The groups of a set are in a tree. A hash table would take memory that no cgroup is charged
 * for, and time of a worker that no program is charged for.
 */
#include <linux/rbtree.h>
#include <linux/slab.h>
#include "group.h"

/**
 * struct group - timers with the same tag
 * @node: The place in the set's tree.
 * @tag: The tag.
 * @members: The members that a cancel of the group ends: all but NEW timers, whose
 *	handles the program does not know yet.
 * @size: How many members there are, including NEW timers.
 */
struct group {
	struct rb_node		node;
	u64			tag;
	struct list_head	members;
	unsigned int		size;
};

/**
 * struct group_member - a timer's place in a group
 * @node: The place in the group's list.
 * @t: The timer.
 * @group: The group. Until the timer has joined: a spare group, in case the set has no
 *	group with this tag.
 */
struct group_member {
	struct list_head	node;
	struct user_timer	*t;
	struct group		*group;
};

static struct group *group_of(struct rb_node *node)
{
	return rb_entry(node, struct group, node);
}

static int group_compare_tag(const void *tag, const struct rb_node *node)
{
	u64 other = rb_entry(node, struct group, node)->tag;

	return *(const u64 *)tag < other ? -1 : *(const u64 *)tag > other;
}

static int group_compare(struct rb_node *new, const struct rb_node *node)
{
	return group_compare_tag(&group_of(new)->tag, node);
}

/**
 * twheel_group_new_member - allocate a place in a group
 * @tag: The group's tag.
 *
 * Context: process.
 *
 * Return: The place in a group, or %NULL.
 */
struct group_member *twheel_group_new_member(u64 tag)
{
	struct group_member *member = kmalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);

	if (!member)
		return NULL;
	member->group = kmalloc(sizeof(*member->group), GFP_KERNEL_ACCOUNT);
	if (!member->group) {
		kfree(member);
		return NULL;
	}
	INIT_LIST_HEAD(&member->node);
	member->group->tag = tag;
	member->group->size = 0;
	INIT_LIST_HEAD(&member->group->members);
	return member;
}

/**
 * twheel_group_free_member - free a place in a group that no timer has taken
 * @member: From twheel_group_new_member(), or %NULL.
 */
void twheel_group_free_member(struct group_member *member)
{
	if (member)
		kfree(member->group);
	kfree(member);
}

/**
 * twheel_group_join - put a timer into its group
 * @set: The set, locked.
 * @t: The timer; the @member in its extra is from twheel_group_new_member().
 */
void twheel_group_join(struct timer_set *set, struct user_timer *t)
{
	struct group_member *member = t->extra->member;
	struct rb_node *node;

	timer_set_assert_locked(set);

	node = rb_find_add(&member->group->node, &set->groups, group_compare);
	if (node) {
		kfree(member->group);
		member->group = group_of(node);
	}
	member->group->size++;
	member->t = t;
}

/**
 * twheel_group_enlist - let a timer be cancelled with its group
 * @t: A timer in a group that is no longer NEW; its set is locked.
 */
void twheel_group_enlist(struct user_timer *t)
{
	struct group_member *member = t->extra->member;

	timer_set_assert_locked(user_timer_set(t));

	list_add_tail(&member->node, &member->group->members);
}

/**
 * twheel_group_leave - take a timer out of its group
 * @t: A timer in a group, its set locked.
 */
void twheel_group_leave(struct user_timer *t)
{
	struct group_member *member = t->extra->member;
	struct timer_set *set = user_timer_set(t);

	timer_set_assert_locked(set);

	list_del(&member->node);
	if (!--member->group->size) {
		rb_erase(&member->group->node, &set->groups);
		kfree(member->group);
	}
	kfree(member);
}

/**
 * twheel_group_some - find timers of a group
 * @set: The set, locked.
 * @tag: The group's tag.
 * @t: For the timers.
 * @max: How many timers @t has room for.
 *
 * Return: How many timers were found. None of them is NEW.
 */
unsigned int twheel_group_some(struct timer_set *set, u64 tag, struct user_timer **t,
			       unsigned int max)
{
	struct group_member *member;
	struct rb_node *node;
	unsigned int n = 0;

	timer_set_assert_locked(set);

	node = rb_find(&tag, &set->groups, group_compare_tag);
	if (!node)
		return 0;
	list_for_each_entry(member, &group_of(node)->members, node) {
		if (n == max)
			break;
		t[n++] = member->t;
	}
	return n;
}

/**
 * twheel_group_tag - find the group of a timer
 * @t: The timer; its set is locked.
 *
 * Return: The tag, or 0 if the timer is in no group.
 */
u64 twheel_group_tag(const struct user_timer *t)
{
	struct group_member *member = user_timer_member(t);

	timer_set_assert_locked(user_timer_set(t));

	return member ? member->group->tag : 0;
}
