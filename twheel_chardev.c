// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: /dev/twheel
 *
 * The interface is described in include/uapi/linux/twheel.h. Here is how it is
 * kept.
 *
 * An open file has a set of timers; a handle is an index into its xarray and a
 * generation. The set's lock is the xarray's own. It is taken by the callbacks,
 * in softirq context, and nests outside the engine's.
 *
 * A timer's life
 *
 *	NEW -----> PENDING -----> READY -----> freed by read()
 *	 |          |   ^           |
 *	 |          |   +-----------+  changed, or periodic and read
 *	 v          v               v
 *	    freed, or DEAD while its callback may still come for it
 *
 * NEW has an index, but no program has been told its handle, and none can use
 * it: a timer is armed only when its handle has been written to the program's
 * memory. READY is in the list of events; its event is the timer itself, so
 * that nothing has to be allocated when it expires. read() copies events with
 * the lock held and page faults off, and only then takes them off the list.
 *
 * A callback that waits for the set's lock may find that the timer has been
 * armed anew, or cancelled, meanwhile. The first it sees by the timer being
 * pending. For the second the timer must still be there: a timer whose callback
 * runs is freed after a grace period, which a callback holds off, softirq
 * context being a read-side critical section.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <uapi/linux/twheel.h>
#include "twheel.h"
#include "twheel_compat.h"
#include "twheel_internal.h"

/* A handle: the generation above, the index below. */
#define INDEX_BITS	24
#define INDEX_MASK	((1U << INDEX_BITS) - 1)
#define INDEX_LIMIT	XA_LIMIT(0, INDEX_MASK)

#define BATCH_MAX	65536U
/* Operations and events that are handled between two looks around. */
#define CHUNK		64U

static unsigned int max_timers = INDEX_MASK + 1;
module_param(max_timers, uint, 0644);
MODULE_PARM_DESC(max_timers, "Timers that a descriptor may hold (default and most: 16777216)");

static unsigned int max_timers_user = 1U << 20;
module_param(max_timers_user, uint, 0644);
MODULE_PARM_DESC(max_timers_user, "The same where the opener lacks CAP_SYS_RESOURCE (default 1048576)");

enum timer_state { NEW, PENDING, READY, DEAD };

struct timer_set {
	struct xarray		timers;		/* its lock protects the set */
	struct list_head	ready;		/* in the order of expiry */
	u64			generation;	/* of the last handle given out */
	unsigned int		count;		/* timers in @timers */
	unsigned int		limit;		/* of @count; fixed at open */
	wait_queue_head_t	wait;
	struct tasklet_struct	wake;		/* once after each run of a wheel */
	struct rcu_head		rcu;
};

/* Everything but @timer is protected by the set's lock. */
struct user_timer {
	struct twheel_timer	timer;
	union {
		struct list_head ready;		/* READY */
		struct rcu_head	rcu;		/* DEAD */
	};
	struct timer_set	*set;
	u64			handle;
	u64			cookie;
	u64			deadline;	/* ns; not yet read, if READY */
	u64			period;		/* ns; 0: expires once */
	u64			expired;	/* ns; READY */
	enum timer_state	state;
};

static struct kmem_cache *user_timers;

static void lock_set(struct timer_set *set)
	__acquires(&set->timers.xa_lock)
{
	xa_lock_bh(&set->timers);
}

static void unlock_set(struct timer_set *set)
	__releases(&set->timers.xa_lock)
{
	xa_unlock_bh(&set->timers);
}

static void free_dead(struct rcu_head *rcu)
{
	kmem_cache_free(user_timers, container_of(rcu, struct user_timer, rcu));
}

/* Frees a timer that no handle leads to any more. */
static void free_timer(struct user_timer *t)
{
	lockdep_assert_held(&t->set->timers.xa_lock);

	if (twheel_try_cancel_sync(&t->timer) >= 0) {
		kmem_cache_free(user_timers, t);
		return;
	}
	twheel_cancel(&t->timer);
	t->state = DEAD;
	call_rcu(&t->rcu, free_dead);
}

static void remove_timer(struct timer_set *set, struct user_timer *t)
{
	if (t->state == READY)
		list_del(&t->ready);
	__xa_erase(&set->timers, t->handle & INDEX_MASK);
	set->count--;
	free_timer(t);
}

