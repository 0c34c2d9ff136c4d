// SPDX-License-Identifier: GPL-2.0
/*
 * In virtual time no host makes a timer late: each timer expires within a tick of its
 * deadline, however far away that was.
 */
#include "virtual.h"

static void check_exact(const struct twheel_event *event, __u64 deadline)
{
	ASSERT_EQ(event->deadline_ns, deadline);
	ASSERT_EQ(event->count, 1);
	ASSERT_GE(event->expired_ns, deadline);
	ASSERT_LE(event->expired_ns, deadline + tick_ns() + slack_ns());
}

static void check_single(__u64 distance)
{
	const int fd = open_device(0);
	const __u64 deadline = now() + distance;
	struct twheel_event event;

	add_at(fd, deadline, 1);
	event = read_one(fd);
	check_exact(&event, deadline);
	close(fd);
}

/* A lone timer, when nothing else lets time pass. */
TEST(single_timer_in_10_seconds)
{
	need_time_travel();
	check_single(10 * NSEC_PER_SEC);
}

TEST(single_timer_in_10_minutes)
{
	need_time_travel();
	check_single(10 * MINUTE);
}

TEST(single_timer_in_a_day)
{
	need_time_travel();
	check_single(DAY + 1);
}

/* A timer that is armed in any part of a tick is never early. */
TEST(hundred_phases_of_the_tick)
{
	const int fd = open_device(0);
	unsigned int i;

	need_time_travel();
	for (i = 0; i < 100; i++) {
		const struct timespec phase = {
			.tv_nsec = tick_ns() + i * tick_ns() / 100,
		};
		const __u64 delay = (i % 5) * tick_ns();
		struct twheel_event event;
		__u64 before, after;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &phase, NULL);
		before = now();
		add(fd, delay, i);
		after = now();
		event = read_one(fd);
		ASSERT_GE(event.deadline_ns, before + delay);
		ASSERT_LE(event.deadline_ns, after + delay);
		check_exact(&event, event.deadline_ns);
		ASSERT_GE(now() - before, delay);
	}
}

/* Milliseconds are never cut, whatever the length of a tick. */
TEST(fifteen_ms_are_never_less)
{
	const int fd = open_device(0);
	unsigned int i;

	need_time_travel();
	for (i = 0; i < 50; i++) {
		const struct timespec pause = { .tv_nsec = 1234567 * (i % 13) };
		struct twheel_event event;
		__u64 before;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		before = now();
		add(fd, 15 * NSEC_PER_MSEC, i);
		event = read_one(fd);
		ASSERT_GE(now() - before, 15 * NSEC_PER_MSEC);
		check_exact(&event, event.deadline_ns);
	}
}

/* Distances from one tick to a day, each a twelfth longer than the one before. */
TEST(distances_up_to_a_day)
{
	enum { MOST = 200 };
	const int fd = open_device(0);
	const __u64 start = now();
	__u64 deadlines[MOST], distance;
	unsigned int i, count = 0;

	need_time_travel();
	for (distance = tick_ns(); distance < DAY && count < MOST;
	     distance += distance / 12 + 1) {
		deadlines[count] = start + distance;
		add_at(fd, deadlines[count], count);
		count++;
	}
	note("%u timers", count);
	for (i = 0; i < count; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_LT(event.cookie, count);
		check_exact(&event, deadlines[event.cookie]);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/* Deadlines at and next to the powers of two of the tick. */
TEST(distances_around_powers_of_two)
{
	enum { POWERS = 24 };
	const int fd = open_device(0);
	const __u64 start = now();
	__u64 deadlines[3 * POWERS];
	int i, j;

	need_time_travel();
	for (i = 0; i < POWERS; i++) {
		for (j = 0; j < 3; j++) {
			deadlines[3 * i + j] = start + tick_ns() *
					       ((1ULL << i) + j - 1);
			add_at(fd, deadlines[3 * i + j], 3 * i + j);
		}
	}
	for (i = 0; i < 3 * POWERS; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_LT(event.cookie, 3 * POWERS);
		if (event.cookie)
			check_exact(&event, deadlines[event.cookie]);
	}
}

TEST(heartbeats_for_a_day)
{
	const int fd = open_device(0);
	const int clock = open_device(0);
	const __u64 distance = 10 * MINUTE;
	const __u64 handle = add(fd, distance, 1);
	struct twheel_event event;
	__u64 deadline = 0;
	int i;

	need_time_travel();
	for (i = 0; i < 24 * 60; i++) {
		add(clock, MINUTE, 2);
		read_one(clock);
		ASSERT(!has_event(fd));
		deadline = now() + distance;
		ASSERT_EQ(change_to(fd, handle, deadline), 0);
	}
	/* the heart has stopped */
	event = read_one(fd);
	check_exact(&event, deadline);
}

TEST(far_timer_moves_earlier_on_its_way)
{
	const int fd = open_device(0);
	const int clock = open_device(0);
	__u64 deadline = now() + 20 * DAY;
	const __u64 handle = add_at(fd, deadline, 1);
	struct twheel_event event;
	int i;

	need_time_travel();
	for (i = 0; i < 48; i++) {
		add(clock, HOUR, 2);
		read_one(clock);
		ASSERT(!has_event(fd));
		deadline -= 6 * HOUR;
		ASSERT_EQ(change_to(fd, handle, deadline), 0);
	}
	event = read_one(fd);
	check_exact(&event, deadline);
}

/* A timer that was postponed moves to an earlier deadline than it ever had. */
TEST(postponed_timer_moves_to_the_next_tick)
{
	const int fd = open_device(0);
	const int clock = open_device(0);
	const __u64 handle = add(fd, MINUTE, 1);
	struct twheel_event event;
	__u64 deadline;

	need_time_travel();
	ASSERT_EQ(change(fd, handle, HOUR), 0);
	add(clock, 2 * MINUTE, 2);
	read_one(clock);
	ASSERT(!has_event(fd));
	deadline = now() + 1;
	ASSERT_EQ(change_to(fd, handle, deadline), 0);
	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_LE(event.expired_ns, deadline + tick_ns() + slack_ns());
}

TEST(ten_thousand_random_timers_within_a_day)
{
	enum { COUNT = 10000 };
	static struct twheel_op ops[COUNT];
	static bool seen[COUNT];
	const int fd = open_device(0);
	const __u64 start = now();
	int i;

	need_time_travel();
	srandom(3);
	for (i = 0; i < COUNT; i++) {
		/* many near timers, few far ones */
		const __u64 most = DAY >> random() % 16;

		ops[i] = new_timer(start + ticks(2) + ((__u64)random() << 20 ^
						       random()) % most, i);
		ops[i].flags = TWHEEL_ABSTIME;
	}
	add_all(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_LT(event.cookie, COUNT);
		ASSERT(!seen[event.cookie]);
		seen[event.cookie] = true;
		check_exact(&event, ops[event.cookie].time_ns);
	}
	ASSERT_EQ(timers_of(fd), 0);
}
