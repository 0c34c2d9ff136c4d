// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: mmap() of the device
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include "deliver.h"
#include "map.h"
#include "quota.h"
#include "ring.h"
#include "shared.h"
#include "table.h"

/* A word for every possible index. */
#define MAP_TABLE_MAX	((size_t)(TWHEEL_INDEX_MASK + 1) * sizeof(struct twheel_word))

static bool map_size_valid(u64 offset, size_t size)
{
	if (offset == TWHEEL_MMAP_RING)
		return twheel_ring_valid(size);
	return size <= MAP_TABLE_MAX;
}

/* Returns the size of one page, and of one event for each of @timers timers. */
static u64 map_size_of(u64 timers)
{
	return PAGE_ALIGN(timers * sizeof(struct twheel_event)) + PAGE_SIZE;
}

/*
 * Whether the size is at most one page, and one event for each timer that the descriptor
 * may hold. The memory stays until the open file is released.
 */
static bool map_size_allowed(const struct timer_set *set, size_t size)
{
	return size <= map_size_of(min_t(u64, set->limit, twheel_quota_shown_limit(set)));
}

static void map_free(struct timer_set *set, struct twheel_shared *shared)
{
	if (!shared)
		return;
	twheel_quota_uncharge(set->quota, QUOTA_PAGES,
				    twheel_shared_size(shared) >> PAGE_SHIFT);
	twheel_shared_free(shared);
}

static struct twheel_shared *map_new(struct timer_set *set, size_t size)
{
	unsigned int pages = size >> PAGE_SHIFT;
	struct twheel_shared *shared;

	if (!twheel_quota_charge(set, QUOTA_PAGES, pages))
		return ERR_PTR(-EDQUOT);
	shared = twheel_shared_new(size);
	if (shared)
		return shared;
	twheel_quota_uncharge(set->quota, QUOTA_PAGES, pages);
	return ERR_PTR(-ENOMEM);
}

/* Returns the table or the ring. The first mapping of each decides its size. */
static struct twheel_shared *map_get(struct timer_set *set, u64 offset, size_t size)
{
	bool is_ring = offset == TWHEEL_MMAP_RING;
	struct twheel_shared **place = is_ring ? &set->ring : &set->table;
	struct twheel_shared *shared, *spare;

	/* Under the lock: a thread that sees the ring must find it initialised. */
	timer_set_lock(set);
	shared = *place;
	timer_set_unlock(set);
	if (shared)
		return shared;
	spare = map_new(set, size);
	if (IS_ERR(spare)) {
		/* Another thread may have created the memory, and so used up the quota. */
		timer_set_lock(set);
		shared = *place;
		timer_set_unlock(set);
		return shared ? shared : spare;
	}
	if (!is_ring)
		twheel_table_init(spare);
	timer_set_lock(set);
	if (!*place) {
		WRITE_ONCE(*place, spare);
		spare = NULL;
		if (is_ring)
			twheel_ring_init(set);
	}
	shared = *place;
	timer_set_unlock(set);
	map_free(set, spare);
	if (is_ring)
		twheel_deliver_to_ring(set);
	return shared;
}

/**
 * twheel_map - mmap() of the device
 * @file: The file.
 * @vma: The mapping.
 *
 * Return: 0 or a negative errno.
 */
int twheel_map(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	size_t size = vma->vm_end - vma->vm_start;
	struct timer_set *set = file->private_data;
	struct twheel_shared *shared;

	/* On 32 bits, the kernel's 64-bit atomics may take a lock that programs cannot. */
	if (!IS_ENABLED(CONFIG_64BIT))
		return -EOPNOTSUPP;
	if (offset != TWHEEL_MMAP_TABLE && offset != TWHEEL_MMAP_RING)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    !map_size_valid(offset, size))
		return -EINVAL;
	if (!map_size_allowed(set, size))
		return -EDQUOT;
	shared = map_get(set, offset, size);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	if (size > twheel_shared_size(shared))
		return -EINVAL;
	return twheel_shared_map(shared, vma);
}

/**
 * twheel_map_release - free the table and the ring
 * @set: The set. No program has a mapping of it any more.
 */
void twheel_map_release(struct timer_set *set)
{
	map_free(set, set->table);
	map_free(set, set->ring);
}