static void arm_timer(struct user_timer *t)
{
	t->state = PENDING;
	twheel_mod(&t->timer, twheel_tick_at(ns_to_ktime(t->deadline)));
}

static void timer_expired(struct twheel_timer *timer)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);
	struct timer_set *set = t->set;

	/* Already in softirq context. */
	xa_lock(&set->timers);
	if (t->state != PENDING || twheel_pending(timer))
		goto out_unlock;

	t->expired = ktime_get_ns();
	if (t->expired < t->deadline) {
		arm_timer(t);
		goto out_unlock;
	}
	t->state = READY;
	list_add_tail(&t->ready, &set->ready);
	tasklet_schedule(&set->wake);
out_unlock:
	xa_unlock(&set->timers);
}

static void wake_readers(struct tasklet_struct *wake)
{
	struct timer_set *set = container_of(wake, struct timer_set, wake);

	wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
}

/* NULL for a handle that is stale, foreign, made up, or not given out yet. */
static struct user_timer *find_timer(struct timer_set *set, u64 handle)
{
	struct user_timer *t = xa_load(&set->timers, handle & INDEX_MASK);

	lockdep_assert_held(&set->timers.xa_lock);

	return t && t->handle == handle && t->state != NEW ? t : NULL;
}

static u64 saturate(u64 time)
{
	return min_t(u64, time, S64_MAX);
}

/* Both times are below 2^63, so that their sum does not wrap. */
static u64 deadline_of(const struct twheel_op *op)
{
	if (op->flags & TWHEEL_ABSTIME)
		return op->time_ns;
	return saturate(ktime_get_ns() + op->time_ns);
}

static bool op_valid(const struct twheel_op *op)
{
	return !op->result && !op->reserved[0] && !op->reserved[1] &&
	       !(op->flags & ~TWHEEL_ABSTIME) && op->time_ns <= S64_MAX;
}

static bool add_valid(const struct twheel_op *op)
{
	return op_valid(op) && !op->handle && op->clockid == CLOCK_MONOTONIC &&
	       (!op->period_ns || (op->period_ns >= TICK_NSEC &&
				   op->period_ns <= S64_MAX));
}

static bool change_valid(const struct twheel_op *op)
{
	return op_valid(op) && !op->clockid && !op->cookie && !op->period_ns;
}

static bool handle_only(const struct twheel_op *op)
{
	return change_valid(op) && !op->flags && !op->time_ns;
}

