/* SPDX-License-Identifier: MIT */
#ifndef _POPULATE_H
#define _POPULATE_H

#include <linux/types.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23	/* Linux 5.14 */
#endif

/*
 * Allocate the pages of an array before its first use, so that the fast path takes no
 * page faults. This is an optimisation only: if it fails, the pages come on demand.
 */
static inline void populate(void *start, size_t size)
{
	const __u64 page = 4096, first = ((__u64)(unsigned long)start + page - 1) & -page;
	const __u64 end = ((__u64)(unsigned long)start + size) & -page;

	if (first < end)
		madvise((void *)(unsigned long)first, end - first, MADV_POPULATE_WRITE);
}

#endif /* _POPULATE_H */
