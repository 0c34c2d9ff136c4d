// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: listing the timers of a set
 *
 * A list goes through the places of the set in the order of their indexes. A timer keeps
 * its place for life. So a walk comes by each timer that is there throughout exactly once,
 * and the index at which to go on is all that it has to remember.
 *
 * A list ends no timer. So the records are made under the set's lock, and copied to the
 * program after that: a record that cannot be written is made again by the next call.
 */
#include <linux/math.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "list.h"
#include "ops.h"
#include "turn.h"

/* The cursor behind the last place. */
#define LIST_END	(TWHEEL_INDEX_MASK + 1UL)

/* Makes records of some timers, and goes on with the walk. Returns how many. */
static unsigned int list_some(struct timer_set *set, struct block_walk *walk,
			      struct twheel_op *op, unsigned int max, u32 flags)
{
	struct twheel_phase phase;
	struct user_timer *t;
	unsigned int n = 0;

	twheel_turn_begin(set, &phase);
	twheel_block_walk_begin(set, walk);
	while (n < max && (t = twheel_block_walk_next(set, walk)))
		twheel_ops_record(t, &op[n++], flags, &phase);
	twheel_turn_end(set, &phase);
	return n;
}

/*
 * Writes @n records to the program. Returns how many could be written. If these are not all,
 * the walk goes on behind the last of them.
 */
static unsigned int list_write(struct twheel_op __user *ops, const struct twheel_op *op,
			       unsigned int n, struct block_walk *walk)
{
	unsigned long left = copy_to_user(ops, op, array_size(n, sizeof(*op)));
	unsigned int written = n - DIV_ROUND_UP(left, sizeof(*op));

	if (written < n)
		walk->index = op[written].handle & TWHEEL_INDEX_MASK;
	return written;
}

/* Lists timers until no timer is left or the array is full. Moves the cursor in @arg. */
static long list_all(struct timer_set *set, struct twheel_list *arg, struct twheel_op *op)
{
	struct twheel_op __user *ops = u64_to_user_ptr(arg->ops);
	struct block_walk walk = { .index = arg->cursor };
	unsigned int done = 0, written, n;
	long ret = 0;

	while (done < arg->count && walk.index < LIST_END) {
		n = list_some(set, &walk, op, min(arg->count - done, TWHEEL_CHUNK), arg->flags);
		written = list_write(ops + done, op, n, &walk);
		done += written;
		if (written < n)
			ret = -EFAULT;
		else if (signal_pending(current))
			ret = -ERESTARTSYS;
		if (ret)
			break;
		cond_resched();
	}
	arg->cursor = min(walk.index, LIST_END);
	return done ? done : ret;
}

static bool list_valid(const struct twheel_list *arg)
{
	return !memchr_inv(arg->reserved, 0, sizeof(arg->reserved)) &&
	       !(arg->flags & ~TWHEEL_ABSTIME) && arg->cursor <= LIST_END &&
	       arg->count && arg->count <= INT_MAX;
}

/**
 * twheel_list - carry out a TWHEEL_IOC_LIST
 * @set: The set.
 * @argp: The program's &struct twheel_list.
 *
 * Return: How many records were written, or a negative errno.
 */
long twheel_list(struct timer_set *set, void __user *argp)
{
	struct twheel_list arg;
	struct twheel_op *op;
	long ret;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (!list_valid(&arg))
		return -EINVAL;
	if (arg.ops != (unsigned long)arg.ops)
		return -EFAULT;
	op = kmalloc_array(min(arg.count, TWHEEL_CHUNK), sizeof(*op), GFP_KERNEL_ACCOUNT);
	if (!op)
		return -ENOMEM;
	ret = list_all(set, &arg, op);
	kfree(op);
	if (ret >= 0 && copy_to_user(argp, &arg, sizeof(arg)))
		return -EFAULT;
	return ret;
}
