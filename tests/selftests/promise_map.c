// SPDX-License-Identifier: GPL-2.0
/*
 * What the header and twheel(4) promise about mappings of the table and the
 * ring: which open modes allow one, what a second one shows, what a fork shares.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>

#include "device.h"

enum { ENTRIES = 128, WORDS = 2048 };

static size_t ring_size(unsigned int entries)
{
	return page_size() + entries * sizeof(struct twheel_event);
}

static size_t table_size(void)
{
	return WORDS * sizeof(struct twheel_word);
}

static void *map(int fd, size_t size, __u64 offset)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	return memory;
}

static struct twheel_ring *map_ring(int fd)
{
	return map(fd, ring_size(ENTRIES), TWHEEL_MMAP_RING);
}

static struct twheel_word *map_table(int fd)
{
	return map(fd, table_size(), TWHEEL_MMAP_TABLE);
}

static const struct twheel_event *event_at(const struct twheel_ring *ring, __u64 number)
{
	const struct twheel_event *events = (const void *)ring + ring->offset;

	return &events[number % ring->entries];
}

static __u64 tail_of(const struct twheel_ring *ring)
{
	return __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
}

static void wait_for_tail(const struct twheel_ring *ring, __u64 tail)
{
	while (tail_of(ring) < tail)
		pass_ticks(0);
	ASSERT_EQ(tail_of(ring), tail);
}

static void set_head(struct twheel_ring *ring, __u64 head)
{
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

static __u64 add_shared(int fd, __u64 deadline, __u64 cookie)
{
	struct twheel_op op = new_timer(deadline, cookie);

	op.flags = TWHEEL_ABSTIME | TWHEEL_SHARED;
	return arm(fd, op);
}

/* Open modes */

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
	check_mode(O_RDONLY, TWHEEL_MMAP_TABLE, table_size(), EINVAL, EACCES);
	check_mode(O_WRONLY, TWHEEL_MMAP_TABLE, table_size(), EACCES, EACCES);
	check_mode(O_RDONLY, TWHEEL_MMAP_RING, ring_size(ENTRIES), EINVAL, EACCES);
	check_mode(O_WRONLY, TWHEEL_MMAP_RING, ring_size(ENTRIES), EACCES, EACCES);
}

TEST(mapping_may_be_read_only)
{
	const int fd = open_device(0);
	const struct twheel_word *table = mmap(NULL, table_size(), PROT_READ, MAP_SHARED,
					       fd, TWHEEL_MMAP_TABLE);
	const __u64 deadline = now() + LONG, handle = add_shared(fd, deadline, 1);

	ASSERT(table != MAP_FAILED);
	ASSERT(table[TWHEEL_INDEX(handle)].handle == handle);
	ASSERT_EQ(table[TWHEEL_INDEX(handle)].deadline, deadline);
}

/* Events that are unread when a ring is mapped */

TEST(unread_events_go_into_a_new_ring_first)
{
	enum { COUNT = ENTRIES + 50 };
	const int fd = open_device(O_NONBLOCK);
	struct twheel_event event;
	struct twheel_ring *ring;
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		wait_until_expired(fd, add(fd, 0, i));
	ring = map_ring(fd);
	add(fd, 0, COUNT);
	wait_for_tail(ring, ENTRIES);
	ASSERT_EQ(read_events(fd, &event, 1), -EBUSY);
	/* The others wait, and follow when there is room. */
	while (get_info(fd).unread != COUNT + 1 - ENTRIES)
		pass_ticks(0);
	ASSERT_EQ(ring->flags, TWHEEL_RING_MORE);
	for (i = 0; i <= COUNT; i++) {
		if (i == tail_of(ring))
			wait_for_event(fd);
		ASSERT_LT(i, tail_of(ring));
		ASSERT_EQ(event_at(ring, i)->cookie, i);
		set_head(ring, i + 1);
	}
}

static void *read_until_refused(void *data)
{
	struct twheel_event event;

	ASSERT_EQ(read_events(*(int *)data, &event, 1), -EBUSY);
	return NULL;
}

TEST(read_that_waits_is_ebusy_when_a_ring_is_mapped)
{
	int fd = open_device(0);
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, read_until_refused, &fd), 0);
	pass_ticks(3);
	map_ring(fd);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
}

/* A second mapping */

TEST(second_mapping_is_the_same_memory)
{
	const int fd = open_device(0);
	struct twheel_word *table = map_table(fd), *table_again = map_table(fd);
	struct twheel_ring *ring = map_ring(fd), *ring_again = map_ring(fd);
	const __u64 deadline = now() + LONG, handle = add_shared(fd, deadline, 1);

	ASSERT(table != table_again);
	ASSERT_EQ(table_again[TWHEEL_INDEX(handle)].deadline & ~TWHEEL_WORD_CLOSED, deadline);
	ASSERT_EQ(change_to(fd, handle, now() + ticks(2)), 0);
	wait_for_tail(ring, 1);
	ASSERT_EQ(tail_of(ring_again), 1);
	ASSERT_EQ(event_at(ring_again, 0)->cookie, 1);
	set_head(ring_again, 1);
	ASSERT_EQ(ring->head, 1);
	ASSERT(!has_event(fd));
}

