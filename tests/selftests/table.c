// SPDX-License-Identifier: GPL-2.0
/*
 * The table of deadlines: a program pushes timers back without a system call.
 * table_race.c has the races, table_hostile.c the programs that write anything at all
 * into the table, and table_map.c what mmap() accepts.
 */
#include "table_timer.h"

DEVICE_TEST(word_has_the_deadline_of_a_relative_time)
{
	struct twheel_op op = new_timer(LONG, 1);
	struct twheel_word *table = map_table(fd);
	const __u64 before = now();

	op.flags = TWHEEL_SHARED;
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	ASSERT_WITHIN(read_word(word_of(table, op.handle)), before + LONG, now() + LONG);
}

TEST(word_has_what_a_change_makes_of_the_deadline)
{
	const struct table_timer t = new_table_timer(LONG);

	ASSERT_EQ(change_to(t.fd, t.handle, t.deadline + 5), 0);
	ASSERT_EQ(read_word(t.word), t.deadline + 5);
	ASSERT_EQ(change_to(t.fd, t.handle, t.deadline - 5), 0);
	ASSERT_EQ(read_word(t.word), t.deadline - 5);
}

DEVICE_TEST(words_without_a_timer_are_closed)
{
	struct twheel_word *table = map_table(fd);
	unsigned int i;

	for (i = 0; i < words_of_a_page(); i++)
		check_closed(word_at(table, i));
}

TEST(upsert_of_a_shared_timer_sets_its_word)
{
	const struct table_timer t = new_table_timer(LONG);
	struct twheel_op op = shared_op(t.deadline + 7, 1);

	op.handle = t.handle;
	ASSERT_EQ(CALL(ioctl(t.fd, TWHEEL_IOC_UPSERT, &op)), 0);
	ASSERT_EQ(read_word(t.word), t.deadline + 7);
	ASSERT_EQ(cancel(t.fd, t.handle), 0);
	op = shared_op(t.deadline + 9, 1);
	op.handle = t.handle;
	ASSERT_EQ(CALL(ioctl(t.fd, TWHEEL_IOC_UPSERT, &op)), TWHEEL_ADDED);
	ASSERT_EQ(read_word(word_of(t.table, op.handle)), t.deadline + 9);
}

TEST(query_sees_a_push)
{
	const struct table_timer t = new_table_timer(LONG);
	struct twheel_op op;

	ASSERT(push_alone(t.word, t.deadline + LONG));
	ASSERT_EQ(query(t.fd, t.handle, &op), 0);
	ASSERT_GT(op.time_ns, LONG);
	ASSERT_LE(op.time_ns, 2 * LONG);
}

TEST(pushed_to_the_end_of_time)
{
	const struct table_timer t = pushed_timer(LATEST);

	ASSERT_EQ(read_word(t.word), LATEST);
	pass(t.deadline + ticks(2));
	ASSERT(!has_event(t.fd));
	ASSERT_EQ(cancel(t.fd, t.handle), 0);
}

TEST(expiry_closes_the_word)
{
	const struct table_timer t = new_table_timer(ticks(1));

	arm_timerfds(t.deadline);
	wait_for_event(t.fd);
	check_closed(t.word);
	ASSERT_EQ(read_word(t.word) & ~CLOSED, t.deadline);
	ASSERT(!push_alone(t.word, now() + LONG));
	check_expiry(&t, t.deadline);
	check_closed(t.word);
}

NONBLOCK_TEST(cancel_of_the_group_closes_its_words)
{
	struct twheel_word *table = map_table(fd);
	__u64 handles[100], other, retracted;
	unsigned int i;

	other = add_shared(fd, now() + LONG, 1);
	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		struct twheel_op op = shared_op(now() + LONG, i);

		op.group = 7;
		handles[i] = arm(fd, op);
	}
	ASSERT_EQ(cancel_group(fd, 7, &retracted), 100);
	for (i = 0; i < ARRAY_SIZE(handles); i++)
		check_closed(word_of(table, handles[i]));
	ASSERT(!(read_word(word_of(table, other)) & CLOSED));
}

TEST(retraction_by_a_change_opens_the_word_again)
{
	struct table_timer t;
	bool pushed;
	__u64 word;

	do {
		t = new_table_timer(ticks(1));
		wait_for_event(t.fd);
		t.deadline = now() + lead_time();
		ASSERT_EQ(change_to(t.fd, t.handle, t.deadline), TWHEEL_RETRACTED);
		word = read_word(t.word);
		pushed = push_alone(t.word, t.deadline + ticks(1));
	} while (came_too_soon(&t));
	ASSERT_EQ(word, t.deadline);
	ASSERT(pushed);
	check_expiry(&t, t.deadline + ticks(1));
}

TEST(drain_gives_the_deadline_that_was_pushed_back)
{
	const struct table_timer t = new_table_timer(LONG);
	struct twheel_op op;

	ASSERT(push_alone(t.word, t.deadline + LONG));
	ASSERT_EQ(drain(t.fd, &op, 1), 1);
	ASSERT(op.flags & TWHEEL_SHARED);
	ASSERT_GT(op.time_ns, LONG);
	check_closed(t.word);
}
