// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: delivering events to the program, by read() or through the ring
 */
#include <linux/eventfd.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "calls.h"
#include "turn.h"

/* How many events are copied to a program at a time, from an array on the stack. */
#define DELIVER_BURST	(IS_ENABLED(CONFIG_64BIT) ? 16U : 8U)

/* How many steps a call that only looks for an event does, at most. */
#define DELIVER_LOOK	1024U

/* Returns the time on the clock of @t, or when @t expired if that is later. */
static s64 deliver_time(const struct user_timer *t, const struct twheel_phase *phase)
{
	return max(phase->now + twheel_time_ahead(t->clockid), user_timer_expired_ns(t));
}

/*
 * Returns how many deadlines of @t have come. A periodic timer is not armed while its event
 * is unread, so that a short period costs nothing until then. So this function computes how
 * many deadlines the timer has missed.
 */
static u64 deliver_count(const struct user_timer *t, const struct twheel_phase *phase)
{
	u64 period = user_timer_period(t);
	/* The clock may have been set back. */
	s64 now = max(deliver_time(t, phase), t->deadline);

	if (!period || t->flags & TWHEEL_EACH)
		return 1;
	return div64_u64((u64)now - (u64)t->deadline, period) + 1;
}

static __always_inline void deliver_describe(struct twheel_event *event,
					     const struct timer_set *set,
					     const struct user_timer *t, s64 expired,
					     clockid_t clockid, u64 count, u32 flags)
{
	*event = (struct twheel_event) {
		.handle = user_timer_handle(t),
		.cookie = t->cookie,
		.deadline_ns = twheel_time_to_program(set, clockid, t->deadline),
		.expired_ns = twheel_time_to_program(set, clockid, expired),
		.count = count,
		.type = TWHEEL_EVENT_TIMER,
		.flags = flags,
		.clockid = clockid,
		/* With all fields named, the compiler clears none of them twice. */
		.pad = 0,
		.reserved = { 0 },
	};
}

/* The event of any timer. */
static noinline void deliver_describe_any(struct twheel_event *event, const struct timer_set *set,
					  const struct user_timer *t,
					  const struct twheel_phase *phase)
{
	deliver_describe(event, set, t, max(user_timer_expired_ns(t), t->deadline), t->clockid,
			 deliver_count(t, phase),
			 t->flags & USER_TIMER_LEASE_CLOSED ? TWHEEL_EVENT_LEASE_CLOSED : 0);
}

static void deliver_describe_clock_set(struct twheel_event *event, const struct timer_set *set)
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

/*
 * Writes @n events to @to, or to the ring behind the @done events that it has got. Returns how many
 * could be written.
 */
static unsigned int deliver_write(struct timer_set *set, struct iov_iter *to, unsigned int done,
				  const struct twheel_event *event, unsigned int n)
{
	size_t copied;
	unsigned int i;

	if (!to) {
		for (i = 0; i < n; i++)
			*twheel_ring_place(set, done + i) = event[i];
		return n;
	}
	pagefault_disable();
	copied = copy_to_iter(event, n * sizeof(*event), to);
	pagefault_enable();
	iov_iter_revert(to, copied % sizeof(*event));
	return copied / sizeof(*event);
}

/*
 * Delivers events to @to, which has room for @room events, or to the ring if @to is NULL; until no
 * event is left, @room is used up or @steps are done. Stores the rest of the steps: 0 if more
 * events may be due. Returns how many events, or -EFAULT if the first event hit a page that is not
 * present.
 */
static int deliver_events(struct timer_set *set, const struct twheel_phase *phase,
			  struct iov_iter *to, size_t room, unsigned int *steps)
{
	struct twheel_event event[DELIVER_BURST] timer_set_not_cleared;
	struct user_timer *t[DELIVER_BURST] timer_set_not_cleared;
	unsigned int most, found, taken, i, first, burst = DELIVER_BURST, left = *steps, n = 0;

