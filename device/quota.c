// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: what a user may hold, over all descriptors
 *
 * A descriptor counts against the user who opened it, also after it has been passed to another
 * user.
 *
 * A user namespace can give a user many user ids. So what is opened in a namespace counts against
 * the owner of the outermost namespace. The owners in between need no count: the limit is the same
 * for all, and the outermost owner holds at least as much as any owner below.
 *
 * Root is an exception, because root runs containers for different users. Each outermost namespace
 * of root's counts by itself, and outside of user namespaces so does each of root's cgroups.
 *
 * A container of root need not have a user namespace. Then its root may change to any user id, and
 * each id would have limits of its own. So whatever is opened in a cgroup namespace of root's
 * counts against the cgroup that is the root of that namespace, for any user id and in any user
 * namespace. The container can change neither.
 *
 * The limits do not bind an opener with CAP_SYS_RESOURCE. The kernel asks for the capability when
 * a limit would be passed for the first time, and not at open(): a security module may log it.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include "quota.h"
#include "user_cpu.h"

/*
 * A user may hold one block for this many timers of the limit, and some blocks more. A full block
 * has more than three times as many timers. The blocks more are for users with many descriptors:
 * each descriptor has a block of its own.
 */
#define QUOTA_BLOCK_TIMERS	16U
#define QUOTA_MORE_BLOCKS	4096U

/*
 * A batch charges for up to %TWHEEL_CHUNK timers ahead while it holds the lock of its set, and up
 * to %TWHEEL_CHUNK sets of a user do so at once. The limit must not refuse a timer because of those
 * that are charged ahead. So this near to the limit, timers are charged one at a time.
 */
#define QUOTA_NEAR_LIMIT	(TWHEEL_CHUNK * TWHEEL_CHUNK)

static unsigned int max_timers_user = 1U << 20;
module_param(max_timers_user, uint, 0644);
MODULE_PARM_DESC(max_timers_user, "Timers that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 1048576)");

static unsigned int max_leases_user = 1U << 17;
module_param(max_leases_user, uint, 0644);
MODULE_PARM_DESC(max_leases_user, "Timers with a lease that a user without CAP_SYS_RESOURCE may hold, over all descriptors (default 131072)");

