// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel does for programs that do not call is bounded: all programs of a CPU share
 * a budget of steps in each tick (tick_budget). Beyond that, rings are filled and words are looked
 * at in the calls of their programs.
 *
 * No program here calls the device while its timers expire, but where a case says so.
 */
#include "event_ring.h"
#include "table_timer.h"
#include "user.h"

/* The smallest budget. A look at one open file is a step, too. */
enum { BUDGET = 16 };

/* The most steps of a poll(). */
enum { IN_A_POLL = 1024 };

/* MANY: more than the budget of some ticks. RING: entries of a ring that has room for them. */
enum { MANY = 100, RING = 128, RINGS = 10 };

/* Far more words than a poll() looks at, in a table of four pages. */
enum { WORDS = 4096 };

#define BUDGET_TEST(id) PARAMETER_TEST(id, "tick_budget", BUDGET)

static void add_at_once(int fd, unsigned int count, __u64 deadline, __u32 flags,
			struct twheel_op *ops)
{
	struct twheel_op op = new_timer_at(deadline, 0);

	op.flags |= flags;
	add_many(fd, ops, count, op);
}

BUDGET_TEST(full_tick_goes_into_a_ring_over_several_ticks)
{
	struct ring ring = map_ring(open_device(0), RING);
	struct twheel_op ops[MANY];
	const __u64 deadline = now() + ticks(10);
	unsigned int tail, i;

	need_time_travel();
	add_at_once(ring.fd, MANY, deadline, 0, ops);
	ASSERT_EQ(tail_of(&ring), 0);
	while (!(tail = tail_of(&ring)))
		sleep_for(ticks(1) / 4);
	ASSERT_LT(tail, BUDGET);
	ASSERT(has_more(&ring));
	for (i = 0; i < 2 * MANY / BUDGET + 4; i++) {
		/* There is one tick at most between two looks. */
		sleep_for(ticks(1) / 2);
		ASSERT_LT(tail_of(&ring), tail + BUDGET);
		tail = tail_of(&ring);
	}
	ASSERT(!has_more(&ring));
	ASSERT_EQ(tail_of(&ring), MANY);
	ASSERT_EQ(timers_of(ring.fd), 0);
}

/* A ring that got nothing says that events wait. Its program finds them by a call. */
BUDGET_TEST(rings_of_a_cpu_share_the_budget)
{
	const __u64 deadline = now() + ticks(10);
	struct twheel_op ops[MANY / RINGS];
	struct ring rings[RINGS];
	unsigned int i, before = 0, sum;

	need_time_travel();
	for (i = 0; i < RINGS; i++) {
		rings[i] = map_ring(open_device(0), RING);
		add_at_once(rings[i].fd, MANY / RINGS, deadline, 0, ops);
	}
	while (in_time(deadline + ticks(20))) {
		for (i = sum = 0; i < RINGS; i++)
			sum += tail_of(&rings[i]);
		ASSERT_LT(sum - before, BUDGET);
		before = sum;
		sleep_for(ticks(1) / 2);
	}
	ASSERT_GT(before, 0);
	for (i = 0; i < RINGS; i++) {
		if (tail_of(&rings[i]) == MANY / RINGS) {
			ASSERT(!has_more(&rings[i]));
			continue;
		}
		ASSERT(has_more(&rings[i]));
		ASSERT(has_event(rings[i].fd));
		ASSERT_EQ(tail_of(&rings[i]), MANY / RINGS);
		ASSERT(!has_more(&rings[i]));
	}
}

/* A program consumes a ring and never calls: its events come on their ticks. */
TEST(ring_without_calls_is_served_within_the_budget)
{
	enum { TIMERS = 40, PERIOD = 5, TICKS = 1000 };
	const struct ring ring = map_ring(open_device(0), RING);
	const __u64 start = now() + ticks(5);
	unsigned int i, seen = 0;
	__u64 head = 0;

	need_time_travel();
	for (i = 0; i < TIMERS; i++)
		add_periodic(ring.fd, start + ticks(i % PERIOD), ticks(PERIOD), i);
	while (in_time(start + ticks(TICKS))) {
		for (; head < tail_of(&ring); head++) {
			const struct twheel_event *event = &ring.events[head % RING];

			check_event(event);
			ASSERT_EQ(event->count, 1);
			ASSERT_LE(event->expired_ns, event->deadline_ns + tick_ns() + slack_ns());
			/* The program looks twice a tick. */
			ASSERT_LE(now(), event->deadline_ns + 2 * tick_ns() + slack_ns());
			seen++;
		}
		set_head(&ring, head);
		ASSERT(!has_more(&ring));
		sleep_for(ticks(1) / 2);
	}
	ASSERT_GE(seen, TIMERS * (TICKS / PERIOD - 1));
	ASSERT_EQ(timers_of(ring.fd), TIMERS);
}

