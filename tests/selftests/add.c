// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_ADD: when a timer expires, and what is refused. */
#include "errors.h"

/*
 * Arm timers at many points of a tick, with deadlines at many points of a tick: now plus the delay.
 */
DEVICE_TEST(no_timer_is_early)
{
	enum { COUNT = 400 };
	const __u64 step = ticks(3) / COUNT;
	struct twheel_event events[64];
	__u64 added[COUNT + 1], number;
	unsigned int i, got, seen = 0;

	/* In virtual time, the first ticks after the boot come late. */
	pass_ticks(3);
	for (i = 0; i < COUNT; i++) {
		added[i] = now();
		add(fd, i * step, i);
		poll(NULL, 0, i % 10 == 0);
	}
	added[COUNT] = now();
	arm_timerfds(now() + ticks(3));
	while (seen < COUNT) {
		got = read_some(fd, events, ARRAY_SIZE(events));
		for (i = 0; i < got; i++) {
			check_lateness(&events[i]);
			number = events[i].cookie;
			ASSERT_LT(number, COUNT);
			ASSERT_WITHIN(events[i].deadline_ns, added[number] + number * step,
				      added[number + 1] + number * step);
		}
		seen += got;
	}
	ASSERT_EQ(seen, COUNT);
	check_no_event(fd);
}

static void check_far(int fd, __u64 handle, __u64 deadline)
{
	check_no_event(fd);
	ASSERT_EQ(deadline_of(fd, handle), deadline);
	ASSERT_EQ(cancel(fd, handle), 0);
}

/* The deadline, now plus the delay, saturates. */
DEVICE_TEST(longest_delay_and_latest_deadline_are_accepted)
{
	check_far(fd, add(fd, TIME_MAX, 5), TIME_MAX);
	check_far(fd, add(fd, TIME_MAX - 1, 5), TIME_MAX);
	check_far(fd, add_at(fd, TIME_MAX, 6), TIME_MAX);
	check_far(fd, add_at(fd, TIME_MAX / 2, 6), TIME_MAX / 2);
}

DEVICE_TEST(any_cookie_comes_back)
{
	const __u64 cookies[] = { 0, 1, ~0ULL, 1ULL << 63, 1ULL << 32 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cookies); i++) {
		add(fd, 0, cookies[i]);
		ASSERT(read_one(fd).cookie == cookies[i]);
	}
}

DEVICE_TEST(only_the_handle_is_filled_in)
{
	const struct twheel_op before = new_timer(LONG, 7);
	struct twheel_op op = before;

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	ASSERT(op.handle != 0);
	op.handle = 0;
	ASSERT(!memcmp(&op, &before, sizeof(op)));
}

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* 2^40 - 1 adds are too many for a test. These use the same few places all the time. */
DEVICE_TEST(handle_does_not_come_again_soon)
{
	enum { MOST = 1 << 18, CHUNK = 256 };
	const unsigned int count = many(MOST) / CHUNK * CHUNK;
	static struct twheel_op ops[CHUNK];
	static __u64 handles[MOST];
	unsigned int i, j;

	for (i = 0; i < count; i += CHUNK) {
		add_many(fd, ops, CHUNK, new_timer(LONG, 0));
		for (j = 0; j < CHUNK; j++)
			handles[i + j] = ops[j].handle;
		cancel_all(fd, ops, CHUNK);
	}
	qsort(handles, count, sizeof(*handles), compare);
	ASSERT(handles[0] != 0);
	for (i = 1; i < count; i++)
		ASSERT(handles[i] != handles[i - 1]);
}

TEST_REFUSALS(add, TWHEEL_IOC_ADD)

DEVICE_TEST(every_clock_that_info_names_is_accepted)
{
	const __u64 clocks = get_info(fd).clocks;
	struct twheel_op op = new_timer(LONG, 11);

	for (op.clockid = 0; op.clockid < 64; op.clockid++) {
		op.handle = 0;
		op.flags = op.clockid == CLOCK_REALTIME ? TWHEEL_ABSTIME : 0;
		if (clocks & (1ULL << op.clockid))
			CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	}
}
