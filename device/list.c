// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: listing the timers of a set, and taking them back
 *
 * Records are written under the set's lock, with page faults off: a timer that is taken back ends
 * only when its record has been written. After a fault, the page is brought in without the lock,
 * and the walk comes to the same timer again.
 */
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "calls.h"
#include "turn.h"

/* The cursor behind the last place. */
#define LIST_END	(TWHEEL_INDEX_MASK + 1UL)

/* A walk that writes @count records to @ops, by @flags of twheel_ops_record(); @done so far. */
struct list_walk {
	struct block_walk	place;
	struct twheel_op __user	*ops;
	unsigned int		count;
	unsigned int		done;
	u32			flags;
	/* the timers are taken back */
	bool			remove;
};

/* Writes the operation that arms a timer like @t again. Returns whether it could be written. */
static bool list_write(const struct list_walk *walk, const struct user_timer *t,
		       const struct twheel_phase *phase)
{
	struct twheel_op op;

	twheel_ops_record(t, &op, walk->flags, phase);
	return !copy_to_user_nofault(&walk->ops[walk->done], &op, sizeof(op));
}

/* Lists a timer, or takes it back, if its record can be written. Returns whether it could be. */
static bool list_timer(const struct list_walk *walk, struct timer_set *set, struct user_timer *t,
		       const struct twheel_phase *phase)
{
	if (!list_write(walk, t, phase))
		return false;
	if (!walk->remove)
		return true;
	if (t->flags & TWHEEL_SHARED) {
		/* From here on the program cannot push the deadline back any more. */
		twheel_table_close(t);
		if (!list_write(walk, t, phase)) {
			twheel_table_open(t);
			return false;
		}
	}
	twheel_user_timer_remove(set, t);
	return true;
}

/*
 * Goes on with a walk. Returns 0; -EFAULT if a record hit a page that is not present; or
 * -ECANCELED if timers are to be taken back and the set accepts timers again.
 */
static int list_some(struct list_walk *walk, struct timer_set *set)
{
	struct twheel_phase phase;
	struct user_timer *t;
	int ret;

	twheel_turn_begin(set, &phase);
	ret = walk->remove && !set->stopped ? -ECANCELED : 0;
	walk->place.looks = TWHEEL_CHUNK;
	while (!ret && walk->done < walk->count &&
	       (t = twheel_block_walk_next(set, &walk->place))) {
		if (walk->remove && twheel_user_timer_has_expired(t, &phase))
			continue;
		if (list_timer(walk, set, t, &phase)) {
			walk->done++;
		} else {
			walk->place.index = user_timer_index(t);
			ret = -EFAULT;
		}
	}
	twheel_turn_end(set, &phase);
	return ret;
}

/* Walks until no timer is left or the array is full. Returns how many records were written. */
static long list_all(struct list_walk *walk, struct timer_set *set)
{
	long ret = 0;

	while (!ret && walk->done < walk->count && walk->place.index < LIST_END) {
		ret = list_some(walk, set);
		/* Writing the record faults the page in, and checks access to all of the record. */
		if (ret == -EFAULT && !clear_user(&walk->ops[walk->done], sizeof(*walk->ops)))
			ret = 0;
		/* Not signal_pending(): see ioctl_batch(). */
		if (!ret && task_sigpending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	return walk->done ? walk->done : ret;
}

/* Carries out a TWHEEL_IOC_LIST. Returns how many records were written, or an error. */
long twheel_list(struct timer_set *set, void __user *argp)
{
	struct twheel_list arg;
	struct list_walk walk;
	long ret;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (memchr_inv(arg.reserved, 0, sizeof(arg.reserved)) || arg.flags & ~TWHEEL_ABSTIME ||
	    arg.cursor > LIST_END || !arg.count || arg.count > INT_MAX)
		return -EINVAL;
	if (arg.ops != (unsigned long)arg.ops)
		return -EFAULT;
	walk = (struct list_walk) {
		.place.index = arg.cursor,
		.ops = u64_to_user_ptr(arg.ops),
		.count = arg.count,
		.flags = arg.flags,
	};
	ret = list_all(&walk, set);
	arg.cursor = min(walk.place.index, LIST_END);
	if (ret >= 0 && copy_to_user(argp, &arg, sizeof(arg)))
		return -EFAULT;
	return ret;
}

/* Carries out a TWHEEL_IOC_DRAIN. Returns how many timers were taken back, or an error. */
long twheel_list_drain(struct timer_set *set, void __user *argp)
{
	struct list_walk walk = { .remove = true };
	struct twheel_drain arg;
	bool resume;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	resume = arg.flags & TWHEEL_DRAIN_RESUME;
	if (memchr_inv(arg.reserved, 0, sizeof(arg.reserved)) ||
	    arg.flags & ~TWHEEL_DRAIN_RESUME ||
	    (resume ? arg.ops || arg.count : !arg.count || arg.count > INT_MAX))
		return -EINVAL;
	spin_lock_bh(&set->lock);
	set->stopped = !resume;
	spin_unlock_bh(&set->lock);
	if (resume)
		return 0;
	if (arg.ops != (unsigned long)arg.ops)
		return -EFAULT;
	walk.ops = u64_to_user_ptr(arg.ops);
	walk.count = arg.count;
	return list_all(&walk, set);
}
