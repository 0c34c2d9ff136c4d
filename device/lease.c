// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the descriptor of a lease
 *
 * The owner of a timer gives the descriptor to another process, its holder. The holder can push the
 * timer's deadline back, ask how much time is left, and poll for the end of the lease.
 *
 * The file of a lease holds no reference to another file. So a lease that is sent over a socket
 * adds no cycle for the garbage collector of AF_UNIX, and the owner's timers end with the owner's
 * descriptor, whatever the holders do.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "calls.h"
#include "quota.h"
#include "turn.h"

/*
 * Locks the set of a lease. Returns the timer, or NULL if the lease has ended: whether the timer
 * has expired is a matter of the clock, and not of whether the owner has turned the wheel.
 */
static struct user_timer *lease_lock(struct timer_lease *lease, struct twheel_phase *phase)
	__acquires(&lease->set->lock)
{
	struct user_timer *t = NULL;

	spin_lock_bh(&lease->holders_lock);
	twheel_turn_lock(lease->set, phase);
	/* The timers of a set whose file is closed are being freed. */
	if (!lease->set->ended)
		t = lease->t;
	return t && !twheel_user_timer_has_expired(t, phase) ? t : NULL;
}

static void lease_unlock(struct timer_lease *lease)
	__releases(&lease->set->lock)
{
	spin_unlock_bh(&lease->set->lock);
	spin_unlock_bh(&lease->holders_lock);
}

/* Pushes the deadline to @ns from now, unless it is later already. */
static int lease_push(struct timer_lease *lease, u64 ns)
{
	struct twheel_phase phase;
	struct user_timer *t = lease_lock(lease, &phase);
	s64 deadline;

	if (t) {
		deadline = twheel_time_add(phase.now, ns);
		/* A later deadline needs no earlier visit. */
		if (deadline > t->deadline) {
			t->deadline = deadline;
			twheel_user_timer_arm(lease->set, t, user_timer_tick(t, &phase));
		}
	}
	lease_unlock(lease);
	return t ? 0 : -ENOENT;
}

/* Returns how much time is left, in ns; or -ENOENT. */
static s64 lease_left(struct timer_lease *lease)
{
	struct twheel_phase phase;
	struct user_timer *t = lease_lock(lease, &phase);
	s64 left = t ? max(t->deadline - phase.now, 0LL) : -ENOENT;

	lease_unlock(lease);
	return left;
}

static long lease_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct timer_lease *lease = file->private_data;
	void __user *argp = (void __user *)arg;
	s64 left;
	u64 ns;

	switch (cmd) {
	case TWHEEL_LEASE_IOC_PUSH:
		return arg ? -EINVAL : lease_push(lease, lease->cap);
	case TWHEEL_LEASE_IOC_PUSH_BY:
		if (copy_from_user(&ns, argp, sizeof(ns)))
			return -EFAULT;
		return ns > lease->cap ? -EINVAL : lease_push(lease, ns);
	case TWHEEL_LEASE_IOC_LEFT:
		left = lease_left(lease);
		if (left < 0)
			return left;
		return copy_to_user(argp, &left, sizeof(left)) ? -EFAULT : 0;
	default:
		return -ENOTTY;
	}
}

/* A write pushes to the cap. The bytes have no meaning and are not read. */
static ssize_t lease_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct timer_lease *lease = iocb->ki_filp->private_data;
	size_t count = iov_iter_count(from);
	int ret = count ? lease_push(lease, lease->cap) : 0;

	return ret ? ret : count;
}

static __poll_t lease_poll(struct file *file, poll_table *wait)
{
	struct timer_lease *lease = file->private_data;

	poll_wait(file, &lease->wait.queue, wait);
	/* A holder whose push has failed with ENOENT finds EPOLLHUP. */
	return lease_left(lease) < 0 ? EPOLLHUP : EPOLLOUT | EPOLLWRNORM;
}

static void lease_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct timer_lease *lease = file->private_data;
	s64 left = lease_left(lease);

	seq_printf(m, "twheel-lease-cap-ns:\t%llu\n", lease->cap);
	seq_printf(m, "twheel-lease-expire-on-close:\t%u\n", lease->flags);
	if (left >= 0)
		seq_printf(m, "twheel-lease-left-ns:\t%lld\n", left);
}

/* Lets a timer of a locked set expire because its lease was closed: the deadline becomes now. */
static void lease_expire(struct timer_set *set, struct user_timer *t,
			 const struct twheel_phase *phase)
{
	t->deadline = min(t->deadline, phase->now);
	t->flags |= USER_TIMER_LEASE_CLOSED;
	twheel_user_timer_end_lease(t);
	if (set->wheel.todo || set->wheel.next <= phase->tick) {
		/* Behind the timers that are due, and that no one has found yet. */
		t->node.flags = 0;
		twheel_wheel_change(&set->wheel, &t->node, phase->tick + 1);
		return;
	}
	twheel_wheel_drop(&set->wheel, &t->node);
	set->latest = max(set->latest, phase->now);
	atomic64_set(&t->node.state, set->latest);
	user_timer_ready(set, t, false);
}

