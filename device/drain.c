// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: stopping a set and taking its pending timers back
 */
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "drain.h"
#include "ops.h"
#include "turn.h"

/* Writes the operation that arms a timer like @t again. Returns whether it could be written. */
static bool drain_write(const struct user_timer *t, struct twheel_op __user *place,
			const struct twheel_phase *phase)
{
	struct twheel_op op;

	twheel_ops_record(t, &op, 0, phase);
	return !copy_to_user(place, &op, sizeof(op));
}

/* Takes a timer back if its record can be written. Returns whether it could be. */
static bool drain_timer(struct timer_set *set, struct user_timer *t,
			const struct twheel_phase *phase, struct twheel_op __user *place,
			struct ended_timers *ended)
{
	if (!drain_write(t, place, phase))
		return false;
	if (t->flags & TWHEEL_SHARED) {
		/* From here on the program cannot push the deadline back any more. */
		twheel_table_close(t);
		if (!drain_write(t, place, phase)) {
			twheel_table_open(t);
			return false;
		}
	}
	twheel_user_timer_remove(set, t, ended);
	return true;
}

/*
 * Takes back some timers, and goes on with the walk. A timer ends only when its record has
 * been written. Returns how many timers were taken back. Returns -EFAULT if the first
 * record hit a page that is not present, and -ECANCELED if the set accepts timers again.
 */
static int drain_some(struct timer_set *set, struct block_walk *walk,
		      struct twheel_op __user *ops, unsigned int max)
{
	struct ended_timers ended = { };
	struct twheel_phase phase;
	struct user_timer *t;
	bool written = true;
	unsigned int n = 0;

	twheel_turn_begin(set, &phase);
	if (!set->stopped) {
		twheel_turn_end(set, &phase);
		return -ECANCELED;
	}
	pagefault_disable();
	twheel_block_walk_begin(set, walk);
	while (n < max && (t = twheel_block_walk_next(set, walk))) {
		if (twheel_user_timer_has_expired(t, &phase))
			continue;
		written = drain_timer(set, t, &phase, &ops[n], &ended);
		if (!written) {
			/* The next call looks at this timer again. */
			walk->index = user_timer_index(t);
			break;
		}
		n++;
	}
	pagefault_enable();
	twheel_user_timer_finish(set, &ended);
	twheel_turn_end(set, &phase);
	return (written || n) ? n : -EFAULT;
}

/* Takes back timers until no timer is left or the array is full. */
static long drain_all(struct timer_set *set, struct twheel_op __user *ops,
		      unsigned int count)
{
	struct block_walk walk = { .index = 0 };
	unsigned int done = 0;
	int n;

	while (done < count && walk.index != ULONG_MAX) {
		n = drain_some(set, &walk, ops + done, min(count - done, TWHEEL_CHUNK));
		/* Writing the record faults the page in, and checks access to all of the record. */
		if (n == -EFAULT && clear_user(ops + done, sizeof(*ops)))
			return done ? done : -EFAULT;
		if (n == -ECANCELED)
			return done ? done : n;
		if (n > 0)
			done += n;
		if (signal_pending(current))
			return done ? done : -ERESTARTSYS;
		cond_resched();
	}
	return done;
}

static bool drain_valid(const struct twheel_drain *arg)
{
	if (memchr_inv(arg->reserved, 0, sizeof(arg->reserved)) ||
	    arg->flags & ~TWHEEL_DRAIN_RESUME)
		return false;
	if (arg->flags & TWHEEL_DRAIN_RESUME)
		return !arg->ops && !arg->count;
	return arg->count && arg->count <= INT_MAX;
}

static void drain_set_stopped(struct timer_set *set, bool stopped)
{
	timer_set_lock(set);
	WRITE_ONCE(set->stopped, stopped);
	timer_set_unlock(set);
}

/**
 * twheel_drain - carry out a TWHEEL_IOC_DRAIN
 * @set: The set.
 * @argp: The program's &struct twheel_drain.
 *
 * Return: How many timers were taken back, or a negative errno.
 */
long twheel_drain(struct timer_set *set, void __user *argp)
{
	struct twheel_drain arg;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (!drain_valid(&arg))
		return -EINVAL;
	if (arg.flags & TWHEEL_DRAIN_RESUME) {
		drain_set_stopped(set, false);
		return 0;
	}
	if (arg.ops != (unsigned long)arg.ops)
		return -EFAULT;
	drain_set_stopped(set, true);
	return drain_all(set, u64_to_user_ptr(arg.ops), arg.count);
}
