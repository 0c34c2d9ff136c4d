// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: mapping the table and the ring */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"

/* TWHEEL_MMAP_RING does not fit into 32 bits. */
_Static_assert(sizeof(off_t) == 8, "_FILE_OFFSET_BITS");

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* More entries than any driver has, and few enough that their size does not overflow. */
#define ENTRIES_MAX	((size_t)1 << 25)

/* Returns NULL on error, with errno set. */
static void *map(int fd, uint64_t offset, size_t size)
{
	void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)offset);

	return start == MAP_FAILED ? NULL : start;
}

static size_t table_size(size_t count)
{
	const size_t per_page = page_size() / sizeof(struct twheel_word);

	return (count + per_page - 1) / per_page * page_size();
}

static size_t ring_entries(size_t count)
{
	size_t entries = page_size() / sizeof(struct twheel_event);

	while (entries < count)
		entries *= 2;
	return entries;
}

/*
 * Fills in the number of entries to map: all that exist, if an earlier mapping has fixed their
 * number. Returns -EINVAL if @wanted is too many, or 0 while none exist.
 */
static int entries_to_map(int fd, size_t wanted, bool ring, size_t *entries)
{
	struct twheel_info info;
	size_t existing;
	int ret = twheel_get_info(fd, &info);

	if (ret)
		return ret;
	existing = ring ? info.ring_entries : info.table_entries;
	*entries = existing ? existing : wanted;
	return wanted <= (existing ? existing : ENTRIES_MAX) && *entries ? 0 : -EINVAL;
}

/* Returns -EAGAIN if the table turns out to have another size. */
static int try_table(int fd, size_t size, struct twheel_table *table)
{
	void *start = map(fd, TWHEEL_MMAP_TABLE, size);
	struct twheel_info info;
	int ret;

	if (!start)
		return -errno;
	table->words = start;
	table->count = size / sizeof(struct twheel_word);
	ret = twheel_get_info(fd, &info);
	if (!ret && info.table_entries != table->count)
		/* Another thread has made the table meanwhile, with another size. */
		ret = -EAGAIN;
	if (ret)
		twheel_unmap_table(table);
	return ret;
}

API int twheel_map_table(int fd, size_t count, struct twheel_table *table)
{
	size_t entries;
	int ret;

	*table = (struct twheel_table){ 0 };
	do {
		ret = entries_to_map(fd, count, false, &entries);
		if (ret)
			return ret;
		ret = try_table(fd, table_size(entries), table);
	} while (ret == -EAGAIN);
	return ret;
}

API void twheel_unmap_table(struct twheel_table *table)
{
	if (table->words)
		munmap(table->words, table->count * sizeof(struct twheel_word));
	*table = (struct twheel_table){ 0 };
}

/* Returns -EAGAIN if the ring turns out to have another size. */
static int try_ring(int fd, size_t entries, struct twheel_events *events)
{
	const size_t size = page_size() + entries * sizeof(struct twheel_event);
	struct twheel_ring *ring = map(fd, TWHEEL_MMAP_RING, size);

	if (!ring)
		return -errno;
	if (ring->entries != entries) {
		/* Another thread has made the ring meanwhile, with another size. */
		munmap(ring, size);
		return -EAGAIN;
	}
	events->ring = ring;
	events->events = (const void *)((const char *)ring + ring->offset);
	events->mask = (uint32_t)entries - 1;
	events->size = size;
	return 0;
}

API int twheel_map_ring(int fd, size_t count, struct twheel_events *events)
{
	size_t entries;
	int ret;

	*events = (struct twheel_events){ 0 };
	do {
		ret = entries_to_map(fd, count, true, &entries);
		if (ret)
			return ret;
		ret = try_ring(fd, ring_entries(entries), events);
	} while (ret == -EAGAIN);
	return ret;
}

API void twheel_unmap_ring(struct twheel_events *events)
{
	if (events->ring)
		munmap(events->ring, events->size);
	*events = (struct twheel_events){ 0 };
}
