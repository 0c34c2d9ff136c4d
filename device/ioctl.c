// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the calls on /dev/twheel, from and to the program's memory
 *
 * The interface is described in include/uapi/linux/twheel.h.
 */
#include <linux/prefetch.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "engine/device.h"
#include "timer_set.h"

#define BATCH_MAX	65536U

#define FEATURES	(TWHEEL_FEATURE_BATCH | TWHEEL_FEATURE_PERIODIC |	\
			 TWHEEL_FEATURE_RETRACT | TWHEEL_FEATURE_UPSERT |	\
			 TWHEEL_FEATURE_GROUP | TWHEEL_FEATURE_MISSED |		\
			 TWHEEL_FEATURE_DRAIN | TWHEEL_FEATURE_EVENTFD |	\
			 TWHEEL_FEATURE_SIGIO | TWHEEL_FEATURE_CLOCK_SET |	\
			 (IS_ENABLED(CONFIG_64BIT) ?				\
			  TWHEEL_FEATURE_TABLE | TWHEEL_FEATURE_RING : 0))

/* Operations that are carried out with the set locked, many in a row. */
static bool op_is_short(u32 opcode)
{
	return opcode == TWHEEL_OP_CHANGE || opcode == TWHEEL_OP_CANCEL;
}

/*
 * Finds the timers of short operations, as many as there are from the first on.
 * All of them are cold: what is needed of one is on its way while the others are
 * looked for. Returns how many.
 */
static unsigned int look_up_some(struct timer_set *set, const struct twheel_op *op,
				 struct user_timer **timer, unsigned int count)
{
	unsigned int i, n;

	for (n = 0; n < count && op_is_short(op[n].op); n++) {
		timer[n] = twheel_block_find(set, op[n].handle);
		if (!timer[n])
			continue;
		prefetchw(timer[n]);
		prefetch(&timer[n]->extra);
	}
	for (i = 0; i < n; i++)
		if (timer[i] && op[i].op == TWHEEL_OP_CANCEL)
			twheel_api_prefetch_neighbours(&timer[i]->timer);
	return n;
}

/* From the first on, as many as are short. Returns how many. */
static unsigned int run_short_ops(struct timer_set *set, struct twheel_op *op,
				  struct user_timer **timer, unsigned int count)
{
	struct ended_timers ended;
	struct twheel_phase phase;
	unsigned int i, n;

	twheel_ended_init(&ended);
	lock_set(set);
	twheel_clock_read(&phase);
	n = look_up_some(set, op, timer, count);
	for (i = 0; i < n; i++) {
		if (op[i].op == TWHEEL_OP_CHANGE)
			op[i].result = twheel_set_change(set, timer[i], &op[i], &phase);
		else
			op[i].result = twheel_set_cancel(set, timer[i], &op[i], &ended);
		/* None of them is to be started or discarded. */
		timer[i] = NULL;
	}
	twheel_ended_finish(set, &ended);
	unlock_set(set);
	return n;
}

/* A timer to be started or discarded by the caller goes to @added. */
static int run_op(struct timer_set *set, struct twheel_op *op,
		  struct user_timer **added)
{
	*added = NULL;
	switch (op->op) {
	case TWHEEL_OP_ADD:
		twheel_set_add(set, added, op, 1);
		return op->result;
	case TWHEEL_OP_CHANGE:
	case TWHEEL_OP_CANCEL:
		run_short_ops(set, op, added, 1);
		return op->result;
	case TWHEEL_OP_QUERY:
		return twheel_set_query(set, op);
	case TWHEEL_OP_UPSERT:
		return twheel_set_upsert(set, op, added);
	case TWHEEL_OP_CANCEL_GROUP:
		return twheel_set_cancel_group(set, op);
	default:
		return -EINVAL;
	}
}

/* Whether an operation that went well has filled in anything. */
static bool op_writes(u32 opcode, int result)
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

/* Arms timers that were made, where there are any, or undoes that if they are @lost. */
static void finish_added(struct timer_set *set, struct user_timer **added,
			 const struct twheel_op *op, unsigned int count, bool lost)
{
	struct ended_timers ended;
	struct twheel_phase phase;
	unsigned int i = 0;

	while (i < count && !added[i])
		i++;
	if (i == count)
		return;
	twheel_ended_init(&ended);
	lock_set(set);
	twheel_clock_read(&phase);
	for (; i < count; i++) {
		if (!added[i])
			continue;
		if (lost)
			twheel_set_discard(added[i], &ended);
		else
			twheel_set_start(added[i], &op[i], &phase);
	}
	twheel_ended_finish(set, &ended);
	unlock_set(set);
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
	/* It cannot be undone: see first that what it fills in can be written. */
	if (opcode == TWHEEL_OP_CANCEL_GROUP && copy_to_user(argp, &op, sizeof(op)))
		return -EFAULT;
	op.op = opcode;
	ret = run_op(set, &op, &added);
	op.op = 0;
	if (ret < 0 || !op_writes(opcode, ret))
		return ret;
	if (copy_to_user(argp, &op, sizeof(op)))
		ret = -EFAULT;
	if (added)
		finish_added(set, &added, &op, 1, ret < 0);
	return ret;
}

/* Part of a batch, and its timers: those that it is about, or adds. */
struct chunk {
	struct twheel_op	op[CHUNK];
	struct user_timer	*timer[CHUNK];
};

