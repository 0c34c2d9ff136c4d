// SPDX-License-Identifier: GPL-2.0
/*
 * In virtual time no host makes a timer late: each timer expires within a tick of its
 * deadline, however far away that was, through every level of the wheel that it passes. idle.c
 * has lone timers.
 */
#include "device.h"

/* A timer that is armed in any part of a tick is never early. */
TRAVEL_TEST(hundred_phases_of_the_tick)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		const __u64 delay = (i % 5) * tick_ns();
		struct twheel_event event;
		__u64 before, after;

		sleep_for(tick_ns() + i * tick_ns() / 100);
		before = now();
		add(fd, delay, i);
		after = now();
		event = read_one(fd);
		ASSERT_WITHIN(event.deadline_ns, before + delay, after + delay);
		check_lateness(&event);
		ASSERT_GE(now() - before, delay);
		/* The first tick. After its start, UML counts some ticks late. */
		if (i >= 10)
			ASSERT_LE(now(), event.deadline_ns + tick_ns() + slack_ns());
	}
}

TRAVEL_TEST(heartbeats_for_a_day)
{
	const int clock = open_device(0);
	const __u64 distance = 10 * MINUTE;
	const __u64 handle = add(fd, distance, 1);
	__u64 deadline = 0;
	int i;

	for (i = 0; i < 24 * 60; i++) {
		add(clock, MINUTE, 2);
		read_one(clock);
		ASSERT(!has_event(fd));
		deadline = now() + distance;
		ASSERT_EQ(change_to(fd, handle, deadline), 0);
	}
	/* the heart has stopped */
	read_exact(fd, deadline);
}

TRAVEL_TEST(ten_thousand_random_timers_within_a_day)
{
	enum { COUNT = 10000 };
	static struct twheel_op ops[COUNT];
	const __u64 start = now();
	int i;

	srandom(3);
	for (i = 0; i < COUNT; i++) {
		/* many near timers, few far ones */
		const __u64 most = DAY >> random() % 16;

		ops[i] = new_timer_at(start + ticks(2) +
				      ((__u64)random() << 20 ^ random()) % most, i);
	}
	add_all(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++) {
		const struct twheel_event event = read_one(fd);

		check_first_event(&event, ops, COUNT);
		ASSERT_EQ(event.deadline_ns, ops[event.cookie].time_ns);
		check_lateness(&event);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/* The timers expire in this order, and their cookies are their numbers. */
static void check_order(int fd, const __u64 *deadlines, unsigned int first, unsigned int end)
{
	unsigned int i;

	for (i = first; i < end; i++) {
		ASSERT_EQ(read_exact(fd, deadlines[i]).cookie, i);
		ASSERT_LE(now() - deadlines[i], 2 * tick_ns());
	}
}

/* Timers that are cancelled or changed on their way leave nothing behind. */
TRAVEL_TEST(cancel_and_change_on_the_way)
{
	const __u64 start = now();
	const __u64 deadlines[] = {
		start + MINUTE, start + 2 * HOUR, start + 3 * DAY,
		start + 3 * DAY + ticks(1), start + 4 * DAY,
	};
	__u64 handles[20], old[20];
	int i;

	for (i = 0; i < 20; i++)
		handles[i] = add_at(fd, start + (i + 2) * DAY, 100 + i);
	add_at(fd, deadlines[0], 0);
	add_at(fd, deadlines[1], 1);
	add_at(fd, deadlines[2], 2);
	check_order(fd, deadlines, 0, 2);
	/* after two hours all of them end, and other timers take their places */
	for (i = 0; i < 20; i++) {
		old[i] = handles[i];
		ASSERT_EQ(cancel(fd, old[i]), 0);
	}
	for (i = 0; i < 20; i++)
		handles[i] = add_at(fd, start + 100 * DAY, 3 + i);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(change(fd, old[i], 0), -ENOENT);
		ASSERT_EQ(cancel(fd, old[i]), -ENOENT);
	}
	ASSERT_EQ(change_to(fd, handles[0], deadlines[3]), 0);
	ASSERT_EQ(change_to(fd, handles[1], deadlines[4]), 0);
	for (i = 2; i < 20; i++)
		ASSERT_EQ(cancel(fd, handles[i]), 0);
	check_order(fd, deadlines, 2, 5);
	ASSERT_EQ(timers_of(fd), 0);
}

/*
 * This takes minutes of real time: an idle kernel wakes up about once in a virtual
 * second, for reasons of its own.
 */
TRAVEL_TEST(ten_years)
{
	const __u64 start = now();
	const __u64 deadlines[] = {
		start + 400 * DAY + 1, start + 3653 * DAY + 12345,
	};

	if (!long_tests)
		skip("only with --long");
	add_at(fd, deadlines[1], 1);
	add_at(fd, deadlines[0], 0);
	check_order(fd, deadlines, 0, 2);
	ASSERT_EQ(timers_of(fd), 0);
}
