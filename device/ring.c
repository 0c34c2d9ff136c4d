// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the ring of events in memory that a program shares
 *
 * The kernel writes events and @tail, which it keeps for itself too; all it
 * believes of the program is how many events @head says have been consumed,
 * and nothing worse comes of a lie than that the program's events are
 * overwritten, or wait.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include "timer_set.h"
#include "shared.h"

static struct twheel_ring *head_of(const struct timer_set *set)
{
	return twheel_shared_at(set->ring, 0);
}

/* Events in the ring that have not been consumed; as many as fit, if in doubt. */
static u32 used(const struct timer_set *set)
{
	u64 head = READ_ONCE(head_of(set)->head);

	/* With the program's release: it has read what is overwritten next. */
	smp_mb();
	return min_t(u64, set->tail - head, set->entries);
}

/**
 * twheel_ring_valid - is this a size for a ring?
 * @size: In bytes, a multiple of the page size.
 *
 * Return: whether it is.
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
	struct twheel_ring *ring = head_of(set);

	static_assert(sizeof(struct twheel_ring) == 128);

	set->tail = 0;
	set->entries = (twheel_shared_size(set->ring) - PAGE_SIZE) /
		       sizeof(struct twheel_event);
	ring->entries = set->entries;
	ring->offset = PAGE_SIZE;
}

/**
 * twheel_ring_room - how many events the ring can take
 * @set: The set, locked.
 *
 * Return: The number.
 */
u32 twheel_ring_room(const struct timer_set *set)
{
	return set->entries - used(set);
}

/**
 * twheel_ring_empty - has the program consumed all there is?
 * @set: The set, locked, which has a ring.
 *
 * Return: whether it has.
 */
bool twheel_ring_empty(const struct timer_set *set)
{
	return !used(set);
}

/**
 * twheel_ring_place - where an event goes
 * @set: The set, locked.
 * @n: How many events have been written that are not published yet.
 *
 * Return: The place, to be written and not read.
 */
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n)
{
	size_t at = (set->tail + n) & (set->entries - 1);

	return twheel_shared_at(set->ring,
				PAGE_SIZE + at * sizeof(struct twheel_event));
}

/**
 * twheel_ring_publish - let the program see events that have been written
 * @set: The set, locked.
 * @n: How many.
 */
void twheel_ring_publish(struct timer_set *set, u32 n)
{
	set->tail += n;
	/* With the program's acquire: the events are there when @tail says so. */
	smp_wmb();
	WRITE_ONCE(head_of(set)->tail, set->tail);
}

/**
 * twheel_ring_more - tell the program whether events wait in the kernel
 * @set: The set, locked.
 * @more: Whether they do.
 */
void twheel_ring_more(struct timer_set *set, bool more)
{
	WRITE_ONCE(head_of(set)->flags, more ? TWHEEL_RING_MORE : 0);
}
