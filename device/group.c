// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: groups: timers of a set that are ended together
 *
 * A group is there as long as it has timers. What it takes to be in one is
 * allocated for those timers only that are.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "timer_set.h"

/**
 * struct group - timers with the same tag
 * @node: In the set's table.
 * @tag: The tag.
 * @members: Its members that are more than NEW: a timer that no program knows
 *	cannot be ended by one.
 * @size: All its members.
 * @rcu: The table's readers may see it a little longer.
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
 * @node: In the group's list.
 * @t: The timer.
 * @group: The group; before it joins, a new one for it if there is none.
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

static void free_table(struct rhashtable *table)
{
	if (!table)
		return;
	rhashtable_destroy(table);
	kfree(table);
}

/**
 * twheel_group_setup - see to it that a set can have groups
 * @set: The set.
 *
 * A set that never has one does without the table, the end of which takes a
 * grace period in some kernels.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_group_setup(struct timer_set *set)
{
	struct rhashtable *spare;

	if (READ_ONCE(set->groups))
		return 0;
	spare = kmalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare || rhashtable_init(spare, &group_params)) {
		kfree(spare);
		return -ENOMEM;
	}
	lock_set(set);
	if (!set->groups) {
		WRITE_ONCE(set->groups, spare);
		spare = NULL;
	}
	unlock_set(set);
	free_table(spare);
	return 0;
}

/**
 * twheel_group_release - remove the table; nobody uses the set any more
 * @set: The set. All timers have left their groups.
 */
void twheel_group_release(struct timer_set *set)
{
	free_table(set->groups);
}

/**
 * twheel_group_new_member - allocate what a timer in a group needs
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
 * twheel_group_free_member - free a place in a group that was not taken
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
 * @t: The timer; its extra's @member is one from twheel_group_new_member().
 *
 * Return: 0, or -ENOMEM; then the place has not been taken.
 */
int twheel_group_join(struct timer_set *set, struct user_timer *t)
{
	struct group_member *member = t->extra->member;
	struct group *group;

	lockdep_assert_held(&set->timers.xa_lock);

	group = rhashtable_lookup_fast(set->groups, &member->group->tag,
				       group_params);
	if (group) {
		kfree(member->group);
		member->group = group;
	} else if (rhashtable_insert_fast(set->groups, &member->group->node,
					  group_params)) {
		return -ENOMEM;
	}
	member->group->size++;
	member->t = t;
	return 0;
}

/**
 * twheel_group_enlist - let a timer be ended along with its group
 * @t: A timer that is in one; its set is locked.
 */
void twheel_group_enlist(struct user_timer *t)
{
	struct group_member *member = t->extra->member;

	lockdep_assert_held(&set_of(t)->timers.xa_lock);

	list_add_tail(&member->node, &member->group->members);
}

/**
 * twheel_group_leave - take a timer out of its group
 * @set: The set, locked.
 * @t: A timer that is in one.
 */
void twheel_group_leave(struct timer_set *set, struct user_timer *t)
{
	struct group_member *member = t->extra->member;

	lockdep_assert_held(&set->timers.xa_lock);

	list_del(&member->node);
	if (!--member->group->size) {
		rhashtable_remove_fast(set->groups, &member->group->node,
				       group_params);
		kfree_rcu(member->group, rcu);
	}
	kfree(member);
}

/**
 * twheel_group_first - find some timer of a group
 * @set: The set, locked.
 * @tag: The group's tag.
 *
 * Return: The timer, which is not NEW; or %NULL if there is none.
 */
struct user_timer *twheel_group_first(struct timer_set *set, u64 tag)
{
	struct group_member *member = NULL;
	struct group *group;

	lockdep_assert_held(&set->timers.xa_lock);

	if (!set->groups)
		return NULL;
	group = rhashtable_lookup_fast(set->groups, &tag, group_params);
	if (group)
		member = list_first_entry_or_null(&group->members,
						  struct group_member, node);
	return member ? member->t : NULL;
}

/**
 * twheel_group_tag - which group a timer is in
 * @t: The timer; its set is locked.
 *
 * Return: The tag, or 0.
 */
u64 twheel_group_tag(const struct user_timer *t)
{
	struct group_member *member = member_of(t);

	return member ? member->group->tag : 0;
}
