// SPDX-License-Identifier: GPL-2.0
/*
 * What a periodic timer does about deadlines that pass before its event is read: one
 * event for all of them, or TWHEEL_EACH, or TWHEEL_RESTART.
 */
#include "device.h"

static __u64 add_with(int fd, __u32 policy, __u64 first, __u64 period,
		      __u64 cookie)
{
	struct twheel_op op = new_timer(first, cookie);

	op.flags = TWHEEL_ABSTIME | policy;
	op.period_ns = period;
	return arm(fd, op);
}

NONBLOCK_TEST(each_deadline_has_its_event)
{
	enum { MISSED = 20 };
	const __u64 first = now() + ticks(2), period = ticks(2) + 3;
	const __u64 handle = add_with(fd, TWHEEL_EACH, first, period, 1);
	struct twheel_event events[MISSED];
	int i;

	pass(first + (MISSED - 1) * period);
	wait_for_event(fd);
	/* all of them at once */
	ASSERT_EQ(read_events(fd, events, MISSED), MISSED);
	for (i = 0; i < MISSED; i++) {
		check_event(&events[i]);
		ASSERT(events[i].handle == handle);
		ASSERT_EQ(events[i].cookie, 1);
		ASSERT_EQ(events[i].count, 1);
		ASSERT_EQ(events[i].deadline_ns, first + i * period);
	}
}

NONBLOCK_TEST(each_that_is_caught_up_has_no_event_in_advance)
{
	const __u64 first = now(), period = ticks(30) + margin_ns();
	struct twheel_event event;
	__u64 last = 0;

	add_with(fd, TWHEEL_EACH, first, period, 1);
	pass(first + period);
	wait_for_event(fd);
	while (read_events(fd, &event, 1) == 1) {
		check_event(&event);
		last = event.deadline_ns;
	}
	/* the next event comes at its own deadline */
	ASSERT_GE(last, first + period);
	ASSERT_EQ(read_one(fd).deadline_ns, last + period);
}

NONBLOCK_TEST(backlog_is_one_timer_and_one_unread)
{
	add_with(fd, TWHEEL_EACH, now(), ticks(1), 1);
	pass_ticks(10);
	wait_for_event(fd);
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(get_info(fd).unread, 1);
	read_one(fd);
	ASSERT(has_event(fd));
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(get_info(fd).unread, 1);
}

/*
 * With TWHEEL_EACH, the event of the second missed deadline comes behind the events of
 * timers that expired after the first one. Its time of expiry is earlier than theirs.
 */
DEVICE_TEST(each_event_of_a_backlog_goes_to_the_end)
{
	const __u64 first = now() - ticks(40), period = ticks(10);
	struct twheel_event event;
	__u64 found, other;

	add_with(fd, TWHEEL_EACH, first, period, 1);
	wait_for_event(fd);
	pass_ticks(30);
	wait_until_expired(fd, add(fd, 0, 2));

	event = read_one(fd);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_EQ(event.deadline_ns, first);
	/* A busy host counts the next tick late: it began before the call then. */
	ASSERT_GE(event.expired_ns, time_travel ? first + 4 * period : first);
	found = event.expired_ns;

	event = read_one(fd);
	ASSERT_EQ(event.cookie, 2);
	other = event.expired_ns;
	ASSERT_GT(other, found);

	/* When the first deadline was found to have come; later, the deadline itself. */
	event = read_one(fd);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_EQ(event.deadline_ns, first + period);
	ASSERT_EQ(event.expired_ns, found);
	ASSERT_LT(event.expired_ns, other);
	do {
		event = read_one(fd);
		ASSERT_EQ(event.cookie, 1);
		if (event.deadline_ns <= found)
			ASSERT_EQ(event.expired_ns, found);
	} while (event.deadline_ns <= found);
	ASSERT_EQ(event.expired_ns, event.deadline_ns);
	ASSERT_LT(event.expired_ns, other);
}

DEVICE_TEST(backlogs_take_turns)
{
	enum { TIMERS = 4, ROUNDS = 5 };
	const __u64 first = now();
	unsigned int i, turn[TIMERS];
	__u64 handles[TIMERS];

	for (i = 0; i < TIMERS; i++)
		handles[i] = add_with(fd, TWHEEL_EACH, first, ticks(1), i);
	pass(first + 20 * ticks(1));
	for (i = 0; i < TIMERS; i++)
		wait_until_expired(fd, handles[i]);
	for (i = 0; i < TIMERS; i++)
		turn[i] = read_one(fd).cookie;
	for (i = 0; i < TIMERS * ROUNDS; i++)
		ASSERT_EQ(read_one(fd).cookie, turn[i % TIMERS]);
}

DEVICE_TEST(cancel_drops_the_backlog)
{
	const __u64 handle = add_with(fd, TWHEEL_EACH, now(), ticks(1), 1);

	pass_ticks(10);
	read_one(fd);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}

/* Some events of the backlog may have been read. */
static void check_change_discards(__u32 policy, unsigned int reads)
{
	const int fd = open_device(0);
	const __u64 period = ticks(2), first = now();
	const __u64 handle = add_with(fd, policy, first, period, 1);
	struct twheel_event event;
	__u64 deadline;
	bool readable;

	pass(first + 5 * period);
	wait_for_event(fd);
	while (reads--)
		read_one(fd);
	deadline = now() + ticks(50);
	ASSERT_EQ(change_to(fd, handle, deadline), TWHEEL_RETRACTED);
	/* A busy host may have let the new deadline come. */
	readable = has_event(fd);
	if (now() < deadline)
		ASSERT(!readable);

	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	/* None of the deadlines before the change is counted. */
	ASSERT_LE(event.count, (now() - deadline) / period + 1);
	event = read_one(fd);
	if (policy == TWHEEL_RESTART)
		ASSERT_GE(event.deadline_ns, deadline + period);
	else
		ASSERT_EQ((event.deadline_ns - deadline) % period, 0);
	close(fd);
}

