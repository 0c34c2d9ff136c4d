// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: delivering events to the program, by read() or through the ring
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "allowance.h"
#include "deliver.h"
#include "ended.h"
#include "ready.h"
#include "ring.h"
#include "share.h"
#include "time.h"
#include "twheel_compat.h"
#include "user_timer.h"

/* How many events are copied to a program at a time, from an array on the stack. */
#define DELIVER_BURST	(IS_ENABLED(CONFIG_64BIT) ? 16U : 8U)

/* How many events a poll() moves to the ring, and how many words it looks at, at most. */
#define DELIVER_IN_A_POLL	1024U

/* Returns the time on the clock of @t, or when @t expired if that is later. */
static s64 deliver_time(const struct user_timer *t, const struct twheel_phase *phase)
{
	s64 now = phase->now;

	if (t->clockid != CLOCK_MONOTONIC)
		now = twheel_time_now(t->clockid);
	return max(now, t->expired);
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
					   max(t->expired, t->deadline)),
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
		.expired_ns = set->stepped,
		.count = set->steps,
		.type = TWHEEL_EVENT_CLOCK_SET,
		.clockid = CLOCK_REALTIME,
	};
}

/* Describes up to @max events, in order; @max is not 0. Returns how many. */
static unsigned int deliver_describe(const struct timer_set *set,
				     struct twheel_event *event, unsigned int max,
				     const struct twheel_phase *phase)
{
	const struct user_timer *t;
	unsigned int n = 0;

	if (set->steps)
		deliver_describe_clock_set(&event[n++], set);
	list_for_each_entry(t, &set->ready, timer.owner) {
		if (n == max)
			break;
		deliver_describe_timer(&event[n++], t,
				       deliver_count(t, phase));
	}
	return n;
}

/* Arms the periodic timer @t again, or moves its next event to the end of the list. */
static noinline void deliver_again(struct timer_set *set, struct user_timer *t, u64 count,
				   const struct twheel_phase *phase)
{
	u64 period = user_timer_period(t);
	s64 now = deliver_time(t, phase);

	if (t->flags & TWHEEL_RESTART)
		t->deadline = twheel_time_add(now, period);
	else
		t->deadline = twheel_time_add(t->deadline, count * period);
	if (t->deadline <= now) {
		list_move_tail(&t->timer.owner, &set->ready);
		return;
	}
	twheel_ready_remove(set, t);
	twheel_user_timer_arm(t, phase);
}

/* Ends @t, or arms it again, once its event for @count deadlines is delivered. */
static __always_inline void deliver_done(struct timer_set *set, struct user_timer *t, u64 count,
					 const struct twheel_phase *phase,
					 struct ended_timers *ended)
{
	if (user_timer_period(t)) {
		deliver_again(set, t, count, phase);
		return;
	}
	twheel_ready_remove(set, t);
	twheel_user_timer_end(t, ended);
}

/* Accounts for the first @n events of deliver_describe(), which are delivered. */
static void deliver_done_some(struct timer_set *set, const struct twheel_event *event,
			      unsigned int n, const struct twheel_phase *phase,
			      struct ended_timers *ended)
{
	struct user_timer *t;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (event[i].type == TWHEEL_EVENT_CLOCK_SET) {
			WRITE_ONCE(set->steps, 0);
			continue;
		}
		t = list_first_entry(&set->ready, struct user_timer, timer.owner);
		deliver_done(set, t, event[i].count, phase, ended);
	}
}

/* Writes up to @max events into the ring, which has room. Returns how many. */
static u32 deliver_write_ring(struct timer_set *set, u32 max, struct ended_timers *ended)
{
	struct twheel_phase phase;
	struct user_timer *t;
	u64 count;
	u32 n = 0;

	twheel_clock_read(&phase);
	if (max && set->steps) {
		deliver_describe_clock_set(twheel_ring_place(set, n++), set);
		WRITE_ONCE(set->steps, 0);
	}
	while (n < max && (t = twheel_ready_first(set))) {
		count = deliver_count(t, &phase);
		deliver_describe_timer(twheel_ring_place(set, n++), t, count);
		deliver_done(set, t, count, &phase, ended);
	}
	return n;
}

/*
 * Moves up to @max events from the list into the ring, if there is a ring and while it
 * has room. The caller has the file open, or has looked that the set is not @ended.
 * Returns whether there may be more to move.
 */
