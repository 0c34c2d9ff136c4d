// SPDX-License-Identifier: GPL-2.0
/* Clocks that jump, and time namespaces. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "parameter.h"
#include "settable_clock.h"

static void watch_clock(int fd)
{
	CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
}

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

TEST(boottime_timer_expires)
{
	check_expiry_on(CLOCK_BOOTTIME);
}

TEST(realtime_timer_expires)
{
	check_expiry_on(CLOCK_REALTIME);
}

TEST(relative_boottime_timer_expires)
{
	const int fd = open_device(0);
	const __u64 before = read_clock(CLOCK_BOOTTIME);
	struct twheel_op op = new_timer(ticks(3), 1);
	struct twheel_event event;

	op.clockid = CLOCK_BOOTTIME;
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	event = read_any(fd);
	ASSERT_GE(event.deadline_ns, before + ticks(3));
	ASSERT_GE(event.expired_ns, event.deadline_ns);
}

TEST(relative_realtime_is_einval)
{
	struct twheel_op op = new_timer(ticks(3), 1);

	op.clockid = CLOCK_REALTIME;
	REFUSED(open_device(0), TWHEEL_IOC_ADD, &op, EINVAL);
}

TEST(past_deadline_expires_at_once)
{
	const int fd = open_device(0);

	add_on(fd, CLOCK_REALTIME, 1, 0);
	ASSERT_EQ(read_any(fd).deadline_ns, 1);
	add_on(fd, CLOCK_BOOTTIME, 1, 0);
	ASSERT_EQ(read_any(fd).deadline_ns, 1);
}

TEST(periodic_timer_keeps_to_its_clock)
{
	const int fd = open_device(0);
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

TEST(many_expire_in_order)
{
	const unsigned int count = many(5000);
	const int fd = open_device(0);
	const __u64 start = read_clock(CLOCK_BOOTTIME) + ticks(20);
	struct twheel_event event;
	__u64 last = 0;
	unsigned int i;

	stay_on_one_cpu();
	for (i = 0; i < count; i++)
		add_on(fd, CLOCK_BOOTTIME, start + i * 7919 % count * 1000, 0);
	for (i = 0; i < count; i++) {
		event = read_any(fd);
		ASSERT_GE(event.expired_ns, last);
		last = event.expired_ns;
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(cancel_and_change_work_on_all_clocks)
{
	static const clockid_t clocks[] = { CLOCK_BOOTTIME, CLOCK_REALTIME };
	const int fd = open_device(O_NONBLOCK);
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

TEST(close_with_timers_pending)
{
	int i;

	for (i = 0; i < 50; i++) {
		const int fd = open_device(0);

		watch_clock(fd);
		add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + i * 100000, 0);
		add_on(fd, CLOCK_BOOTTIME, read_clock(CLOCK_BOOTTIME) + i * 100000, 0);
		close(fd);
	}
}

TEST(step_forward_brings_deadlines_near)
{
	const int fd = open_device(0);
	struct twheel_event event;
	__u64 handle, mono;

	need_settable_clock();
	mono = add(fd, HOUR / 2, 1);
	handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + HOUR / 2, 0);
	move_clock(HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_GE(event.expired_ns, event.deadline_ns);
	/* CLOCK_MONOTONIC has not moved */
	ASSERT_EQ(cancel(fd, mono), 0);
}

TEST(step_back_puts_deadlines_off)
{
	const int fd = open_device(O_NONBLOCK);
	__u64 deadline, handle;

	need_settable_clock();
	for (;;) {
		deadline = now() + ticks(5);
		handle = add_on(fd, CLOCK_REALTIME,
				read_clock(CLOCK_REALTIME) + ticks(5), 0);
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
			ASSERT_LT(events[i].cookie, count);
			ASSERT(!seen[events[i].cookie]);
			seen[events[i].cookie] = true;
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
}

TEST(one_event_says_that_the_clock_was_set)
{
	const int fd = open_device(0);
	struct twheel_event event;

	need_settable_clock();
	watch_clock(fd);
	watch_clock(fd);
	move_clock(HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.type, TWHEEL_EVENT_CLOCK_SET);
	ASSERT_EQ(event.handle, 0);
	ASSERT_EQ(event.cookie, 0);
	ASSERT_EQ(event.count, 1);
	ASSERT_GE(read_clock(CLOCK_REALTIME), event.expired_ns);
	ASSERT_GE(event.expired_ns + HOUR / 2, read_clock(CLOCK_REALTIME));
	ASSERT(!has_event(fd));
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
	/* those that are closed leave the others in the queue */
	for (i = 0; i < MANY; i += 3)
		close(fds[i]);
	move_clock(HOUR);
	for (i = 0; i < MANY; i++) {
		if (i % 3 == 0)
			continue;
		ASSERT_EQ(read_any(fds[i]).count, 1);
		ASSERT(!has_event(fds[i]));
	}
}

/* The kernel looks at the clock once a second, and sees neither step of the clock. */
TEST(step_after_the_call_is_reported_although_one_before_undoes_it)
{
	const int first = open_device(0), fd = open_device(0);
	struct twheel_event event;

	need_settable_clock();
	watch_clock(first);
	move_clock(HOUR);
	watch_clock(fd);
	move_clock(-(__s64)HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.type, TWHEEL_EVENT_CLOCK_SET);
	ASSERT_EQ(event.count, 1);
}

TEST(step_before_the_call_is_not_reported)
{
	const int first = open_device(0), fd = open_device(0);

	need_settable_clock();
	watch_clock(first);
	move_clock(HOUR);
	watch_clock(fd);
	wait_for_event(first);
	ASSERT(!has_event(fd));
	/* the next look at the clock is past */
	sleep(2);
	ASSERT(!has_event(fd));
}

static atomic_bool stopping;

/* Open, watch and close descriptors. */
static void *come_and_go(void *data)
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
	return NULL;
}

