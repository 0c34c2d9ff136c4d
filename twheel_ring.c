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
#include "twheel_set.h"
#include "twheel_shared.h"

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
 * twheel_ring_put - write an event
 * @set: The set, locked; its ring has room.
 * @event: The event.
 */
void twheel_ring_put(struct timer_set *set, const struct twheel_event *event)
{
	size_t at = set->tail & (set->entries - 1);

	memcpy(twheel_shared_at(set->ring, PAGE_SIZE + at * sizeof(*event)), event,
	       sizeof(*event));
	set->tail++;
	/* With the program's acquire: the event is there when @tail says so. */
	/* Who sees the new tail sees the event. */
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