/* Makes a timer and its handle, to be armed when the program has the handle. */
static struct user_timer *new_timer(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	u32 index;
	int ret;

	if (!add_valid(op))
		return ERR_PTR(-EINVAL);
	t = kmem_cache_zalloc(user_timers, GFP_KERNEL);
	if (!t)
		return ERR_PTR(-ENOMEM);
	twheel_setup(&t->timer, timer_expired, 0);
	t->set = set;
	t->cookie = op->cookie;
	t->period = op->period_ns;

	lock_set(set);
	ret = -EDQUOT;
	if (set->count >= set->limit)
		goto out_free;
	set->count++;
	/* May let go of the lock to allocate. */
	ret = __xa_alloc(&set->timers, &index, t, INDEX_LIMIT, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto out_uncount;
	t->handle = ++set->generation << INDEX_BITS | index;
	op->handle = t->handle;
	unlock_set(set);
	return t;

out_uncount:
	set->count--;
out_free:
	unlock_set(set);
	kmem_cache_free(user_timers, t);
	return ERR_PTR(ret);
}

static void start_timer(struct user_timer *t, const struct twheel_op *op)
{
	lock_set(t->set);
	t->deadline = deadline_of(op);
	arm_timer(t);
	unlock_set(t->set);
}

static void discard_timer(struct user_timer *t)
{
	struct timer_set *set = t->set;

	lock_set(set);
	remove_timer(set, t);
	unlock_set(set);
}

static int change_timer(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	int ret = -ENOENT;

	if (!change_valid(op))
		return -EINVAL;
	lock_set(set);
	t = find_timer(set, op->handle);
	if (t) {
		ret = t->state == READY ? TWHEEL_RETRACTED : 0;
		if (ret)
			list_del(&t->ready);
		t->deadline = deadline_of(op);
		arm_timer(t);
	}
	unlock_set(set);
	return ret;
}

static int cancel_timer(struct timer_set *set, struct twheel_op *op)
{
	struct user_timer *t;
	int ret = -ENOENT;

	if (!handle_only(op))
		return -EINVAL;
	lock_set(set);
	t = find_timer(set, op->handle);
	if (t) {
		ret = t->state == READY ? TWHEEL_RETRACTED : 0;
		remove_timer(set, t);
	}
	unlock_set(set);
	return ret;
}

static int query_timer(struct timer_set *set, struct twheel_op *op)
{
	u64 now = ktime_get_ns();
	struct user_timer *t;
	int ret = -ENOENT;

	if (!handle_only(op))
		return -EINVAL;
	lock_set(set);
	t = find_timer(set, op->handle);
	if (t) {
		ret = t->state == READY ? TWHEEL_EXPIRED : 0;
		op->cookie = t->cookie;
		op->clockid = CLOCK_MONOTONIC;
		op->time_ns = t->deadline > now ? t->deadline - now : 0;
		op->period_ns = t->period;
	}
	unlock_set(set);
	return ret;
}

/* A timer to be started or discarded by the caller goes to @added. */
static int run_op(struct timer_set *set, struct twheel_op *op,
		  struct user_timer **added)
{
	*added = NULL;
	switch (op->op) {
	case TWHEEL_OP_ADD:
		*added = new_timer(set, op);
		return PTR_ERR_OR_ZERO(*added);
	case TWHEEL_OP_CHANGE:
		return change_timer(set, op);
	case TWHEEL_OP_CANCEL:
		return cancel_timer(set, op);
	case TWHEEL_OP_QUERY:
		return query_timer(set, op);
	default:
		return -EINVAL;
	}
}

static bool op_writes(u32 opcode)
{
	return opcode == TWHEEL_OP_ADD || opcode == TWHEEL_OP_QUERY;
}

static long set_op(struct timer_set *set, void __user *argp, u32 opcode)
{
	struct user_timer *added;
	struct twheel_op op;
	long ret;

	if (copy_from_user(&op, argp, sizeof(op)))
		return -EFAULT;
	if (op.op)
		return -EINVAL;
	op.op = opcode;
	ret = run_op(set, &op, &added);
	op.op = 0;
	if (ret < 0 || !op_writes(opcode))
		return ret;
	if (copy_to_user(argp, &op, sizeof(op))) {
		if (added)
			discard_timer(added);
		return -EFAULT;
	}
	if (added)
		start_timer(added, &op);
	return ret;
}

/* Part of a batch, and the timers that it adds. */
struct chunk {
	struct twheel_op	op[CHUNK];
	struct user_timer	*added[CHUNK];
};

static int run_chunk(struct timer_set *set, struct chunk *chunk,
		     struct twheel_op __user *ops, unsigned int count)
{
	size_t size = array_size(count, sizeof(*ops));
	unsigned int i;
	bool lost;

	/* Writing them back as they are shows that the results can be written. */
	if (copy_from_user(chunk->op, ops, size) ||
	    copy_to_user(ops, chunk->op, size))
		return -EFAULT;
	for (i = 0; i < count; i++)
		chunk->op[i].result = run_op(set, &chunk->op[i], &chunk->added[i]);

	lost = copy_to_user(ops, chunk->op, size);
	for (i = 0; i < count; i++) {
		if (IS_ERR_OR_NULL(chunk->added[i]))
			continue;
		if (lost)
			discard_timer(chunk->added[i]);
		else
			start_timer(chunk->added[i], &chunk->op[i]);
	}
	return lost ? -EFAULT : 0;
}

static long set_batch(struct timer_set *set, void __user *argp)
{
	struct twheel_op __user *ops;
	struct twheel_batch batch;
	struct chunk *chunk;
	unsigned int done, n;
	int ret = 0;

	if (copy_from_user(&batch, argp, sizeof(batch)))
		return -EFAULT;
	if (!batch.count || batch.count > BATCH_MAX || batch.flags ||
	    memchr_inv(batch.reserved, 0, sizeof(batch.reserved)))
		return -EINVAL;
	if (batch.ops != (unsigned long)batch.ops)
		return -EFAULT;
	ops = u64_to_user_ptr(batch.ops);
	chunk = kmalloc(sizeof(*chunk), GFP_KERNEL);
	if (!chunk)
		return -ENOMEM;

	for (done = 0; done < batch.count; done += n) {
		n = min(batch.count - done, CHUNK);
		if (done && signal_pending(current))
			break;
		ret = run_chunk(set, chunk, ops + done, n);
		if (ret)
			break;
		cond_resched();
	}
	kfree(chunk);
	return done ? (long)done : ret;
}

static long set_info(struct timer_set *set, void __user *argp)
{
	struct twheel_info info = {
		.abi_major = TWHEEL_ABI_MAJOR,
		.abi_minor = TWHEEL_ABI_MINOR,
		.resolution_ns = TICK_NSEC,
		.max_batch = BATCH_MAX,
		.features = TWHEEL_FEATURE_BATCH | TWHEEL_FEATURE_PERIODIC |
			    TWHEEL_FEATURE_RETRACT,
		.clocks = BIT_ULL(CLOCK_MONOTONIC),
		.max_timers = set->limit,
		.timers = READ_ONCE(set->count),
		.min_period_ns = TICK_NSEC,
	};

	return copy_to_user(argp, &info, sizeof(info)) ? -EFAULT : 0;
}

static long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct timer_set *set = file->private_data;
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case TWHEEL_IOC_INFO:
		return set_info(set, argp);
	case TWHEEL_IOC_ADD:
		return set_op(set, argp, TWHEEL_OP_ADD);
	case TWHEEL_IOC_CHANGE:
		return set_op(set, argp, TWHEEL_OP_CHANGE);
	case TWHEEL_IOC_CANCEL:
		return set_op(set, argp, TWHEEL_OP_CANCEL);
	case TWHEEL_IOC_QUERY:
		return set_op(set, argp, TWHEEL_OP_QUERY);
	case TWHEEL_IOC_BATCH:
		return set_batch(set, argp);
	default:
		return -ENOTTY;
	}
}

