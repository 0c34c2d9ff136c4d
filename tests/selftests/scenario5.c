// SPDX-License-Identifier: GPL-2.0
/*
 * Scenario 5, bounded service. The number of pending timers has a maximum. One timer
 * more is refused with a clear errno, and disturbs nothing else. A delay that is too long
 * saturates, and a deadline in the past means the next tick. limit.c and quota.c have the
 * cases of the limits.
 */
#include "device.h"
#include "parameter.h"

#define TIME_MAX ((1ULL << 63) - 1)

enum { LIMIT = 500 };

TEST(full_service_refuses_one_more_and_serves_the_others)
{
	static struct twheel_event events[LIMIT];
	const int full = open_with("max_timers", LIMIT), other = open_device(0);
	const __u64 deadline = now() + ticks(3) + 200 * NSEC_PER_MSEC;
	struct twheel_op op = new_timer(ticks(1), 0);
	int i;

	for (i = 0; i < LIMIT; i++)
		add_at(full, deadline, i);
	for (i = 0; i < 10; i++)
		REFUSED(full, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT_EQ(timers_of(full), LIMIT);
	arm_timerfds(in_time(deadline) ? deadline : now());

	/* another descriptor notices nothing */
	add(other, ticks(1), 1);
	ASSERT_EQ(read_one(other).cookie, 1);

	/* nor do the timers that were accepted */
	read_all(full, events, LIMIT);
	for (i = 0; i < LIMIT; i++) {
		ASSERT_EQ(events[i].deadline_ns, deadline);
		check_lateness(&events[i]);
	}
	check_no_event(full);
	add(full, ticks(1), 2);
	ASSERT_EQ(read_one(full).cookie, 2);
}

TEST(delays_saturate_and_past_deadlines_run_at_the_next_tick)
{
	const int fd = open_device(0);
	const __u64 far[] = { add(fd, TIME_MAX, 1), add(fd, TIME_MAX - 1, 2),
			      add(fd, TIME_MAX / 2, 3),
			      add_at(fd, TIME_MAX, 4) };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct twheel_event event;

		add_at(fd, i, 5);
		arm_timerfds(now());
		event = read_one(fd);
		ASSERT_EQ(event.cookie, 5);
		ASSERT_LE(event.expired_ns, latest_expiry());
	}
	check_no_event(fd);
	for (i = 0; i < ARRAY_SIZE(far); i++)
		ASSERT_EQ(cancel(fd, far[i]), 0);
	ASSERT_EQ(timers_of(fd), 0);
}
