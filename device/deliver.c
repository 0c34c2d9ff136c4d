// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: delivering events to the program, by read() or through the ring
 */
#include <linux/eventfd.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "deliver.h"
#include "shared.h"
#include "turn.h"

/* How many events are copied to a program at a time, from an array on the stack. */
#define DELIVER_BURST	(IS_ENABLED(CONFIG_64BIT) ? 16U : 8U)

/* How many steps a poll() does, at most, before it says that there may be an event. */
#define DELIVER_IN_A_POLL	1024U

/* Returns the time on the clock of @t, or when @t expired if that is later. */
static s64 deliver_time(const struct user_timer *t, const struct twheel_phase *phase)
{
	return max(twheel_time_at(t->clockid, phase), user_timer_expired_ns(t));
}

/*
 * Returns how many deadlines of @t have come. A periodic timer is not armed while its event
 * is unread, so that a short period costs nothing until then. So this function computes how
 * many deadlines the timer has missed.
 */
static inline u64 deliver_count(const struct user_timer *t, const struct twheel_phase *phase)
{
	u64 period = user_timer_period(t);
	s64 now;

	if (!period || t->flags & TWHEEL_EACH)
		return 1;
	now = deliver_time(t, phase);
	/* The clock may have been set back. */
	if (now < t->deadline)
		return 1;
	return div64_u64((u64)now - (u64)t->deadline, period) + 1;
}

/* Writes to @event without reading it: in the ring, the program may change it. */
static __always_inline void deliver_describe_timer(struct twheel_event *event,
						   const struct user_timer *t, u64 count)
{
	*event = (struct twheel_event) {
		.handle = user_timer_handle(t),
		.cookie = t->cookie,
		.deadline_ns = twheel_time_to_program(user_timer_set(t), t->clockid, t->deadline),
		.expired_ns = twheel_time_to_program(user_timer_set(t), t->clockid,
					   max(user_timer_expired_ns(t), t->deadline)),
		.count = count,
		.type = TWHEEL_EVENT_TIMER,
		.flags = t->flags & USER_TIMER_LEASE_CLOSED ? TWHEEL_EVENT_LEASE_CLOSED : 0,
		.clockid = t->clockid,
		/* With all fields named, the compiler clears none of them twice. */
		.pad = 0,
		.reserved = { 0 },
	};
}

static void deliver_describe_clock_set(struct twheel_event *event,
				       const struct timer_set *set)
{
	*event = (struct twheel_event) {
		.expired_ns = set->clock_first,
		.count = set->clock_sets,
		.type = TWHEEL_EVENT_CLOCK_SET,
		.clockid = CLOCK_REALTIME,
	};
}

/* Arms the periodic timer @t again, or puts its next event at the end of the list. */
static noinline void deliver_again(struct timer_set *set, struct user_timer *t, u64 count,
				   const struct twheel_phase *phase)
{
	u64 period = user_timer_period(t);
	s64 now = deliver_time(t, phase);

	if (t->flags & TWHEEL_RESTART)
		t->deadline = twheel_time_add(now, period);
	else
		t->deadline = twheel_time_add(t->deadline, count * period);
	if (t->deadline <= now)
		user_timer_ready(set, t, false);
	else
		twheel_user_timer_arm(set, t, user_timer_tick(t, phase));
}

/* Ends @t, which is in no list, or arms it again: its event for @count deadlines is delivered. */
static __always_inline void deliver_done(struct timer_set *set, struct user_timer *t, u64 count,
					 const struct twheel_phase *phase,
					 struct ended_timers *ended)
{
	if (unlikely(user_timer_period(t)))
		deliver_again(set, t, count, phase);
	else
		twheel_user_timer_end(t, ended);
}

