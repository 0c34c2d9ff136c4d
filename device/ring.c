// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the ring of events in memory that a program shares
 *
 * The kernel writes the events and @tail, and keeps a copy of @tail that the program cannot change.
 * Of the program's words the kernel reads only @head, the number of consumed events. A wrong @head
 * harms only the program: its events are overwritten, or they wait.
 *
 * A 32-bit kernel has no ring, but compiles this file, and cannot load a u64 in one piece: hence
 * the casts to atomic64_t.
 */
#include "shared.h"

static struct twheel_ring *ring_header(const struct timer_set *set)
{
	lockdep_assert_held(&set->lock);

	return twheel_shared_at(set->ring, 0);
}

/* Begins to use the ring that the set has just got. */
void twheel_ring_init(struct timer_set *set)
{
	struct twheel_ring *ring = ring_header(set);

	static_assert(sizeof(struct twheel_ring) == 128);

	set->entries = (twheel_shared_size(set->ring) - PAGE_SIZE) / sizeof(struct twheel_event);
	ring->entries = set->entries;
	ring->offset = PAGE_SIZE;
}

/* Returns how many events the ring can take. An impossible @head tells of a full ring. */
u32 twheel_ring_room(const struct timer_set *set)
{
	/* Pairs with the program's release of @head, after it has read the events. */
	u64 head = atomic64_read_acquire((atomic64_t *)&ring_header(set)->head);

	return set->entries - min_t(u64, set->tail - head, set->entries);
}

/*
 * Returns the place of the event behind @n that are not published yet. The caller only writes to
 * it: the program may change it any time.
 */
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n)
{
	size_t at = (set->tail + n) & (set->entries - 1);

	lockdep_assert_held(&set->lock);

	return twheel_shared_at(set->ring, PAGE_SIZE + at * sizeof(struct twheel_event));
}

/* Lets the program see @n events that have been written. */
void twheel_ring_publish(struct timer_set *set, u32 n)
{
	set->tail += n;
	/* Pairs with the program's acquire of @tail, before it reads the events. */
	atomic64_set_release((atomic64_t *)&ring_header(set)->tail, set->tail);
}

/* Tells the program whether events wait in the kernel. */
void twheel_ring_more(struct timer_set *set, bool more)
{
	WRITE_ONCE(ring_header(set)->flags, more ? TWHEEL_RING_MORE : 0);
}
