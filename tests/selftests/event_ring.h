/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of events (TWHEEL_MMAP_RING), as a program uses it. */
#ifndef _EVENT_RING_H
#define _EVENT_RING_H

#include "device.h"

/* The smallest ring there is. */
enum { ENTRIES = 64 };

struct ring {
	int			fd;
	struct twheel_ring	*head;		/* the first page */
	struct twheel_event	*events;
	size_t			size;		/* of the mapping, in bytes */
};

/* The size in bytes of a ring of so many entries. */
size_t ring_size(unsigned int entries);

struct ring map_ring(int fd, unsigned int entries);

/* A ring of ENTRIES entries, on a descriptor of its own. */
struct ring new_ring(void);
void close_ring(const struct ring *ring);

/* A case with such a ring: @ring. */
#define RING_TEST(id)							\
	static void run_##id(struct ring ring);				\
	TEST_CALL(id, run_##id(new_ring()))				\
	static void run_##id(const struct ring ring)

__u64 tail_of(const struct ring *ring);
void set_head(const struct ring *ring, __u64 head);

/* Whether the ring says that more events wait in the kernel. */
bool has_more(const struct ring *ring);

/* Wait until the ring says so, or not so: the flag is set after the events. */
void wait_for_more(const struct ring *ring, bool expected);

/* Wait for an event in a ring of ENTRIES entries, and take it. */
struct twheel_event take_one(const struct ring *ring);

#endif /* _EVENT_RING_H */
