// SPDX-License-Identifier: GPL-2.0
/* CLOCK_REALTIME is set: deadlines come near or go away, and programs are told. */
#include "device.h"

/* How far the case has set the clock. */
static __s64 clock_moved;

static void move_clock(__s64 by)
{
	const struct timespec ts = to_timespec(read_clock(CLOCK_REALTIME) + by);

	CALL(clock_settime(CLOCK_REALTIME, &ts));
	clock_moved += by;
}

static void restore_clock(void)
{
	if (clock_moved)
		move_clock(-clock_moved);
}

static void need_settable_clock(void)
{
	const __u64 before = read_clock(CLOCK_REALTIME);
	const struct timespec ts = to_timespec(before);

	if (clock_settime(CLOCK_REALTIME, &ts) && errno == EPERM)
		skip("only root may set the clock");
	move_clock(HOUR);
	if (read_clock(CLOCK_REALTIME) < before + HOUR / 2)
		skip("the clock cannot be set here");
	restore_clock();
}

/* A case with a descriptor of its own, @fd, that sets the clock, and at its end sets it back. */
#define SET_TEST(id)							\
	static void run_##id(int fd);					\
	TEST_CALL(id, need_settable_clock(); run_##id(open_device(0)); restore_clock()) \
	static void run_##id(const int fd)

static void watch_clock(int fd)
{
	CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
}

static void read_clock_set(int fd)
{
	const struct twheel_event event = read_any(fd);

	ASSERT_EQ(event.type, TWHEEL_EVENT_CLOCK_SET);
	ASSERT_EQ(event.handle, 0);
	ASSERT_EQ(event.cookie, 0);
	ASSERT_EQ(event.count, 1);
	ASSERT_GE(read_clock(CLOCK_REALTIME), event.expired_ns);
	ASSERT_GE(event.expired_ns + HOUR / 2, read_clock(CLOCK_REALTIME));
}

SET_TEST(step_forward_brings_deadlines_near)
{
	const __u64 mono = add(fd, HOUR / 2, 1);
	const __u64 handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + HOUR / 2, 0);
	struct twheel_event event;

	move_clock(HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_GE(event.expired_ns, event.deadline_ns);
	/* CLOCK_MONOTONIC has not moved */
	ASSERT_EQ(cancel(fd, mono), 0);
}

NONBLOCK_TEST(step_back_puts_deadlines_off)
{
	__u64 deadline, handle;

	need_settable_clock();
	for (;;) {
		deadline = now() + ticks(5);
		handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + ticks(5), 0);
		move_clock(-(__s64)HOUR);
		if (!too_late(fd, handle, deadline))
			break;
		move_clock(HOUR);
	}
	pass_ticks(20);
	check_no_event(fd);
	move_clock(HOUR);
	wait_for_event(fd);
	ASSERT_EQ(read_any(fd).handle, handle);
}

/*
 * The deadlines of many timers come near and go away again, faster than the kernel files the timers
 * anew. Each expires once, and none before its deadline.
 */