static bool deliver_fill_ring(struct timer_set *set, u32 max)
{
	struct ended_timers ended;
	u32 room, n;

	if (!set->ring)
		return false;
	twheel_ended_init(&ended);
	room = twheel_ring_room(set);
	n = deliver_write_ring(set, min(room, max), &ended);
	/* First: when the program sees the events, the quota must have room again. */
	twheel_ended_finish(set, &ended);
	/* Before the tail: a program that sees the events also sees that more wait. */
	twheel_ring_more(set, twheel_ready_maybe(set));
	twheel_ring_publish(set, n);
	return n == max && room > max;
}

/*
 * Looks at timers that the program was left to look at, and moves events into the ring, if
 * there is one: at most @max of each, some at a time.
 */
static void deliver_look_and_fill(struct timer_set *set, u32 max)
{
	u32 done = 0;
	bool more;

	do {
		timer_set_lock(set);
		twheel_user_timer_look_at_unseen(set);
		more = deliver_fill_ring(set, TWHEEL_CHUNK) || set->looks;
		timer_set_unlock(set);
		done += TWHEEL_CHUNK;
		cond_resched();
	} while (more && done < max && !fatal_signal_pending(current));
}

/**
 * twheel_deliver_to_ring - deliver events through the ring from now on
 * @set: The set, which has just got a ring.
 *
 * Unread events go to the ring first. Readers that wait in read() return.
 */
void twheel_deliver_to_ring(struct timer_set *set)
{
	deliver_look_and_fill(set, READ_ONCE(set->entries));
	wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
}

/* Any number of waiters may watch the eventfd: so not under the lock of the set. */
static void deliver_signal_eventfd(struct timer_set *set)
{
	spin_lock_bh(&set->eventfd_lock);
	if (set->eventfd)
		eventfd_signal(set->eventfd);
	spin_unlock_bh(&set->eventfd_lock);
}

/*
 * Moves some events to the ring, if there is one, and wakes the readers for the others. The
 * function takes the lock even if there is nothing to do under it: twheel_ready_add() relies
 * on that.
 */
static void deliver_wake(struct twheel_work *wake)
{
	struct timer_set *set = container_of(wake, struct timer_set, wake);
	bool low = twheel_work_is_low(wake);
	unsigned int events;
	u64 start;

	twheel_share_lock(set, low);
	start = twheel_work_clock();
	if (set->ring && !set->ended) {
		events = min3(set->unread + !!set->steps, twheel_ring_room(set), TWHEEL_CHUNK);
		deliver_fill_ring(set, twheel_allowance_take(events));
	}
	spin_unlock(&set->lock);

	if (READ_ONCE(set->eventfd))
		deliver_signal_eventfd(set);
	if (wq_has_sleeper(&set->wait))
		wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&set->fasync, SIGIO, POLL_IN);
	twheel_share_charge_time(set, twheel_work_clock() - start, low);
}

/**
 * twheel_deliver_init - set up delivery for a set
 * @set: The set.
 */
void twheel_deliver_init(struct timer_set *set)
{
	INIT_LIST_HEAD(&set->unseen);
	INIT_LIST_HEAD(&set->ready);
	init_waitqueue_head(&set->wait);
	spin_lock_init(&set->eventfd_lock);
	twheel_work_setup(&set->wake, deliver_wake);
}

/**
 * twheel_deliver_stop - deliver no more events
 * @set: The set, whose timers are about to be freed.
 *
 * Delivering an event to the ring may end a timer. That must not happen to a timer that
 * twheel_set_release() has found.
 */
void twheel_deliver_stop(struct timer_set *set)
{
	timer_set_lock(set);
	WRITE_ONCE(set->ended, true);
	timer_set_unlock(set);
}

/**
 * twheel_deliver_exit - end delivery for a set
 * @set: The set; no callback of its timers runs any more.
 */
void twheel_deliver_exit(struct timer_set *set)
{
	twheel_work_cancel_sync(&set->wake);
	if (set->eventfd)
		eventfd_ctx_put(set->eventfd);
}

/*
 * Copies events until no event is left, the buffer is full or @max is reached. Returns
 * how many events. Returns -EFAULT if the first event hit a page that is not present; the
 * caller may fault the page in and try again. Returns -EBUSY if events go to a ring.
 */
