// SPDX-License-Identifier: GPL-2.0
/*
 * window_ns: a timer may expire from its deadline to the end of its window. Times of an
 * hour pass at once in virtual time.
 */
#include "debugfs.h"
#include "holder.h"
#include "table_timer.h"

static struct twheel_op windowed(__u64 deadline, __u64 window, __u64 cookie)
{
	struct twheel_op op = new_timer_at(deadline, cookie);

	op.window_ns = window;
	return op;
}

static __u64 window_of(int fd, __u64 handle)
{
	struct twheel_op op;

	ASSERT_GE(query(fd, handle, &op), 0);
	return op.window_ns;
}

static void check_in_window(const struct twheel_event *event, __u64 deadline, __u64 window)
{
	ASSERT_EQ(event->deadline_ns, deadline);
	ASSERT_WITHIN(event->expired_ns, deadline, deadline + window + tick_ns() + slack_ns());
}

DEVICE_TEST(window_is_told_and_kept)
{
	const __u64 most = ~0ULL >> 1;
	struct twheel_op op = windowed(now() + LONG, most, 1);

	op.handle = arm(fd, op);
	ASSERT_EQ(window_of(fd, op.handle), most);
	ASSERT_EQ(change(fd, op.handle, 2 * LONG), 0);
	ASSERT_EQ(window_of(fd, op.handle), most);
	op.window_ns = 5;
	ASSERT_EQ(upsert(fd, &op), 0);
	ASSERT_EQ(window_of(fd, op.handle), most);
	ASSERT_EQ(window_of(fd, add(fd, LONG, 2)), 0);
	op = windowed(now() + LONG, 7, 1);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	ASSERT_EQ(window_of(fd, op.handle), 7);
}

/* Each clock accepts a window, and no timer is early or late. */
DEVICE_TEST(every_clock)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct twheel_op op = windowed(read_clock(clocks[i]) + ticks(3), ticks(10), i);
		struct twheel_event event;

		op.clockid = clocks[i];
		ASSERT_EQ(window_of(fd, arm(fd, op)), ticks(10));
		event = read_any(fd);
		ASSERT_EQ(event.cookie, i);
		check_in_window(&event, op.time_ns, ticks(10));
	}
}

/* A place in which a timer had a window gets a timer that has none, and the reverse. */
TRAVEL_TEST(window_ends_with_its_timer)
{
	const __u64 first = arm(fd, windowed(now() + LONG, HOUR, 1));
	__u64 second, deadline;
	struct twheel_event event;

	ASSERT_EQ(cancel(fd, first), 0);
	deadline = now() + MINUTE;
	second = add_at(fd, deadline, 2);
	ASSERT_EQ(TWHEEL_INDEX(first), TWHEEL_INDEX(second));
	event = read_one(fd);
	check_in_window(&event, deadline, 0);

	deadline = now() + MINUTE;
	arm(fd, windowed(deadline, HOUR, 3));
	event = read_any(fd);
	check_in_window(&event, deadline, HOUR);
	/* not on its tick, or the window would have no effect */
	ASSERT_GT(event.expired_ns, deadline + tick_ns() + slack_ns());
}

/* The kernel looks at many timers that are due before it looks at the lease that was closed. */
TRAVEL_TEST(window_outlives_the_close_of_a_lease)
{
	const __u64 handle = arm(fd, windowed(now() + LONG, HOUR, 1));
	const int lease = new_lease(fd, handle, LONG, ON_CLOSE);
	struct twheel_event event;
	__u64 deadline;
	int i;

	for (i = 0; i < 1000; i++)
		add(fd, ticks(20), 2);
	pass_ticks(21);
	close(lease);
	deadline = now() + MINUTE;
	ASSERT_EQ(change_to(fd, handle, deadline), TWHEEL_RETRACTED);
	while (i--)
		ASSERT_EQ(read_any(fd).cookie, 2);
	event = read_any(fd);
	check_in_window(&event, deadline, HOUR);
	ASSERT_GT(event.expired_ns, deadline + tick_ns() + slack_ns());
}

/* The window counts from the deadline, also if the timer is armed afterwards. */
TRAVEL_TEST(window_that_is_over_is_the_next_tick)
{
	__u64 before, deadline;

	sleep_for(3 * MINUTE);
	before = now();
	deadline = before - 2 * MINUTE;
	/* Then the wheel has levels for windows of an hour. */
	add(fd, HOUR, 1);
	ASSERT_EQ(cancel(fd, arm(fd, windowed(deadline, MINUTE, 2))), 0);
	arm(fd, windowed(deadline, MINUTE, 3));
	ASSERT_EQ(read_any(fd).deadline_ns, deadline);
	ASSERT_LE(now(), before + ticks(2) + slack_ns());
}

