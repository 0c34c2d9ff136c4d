// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: groups: timers of a set that are cancelled together
 *
 * A group exists while it has members. Only timers in a group take memory and time for it.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "group.h"

/**
 * struct group - timers with the same tag
 * @node: The place in the set's table.
 * @tag: The tag.
 * @members: The members that a cancel of the group ends: all but NEW timers, whose
 *	handles the program does not know yet.
 * @size: How many members there are, including NEW timers.
 * @rcu: Frees the group after a grace period: readers of the table may still see it.
 */
struct group {
	struct rhash_head	node;
	u64			tag;
	struct list_head	members;
	unsigned int		size;
	struct rcu_head		rcu;
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

static const struct rhashtable_params group_params = {
	.head_offset		= offsetof(struct group, node),
	.key_offset		= offsetof(struct group, tag),
	.key_len		= sizeof_field(struct group, tag),
	.automatic_shrinking	= true,
};

static void group_free_table(struct rhashtable *table)
{
	if (!table)
		return;
	rhashtable_destroy(table);
	kfree(table);
}

/**
 * twheel_group_setup - allocate the table of groups, if a set has none yet
 * @set: The set.
 *
 * A set without groups has no table, because freeing a table waits for a grace period in
 * some kernels.
 *
 * Return: 0 or a negative errno of rhashtable_init().
 */
int twheel_group_setup(struct timer_set *set)
{
	struct rhashtable *spare;
	int ret;

	if (READ_ONCE(set->groups))
		return 0;
	spare = kmalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return -ENOMEM;
	ret = rhashtable_init(spare, &group_params);
	if (ret) {
		kfree(spare);
		return ret;
	}
	timer_set_lock(set);
	if (!set->groups) {
		WRITE_ONCE(set->groups, spare);
		spare = NULL;
	}
	timer_set_unlock(set);
	group_free_table(spare);
	return 0;
}

/**
 * twheel_group_release - free the table of groups
 * @set: The set, which no other code uses any more. All timers have left their groups.
 */
void twheel_group_release(struct timer_set *set)
{
	group_free_table(set->groups);
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
 * @set: The set, locked, for which twheel_group_setup() has been called.
 * @t: The timer; the @member in its extra is from twheel_group_new_member().
 *
 * Return: 0; or a negative errno of rhashtable_insert_fast(), and the timer has not
 * joined: -ENOMEM, or -EBUSY while the table is being enlarged.
 */
int twheel_group_join(struct timer_set *set, struct user_timer *t)
{
	struct group_member *member = t->extra->member;
	struct group *group;
	int ret;

	timer_set_assert_locked(set);

	group = rhashtable_lookup_fast(set->groups, &member->group->tag,
				       group_params);
	if (group) {
		kfree(member->group);
		member->group = group;
	} else {
		ret = rhashtable_insert_fast(set->groups, &member->group->node,
					     group_params);
		if (ret)
			return ret;
	}
	member->group->size++;
	member->t = t;
	return 0;
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
 * @set: The set, locked.
 * @t: A timer in a group.
 */
void twheel_group_leave(struct timer_set *set, struct user_timer *t)
{
	struct group_member *member = t->extra->member;

	timer_set_assert_locked(set);

	list_del(&member->node);
	if (!--member->group->size) {
		rhashtable_remove_fast(set->groups, &member->group->node,
				       group_params);
		kfree_rcu(member->group, rcu);
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
	struct group *group = NULL;
	unsigned int n = 0;

	timer_set_assert_locked(set);

	if (set->groups)
		group = rhashtable_lookup_fast(set->groups, &tag, group_params);
	if (!group)
		return 0;
	list_for_each_entry(member, &group->members, node) {
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