/* A thread waits for the ring, so a call follows each wake-up: nothing waits for long. */
BUDGET_TEST(program_that_waits_gets_what_the_budget_leaves)
{
	const struct ring ring = map_ring(open_device(0), RING);
	const __u64 deadline = now() + margin_ns();
	struct twheel_op ops[MANY];
	bool seen[MANY] = { false };
	__u64 head = 0;

	add_at_once(ring.fd, MANY, deadline, 0, ops);
	arm_timerfds(deadline);
	while (head < MANY) {
		wait_for_event(ring.fd);
		for (; head < tail_of(&ring); head++) {
			check_lateness(&ring.events[head]);
			see_once(seen, ring.events[head].cookie, MANY);
		}
		set_head(&ring, head);
	}
	ASSERT(!has_event(ring.fd));
}

/* Events that do not fit wait for room, however often the kernel looks. */
BUDGET_TEST(full_ring_stays_as_it_is)
{
	const struct ring ring = new_ring();
	struct twheel_op ops[MANY];
	unsigned int i;

	add_at_once(ring.fd, MANY, now() + ticks(2), 0, ops);
	wait_for_event(ring.fd);
	while (tail_of(&ring) < ENTRIES)
		has_event(ring.fd);
	pass_ticks(20);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	ASSERT(has_more(&ring));
	for (i = 0; i < MANY; i++) {
		const struct twheel_event event = take_one(&ring);

		check_first_event(&event, ops, MANY);
	}
	ASSERT(!has_event(ring.fd));
}

/* The first deadline is in 1970: there is always one more event. */
BUDGET_TEST(timer_without_end_is_bounded_too)
{
	enum { LARGE = 8192 };
	struct ring ring = map_ring(open_device(0), LARGE);
	struct twheel_op op = {
		.flags = TWHEEL_ABSTIME | TWHEEL_EACH,
		.clockid = CLOCK_REALTIME,
		.time_ns = 1,
		.period_ns = tick_ns(),
	};
	__u64 tail, i;

	need_time_travel();
	arm(ring.fd, op);
	for (tail = tail_of(&ring), i = 0; i < 200; i++) {
		sleep_for(ticks(1) / 2);
		ASSERT_LT(tail_of(&ring), tail + BUDGET);
		tail = tail_of(&ring);
	}
	ASSERT_GT(tail, 0);
	ASSERT(has_more(&ring));
	ASSERT(has_event(ring.fd));
	ASSERT_WITHIN(tail_of(&ring), tail + IN_A_POLL, tail + IN_A_POLL + BUDGET);
}

/*
 * Users whose events want more than all users of a CPU get delay the events of a user who comes
 * later by some ticks, and not for as long as they have gone on.
 */
TEST(crowd_of_users_is_soon_over)
{
	enum { USERS = 20, BUSY = 300, MINE = 100 };
	const int eventfd = new_eventfd();
	int fds[USERS], mine[MINE];
	unsigned int tick, i;
	__u64 start;

	need_time_travel();
	for (i = 0; i < USERS; i++)
		fds[i] = open_as(ALICE + 100 + i);
	for (i = 0; i < MINE; i++) {
		mine[i] = open_as(ALICE);
		CALL(set_eventfd(mine[i], eventfd));
	}
	/* The calls of another user do not help. */
	become(BOB);
	for (tick = 0; tick < BUSY; tick++) {
		for (i = 0; i < USERS; i++)
			add(fds[i], ticks(1), tick);
		sleep_for(ticks(1));
	}
	sleep_for(ticks(32));
	start = now();
	for (i = 0; i < MINE; i++)
		add_at(mine[i], start + ticks(2), i);
	sleep_until(start + ticks(2 + 15));
	ASSERT_EQ(signals(eventfd), MINE);
}

/* Timers that were pushed back in the table, all of one deadline. */
struct pushed {
	int			fd;
	int			eventfd;
	struct twheel_op	ops[WORDS];
	__u64			deadline;
	__u64			later;
};

/* Arms @count timers, pushes them back by @ahead and sleeps until their words have been due. */
static struct pushed *push_all(unsigned int count, __u64 ahead, int flags)
{
	static struct pushed p;
	struct twheel_word *table;
	__u64 lead = margin_ns();
	unsigned int i;
	bool pushed;

	do {
		p.fd = open_device(O_NONBLOCK);
		/* Whoever asks for signals when the words are due is signalled at once. */
		p.eventfd = eventfd_of(p.fd);
		own_signals(p.fd, SIGRTMIN);
		CALL(fcntl(p.fd, F_SETFL, O_NONBLOCK | flags));
		table = map_words(p.fd, count);
		lead *= 2;
		p.deadline = now() + lead;
		p.later = p.deadline + ahead;
		add_at_once(p.fd, count, p.deadline, TWHEEL_SHARED, p.ops);
		pushed = true;
		for (i = 0; i < count; i++)
			pushed &= push_alone(word_of(table, p.ops[i].handle), p.later);
	} while (!pushed || !in_time(p.deadline));
	/* More words than the budget has steps: the program is woken. */
	if (count > BUDGET)
		wait_for_event(p.eventfd);
	/* The middle of the tick after the one at which the timers expire. */
	sleep_until(p.deadline + ticks(1) + tick_ns() / 2);
	return &p;
}

