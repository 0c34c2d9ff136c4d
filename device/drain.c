// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: stopping a set, and taking its pending timers back
 */
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "timer_set.h"

/* The operation that would arm @t again as it is. */
static struct twheel_op op_of(const struct user_timer *t)
{
	struct twheel_op op = {
		.op = TWHEEL_OP_ADD,
		.flags = TWHEEL_RESTORE,
		.handle = handle_of(t),
	};

	/* What is left until a clock is set does not mean much. */
	if (t->clockid == CLOCK_REALTIME)
		op.flags |= TWHEEL_ABSTIME;
	twheel_set_describe(t, &op);
	return op;
}

static bool write_record(const struct user_timer *t, struct twheel_op __user *place)
{
	struct twheel_op op = op_of(t);

	return !copy_to_user(place, &op, sizeof(op));
}

/* Takes back a timer, if its record can be written. */
static bool take_back(struct timer_set *set, struct user_timer *t,
		      struct twheel_op __user *place, struct ended_timers *ended)
{
	if (!write_record(t, place))
		return false;
	if (t->flags & TWHEEL_SHARED) {
		/* How far it has been pushed back is certain only from here on. */
		twheel_table_close(t);
		if (!write_record(t, place)) {
			twheel_table_open(t);
			return false;
		}
	}
	twheel_set_remove(set, t, ended);
	return true;
}

/*
 * Takes back some timers from @index on. A timer goes when its record has been
 * written. Returns how many, -EFAULT if the first one hit a page that is not
 * there, or -ECANCELED if timers are accepted again.
 */
static int drain_some(struct timer_set *set, unsigned long *index,
		      struct twheel_op __user *ops, unsigned int max)
{
	struct ended_timers ended;
	struct user_timer *t;
	bool written = true;
	unsigned int n = 0;
	int looks = 0;

	lock_set(set);
	if (!set->stopped) {
		unlock_set(set);
		return -ECANCELED;
	}
	twheel_ended_init(&ended);
	pagefault_disable();
	for (; n < max && looks++ < CHUNK * 16; (*index)++) {
		t = twheel_block_next(set, index);
		if (!t)
			break;
		if (t->state != PENDING)
			continue;
		written = take_back(set, t, &ops[n], &ended);
		if (!written)
			break;
		n++;
	}
	pagefault_enable();
	twheel_ended_finish(set, &ended);
	unlock_set(set);
	return (written || n) ? n : -EFAULT;
}

/* As many of them as the array has room for, or are left. */
static long drain(struct timer_set *set, struct twheel_op __user *ops,
		  unsigned int count)
{
	unsigned int done = 0;
	unsigned long index = 0;
	int n;

	while (done < count && index != ULONG_MAX) {
		n = drain_some(set, &index, ops + done, min(count - done, CHUNK));
		/* By writing to them, as access may be granted by less than a page. */
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

static void set_stopped(struct timer_set *set, bool stopped)
{
	lock_set(set);
	WRITE_ONCE(set->stopped, stopped);
	unlock_set(set);
	/* Who waits for the last timer that is NEW need not any more. */
	if (!stopped)
		wake_up_interruptible_poll(&set->wait, 0);
}

/* Timers that are NEW belong to calls that had begun before. */
static int wait_for_new_timers(struct timer_set *set)
{
	return wait_event_interruptible(set->wait, !READ_ONCE(set->starting) ||
					!READ_ONCE(set->stopped));
}

/**
 * twheel_set_drain - carry out a TWHEEL_IOC_DRAIN
 * @set: The set.
 * @argp: The program's &struct twheel_drain.
 *
 * Return: How many timers have been taken back, or an error.
 */
long twheel_set_drain(struct timer_set *set, void __user *argp)
{
	struct twheel_drain arg;
	int ret;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (!drain_valid(&arg))
		return -EINVAL;
	if (arg.flags & TWHEEL_DRAIN_RESUME) {
		set_stopped(set, false);
		return 0;
	}
	if (arg.ops != (unsigned long)arg.ops)
		return -EFAULT;
	set_stopped(set, true);
	ret = wait_for_new_timers(set);
	if (ret)
		return ret;
	return drain(set, u64_to_user_ptr(arg.ops), arg.count);
}
