// SPDX-License-Identifier: GPL-2.0
/* A hostile program: anything may be in the table of deadlines at any time. */
#include "table_timer.h"

/* A word with this value before the deadline: the event has the first deadline. */
static void expires_with(__u64 value)
{
	struct table_timer t;

	do {
		t = soon_timer();
		write_word(t.word, value);
	} while (came_too_soon(&t));
	check_expiry(&t, t.deadline);
	check_closed(t.word);
	close_table_timer(&t);
}

TEST(word_of_no_deadline_lets_the_timer_expire)
{
	expires_with(0);
	expires_with(1);
	expires_with(now() - NSEC_PER_SEC);
	expires_with(CLOSED);
	expires_with(CLOSED | 1);
	expires_with(CLOSED | (now() + LONG));
	expires_with(CLOSED | LATEST);
	expires_with(CLOSED + LATEST / 2);
}

TEST(word_between_deadline_and_now_is_the_events_deadline)
{
	struct table_timer t;

	/* later than the deadline that the kernel knows: like a push, but by a store */
	do {
		t = soon_timer();
		write_word(t.word, t.deadline + 1);
	} while (came_too_soon(&t));
	check_expiry(&t, t.deadline + 1);
}

TEST(cancel_ends_a_timer_with_any_word)
{
	const __u64 values[] = { 0, 1, CLOSED, ~0ULL, LATEST, now() + LONG,
				 CLOSED | (now() + LONG) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		const struct table_timer t = new_table_timer(LONG);
		struct twheel_op op;

		write_word(t.word, values[i]);
		ASSERT_EQ(query(t.fd, t.handle, &op), 0);
		ASSERT_GT(op.time_ns, 0);
		ASSERT_EQ(cancel(t.fd, t.handle), 0);
		ASSERT_EQ(read_word(t.word), CLOSED);
		ASSERT_EQ(timers_of(t.fd), 0);
	}
}

TEST(change_repairs_a_word)
{
	const struct table_timer t = new_table_timer(LONG);
	const __u64 earlier = now() + ticks(2);

	write_word(t.word, ~0ULL);
	ASSERT_EQ(change_to(t.fd, t.handle, earlier), 0);
	check_expiry(&t, earlier);
}

TEST(word_of_an_expired_timer_opens_nothing)
{
	const struct table_timer t = new_table_timer(ticks(1));
	struct twheel_op op;

	arm_timerfds(t.deadline);
	wait_for_event(t.fd);
	write_word(t.word, now() + LONG);
	pass_ticks(2);
	ASSERT_EQ(query(t.fd, t.handle, &op), TWHEEL_EXPIRED);
	ASSERT_EQ(op.time_ns, 0);
	check_expiry(&t, t.deadline);
}

static struct twheel_word *hostile_table;

static __u64 garbage(unsigned int *seed, __u64 time)
{
	const __u64 some = (__u64)rand_r(seed) << 32 | rand_r(seed), near = some % ticks(4);
	const __u64 values[] = {
		0, CLOSED, ~0ULL, LATEST, time + near, time - near, CLOSED | (time + near), some,
	};

	return values[rand_r(seed) % ARRAY_SIZE(values)];
}

static void write_garbage(void *data)
{
	unsigned int seed = thread_seed(), i;
	const unsigned int count = page_size() / sizeof(__u64);
	__u64 *numbers = (__u64 *)hostile_table;

	while (!stopping) {
		const __u64 time = now();

		for (i = 0; i < count; i++)
			write_word(&numbers[i], garbage(&seed, time));
	}
}

/* Use timers while their table is full of garbage. Returns how many expired. */
static unsigned int one_hostile_round(int fd)
{
	struct twheel_op ops[128];
	struct twheel_event events[128];
	unsigned int i, ended = 0;
	int got;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = shared_op(now() + i % 4 * ticks(1), i);
	add_all(fd, ops, ARRAY_SIZE(ops));
	pass_ticks(2);
	got = read_events(fd, events, ARRAY_SIZE(events));
	for (i = 0; (int)i < got; i++) {
		check_event(&events[i]);
		ASSERT(events[i].handle == ops[events[i].cookie].handle);
		ended++;
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		int result;

		if (i % 3 == 0)
			change(fd, ops[i].handle, ticks(i % 4));
		result = cancel(fd, ops[i].handle);
		if (result < 0)
			ASSERT_EQ(result, -ENOENT);
		else
			ended++;
	}
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(ended, ARRAY_SIZE(ops));
	return got < 0 ? 0 : got;
}

/* Garbage at any time ends each timer once. Counts the rounds until it is killed. */
static void spin_garbage(void *data)
{
	const int fd = open_device(O_NONBLOCK);
	atomic_uint *rounds = data;

	hostile_table = map_table(fd);
	start_threads(2, write_garbage, NULL);
	for (;; ++*rounds)
		one_hostile_round(fd);
}

/* How late another user reads is measured by tests/harm. */
NONBLOCK_TEST(garbage_harms_no_other_descriptor)
{
	enum { COUNT = 300 };
	static struct twheel_event events[COUNT];
	static struct twheel_op ops[COUNT];
	const __u64 end = end_of_races();
	struct twheel_word *table = map_table(fd);
	atomic_uint *hostile_rounds = shared_memory(sizeof(*hostile_rounds));
	const pid_t child = start(spin_garbage, hostile_rounds);
	unsigned int rounds = 0, i;

	while (now() < end || rounds < 5 || *hostile_rounds < 5) {
		const __u64 deadline = now() + ticks(4);
		__u64 pushed[COUNT] = { };

		for (i = 0; i < COUNT; i++) {
			ops[i] = shared_op(deadline + i, i);
			if (i % 3 == 0)
				ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(fd, ops, COUNT);
		for (i = 1; i < COUNT; i += 3)
			if (push_alone(word_of(table, ops[i].handle),
				       deadline + i + ticks(2)))
				pushed[i] = ticks(2);
		read_all(fd, events, COUNT);
		for (i = 0; i < COUNT; i++) {
			const __u64 cookie = events[i].cookie;

			check_first_event(&events[i], ops, COUNT);
			ASSERT_EQ(events[i].deadline_ns,
				  deadline + cookie + pushed[cookie]);
		}
		check_no_event(fd);
		rounds++;
	}
	/* which is still there, or a check of its own has failed */
	kill_child(child);
	note("%u rounds, %u with garbage", rounds, *hostile_rounds);
}

static void spin_in_the_past(void *word)
{
	const __u64 past = now() - NSEC_PER_SEC;
	__u64 i;

	for (i = 0; !stopping; i++)
		write_word(word, past - i % 4096);
}

TEST(word_that_changes_all_the_time_does_not_keep_a_timer_for_good)
{
	const struct table_timer t = new_table_timer(ticks(2));
	struct twheel_event event;

	start_thread(spin_in_the_past, t.word);
	event = read_one(t.fd);
	stop_threads();
	ASSERT(event.handle == t.handle);
	ASSERT_GE(event.deadline_ns, t.deadline);
}

NONBLOCK_TEST(ordinary_timers_have_no_word)
{
	struct twheel_word *table = map_table(fd);
	const __u64 deadline = now() + margin_ns();
	unsigned int i;

	for (i = 0; i < 100; i++)
		add_at(fd, deadline, i);
	for (i = 0; i < words_of_a_page(); i++)
		write_word(word_at(table, i), LATEST);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(read_one(fd).deadline_ns, deadline);
	ASSERT_EQ(timers_of(fd), 0);
}
