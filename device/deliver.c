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
#include "engine/device.h"
#include "timer_set.h"

/* Events that are copied to a program at a time; they are on the stack. */
#define BURST	(IS_ENABLED(CONFIG_64BIT) ? 16U : 8U)

/*
 * How many deadlines of @t have come by @now. A periodic timer is not armed
 * while it waits to be read, so that a short period cannot flood the machine;
 * what it would have done meanwhile is counted here.
 */
static u64 deadlines_passed(const struct user_timer *t, u64 now)
{
	u64 period = period_of(t);

	/* The clock may have been set back. */
	if (!period || t->flags & TWHEEL_EACH || now < t->deadline)
		return 1;
	return div64_u64(now - t->deadline, period) + 1;
}

/* The time on the clock of @t, which has come to its expiry at least. */
static u64 time_for(const struct user_timer *t, const struct twheel_phase *phase)
{
	u64 now = phase->now;

	if (t->clockid != CLOCK_MONOTONIC)
		now = twheel_jump_now(t->clockid);
	return max(now, t->expired);
}

/* Memory at @event may be the program's, too: it is not read. */
static void describe_timer(struct twheel_event *event, const struct user_timer *t,
			   u64 count)
{
	*event = (struct twheel_event) {
		.handle = handle_of(t),
		.cookie = t->cookie,
		.deadline_ns = program_time(set_of(t), t->clockid, t->deadline),
		.expired_ns = program_time(set_of(t), t->clockid,
					   max(t->expired, t->deadline)),
		.count = count,
		.type = TWHEEL_EVENT_TIMER,
		.clockid = t->clockid,
	};
}

static void describe_steps(struct twheel_event *event, const struct timer_set *set)
{
	*event = (struct twheel_event) {
		.expired_ns = set->stepped,
		.count = set->steps,
		.type = TWHEEL_EVENT_CLOCK_SET,
		.clockid = CLOCK_REALTIME,
	};
}

/* Describes events in order, up to @max, which is not 0. Returns how many. */
static unsigned int describe_some(const struct timer_set *set,
				  struct twheel_event *event, unsigned int max,
				  const struct twheel_phase *phase)
{
	const struct user_timer *t;
	unsigned int n = 0;

	if (set->steps)
		describe_steps(&event[n++], set);
	list_for_each_entry(t, &set->ready, timer.owner) {
		if (n == max)
			break;
		describe_timer(&event[n++], t,
			       deadlines_passed(t, time_for(t, phase)));
	}
	return n;
}

/* The program has got the event of @t, for so many deadlines. */
static void timer_taken(struct timer_set *set, struct user_timer *t, u64 count,
			const struct twheel_phase *phase,
			struct ended_timers *ended)
{
	u64 period = period_of(t), now;

	if (!period) {
		twheel_set_remove(set, t, ended);
		return;
	}
	now = time_for(t, phase);
	if (t->flags & TWHEEL_RESTART)
		t->deadline = saturate_time(now + period);
	else
		t->deadline = saturate_time(t->deadline + count * period);
	if (t->deadline <= now) {
		list_move_tail(&t->timer.owner, &set->ready);
		return;
	}
	twheel_set_unready(set, t);
	twheel_set_arm(t, phase);
}

static struct user_timer *first_ready(struct timer_set *set)
{
	return list_first_entry_or_null(&set->ready, struct user_timer, timer.owner);
}

/* The program has got the first @n of what describe_some() has described. */
static void some_taken(struct timer_set *set, const struct twheel_event *event,
		       unsigned int n, const struct twheel_phase *phase,
		       struct ended_timers *ended)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (event[i].type == TWHEEL_EVENT_CLOCK_SET)
			WRITE_ONCE(set->steps, 0);
		else
			timer_taken(set, first_ready(set), event[i].count, phase,
				    ended);
	}
}

static bool has_event(const struct timer_set *set)
{
	/* The list is empty for a moment when a timer moves to its end. */
	return READ_ONCE(set->steps) || READ_ONCE(set->unread);
}

/* Writes up to @max events into the ring, which has room. Returns how many. */
static u32 put_some(struct timer_set *set, u32 max, struct ended_timers *ended)
{
	struct twheel_phase phase;
	struct user_timer *t;
	u64 count;
	u32 n = 0;

	twheel_clock_read(&phase);
	if (max && set->steps) {
		describe_steps(twheel_ring_place(set, n++), set);
		WRITE_ONCE(set->steps, 0);
	}
	while (n < max && (t = first_ready(set))) {
		count = deadlines_passed(t, time_for(t, &phase));
		describe_timer(twheel_ring_place(set, n++), t, count);
		timer_taken(set, t, count, &phase, ended);
	}
	return n;
}

/*
 * Puts events into the ring, if there is one, as long as it has room. Returns
 * whether there may be room for more than have been put in at a time.
 */
static bool fill_ring(struct timer_set *set)
{
	struct ended_timers ended;
	u32 room, n;

	if (!set->ring || set->ended)
		return false;
	twheel_ended_init(&ended);
	room = twheel_ring_room(set);
	n = put_some(set, min(room, CHUNK), &ended);
	/* Who sees the events has room for as many timers. */
	twheel_ended_finish(set, &ended);
	twheel_ring_publish(set, n);
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
	list_add_tail(&t->timer.owner, &set->ready);
	WRITE_ONCE(set->unread, set->unread + 1);
	/* It takes the lock when it is not scheduled any more, and so sees the event. */
	if (!test_bit(TASKLET_STATE_SCHED, &set->wake.state))
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
static int copy_events(struct timer_set *set, struct iov_iter *to, unsigned int max)
{
	struct twheel_event event[BURST];
	struct ended_timers ended;
	struct twheel_phase phase;
	unsigned int wanted, taken, n = 0;
	bool fault = false;
	size_t copied;

	lock_set(set);
	if (set->ring) {
		unlock_set(set);
		return -EBUSY;
	}
	twheel_ended_init(&ended);
	twheel_clock_read(&phase);
	pagefault_disable();
	while (!fault) {
		wanted = min_t(size_t, min(max - n, BURST),
			       iov_iter_count(to) / sizeof(*event));
		if (!wanted)
			break;
		wanted = describe_some(set, event, wanted, &phase);
		if (!wanted)
			break;
		copied = copy_to_iter(event, wanted * sizeof(*event), to);
		taken = copied / sizeof(*event);
		iov_iter_revert(to, copied % sizeof(*event));
		some_taken(set, event, taken, &phase, &ended);
		fault = taken < wanted;
		n += taken;
	}
	pagefault_enable();
	twheel_ended_finish(set, &ended);
	unlock_set(set);
	return fault && !n ? -EFAULT : n;
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