/*
 * How many deadlines of @t have come by @now. A periodic timer is not armed
 * while it waits to be read, so that a short period cannot flood the machine;
 * what it would have done meanwhile is counted here.
 */
static u64 deadlines_passed(const struct user_timer *t, u64 now)
{
	return t->period ? div64_u64(now - t->deadline, t->period) + 1 : 1;
}

/* Takes an event that has been read off the list. */
static void event_read(struct timer_set *set, struct user_timer *t, u64 count)
{
	if (!t->period) {
		remove_timer(set, t);
		return;
	}
	list_del(&t->ready);
	t->deadline = saturate(t->deadline + count * t->period);
	arm_timer(t);
}

/*
 * Copies events until there are no more, the buffer is full or @max is
 * reached. Returns how many, or -EFAULT if the first one hit a page that is not
 * there; the caller may bring it in and try again.
 */
static int copy_events(struct timer_set *set, struct iov_iter *to, int max)
{
	u64 now = ktime_get_ns();
	struct user_timer *t, *tmp;
	size_t copied;
	int n = 0;

	lock_set(set);
	pagefault_disable();
	list_for_each_entry_safe(t, tmp, &set->ready, ready) {
		struct twheel_event event = {
			.handle = t->handle,
			.cookie = t->cookie,
			.deadline_ns = t->deadline,
			.expired_ns = t->expired,
			.count = deadlines_passed(t, max(now, t->expired)),
			.type = TWHEEL_EVENT_TIMER,
		};

		if (n == max || iov_iter_count(to) < sizeof(event))
			break;
		copied = copy_to_iter(&event, sizeof(event), to);
		if (copied < sizeof(event)) {
			iov_iter_revert(to, copied);
			n = n ? n : -EFAULT;
			break;
		}
		event_read(set, t, event.count);
		n++;
	}
	pagefault_enable();
	unlock_set(set);
	return n;
}

/*
 * Brings in the pages of the next event, by writing to them: more than that
 * they are there is needed where access is granted by less than a page.
 */
static int fault_in_event(struct iov_iter *to)
{
	size_t size = sizeof(struct twheel_event);
	size_t zeroed = iov_iter_zero(size, to);

	iov_iter_revert(to, zeroed);
	return zeroed < size ? -EFAULT : 0;
}

