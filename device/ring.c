// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the ring of events in memory that a program shares
 *
 * The kernel writes the events and @tail, and keeps a copy of @tail that the program
 * cannot change. Of the program's words the kernel reads only @head, the number of
 * consumed events. A wrong @head harms only the program: its events are overwritten,
 * or they wait.
 *
 * A 32-bit kernel has no ring, but compiles this file, and cannot load a u64 in one
 * piece: hence the casts to atomic64_t.
 */
#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include "ring.h"
#include "shared.h"

static struct twheel_ring *ring_header(const struct timer_set *set)
{
	return twheel_shared_at(set->ring, 0);
}

/* Returns how many events the program has not consumed, at most the ring's size. */
static u32 ring_used(const struct timer_set *set)
{
	/* Pairs with the program's release of @head, after it has read the events. */
	u64 head = atomic64_read_acquire((atomic64_t *)&ring_header(set)->head);

	return min_t(u64, set->tail - head, set->entries);
}

/**
 * twheel_ring_valid - check the size of a ring
 * @size: The size in bytes, a multiple of the page size.
 *
 * Return: Whether a ring may have this size.
 */
bool twheel_ring_valid(size_t size)
{
	return size > PAGE_SIZE && size - PAGE_SIZE <= SZ_64M &&
	       is_power_of_2((size - PAGE_SIZE) / sizeof(struct twheel_event));
}

/**
 * twheel_ring_init - begin to use a ring
 * @set: The set, locked; its @ring has just been set.
 */
void twheel_ring_init(struct timer_set *set)
{
	struct twheel_ring *ring = ring_header(set);

	timer_set_assert_locked(set);

	static_assert(sizeof(struct twheel_ring) == 128);

	set->tail = 0;
	WRITE_ONCE(set->entries, (twheel_shared_size(set->ring) - PAGE_SIZE) /
		   sizeof(struct twheel_event));
	ring->entries = set->entries;
	ring->offset = PAGE_SIZE;
}

/**
 * twheel_ring_room - count the free places of the ring
 * @set: The set, locked, which has a ring.
 *
 * Return: How many events the ring can take.
 */
u32 twheel_ring_room(const struct timer_set *set)
{
	timer_set_assert_locked(set);

	return set->entries - ring_used(set);
}

/**
 * twheel_ring_empty - find out whether the ring is empty
 * @set: The set, locked, which has a ring.
 *
 * Return: Whether the program has consumed all events.
 */
bool twheel_ring_empty(const struct timer_set *set)
{
	timer_set_assert_locked(set);

	return !ring_used(set);
}

/**
 * twheel_ring_place - find the place for the next event
 * @set: The set, locked, which has a ring.
 * @n: How many events have been written since the last twheel_ring_publish().
 *
 * Return: The place. The caller only writes to it: the program may change it any time.
 */
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n)
{
	size_t at = (set->tail + n) & (set->entries - 1);

	timer_set_assert_locked(set);

	return twheel_shared_at(set->ring,
				PAGE_SIZE + at * sizeof(struct twheel_event));
}

/**
 * twheel_ring_publish - let the program see events that have been written
 * @set: The set, locked, which has a ring.
 * @n: How many events.
 */
void twheel_ring_publish(struct timer_set *set, u32 n)
{
	timer_set_assert_locked(set);

	set->tail += n;
	/* Pairs with the program's acquire of @tail, before it reads the events. */
	atomic64_set_release((atomic64_t *)&ring_header(set)->tail, set->tail);
}

/**
 * twheel_ring_more - tell the program whether events wait in the kernel
 * @set: The set, locked, which has a ring.
 * @more: Whether events wait.
 */
void twheel_ring_more(struct timer_set *set, bool more)
{
	timer_set_assert_locked(set);

	WRITE_ONCE(ring_header(set)->flags, more ? TWHEEL_RING_MORE : 0);
}