/* Writes events into the ring, up to @room. Returns how many. */
static u32 deliver_write_ring(struct timer_set *set, const struct twheel_phase *phase, u32 room,
			      unsigned int *steps, struct ended_timers *ended)
{
	struct user_timer *t;
	u64 count;
	u32 n = 0;

	/* First: the event about the clock comes before those of timers. */
	if (unlikely(set->refile))
		twheel_clock_refile(set, phase, steps);
	if (room && set->clock_sets) {
		deliver_describe_clock_set(twheel_ring_place(set, n++), set);
		WRITE_ONCE(set->clock_sets, 0);
	}
	while (n < room && (t = twheel_turn_take(set, phase, steps))) {
		count = deliver_count(t, phase);
		deliver_describe_timer(twheel_ring_place(set, n++), t, count);
		deliver_done(set, t, count, phase, ended);
	}
	return n;
}

/**
 * twheel_deliver_fill_ring - let the wheel catch up with the clock, and move events into the ring
 * @set: The set, locked, which has a ring and has not ended.
 * @phase: The time.
 * @steps: How many steps the function may do. The rest is stored back.
 *
 * Return: Whether nothing more is due, and no event waits.
 */
bool twheel_deliver_fill_ring(struct timer_set *set, const struct twheel_phase *phase,
			      unsigned int *steps)
{
	struct ended_timers ended = { };
	u32 room = twheel_ring_room(set), n;
	bool done;

	timer_set_assert_locked(set);

	n = deliver_write_ring(set, phase, room, steps, &ended);
	/* First: when the program sees the events, the quota must have room again. */
	twheel_user_timer_finish(set, &ended);
	/* A full ring says that events wait only if one does. */
	if (n == room && *steps && !twheel_turn_any(set))
		twheel_turn_expire(set, phase, steps);
	done = *steps && !twheel_turn_any(set);
	/* Before the tail: a program that sees the events also sees that more wait. */
	/* A program that has been woken is to call. */
	twheel_ring_more(set, !done || set->woken);
	twheel_ring_publish(set, n);
	return done;
}

/* Fills the ring, some events at a time. Returns whether an event may wait, or is in the ring. */
static bool deliver_to_ring(struct timer_set *set, u32 max)
{
	struct twheel_phase phase;
	unsigned int steps;
	u32 done = 0, room;
	bool more;

	do {
		steps = TWHEEL_CHUNK;
		twheel_turn_call(set, &phase);
		more = !twheel_deliver_fill_ring(set, &phase, &steps);
		room = twheel_ring_room(set);
		twheel_turn_end(set, &phase);
		done += TWHEEL_CHUNK;
		cond_resched();
	} while (more && room && done < max && !fatal_signal_pending(current));
	return more || room != READ_ONCE(set->entries);
}

/**
 * twheel_deliver_to_ring - deliver events through the ring from now on
 * @set: The set, which has just got a ring.
 *
 * Unread events go to the ring first. Readers that wait in read() return.
 */
void twheel_deliver_to_ring(struct timer_set *set)
{
	deliver_to_ring(set, READ_ONCE(set->entries));
	twheel_waiters_wake_all(&set->wait, EPOLLIN | EPOLLRDNORM);
}

/*
 * Copies events until no event is left, the buffer is full or @steps are done. Returns how many
 * events. Stores the rest of the steps: 0 if more events may be due. Returns -EFAULT if the first
 * event hit a page that is not present; the caller may fault the page in and try again. Returns
 * -EBUSY if events go to a ring.
 */
