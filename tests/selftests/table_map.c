// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping of the table of deadlines: what mmap() refuses, how large the table is,
 * and what happens to timers when a mapping or a descriptor goes.
 */
#include "table_timer.h"

#define TABLE_MOST	((size_t)16 << 24)

static void refuses_map(int fd, size_t size, int protection, int flags, __u64 offset)
{
	ASSERT_ERRNO(mmap(NULL, size, protection, flags, fd, offset), EINVAL);
}

DEVICE_TEST(private_executable_or_too_large_mapping_is_refused)
{
	refuses_map(fd, page_size(), PROT_READ, MAP_PRIVATE, 0);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	/* more words than handles have indexes for */
	refuses_map(fd, TABLE_MOST + page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	refuses_map(fd, page_size(), PROT_READ | PROT_EXEC, MAP_SHARED, 0);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_SHARED, 0);
	ASSERT_ERRNO(mprotect(map_table(fd), page_size(), PROT_READ | PROT_EXEC),
		     EACCES);
}

static void check_mode(int mode, __u64 offset, size_t size, int read_error, int write_error)
{
	const int fd = CALL(open(DEVICE, mode));

	ASSERT_ERRNO(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset), read_error);
	ASSERT_ERRNO(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset),
		     write_error);
	close(fd);
}

TEST(mapping_needs_read_and_write)
{
	const size_t size = page_size() + 128 * sizeof(struct twheel_event);

	check_mode(O_RDONLY, TWHEEL_MMAP_TABLE, page_size(), EINVAL, EACCES);
	check_mode(O_WRONLY, TWHEEL_MMAP_TABLE, page_size(), EACCES, EACCES);
	check_mode(O_RDONLY, TWHEEL_MMAP_RING, size, EINVAL, EACCES);
	check_mode(O_WRONLY, TWHEEL_MMAP_RING, size, EACCES, EACCES);
}

DEVICE_TEST(mapping_may_be_read_only)
{
	const struct twheel_word *table = mmap(NULL, page_size(), PROT_READ, MAP_SHARED,
					       fd, TWHEEL_MMAP_TABLE);
	const __u64 deadline = now() + LONG, handle = add_shared(fd, deadline, 1);

	ASSERT(table != MAP_FAILED);
	ASSERT(table[TWHEEL_INDEX(handle)].handle == handle);
	ASSERT_EQ(table[TWHEEL_INDEX(handle)].deadline, deadline);
}

DEVICE_TEST(other_offset_is_einval)
{
	unsigned int bit;

	for (bit = 12; bit < 43; bit++)
		if (1ULL << bit != TWHEEL_MMAP_RING)
			refuses_map(fd, page_size(), PROT_READ | PROT_WRITE,
				    MAP_SHARED, 1ULL << bit);
	map_table(fd);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    page_size());
}

DEVICE_TEST(first_mapping_fixes_the_size)
{
	struct twheel_word *table = map_words(fd, 2 * words_of_a_page());
	struct twheel_word *part = map_table(fd);
	const __u64 deadline = now() + LONG;
	__u64 handle;

	refuses_map(fd, 3 * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	ASSERT_EQ(get_info(fd).table_entries,
		  2 * words_of_a_page());
	table[5].deadline = 12345;
	ASSERT_EQ(part[5].deadline, 12345);
	handle = add_shared(fd, deadline, 1);
	ASSERT_EQ(read_word(word_of(table, handle)), deadline);
	ASSERT_EQ(read_word(word_of(part, handle)), deadline);
	ASSERT_ERRNO(mremap(part, page_size(), 2 * page_size(), MREMAP_MAYMOVE),
		     EFAULT);
}

DEVICE_TEST(full_table_is_enospc)
{
	const unsigned int words = words_of_a_page();
	const struct twheel_op op = shared_op(now() + LONG, 1);
	__u64 handle = 0;
	unsigned int i;

	/* There is no table yet. */
	ASSERT_EQ(get_info(fd).table_entries, 0);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	map_table(fd);
	for (i = 0; i < words; i++)
		handle = add_shared(fd, now() + LONG, i);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	add(fd, LONG, 2);
	ASSERT_EQ(cancel(fd, handle), 0);
	ASSERT_LT(TWHEEL_INDEX(add_shared(fd, now() + LONG, 1)), words);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
}

DEVICE_TEST(shared_with_a_period_or_on_another_clock_is_einval)
{
	struct twheel_op op = shared_op(now() + LONG, 1);
	unsigned int i;

	map_table(fd);
	op.period_ns = NSEC_PER_SEC;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	op.period_ns = 0;
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		op.clockid = clocks[i];
		op.time_ns = read_clock(clocks[i]) + LONG;
		if (clocks[i] == CLOCK_MONOTONIC) {
			arm(fd, op);
			continue;
		}
		REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
		REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	}
}

/* Mappings and descriptors that go while timers are pending. */

static void push_as_child(void *data)
{
	struct table_timer *t = data;

	ASSERT(push_alone(t->word, t->deadline + ticks(3)) || !in_time(t->deadline));
}

TEST(child_pushes_back_its_parents_timer)
{
	struct table_timer t;

	do {
		t = soon_timer();
		join(start(push_as_child, &t));
	} while (came_too_soon(&t));
	check_expiry(&t, t.deadline + ticks(3));
}

TEST(push_holds_when_the_mapping_goes)
{
	const struct table_timer t = pushed_timer(ticks(3));

	arm_timerfds(t.deadline + ticks(3));
	CALL(munmap(t.table, page_size()));
	check_expiry(&t, t.deadline + ticks(3));
}

TEST(unmapped_while_timers_are_pending)
{
	struct table_timer t = new_table_timer(ticks(3));

	arm_timerfds(t.deadline);
	CALL(munmap(t.table, page_size()));
	check_expiry(&t, t.deadline);
	check_closed(word_of(map_table(t.fd), t.handle));
	t.handle = add_shared(t.fd, now() + LONG, 1);
	t.table = map_table(t.fd);
	ASSERT_EQ(t.table[TWHEEL_INDEX(t.handle)].handle, t.handle);
	ASSERT_EQ(cancel(t.fd, t.handle), 0);
}

TEST(mapping_keeps_the_timers_when_the_descriptor_is_closed)
{
	struct table_timer t;
	__u64 lead;
	bool pushed;

	for (lead = margin_ns();; lead *= 2) {
		t = new_table_timer(lead);
		CALL(close(t.fd));
		pushed = push_alone(t.word, t.deadline + ticks(1));
		if (in_time(t.deadline))
			break;
		CALL(munmap(t.table, page_size()));
	}
	ASSERT(pushed);
	while (!(read_word(t.word) & CLOSED))
		pass_ticks(1);
	ASSERT_GE(now(), t.deadline + ticks(1));
}

/* The child says when it has only the mapping left. */
static int child_ready[2];

static void keep_mapping_as_child(void *data)
{
	close(*(int *)data);
	tell(child_ready[1]);
	wait_to_be_killed(NULL);
}

TEST(mapping_of_a_child_keeps_the_timers)
{
	const int other = open_device(0);
	const __u64 before = get_info(other).timers_user;
	int fd = open_device(0);
	struct twheel_word *table = map_table(fd);
	pid_t child;

	add_shared(fd, now() + LONG, 1);
	CALL(pipe(child_ready));
	child = start(keep_mapping_as_child, &fd);
	close(fd);
	CALL(munmap(table, page_size()));
	hear(child_ready[0]);
	ASSERT_EQ(get_info(other).timers_user, before + 1);
	kill_child(child);
	ASSERT_EQ(get_info(other).timers_user, before);
}
