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
#include "clock_watch.h"
#include "create.h"
#include "deliver.h"
#include "drain.h"
#include "ioctl.h"
#include "lease.h"
#include "list.h"
#include "ops.h"
#include "quota.h"
#include "share.h"
#include "table.h"

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

/* Carries out an operation. The caller passes @added to twheel_create_finish(). */
static int ioctl_run_op(struct timer_set *set, struct twheel_op *op,
			struct user_timer **added)
{
	bool changed = false, kept = false;

	*added = NULL;
	switch (op->op) {
	case TWHEEL_OP_ADD:
		twheel_ops_add(set, op, added, 1, &kept);
		return op->result;
	case TWHEEL_OP_CHANGE:
	case TWHEEL_OP_CANCEL:
		twheel_ops_run_short(set, op, added, 1, &changed);
		return op->result;
	case TWHEEL_OP_QUERY:
		return twheel_ops_query(set, op);
	case TWHEEL_OP_UPSERT:
		return twheel_ops_upsert(set, op, added);
	case TWHEEL_OP_CANCEL_GROUP:
		return twheel_ops_cancel_group(set, op);
	default:
		return -EINVAL;
	}
}

/* Whether a successful operation has filled in a field. */
static bool ioctl_op_writes(u32 opcode, int result)
{
	switch (opcode) {
	case TWHEEL_OP_CHANGE:
	case TWHEEL_OP_CANCEL:
		return false;
	case TWHEEL_OP_UPSERT:
		return result == TWHEEL_ADDED;
	default:
		return true;
	}
}

static long ioctl_op(struct timer_set *set, void __user *argp, u32 opcode)
{
	struct user_timer *added;
	struct twheel_op op;
	long ret;

	if (copy_from_user(&op, argp, sizeof(op)))
		return -EFAULT;
	if (op.op)
		return -EINVAL;
	/* A group cancel cannot be undone: first find out whether its result can be written. */
	if (opcode == TWHEEL_OP_CANCEL_GROUP && copy_to_user(argp, &op, sizeof(op)))
		return -EFAULT;
	op.op = opcode;
	ret = ioctl_run_op(set, &op, &added);
	op.op = 0;
	if (ret < 0 || !ioctl_op_writes(opcode, ret))
		return ret;
	if (copy_to_user(argp, &op, sizeof(op)))
		ret = -EFAULT;
	if (added)
		twheel_create_finish(set, &added, &op, 1, ret < 0);
	return ret;
}

/**
 * struct ioctl_chunk - a part of a batch
 * @op: The operations.
 * @changed: An operation has a result that is not 0, or filled in a field.
 * @added: There are timers in @timer.
 * @kept: One of them has a handle that the program knows already.
 * @timer: For each operation: the timer that it has added, or %NULL.
 */
struct ioctl_chunk {
	struct twheel_op	*op;
	bool			changed;
	bool			added;
	bool			kept;
	struct user_timer	*timer[TWHEEL_CHUNK];
};

/*
 * Carries out the operations of a chunk, and returns how many. A group cancel must end
 * the timers that were added before it. But additions of this chunk are started at its
 * end. So a group cancel behind an addition is left to the next chunk. So is any operation
 * behind an addition that keeps its handle, because it may name the timer.
 */
static unsigned int ioctl_run_ops(struct timer_set *set, struct ioctl_chunk *chunk,
				  unsigned int count)
{
	struct user_timer **timer = chunk->timer;
	struct twheel_op *op = chunk->op;
	unsigned int i = 0, n;

	chunk->changed = false;
	chunk->added = false;
	chunk->kept = false;
	while (i < count) {
		if (chunk->kept && op[i].op != TWHEEL_OP_ADD)
			break;
		if (twheel_ops_is_short(&op[i])) {
			i += twheel_ops_run_short(set, &op[i], &timer[i], count - i,
						  &chunk->changed);
			continue;
		}
		if (op[i].op == TWHEEL_OP_CANCEL_GROUP && chunk->added)
			break;
		n = 1;
		if (op[i].op == TWHEEL_OP_ADD)
			n = twheel_ops_add(set, &op[i], &timer[i], count - i, &chunk->kept);
		else
			op[i].result = ioctl_run_op(set, &op[i], &timer[i]);
		chunk->changed = true;
		chunk->added |= !!memchr_inv(&timer[i], 0, n * sizeof(*timer));
		i += n;
	}
	return i;
}

/*
 * Finds out whether the results can be written, before anything is carried out. A chunk
 * lies in at most two pages. Writing the first and the last operation back unchanged
 * shows that both pages can be written. On an architecture that grants access to less
 * than a page, the function writes every operation back.
 */