static int deliver_copy(struct timer_set *set, struct iov_iter *to, unsigned int *steps)
{
	struct twheel_event event[DELIVER_BURST] timer_set_not_cleared;
	struct user_timer *t[DELIVER_BURST] timer_set_not_cleared;
	struct ended_timers ended = { };
	unsigned int wanted, taken, i, first, burst = DELIVER_BURST, n = 0;
	struct twheel_phase phase;
	bool faulted = false;
	size_t copied;

	twheel_turn_call(set, &phase);
	if (set->ring) {
		timer_set_unlock(set);
		return -EBUSY;
	}
	/* First: the event about the clock comes before those of timers. */
	if (unlikely(set->refile))
		twheel_clock_refile(set, &phase, steps);
	pagefault_disable();
	while (burst) {
		wanted = min_t(size_t, burst, iov_iter_count(to) / sizeof(*event));
		first = 0;
		if (unlikely(set->clock_sets) && wanted)
			deliver_describe_clock_set(&event[first++], set);
		for (i = first; i < wanted; i++) {
			t[i] = twheel_turn_take(set, &phase, steps);
			if (!t[i])
				break;
			deliver_describe_timer(&event[i], t[i], deliver_count(t[i], &phase));
		}
		wanted = i;
		if (!wanted)
			break;
		copied = copy_to_iter(event, wanted * sizeof(*event), to);
		taken = copied / sizeof(*event);
		iov_iter_revert(to, copied % sizeof(*event));
		if (first && taken)
			WRITE_ONCE(set->clock_sets, 0);
		while (i > max(taken, first))
			user_timer_ready(set, t[--i], true);
		for (i = first; i < taken; i++)
			deliver_done(set, t[i], event[i].count, &phase, &ended);
		n += taken;
		/*
		 * A copy that hits a bad page may stop up to 16 bytes before the page
		 * (arm64). So the last events are copied one by one.
		 */
		if (taken < wanted) {
			burst = wanted > 1;
			faulted = true;
		}
	}
	pagefault_enable();
	if (faulted)
		*steps = 0;
	twheel_user_timer_finish(set, &ended);
	twheel_turn_end(set, &phase);
	return burst || n ? n : -EFAULT;
}

/*
 * Faults in the pages of the next event by writing the whole event. Touching each page
 * would not be enough: some architectures grant access to less than a page.
 */
static int deliver_fault_in(struct iov_iter *to)
{
	size_t size = sizeof(struct twheel_event);
	size_t zeroed = iov_iter_zero(size, to);

	iov_iter_revert(to, zeroed);
	return zeroed < size ? -EFAULT : 0;
}

/*
 * Lets the wheel catch up until there is an event, or nothing is due. Returns 1 or 0, or
 * -ERESTARTSYS.
 */
static int deliver_find(struct timer_set *set)
{
	struct twheel_phase phase;
	unsigned int steps;
	bool found;

	do {
		steps = TWHEEL_CHUNK;
		twheel_turn_call(set, &phase);
		found = twheel_turn_any(set) || twheel_turn_expire(set, &phase, &steps) ||
			twheel_turn_any(set);
		twheel_turn_end(set, &phase);
		if (!found && !steps && task_sigpending(current))
			return -ERESTARTSYS;
		cond_resched();
	} while (!found && !steps);
	return found;
}

static int deliver_wait(struct timer_set *set, struct kiocb *iocb)
{
	int found;

	if (iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK) {
		found = deliver_find(set);
		return found > 0 ? 0 : found ?: -EAGAIN;
	}
	if (signal_pending(current))
		return -ERESTARTSYS;
	return wait_event_interruptible(set->wait.first,
					READ_ONCE(set->ring) || deliver_find(set) > 0);
}

/**
 * twheel_deliver_read - read_iter() of the device
 * @iocb: The file, and whether the call may wait.
 * @to: The program's buffer.
 *
 * Return: How many bytes were read, or a negative errno.
 */
