// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: memory that the kernel shares with a program
 *
 * The program may write to the pages at any time. So the kernel reads each value once,
 * and checks the value that it has read.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "twheel_compat.h"
#include "shared.h"

/**
 * twheel_shared_new - allocate pages to share
 * @size: The size in bytes, a multiple of the page size.
 *
 * Return: The zeroed memory, or %NULL.
 */
struct twheel_shared *twheel_shared_new(size_t size)
{
	unsigned long n, count = size >> PAGE_SHIFT;
	struct twheel_shared *shared;

	shared = kvzalloc(struct_size(shared, page, count), GFP_KERNEL_ACCOUNT);
	if (!shared)
		return NULL;
	for (n = 0; n < count; n++) {
		cond_resched();
		shared->page[n] = fatal_signal_pending(current) ? NULL :
				  alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!shared->page[n]) {
			twheel_shared_free(shared);
			return NULL;
		}
		shared->count++;
	}
	return shared;
}

/**
 * twheel_shared_free - free pages; mapped pages stay until they are unmapped
 * @shared: The memory, or %NULL.
 */
void twheel_shared_free(struct twheel_shared *shared)
{
	unsigned long n;

	if (!shared)
		return;
	for (n = 0; n < shared->count; n++)
		__free_page(shared->page[n]);
	kvfree(shared);
}

/**
 * twheel_shared_map - map pages into a program, from the first page on
 * @shared: The memory.
 * @vma: The mapping, no longer than the memory.
 *
 * Return: 0 or a negative errno.
 */
int twheel_shared_map(struct twheel_shared *shared, struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, shared->page, shared->count);
}