static bool ioctl_can_write_back(struct twheel_op __user *ops, const struct twheel_op *op,
				 unsigned int count)
{
	static_assert(TWHEEL_CHUNK * sizeof(*op) <= PAGE_SIZE);

	if (IS_ENABLED(CONFIG_ARCH_HAS_SUBPAGE_FAULTS))
		return !copy_to_user(ops, op, array_size(count, sizeof(*op)));
	return !copy_to_user(ops, op, sizeof(*op)) &&
	       !copy_to_user(&ops[count - 1], &op[count - 1], sizeof(*op));
}

/* Returns how many operations were carried out, or -EFAULT. */
static int ioctl_run_chunk(struct timer_set *set, struct ioctl_chunk *chunk,
			   struct twheel_op __user *ops, unsigned int count)
{
	bool lost;

	if (copy_from_user(chunk->op, ops, array_size(count, sizeof(*ops))) ||
	    !ioctl_can_write_back(ops, chunk->op, count))
		return -EFAULT;
	count = ioctl_run_ops(set, chunk, count);

	lost = chunk->changed && copy_to_user(ops, chunk->op, array_size(count, sizeof(*ops)));
	if (chunk->added)
		twheel_create_finish(set, chunk->timer, chunk->op, count, lost);
	return lost ? -EFAULT : count;
}

static long ioctl_batch(struct timer_set *set, void __user *argp)
{
	struct twheel_op __user *ops;
	struct twheel_batch batch;
	struct ioctl_chunk chunk;
	unsigned int done;
	int ret = 0;

	if (copy_from_user(&batch, argp, sizeof(batch)))
		return -EFAULT;
	if (!batch.count || batch.count > TWHEEL_BATCH_MAX || batch.flags ||
	    memchr_inv(batch.reserved, 0, sizeof(batch.reserved)))
		return -EINVAL;
	if (batch.ops != (unsigned long)batch.ops)
		return -EFAULT;
	ops = u64_to_user_ptr(batch.ops);
	chunk.op = kmalloc_array(min(batch.count, TWHEEL_CHUNK), sizeof(*chunk.op),
				 GFP_KERNEL_ACCOUNT);
	if (!chunk.op)
		return -ENOMEM;

	for (done = 0; done < batch.count; done += ret) {
		/* Not signal_pending(), which is also true while io_uring has work for the task. */
		if (done && task_sigpending(current))
			break;
		ret = ioctl_run_chunk(set, &chunk, ops + done,
				      min(batch.count - done, TWHEEL_CHUNK));
		if (ret < 0)
			break;
		twheel_share_help(set);
		cond_resched();
	}
	kfree(chunk.op);
	return done ? (long)done : ret;
}

static long ioctl_info(struct timer_set *set, void __user *argp)
{
	struct twheel_info info = {
		.abi_major = TWHEEL_ABI_MAJOR,
		.abi_minor = TWHEEL_ABI_MINOR,
		.resolution_ns = TICK_NSEC,
		.max_batch = TWHEEL_BATCH_MAX,
		.features = IOCTL_FEATURES,
		.clocks = BIT_ULL(CLOCK_MONOTONIC) | BIT_ULL(CLOCK_BOOTTIME) |
			  BIT_ULL(CLOCK_REALTIME),
		.max_timers = set->limit,
		.min_period_ns = TICK_NSEC,
		.max_timers_user = twheel_quota_shown_limit(set),
	};

	/* Under the lock, so that the counts agree with each other. */
	timer_set_lock(set);
	info.timers = set->count;
	info.timers_user = twheel_quota_timers(set->quota);
	info.unread = set->unread;
	info.table_entries = twheel_table_words(set);
	info.ring_entries = set->entries;
	timer_set_unlock(set);

	return copy_to_user(argp, &info, sizeof(info)) ? -EFAULT : 0;
}

/**
 * twheel_ioctl - ioctl() of the device
 * @file: The file.
 * @cmd: One of the TWHEEL_IOC_ calls.
 * @arg: The program's structure.
 *
 * Return: What the call returns: see include/uapi/linux/twheel.h.
 */
long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct timer_set *set = file->private_data;
	void __user *argp = (void __user *)arg;

	twheel_share_help(set);
	switch (cmd) {
	case TWHEEL_IOC_INFO:
		return ioctl_info(set, argp);
	case TWHEEL_IOC_ADD:
		return ioctl_op(set, argp, TWHEEL_OP_ADD);
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
		return twheel_drain(set, argp);
	case TWHEEL_IOC_LEASE:
		return twheel_lease_create(set, argp);
	case TWHEEL_IOC_LIST:
		return twheel_list(set, argp);
	case TWHEEL_IOC_CLOCK_SET:
		return arg ? -EINVAL : twheel_clock_watch_start(set);
	case TWHEEL_IOC_EVENTFD:
		return twheel_deliver_eventfd(set, argp);
	default:
		return -ENOTTY;
	}
}
