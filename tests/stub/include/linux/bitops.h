/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_BITOPS_H
#define _STUB_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline void __set_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] |= BIT(nr % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] &= ~BIT(nr % BITS_PER_LONG);
}

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;
}

#endif /* _STUB_LINUX_BITOPS_H */