ssize_t twheel_deliver_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct timer_set *set = iocb->ki_filp->private_data;
	size_t wanted = iov_iter_count(to);
	unsigned int steps;
	int ret = 0;

	if (wanted < sizeof(struct twheel_event))
		return -EINVAL;

	while (iov_iter_count(to) >= sizeof(struct twheel_event)) {
		steps = TWHEEL_CHUNK;
		ret = deliver_copy(set, to, &steps);
		if (ret == -EFAULT) {
			/*
			 * Also with IOCB_NOWAIT: after -EAGAIN the caller would wait for the next
			 * event, while this one is there.
			 */
			ret = deliver_fault_in(to);
		} else if (ret >= 0 && steps) {
			/* Nothing more is due, unless the buffer is full. */
			if (iov_iter_count(to) < wanted)
				break;
			ret = deliver_wait(set, iocb);
		}
		if (ret < 0 || fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return iov_iter_count(to) < wanted ? wanted - iov_iter_count(to) : ret;
}

/*
 * Looks for an event by no more than what softirqs may do. A kernel thread polls for the AIO of a
 * program, which is not charged. Returns whether there is an event, or may be one.
 */
static bool deliver_look(struct timer_set *set)
{
	struct twheel_phase phase;
	unsigned int steps;
	bool done;

	twheel_turn_call(set, &phase);
	steps = twheel_turn_allowed();
	if (set->ring)
		done = twheel_deliver_fill_ring(set, &phase, &steps) &&
		       twheel_ring_room(set) == set->entries;
	else
		done = !twheel_turn_any(set) && !twheel_turn_expire(set, &phase, &steps) && steps &&
		       !twheel_turn_any(set);
	twheel_turn_return(steps);
	twheel_turn_end(set, &phase);
	return !done;
}

/* Looks for an event, by at most so many steps. Returns whether there is one, or may be one. */
static bool deliver_look_long(struct timer_set *set)
{
	unsigned int steps, left = DELIVER_IN_A_POLL;
	struct twheel_phase phase;
	bool found;

	do {
		steps = TWHEEL_CHUNK;
		twheel_turn_call(set, &phase);
		found = twheel_turn_any(set) || twheel_turn_expire(set, &phase, &steps) ||
			twheel_turn_any(set);
		twheel_turn_end(set, &phase);
		left -= TWHEEL_CHUNK;
		cond_resched();
	} while (!found && !steps && left);
	return found || !steps;
}

static bool deliver_may_have(struct timer_set *set)
{
	return READ_ONCE(set->ring) ? deliver_to_ring(set, DELIVER_IN_A_POLL) :
	       deliver_look_long(set);
}

/**
 * twheel_deliver_poll - poll() of the device
 * @file: The file.
 * @wait: The poll table of the caller.
 *
 * A poll() that does not ask for events turns nothing: it may come from a program that has been
 * given the descriptor and does not use it.
 *
 * Return: %EPOLLIN | %EPOLLRDNORM if there is an event, or there may be one because more is due
 * than a call looks at; else 0.
 */
__poll_t twheel_deliver_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;
	bool found;

	twheel_waiters_poll(&set->wait, file, wait);
	if (!(poll_requested_events(wait) & (EPOLLIN | EPOLLRDNORM)))
		found = twheel_turn_any(set);
	else if (current->flags & PF_KTHREAD)
		found = deliver_look(set);
	else
		found = deliver_may_have(set);
	return found ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * twheel_deliver_fasync - fasync() of the device
 * @fd: The descriptor.
 * @file: The file.
 * @on: Whether signals are wanted.
 *
 * Return: 0 or more, or an error.
 */
int twheel_deliver_fasync(int fd, struct file *file, int on)
{
	struct timer_set *set = file->private_data;
	int ret = fasync_helper(fd, file, on, &set->fasync);

	/* The program may have been woken before it asked for signals. */
	if (on)
		twheel_turn_all(set);
	return ret;
}

/**
 * twheel_deliver_eventfd - carry out a TWHEEL_IOC_EVENTFD
 * @set: The set.
 * @argp: The program's &struct twheel_eventfd.
 *
 * Return: 0 or an error.
 */
long twheel_deliver_eventfd(struct timer_set *set, void __user *argp)
{
	struct eventfd_ctx *old, *eventfd = NULL;
	struct twheel_eventfd arg;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (arg.fd < -1 || arg.flags ||
	    memchr_inv(arg.reserved, 0, sizeof(arg.reserved)))
		return -EINVAL;
	if (arg.fd >= 0) {
		eventfd = eventfd_ctx_fdget(arg.fd);
		if (IS_ERR(eventfd))
			return PTR_ERR(eventfd);
	}
	spin_lock_bh(&set->eventfd_lock);
	old = set->eventfd;
	WRITE_ONCE(set->eventfd, eventfd);
	spin_unlock_bh(&set->eventfd_lock);
	if (old)
		eventfd_ctx_put(old);

	/* The program must not miss events that were there already. */
	if (deliver_may_have(set))
		twheel_wake_eventfd(set);
	return 0;
}
