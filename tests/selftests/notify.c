// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_EVENTFD and SIGIO: other ways to learn that timers have expired. */
#include <stdint.h>

#include "device.h"

DEVICE_TEST(eventfd_is_signalled_each_time)
{
	const int eventfd = eventfd_of(fd);
	int i;

	for (i = 0; i < 10; i++) {
		/* A visit that an earlier call has asked for may still come. */
		pass_ticks(2);
		signals(eventfd);
		add(fd, 0, i);
		wait_for_event(eventfd);
		ASSERT_EQ(signals(eventfd), 1);
		/* with and without an older event that is unread */
		if (i % 2)
			read_one(fd);
	}
}

DEVICE_TEST(eventfd_says_what_was_there_before)
{
	const int eventfd = new_eventfd();

	add(fd, 0, 1);
	wait_for_event(fd);
	/* A visit that has been asked for may still come. */
	pass_ticks(2);
	CALL(set_eventfd(fd, eventfd));
	ASSERT_EQ(signals(eventfd), 1);
	read_one(fd);
	CALL(set_eventfd(fd, eventfd));
	ASSERT_EQ(signals(eventfd), 0);
}

DEVICE_TEST(eventfd_is_replaced_and_taken_away)
{
	const int old = new_eventfd(), new = new_eventfd();

	CALL(set_eventfd(fd, old));
	CALL(set_eventfd(fd, new));
	add(fd, 0, 1);
	wait_for_event(new);
	ASSERT_EQ(signals(new), 1);
	ASSERT_EQ(signals(old), 0);
	CALL(set_eventfd(fd, -1));
	/* A visit that has been asked for may have come. */
	signals(new);
	add(fd, 0, 2);
	pass_ticks(2);
	ASSERT_EQ(signals(new), 0);
	/* it need not have one */
	CALL(set_eventfd(fd, -1));
}

TEST(eventfd_serves_many_descriptors)
{
	const int eventfd = new_eventfd();
	int fds[5], i;
	__u64 sum = 0;

	for (i = 0; i < 5; i++) {
		fds[i] = open_device(0);
		CALL(set_eventfd(fds[i], eventfd));
		add(fds[i], 0, i);
	}
	/* A program that finds its events itself need not be woken: so it reads them later. */
	while (sum < 5) {
		wait_for_event(eventfd);
		sum += signals(eventfd);
	}
	for (i = 0; i < 5; i++)
		read_one(fds[i]);
	pass_ticks(2);
	sum += signals(eventfd);
	/* On a slow machine, a tick comes before an event is read, and its visit signals again. */
	ASSERT_WITHIN(sum, 5, time_travel ? 5 : 10);
}

DEVICE_TEST(eventfd_outlives_the_descriptor)
{
	const int eventfd = eventfd_of(fd);

	add(fd, 0, 1);
	wait_for_event(eventfd);
	close(fd);
	ASSERT_EQ(signals(eventfd), 1);
	CALL(write(eventfd, &(__u64){ 5 }, sizeof(__u64)));
	ASSERT_EQ(signals(eventfd), 5);
}

DEVICE_TEST(refused_eventfd_leaves_the_one_there_is)
{
	const struct twheel_eventfd valid = { .fd = new_eventfd() };
	const struct twheel_eventfd other = { .fd = new_eventfd() }, none = { .fd = -1 };
	int ends[2];

	CALL(pipe(ends));
	CALL(set_eventfd(fd, valid.fd));
	ASSERT_ERRNO(set_eventfd(fd, 1000), EBADF);
	ASSERT_ERRNO(set_eventfd(fd, 0x7fffffff), EBADF);
	ASSERT_ERRNO(set_eventfd(fd, ends[0]), EINVAL);
	ASSERT_ERRNO(set_eventfd(fd, fd), EINVAL);
	ASSERT_ERRNO(set_eventfd(fd, -2), EINVAL);
	ASSERT_ERRNO(set_eventfd(fd, INT32_MIN), EINVAL);
	REFUSE_BITS(fd, TWHEEL_IOC_EVENTFD, none, flags, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_EVENTFD, none, reserved, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_EVENTFD, other, flags, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_EVENTFD, other, reserved, 0);
	add(fd, 0, 1);
	wait_for_event(valid.fd);
	ASSERT_EQ(signals(other.fd), 0);
}