BUDGET_TEST(few_words_are_looked_at_without_the_program)
{
	const struct pushed *p = push_all(BUDGET / 4, LONG, 0);

	ASSERT_EQ(signals(p->eventfd), 0);
	ASSERT(!has_event(p->fd));
}

BUDGET_TEST(program_is_woken_once_for_words_beyond_the_budget)
{
	const struct pushed *p = push_all(MANY, LONG, 0);

	if (!signals(p->eventfd))
		FAIL("nobody was woken");
	sleep_for(ticks(20));
	ASSERT_EQ(signals(p->eventfd), 0);
	/*
	 * One call looks at all of them: then nobody is woken before the new deadline. On a slow
	 * machine, a tick comes in the middle of the call.
	 */
	ASSERT(!has_event(p->fd));
	sleep_for(ticks(20));
	ASSERT_LE(signals(p->eventfd), !time_travel);
	ASSERT_EQ(timers_of(p->fd), MANY);
}

/* A signal may kill a process that has pushed its deadline in time. */
BUDGET_TEST(signal_comes_only_for_an_event)
{
	const struct pushed *p = push_all(MANY, 5 * NSEC_PER_SEC, O_ASYNC);

	while (in_time(p->deadline + ticks(MANY)) && in_time(p->later)) {
		ASSERT(!take_signal(SIGRTMIN, NULL, 0) || !in_time(p->later));
		sleep_for(ticks(1));
	}
	/* The program has not called since it was woken without an event. */
	ASSERT(take_signal(SIGRTMIN, NULL, MINUTE));
	ASSERT(!in_time(p->later));
	ASSERT_GT(get_info(p->fd).unread, 0);
}

/* A poll() looks at so many words. It may say that there is an event when there is none. */
BUDGET_TEST(poll_looks_at_words_by_the_thousand)
{
	const struct pushed *p = push_all(WORDS, LONG, 0);
	unsigned int polls = 0;

	while (has_event(p->fd))
		polls++;
	note("%u polls", polls);
	/* A busy host makes UML lose ticks: then not all words are due at the same tick. */
	if (time_travel)
		ASSERT_GE(polls, WORDS / IN_A_POLL - 1);
	ASSERT_LE(polls, 2 * WORDS / IN_A_POLL);
	ASSERT_EQ(get_info(p->fd).unread, 0);
}

BUDGET_TEST(read_looks_at_all_words)
{
	const struct pushed *p = push_all(WORDS, LONG, 0);
	struct twheel_event event;

	ASSERT_EQ(read_events(p->fd, &event, 1), -EAGAIN);
	ASSERT(!has_event(p->fd));
}

BUDGET_TEST(words_that_nobody_has_looked_at_expire_at_their_deadline)
{
	struct pushed *p = push_all(MANY, 10 * NSEC_PER_SEC, 0);
	struct twheel_event event;
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		event = read_any(p->fd);
		check_first_event(&event, p->ops, MANY);
		ASSERT_EQ(event.deadline_ns, p->later);
	}
	ASSERT(!has_event(p->fd));
}

BUDGET_TEST(timers_whose_words_wait_are_pending)
{
	struct pushed *p = push_all(WORDS, LONG, 0);
	static struct twheel_op rest[WORDS];
	unsigned int i, left = 0;
	struct twheel_op op;

	for (i = 0; i < WORDS; i++) {
		switch (i % 4) {
		case 0:
			ASSERT_EQ(cancel(p->fd, p->ops[i].handle), 0);
			break;
		case 1:
			ASSERT_EQ(change(p->fd, p->ops[i].handle, LONG), 0);
			break;
		case 2:
			ASSERT_EQ(query(p->fd, p->ops[i].handle, &op), 0);
			break;
		}
		left += i % 4 != 0;
	}
	ASSERT_EQ(timers_of(p->fd), left);
	ASSERT_EQ(drain(p->fd, rest, WORDS), left);
	for (i = 0; i < left; i++)
		ASSERT(p->ops[rest[i].cookie].handle == rest[i].handle);
	ASSERT_EQ(timers_of(p->fd), 0);
}

BUDGET_TEST(close_with_words_that_nobody_has_looked_at)
{
	const struct pushed *p = push_all(WORDS, LONG, 0);

	CALL(close(p->fd));
}

/* The parameter is what the administrator likes: the kernel uses 16 to 256. */
static void run_with_extreme(void *data)
{
	const struct ring ring = map_ring(open_device(0), RING);
	struct twheel_op ops[MANY];

	add_at_once(ring.fd, MANY, now() + ticks(2), 0, ops);
	while (tail_of(&ring) < MANY)
		wait_for_event(ring.fd);
}

TEST(any_budget_is_accepted)
{
	static const unsigned int values[] = { 0, 1, 1U << 31, ~0U };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		with_limit("tick_budget", values[i], run_with_extreme);
}
