// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: events of an open file: what has expired, until it is read
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "twheel_compat.h"
#include "twheel_set.h"

/* What read() or the ring is about to give to the program. */
struct delivery {
	struct twheel_event	event;
	struct user_timer	*t;	/* NULL if the clock was set */
	u64			now;	/* on the timer's clock */
};

/*
 * How many deadlines of @t have come by @now. A periodic timer is not armed
 * while it waits to be read, so that a short period cannot flood the machine;
 * what it would have done meanwhile is counted here.
 */
static u64 deadlines_passed(const struct user_timer *t, u64 now)
{
	/* The clock may have been set back. */
	if (!t->period || t->flags & TWHEEL_EACH || now < t->deadline)
		return 1;
	return div64_u64(now - t->deadline, t->period) + 1;
}

static void describe_timer(struct delivery *d, const struct user_timer *t)
{
	d->event = (struct twheel_event) {
		.handle = t->handle,
		.cookie = t->cookie,
		.deadline_ns = program_time(t->set, t->clockid, t->deadline),
		.expired_ns = program_time(t->set, t->clockid,
					   max(t->expired, t->deadline)),
		.count = deadlines_passed(t, d->now),
		.type = TWHEEL_EVENT_TIMER,
		.clockid = t->clockid,
	};
}

static void describe_steps(struct delivery *d, const struct timer_set *set)
{
	d->event = (struct twheel_event) {
		.expired_ns = set->stepped,
		.count = set->steps,
		.type = TWHEEL_EVENT_CLOCK_SET,
		.clockid = CLOCK_REALTIME,
	};
}

/* The next event, if there is one. @now is the time on CLOCK_MONOTONIC. */
static bool next_delivery(struct timer_set *set, struct delivery *d, u64 now)
{
	d->t = list_first_entry_or_null(&set->ready, struct user_timer, ready);
	if (set->steps) {
		d->t = NULL;
		describe_steps(d, set);
		return true;
	}
	if (!d->t)
		return false;
	if (d->t->clockid != CLOCK_MONOTONIC)
		now = twheel_jump_now(d->t->clockid);
	d->now = max(now, d->t->expired);
	describe_timer(d, d->t);
	return true;
}

/* The program has got it. */
static void delivered(struct timer_set *set, const struct delivery *d)
{
	struct user_timer *t = d->t;

	if (!t) {
		WRITE_ONCE(set->steps, 0);
		return;
	}
	if (!t->period) {
		twheel_set_remove(set, t);
		return;
	}
	if (t->flags & TWHEEL_RESTART)
		t->deadline = saturate_time(d->now + t->period);
	else
		t->deadline = saturate_time(t->deadline + d->event.count * t->period);
	if (t->deadline <= d->now) {
		list_move_tail(&t->ready, &set->ready);
		return;
	}
	twheel_set_unready(set, t);
	twheel_set_arm(t);
}

static bool has_event(const struct timer_set *set)
{
	/* The list is empty for a moment when a timer moves to its end. */
	return READ_ONCE(set->steps) || READ_ONCE(set->unread);
}

/*
 * Puts events into the ring, if there is one, as long as it has room. Returns
 * whether there may be room for more than have been put in at a time.
 */
static bool fill_ring(struct timer_set *set)
{
	u64 now = ktime_get_ns();
	struct delivery d;
	u32 room, n;

	if (!set->ring || set->ended)
		return false;
	room = twheel_ring_room(set);
	for (n = 0; n < min(room, CHUNK) && next_delivery(set, &d, now); n++) {
		twheel_ring_put(set, &d.event);
		delivered(set, &d);
	}
	twheel_ring_more(set, has_event(set));
	return n == CHUNK && room > CHUNK;
}

/**
 * twheel_event_to_ring - let events go to a ring from now on
 * @set: The set, which has just got one.
 *
 * Those that are there already go first. Who waits in read() is sent away.
 */
void twheel_event_to_ring(struct timer_set *set)
{
	lock_set(set);
	if (fill_ring(set))
		tasklet_schedule(&set->wake);
	unlock_set(set);
	wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
}

static void wake_readers(struct tasklet_struct *wake)
{
	struct timer_set *set = container_of(wake, struct timer_set, wake);

	/* Already in softirq context. */
	xa_lock(&set->timers);
	if (fill_ring(set))
		tasklet_schedule(&set->wake);
	xa_unlock(&set->timers);

	wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&set->fasync, SIGIO, POLL_IN);
	xa_lock(&set->timers);
	if (set->eventfd)
		eventfd_signal(set->eventfd);
	xa_unlock(&set->timers);
}

/**
 * twheel_event_init - set up the events of a set
 * @set: The set.
 */
