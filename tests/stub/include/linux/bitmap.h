/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_BITMAP_H
#define _STUB_LINUX_BITMAP_H

#include <linux/bitops.h>
#include <linux/minmax.h>

static inline unsigned long find_next_bit(const unsigned long *map, unsigned long size,
					  unsigned long start)
{
	unsigned long word, bits, found;

	if (start >= size)
		return size;
	word = start / BITS_PER_LONG;
	bits = map[word] & (~0UL << (start % BITS_PER_LONG));
	while (!bits) {
		if (++word * BITS_PER_LONG >= size)
			return size;
		bits = map[word];
	}
	found = word * BITS_PER_LONG + __builtin_ctzl(bits);
	return found < size ? found : size;
}

static inline unsigned long find_first_bit(const unsigned long *map, unsigned long size)
{
	return find_next_bit(map, size, 0);
}

#endif /* _STUB_LINUX_BITMAP_H */
