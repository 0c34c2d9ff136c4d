// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: mmap() of the device
 */
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "twheel_compat.h"
#include "calls.h"
#include "quota.h"
#include "shared.h"

/* A word for every possible index. */
#define MAP_TABLE_MAX	((size_t)(TWHEEL_INDEX_MASK + 1) * sizeof(struct twheel_word))

static bool map_valid(const struct vm_area_struct *vma, u64 offset, size_t size)
{
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return false;
	if (offset == TWHEEL_MMAP_TABLE)
		return size <= MAP_TABLE_MAX;
	return offset == TWHEEL_MMAP_RING && size > PAGE_SIZE && size - PAGE_SIZE <= SZ_64M &&
	       is_power_of_2((size - PAGE_SIZE) / sizeof(struct twheel_event));
}

/* Frees pages that no program has mapped, and gives back what the user was charged for them. */
static void map_free(struct timer_set *set, struct twheel_shared *shared)
{
	unsigned long n;

	if (!shared)
		return;
	for (n = 0; n < shared->count && shared->page[n]; n++) {
		__free_page(shared->page[n]);
		cond_resched();
	}
	twheel_quota_uncharge(set->quota, QUOTA_PAGES, shared->count);
	kvfree(shared);
}

/* Charges for zeroed pages and allocates them. Returns them or an ERR_PTR(). */
static struct twheel_shared *map_new(struct timer_set *set, size_t size)
{
	unsigned long n, count = size >> PAGE_SHIFT;
	struct twheel_shared *shared;

	if (!twheel_quota_charge(set, QUOTA_PAGES, count))
		return ERR_PTR(-EDQUOT);
	shared = kvzalloc(struct_size(shared, page, count), GFP_KERNEL_ACCOUNT);
	if (!shared) {
		twheel_quota_uncharge(set->quota, QUOTA_PAGES, count);
		return ERR_PTR(-ENOMEM);
	}
	shared->count = count;
	for (n = 0; n < count; n++) {
		cond_resched();
		if (!fatal_signal_pending(current))
			shared->page[n] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!shared->page[n]) {
			map_free(set, shared);
			return ERR_PTR(-ENOMEM);
		}
	}
	return shared;
}

/* Returns the table or the ring. The first mapping of each decides its size. */
static struct twheel_shared *map_get(struct timer_set *set, u64 offset, size_t size)
{
	bool is_ring = offset == TWHEEL_MMAP_RING;
	struct twheel_shared **place = is_ring ? &set->ring : &set->table;
	struct twheel_shared *shared, *spare;

	/* Under the lock: a thread that sees the ring must find it initialised. */
	spin_lock_bh(&set->lock);
	shared = *place;
	spin_unlock_bh(&set->lock);
	if (shared)
		return shared;
	spare = map_new(set, size);
	if (!IS_ERR(spare) && !is_ring)
		twheel_table_init(spare);
	spin_lock_bh(&set->lock);
	/* Another thread may have created the memory, and so used up the quota. */
	shared = *place;
	if (!shared && !IS_ERR(spare)) {
		swap(shared, spare);
		WRITE_ONCE(*place, shared);
		if (is_ring)
			twheel_ring_init(set);
	}
	spin_unlock_bh(&set->lock);
	if (IS_ERR(spare))
		return shared ?: spare;
	map_free(set, spare);
	if (is_ring)
		twheel_deliver_to_ring(set);
	return shared;
}

/* mmap() of the device. Returns 0 or a negative errno. */
int twheel_map(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	size_t size = vma->vm_end - vma->vm_start;
	struct timer_set *set = file->private_data;
	struct twheel_shared *shared;
	u64 timers;

	/* On 32 bits, the kernel's 64-bit atomics may take a lock that programs cannot. */
	if (!IS_ENABLED(CONFIG_64BIT))
		return -EOPNOTSUPP;
	if (!map_valid(vma, offset, size))
		return -EINVAL;
	/*
	 * At most one page, and one event for each timer that the descriptor may hold: the memory
	 * stays until the open file is released.
	 */
	timers = min_t(u64, set->limit, twheel_quota_shown_limit(set));
	if (size > PAGE_ALIGN(timers * sizeof(struct twheel_event)) + PAGE_SIZE)
		return -EDQUOT;
	shared = map_get(set, offset, size);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	if (size > twheel_shared_size(shared))
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, shared->page, shared->count);
}

/* Frees the table and the ring. No program has a mapping of the set any more. */
void twheel_map_release(struct timer_set *set)
{
	map_free(set, set->table);
	map_free(set, set->ring);
}
