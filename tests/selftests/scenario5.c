// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded service: what is too much is refused or saturates, and disturbs
 * nothing else. limit.c has the cases of the limits.
 */
#include "device.h"

#define PARAMETER "/sys/module/twheel/parameters/max_timers"
#define TIME_MAX ((1ULL << 63) - 1)

enum { LIMIT = 500 };

static void set_limit(const char *value)
{
	const int fd = open(PARAMETER, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		skip("cannot write to %s", PARAMETER);
	close(fd);
}

static int open_limited(void)
{
	const int before = CALL(open(PARAMETER, O_RDONLY));
	char value[32] = "";
	int fd;

	CALL(read(before, value, sizeof(value) - 1));
	close(before);
	set_limit("500");
	fd = open(DEVICE, O_RDWR);
	set_limit(value);
	return CALL(fd);
}

TEST(full_service_refuses_one_more_and_serves_the_others)
{
	static struct twheel_event events[LIMIT];
	const int full = open_limited(), other = open_device(0);
	const __u64 deadline = now() + ticks(3) + 200 * NSEC_PER_MSEC;
	struct twheel_op op = new_timer(ticks(1), 0);
	int i;

	for (i = 0; i < LIMIT; i++)
		add_at(full, deadline, i);
	for (i = 0; i < 10; i++)
		REFUSED(full, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT_EQ(timers_of(full), LIMIT);

	/* another set of timers notices nothing */
	add(other, ticks(1), 1);
	ASSERT_EQ(read_one(other).cookie, 1);

	/* nor do those that were accepted */
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
	const __u64 before = now();
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct twheel_event event;

		add_at(fd, i, 5);
		event = read_one(fd);
		ASSERT_EQ(event.cookie, 5);
		ASSERT_LE(event.expired_ns, before + ticks(3 * (i + 1)) +
			  slack_ns());
	}
	check_no_event(fd);
	for (i = 0; i < ARRAY_SIZE(far); i++)
		ASSERT_EQ(cancel(fd, far[i]), 0);
	ASSERT_EQ(timers_of(fd), 0);
}