static int deliver_copy(struct timer_set *set, struct iov_iter *to, unsigned int max)
{
	struct twheel_event event[DELIVER_BURST];
	struct ended_timers ended;
	struct twheel_phase phase;
	unsigned int wanted, taken, burst = DELIVER_BURST, n = 0;
	size_t copied;

	timer_set_lock(set);
	if (set->ring) {
		timer_set_unlock(set);
		return -EBUSY;
	}
	twheel_user_timer_look_at_unseen(set);
	twheel_ended_init(&ended);
	twheel_clock_read(&phase);
	pagefault_disable();
	while (burst) {
		wanted = min_t(size_t, min(max - n, burst),
			       iov_iter_count(to) / sizeof(*event));
		if (!wanted)
			break;
		wanted = deliver_describe(set, event, wanted, &phase);
		if (!wanted)
			break;
		copied = copy_to_iter(event, wanted * sizeof(*event), to);
		taken = copied / sizeof(*event);
		iov_iter_revert(to, copied % sizeof(*event));
		deliver_done_some(set, event, taken, &phase, &ended);
		n += taken;
		/*
		 * A copy that hits a bad page may stop up to 16 bytes before the page
		 * (arm64). So the last events are copied one by one.
		 */
		if (taken < wanted)
			burst = wanted > 1;
	}
	pagefault_enable();
	twheel_ended_finish(set, &ended);
	timer_set_unlock(set);
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

static int deliver_wait(struct timer_set *set, struct kiocb *iocb)
{
	/* A timer that the program is only now left to look at wakes the program again. */
	if (iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK)
		return twheel_ready_any(set) ? 0 : -EAGAIN;
	if (signal_pending(current))
		return -ERESTARTSYS;
	return wait_event_interruptible(set->wait,
					twheel_ready_maybe(set) || READ_ONCE(set->ring));
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
	unsigned int looks = READ_ONCE(set->looks);
	size_t wanted = iov_iter_count(to);
	int ret = 0;

	if (wanted < sizeof(struct twheel_event))
		return -EINVAL;

	twheel_share_help(set);
	while (iov_iter_count(to) >= sizeof(struct twheel_event)) {
		ret = deliver_copy(set, to, TWHEEL_CHUNK);
		looks -= min(looks, TWHEEL_CHUNK);
		if (ret == -EFAULT) {
			/*
			 * Also with IOCB_NOWAIT: after -EAGAIN the caller would wait for the next
			 * event, while this one is there.
			 */
			ret = deliver_fault_in(to);
		} else if (!looks && (!ret || (ret > 0 && !twheel_ready_maybe(set)))) {
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

/* Returns EPOLLIN if there may be an event, whether in the ring or not. */
static __poll_t deliver_poll_only(struct timer_set *set)
{
	bool empty;

	timer_set_lock(set);
	empty = !twheel_ready_maybe(set) && (!set->ring || twheel_ring_empty(set));
	timer_set_unlock(set);
	return empty ? 0 : EPOLLIN | EPOLLRDNORM;
}

/*
 * Fills the ring, and returns EPOLLIN if there may be an event. Another thread may empty the
 * ring right after it has been filled, while events still wait in the list because the
 * ring was full. Then the program must call again: no one would wake it.
 */
static __poll_t deliver_poll_ring(struct timer_set *set)
{
	deliver_look_and_fill(set, DELIVER_IN_A_POLL);
	return deliver_poll_only(set);
}

/**
 * twheel_deliver_poll - poll() of the device
 * @file: The file.
 * @wait: The poll table of the caller.
 *
 * Return: %EPOLLIN | %EPOLLRDNORM if there is an event, or there may be one because the
 * program has more words to look at than one call does; else 0.
 */
__poll_t twheel_deliver_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;

	twheel_share_help(set);
	poll_wait(file, &set->wait, wait);
	/*
	 * Pairs with wq_has_sleeper() in deliver_wake(): first in the queue, then look for
	 * events. Newer kernels have this barrier in poll_wait().
	 */
	smp_mb();
	/* No one is charged for what a kworker does. It polls for AIO: the program looks itself. */
	if (current->flags & PF_KTHREAD)
		return deliver_poll_only(set);
	if (READ_ONCE(set->ring))
		return deliver_poll_ring(set);
	if (READ_ONCE(set->looks))
		deliver_look_and_fill(set, DELIVER_IN_A_POLL);
	return twheel_ready_maybe(set) ? EPOLLIN | EPOLLRDNORM : 0;
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

	return fasync_helper(fd, file, on, &set->fasync);
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
	bool missed;

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
	timer_set_lock(set);
	missed = twheel_ready_maybe(set) || (set->ring && !twheel_ring_empty(set));
	timer_set_unlock(set);
	if (missed)
		deliver_signal_eventfd(set);
	return 0;
}