static int shared_fd;

static void change_eventfds(void *data)
{
	atomic_uint *rounds = data;

	while (!stopping) {
		const int eventfd = new_eventfd();

		CALL(set_eventfd(shared_fd, eventfd));
		if (++*rounds % 3 == 0)
			CALL(set_eventfd(shared_fd, -1));
		close(eventfd);
	}
}

/* One or two threads change how the program is told. Each has done a round at the end. */
static void expire_while(void (*change)(void *data), int threads)
{
	const __u64 end = end_of_races();
	atomic_uint rounds[2] = { 0 };
	unsigned int events = 0;
	int i;

	shared_fd = open_device(0);
	own_signals(shared_fd, SIGIO);
	for (i = 0; i < threads; i++)
		start_thread(change, &rounds[i]);
	do {
		add(shared_fd, 0, 1);
		read_one(shared_fd);
		events++;
	} while (now() < end || !rounds[0] || !rounds[threads - 1]);
	stop_threads();
	note("%u events, %u changes", events, rounds[0] + rounds[1]);
}

TEST_CALL(eventfds_change_while_timers_expire, expire_while(change_eventfds, 2))

static void set_async(int fd, bool on)
{
	const int flags = CALL(fcntl(fd, F_GETFL));

	CALL(fcntl(fd, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC));
}

DEVICE_TEST(other_signal_says_which_descriptor_it_is)
{
	siginfo_t info;

	own_signals(fd, SIGRTMIN);
	set_async(fd, true);
	add(fd, 0, 1);
	ASSERT(take_signal(SIGRTMIN, &info, 30 * NSEC_PER_SEC));
	ASSERT_EQ(info.si_fd, fd);
	ASSERT_EQ(info.si_code, POLL_IN);
	ASSERT(info.si_band & POLLIN);
}

DEVICE_TEST(no_signal_unless_it_is_asked_for)
{
	own_signals(fd, SIGIO);
	add(fd, 0, 1);
	read_one(fd);
	pass_ticks(2);
	ASSERT(!take_signal(SIGIO, NULL, 0));
	set_async(fd, true);
	set_async(fd, false);
	add(fd, 0, 1);
	read_one(fd);
	pass_ticks(2);
	ASSERT(!take_signal(SIGIO, NULL, 0));
}

DEVICE_TEST(no_signal_after_close)
{
	own_signals(fd, SIGIO);
	set_async(fd, true);
	add(fd, ticks(1), 1);
	add(fd, 0, 1);
	wait_for_event(fd);
	close(fd);
	take_signal(SIGIO, NULL, 0);
	pass_ticks(4);
	ASSERT(!take_signal(SIGIO, NULL, 0));
}

/* The open file has one owner, which gets signals while any descriptor is open. */
static void close_descriptor(void *data)
{
	CALL(close(*(int *)data));
}

DEVICE_TEST(signal_still_comes_when_a_child_has_closed)
{
	own_signals(fd, SIGIO);
	set_async(fd, true);
	join(start(close_descriptor, &(int){ fd }));
	add(fd, 0, 1);
	ASSERT(take_signal(SIGIO, NULL, 30 * NSEC_PER_SEC));
}

static void toggle_async(void *data)
{
	atomic_uint *rounds = data;

	while (!stopping) {
		set_async(shared_fd, true);
		set_async(shared_fd, false);
		++*rounds;
	}
}

TEST_CALL(async_is_toggled_while_timers_expire, expire_while(toggle_async, 1))
