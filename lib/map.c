// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/* libtwheel: what the kernel shares by mmap() */
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"

/* The offset of the ring needs more than 32 bits. */
_Static_assert(sizeof(off_t) == 8, "_FILE_OFFSET_BITS");

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Above what there is room for; below what would overflow. */
#define TOO_MANY	((size_t)1 << 25)

/* NULL, with the error in errno. */
static void *map(int fd, uint64_t offset, size_t size)
{
	void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)offset);

	return place == MAP_FAILED ? NULL : place;
}

static size_t table_size(size_t count)
{
	const size_t in_page = page_size() / sizeof(struct twheel_word);

	return (count + in_page - 1) / in_page * page_size();
}

static size_t ring_entries(size_t count)
{
	size_t entries = page_size() / sizeof(struct twheel_event);

	while (entries < count)
		entries *= 2;
	return entries;
}

/*
 * How many to map, of which @there are already. None, if it is more than there are or
 * can be.
 */
static size_t how_many(size_t wanted, size_t there)
{
	if (there)
		return wanted <= there ? there : 0;
	return wanted <= TOO_MANY ? wanted : 0;
}

API int twheel_map_table(int fd, size_t count, struct twheel_table *table)
{
	struct twheel_info info;
	void *place;
	size_t size;
	int ret;

	*table = (struct twheel_table){ 0 };
	ret = twheel_get_info(fd, &info);
	if (ret)
		return ret;
	count = how_many(count, info.table_entries);
	if (!count)
		return -EINVAL;
	size = table_size(count);
	place = map(fd, TWHEEL_MMAP_TABLE, size);
	if (!place)
		return -errno;
	table->words = place;
	table->count = size / sizeof(struct twheel_word);
	return 0;
}

API void twheel_unmap_table(struct twheel_table *table)
{
	if (table->words)
		munmap(table->words, table->count * sizeof(struct twheel_word));
	*table = (struct twheel_table){ 0 };
}

static int try_ring(int fd, size_t entries, struct twheel_events *events)
{
	const size_t size = page_size() + entries * sizeof(struct twheel_event);
	struct twheel_ring *ring = map(fd, TWHEEL_MMAP_RING, size);

	if (!ring)
		return -errno;
	if (ring->entries != entries) {
		/* Another process has just made a larger one. */
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
	struct twheel_info info;
	size_t entries;
	int ret;

	*events = (struct twheel_events){ 0 };
	do {
		ret = twheel_get_info(fd, &info);
		if (ret)
			return ret;
		entries = how_many(count, info.ring_entries);
		if (!entries)
			return -EINVAL;
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
