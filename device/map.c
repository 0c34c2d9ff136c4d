// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: mmap() of the device
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include "timer_set.h"
#include "shared.h"

/* A word for every index that there can be. */
#define TABLE_MAX	((size_t)(INDEX_MASK + 1) * sizeof(struct twheel_word))

static bool size_valid(u64 offset, size_t size)
{
	if (offset == TWHEEL_MMAP_RING)
		return twheel_ring_valid(size);
	return size <= TABLE_MAX;
}

/*
 * Not more than what the timers take that the descriptor may hold; but a page for
 * everybody. The memory stays as long as the descriptor.
 */
static bool size_allowed(const struct timer_set *set, size_t size)
{
	u64 timers = min(set->limit, twheel_quota_limit(set->limited));

	return size <= PAGE_ALIGN(timers * sizeof(struct twheel_event)) + PAGE_SIZE;
}

static void free_shared(struct timer_set *set, struct twheel_shared *shared)
{
	if (!shared)
		return;
	twheel_quota_uncharge_pages(set->quota,
				    twheel_shared_size(shared) >> PAGE_SHIFT);
	twheel_shared_free(shared);
}

static struct twheel_shared *new_shared(struct timer_set *set, size_t size)
{
	unsigned int pages = size >> PAGE_SHIFT;
	struct twheel_shared *shared;

	if (!twheel_quota_charge_pages(set->quota, set->limited, pages))
		return ERR_PTR(-EDQUOT);
	shared = twheel_shared_new(size);
	if (shared)
		return shared;
	twheel_quota_uncharge_pages(set->quota, pages);
	return ERR_PTR(-ENOMEM);
}

/*
 * What the set shares at @offset. The first to ask for it says how large it is.
 */
static struct twheel_shared *get_shared(struct timer_set *set, u64 offset,
					size_t size)
{
	bool is_ring = offset == TWHEEL_MMAP_RING;
	struct twheel_shared **place = is_ring ? &set->ring : &set->table;
	struct twheel_shared *shared, *spare;

	/* With the lock, so that a ring is seen when it is ready. */
	lock_set(set);
	shared = *place;
	unlock_set(set);
	if (shared)
		return shared;
	spare = new_shared(set, size);
	if (IS_ERR(spare)) {
		/* Another thread may have been faster, and have taken the rest. */
		lock_set(set);
		shared = *place;
		unlock_set(set);
		return shared ? shared : spare;
	}
	if (!is_ring)
		twheel_table_init(spare);
	lock_set(set);
	if (!*place) {
		WRITE_ONCE(*place, spare);
		spare = NULL;
		if (is_ring)
			twheel_ring_init(set);
	}
	shared = *place;
	unlock_set(set);
	free_shared(set, spare);
	if (is_ring)
		twheel_event_to_ring(set);
	return shared;
}

/**
 * twheel_map - mmap() of the device
 * @file: The file.
 * @vma: What is asked for.
 *
 * Return: 0 or an error.
 */
int twheel_map(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	size_t size = vma->vm_end - vma->vm_start;
	struct timer_set *set = file->private_data;
	struct twheel_shared *shared;

	/* What programs write there has to be what the kernel reads. */
	if (!IS_ENABLED(CONFIG_64BIT))
		return -EOPNOTSUPP;
	if (offset != TWHEEL_MMAP_TABLE && offset != TWHEEL_MMAP_RING)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    !size_valid(offset, size))
		return -EINVAL;
	if (!size_allowed(set, size))
		return -EDQUOT;
	shared = get_shared(set, offset, size);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	if (size > twheel_shared_size(shared))
		return -EINVAL;
	return twheel_shared_map(shared, vma);
}

/**
 * twheel_map_release - free what a set shares
 * @set: The set; nothing is mapped any more.
 */
void twheel_map_release(struct timer_set *set)
{
	free_shared(set, set->table);
	free_shared(set, set->ring);
}