	/* First: the event about the clock comes before those of timers. */
	if (unlikely(set->refile))
		twheel_clock_refile(set, phase, &left);
	while (burst) {
		most = min_t(size_t, burst, room - n);
		first = 0;
		if (unlikely(set->clock_sets) && most)
			deliver_describe_clock_set(&event[first++], set);
		for (i = first; i < most; i++) {
			t[i] = twheel_turn_take_plain(set, phase, &left);
			if (likely(t[i])) {
				deliver_describe(&event[i], set, t[i], user_timer_expired_ns(t[i]),
						 CLOCK_MONOTONIC, 1, 0);
				continue;
			}
			t[i] = twheel_turn_take(set, phase, &left);
			if (!t[i])
				break;
			deliver_describe_any(&event[i], set, t[i], phase);
		}
		found = i;
		if (!found)
			break;
		taken = deliver_write(set, to, n, event, found);
		if (first && taken)
			WRITE_ONCE(set->clock_sets, 0);
		while (i > max(taken, first))
			user_timer_ready(set, t[--i], true);
		for (i = first; i < taken; i++) {
			if (unlikely(user_timer_period(t[i])))
				deliver_again(set, t[i], event[i].count, phase);
			else
				twheel_user_timer_end(set, t[i]);
		}
		n += taken;
		/*
		 * A copy that hits a bad page may stop up to 16 bytes before the page
		 * (arm64). So the last events are copied one by one.
		 */
		if (unlikely(taken < found))
			burst = found > 1;
		/* Nothing more is due, except of timers that give each missed event. */
		else if (found < most && !set->unread)
			break;
	}
	*steps = burst == DELIVER_BURST ? left : 0;
	/* Before the program sees events in the ring: then the quota must have room again. */
	twheel_user_timer_finish(set);
	return burst || n ? n : -EFAULT;
}

/*
 * Moves events into the ring of the set, which is locked and has not ended, by at most @steps
 * steps. Stores the rest of the steps. Returns whether nothing more is due, and no event waits.
 */
bool twheel_deliver_fill_ring(struct timer_set *set, const struct twheel_phase *phase,
			      unsigned int *steps)
{
	u32 room = twheel_ring_room(set), n;
	bool done;

	n = deliver_events(set, phase, NULL, room, steps);
	/* A full ring says that events wait only if one does. */
	if (n == room && *steps && !twheel_turn_any(set))
		twheel_turn_expire(set, phase, steps);
	done = *steps && !twheel_turn_any(set);
	/*
	 * Before the tail: a program that sees the events also sees that more wait. A program that
	 * has been woken is to call.
	 */
	twheel_ring_more(set, !done || set->woken);
	twheel_ring_publish(set, n);
	/* Also in a call: the visit that was asked for these events still wakes the others. */
	set->fresh |= n;
	return done;
}

/*
 * Looks for an event, by at most so many steps, and fills the ring if there is one. A kernel thread
 * that polls for the AIO of a program is not charged: it does no more than softirqs may do. Returns
 * whether there is an event, or may be one because more is due.
 */
static bool deliver_look(struct timer_set *set, unsigned int max)
{
	const bool charged = !(current->flags & PF_KTHREAD);
	unsigned int steps, looked = 0;
	struct twheel_phase phase;
	bool more, found;

	do {
		twheel_turn_call(set, &phase);
		steps = charged ? TWHEEL_CHUNK : twheel_turn_allowed();
		if (set->ring) {
			more = !twheel_deliver_fill_ring(set, &phase, &steps);
			found = more || twheel_ring_room(set) != set->entries;
			more = more && twheel_ring_room(set);
		} else {
			if (!twheel_turn_any(set))
				twheel_turn_expire(set, &phase, &steps);
			more = !steps && !twheel_turn_any(set);
			found = !steps || twheel_turn_any(set);
		}
		if (!charged)
			twheel_turn_return(steps);
		twheel_turn_end(set, &phase);
		looked += TWHEEL_CHUNK;
		cond_resched();
	} while (more && charged && looked < max && !task_sigpending(current));
	return found;
}

