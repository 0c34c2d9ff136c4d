// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a timer has expired is a matter of the clock, not of who has looked. Here, many timers
 * are due, and no call has looked at them: a call looks at 64 of them before it answers. The kernel
 * itself looks at no more than it has a budget for.
 */
#include "event_ring.h"
#include "holder.h"
#include "table_timer.h"

/* Few enough for fdinfo to count them, and far more than a call looks at. */
enum { COUNT = 1000 };

static struct twheel_op ops[COUNT];

/* Waits until timers of one deadline have expired. A poll() finds one of them, and that is all. */
static void wait_until_overdue(int fd)
{
	wait_for_event(fd);
	/* A busy host stops the machine, which loses ticks then. Timers armed before are later. */
	pass_ticks(time_travel ? 3 : 30);
}

/* A descriptor with many timers of one deadline, which has passed. */
static int overdue_timers(void)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 deadline = now() + margin_ns();

	add_many(fd, ops, COUNT, new_timer_at(deadline, 0));
	wait_until_overdue(fd);
	return fd;
}

/* The first timers, the last ones, and some between. */
static const unsigned int places[] = { 0, COUNT - 1, COUNT / 2, 1, COUNT - 2, COUNT / 3 };

/* Checks what a call says of an overdue timer, in each of these places. */
static void at_each_place(void (*check)(int fd, __u64 handle))
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const int fd = overdue_timers();

		check(fd, ops[places[i]].handle);
		close(fd);
	}
}

static void check_query(int fd, __u64 handle)
{
	struct twheel_op op;

	ASSERT_EQ(query(fd, handle, &op), TWHEEL_EXPIRED);
	ASSERT_EQ(op.time_ns, 0);
}

static void check_cancel(int fd, __u64 handle)
{
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	ASSERT_EQ(timers_of(fd), COUNT - 1);
}

static void check_change(int fd, __u64 handle)
{
	struct twheel_op op;

	ASSERT_EQ(change(fd, handle, LONG), TWHEEL_RETRACTED);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_GT(op.time_ns, 0);
}

static void check_upsert(int fd, __u64 handle)
{
	struct twheel_op op = new_timer(LONG, 1);

	op.handle = handle;
	ASSERT_EQ(upsert(fd, &op), TWHEEL_RETRACTED);
}

static void check_lease(int fd, __u64 handle)
{
	ASSERT_EQ(try_lease(fd, handle, NSEC_PER_SEC, 0), -ENOENT);
}

TEST_CALL(query_says_expired, at_each_place(check_query))
TEST_CALL(cancel_retracts, at_each_place(check_cancel))
TEST_CALL(change_retracts, at_each_place(check_change))
TEST_CALL(upsert_retracts, at_each_place(check_upsert))
TEST_CALL(lease_of_an_expired_timer_is_enoent, at_each_place(check_lease))

