// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: how much a user may hold, over all descriptors
 *
 * A descriptor counts against the user who opened it, also after it has been passed
 * to another user.
 *
 * A user namespace can give a user many user ids. So what is opened in a namespace counts
 * against the owner of the namespace. If the namespaces are nested, it counts against
 * the owner of the outermost one. The owners in between need no count: the limit is the
 * same for all, and the outermost owner holds at least as much as any owner below.
 *
 * Root is an exception, because root runs containers for different users. Each outermost
 * namespace of root's counts by itself, and outside of user namespaces so does each of root's
 * cgroups.
 *
 * A container of root need not have a user namespace. Then its root may change to any user id, and
 * each id would have limits of its own. So whatever is opened in a cgroup namespace of root's
 * counts against the cgroup that is the root of that namespace, for any user id and in any user
 * namespace. The container can change neither.
 *
 * The limits do not bind an opener with CAP_SYS_RESOURCE. The capability is asked for
 * when a limit would be passed for the first time, and not at open(): a security module
 * may log the question.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include "quota.h"
#include "user_cpu.h"

/*
 * A user may hold one block for this many timers of the limit, and some blocks more. A
 * full block has at least three times as many timers, without lockdep. The blocks more are
 * for users with many descriptors: each descriptor has a block of its own.
 */
#define QUOTA_BLOCK_TIMERS	16U
#define QUOTA_MORE_BLOCKS	4096U

/*
 * With no more room than this below the limit, a user is charged for timers one by one. A batch
 * charges for up to %TWHEEL_CHUNK timers ahead while it holds the lock of its set, and may give
 * some of them back. The limit must not refuse another set of the user because of such timers,
 * while up to %TWHEEL_CHUNK sets do so at once.
 */
#define QUOTA_NEAR_LIMIT	(TWHEEL_CHUNK * TWHEEL_CHUNK)

static unsigned int max_timers_user = 1U << 20;
module_param(max_timers_user, uint, 0644);
MODULE_PARM_DESC(max_timers_user, "Timers that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 1048576)");

static unsigned int max_leases_user = 1U << 17;
module_param(max_leases_user, uint, 0644);
MODULE_PARM_DESC(max_leases_user, "Timers with a lease that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 131072)");

/**
 * struct user_quota - what a user holds, over all open files
 * @node: The place in the list of quotas.
 * @uid: The user's id in the initial user namespace.
 * @ns: The user namespace, if it is one of root's that counts by itself; or %NULL.
 * @cgroup: The id of the cgroup that the user counts in, if the user is root or in a
 *	container of root's; or 0.
 * @refs: How many open files the user has; under the list's lock.
 * @timers: How many timers these files have.
 * @blocks: How many blocks of memory these timers have, see twheel_quota_charge_blocks().
 * @pages: How many pages these files share with programs.
 * @leases: How many of the timers have a lease.
 * @cpus: What each CPU has to do for the user.
 * @rcu: Frees the quota.
 */
struct user_quota {
	struct list_head	node;
	kuid_t			uid;
	struct user_namespace	*ns;
	u64			cgroup;
	unsigned int		refs;
	atomic_t		timers;
	atomic_t		blocks;
	atomic_t		pages;
	atomic_t		leases;
	struct user_cpu __percpu *cpus;
	struct rcu_head		rcu;
};

/* A quota for each user with an open file. These are few, so a list is fast enough. */
static LIST_HEAD(quota_list);
/* A spinlock, because the holder of a mutex may lose its CPU, and all users need the lock. */
static DEFINE_SPINLOCK(quota_lock);

#ifdef CONFIG_CGROUPS
/*
 * Returns the id of the root of the caller's cgroup namespace, if the namespace was made in the
 * initial user namespace: only root can make such a one, or enter it. Returns 0 if the root is that
 * of all cgroups, as it is in the initial namespace: then the namespace tells no container.
 */
static u64 quota_container(void)
{
	const struct cgroup_namespace *ns = current->nsproxy->cgroup_ns;
	struct cgroup *root = ns->root_cset->dfl_cgrp;

	return cgroup_parent(root) && ns->user_ns == &init_user_ns ? cgroup_id(root) : 0;
}

static u64 quota_cgroup(void)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
	return id;
}
#else
static u64 quota_container(void)
{
	return 0;
}

static u64 quota_cgroup(void)
{
	return 0;
}
#endif

/* Fills in whom a file that the caller opens with @cred counts against. */
static void quota_find_user(struct user_quota *quota, const struct cred *cred)
{
	struct user_namespace *ns;

	quota->uid = GLOBAL_ROOT_UID;
	quota->ns = NULL;
	quota->cgroup = quota_container();
	if (quota->cgroup)
		return;
	quota->uid = cred->uid;
	/* The kernel limits how deep namespaces are nested, to 33. */
	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent) {
		quota->uid = ns->owner;
		quota->ns = uid_eq(ns->owner, GLOBAL_ROOT_UID) ? ns : NULL;
	}
	/* Root of a namespace may be able to make cgroups. */
	if (uid_eq(quota->uid, GLOBAL_ROOT_UID) && !quota->ns)
		quota->cgroup = quota_cgroup();
}

