// SPDX-License-Identifier: GPL-2.0
/*
 * An idle machine. With three timers a month apart, a CPU must not wake up for each tick: the
 * wheel sleeps until its next occupied slot. These tests count the wake-ups, over virtual
 * months, or over a few seconds where time is real.
 */
#include "debugfs.h"

/*
 * The most wake-ups of one timer: it comes down the levels of the wheel of its descriptor, and
 * the visit for each level comes down those of the wheel of its CPU.
 */
#define TIMER_WAKEUPS	24

static __u64 wakeups(void)
{
	return sum_of_cpus("runs");
}

/* Each CPU may have the wake-ups left over that its last timer has caused. */
static __u64 wakeups_left_over(void)
{
	return TIMER_WAKEUPS * cpu_count();
}

/*
 * Wait until the wheels sleep: no timer is pending, and no wake-up came for some time. On a
 * busy host, wake-ups that are left over come late, but no more of them come.
 */
static void settle(void)
{
	const __u64 most = wakeups_left_over();
	__u64 first, before;
	unsigned int i;

	need_debugfs();
	/* A user who has used up the credit has a timer for some ticks more. */
	for (i = 0; i < 300 && sum_of_cpus("pending"); i++)
		sleep_for(ticks(1));
	ASSERT_EQ(sum_of_cpus("pending"), 0);
	first = wakeups();
	if (time_travel) {
		sleep_for(MINUTE);
		return;
	}
	do {
		before = wakeups();
		sleep_for(2 * NSEC_PER_SEC);
		ASSERT_LE(wakeups() - first, most);
	} while (wakeups() != before);
}

DEVICE_TEST(no_timers_no_wakeups)
{
	__u64 before;

	/* the wheel has worked before */
	pass_ticks(3);
	settle();
	before = wakeups();
	ASSERT_GT(before, 0);
	sleep_for(time_travel ? HOUR : 3 * NSEC_PER_SEC);
	/* far fewer than ticks */
	ASSERT_LE(wakeups() - before, time_travel ? 0 : wakeups_left_over());
	close(fd);
}

/* The CPU of the timer sleeps; the change comes from another CPU. */
DEVICE_TEST(far_timer_changed_from_another_cpu)
{
	__u64 handle, before;

	stay_on_cpu(0);
	handle = add(fd, MONTH, 1);
	if (!go_to_cpu(1))
		skip("only one CPU");
	need_debugfs();
	before = wakeups();
	ASSERT_EQ(change(fd, handle, DAY), 0);
	sleep_for(3 * NSEC_PER_SEC);
	note("%llu wake-ups", wakeups() - before);
	ASSERT_LE(wakeups() - before, 2);
	ASSERT_EQ(cancel(fd, handle), 0);
}

TRAVEL_TEST(three_timers_a_month_apart)
{
	__u64 deadlines[3], before, cost;
	int i;

	settle();
	before = wakeups();
	for (i = 0; i < 3; i++) {
		deadlines[i] = now() + (i + 1) * MONTH;
		add_at(fd, deadlines[i], i);
	}
	for (i = 0; i < 3; i++) {
		read_exact(fd, deadlines[i]);
		ASSERT_LE(now() - deadlines[i], 2 * tick_ns());
	}
	cost = wakeups() - before;
	note("%llu wake-ups", cost);
	ASSERT_WITHIN(cost, 3, 3 * TIMER_WAKEUPS);
}

/* Nothing else wakes the machine up for a lone timer, and it is not late. */
TRAVEL_TEST(lone_timers_run_within_a_tick)
{
	static const __u64 distances[] = {
		NSEC_PER_SEC, 7 * NSEC_PER_SEC, MINUTE, 10 * MINUTE,
		HOUR + 1, 5 * HOUR, DAY, 3 * DAY + 12345,
	};
	__u64 cost, most = 0;
	unsigned int i;

	settle();
	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		const __u64 before = wakeups();
		const __u64 deadline = now() + distances[i];

		add_at(fd, deadline, 1);
		read_exact(fd, deadline);
		ASSERT_LE(now() - deadline, 2 * tick_ns());
		cost = wakeups() - before;
		ASSERT_GE(cost, 1);
		if (cost > most)
			most = cost;
		sleep_for(17 * NSEC_PER_SEC);
	}
	note("%llu wake-ups at most", most);
	ASSERT_LE(most, TIMER_WAKEUPS);
}

/* A timer that is pushed back does not cost a wake-up each time. */
TRAVEL_TEST(pushed_back_every_hour_for_a_week)
{
	__u64 handle, before, deadline = 0;
	int i;

	settle();
	before = wakeups();
	handle = add(fd, 10 * DAY, 1);
	for (i = 0; i < 7 * 24; i++) {
		sleep_for(HOUR);
		deadline = now() + 10 * DAY;
		ASSERT_EQ(change_to(fd, handle, deadline), 0);
	}
	read_exact(fd, deadline);
	note("%llu wake-ups", wakeups() - before);
	ASSERT_LE(wakeups() - before, 2 * TIMER_WAKEUPS);
}

/* The wheel wakes up for cancelled timers once, finds none, and sleeps on. */
TRAVEL_TEST(cancelled_timers_let_the_wheel_sleep)
{
	__u64 before;
	int i;

	settle();
	before = wakeups();
	for (i = 1; i <= 20; i++)
		ASSERT_EQ(cancel(fd, add(fd, i * DAY, i)), 0);
	sleep_for(MONTH);
	note("%llu wake-ups", wakeups() - before);
	/* The visit of the first of them comes, and nothing after that. */
	ASSERT_LE(wakeups() - before, 8);
}
