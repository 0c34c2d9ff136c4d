// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that is suspended. CLOCK_MONOTONIC stands still during the suspend; CLOCK_BOOTTIME
 * and CLOCK_REALTIME go on.
 */
#include <linux/rtc.h>

#include "device.h"
#include "parameter.h"

/* How much CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC. */
static __u64 time_suspended(void)
{
	const __u64 mono = read_clock(CLOCK_MONOTONIC);

	return read_clock(CLOCK_BOOTTIME) - mono;
}

/* Open the clock that wakes the machine up; skip the test if it cannot be suspended. */
static int open_alarm(void)
{
	char states[64] = "";
	const int fd = open("/sys/power/state", O_RDONLY | O_CLOEXEC);
	int rtc = -1;

	need_time_travel();
	if (fd >= 0 && read(fd, states, sizeof(states) - 1) > 0 &&
	    strstr(states, "mem"))
		rtc = open("/dev/rtc0", O_RDONLY | O_CLOEXEC);
	if (rtc < 0)
		skip("no suspend to RAM, or no clock that ends it");
	close(fd);
	return rtc;
}

/* Suspend the machine for so many seconds, give or take two. */
static void suspend(unsigned int seconds)
{
	struct rtc_wkalrm alarm = { .enabled = 1 };
	const __u64 before = time_suspended();
	const int rtc = open_alarm();
	struct tm tm;

	CALL(ioctl(rtc, RTC_RD_TIME, &alarm.time));
	memcpy(&tm, &alarm.time, sizeof(alarm.time));
	tm.tm_sec += seconds;
	/* brings all fields into their ranges */
	CALL(timegm(&tm));
	memcpy(&alarm.time, &tm, sizeof(alarm.time));
	CALL(ioctl(rtc, RTC_WKALM_SET, &alarm));
	ASSERT(write_file("/sys/power/state", "mem"));
	close(rtc);
	ASSERT_GE(time_suspended() - before, (seconds - 2) * NSEC_PER_SEC);
	ASSERT_LE(time_suspended() - before, (seconds + 2) * NSEC_PER_SEC);
}

static void check_due_meanwhile(clockid_t clockid)
{
	const int fd = open_device(0);
	const __u64 deadline = read_clock(clockid) + HOUR / 2;
	const __u64 handle = add_on(fd, clockid, deadline, 0);
	struct twheel_event event;
	__u64 resumed;

	suspend(3600);
	resumed = read_clock(clockid);
	event = read_any(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_GE(event.expired_ns, deadline + HOUR / 2 - 5 * NSEC_PER_SEC);
	ASSERT_LE(event.expired_ns, resumed + 2 * tick_ns() + slack_ns());
	ASSERT_EQ(timers_of(fd), 0);
}

TEST_CALL(boottime_timer_due_meanwhile_expires_at_resume, check_due_meanwhile(CLOCK_BOOTTIME))
TEST_CALL(realtime_timer_due_meanwhile_expires_at_resume, check_due_meanwhile(CLOCK_REALTIME))

DEVICE_TEST(monotonic_timer_stands_still)
{
	const __u64 start = now();
	const __u64 handle = add_at(fd, start + HOUR / 2, 1);
	struct twheel_op op = { 0 };

	suspend(3600);
	ASSERT_LE(now(), start + 10 * NSEC_PER_SEC);
	check_no_event(fd);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_GE(op.time_ns, HOUR / 2 - 20 * NSEC_PER_SEC);
	read_exact(fd, start + HOUR / 2);
}

DEVICE_TEST(boottime_timer_due_later_is_in_time)
{
	const __u64 deadline = read_clock(CLOCK_BOOTTIME) + 3 * HOUR / 2;

	add_on(fd, CLOCK_BOOTTIME, deadline, 0);
	suspend(3600);
	ASSERT(!has_event(fd));
	read_exact(fd, deadline);
}

DEVICE_TEST(periods_that_were_slept_over_are_counted)
{
	const __u64 start = read_clock(CLOCK_BOOTTIME) + MINUTE;
	struct twheel_event event;

	add_on(fd, CLOCK_BOOTTIME, start, 10 * MINUTE);
	suspend(3600);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, start);
	/* at 1, 11, 21, 31, 41 and 51 minutes */
	ASSERT_EQ(event.count, 6);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, start + HOUR);
	ASSERT_EQ(event.count, 1);
}
