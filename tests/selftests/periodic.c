// SPDX-License-Identifier: GPL-2.0
/* Periodic timers: no drift, and no period is lost. */
#include "device.h"

static __u64 odd_period(void)
{
	return ticks(1) + tick_ns() / 3 + 7;
}

/* The first deadline after the deadlines that an event stands for. */
static __u64 next_deadline(const struct twheel_event *event, __u64 period)
{
	return event->deadline_ns + event->count * period;
}

DEVICE_TEST(deadlines_do_not_drift)
{
	const __u64 first = now() + ticks(2) + 3;
	const __u64 period = odd_period();
	const __u64 handle = add_periodic(fd, first, period, 1);
	__u64 expected = first;
	unsigned int i;

	for (i = 0; i < 80; i++) {
		struct twheel_event event;

		/* waiting for the timerfds delays the read of the next event */
		if (i % 2)
			arm_timerfds(expected);
		event = read_one(fd);
		ASSERT(event.handle == handle);
		ASSERT_EQ(event.cookie, 1);
		ASSERT_EQ(event.deadline_ns, expected);
		if (i % 2)
			check_lateness(&event);
		expected = next_deadline(&event, period);
	}
	ASSERT_EQ((expected - first) % period, 0);
	ASSERT_EQ(timers_of(fd), 1);
}

static void check_each_period(__u64 period, unsigned int count)
{
	const int fd = open_device(0);
	const __u64 first = now() + ticks(2);
	unsigned int i;

	add_periodic(fd, first, period, 1);
	for (i = 0; i < count; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_EQ(event.count, 1);
		ASSERT_EQ(event.deadline_ns, first + i * period);
		check_lateness(&event);
		ASSERT_LE(now() - event.deadline_ns, tick_ns() + 2 * slack_ns());
	}
	ASSERT_EQ(timers_of(fd), 1);
	close(fd);
}

/* In time travel nothing delays a reader, so it misses no period. */
TEST(each_period_expires_on_its_own)
{
	need_time_travel();
	check_each_period(odd_period(), 10000);
	/* two days */
	check_each_period(10 * NSEC_PER_SEC, 2 * 24 * 360);
}

DEVICE_TEST(relative_first_deadline)
{
	struct twheel_op op = new_timer(ticks(3), 2);
	const __u64 before = now();
	struct twheel_event event;

	op.period_ns = ticks(2);
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	event = read_one(fd);
	ASSERT_GE(event.deadline_ns, before + ticks(3));
	ASSERT_EQ(read_one(fd).deadline_ns, next_deadline(&event, ticks(2)));
}

DEVICE_TEST(unread_timer_is_expired)
{
	const __u64 period = LONG, first = now();
	const __u64 handle = add_periodic(fd, first, period, 6);
	struct twheel_op op;
	__u64 before;

	wait_for_event(fd);
	ASSERT_EQ(query(fd, handle, &op), TWHEEL_EXPIRED);
	ASSERT_EQ(op.period_ns, period);
	ASSERT_EQ(op.cookie, 6);
	read_one(fd);
	before = now();
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_WITHIN(first + period, before + op.time_ns, now() + op.time_ns);
}

/* One event counts all periods that have passed, however many: there is one timer. */
static void check_counts(__u64 first, __u64 period)
{
	const int fd = open_device(0);
	struct twheel_event event;
	__u64 expected = first;
	int i;

	add_periodic(fd, first, period, 14);
	for (i = 0; i < 10; i++) {
		__u64 before;

		pass_ticks(4 * i);
		wait_for_event(fd);
		before = now();
		ASSERT_EQ(timers_of(fd), 1);
		event = read_one(fd);
		ASSERT_EQ(event.deadline_ns, expected);
		expected = next_deadline(&event, period);
		/* nothing is counted in advance, and nothing is left out */
		ASSERT_GE(now(), expected - period);
		ASSERT_GT(expected, before);
	}
	ASSERT_EQ(timers_of(fd), 1);
	close(fd);
}

TEST(counts_add_up_to_the_periods_passed)
{
	check_counts(now() + ticks(2), odd_period());
	check_counts(now() + ticks(2), ticks(4));
}

TEST(past_first_deadline_is_caught_up)
{
	check_counts(now() - 10 * ticks(3), ticks(3));
	check_counts(1, ticks(1));
	check_counts(0, get_info(open_device(0)).min_period_ns);
}
