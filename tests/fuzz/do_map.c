// SPDX-License-Identifier: GPL-2.0
/*
 * What is done with memory that is shared with the device.
 */
#include <errno.h>
#include <linux/twheel.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "world.h"

static pthread_t storm;

static struct mapping *map_of(__u64 slot)
{
	return &world.map[slot % MAPS];
}

/* What is unmapped when the program is over. */
enum { GRAVES = 64 };

static struct {
	char	*at;
	size_t	size;
} grave[GRAVES];
static atomic_uint graves;

static void remember(char *at, size_t size)
{
	const unsigned int n = atomic_fetch_add(&graves, 1);

	if (n < GRAVES) {
		grave[n].at = at;
		grave[n].size = size;
	}
}

/*
 * Nothing else is to get the addresses while other threads may still write to
 * them: what is no longer mapped becomes a hole that nobody can fill.
 */
static void *make_hole(char *at, size_t size)
{
	return mmap(at, size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

static void bury(char *at, size_t size)
{
	make_hole(at, size);
	remember(at, size);
}

static void forget(struct mapping *map)
{
	char *at = atomic_exchange(&map->at, NULL);

	if (at)
		bury(at, map->size);
}

long do_mmap(const __u64 *arg)
{
	struct mapping *map = map_of(arg[0]);
	const size_t size = arg[3] * PAGE;
	long at;

	/* Only where there is nothing yet: no other flags are let through. */
	at = SYS(mmap(NULL, size, arg[4] & (PROT_READ | PROT_WRITE | PROT_EXEC),
		      arg[5] & (MAP_SHARED | MAP_PRIVATE | MAP_POPULATE |
				MAP_LOCKED | MAP_NORESERVE),
		      file_of(arg[1]), arg[2]));
	if (at < 0 && at > -4096)
		return at;
	forget(map);
	map->size = size;
	map->at = (char *)at;
	return 0;
}

/* A part of a mapping; an empty one if it is not inside. */
static size_t part_of(const struct mapping *map, __u64 from, __u64 pages, char **at)
{
	const size_t size = map->size / PAGE;

	*at = map->at;
	if (!*at || from >= size || pages > size - from)
		return 0;
	*at += from * PAGE;
	return pages * PAGE;
}

long do_munmap(const __u64 *arg)
{
	char *at;
	const size_t size = part_of(map_of(arg[0]), arg[1], arg[2], &at);

	return size ? SYS(make_hole(at, size)) < 0 : -EINVAL;
}

long do_mprotect(const __u64 *arg)
{
	char *at;
	const size_t size = part_of(map_of(arg[0]), arg[1], arg[2], &at);

	return size ? SYS(mprotect(at, size, arg[3] & 7)) : -EINVAL;
}

/* Where a mapping was, or the end of it, there is a hole now. */
static void fill_up(char *at, size_t size, char *to, size_t new_size, int flags)
{
	if (to == at && new_size < size)
		bury(at + new_size, size - new_size);
	else if (to != at && flags & MREMAP_DONTUNMAP)
		remember(at, size);
	else if (to != at)
		bury(at, size);
}

long do_mremap(const __u64 *arg)
{
	const int flags = arg[3] & (MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	struct mapping *map = map_of(arg[0]);
	size_t size, new_size = arg[2] * PAGE;
	char *at;
	long to;

	if (!part_of(map, arg[1], 1, &at) || arg[2] > 64)
		return -EINVAL;
	/* The rest of it. */
	size = map->size - arg[1] * PAGE;
	to = SYS(mremap(at, size, new_size, flags));
	if (to < 0 && to > -4096)
		return to;
	fill_up(at, size, (char *)to, new_size, flags);
	if (!arg[1]) {
		map->size = new_size;
		map->at = (char *)to;
	} else if ((char *)to != at) {
		bury((char *)to, new_size);
	}
	return 0;
}

long do_madvise(const __u64 *arg)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_REMOVE,
		MADV_WILLNEED, MADV_FREE, MADV_COLD, MADV_PAGEOUT,
		MADV_POPULATE_WRITE, MADV_MERGEABLE,
	};
	const struct mapping *map = map_of(arg[0]);
	char *at = map->at;

	if (!at)
		return -EINVAL;
	return SYS(madvise(at, map->size, advice[arg[1] % ARRAY_SIZE(advice)]));
}

static bool store(const struct mapping *map, size_t at, __u64 value)
{
	char *start = map->at;

	return start && at + sizeof(value) <= map->size &&
	       copy_guarded(start + at, &value, sizeof(value));
}

long do_store(const __u64 *arg)
{
	return store(map_of(arg[0]), arg[1],
		     time_of(arg[2], 1)) ? 0 : -EFAULT;
}

/* The compare-and-exchange of a heartbeat, by the rules. */
static long push(struct twheel_word *word, __u64 handle, __u64 deadline)
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

long do_push(const __u64 *arg)
{
	const struct mapping *map = map_of(arg[0]);
	const __u64 handle = handle_of(arg[1]);
	const size_t at = TWHEEL_INDEX(handle) * sizeof(struct twheel_word);
	char *start = map->at;
	sigjmp_buf here;
	long ret;

	if (!start || at + sizeof(struct twheel_word) > map->size)
		return -EINVAL;
	if (sigsetjmp(here, 0)) {
		on_fault = NULL;
		return -EFAULT;
	}
	expect_fault(&here);
	ret = push((void *)(start + at), handle, time_of(arg[2], 1));
	expect_fault(NULL);
	return ret;
}

/* Says that so many events of a ring were consumed; more than there are, maybe. */
long do_consume(const __u64 *arg)
{
	struct mapping *map = map_of(arg[0]);
	struct twheel_ring ring;

	if (!map->at || !copy_guarded(&ring, map->at, sizeof(ring)))
		return -EFAULT;
	if (arg[1] < 65536 && ring.tail - ring.head < arg[1])
		ring.head = ring.tail;
	else
		ring.head += arg[1];
	if (!store(map, offsetof(struct twheel_ring, head), ring.head))
		return -EFAULT;
	return ring.flags;
}

static void *write_garbage(void *data)
{
	const __u64 *arg = data;
	__u64 seed = arg[1];
	const struct mapping *map = map_of(arg[0]);

	while (world.storm) {
		seed = mix(seed, 1);
		store(map, seed % 256 * 8,
		      seed >> 60 ? time_of(NOW + (seed >> 8) % 40000000, 1) :
		      mix(seed, 2));
	}
	return NULL;
}

long do_storm(const __u64 *arg)
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

void storm_stop(void)
{
	bool yes = true;

	if (atomic_compare_exchange_strong(&world.storm, &yes, false))
		pthread_join(storm, NULL);
}

void unmap_all(void)
{
	unsigned int n;

	for (n = 0; n < MAPS; n++)
		forget(&world.map[n]);
	for (n = 0; n < graves && n < GRAVES; n++)
		munmap(grave[n].at, grave[n].size);
	graves = 0;
}
