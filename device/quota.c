// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how many timers and shared pages a user may hold, over all descriptors
 *
 * A descriptor counts against the user who opened it, also after it has been passed
 * to another user.
 */
#include <linux/cred.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include "quota.h"
#include "timer_set.h"

/*
 * With no more room than this below the limit, timers are charged one by one. Batches
 * charge timers ahead and may give some of them back. The limit must not refuse another
 * caller because of such timers.
 */
#define QUOTA_NEAR_LIMIT	((int)(TWHEEL_CHUNK * TWHEEL_CHUNK))

static unsigned int max_timers_user = 1U << 20;
module_param(max_timers_user, uint, 0644);
MODULE_PARM_DESC(max_timers_user, "Timers that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 1048576)");

/**
 * struct user_quota - what a user holds, over all open files
 * @node: The place in the list of quotas.
 * @uid: The user's id in the initial user namespace.
 * @refs: How many open files the user has; under the list's lock.
 * @timers: How many timers these files have.
 * @pages: How many pages these files share with programs.
 */
struct user_quota {
	struct list_head	node;
	kuid_t			uid;
	unsigned int		refs;
	atomic_t		timers;
	atomic_t		pages;
};

/* A quota for each user with an open file. These are few, so a list is fast enough. */
static LIST_HEAD(quota_list);
static DEFINE_MUTEX(quota_lock);

static struct user_quota *quota_find(kuid_t uid)
{
	struct user_quota *quota;

	list_for_each_entry(quota, &quota_list, node)
		if (uid_eq(quota->uid, uid))
			return quota;
	return NULL;
}

/**
 * twheel_quota_get - find or create the quota of the calling user
 *
 * Return: The quota, or %NULL if there is no memory.
 */
struct user_quota *twheel_quota_get(void)
{
	struct user_quota *quota;

	mutex_lock(&quota_lock);
	quota = quota_find(current_uid());
	if (!quota) {
		quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
		if (!quota)
			goto out_unlock;
		quota->uid = current_uid();
		list_add(&quota->node, &quota_list);
	}
	quota->refs++;
out_unlock:
	mutex_unlock(&quota_lock);
	return quota;
}

/**
 * twheel_quota_put - give a quota back
 * @quota: From twheel_quota_get().
 */
void twheel_quota_put(struct user_quota *quota)
{
	mutex_lock(&quota_lock);
	if (!--quota->refs) {
		list_del(&quota->node);
		kfree(quota);
	}
	mutex_unlock(&quota_lock);
}

/**
 * twheel_quota_limit - how many timers a user may hold
 * @limited: Whether the limit applies to the descriptor.
 *
 * Return: The limit now.
 */
unsigned int twheel_quota_limit(bool limited)
{
	return limited ? READ_ONCE(max_timers_user) : UINT_MAX;
}

/* Adds @more to @count, unless the sum is above @limit. */
static bool quota_add(atomic_t *count, int limit, int more)
{
	int old = atomic_read(count);

	do {
		if (old > limit - more)
			return false;
	} while (!atomic_try_cmpxchg(count, &old, old + more));
	return true;
}

/**
 * twheel_quota_charge - charge a user for timers
 * @quota: The user's quota.
 * @limited: Whether the limit applies to the descriptor.
 * @timers: How many timers the caller is about to add.
 *
 * The caller uncharges the timers that it does not add. Near the limit the function
 * charges only one timer at a time. So it refuses no caller because of timers that
 * another caller is about to uncharge.
 *
 * Return: How many timers have been charged; 0 if there is no room.
 */
unsigned int twheel_quota_charge(struct user_quota *quota, bool limited,
				 unsigned int timers)
{
	int limit = min_t(unsigned int, twheel_quota_limit(limited), INT_MAX);

	if (quota_add(&quota->timers, limit - QUOTA_NEAR_LIMIT, timers))
		return timers;
	return quota_add(&quota->timers, limit, 1);
}

/**
 * twheel_quota_charge_pages - charge a user for shared pages
 * @quota: The user's quota.
 * @limited: Whether the limit applies to the descriptor.
 * @pages: How many pages.
 *
 * All descriptors of a user together may share as many pages as one descriptor may: one
 * that holds all timers of the user, and has both a table and a ring of the largest size.
 *
 * Return: %true; or %false, and nothing is charged, if the pages would be too many.
 */
bool twheel_quota_charge_pages(struct user_quota *quota, bool limited,
			       unsigned int pages)
{
	u64 timers = twheel_quota_limit(limited);
	u64 most = 2 * (DIV_ROUND_UP_ULL(timers * sizeof(struct twheel_event),
					 PAGE_SIZE) + 1);

	return quota_add(&quota->pages, min_t(u64, most, INT_MAX), pages);
}

/**
 * twheel_quota_uncharge_pages - give back charged pages
 * @quota: The user's quota.
 * @pages: How many pages.
 */
void twheel_quota_uncharge_pages(struct user_quota *quota, unsigned int pages)
{
	atomic_sub(pages, &quota->pages);
}

/**
 * twheel_quota_uncharge - give back charged timers
 * @quota: The user's quota.
 * @timers: How many timers.
 */
void twheel_quota_uncharge(struct user_quota *quota, unsigned int timers)
{
	atomic_sub(timers, &quota->timers);
}

/**
 * twheel_quota_timers - count the timers of a user
 * @quota: The user's quota.
 *
 * Return: How many timers the user holds, over all descriptors.
 */
unsigned int twheel_quota_timers(const struct user_quota *quota)
{
	return atomic_read(&quota->timers);
}
