/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: memory that the kernel shares with a program
 */
#ifndef _TWHEEL_DEVICE_SHARED_H
#define _TWHEEL_DEVICE_SHARED_H

#include <linux/mm.h>

/**
 * struct twheel_shared - pages that a program may map
 * @count: How many pages.
 * @page: The pages.
 */
struct twheel_shared {
	unsigned long	count;
	struct page	*page[];
};

struct twheel_shared *twheel_shared_new(size_t size);
void twheel_shared_free(struct twheel_shared *shared);
int twheel_shared_map(struct twheel_shared *shared, struct vm_area_struct *vma);

static inline size_t twheel_shared_size(const struct twheel_shared *shared)
{
	return shared->count << PAGE_SHIFT;
}

/* Returns the kernel's address of @offset. An object there must not cross a page. */
static inline void *twheel_shared_at(const struct twheel_shared *shared,
				     size_t offset)
{
	return page_address(shared->page[offset >> PAGE_SHIFT]) +
	       offset_in_page(offset);
}

#endif /* _TWHEEL_DEVICE_SHARED_H */