/* What a user holds. */
struct user_quota {
	struct list_head	node;
	/* In the initial user namespace. */
	kuid_t			uid;
	/* If the namespace is one of root's that counts by itself; or %NULL. */
	struct user_namespace	*ns;
	/* The id of the cgroup that counts, of root's or of a container of root's; or 0. */
	u64			cgroup;
	/* How many open files the user has. The last one goes, and others come, under the lock. */
	refcount_t		refs;
	atomic_t		count[QUOTA_COUNTS];
	/* What each CPU has to do for the user. */
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
static u64 quota_container(void) { return 0; }
static u64 quota_cgroup(void) { return 0; }
#endif

/* Fills in whom a file that the caller opens with @cred counts against. */
static void quota_find_user(struct user_quota *quota, const struct cred *cred)
{
	struct user_namespace *ns;

	quota->uid = GLOBAL_ROOT_UID;
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

/* After a grace period of RCU: a turn may be under way (user_cpu.c). */
static void quota_free(struct rcu_head *rcu)
{
	struct user_quota *quota = container_of(rcu, struct user_quota, rcu);

	put_user_ns(quota->ns);
	free_percpu(quota->cpus);
	kfree(quota);
}

/* Finds the quota of @user, for one more open file. If there is none, @spare becomes it. */
static struct user_quota *quota_find(const struct user_quota *user, struct user_quota *spare)
{
	struct user_quota *quota;

	spin_lock(&quota_lock);
	list_for_each_entry(quota, &quota_list, node) {
		if (uid_eq(quota->uid, user->uid) && quota->ns == user->ns &&
		    quota->cgroup == user->cgroup) {
			refcount_inc(&quota->refs);
			goto out_unlock;
		}
	}
	quota = spare;
	if (quota)
		list_add(&quota->node, &quota_list);
out_unlock:
	spin_unlock(&quota_lock);
	return quota;
}

/* Finds or creates the quota of @user, which gets one more open file. */
static struct user_quota *quota_get(const struct user_quota *user)
{
	struct user_quota *quota = quota_find(user, NULL), *spare;

	if (quota)
		return quota;
	spare = kmemdup(user, sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return NULL;
	get_user_ns(spare->ns);
	refcount_set(&spare->refs, 1);
	spare->cpus = twheel_user_cpu_new();
	if (spare->cpus)
		quota = quota_find(user, spare);
	if (quota != spare)
		call_rcu(&spare->rcu, quota_free);
	return quota;
}

/* Has @set count against the user who opens its file now. Returns false if there is no memory. */
bool twheel_quota_get(struct timer_set *set)
{
	const struct cred *cred = set->file->f_cred;
	struct user_quota user = { };

	quota_find_user(&user, cred);
	set->quota = quota_get(&user);
	if (!set->quota)
		return false;
	set->user = set->quota->cpus;
	if (cred->user_ns == &init_user_ns && cap_raised(cred->cap_effective, CAP_SYS_RESOURCE))
		set->exemption = TIMER_SET_NOT_ASKED;
	return true;
}

/* Gives back a quota. The caller has uncharged all that the file was charged for. */
void twheel_quota_put(struct user_quota *quota)
{
	if (!refcount_dec_and_lock(&quota->refs, &quota_lock))
		return;
	list_del(&quota->node);
	spin_unlock(&quota_lock);
	call_rcu(&quota->rcu, quota_free);
}

/* Returns how much of @what the user of @set may hold; %INT_MAX if the set is exempt. */
static s64 quota_limit(const struct timer_set *set, enum quota_what what)
{
	u64 timers = READ_ONCE(max_timers_user);

	static_assert(TIMER_BLOCK_TIMERS > QUOTA_BLOCK_TIMERS);

	if (READ_ONCE(set->exemption) == TIMER_SET_EXEMPT)
		return INT_MAX;
	switch (what) {
	case QUOTA_BLOCKS:
		return DIV_ROUND_UP_ULL(timers, QUOTA_BLOCK_TIMERS) + QUOTA_MORE_BLOCKS;
	case QUOTA_PAGES:
		/* As one set that has all of the timers, and the largest table and ring. */
		return 2 * (DIV_ROUND_UP_ULL(timers * sizeof(struct twheel_event), PAGE_SIZE) + 1);
	case QUOTA_LEASES:
		return READ_ONCE(max_leases_user);
	default:
		return timers;
	}
}

/* Adds @more to @count, unless the sum is above @limit or does not fit. */
static bool quota_add(atomic_t *count, s64 limit, unsigned int more)
{
	int old = atomic_read(count);

	do {
		if ((s64)old + more > min_t(s64, limit, INT_MAX))
			return false;
	} while (!atomic_try_cmpxchg_relaxed(count, &old, old + more));
	return true;
}

/* Charges the user of @set for @n. Returns false, and charges nothing, if a limit forbids it. */
bool twheel_quota_charge(struct timer_set *set, enum quota_what what, unsigned int n)
{
	atomic_t *count = &set->quota->count[what];

	if (quota_add(count, quota_limit(set, what), n))
		return true;
	/* Mostly asks once for each set, because a denial may be logged. */
	if (READ_ONCE(set->exemption) == TIMER_SET_NOT_ASKED)
		WRITE_ONCE(set->exemption,
			   file_ns_capable(set->file, &init_user_ns, CAP_SYS_RESOURCE) ?
			   TIMER_SET_EXEMPT : TIMER_SET_LIMITED);
	return READ_ONCE(set->exemption) == TIMER_SET_EXEMPT && quota_add(count, INT_MAX, n);
}

/*
 * Charges for up to @timers. Returns for how many; 0 if there is no room. Before the caller unlocks
 * @set, it uncharges the timers that it has not added.
 */
unsigned int twheel_quota_charge_timers(struct timer_set *set, unsigned int timers)
{
	s64 limit = quota_limit(set, QUOTA_TIMERS);

	lockdep_assert_held(&set->lock);

	if (quota_add(&set->quota->count[QUOTA_TIMERS], limit - QUOTA_NEAR_LIMIT, timers))
		return timers;
	return twheel_quota_charge(set, QUOTA_TIMERS, 1);
}

/* Gives back what was charged. Memory has been freed before. */
void twheel_quota_uncharge(struct user_quota *quota, enum quota_what what, unsigned int n)
{
	atomic_sub(n, &quota->count[what]);
}

unsigned int twheel_quota_count(const struct user_quota *quota, enum quota_what what)
{
	return atomic_read(&quota->count[what]);
}

/*
 * Returns how many timers the user may hold; %U64_MAX if @set may exceed the limit, by the opener's
 * credentials. A security module that would object is not asked, because it may log the question.
 */
u64 twheel_quota_shown_limit(const struct timer_set *set)
{
	return READ_ONCE(set->exemption) == TIMER_SET_LIMITED ? READ_ONCE(max_timers_user) :
								U64_MAX;
}