/* Delivers events through the ring, which the set has just got. Readers in read() return. */
void twheel_deliver_to_ring(struct timer_set *set)
{
	/* Unread events go to the ring first. */
	deliver_look(set, set->entries);
	spin_lock_bh(&set->lock);
	set->notify |= wq_has_sleeper(&set->wait.queue);
	spin_unlock_bh(&set->lock);
	twheel_waiters_wake(set);
}

/*
 * Faults in the pages of the next event by writing the whole event. Touching each page
 * would not be enough: some architectures grant access to less than a page.
 */
static int deliver_fault_in(struct iov_iter *to)
{
	size_t size = sizeof(struct twheel_event), zeroed = iov_iter_zero(size, to);

	iov_iter_revert(to, zeroed);
	return zeroed < size ? -EFAULT : 0;
}

/* read_iter() of the device. Returns how many bytes were read, or an error. */
ssize_t twheel_deliver_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct timer_set *set = iocb->ki_filp->private_data;
	size_t wanted = iov_iter_count(to), room;
	struct twheel_phase phase;
	unsigned int steps;
	int ret = 0;

	if (wanted < sizeof(struct twheel_event))
		return -EINVAL;
	twheel_user_cpu_call(set);

	while ((room = iov_iter_count(to) / sizeof(struct twheel_event))) {
		steps = TWHEEL_CHUNK;
		twheel_turn_call(set, &phase);
		ret = set->ring ? -EBUSY : deliver_events(set, &phase, to, room, &steps);
		twheel_turn_end(set, &phase);
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
			if (iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK)
				ret = -EAGAIN;
			else
				ret = wait_event_interruptible(set->wait.queue,
							       READ_ONCE(set->ring) ||
							       twheel_turn_any(set) ||
							       deliver_look(set, DELIVER_LOOK));
		} else if (!ret && task_sigpending(current)) {
			ret = -ERESTARTSYS;
		}
		if (ret < 0 || fatal_signal_pending(current))
			break;
		cond_resched();
	}
	twheel_levels_keep_up(set);
	return iov_iter_count(to) < wanted ? wanted - iov_iter_count(to) : ret;
}

/*
 * poll() of the device: whether there is an event, or may be one because more is due than a call
 * looks at. A poll() that does not ask for events turns nothing: it may come from a program that
 * has been given the descriptor and does not use it.
 */
__poll_t twheel_deliver_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;
	bool found;

	twheel_user_cpu_call(set);
	poll_wait(file, &set->wait.queue, wait);
	if (poll_requested_events(wait) & (EPOLLIN | EPOLLRDNORM))
		found = deliver_look(set, DELIVER_LOOK);
	else
		found = twheel_turn_any(set);
	twheel_levels_keep_up(set);
	return found ? EPOLLIN | EPOLLRDNORM : 0;
}

/* fasync() of the device. */
int twheel_deliver_fasync(int fd, struct file *file, int on)
{
	struct timer_set *set = file->private_data;
	int ret = fasync_helper(fd, file, on, &set->fasync);

	/* The program may have been woken before it asked for signals. */
	if (on)
		twheel_turn_all(set);
	return ret;
}

/* Carries out a TWHEEL_IOC_EVENTFD. Returns 0 or an error. */
long twheel_deliver_eventfd(struct timer_set *set, void __user *argp)
{
	struct eventfd_ctx *eventfd = NULL;
	struct twheel_eventfd arg;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	if (arg.fd < -1 || arg.flags || memchr_inv(arg.reserved, 0, sizeof(arg.reserved)))
		return -EINVAL;
	if (arg.fd >= 0) {
		eventfd = eventfd_ctx_fdget(arg.fd);
		if (IS_ERR(eventfd))
			return PTR_ERR(eventfd);
	}
	twheel_waiters_set_eventfd(set, eventfd);
	/* The program must not miss events that were there already. */
	if (deliver_look(set, DELIVER_LOOK))
		twheel_waiters_signal(set);
	return 0;
}
