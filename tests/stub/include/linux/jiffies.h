/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_JIFFIES_H
#define _STUB_LINUX_JIFFIES_H

#include <linux/types.h>

/* A program that calls what reads the time defines it. */
u64 get_jiffies_64(void);

#endif /* _STUB_LINUX_JIFFIES_H */