void twheel_event_init(struct timer_set *set)
{
	INIT_LIST_HEAD(&set->ready);
	init_waitqueue_head(&set->wait);
	tasklet_setup(&set->wake, wake_readers);
}

/**
 * twheel_event_stop - leave the events where they are
 * @set: The set, whose timers are about to be freed.
 *
 * Until then, what is put into the ring takes timers away.
 */
void twheel_event_stop(struct timer_set *set)
{
	lock_set(set);
	set->ended = true;
	unlock_set(set);
}

/**
 * twheel_event_exit - end them
 * @set: The set, whose timers are shut down.
 */
void twheel_event_exit(struct timer_set *set)
{
	tasklet_kill(&set->wake);
	if (set->eventfd)
		eventfd_ctx_put(set->eventfd);
}

/**
 * twheel_event_add - put the event of a timer that has expired into the list
 * @set: The set, locked.
 * @t: The timer.
 *
 * Context: softirq.
 */
void twheel_event_add(struct timer_set *set, struct user_timer *t)
{
	t->state = READY;
	list_add_tail(&t->ready, &set->ready);
	WRITE_ONCE(set->unread, set->unread + 1);
	tasklet_schedule(&set->wake);
}

/**
 * twheel_event_clock_set - tell the program that CLOCK_REALTIME was set
 * @set: The set.
 *
 * Context: process.
 */
void twheel_event_clock_set(struct timer_set *set)
{
	lock_set(set);
	if (!set->steps)
		set->stepped = ktime_get_real_ns();
	WRITE_ONCE(set->steps, set->steps + 1);
	tasklet_schedule(&set->wake);
	unlock_set(set);
}

/*
 * Copies events until there are no more, the buffer is full or @max is
 * reached. Returns how many, or -EFAULT if the first one hit a page that is not
 * there; the caller may bring it in and try again; or -EBUSY if events go to a
 * ring.
 */
static int copy_events(struct timer_set *set, struct iov_iter *to, int max)
{
	u64 now = ktime_get_ns();
	struct delivery d;
	size_t copied;
	int n = 0;

	lock_set(set);
	if (set->ring) {
		unlock_set(set);
		return -EBUSY;
	}
	pagefault_disable();
	while (n < max && iov_iter_count(to) >= sizeof(d.event) &&
	       next_delivery(set, &d, now)) {
		copied = copy_to_iter(&d.event, sizeof(d.event), to);
		if (copied < sizeof(d.event)) {
			iov_iter_revert(to, copied);
			n = n ? n : -EFAULT;
			break;
		}
		delivered(set, &d);
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
		return has_event(set) ? 0 : -EAGAIN;
	return wait_event_interruptible(set->wait,
					has_event(set) || READ_ONCE(set->ring));
}

/**
 * twheel_event_read - read_iter() of the device
 * @iocb: The file, and how to go about it.
 * @to: Where to.
 *
 * Return: Bytes read, or an error.
 */
ssize_t twheel_event_read(struct kiocb *iocb, struct iov_iter *to)
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

/* Says POLLIN for what is in the ring, having put in what it has room for. */
static __poll_t poll_ring(struct timer_set *set)
{
	bool empty;

	lock_set(set);
	if (fill_ring(set))
		tasklet_schedule(&set->wake);
	empty = twheel_ring_empty(set);
	unlock_set(set);
	return empty ? 0 : EPOLLIN | EPOLLRDNORM;
}

/**
 * twheel_event_poll - poll() of the device
 * @file: The file.
 * @wait: Who waits.
 *
 * Return: What there is.
 */
__poll_t twheel_event_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;

	poll_wait(file, &set->wait, wait);
	if (READ_ONCE(set->ring))
		return poll_ring(set);
	return has_event(set) ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * twheel_event_fasync - fasync() of the device
 * @fd: The descriptor.
 * @file: The file.
 * @on: Whether signals are wanted.
 *
 * Return: 0 or more, or an error.
 */
int twheel_event_fasync(int fd, struct file *file, int on)
{
	struct timer_set *set = file->private_data;

	return fasync_helper(fd, file, on, &set->fasync);
}

/**
 * twheel_event_eventfd - carry out a TWHEEL_IOC_EVENTFD
 * @set: The set.
 * @argp: The program's &struct twheel_eventfd.
 *
 * Return: 0 or an error.
 */
long twheel_event_eventfd(struct timer_set *set, void __user *argp)
{
	struct eventfd_ctx *eventfd = NULL;
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
	lock_set(set);
	swap(set->eventfd, eventfd);
	/* What is there already is not to be missed. */
	if (set->eventfd && (has_event(set) ||
			     (set->ring && !twheel_ring_empty(set))))
		eventfd_signal(set->eventfd);
	unlock_set(set);
	if (eventfd)
		eventfd_ctx_put(eventfd);
	return 0;
}