TEST(clock_is_set_while_descriptors_come_and_go)
{
	const int fd = open_device(0);
	unsigned int rounds[2] = { 0 };
	pthread_t threads[2];
	int i;

	need_settable_clock();
	watch_clock(fd);
	for (i = 0; i < 2; i++)
		threads[i] = start_thread(come_and_go, &rounds[i]);
	for (i = 0; i < 3 || !rounds[0] || !rounds[1]; i++) {
		move_clock(i % 2 ? -(__s64)HOUR : (__s64)HOUR);
		ASSERT_EQ(read_any(fd).type, TWHEEL_EVENT_CLOCK_SET);
	}
	stopping = true;
	join_threads(threads, 2);
	note("%d steps of the clock, %u rounds", i, rounds[0] + rounds[1]);
}

TEST(clock_that_nobody_watches_is_not_reported)
{
	const int watched = open_device(0);
	const int fd = open_device(0);

	need_settable_clock();
	watch_clock(watched);
	move_clock(HOUR);
	wait_for_event(watched);
	ASSERT(!has_event(fd));
}

TEST(clock_set_call_takes_no_argument)
{
	ASSERT_EQ(ioctl(open_device(0), TWHEEL_IOC_CLOCK_SET, 1), -1);
	ASSERT_EQ(errno, EINVAL);
}

/* Children from now on have a CLOCK_MONOTONIC and CLOCK_BOOTTIME an hour ahead. */
static void enter_time_namespace(void)
{
	if (unshare(CLONE_NEWTIME))
		skip("no time namespaces here");
	ASSERT(write_file("/proc/self/timens_offsets", "monotonic 3600 0\nboottime 3600 0\n"));
}

static void check_in_namespace(__u64 outside)
{
	const int fd = open_device(0);
	__u64 time, handle;
	struct twheel_event event;

	time = read_clock(CLOCK_MONOTONIC);
	if (time < outside + HOUR / 2)
		exit(EXIT_SKIP);
	handle = add_at(fd, time + ticks(5), 1);
	event = read_any(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.deadline_ns, time + ticks(5));
	ASSERT_GE(event.expired_ns, event.deadline_ns);
	ASSERT_GE(read_clock(CLOCK_MONOTONIC), event.expired_ns);

	time = read_clock(CLOCK_BOOTTIME);
	handle = add_on(fd, CLOCK_BOOTTIME, time + ticks(5), 0);
	event = read_any(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.deadline_ns, time + ticks(5));
	ASSERT_GE(event.expired_ns, event.deadline_ns);
}

/* Run a check in a child whose clocks are an hour ahead. */
static void run_in_namespace(void (*check)(__u64 outside))
{
	const __u64 outside = read_clock(CLOCK_MONOTONIC);
	int status;
	pid_t pid;

	enter_time_namespace();
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		check(outside);
		exit(EXIT_PASS);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT(WIFEXITED(status));
	if (WEXITSTATUS(status) == EXIT_SKIP)
		skip("the namespace's clocks are the machine's");
	ASSERT_EQ(WEXITSTATUS(status), EXIT_PASS);
}

TEST(deadlines_are_in_the_namespace)
{
	run_in_namespace(check_in_namespace);
}

/* A periodic timer whose first deadline lies before the kernel's own zero. */
static void check_grid_on(clockid_t clockid)
{
	const __u64 first = 5 * NSEC_PER_SEC, period = 10 * NSEC_PER_SEC;
	const int fd = open_device(0);
	struct twheel_op op = { .flags = TWHEEL_ABSTIME };
	__u64 before, after;
	struct twheel_event event;

	before = read_clock(clockid);
	op.handle = add_on(fd, clockid, first, period);
	event = read_any(fd);
	after = read_clock(clockid);
	ASSERT_EQ(event.handle, op.handle);
	ASSERT_EQ(event.deadline_ns, first);
	ASSERT_GE(event.count, (before - first) / period + 1);
	ASSERT_GE((after - first) / period + 1, event.count);

	CALL(ioctl(fd, TWHEEL_IOC_QUERY, &op));
	ASSERT_EQ((op.time_ns - first) % period, 0);
	ASSERT_EQ(op.time_ns, first + event.count * period);
}

static void check_grid_in_namespace(__u64 outside)
{
	if (read_clock(CLOCK_MONOTONIC) < outside + HOUR / 2)
		exit(EXIT_SKIP);
	check_grid_on(CLOCK_MONOTONIC);
	check_grid_on(CLOCK_BOOTTIME);
}

TEST(grid_of_a_deadline_before_the_kernels_zero)
{
	run_in_namespace(check_grid_in_namespace);
}