TEST(shorter_mapping_is_the_beginning)
{
	const int fd = open_device(0);
	struct twheel_word *table = map_table(fd);
	struct twheel_word *table_part = map(fd, page_size(), TWHEEL_MMAP_TABLE);
	struct twheel_ring *ring = map_ring(fd);
	struct twheel_ring *ring_part = map(fd, ring_size(ENTRIES / 2), TWHEEL_MMAP_RING);

	/* The sizes stay those of the first mapping. */
	ASSERT_EQ(get_info(fd).table_entries, WORDS);
	ASSERT_EQ(get_info(fd).ring_entries, ENTRIES);
	ASSERT_EQ(ring_part->entries, ENTRIES);
	table[1].deadline = 5 | TWHEEL_WORD_CLOSED;
	ASSERT_EQ(table_part[1].deadline, 5 | TWHEEL_WORD_CLOSED);
	add(fd, 0, 1);
	wait_for_tail(ring, 1);
	ASSERT_EQ(tail_of(ring_part), 1);
	ASSERT_EQ(event_at(ring_part, 0)->cookie, 1);
}

TEST(longer_mapping_is_einval)
{
	const int fd = open_device(0);

	map_table(fd);
	map_ring(fd);
	ASSERT_ERRNO(mmap(NULL, table_size() + page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, TWHEEL_MMAP_TABLE), EINVAL);
	ASSERT_ERRNO(mmap(NULL, ring_size(2 * ENTRIES), PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, TWHEEL_MMAP_RING), EINVAL);
	/* A shorter ring is one page and a power of two of events, too. */
	ASSERT_ERRNO(mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, TWHEEL_MMAP_RING), EINVAL);
}

TEST(table_and_ring_outlive_their_mappings)
{
	const int fd = open_device(O_NONBLOCK);
	struct twheel_word *table = map_table(fd);
	struct twheel_ring *ring = map_ring(fd);
	const __u64 handle = add_shared(fd, now() + LONG, 1);
	struct twheel_event event;

	CALL(munmap(table, table_size()));
	CALL(munmap(ring, ring_size(ENTRIES)));
	add(fd, 0, 2);
	wait_for_event(fd);
	ASSERT_EQ(read_events(fd, &event, 1), -EBUSY);
	table = map_table(fd);
	ring = map_ring(fd);
	ASSERT(table[TWHEEL_INDEX(handle)].handle == handle);
	ASSERT_EQ(tail_of(ring), 1);
	ASSERT_EQ(event_at(ring, 0)->cookie, 2);
}

/* What a fork shares */

struct shared {
	int			fd;
	struct twheel_word	*table;
	struct twheel_ring	*ring;
	__u64			handle;
};

static void use_as_child(void *data)
{
	const struct shared *shared = data;
	struct twheel_word *word = &shared->table[TWHEEL_INDEX(shared->handle)];
	__u64 seen = word->deadline;

	/* The descriptor, the table, and the ring. */
	ASSERT_EQ(timers_of(shared->fd), 1);
	ASSERT(__atomic_compare_exchange_n(&word->deadline, &seen, seen + LONG, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	ASSERT_EQ(event_at(shared->ring, 0)->cookie, 2);
	set_head(shared->ring, 1);
	add(shared->fd, 0, 3);
}

TEST(child_shares_descriptor_table_and_ring)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 deadline = now() + LONG;
	struct shared shared = { fd, map_table(fd), map_ring(fd), 0 };

	shared.handle = add_shared(fd, deadline, 1);
	add(fd, 0, 2);
	wait_for_tail(shared.ring, 1);
	join(start(use_as_child, &shared));
	ASSERT_EQ(shared.table[TWHEEL_INDEX(shared.handle)].deadline, deadline + LONG);
	ASSERT_EQ(shared.ring->head, 1);
	wait_for_tail(shared.ring, 2);
	ASSERT_EQ(event_at(shared.ring, 1)->cookie, 3);
	ASSERT_EQ(timers_of(fd), 1);
}

/* The child says when it has only the mapping left, and ends when the parent does. */
static int child_ready[2], parent_done[2];

static void keep_mapping_as_child(void *data)
{
	char byte = 0;

	close(*(int *)data);
	close(parent_done[1]);
	CALL(write(child_ready[1], &byte, 1));
	ASSERT_EQ(read(parent_done[0], &byte, 1), 0);
}

TEST(mapping_of_a_child_keeps_the_timers)
{
	const int other = open_device(0);
	const __u64 before = get_info(other).timers_user;
	int fd = open_device(0);
	struct twheel_word *table = map_table(fd);
	pid_t child;
	char byte;

	add_shared(fd, now() + LONG, 1);
	CALL(pipe(child_ready));
	CALL(pipe(parent_done));
	child = start(keep_mapping_as_child, &fd);
	close(fd);
	CALL(munmap(table, table_size()));
	ASSERT_EQ(CALL(read(child_ready[0], &byte, 1)), 1);
	ASSERT_EQ(get_info(other).timers_user, before + 1);
	close(parent_done[1]);
	join(child);
	ASSERT_EQ(get_info(other).timers_user, before);
}