TEST_TIMEOUT(clock_is_set_back_and_forth_with_100000_timers, 600)
{
	enum { MOST = 100000 };
	static struct twheel_event events[MOST];
	static struct twheel_op ops[MOST];
	static bool seen[MOST];
	const unsigned int count = many(MOST);
	const int fd = open_device(O_NONBLOCK);
	unsigned int i, set = 0, found = 0;
	struct twheel_op op;
	__u64 start, late;
	int got;

	need_settable_clock();
	start = read_clock(CLOCK_REALTIME) + 2 * HOUR;
	for (i = 0; i < count; i++) {
		ops[i] = new_timer_at(start + i * HOUR / count, i);
		ops[i].clockid = CLOCK_REALTIME;
	}
	add_all(fd, ops, count);
	watch_clock(fd);
	for (i = 0; i < 20; i++) {
		move_clock(i % 2 ? -(__s64)HOUR : (__s64)HOUR);
		/* Now and then the kernel has some time, and now and then the program calls. */
		if (i % 3 == 1)
			pass_ticks(i);
		if (i % 3 == 2)
			ASSERT_EQ(query(fd, ops[i * count / 20].handle, &op), 0);
	}
	/* The deadline of no timer has come. */
	pass_ticks(20);
	do {
		got = read_events(fd, events, MOST);
		for (i = 0; got > 0 && i < (unsigned int)got; i++)
			ASSERT_EQ(events[i].type, TWHEEL_EVENT_CLOCK_SET);
	} while (got > 0);
	ASSERT_EQ(got, -EAGAIN);
	ASSERT_EQ(timers_of(fd), count);

	/* Half of them expire. Once the clock has been set back, the others are far again. */
	move_clock(2 * HOUR + HOUR / 2);
	late = start + HOUR / 4;
	while (found < count / 2) {
		wait_for_event(fd);
		got = read_events(fd, events, MOST);
		if (got == -EAGAIN)
			continue;
		ASSERT_GT(got, 0);
		for (i = 0; i < (unsigned int)got; i++) {
			if (events[i].type == TWHEEL_EVENT_CLOCK_SET) {
				set++;
				continue;
			}
			see_once(seen, events[i].cookie, count);
			ASSERT_GE(events[i].expired_ns, events[i].deadline_ns);
			ASSERT_GE(read_clock(CLOCK_REALTIME), events[i].expired_ns);
			found++;
		}
	}
	ASSERT_GE(set, 1);
	ASSERT_GT(read_clock(CLOCK_REALTIME), late);
	move_clock(-(__s64)HOUR);
	pass_ticks(20);
	for (i = 0; i < count; i++) {
		const int result = cancel(fd, ops[i].handle);

		if (seen[i])
			ASSERT_EQ(result, -ENOENT);
		else if (result != TWHEEL_RETRACTED)
			ASSERT_EQ(result, 0);
	}
	ASSERT_EQ(timers_of(fd), 0);
	restore_clock();
}

/* The kernel tells them one after the other, some at a time. */
TEST(each_of_many_descriptors_is_told_once)
{
	enum { MANY = 200 };
	int fds[MANY], i;

	need_settable_clock();
	for (i = 0; i < MANY; i++) {
		fds[i] = open_device(0);
		watch_clock(fds[i]);
	}
	/* to ask twice is to ask once */
	watch_clock(fds[1]);
	/* those that are closed leave the others in the queue */
	for (i = 0; i < MANY; i += 3)
		close(fds[i]);
	move_clock(HOUR);
	for (i = 0; i < MANY; i++) {
		if (i % 3 == 0)
			continue;
		read_clock_set(fds[i]);
		ASSERT(!has_event(fds[i]));
	}
	restore_clock();
}

/* The kernel looks at the clock once a second, and sees neither step of the clock. */
SET_TEST(step_after_the_call_is_reported_although_one_before_undoes_it)
{
	watch_clock(open_device(0));
	move_clock(HOUR);
	watch_clock(fd);
	move_clock(-(__s64)HOUR);
	read_clock_set(fd);
}

SET_TEST(step_before_the_call_is_not_reported)
{
	const int first = open_device(0);

	watch_clock(first);
	move_clock(HOUR);
	watch_clock(fd);
	wait_for_event(first);
	ASSERT(!has_event(fd));
	/* the next look at the clock is past */
	sleep(2);
	ASSERT(!has_event(fd));
}

static void come_and_go(void *data)
{
	unsigned int *rounds = data;
	int fds[100], i;

	while (!stopping) {
		for (i = 0; i < 100; i++) {
			fds[i] = open_device(0);
			watch_clock(fds[i]);
		}
		for (i = 0; i < 100; i++)
			close(fds[i * 37 % 100]);
		++*rounds;
		/* in virtual time, there is one CPU and no preemption */
		if (time_travel)
			pass_ticks(1);
	}
}

