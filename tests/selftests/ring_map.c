// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping of the ring of events: what mmap() refuses, how large the ring is, and what
 * happens to events when a mapping or a descriptor goes.
 */
#include "event_ring.h"

static void refuses_map(int fd, size_t size, int protection, int flags)
{
	ASSERT_ERRNO(mmap(NULL, size, protection, flags, fd, TWHEEL_MMAP_RING), EINVAL);
}

DEVICE_TEST(size_that_is_no_power_of_two_is_einval)
{
	unsigned int pages;

	for (pages = 1; pages <= 20; pages++)
		if (pages == 1 || (pages - 1) & (pages - 2))
			refuses_map(fd, pages * page_size(),
				    PROT_READ | PROT_WRITE, MAP_SHARED);
	refuses_map(fd, page_size() + (128 << 20), PROT_READ | PROT_WRITE,
		    MAP_SHARED);
	/* a mapping that failed has not made a ring of the events */
	add(fd, 0, 4);
	ASSERT_EQ(read_one(fd).cookie, 4);
	map_ring(fd, ENTRIES);
}

DEVICE_TEST(private_or_executable_mapping_is_einval)
{
	struct ring ring;

	refuses_map(fd, ring_size(ENTRIES), PROT_READ | PROT_WRITE, MAP_PRIVATE);
	refuses_map(fd, ring_size(ENTRIES), PROT_READ | PROT_EXEC, MAP_SHARED);
	ring = map_ring(fd, ENTRIES);
	ASSERT_ERRNO(mprotect(ring.head, page_size(), PROT_READ | PROT_EXEC),
		     EACCES);
}

/* All mappings are the same memory, and a shorter one is its beginning. */
NONBLOCK_TEST(first_mapping_fixes_the_size)
{
	const struct ring ring = map_ring(fd, 2 * ENTRIES), again = map_ring(fd, 2 * ENTRIES);
	const struct twheel_ring *part = mmap(NULL, ring_size(ENTRIES), PROT_READ | PROT_WRITE,
					      MAP_SHARED, fd, TWHEEL_MMAP_RING);

	ASSERT(part != MAP_FAILED);
	refuses_map(fd, ring_size(4 * ENTRIES), PROT_READ | PROT_WRITE, MAP_SHARED);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_EQ(get_info(fd).ring_entries, 2 * ENTRIES);
	ASSERT_EQ(part->entries, 2 * ENTRIES);
	add(fd, 0, 3);
	while (!tail_of(&again))
		continue;
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT_EQ(part->tail, 1);
	ASSERT_EQ(again.events[0].cookie, 3);
	ASSERT_EQ(((struct twheel_event *)((char *)part + part->offset))->cookie, 3);
	set_head(&again, 1);
	ASSERT_EQ(ring.head->head, 1);
	ASSERT(!has_event(fd));
}

TEST(large_ring)
{
	enum { LARGE = 16384 };
	const struct ring ring = map_ring(open_device(O_NONBLOCK), LARGE);
	static struct twheel_op ops[LARGE];
	const unsigned int count = many(LARGE);
	unsigned int i;

	add_many(ring.fd, ops, count, new_timer(0, 0));
	while (tail_of(&ring) < count)
		has_event(ring.fd);
	wait_for_more(&ring, false);
	for (i = 0; i < count; i++)
		check_first_event(&ring.events[i], ops, count);
}

/* Mappings and descriptors that go while timers are pending. */

TEST(unmapped_ring_goes_on)
{
	struct ring ring = new_ring();

	CALL(munmap(ring.head, ring.size));
	add(ring.fd, 0, 1);
	wait_for_event(ring.fd);
	ring = map_ring(ring.fd, ENTRIES);
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT_EQ(take_one(&ring).cookie, 1);
}

TEST(closed_while_the_ring_is_filled)
{
	const unsigned int count = many(20000);
	static struct twheel_op ops[20000];
	unsigned int round;

	for (round = 0; round < 5; round++) {
		const struct ring ring = map_ring(open_device(0), 1 << 15);
		const __u64 deadline = now() + 200 * NSEC_PER_MSEC;

		add_many(ring.fd, ops, count, new_timer_at(deadline, 0));
		add_on(ring.fd, CLOCK_BOOTTIME, read_clock(CLOCK_BOOTTIME), tick_ns());
		pass(deadline);
		close_ring(&ring);
	}
}
