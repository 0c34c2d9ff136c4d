// SPDX-License-Identifier: GPL-2.0
/*
 * Scenario 3, wide range on one wheel. Timers from 339 ms to ten years away each expire
 * on their own tick, through every level of the wheel that they pass, without a maximum
 * or a level to configure. A cancel or a change on the way takes effect at once, and
 * leaves nothing behind that a later timer could meet. All of it in virtual time.
 */
#include "virtual.h"

static const __u64 distances[] = {
	339 * NSEC_PER_MSEC,
	NSEC_PER_SEC,
	6940 * NSEC_PER_MSEC,
	70 * NSEC_PER_SEC,
	3 * MINUTE,
	5 * HOUR,
	24 * HOUR + 30 * MINUTE + 20 * NSEC_PER_SEC,
	3 * DAY,
	30 * DAY,
};

/* Check that the timers expire in this order; their cookies count from 0. */
static void check_order(int fd, const __u64 *deadlines, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_EQ(event.cookie, i);
		ASSERT_EQ(event.count, 1);
		ASSERT_EQ(event.deadline_ns, deadlines[i]);
		ASSERT_LE(event.expired_ns - event.deadline_ns,
			  tick_ns() + slack_ns());
		ASSERT_LE(now() - event.deadline_ns, 2 * tick_ns());
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(each_expires_on_its_own_tick)
{
	const int fd = open_device(0);
	__u64 deadlines[ARRAY_SIZE(distances)];
	int i;

	need_time_travel();
	/* the farthest first: the order of arming does not matter */
	for (i = ARRAY_SIZE(distances) - 1; i >= 0; i--) {
		deadlines[i] = now() + distances[i];
		add_at(fd, deadlines[i], i);
	}
	check_order(fd, deadlines, ARRAY_SIZE(distances));
}

/* Timers that are cancelled or changed on their way leave nothing behind. */
TEST(cancel_and_change_on_the_way)
{
	const int fd = open_device(0);
	const __u64 start = now();
	const __u64 deadlines[] = {
		start + MINUTE, start + 2 * HOUR, start + 3 * DAY,
		start + 3 * DAY + ticks(1), start + 4 * DAY,
	};
	__u64 handles[20], old[20];
	int i;

	need_time_travel();
	for (i = 0; i < 20; i++)
		handles[i] = add_at(fd, start + (i + 2) * DAY, 100 + i);
	add_at(fd, deadlines[0], 0);
	add_at(fd, deadlines[1], 1);
	add_at(fd, deadlines[2], 2);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(read_one(fd).cookie, i);
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
	for (i = 2; i < 5; i++) {
		const struct twheel_event event = read_one(fd);

		ASSERT_EQ(event.cookie, i);
		ASSERT_EQ(event.deadline_ns, deadlines[i]);
		ASSERT_LE(event.expired_ns - event.deadline_ns,
			  tick_ns() + slack_ns());
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/*
 * This takes minutes of real time: an idle kernel wakes up about once in a virtual
 * second, for reasons of its own.
 */
TEST(ten_years)
{
	const int fd = open_device(0);
	const __u64 start = now();
	const __u64 deadlines[] = {
		start + 400 * DAY + 1, start + 3653 * DAY + 12345,
	};

	need_time_travel();
	if (!long_tests)
		skip("only with --long");
	add_at(fd, deadlines[1], 1);
	add_at(fd, deadlines[0], 0);
	check_order(fd, deadlines, 2);
}