TRAVEL_TEST(window_follows_a_change)
{
	const __u64 start = now();
	__u64 handle;
	struct twheel_event event;
	unsigned int i;

	for (i = 1; i <= 20; i++) {
		handle = arm(fd, windowed(start + i * MINUTE, MINUTE, i));
		ASSERT_EQ(change_to(fd, handle, start + (i * 37 % 20) * 2 * MINUTE + MINUTE), 0);
	}
	for (i = 1; i <= 20; i++) {
		event = read_any(fd);
		check_in_window(&event, start + (event.cookie * 37 % 20) * 2 * MINUTE + MINUTE,
				MINUTE);
	}
}

TRAVEL_TEST(periodic_timer_has_a_window_each_time)
{
	const __u64 start = now() + MINUTE;
	struct twheel_op op = windowed(start, 20 * NSEC_PER_SEC, 1);
	struct twheel_event event;
	unsigned int i;

	op.period_ns = MINUTE;
	arm(fd, op);
	for (i = 0; i < 10; i++) {
		event = read_any(fd);
		ASSERT_EQ(event.count, 1);
		check_in_window(&event, start + i * MINUTE, op.window_ns);
	}
}

TRAVEL_TEST(window_longer_than_the_period)
{
	const __u64 start = now() + MINUTE;
	struct twheel_op op = windowed(start, 30 * MINUTE, 1);
	struct twheel_event event;
	__u64 seen = 0;

	op.period_ns = MINUTE;
	arm(fd, op);
	while (seen < 100) {
		event = read_any(fd);
		check_in_window(&event, start + seen * MINUTE, op.window_ns);
		seen += event.count;
	}
	/* each event stands for all deadlines that had come */
	ASSERT_LT(event.expired_ns, event.deadline_ns + event.count * MINUTE);
}

TRAVEL_TEST(window_follows_the_table)
{
	struct twheel_word *table;
	struct twheel_op op = windowed(now() + MINUTE, MINUTE, 1);
	struct twheel_event event;

	table = map_table(fd);
	op.flags |= TWHEEL_SHARED;
	op.handle = arm(fd, op);
	ASSERT(push_alone(word_of(table, op.handle), op.time_ns + HOUR));
	event = read_any(fd);
	check_in_window(&event, op.time_ns + HOUR, MINUTE);
}

/* Arms @count timers within an hour. Returns how many ticks the wheels visited for them. */
static __u64 ticks_visited(unsigned int count, unsigned int fraction, struct twheel_op *ops,
			   struct twheel_event *events)
{
	const int fd = open_device(0);
	const __u64 start = now() + NSEC_PER_SEC;
	__u64 distance, runs = sum_of_cpus("runs");
	unsigned int i, got;

	srand(7);
	for (i = 0; i < count; i++) {
		distance = ((__u64)rand() << 31 | rand()) % HOUR;
		ops[i] = windowed(start + distance, fraction ? distance / fraction : 0, i);
	}
	add_all(fd, ops, count);
	ASSERT_LT(now(), start);
	/* The kernel looks on only while the program reads. */
	for (i = 0; i < count; i += got)
		got = read_some(fd, events + i, count - i);
	runs = sum_of_cpus("runs") - runs;
	for (i = 0; i < count; i++) {
		const struct twheel_op *op = &ops[events[i].cookie];

		check_event(&events[i]);
		ASSERT(events[i].handle == op->handle);
		check_in_window(&events[i], op->time_ns, op->window_ns);
	}
	close(fd);
	return runs;
}

TEST(hour_with_an_eighth_of_slack)
{
	enum { COUNT = 100000 };
	static struct twheel_op ops[COUNT];
	static struct twheel_event events[COUNT];
	__u64 exact, windows;

	need_time_travel();
	need_debugfs();
	exact = ticks_visited(COUNT, 0, ops, events);
	windows = ticks_visited(COUNT, 8, ops, events);
	note("ticks visited for %u timers: %llu without windows, %llu with an eighth",
	     COUNT, exact, windows);
	ASSERT_GT(exact, COUNT / 2);
	ASSERT_LT(windows, COUNT / 15);
}

/* A descriptor has no level at first. A batch gets the levels on which windows have an effect. */
TRAVEL_TEST(first_batch_expires_together)
{
	enum { COUNT = 100 };
	const __u64 first = now() + ticks(20), window = ticks(256);
	struct twheel_op ops[COUNT];
	unsigned int i, groups = 0;
	struct twheel_event event;
	__u64 last = 0;

	for (i = 0; i < COUNT; i++) {
		ops[i] = windowed(first + ticks(i), window, i);
		ops[i].op = TWHEEL_OP_ADD;
	}
	batch(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(read_some(fd, &event, 1), 1);
		check_in_window(&event, first + ticks(event.cookie), window);
		groups += event.expired_ns != last;
		last = event.expired_ns;
	}
	note("%u times", groups);
	ASSERT_LE(groups, 8);
}