static void check_batch(__u32 opcode, __u64 time_ns)
{
	const int fd = overdue_timers();
	struct twheel_event event;
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = (struct twheel_op){
			.op = opcode, .handle = ops[i].handle, .time_ns = time_ns,
		};
	batch(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(ops[i].result, TWHEEL_RETRACTED);
	ASSERT_EQ(read_events(fd, &event, 1), -EAGAIN);
}

TEST_CALL(batch_of_cancels_retracts_all, check_batch(TWHEEL_OP_CANCEL, 0))
TEST_CALL(batch_of_changes_retracts_all, check_batch(TWHEEL_OP_CHANGE, LONG))

NONBLOCK_TEST(group_says_how_many_had_expired)
{
	const __u64 deadline = now() + margin_ns();
	__u64 retracted;
	unsigned int i;

	for (i = 0; i < COUNT; i++) {
		ops[i] = new_timer_at(i % 2 ? deadline : deadline + LONG, i);
		ops[i].group = 7;
	}
	add_all(fd, ops, COUNT);
	wait_until_overdue(fd);
	ASSERT_EQ(cancel_group(fd, 7, &retracted), COUNT);
	ASSERT_EQ(retracted, COUNT / 2);
	ASSERT(!has_event(fd));
}

TEST(list_says_expired)
{
	static struct twheel_op records[COUNT];
	const int fd = overdue_timers();
	unsigned int i;

	ASSERT_EQ(list_all(fd, records, COUNT, 0), COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(records[i].result, TWHEEL_EXPIRED);
		ASSERT_EQ(records[i].time_ns, 0);
	}
}

TEST(drain_takes_back_no_expired_timer)
{
	static struct twheel_event events[COUNT];
	const int fd = overdue_timers();
	struct twheel_op op;

	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT_EQ(timers_of(fd), COUNT);
	read_all(fd, events, COUNT);
	ASSERT_EQ(timers_of(fd), 0);
}

/* Whatever the clock: a timer that drain leaves has an event, which read() finds. */
NONBLOCK_TEST(drain_or_read_has_each_timer)
{
	struct twheel_event event;
	struct twheel_op op;
	unsigned int i;

	pass_ticks(2);
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		add_on(fd, clocks[i], read_clock(clocks[i]) - NSEC_PER_MSEC, 0);
		if (!drain(fd, &op, 1))
			ASSERT_EQ(read_events(fd, &event, 1), 1);
		ASSERT_EQ(timers_of(fd), 0);
		resume(fd);
	}
}

TEST(fdinfo_counts_expired_timers)
{
	const int fd = overdue_timers();
	unsigned long long next;

	ASSERT_EQ(fdinfo_value(fd, "unread"), COUNT);
	ASSERT(!fdinfo_has(fd, "next-deadline-ns", &next));
}

TEST_CALL(info_counts_expired_timers, ASSERT_EQ(get_info(overdue_timers()).unread, COUNT))

/* A deadline that was pushed back in the table counts, also where no one has looked at the word. */
TEST(words_count)
{
	struct twheel_word *table;
	struct twheel_op op;
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const unsigned int place = places[i], other = (place + 1) % COUNT;
		const __u64 deadline = now() + 4 * margin_ns();
		unsigned int j;

		fd = open_device(O_NONBLOCK);
		table = map_words(fd, COUNT);
		add_many(fd, ops, COUNT, shared_op(deadline, 0));
		for (j = 0; j < COUNT; j++)
			if (j != other &&
			    !push_alone(word_of(table, ops[j].handle), deadline + LONG))
				skip("the machine is too slow");
		pass(deadline + ticks(3));
		ASSERT_EQ(query(fd, ops[place].handle, &op), 0);
		/* A busy host stops the machine, which loses ticks then. */
		if (!time_travel)
			wait_until_expired(fd, ops[other].handle);
		ASSERT_EQ(query(fd, ops[other].handle, &op), TWHEEL_EXPIRED);
		close(fd);
	}
}

/* A holder who asks after the deadline learns that the lease has ended, and withdraws no event. */
TEST(holder_learns_that_the_lease_has_ended)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const int fd = open_device(O_NONBLOCK);
		const __u64 deadline = now() + margin_ns();
		struct twheel_op op;
		int lease;

		add_many(fd, ops, COUNT, new_timer_at(deadline, 0));
		lease = new_lease(fd, ops[places[i]].handle, LONG, 0);
		wait_until_overdue(fd);
		ASSERT_EQ(left(lease), -ENOENT);
		ASSERT_EQ(push(lease), -ENOENT);
		ASSERT_EQ(query(fd, ops[places[i]].handle, &op), TWHEEL_EXPIRED);
		close(lease);
		close(fd);
	}
}

/* Timers of several clocks, on ticks in turn. Their cookie is their number. */
enum { TURNS = 90 };

