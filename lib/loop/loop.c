// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel-loop: the timers of an event loop */
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "loop.h"

_Static_assert(sizeof(struct twheel_loop_timer) - offsetof(struct twheel_loop_timer, link) >=
	       sizeof(struct twheel_node), "a timer has room for the wheel's part");
_Static_assert(offsetof(struct twheel_loop_timer, filed) -
	       offsetof(struct twheel_loop_timer, link) == offsetof(struct twheel_node, state),
	       "@filed is the wheel's deadline");
_Static_assert(offsetof(struct twheel_loop_timer, state) -
	       offsetof(struct twheel_loop_timer, link) == offsetof(struct twheel_node, flags),
	       "@state is the wheel's flags");

static void close_one_fd(struct twheel_loop *loop)
{
	if (loop->timerfd >= 0)
		close(loop->timerfd);
	if (loop->epoll >= 0)
		close(loop->epoll);
	loop->timerfd = -1;
	loop->epoll = -1;
}

static int watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return fd < 0 ? 0 : epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Make the descriptor that stands for both the device and a timerfd. */
static int open_one_fd(struct twheel_loop *loop)
{
	int error;

	loop->alarm_ns = UINT64_MAX;
	loop->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->timerfd < 0)
		return -errno;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll >= 0 && !watch(loop->epoll, loop->timerfd) &&
	    !watch(loop->epoll, loop->device))
		return 0;
	error = -errno;
	close_one_fd(loop);
	return error;
}

/* Open the descriptors. Without the device, @reason says why, unless it was not wanted. */
static int open_descriptors(struct twheel_loop *loop)
{
	int error;

	loop->reason = 0;
	if (!(loop->flags & TWHEEL_LOOP_PROCESS))
		loop->reason = twheel_loop_remote_open(loop);
	if (loop->reason && loop->flags & TWHEEL_LOOP_DEVICE)
		return loop->reason;
	error = loop->flags & TWHEEL_LOOP_ONE_FD ? open_one_fd(loop) : 0;
	if (error) {
		twheel_loop_remote_close(loop);
		loop->reason = error;
	}
	return error;
}

/* The flags, with what the user of the program wants. Returns 0 or a negative errno. */
static int choose(unsigned int *flags)
{
	const unsigned int both = TWHEEL_LOOP_DEVICE | TWHEEL_LOOP_PROCESS;
	const char *wish = *flags & both ? NULL : secure_getenv("TWHEEL_LOOP");

	if (*flags & ~(both | TWHEEL_LOOP_ONE_FD) || (*flags & both) == both)
		return -EINVAL;
	if (!wish)
		return 0;
	if (!strcmp(wish, "device"))
		*flags |= TWHEEL_LOOP_DEVICE;
	else if (!strcmp(wish, "process"))
		*flags |= TWHEEL_LOOP_PROCESS;
	else
		return -EINVAL;
	return 0;
}

API int twheel_loop_open(struct twheel_loop **result, unsigned int flags)
{
	struct twheel_loop *loop;
	int error = choose(&flags);

	if (error)
		return error;
	loop = malloc(sizeof(*loop));
	if (!loop)
		return -ENOMEM;
	memset(loop, 0, offsetof(struct twheel_loop, owners));
	twheel_wheel_init(&loop->wheel, 0);
	INIT_LIST_HEAD(&loop->changed);
	INIT_LIST_HEAD(&loop->due);
	INIT_LIST_HEAD(&loop->armed);
	loop->soonest = UINT64_MAX;
	loop->flags = flags;
	loop->device = -1;
	loop->timerfd = -1;
	loop->epoll = -1;
	error = open_descriptors(loop);
	if (error) {
		free(loop);
		return error;
	}
	*result = loop;
	return 0;
}

API void twheel_loop_close(struct twheel_loop *loop)
{
	if (!loop)
		return;
	/* What @armed links may be gone already. */
	INIT_LIST_HEAD(&loop->armed);
	twheel_loop_remote_close(loop);
	close_one_fd(loop);
	twheel_loop_local_free(loop);
	free(loop);
}