TEST(change_discards_every_missed_deadline)
{
	check_change_discards(0, 0);
	check_change_discards(TWHEEL_EACH, 0);
	check_change_discards(TWHEEL_EACH, 1);
	check_change_discards(TWHEEL_RESTART, 0);
}

DEVICE_TEST(restart_counts_all_and_goes_on_from_the_read)
{
	enum { MISSED = 10 };
	const __u64 first = now() + ticks(2), period = ticks(4);
	struct twheel_event event;
	__u64 before, after;

	add_with(fd, TWHEEL_RESTART, first, period, 1);
	pass(first + (MISSED - 1) * period);
	before = now();
	event = read_one(fd);
	after = now();
	ASSERT_EQ(event.deadline_ns, first);
	ASSERT_GE(event.count, MISSED);
	ASSERT_GE(after, first + (event.count - 1) * period);

	event = read_one(fd);
	ASSERT_WITHIN(event.deadline_ns, before + period, after + period);
	ASSERT_GE(event.count, 1);
}

/* The next deadline is at least a period after the read, however fast the reader is. */
DEVICE_TEST(restart_leaves_a_period_between_read_and_event)
{
	const __u64 period = ticks(2);
	__u64 before = now(), after = before;
	int i;

	add_with(fd, TWHEEL_RESTART, before + period, period, 1);
	for (i = 0; i < 20; i++) {
		struct twheel_event event;

		wait_for_event(fd);
		pass_ticks(i % 4);
		ASSERT_GE(now(), before + period);
		/* read_one() makes the kernel read the clock, so this reading is earlier */
		const __u64 next_before = now();

		event = read_one(fd);
		ASSERT_WITHIN(event.deadline_ns, before + period, after + period);
		before = next_before;
		after = now();
	}
}

/* Returns false if the next deadline came before the test had looked at everything. */
static bool has_no_backlog_after_read(__u64 period)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 handle = add_with(fd, TWHEEL_RESTART, now(), period, 1);
	struct twheel_op op;
	bool readable;
	__u64 before, unread;
	int result;

	pass(now() + 2 * period);
	wait_for_event(fd);
	before = now();
	read_one(fd);
	readable = has_event(fd);
	result = query(fd, handle, &op);
	unread = get_info(fd).unread;
	close(fd);
	if (!in_time(before + period))
		return false;
	ASSERT(!readable);
	ASSERT_EQ(result, 0);
	ASSERT_LE(op.time_ns, period);
	ASSERT_EQ(unread, 0);
	return true;
}

TEST(restart_that_was_read_has_no_backlog)
{
	__u64 period = ticks(30) + margin_ns();

	while (!has_no_backlog_after_read(period))
		period *= 2;
}

DEVICE_TEST(longest_period_with_any_policy)
{
	static const __u32 policies[] = { 0, TWHEEL_EACH, TWHEEL_RESTART };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		const __u64 first = now();
		const __u64 handle = add_with(fd, policies[i], first, TIME_MAX, i);
		const struct twheel_event event = read_one(fd);

		ASSERT_EQ(event.deadline_ns, first);
		ASSERT_EQ(event.count, 1);
		/* the next deadline saturates */
		ASSERT_EQ(deadline_of(fd, handle), TIME_MAX);
		check_no_event(fd);
		ASSERT_EQ(cancel(fd, handle), 0);
	}
}

static void check_refused(__u32 flags, __u64 period)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(ticks(1), 1);

	op.flags = flags;
	op.period_ns = period;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	close(fd);
}

TEST(policy_without_a_period_or_two_policies_are_einval)
{
	check_refused(TWHEEL_EACH, 0);
	check_refused(TWHEEL_RESTART, 0);
	check_refused(TWHEEL_EACH | TWHEEL_RESTART, ticks(1));
	check_refused(TWHEEL_EACH | TWHEEL_RESTART, 0);
}

/*
 * A thread polls while another thread reads a backlog: POLLIN must be there for as
 * long as the backlog is.
 */
static atomic_uint backlog;	/* the number of the round, or 0 for none */
static int shared_fd;

static void poll_for_backlog(void *data)
{
	unsigned int *polls = data;

	while (!stopping) {
		const unsigned int before = backlog;
		const bool readable = has_event(shared_fd);

		if (before && backlog == before) {
			ASSERT(readable);
			(*polls)++;
		}
	}
}

TEST(backlog_is_seen_by_others_while_it_is_read)
{
	const __u64 end = end_of_races();
	unsigned int round, polls = 0;
	struct twheel_event events[32];

	shared_fd = open_device(O_NONBLOCK);
	start_thread(poll_for_backlog, &polls);
	for (round = 1; round < 5 || now() < end; round++) {
		const __u64 period = ticks(1);
		/* a backlog since the machine was started, which shrinks while it is read */
		const __u64 handle = add_with(shared_fd, TWHEEL_EACH, 0, period,
					      round);

		wait_for_event(shared_fd);
		if (now() < 128 * period)
			pass_ticks(128);
		backlog = round;
		do {
			ASSERT_EQ(read_events(shared_fd, events, 32), 32);
		} while (events[31].deadline_ns + 64 * period < now());
		backlog = 0;
		ASSERT_GE(cancel(shared_fd, handle), 0);
	}
	stop_threads();
	note("%u backlogs, %u polls while there was one", round, polls);
}
