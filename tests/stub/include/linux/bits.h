/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_BITS_H
#define _STUB_LINUX_BITS_H

#define BITS_PER_LONG	(8 * (int)sizeof(long))
#define BIT(nr)		(1UL << (nr))
#define BITS_TO_LONGS(nr) (((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)

#endif /* _STUB_LINUX_BITS_H */
