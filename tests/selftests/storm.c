// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: 1,000,000 timers are due on one tick, or 100,000 timers have a period
 * of one tick. Every expiration arrives once. What others get meanwhile is measured by
 * tests/harm.
 */
#include "device.h"

/* A million with --long, or else as many timers as this machine arms in a second. */
static unsigned int count_of_storm(void)
{
	enum { LEAST = 50000, MOST = 200000 };
	const unsigned int sample = many(20000);
	struct twheel_op *ops = allocate(sample, sizeof(*ops));
	const int fd = open_device(0);
	__u64 start, count;

	if (long_tests)
		return 1000000;
	start = now();
	add_many(fd, ops, sample, new_timer(LONG, 0));
	count = sample * NSEC_PER_SEC / (now() - start);
	free(ops);
	close(fd);
	if (count > MOST)
		return MOST;
	return count < many(LEAST) ? many(LEAST) : count;
}

TEST_TIMEOUT(a_million_timers_on_one_tick, 400)
{
	enum { ROOM = 1024, STEP = 10000 };
	const unsigned int count = count_of_storm();
	const int fd = open_device(0);
	struct twheel_op *ops = allocate(STEP, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	bool *seen = allocate(count, sizeof(*seen));
	const __u64 deadline = now() + (long_tests ? 10 : 2) * NSEC_PER_SEC;
	unsigned int i, n, got;
	__u64 armed, end;

	for (n = 0; n < count; n += STEP) {
		for (i = 0; i < STEP && n + i < count; i++)
			ops[i] = new_timer_at(deadline, n + i);
		add_all(fd, ops, i);
	}
	armed = now();
	for (n = 0; n < count; n += got) {
		got = read_some(fd, events, ROOM);
		for (i = 0; i < got; i++) {
			see_once(seen, events[i].cookie, count);
			ASSERT_EQ(events[i].deadline_ns, deadline);
			ASSERT_GE(events[i].expired_ns, deadline);
		}
	}
	end = now();
	note("%u timers%s, read within %llu ms", count,
	     armed < deadline ? "" : " (the last were armed too late)",
	     (end - deadline) / NSEC_PER_MSEC);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}

DEVICE_TEST(periods_of_one_tick)
{
	enum { ROOM = 1024 };
	const unsigned int count = many(100000);
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	const __u64 period = get_info(fd).min_period_ns;
	const __u64 start = now();
	__u64 read = 0, overruns = 0, end;
	unsigned int i, got;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer_at(start, i);
		ops[i].period_ns = period;
	}
	add_all(fd, ops, count);
	end = now() + NSEC_PER_SEC;
	while (now() < end) {
		got = read_some(fd, events, ROOM);
		for (i = 0; i < got; i++) {
			struct twheel_op *op = &ops[events[i].cookie];

			ASSERT_LT(events[i].cookie, count);
			ASSERT_EQ(events[i].deadline_ns, op->time_ns);
			op->time_ns += events[i].count * period;
			read += events[i].count;
			overruns += events[i].count - 1;
		}
	}
	note("%llu periods read, %llu of them missed", read, overruns);
	for (i = 0; i < count; i++)
		ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
	batch(fd, ops, count);
	for (i = 0; i < count; i++)
		ASSERT_GE(ops[i].result, 0);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}
