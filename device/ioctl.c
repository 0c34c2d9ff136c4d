// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the calls on /dev/twheel, which copy from and to the program's memory
 *
 * The interface is described in include/uapi/linux/twheel.h.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "calls.h"
#include "quota.h"
#include "turn.h"

/* The most operations that a batch may have. */
#define IOCTL_BATCH_MAX	65536U

#define IOCTL_FEATURES	(TWHEEL_FEATURE_BATCH | TWHEEL_FEATURE_PERIODIC |	\
			 TWHEEL_FEATURE_RETRACT | TWHEEL_FEATURE_UPSERT |	\
			 TWHEEL_FEATURE_GROUP | TWHEEL_FEATURE_MISSED |		\
			 TWHEEL_FEATURE_DRAIN | TWHEEL_FEATURE_EVENTFD |	\
			 TWHEEL_FEATURE_SIGIO | TWHEEL_FEATURE_CLOCK_SET |	\
			 TWHEEL_FEATURE_LEASE | TWHEEL_FEATURE_WINDOW |		\
			 TWHEEL_FEATURE_LIST | TWHEEL_FEATURE_KEEP_HANDLE |	\
			 (IS_ENABLED(CONFIG_IO_URING) ? TWHEEL_FEATURE_URING : 0) | \
			 (IS_ENABLED(CONFIG_64BIT) ?				\
			  TWHEEL_FEATURE_TABLE | TWHEEL_FEATURE_RING : 0))

static long ioctl_add(struct timer_set *set, struct twheel_op __user *to)
{
	struct twheel_op op timer_set_not_cleared;

	if (copy_from_user(&op, to, sizeof(op)))
		return -EFAULT;
	if (op.op)
		return -EINVAL;
	return twheel_ops_add(set, &op, to, 1, false) ? op.result : -EFAULT;
}

static long ioctl_op(struct timer_set *set, struct twheel_op __user *to, u32 opcode)
{
	struct twheel_op op timer_set_not_cleared;
	long ret;

	if (copy_from_user(&op, to, sizeof(op)))
		return -EFAULT;
	if (op.op)
		return -EINVAL;
	/* A group cancel cannot be undone: first find out whether its result can be written. */
	if (opcode == TWHEEL_OP_CANCEL_GROUP && copy_to_user(to, &op, sizeof(op)))
		return -EFAULT;
	ret = twheel_ops_run(set, &op, opcode, to);
	if (ret >= 0 && (opcode == TWHEEL_OP_QUERY || opcode == TWHEEL_OP_CANCEL_GROUP) &&
	    copy_to_user(to, &op, sizeof(op)))
		ret = -EFAULT;
	return ret;
}

/* Carries out the next operations that go together, and writes their results. Returns how many. */
static unsigned int ioctl_run_some(struct timer_set *set, struct twheel_op *op,
				   struct twheel_op __user *to, unsigned int count)
{
	bool changed = true;
	unsigned int n = 0;

	while (n < count && op[n].op == TWHEEL_OP_ADD)
		n++;
	if (n)
		return twheel_ops_add(set, op, to, n, true);
	while (n < count && (op[n].op == TWHEEL_OP_CHANGE || op[n].op == TWHEEL_OP_CANCEL))
		n++;
	if (n) {
		changed = twheel_ops_run_short(set, op, n);
	} else {
		op->result = twheel_ops_run(set, op, op->op, to);
		n = 1;
	}
	return changed && copy_to_user(to, op, array_size(n, sizeof(*op))) ? 0 : n;
}

/* Returns how many operations were carried out: fewer than @count after a bad page. */
static unsigned int ioctl_run_chunk(struct timer_set *set, struct twheel_op *op,
				    struct twheel_op __user *ops, unsigned int count)
{
	/* In memory that is accessible by pages: a chunk lies in at most two. */
	const bool pages = !IS_ENABLED(CONFIG_ARCH_HAS_SUBPAGE_FAULTS);
	unsigned int done = 0, n;

	static_assert(TWHEEL_CHUNK * sizeof(*op) <= PAGE_SIZE);

	/* First: the results can be written if this can be written back. */
	if (copy_from_user(op, ops, array_size(count, sizeof(*ops))) ||
	    copy_to_user(ops, op, array_size(pages ? 1 : count, sizeof(*op))) ||
	    copy_to_user(&ops[count - 1], &op[count - 1], sizeof(*op)))
		return 0;
	do {
		n = ioctl_run_some(set, op + done, ops + done, count - done);
		done += n;
	} while (n && done < count);
	return done;
}