static struct user_quota *quota_find(const struct user_quota *user)
{
	struct user_quota *quota;

	list_for_each_entry(quota, &quota_list, node)
		if (uid_eq(quota->uid, user->uid) && quota->ns == user->ns &&
		    quota->cgroup == user->cgroup)
			return quota;
	return NULL;
}

static void quota_free_rcu(struct rcu_head *rcu)
{
	struct user_quota *quota = container_of(rcu, struct user_quota, rcu);

	free_percpu(quota->cpus);
	kfree(quota);
}

/* A wake-up may be under way: see wake.c. */
static void quota_free(struct user_quota *quota)
{
	put_user_ns(quota->ns);
	if (quota->cpus)
		twheel_user_cpu_stop(quota->cpus);
	call_rcu(&quota->rcu, quota_free_rcu);
}

static struct user_quota *quota_new(const struct user_quota *user)
{
	struct user_quota *quota = kmemdup(user, sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;
	get_user_ns(quota->ns);
	quota->cpus = twheel_user_cpu_new();
	if (quota->cpus)
		return quota;
	quota_free(quota);
	return NULL;
}

/**
 * twheel_quota_get - find or create the quota of a user
 * @cred: The credentials with which the caller opens a file.
 *
 * Context: process, in the task that opens the file.
 *
 * Return: The quota, or %NULL if there is no memory.
 */
struct user_quota *twheel_quota_get(const struct cred *cred)
{
	struct user_quota *quota, *spare = NULL;
	struct user_quota user = {};

