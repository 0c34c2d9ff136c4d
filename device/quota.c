// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how many timers and shared pages a user may hold, over all descriptors
 *
 * A descriptor counts for the user who opened it, wherever it is passed on to.
 */
#include <linux/cred.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include "engine/device.h"
#include "timer_set.h"

/* So few places are left that what is charged ahead by many at a time may take them. */
#define NEAR_LIMIT	((int)(CHUNK * CHUNK))

static unsigned int max_timers_user = 1U << 20;
module_param(max_timers_user, uint, 0644);
MODULE_PARM_DESC(max_timers_user, "Timers that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 1048576)");

/**
 * struct user_quota - a user's timers
 * @node: In the list of users.
 * @uid: The user, as the initial namespace knows it.
 * @refs: Open files; under the list's lock.
 * @timers: Timers of all of them.
 * @pages: Pages that they share with programs.
 * @lane: Of those that have none of their own, once there are very many; or 0.
 */
struct user_quota {
	struct list_head	node;
	kuid_t			uid;
	unsigned int		refs;
	atomic_t		timers;
	atomic_t		pages;
	int			lane;
};

/* There are as many as users have the device open: not many. */
static LIST_HEAD(quotas);
static DEFINE_MUTEX(quotas_lock);

static struct user_quota *find_quota(kuid_t uid)
{
	struct user_quota *quota;

	list_for_each_entry(quota, &quotas, node)
		if (uid_eq(quota->uid, uid))
			return quota;
	return NULL;
}

/**
 * twheel_quota_get - find or make the caller's quota
 *
 * Return: The quota, or %NULL for lack of memory.
 */
struct user_quota *twheel_quota_get(void)
{
	struct user_quota *quota;

	mutex_lock(&quotas_lock);
	quota = find_quota(current_uid());
	if (!quota) {
		quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
		if (!quota)
			goto out_unlock;
		quota->uid = current_uid();
		list_add(&quota->node, &quotas);
	}
	quota->refs++;
out_unlock:
	mutex_unlock(&quotas_lock);
	return quota;
}

/**
 * twheel_quota_put - give a quota back
 * @quota: From twheel_quota_get().
 */
void twheel_quota_put(struct user_quota *quota)
{
	mutex_lock(&quotas_lock);
	if (!--quota->refs) {
		list_del(&quota->node);
		if (quota->lane)
			twheel_lane_put(quota->lane);
		kfree(quota);
	}
	mutex_unlock(&quotas_lock);
}

/**
 * twheel_quota_limit - how many timers the user may hold
 * @limited: Whether a limit holds for the descriptor.
 *
 * Return: The limit as it stands now.
 */
unsigned int twheel_quota_limit(bool limited)
{
	return limited ? READ_ONCE(max_timers_user) : UINT_MAX;
}

/* Adds @more to @count, unless that is above @limit then. */
static bool charge(atomic_t *count, int limit, int more)
{
	int old = atomic_read(count);

	do {
		if (old > limit - more)
			return false;
	} while (!atomic_try_cmpxchg(count, &old, old + more));
	return true;
}

/**
 * twheel_quota_charge - count some timers more
 * @quota: Whose.
 * @limited: Whether a limit holds for the descriptor.
 * @timers: How many.
 *
 * As many as this are counted ahead, some of which the caller may give back: near
 * the limit they come one by one, so that nobody is refused on account of those.
 *
 * Return: How many of them have been counted; 0 if there is no room.
 */
unsigned int twheel_quota_charge(struct user_quota *quota, bool limited,
				 unsigned int timers)
{
	int limit = min_t(unsigned int, twheel_quota_limit(limited), INT_MAX);

	if (charge(&quota->timers, limit - NEAR_LIMIT, timers))
		return timers;
	return charge(&quota->timers, limit, 1);
}

/**
 * twheel_quota_charge_pages - count shared pages
 * @quota: Whose.
 * @limited: Whether a limit holds for the descriptor.
 * @pages: How many more.
 *
 * All descriptors of a user together may share as much as one could that held all
 * of the user's timers, with a table and a ring.
 *
 * Return: %false if that would be too many; then nothing is counted.
 */
bool twheel_quota_charge_pages(struct user_quota *quota, bool limited,
			       unsigned int pages)
{
	u64 timers = twheel_quota_limit(limited);
	u64 most = 2 * (DIV_ROUND_UP_ULL(timers * sizeof(struct twheel_event),
					 PAGE_SIZE) + 1);

	return charge(&quota->pages, min_t(u64, most, INT_MAX), pages);
}

/**
 * twheel_quota_uncharge_pages - count shared pages less
 * @quota: Whose.
 * @pages: How many.
 */
void twheel_quota_uncharge_pages(struct user_quota *quota, unsigned int pages)
{
	atomic_sub(pages, &quota->pages);
}

/**
 * twheel_quota_uncharge - count some timers less
 * @quota: Whose.
 * @timers: How many.
 */
void twheel_quota_uncharge(struct user_quota *quota, unsigned int timers)
{
	atomic_sub(timers, &quota->timers);
}

/**
 * twheel_quota_timers - how many timers the user holds
 * @quota: Whose.
 *
 * Return: The number, over all descriptors.
 */
unsigned int twheel_quota_timers(const struct user_quota *quota)
{
	return atomic_read(&quota->timers);
}

/**
 * twheel_quota_lane - where the timers of a user's small descriptors are served
 * @quota: Whose.
 *
 * Context: process, may sleep.
 *
 * Return: A lane; 0, everybody's, unless the user has very many timers in all.
 */
int twheel_quota_lane(struct user_quota *quota)
{
	int lane = READ_ONCE(quota->lane);

	if (lane || atomic_read(&quota->timers) < twheel_lane_threshold)
		return lane;
	mutex_lock(&quotas_lock);
	lane = quota->lane;
	if (!lane) {
		lane = max(twheel_lane_get(), 0);
		WRITE_ONCE(quota->lane, lane);
	}
	mutex_unlock(&quotas_lock);
	return lane;
}