static long ioctl_batch(struct timer_set *set, void __user *argp)
{
	struct twheel_op __user *ops;
	struct twheel_batch batch;
	unsigned int done = 0, count, n;
	struct twheel_op *op;

	if (copy_from_user(&batch, argp, sizeof(batch)))
		return -EFAULT;
	if (!batch.count || batch.count > IOCTL_BATCH_MAX || batch.flags ||
	    memchr_inv(batch.reserved, 0, sizeof(batch.reserved)))
		return -EINVAL;
	if (batch.ops != (unsigned long)batch.ops)
		return -EFAULT;
	ops = u64_to_user_ptr(batch.ops);
	op = kmalloc_array(min(batch.count, TWHEEL_CHUNK), sizeof(*op), GFP_KERNEL_ACCOUNT);
	if (!op)
		return -ENOMEM;

	do {
		count = min(batch.count - done, TWHEEL_CHUNK);
		n = ioctl_run_chunk(set, op, ops + done, count);
		done += n;
		twheel_user_cpu_call(set);
		cond_resched();
		/* Not signal_pending(), which is also true while io_uring has work for the task. */
	} while (n == count && done < batch.count && !task_sigpending(current));
	kfree(op);
	return done ? (long)done : -EFAULT;
}

static long ioctl_info(struct timer_set *set, void __user *argp)
{
	struct twheel_info info = {
		.abi_major = TWHEEL_ABI_MAJOR,
		.abi_minor = TWHEEL_ABI_MINOR,
		.resolution_ns = TICK_NSEC,
		.max_batch = IOCTL_BATCH_MAX,
		.features = IOCTL_FEATURES,
		.clocks = BIT_ULL(CLOCK_MONOTONIC) | BIT_ULL(CLOCK_BOOTTIME) |
			  BIT_ULL(CLOCK_REALTIME),
		.max_timers = set->limit,
		.min_period_ns = TICK_NSEC,
		.max_timers_user = twheel_quota_shown_limit(set),
	};

	/* Events that the program has not read are found by turning. */
	twheel_turn_all(set);
	/* Under the lock, so that the counts agree with each other. */
	spin_lock_bh(&set->lock);
	info.timers = set->count;
	info.timers_user = twheel_quota_count(set->quota, QUOTA_TIMERS);
	info.unread = set->unread;
	info.table_entries = twheel_table_entries(set);
	info.ring_entries = set->entries;
	spin_unlock_bh(&set->lock);

	return copy_to_user(argp, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioctl_call(struct timer_set *set, unsigned int cmd, unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case TWHEEL_IOC_INFO:
		return ioctl_info(set, argp);
	case TWHEEL_IOC_ADD:
		return ioctl_add(set, argp);
	case TWHEEL_IOC_CHANGE:
		return ioctl_op(set, argp, TWHEEL_OP_CHANGE);
	case TWHEEL_IOC_CANCEL:
		return ioctl_op(set, argp, TWHEEL_OP_CANCEL);
	case TWHEEL_IOC_QUERY:
		return ioctl_op(set, argp, TWHEEL_OP_QUERY);
	case TWHEEL_IOC_BATCH:
		return ioctl_batch(set, argp);
	case TWHEEL_IOC_UPSERT:
		return ioctl_op(set, argp, TWHEEL_OP_UPSERT);
	case TWHEEL_IOC_CANCEL_GROUP:
		return ioctl_op(set, argp, TWHEEL_OP_CANCEL_GROUP);
	case TWHEEL_IOC_DRAIN:
		return twheel_list_drain(set, argp);
	case TWHEEL_IOC_LEASE:
		return twheel_lease_create(set, argp);
	case TWHEEL_IOC_LIST:
		return twheel_list(set, argp);
	case TWHEEL_IOC_CLOCK_SET:
		return arg ? -EINVAL : twheel_clock_watch(set);
	case TWHEEL_IOC_EVENTFD:
		return twheel_deliver_eventfd(set, argp);
	default:
		return -ENOTTY;
	}
}

/* ioctl() of the device. See include/uapi/linux/twheel.h. */
long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct timer_set *set = file->private_data;
	long ret;

	twheel_user_cpu_call(set);
	ret = ioctl_call(set, cmd, arg);
	twheel_levels_keep_up(set);
	return ret;
}