SET_TEST(clock_is_set_while_descriptors_come_and_go)
{
	unsigned int rounds[2] = { 0 };
	int i;

	watch_clock(fd);
	for (i = 0; i < 2; i++)
		start_thread(come_and_go, &rounds[i]);
	for (i = 0; i < 3 || !rounds[0] || !rounds[1]; i++) {
		move_clock(i % 2 ? -(__s64)HOUR : (__s64)HOUR);
		ASSERT_EQ(read_any(fd).type, TWHEEL_EVENT_CLOCK_SET);
	}
	stop_threads();
	note("%d steps of the clock, %u rounds", i, rounds[0] + rounds[1]);
}

SET_TEST(clock_that_nobody_watches_is_not_reported)
{
	const int watched = open_device(0);

	watch_clock(watched);
	move_clock(HOUR);
	wait_for_event(watched);
	ASSERT(!has_event(fd));
}

SET_TEST(clock_set_event_comes_before_those_of_timers)
{
	const int eventfd = new_eventfd();

	watch_clock(fd);
	add(fd, 0, 1);
	wait_for_event(fd);
	/* On a busy host, the signal for the timer may still be on its way. */
	pass_ticks(2);
	/* The eventfd is signalled for the timer at once, and then for the clock. */
	CALL(set_eventfd(fd, eventfd));
	ASSERT_EQ(signals(eventfd), 1);
	move_clock(HOUR);
	wait_for_event(eventfd);
	read_clock_set(fd);
	ASSERT_EQ(read_one(fd).cookie, 1);
}

SET_TEST(clock_set_back_leaves_an_unread_event_as_it_was)
{
	const __u64 deadline = read_clock(CLOCK_REALTIME);
	const __u64 handle = add_on(fd, CLOCK_REALTIME, deadline, 0);
	struct twheel_event event;
	struct twheel_op op;

	wait_for_event(fd);
	move_clock(-(__s64)HOUR);
	/* The deadline is ahead of the clock again. */
	ASSERT_EQ(query(fd, handle, &op), TWHEEL_EXPIRED);
	ASSERT_GT(op.time_ns, HOUR / 2);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_EQ(event.count, 1);
	ASSERT_GE(event.expired_ns, deadline);
	/* The expiry is in the future of the clock. */
	ASSERT_GT(event.expired_ns, read_clock(CLOCK_REALTIME) + HOUR / 2);
}

/* A periodic timer on CLOCK_REALTIME that is read after the clock was set back. */
static struct twheel_event read_behind_a_step(int fd, __u32 policy, __u64 first,
					      __u64 period, __u64 *next)
{
	struct twheel_op op = new_timer(first, 1);
	struct twheel_event event;

	op.clockid = CLOCK_REALTIME;
	op.flags = TWHEEL_ABSTIME | policy;
	op.period_ns = period;
	op.handle = arm(fd, op);
	wait_for_event(fd);
	move_clock(-(__s64)HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, first);
	*next = deadline_of(fd, op.handle);
	move_clock(HOUR);
	return event;
}

SET_TEST(clock_set_back_counts_up_to_the_expiry)
{
	const __u64 period = 10 * NSEC_PER_SEC;
	const __u64 first = read_clock(CLOCK_REALTIME) - 5 * period / 2;
	__u64 next;
	const struct twheel_event event = read_behind_a_step(fd, 0, first, period, &next);

	ASSERT_EQ(event.count, (event.expired_ns - first) / period + 1);
	ASSERT_EQ(next, first + event.count * period);
}

SET_TEST(clock_set_back_restarts_from_the_expiry)
{
	const __u64 period = 10 * NSEC_PER_SEC;
	struct twheel_event event;
	__u64 next;

	event = read_behind_a_step(fd, TWHEEL_RESTART, read_clock(CLOCK_REALTIME), period, &next);
	ASSERT_EQ(next, event.expired_ns + period);
}