API int twheel_loop_fork(struct twheel_loop *loop)
{
	twheel_loop_remote_close(loop);
	close_one_fd(loop);
	return open_descriptors(loop);
}

API enum twheel_loop_place twheel_loop_backend(const struct twheel_loop *loop, int *reason)
{
	if (reason)
		*reason = loop->reason;
	return loop->device < 0 ? TWHEEL_LOOP_IN_PROCESS : TWHEEL_LOOP_IN_DEVICE;
}

API int twheel_loop_fd(const struct twheel_loop *loop)
{
	return loop->epoll < 0 ? loop->device : loop->epoll;
}

/* Where a changed timer goes: not to the device if it is due soon. */
static bool is_near(const struct twheel_loop *loop, const struct twheel_loop_timer *timer,
		    uint64_t now)
{
	return loop->device < 0 || timer->deadline_ns < now + loop->near_ns;
}

/* Carry out the starts: all of them, or only those of timers that stay in the process. */
static void place(struct twheel_loop *loop, uint64_t now, bool all)
{
	struct list_head *entry, *next;

	for (entry = loop->changed.next; entry != &loop->changed; entry = next) {
		struct twheel_loop_timer *timer = loop_timer(entry);
		const bool near = is_near(loop, timer, now);

		next = entry->next;
		if (!near && !all)
			continue;
		list_del(entry);
		if (near)
			twheel_loop_local_add(loop, timer);
		else
			twheel_loop_remote_add(loop, timer);
	}
}

static void set_alarm(struct twheel_loop *loop)
{
	const uint64_t next = twheel_loop_local_next(loop);
	struct itimerspec at = { .it_value = { 0, 0 } };

	/* 0 would disarm the timerfd. */
	if (next != UINT64_MAX) {
		at.it_value.tv_sec = (time_t)(next / 1000000000);
		at.it_value.tv_nsec = (long)(next % 1000000000) + !next;
	}
	if (next != loop->alarm_ns && !timerfd_settime(loop->timerfd, TFD_TIMER_ABSTIME, &at, NULL))
		loop->alarm_ns = next;
}

API void twheel_loop_prepare(struct twheel_loop *loop, uint64_t now)
{
	twheel_loop_local_advance(loop, now);
	/* Without the table, restarts cost wake-ups instead of memory. */
	if (loop->restarted && !loop->asked && loop->device >= 0) {
		loop->asked = true;
		twheel_map_table(loop->device, LOOP_TABLE, &loop->table);
	}
	place(loop, now, true);
	twheel_loop_remote_flush(loop);
	/* If the device has failed, its timers have changed. */
	place(loop, now, true);
	if (loop->timerfd >= 0)
		set_alarm(loop);
}

API int twheel_loop_timeout(struct twheel_loop *loop, uint64_t now)
{
	const uint64_t next = twheel_loop_local_next(loop);
	uint64_t ms;

	if (loop->timerfd >= 0 || next == UINT64_MAX)
		return -1;
	ms = next > now ? (next - now + 999999) / 1000000 : 0;
	return (int)min_t(uint64_t, ms, INT_MAX);
}

API unsigned int twheel_loop_dispatch(struct twheel_loop *loop, uint64_t now, bool readable)
{
	struct twheel_loop_timer *timer;
	unsigned int count = 0;

	if (loop->device >= 0 && readable) {
		twheel_loop_remote_flush(loop);
		/* A coarse clock may lie behind the tick of an event. */
		if (loop->device >= 0)
			now = max(now, twheel_loop_remote_read(loop, now));
	}
	/* The timerfd knows of no coarse clock, and stays readable until its timer has run. */
	if (loop->timerfd >= 0 && readable)
		now = max(now, twheel_now(CLOCK_MONOTONIC));
	twheel_loop_local_advance(loop, now);
	place(loop, now, false);
	while ((timer = twheel_loop_local_first(loop, now))) {
		list_del(loop_entry(timer));
		timer->state = LOOP_STOPPED;
		timer->fn(loop, timer);
		count++;
	}
	return count;
}