/* The last copy of the lease has been closed. */
static int lease_release(struct inode *inode, struct file *file)
{
	struct timer_lease *lease = file->private_data;
	struct timer_set *set = lease->set;
	struct twheel_phase phase;
	struct user_timer *t;

	twheel_turn_lock(set, &phase);
	t = lease->t;
	if (t && lease->flags & TWHEEL_LEASE_EXPIRE_ON_CLOSE && !set->ended &&
	    !twheel_user_timer_has_expired(t, &phase)) {
		lease_expire(set, t, &phase);
		/* Perhaps nobody pays for this call, and the owner may have very many waiters. */
		twheel_user_cpu_visit_by(set, phase.tick + 1);
	} else if (t) {
		twheel_user_timer_end_lease(t);
	}
	list_del_init(&lease->ended);
	spin_unlock_bh(&set->lock);
	kfree_rcu(lease, rcu);
	twheel_set_put(set);
	return 0;
}

static const struct file_operations lease_fops = {
	.owner		= THIS_MODULE,
	.release	= lease_release,
	.write_iter	= lease_write,
	.poll		= lease_poll,
	.unlocked_ioctl	= lease_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.show_fdinfo	= lease_show_fdinfo,
};

/* Makes a file for a lease that has no timer yet. */
static struct file *lease_open(struct timer_set *set, const struct twheel_lease *arg)
{
	struct timer_lease *lease = kzalloc(sizeof(*lease), GFP_KERNEL_ACCOUNT);
	struct file *file;

	if (!lease)
		return ERR_PTR(-ENOMEM);
	lease->set = set;
	lease->cap = arg->cap_ns;
	lease->flags = arg->flags;
	spin_lock_init(&lease->holders_lock);
	twheel_waiters_init(&lease->wait);
	INIT_LIST_HEAD(&lease->ended);
	file = anon_inode_getfile("[twheel-lease]", &lease_fops, lease, O_RDWR);
	if (IS_ERR(file)) {
		kfree(lease);
		return file;
	}
	/* write() does not wait, so io_uring need not use a worker thread to write. */
	file->f_mode |= FMODE_NOWAIT;
	refcount_inc(&set->refs);
	return file;
}

/* Returns 0 if @t, which is from twheel_block_find(), may have a lease, or why not. */
static int lease_check(const struct user_timer *t, u64 handle, const struct twheel_phase *phase)
{
	if (!t || user_timer_handle(t) != handle || t->state == USER_TIMER_DEAD ||
	    t->flags & USER_TIMER_LEASE_CLOSED || twheel_user_timer_has_expired(t, phase))
		return -ENOENT;
	if (t->clockid != CLOCK_MONOTONIC || t->flags & TWHEEL_SHARED || user_timer_period(t))
		return -EINVAL;
	return t->extra && t->extra->lease ? -EBUSY : 0;
}

/* Gives a lease its timer. */
static int lease_begin(struct timer_lease *lease, u64 handle)
{
	struct timer_extra *extra = kzalloc(sizeof(*extra), GFP_KERNEL_ACCOUNT);
	struct timer_set *set = lease->set;
	struct twheel_phase phase;
	struct user_timer *t;
	int ret;

	if (!extra)
		return -ENOMEM;
	twheel_turn_begin(set, &phase);
	t = twheel_block_find(set, handle);
	ret = lease_check(t, handle, &phase);
	if (!ret && !twheel_quota_charge(set, QUOTA_LEASES, 1))
		ret = -EDQUOT;
	if (!ret) {
		if (!t->extra) {
			swap(t->extra, extra);
			twheel_user_timer_use_extra(set, t);
		}
		t->extra->lease = lease;
		lease->t = t;
		set->leases++;
	}
	twheel_turn_end(set, &phase);
	kfree(extra);
	return ret;
}

long twheel_lease_create(struct timer_set *set, void __user *argp)
{
	struct timer_lease *lease;
	struct twheel_lease arg;
	struct file *file;
	int ret;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (!arg.cap_ns || arg.cap_ns > S64_MAX || arg.fd ||
	    arg.flags & ~TWHEEL_LEASE_EXPIRE_ON_CLOSE ||
	    memchr_inv(arg.reserved, 0, sizeof(arg.reserved)))
		return -EINVAL;
	arg.fd = get_unused_fd_flags(O_CLOEXEC);
	if (arg.fd < 0)
		return arg.fd;
	file = lease_open(set, &arg);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto out_put_fd;
	}
	lease = file->private_data;
	ret = lease_begin(lease, arg.handle);
	if (ret)
		goto out_put_file;
	if (copy_to_user(argp, &arg, sizeof(arg))) {
		/* No program knows of the lease. It ends now, and its timer goes on. */
		spin_lock_bh(&set->lock);
		if (lease->t)
			twheel_user_timer_end_lease(lease->t);
		spin_unlock_bh(&set->lock);
		ret = -EFAULT;
		goto out_put_file;
	}
	fd_install(arg.fd, file);
	return 0;

out_put_file:
	fput(file);
out_put_fd:
	put_unused_fd(arg.fd);
	return ret;
}
