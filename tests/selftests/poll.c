// SPDX-License-Identifier: GPL-2.0
/* poll(), select() and epoll: when they report an event, and how often they wake up. */
#include <stdatomic.h>

#include "device.h"
#include "one_epoll.h"

DEVICE_TEST(pollin_from_expiry_to_read)
{
	/* Neither an error nor a hangup is reported, nor any other condition. */
	ASSERT_EQ(poll_events(fd, ~0, 0), 0);
	add(fd, LONG, 1);
	ASSERT_EQ(poll_events(fd, ~0, 0), 0);
	add(fd, 0, 2);
	ASSERT_EQ(poll_events(fd, POLLIN, -1), POLLIN);
	ASSERT_EQ(poll_events(fd, ~0, 0), POLLIN | POLLRDNORM);
	read_one(fd);
	ASSERT_EQ(poll_events(fd, ~0, 0), 0);
}

/* The kernel wakes many waiters by parts. */
DEVICE_TEST(many_epolls_report)
{
	enum { EPOLLS = 200 };
	int epolls[EPOLLS], i, round;

	for (i = 0; i < EPOLLS; i++)
		epolls[i] = new_epoll(fd, EPOLLIN | EPOLLET);
	for (round = 0; round < 3; round++) {
		add(fd, ticks(1), round);
		for (i = 0; i < EPOLLS; i++)
			ASSERT(epoll_reports(epolls[i], 10000));
		read_one(fd);
	}
}

/* How many exclusive epolls have reported, and how many are to. */
static atomic_uint reported;
static unsigned int to_report;

/* If more epolls are to report, closes a descriptor, as does a process that dies without a read. */
static void wait_exclusively(void *data)
{
	const int epoll = new_epoll(*(const int *)data, EPOLLIN | EPOLLEXCLUSIVE);

	if (epoll_reports(epoll, 1000) && atomic_fetch_add(&reported, 1) + 1 < to_report)
		CALL(close(dup(*(const int *)data)));
}

TRAVEL_TEST(one_of_several_exclusive_epolls_reports)
{
	for (to_report = 1; to_report <= 20; to_report += 19) {
		reported = 0;
		/* They are more than the kernel wakes in a row. */
		start_threads(20, wait_exclusively, (void *)&fd);
		sleep_for(ticks(2));
		add(fd, ticks(1), 0);
		join_threads();
		ASSERT_EQ(reported, to_report);
		read_one(fd);
	}
}

/*
 * A program that reads only some of the events is told of the next tick at which timers expire.
 * It need not read until nothing is left.
 */
NONBLOCK_TEST(edge_triggered_epoll_reports_each_tick_if_some_events_are_left)
{
	enum { EACH_TICK = 3, TICKS = 20 };
	const int epoll = new_epoll(fd, EPOLLIN | EPOLLET);
	struct twheel_event events[EACH_TICK * TICKS];
	unsigned int tick, i;
	__u64 deadline;

	for (tick = 0; tick < TICKS; tick++) {
		deadline = now() + ticks(2);
		for (i = 0; i < EACH_TICK; i++)
			add_at(fd, deadline, tick);
		ASSERT(epoll_reports(epoll, -1));
		pass(deadline);
		ASSERT_EQ(read_events(fd, events, 1), 1);
		while (epoll_reports(epoll, 0))
			;
	}
	read_all(fd, events, (EACH_TICK - 1) * TICKS);
	ASSERT(!epoll_reports(epoll, 0));
}

/* The same for timers that were all there before the first edge. */
NONBLOCK_TEST(edge_triggered_epoll_reports_ticks_to_come_if_some_events_are_left)
{
	enum { EACH_TICK = 3, TICKS = 10 };
	const int epoll = new_epoll(fd, EPOLLIN | EPOLLET);
	struct twheel_event events[EACH_TICK * TICKS];
	unsigned int tick, i, reads = 0;
	__u64 start;

	do {
		start = now() + margin_ns();
		for (tick = 0; tick < TICKS; tick++)
			for (i = 0; i < EACH_TICK; i++)
				add_at(fd, start + tick * margin_ns(), tick);
		if (in_time(start))
			break;
		read_all(fd, events, EACH_TICK * TICKS);
	} while (true);
	/* One event is read for each edge. There is an edge for the last deadline, too. */
	while (in_time(start + (TICKS - 1) * margin_ns())) {
		ASSERT(epoll_reports(epoll, -1));
		ASSERT_EQ(read_events(fd, events, 1), 1);
		reads++;
	}
	ASSERT_GE(reads, 1);
	read_all(fd, events, EACH_TICK * TICKS - reads);
	ASSERT_EQ(timers_of(fd), 0);
}
