// SPDX-License-Identifier: GPL-2.0
/*
 * The calls on memory that is shared with the device.
 */
#include <pthread.h>

#include "world.h"

static pthread_t storm;

static struct mapping *mapping_of(__u64 slot)
{
	return &world.map[slot % WORLD_MAPS];
}

/* Address ranges to unmap when the program is over. */
enum { MAX_RESERVED = 64 };

static struct {
	char	*at;
	size_t	size;
} reserved[MAX_RESERVED];
static atomic_uint reserved_count;

static void unmap_later(char *at, size_t size)
{
	const unsigned int n = atomic_fetch_add(&reserved_count, 1);

	if (n < MAX_RESERVED) {
		reserved[n].at = at;
		reserved[n].size = size;
	}
}

/*
 * Other threads may still write to a range that is unmapped. So the range becomes an
 * inaccessible mapping, and the kernel cannot give its addresses to anything else.
 */
static void *make_hole(char *at, size_t size)
{
	return mmap(at, size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

static void replace_by_hole(char *at, size_t size)
{
	make_hole(at, size);
	unmap_later(at, size);
}

static void drop_mapping(struct mapping *map)
{
	char *at = atomic_exchange(&map->at, NULL);

	if (at)
		replace_by_hole(at, map->size);
}

long do_map_mmap(const __u64 *arg)
{
	struct mapping *map = mapping_of(arg[0]);
	const size_t size = arg[3] * MEMORY_PAGE;
	long at;

	/* No MAP_FIXED: a mapping must not replace another one. */
	at = SYSCALL(mmap(NULL, size, arg[4] & (PROT_READ | PROT_WRITE | PROT_EXEC),
			  arg[5] & (MAP_SHARED | MAP_PRIVATE | MAP_POPULATE |
				    MAP_LOCKED | MAP_NORESERVE),
			  world_file(arg[1]), arg[2]));
	if (at < 0 && at > -4096)
		return at;
	drop_mapping(map);
	map->size = size;
	map->at = (char *)at;
	return 0;
}

/* Part of a mapping, from page @from on. Returns its size, or 0 if it is not inside. */
static size_t part_of(const struct mapping *map, __u64 from, __u64 pages, char **at)
{
	const size_t size = map->size / MEMORY_PAGE;

	*at = map->at;
	if (!*at || from >= size || pages > size - from)
		return 0;
	*at += from * MEMORY_PAGE;
	return pages * MEMORY_PAGE;
}

long do_map_munmap(const __u64 *arg)
{
	char *at;
	const size_t size = part_of(mapping_of(arg[0]), arg[1], arg[2], &at);

	return size ? SYSCALL(make_hole(at, size)) < 0 : -EINVAL;
}

long do_map_mprotect(const __u64 *arg)
{
	char *at;
	const size_t size = part_of(mapping_of(arg[0]), arg[1], arg[2], &at);

	return size ? SYSCALL(mprotect(at, size, arg[3] & 7)) : -EINVAL;
}

/* After mremap(), make a hole of the addresses that the mapping has left. */
static void fill_hole(char *at, size_t size, char *to, size_t new_size, int flags)
{
	if (to == at && new_size < size)
		replace_by_hole(at + new_size, size - new_size);
	else if (to != at && flags & MREMAP_DONTUNMAP)
		unmap_later(at, size);
	else if (to != at)
		replace_by_hole(at, size);
}

long do_map_mremap(const __u64 *arg)
{
	const int flags = arg[3] & (MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	struct mapping *map = mapping_of(arg[0]);
	size_t size, new_size = arg[2] * MEMORY_PAGE;
	char *at;
	long to;

	if (!part_of(map, arg[1], 1, &at) || arg[2] > 64)
		return -EINVAL;
	/* From the page to the end of the mapping. */
	size = map->size - arg[1] * MEMORY_PAGE;
	to = SYSCALL(mremap(at, size, new_size, flags));
	if (to < 0 && to > -4096)
		return to;
	fill_hole(at, size, (char *)to, new_size, flags);
	if (!arg[1]) {
		map->size = new_size;
		map->at = (char *)to;
	} else if ((char *)to != at) {
		replace_by_hole((char *)to, new_size);
	}
	return 0;
}

long do_map_madvise(const __u64 *arg)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_REMOVE,
		MADV_WILLNEED, MADV_FREE, MADV_COLD, MADV_PAGEOUT,
		MADV_POPULATE_WRITE, MADV_MERGEABLE,
	};
	const struct mapping *map = mapping_of(arg[0]);
	char *at = map->at;

	if (!at)
		return -EINVAL;
	return SYSCALL(madvise(at, map->size, advice[arg[1] % ARRAY_SIZE(advice)]));
}

static bool store_at(const struct mapping *map, size_t at, __u64 value)
{
	char *start = map->at;

	return start && at + sizeof(value) <= map->size &&
	       memory_copy(start + at, &value, sizeof(value));
}

long do_map_store(const __u64 *arg)
{
	return store_at(mapping_of(arg[0]), arg[1],
			world_time(arg[2], 1)) ? 0 : -EFAULT;
}

/* A heartbeat: the compare-and-exchange that twheel.h describes. */
static long push_deadline(struct twheel_word *word, __u64 handle, __u64 deadline)
{
	__u64 seen = __atomic_load_n(&word->deadline, __ATOMIC_ACQUIRE);

	if (seen & TWHEEL_WORD_CLOSED ||
	    __atomic_load_n(&word->handle, __ATOMIC_RELAXED) != handle)
		return 1;
	if (deadline <= seen)
		return 2;
	return !__atomic_compare_exchange_n(&word->deadline, &seen, deadline, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

long do_map_push(const __u64 *arg)
{
	const struct mapping *map = mapping_of(arg[0]);
	const __u64 handle = world_handle(arg[1]);
	const size_t at = TWHEEL_INDEX(handle) * sizeof(struct twheel_word);
	char *start = map->at;
	sigjmp_buf here;
	long ret;

	if (!start || at + sizeof(struct twheel_word) > map->size)
		return -EINVAL;
	if (sigsetjmp(here, 0)) {
		memory_on_fault = NULL;
		return -EFAULT;
	}
	memory_expect_fault(&here);
	ret = push_deadline((void *)(start + at), handle, world_time(arg[2], 1));
	memory_expect_fault(NULL);
	return ret;
}

/* Advance the head of a ring, possibly beyond its tail. */
long do_map_consume(const __u64 *arg)
{
	struct mapping *map = mapping_of(arg[0]);
	struct twheel_ring ring;

	if (!map->at || !memory_copy(&ring, map->at, sizeof(ring)))
		return -EFAULT;
	if (arg[1] < 65536 && ring.tail - ring.head < arg[1])
		ring.head = ring.tail;
	else
		ring.head += arg[1];
	if (!store_at(map, offsetof(struct twheel_ring, head), ring.head))
		return -EFAULT;
	return ring.flags;
}

static void *write_garbage(void *data)
{
	const __u64 *arg = data;
	__u64 seed = arg[1];
	const struct mapping *map = mapping_of(arg[0]);

	while (world.storm) {
		seed = random_mix(seed, 1);
		store_at(map, seed % 256 * 8,
			 seed >> 60 ? world_time(ARG_NOW + (seed >> 8) % 40000000, 1) :
			 random_mix(seed, 2));
	}
	return NULL;
}

long do_map_storm(const __u64 *arg)
{
	static __u64 copy[2];
	bool no = false;

	if (!atomic_compare_exchange_strong(&world.storm, &no, true))
		return -EBUSY;
	memcpy(copy, arg, sizeof(copy));
	if (!pthread_create(&storm, NULL, write_garbage, copy))
		return 0;
	world.storm = false;
	return -EAGAIN;
}

void do_map_stop_storm(void)
{
	bool yes = true;

	if (atomic_compare_exchange_strong(&world.storm, &yes, false))
		pthread_join(storm, NULL);
}

void do_map_unmap_all(void)
{
	unsigned int n;

	for (n = 0; n < WORLD_MAPS; n++)
		drop_mapping(&world.map[n]);
	for (n = 0; n < reserved_count && n < MAX_RESERVED; n++)
		munmap(reserved[n].at, reserved[n].size);
	reserved_count = 0;
}
