// SPDX-License-Identifier: GPL-2.0
#include "event_ring.h"

size_t ring_size(unsigned int entries)
{
	return page_size() + entries * sizeof(struct twheel_event);
}

struct ring map_ring(int fd, unsigned int entries)
{
	struct ring ring = { .fd = fd, .size = ring_size(entries) };

	ring.head = mmap(NULL, ring.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 TWHEEL_MMAP_RING);
	/* The offset is too large for the kernel: it does not ask the driver. */
	if (ring.head == MAP_FAILED && errno == EOVERFLOW &&
	    !(get_info(fd).features & TWHEEL_FEATURE_RING))
		skip("a 32-bit kernel has no ring");
	if (ring.head == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	ASSERT_EQ(ring.head->entries, entries);
	ASSERT_EQ(ring.head->offset, page_size());
	ring.events = (void *)ring.head + ring.head->offset;
	return ring;
}

struct ring new_ring(void)
{
	return map_ring(open_device(O_NONBLOCK), ENTRIES);
}

void close_ring(const struct ring *ring)
{
	CALL(munmap(ring->head, ring->size));
	CALL(close(ring->fd));
}

__u64 tail_of(const struct ring *ring)
{
	return __atomic_load_n(&ring->head->tail, __ATOMIC_ACQUIRE);
}

void set_head(const struct ring *ring, __u64 head)
{
	__atomic_store_n(&ring->head->head, head, __ATOMIC_RELEASE);
}

bool has_more(const struct ring *ring)
{
	return __atomic_load_n(&ring->head->flags, __ATOMIC_SEQ_CST) == TWHEEL_RING_MORE;
}

void wait_for_more(const struct ring *ring, bool expected)
{
	while (has_more(ring) != expected)
		pass_ticks(0);
}

struct twheel_event take_one(const struct ring *ring)
{
	const __u64 head = ring->head->head;
	struct twheel_event event;

	while (tail_of(ring) == head)
		wait_for_event(ring->fd);
	event = ring->events[head % ENTRIES];
	check_event(&event);
	set_head(ring, head + 1);
	return event;
}
