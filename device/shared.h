/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: memory that the kernel shares with a program: the table of deadlines, and the ring of
 * events
 *
 * The program may write to the pages at any time. So the kernel reads each value once, and checks
 * the value that it has read.
 */
#ifndef _TWHEEL_DEVICE_SHARED_H
#define _TWHEEL_DEVICE_SHARED_H

#include <linux/mm.h>
#include "timer_set.h"

struct twheel_shared {
	/* How many pages. */
	unsigned long	count;
	struct page	*page[];
};

static inline size_t twheel_shared_size(const struct twheel_shared *shared)
{
	return shared->count << PAGE_SHIFT;
}

/* Returns the kernel's address of @offset. An object there must not cross a page. */
static inline void *twheel_shared_at(const struct twheel_shared *shared, size_t offset)
{
	return page_address(shared->page[offset >> PAGE_SHIFT]) + offset_in_page(offset);
}

/* map.c */
void twheel_map_release(struct timer_set *set);

/* table.c */
void twheel_table_init(struct twheel_shared *table);
void twheel_table_open(struct user_timer *t);
void twheel_table_close(struct user_timer *t);
s64 twheel_table_deadline(const struct user_timer *t);

/* Returns how many timers the table has room for; 0 if there is no table. */
static inline u32 twheel_table_entries(const struct timer_set *set)
{
	lockdep_assert_held(&set->lock);

	return set->table ? twheel_shared_size(set->table) / sizeof(struct twheel_word) : 0;
}

/* ring.c, and deliver.c for the last. The set has a ring. */
void twheel_ring_init(struct timer_set *set);
u32 twheel_ring_room(const struct timer_set *set);
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n);
void twheel_ring_publish(struct timer_set *set, u32 n);
void twheel_ring_more(struct timer_set *set, bool more);
bool twheel_deliver_fill_ring(struct timer_set *set, const struct twheel_phase *phase,
			      unsigned int *steps);

#endif /* _TWHEEL_DEVICE_SHARED_H */
