// SPDX-License-Identifier: GPL-2.0
/* Timers on each clock, and time namespaces. clock_set.c has a clock that is set. */
#include <sched.h>

#include "device.h"
#include "parameter.h"

static void check_expiry_on(clockid_t clockid)
{
	const int fd = open_device(0);
	const __u64 deadline = read_clock(clockid) + ticks(3);
	const __u64 handle = add_on(fd, clockid, deadline, 0);
	const struct twheel_event event = read_any(fd);

	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_GE(event.expired_ns, deadline);
	ASSERT_GE(read_clock(clockid), event.expired_ns);
	ASSERT_EQ(timers_of(fd), 0);
}

/* On CLOCK_REALTIME, which may be set, a relative time has no meaning. */
DEVICE_TEST(relative_time_is_for_boottime_and_not_for_realtime)
{
	const __u64 before = read_clock(CLOCK_BOOTTIME);
	struct twheel_op op = new_timer(ticks(3), 1);
	struct twheel_event event;

	op.clockid = CLOCK_REALTIME;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	op.clockid = CLOCK_BOOTTIME;
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	event = read_any(fd);
	ASSERT_GE(event.deadline_ns, before + ticks(3));
	ASSERT_GE(event.expired_ns, event.deadline_ns);
}

/* A deadline that has passed: the timer expires by the next tick. */
static void check_past(clockid_t clockid, __u64 ago)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 before = read_clock(clockid), deadline = ago < before ? before - ago : 1;
	const __u64 handle = add_on(fd, clockid, deadline, 0);
	struct twheel_event event;

	/* Not later than another timer of this CPU that was due then. */
	pass_ticks(1);
	ASSERT(has_event(fd));
	event = read_any(fd);
	ASSERT(event.handle == handle);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_EQ(event.count, 1);
	/* A busy host counts the next tick late: it began before the call then. */
	ASSERT_WITHIN(event.expired_ns, time_travel ? before : deadline, read_clock(clockid));
	check_no_event(fd);
	close(fd);
}

TEST(past_deadline_expires_by_the_next_tick)
{
	unsigned int i;

	stay_on_cpu(0);
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		check_past(clocks[i], 0);
		check_past(clocks[i], 1);
		check_past(clocks[i], ticks(1));
		check_past(clocks[i], TIME_MAX);
	}
}

DEVICE_TEST(periodic_timer_keeps_to_its_clock)
{
	const __u64 start = read_clock(CLOCK_REALTIME) + ticks(2);
	__u64 due = start;
	int i;

	add_on(fd, CLOCK_REALTIME, start, ticks(2));
	for (i = 0; i < 10; i++) {
		const struct twheel_event event = read_any(fd);

		ASSERT_EQ(event.deadline_ns, due);
		ASSERT_GE(event.count, 1);
		due += event.count * ticks(2);
	}
}

NONBLOCK_TEST(cancel_and_change_work_on_all_clocks)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		const __u64 time = read_clock(clocks[i]);
		const __u64 handle = add_on(fd, clocks[i], time + HOUR, 0);
		const __u64 other = add_on(fd, clocks[i], time + HOUR, 0);
		struct twheel_op op;

		ASSERT_EQ(query(fd, handle, &op), 0);
		ASSERT_EQ(op.clockid, clocks[i]);
		ASSERT_LE(op.time_ns, HOUR);
		ASSERT_GT(op.time_ns, HOUR / 2);
		ASSERT_EQ(cancel(fd, other), 0);
		ASSERT_EQ(cancel(fd, other), -ENOENT);
		ASSERT_EQ(change_to(fd, handle, time), 0);
		wait_for_event(fd);
		ASSERT_EQ(read_any(fd).handle, handle);
	}
}

/* The order holds for periodic timers that are read late, too: each has one event. */
NONBLOCK_TEST(order_holds_on_each_clock)
{
	enum { TIMERS = 100, EVENTS = 3000 };
	__u64 last[CLOCK_BOOTTIME + 1] = { 0 };
	unsigned int i, c;

	for (c = 0; c < ARRAY_SIZE(clocks); c++)
		for (i = 0; i < TIMERS; i++)
			add_on(fd, clocks[c], read_clock(clocks[c]) + i * ticks(1) / 7,
			       i % 2 ? ticks(1) + i * 1000 : ticks(2) + i * 1000);
	for (i = 0; i < EVENTS; i++) {
		const struct twheel_event event = read_any(fd);

		ASSERT_LE(event.clockid, CLOCK_BOOTTIME);
		ASSERT_GE(event.expired_ns, event.deadline_ns);
		ASSERT_GE(event.expired_ns, last[event.clockid]);
		last[event.clockid] = event.expired_ns;
		if (i % 256 == 0)
			pass_ticks(3);
	}
}

/* A check for a child whose CLOCK_MONOTONIC and CLOCK_BOOTTIME are an hour ahead. */
struct check {
	__u64	outside;
	void	(*run)(clockid_t clockid);
};

static void check_in_namespace(void *data)
{
	const struct check *check = data;

	if (read_clock(CLOCK_MONOTONIC) < check->outside + HOUR / 2)
		skip("the namespace's clocks are the machine's");
	check->run(CLOCK_MONOTONIC);
	check->run(CLOCK_BOOTTIME);
}

static void run_in_namespace(void (*run)(clockid_t clockid))
{
	struct check check = { read_clock(CLOCK_MONOTONIC), run };

	if (unshare(CLONE_NEWTIME))
		skip("no time namespaces here");
	ASSERT(write_file("/proc/self/timens_offsets", "monotonic 3600 0\nboottime 3600 0\n"));
	pass_on(status_of(start(check_in_namespace, &check)));
}

TEST_CALL(deadlines_are_in_the_namespace, run_in_namespace(check_expiry_on))

/* A periodic timer whose first deadline lies before the kernel's own zero. */
static void check_grid_on(clockid_t clockid)
{
	const __u64 first = 5 * NSEC_PER_SEC, period = 10 * NSEC_PER_SEC;
	const int fd = open_device(0);
	const __u64 before = read_clock(clockid);
	const __u64 handle = add_on(fd, clockid, first, period);
	const struct twheel_event event = read_any(fd);
	const __u64 after = read_clock(clockid);

	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.deadline_ns, first);
	ASSERT_WITHIN(event.count, (before - first) / period + 1, (after - first) / period + 1);
	ASSERT_EQ(deadline_of(fd, handle), first + event.count * period);
}

TEST_CALL(grid_of_a_deadline_before_the_kernels_zero, run_in_namespace(check_grid_on))