	quota_find_user(&user, cred);
	spin_lock(&quota_lock);
	quota = quota_find(&user);
	if (!quota) {
		spin_unlock(&quota_lock);
		spare = quota_new(&user);
		if (!spare)
			return NULL;
		spin_lock(&quota_lock);
		quota = quota_find(&user);
	}
	if (!quota) {
		quota = spare;
		spare = NULL;
		list_add(&quota->node, &quota_list);
	}
	quota->refs++;
	spin_unlock(&quota_lock);
	if (spare)
		quota_free(spare);
	return quota;
}

/**
 * twheel_quota_cpus - find what each CPU has to do for a user
 * @quota: The user's quota.
 *
 * Return: The structures; they exist as long as the quota.
 */
struct user_cpu __percpu *twheel_quota_cpus(const struct user_quota *quota)
{
	return quota->cpus;
}

/**
 * twheel_quota_put - give a quota back
 * @quota: From twheel_quota_get(). The caller has uncharged all that it had charged.
 */
void twheel_quota_put(struct user_quota *quota)
{
	bool last;

	spin_lock(&quota_lock);
	last = !--quota->refs;
	if (last)
		list_del(&quota->node);
	spin_unlock(&quota_lock);
	if (last)
		quota_free(quota);
}

/**
 * twheel_quota_limit - how many timers a user may hold
 *
 * Return: The limit now.
 */
unsigned int twheel_quota_limit(void)
{
	return READ_ONCE(max_timers_user);
}

/**
 * twheel_quota_exempt - find out whether a set may exceed the user's limits
 * @set: A set that would exceed a limit.
 *
 * Asks for the capability once for each set: each denial may be logged.
 *
 * Context: any.
 *
 * Return: Whether the opener had CAP_SYS_RESOURCE.
 */
bool twheel_quota_exempt(struct timer_set *set)
{
	enum timer_set_exemption exemption = READ_ONCE(set->exemption);

	if (exemption == TIMER_SET_NOT_ASKED) {
		exemption = file_ns_capable(set->file, &init_user_ns, CAP_SYS_RESOURCE) ?
			    TIMER_SET_EXEMPT : TIMER_SET_LIMITED;
		WRITE_ONCE(set->exemption, exemption);
	}
	return exemption == TIMER_SET_EXEMPT;
}

/**
 * twheel_quota_seems_exempt - find out whether a set may exceed limits, without asking
 * @set: The set.
 *
 * The function looks at the opener's credentials only, and asks no security module. A
 * security module may refuse the capability to an opener whose credentials have it. Then
 * the function returns %true until a limit has refused the set something.
 *
 * Context: any.
 *
 * Return: Whether the opener seems to have had CAP_SYS_RESOURCE.
 */
bool twheel_quota_seems_exempt(const struct timer_set *set)
{
	enum timer_set_exemption exemption = READ_ONCE(set->exemption);
	const struct cred *cred = set->file->f_cred;

	if (exemption != TIMER_SET_NOT_ASKED)
		return exemption == TIMER_SET_EXEMPT;
	return cred->user_ns == &init_user_ns &&
	       cap_raised(cred->cap_effective, CAP_SYS_RESOURCE);
}

/**
 * twheel_quota_shown_limit - tell how many timers a user may hold
 * @set: A set of the user's.
 *
 * Return: The limit now; or %U64_MAX if the set may exceed it, as far as
 * twheel_quota_seems_exempt() knows.
 */
u64 twheel_quota_shown_limit(const struct timer_set *set)
{
	if (twheel_quota_seems_exempt(set))
		return U64_MAX;
	return twheel_quota_limit();
}

/* Adds @more to @count, unless the sum is above @limit. */
static bool quota_add(atomic_t *count, int limit, int more)
{
	int old = atomic_read(count);

	do {
		if (old > limit - more)
			return false;
	} while (!atomic_try_cmpxchg_relaxed(count, &old, old + more));
	return true;
}

/* Returns @limit, or INT_MAX if the set is known to be exempt from limits. */
static int quota_limit_of(const struct timer_set *set, u64 limit)
{
	if (READ_ONCE(set->exemption) == TIMER_SET_EXEMPT)
		return INT_MAX;
	return min_t(u64, limit, INT_MAX);
}

/* Adds @more to @count, if the set may exceed @limit or does not. */
static bool quota_add_for(struct timer_set *set, atomic_t *count, int limit, int more)
{
	if (quota_add(count, limit, more))
		return true;
	return twheel_quota_exempt(set) && quota_add(count, INT_MAX, more);
}

/**
 * twheel_quota_charge - charge a user for timers
 * @set: The set to which the caller is about to add timers, locked.
 * @timers: How many timers.
 *
 * Before the caller unlocks the set, it uncharges the timers that it has not added. Near the limit
 * the function charges only one timer at a time. So it refuses no caller because of timers that
 * another caller is about to uncharge.
 *
 * Return: How many timers have been charged; 0 if there is no room.
 */
unsigned int twheel_quota_charge(struct timer_set *set, unsigned int timers)
{
	atomic_t *count = &set->quota->timers;
	int limit = quota_limit_of(set, twheel_quota_limit());

	timer_set_assert_locked(set);

	if (quota_add(count, limit - (int)QUOTA_NEAR_LIMIT, timers))
		return timers;
	return quota_add_for(set, count, limit, 1);
}

/* Returns how many blocks the user of @set may hold. */
static int quota_block_limit(const struct timer_set *set)
{
	u64 most = DIV_ROUND_UP_ULL(twheel_quota_limit(), QUOTA_BLOCK_TIMERS) +
		   QUOTA_MORE_BLOCKS;

	return quota_limit_of(set, most);
}

/**
 * twheel_quota_charge_blocks - charge a user for memory of timers
 * @set: The set for which the caller is about to allocate the memory.
 * @blocks: How many blocks of %TIMER_BLOCK_SIZE bytes: blocks of timers, and what else the timers
 *	need that grows with them.
 *
 * Return: %true; or %false, and nothing is charged, if the blocks would be too many.
 */
bool twheel_quota_charge_blocks(struct timer_set *set, unsigned int blocks)
{
	static_assert(TIMER_BLOCK_TIMERS > QUOTA_BLOCK_TIMERS);

	return quota_add_for(set, &set->quota->blocks, quota_block_limit(set), blocks);
}

/**
 * twheel_quota_uncharge_blocks - give back charged blocks
 * @quota: The user's quota.
 * @blocks: How many blocks, whose memory has been freed.
 */
void twheel_quota_uncharge_blocks(struct user_quota *quota, unsigned int blocks)
{
	atomic_sub(blocks, &quota->blocks);
}

/**
 * twheel_quota_charge_lease - charge a user for a lease
 * @set: The set that is about to give out a lease.
 *
 * Return: %true; or %false, and nothing is charged, if the leases would be too many.
 */
bool twheel_quota_charge_lease(struct timer_set *set)
{
	return quota_add_for(set, &set->quota->leases,
			     quota_limit_of(set, READ_ONCE(max_leases_user)), 1);
}

/**
 * twheel_quota_uncharge_lease - give back a charged lease
 * @quota: The user's quota.
 */
void twheel_quota_uncharge_lease(struct user_quota *quota)
{
	atomic_dec(&quota->leases);
}

/**
 * twheel_quota_charge_pages - charge a user for shared pages
 * @set: The set that is about to share pages with the program.
 * @pages: How many pages.
 *
 * All descriptors of a user together may share as many pages as one descriptor may: one
 * that holds all timers of the user, and has both a table and a ring of the largest size.
 *
 * Return: %true; or %false, and nothing is charged, if the pages would be too many.
 */
bool twheel_quota_charge_pages(struct timer_set *set, unsigned int pages)
{
	u64 timers = twheel_quota_limit();
	u64 most = 2 * (DIV_ROUND_UP_ULL(timers * sizeof(struct twheel_event),
					 PAGE_SIZE) + 1);

	return quota_add_for(set, &set->quota->pages, quota_limit_of(set, most), pages);
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

/**
 * twheel_quota_memory - measure the memory of a user's blocks and shared pages
 * @quota: The user's quota.
 *
 * Return: The memory in bytes, over all descriptors.
 */
u64 twheel_quota_memory(const struct user_quota *quota)
{
	return (u64)atomic_read(&quota->blocks) * TIMER_BLOCK_SIZE +
	       (u64)atomic_read(&quota->pages) * PAGE_SIZE;
}