static __u64 add_in_turn(int fd, __u64 distance)
{
	__u64 start[ARRAY_SIZE(clocks)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		start[i] = read_clock(clocks[i]) + margin_ns();
	/* Not in the order of their deadlines. */
	for (i = 0; i < TURNS; i++) {
		const unsigned int number = i * 7 % TURNS, clock = number % ARRAY_SIZE(clocks);
		struct twheel_op op = new_timer_at(start[clock] + number * distance, number);

		op.clockid = clocks[clock];
		arm(fd, op);
	}
	return start[0] + TURNS * distance;
}

/* Checks an event that was read long after its tick. */
static void check_late_event(const struct twheel_event *event, unsigned int number,
			     __u64 last[CLOCK_BOOTTIME + 1])
{
	ASSERT_EQ(event->type, TWHEEL_EVENT_TIMER);
	ASSERT_GE(event->expired_ns, event->deadline_ns);
	/* A busy host stops the machine, which loses ticks then. */
	if (time_travel) {
		ASSERT_EQ(event->cookie, number);
		ASSERT_LE(event->expired_ns, event->deadline_ns + tick_ns() + slack_ns());
	}
	ASSERT_WITHIN(event->expired_ns, last[event->clockid], read_clock(event->clockid));
	last[event->clockid] = event->expired_ns;
}

/* Events come in the order of ticks, across clocks, with the times of these ticks. */
static void check_order(__u64 distance, unsigned int room)
{
	__u64 last[CLOCK_BOOTTIME + 1] = { 0 };
	const int fd = open_device(O_NONBLOCK);
	struct twheel_event events[TURNS];
	unsigned int i, got, number = 0;

	pass(add_in_turn(fd, distance) + ticks(30));
	while (number < TURNS) {
		got = read_some(fd, events, room);
		for (i = 0; i < got; i++)
			check_late_event(&events[i], number++, last);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST_CALL(late_reader_gets_events_in_order_of_ticks_across_clocks, check_order(ticks(2), TURNS))
TEST_CALL(order_is_the_same_one_by_one, check_order(ticks(2), 1))

/* So far apart that timers begin on different levels of the wheel. */
TEST(order_is_the_same_over_levels)
{
	need_time_travel();
	check_order(ticks(117), 7);
}

TEST(ring_has_the_same_order)
{
	const struct ring ring = map_ring(open_device(0), 128);
	__u64 last[CLOCK_BOOTTIME + 1] = { 0 };
	unsigned int number;

	pass(add_in_turn(ring.fd, ticks(2)) + ticks(30));
	while (tail_of(&ring) < TURNS)
		wait_for_event(ring.fd);
	for (number = 0; number < TURNS; number++)
		check_late_event(&ring.events[number], number, last);
}

/* A program comes an hour late. Each event says when its timer came due. */
TRAVEL_TEST(expiry_is_told_an_hour_later)
{
	const __u64 start = now() + ticks(2);
	unsigned int i;

	for (i = 0; i < 100; i++)
		add_at(fd, start + i * (NSEC_PER_SEC + 12345), i);
	sleep_for(HOUR);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(read_exact(fd, start + i * (NSEC_PER_SEC + 12345)).cookie, i);
}

/* The same for a timer that was pushed back twice since anyone looked. */
TEST(pushed_back_timer_expires_on_its_own_tick)
{
	const struct table_timer t = pushed_timer(10 * NSEC_PER_SEC);
	const __u64 later = t.deadline + 20 * NSEC_PER_SEC + 12345;

	need_time_travel();
	ASSERT(push_alone(t.word, later));
	sleep_for(HOUR);
	read_exact(t.fd, later);
}

/* Periodic timers are armed by the deadline that was missed first. */
TRAVEL_TEST(periodic_timer_counts_the_deadlines_that_nobody_saw)
{
	const __u64 period = ticks(5), start = now() + ticks(2);
	struct twheel_event event;
	__u64 next;

	add_periodic(fd, start, period, 1);
	sleep_for(HOUR);
	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, start);
	ASSERT_LE(event.expired_ns, start + tick_ns() + slack_ns());
	ASSERT_EQ(event.count, (now() - start) / period + 1);
	next = start + event.count * period;
	ASSERT(!has_event(fd));
	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, next);
	ASSERT_EQ(event.count, 1);
}