/* From the first on, as many as add a timer. */
static unsigned int run_adds(struct timer_set *set, struct twheel_op *op,
			     struct user_timer **added, unsigned int count)
{
	unsigned int n = 1;

	while (n < count && op[n].op == TWHEEL_OP_ADD)
		n++;
	twheel_set_add(set, added, op, n);
	return n;
}

/*
 * Returns how many were carried out. A group's end has to see the timers that were
 * added before it, which are not started yet: it is left to the next chunk.
 */
static unsigned int run_ops(struct timer_set *set, struct chunk *chunk,
			    unsigned int count)
{
	struct user_timer **timer = chunk->timer;
	struct twheel_op *op = chunk->op;
	unsigned int i = 0, n;
	bool added = false;

	while (i < count) {
		if (op_is_short(op[i].op)) {
			i += run_short_ops(set, &op[i], &timer[i], count - i);
		} else if (op[i].op == TWHEEL_OP_ADD) {
			n = run_adds(set, &op[i], &timer[i], count - i);
			added |= !!memchr_inv(&timer[i], 0, n * sizeof(*timer));
			i += n;
		} else if (op[i].op == TWHEEL_OP_CANCEL_GROUP && added) {
			break;
		} else {
			op[i].result = run_op(set, &op[i], &timer[i]);
			added |= !!timer[i];
			i++;
		}
	}
	return i;
}

/*
 * Whether the results can be written, so that nothing is carried out in vain: the first
 * operation and the last are written back as they are, and with them their pages have
 * been seen to be there, of which there are no others. Where access may be granted by
 * less than a page, all of them are.
 */
static bool can_write_back(struct twheel_op __user *ops, const struct twheel_op *op,
			   unsigned int count)
{
	static_assert(CHUNK * sizeof(*op) <= PAGE_SIZE);

	if (IS_ENABLED(CONFIG_ARCH_HAS_SUBPAGE_FAULTS))
		return !copy_to_user(ops, op, array_size(count, sizeof(*op)));
	return !copy_to_user(ops, op, sizeof(*op)) &&
	       !copy_to_user(&ops[count - 1], &op[count - 1], sizeof(*op));
}

/* Whether an operation is as the program has it: its result had to be 0, and is. */
static bool op_unchanged(const struct twheel_op *op)
{
	return !op->result && !op_writes(op->op, 0);
}

/* From the first that has changed to the last. Returns false if that goes wrong. */
static bool write_back(struct twheel_op __user *ops, const struct twheel_op *op,
		       unsigned int count)
{
	unsigned int first = 0;

	while (first < count && op_unchanged(&op[first]))
		first++;
	while (first < count && op_unchanged(&op[count - 1]))
		count--;
	return !copy_to_user(ops + first, op + first,
			     array_size(count - first, sizeof(*op)));
}

/* Returns how many of them were carried out, or -EFAULT. */
static int run_chunk(struct timer_set *set, struct chunk *chunk,
		     struct twheel_op __user *ops, unsigned int count)
{
	size_t size = array_size(count, sizeof(*ops));
	bool lost;

	if (copy_from_user(chunk->op, ops, size) ||
	    !can_write_back(ops, chunk->op, count))
		return -EFAULT;
	count = run_ops(set, chunk, count);

	lost = !write_back(ops, chunk->op, count);
	finish_added(set, chunk->timer, chunk->op, count, lost);
	return lost ? -EFAULT : count;
}

static long set_batch(struct timer_set *set, void __user *argp)
{
	struct twheel_op __user *ops;
	struct twheel_batch batch;
	struct chunk *chunk;
	unsigned int done;
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

	for (done = 0; done < batch.count; done += ret) {
		if (done && signal_pending(current))
			break;
		ret = run_chunk(set, chunk, ops + done,
				min(batch.count - done, CHUNK));
		if (ret < 0)
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
		.features = FEATURES,
		.clocks = BIT_ULL(CLOCK_MONOTONIC) | BIT_ULL(CLOCK_BOOTTIME) |
			  BIT_ULL(CLOCK_REALTIME),
		.max_timers = set->limit,
		.min_period_ns = TICK_NSEC,
		.max_timers_user = set->limited ? twheel_quota_limit(true) : U64_MAX,
	};

	/* What many operations do together is seen as a whole. */
	lock_set(set);
	info.timers = set->count;
	info.timers_user = twheel_quota_timers(set->quota);
	info.unread = set->unread;
	info.table_entries = twheel_table_words(set);
	info.ring_entries = set->entries;
	unlock_set(set);

	return copy_to_user(argp, &info, sizeof(info)) ? -EFAULT : 0;
}

/**
 * twheel_ioctl - ioctl() of the device
 * @file: The file.
 * @cmd: One of TWHEEL_IOC_.
 * @arg: The program's structure.
 *
 * Return: What the call returns, see the header for programs.
 */
long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
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
	case TWHEEL_IOC_UPSERT:
		return set_op(set, argp, TWHEEL_OP_UPSERT);
	case TWHEEL_IOC_CANCEL_GROUP:
		return set_op(set, argp, TWHEEL_OP_CANCEL_GROUP);
	case TWHEEL_IOC_DRAIN:
		return twheel_set_drain(set, argp);
	case TWHEEL_IOC_CLOCK_SET:
		return arg ? -EINVAL : twheel_jump_watch(set);
	case TWHEEL_IOC_EVENTFD:
		return twheel_event_eventfd(set, argp);
	default:
		return -ENOTTY;
	}
}