static int wait_for_event(struct timer_set *set, struct kiocb *iocb)
{
	if (iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK)
		return list_empty_careful(&set->ready) ? -EAGAIN : 0;
	return wait_event_interruptible(set->wait, !list_empty_careful(&set->ready));
}

static ssize_t twheel_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct timer_set *set = iocb->ki_filp->private_data;
	size_t wanted = iov_iter_count(to);
	int ret = 0;

	if (wanted < sizeof(struct twheel_event))
		return -EINVAL;

	while (iov_iter_count(to) >= sizeof(struct twheel_event)) {
		ret = copy_events(set, to, CHUNK);
		if (ret == -EFAULT) {
			ret = fault_in_event(to);
		} else if (!ret) {
			if (iov_iter_count(to) < wanted)
				break;
			ret = wait_for_event(set, iocb);
		}
		if (ret < 0 || fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return iov_iter_count(to) < wanted ? wanted - iov_iter_count(to) : ret;
}

static __poll_t twheel_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;

	poll_wait(file, &set->wait, wait);
	return list_empty_careful(&set->ready) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static int twheel_open(struct inode *inode, struct file *file)
{
	struct timer_set *set;
	unsigned int limit;

	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return -ENOMEM;
	xa_init_flags(&set->timers, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH |
		      XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&set->ready);
	init_waitqueue_head(&set->wait);
	tasklet_setup(&set->wake, wake_readers);
	limit = READ_ONCE(max_timers);
	if (!capable(CAP_SYS_RESOURCE))
		limit = min(limit, READ_ONCE(max_timers_user));
	set->limit = min(limit, INDEX_MASK + 1);
	file->private_data = set;
	return nonseekable_open(inode, file);
}

static int twheel_release(struct inode *inode, struct file *file)
{
	struct timer_set *set = file->private_data;
	struct user_timer *t;
	unsigned long index;

	/* Nobody else uses the set but callbacks, which take its lock. */
	xa_for_each(&set->timers, index, t) {
		twheel_shutdown_sync(&t->timer);
		cond_resched();
	}
	/* No timer may go before the last callback has put its own in the list. */
	xa_for_each(&set->timers, index, t) {
		kmem_cache_free(user_timers, t);
		cond_resched();
	}
	xa_destroy(&set->timers);
	tasklet_kill(&set->wake);
	/* A callback of a timer that is dead may still want to see the lock. */
	kfree_rcu(set, rcu);
	return 0;
}

static void twheel_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct timer_set *set = file->private_data;

	seq_printf(m, "twheel-timers:\t%u\n", READ_ONCE(set->count));
	seq_printf(m, "twheel-max-timers:\t%u\n", set->limit);
}

static const struct file_operations twheel_fops = {
	.owner		= THIS_MODULE,
	.open		= twheel_open,
	.release	= twheel_release,
	.read_iter	= twheel_read_iter,
	.poll		= twheel_poll,
	.unlocked_ioctl	= twheel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.show_fdinfo	= twheel_show_fdinfo,
};

/* For root, as long as a user's descriptors have no common quota. */
static struct miscdevice twheel_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "twheel",
	.fops	= &twheel_fops,
	.mode	= 0600,
};

/**
 * twheel_chardev_init - make the device
 *
 * Return: 0 or a negative errno.
 */
int twheel_chardev_init(void)
{
	int ret;

	static_assert(sizeof(struct twheel_info) == 64);
	static_assert(sizeof(struct twheel_op) == 64);
	static_assert(sizeof(struct twheel_batch) == 64);
	static_assert(sizeof(struct twheel_event) == 64);
	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct user_timer) <= 128);

	user_timers = kmem_cache_create("twheel_timer", sizeof(struct user_timer),
					0, SLAB_ACCOUNT, NULL);
	if (!user_timers)
		return -ENOMEM;
	ret = misc_register(&twheel_misc);
	if (ret)
		goto out_destroy_cache;
	return 0;

out_destroy_cache:
	kmem_cache_destroy(user_timers);
	return ret;
}

/**
 * twheel_chardev_exit - remove the device; no file of it is open any more
 */
void twheel_chardev_exit(void)
{
	misc_deregister(&twheel_misc);
	/* Dead timers go back to the cache after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(user_timers);
}
