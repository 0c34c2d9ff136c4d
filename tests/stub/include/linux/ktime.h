/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_KTIME_H
#define _STUB_LINUX_KTIME_H

#include <linux/types.h>

typedef s64 ktime_t;

#endif /* _STUB_LINUX_KTIME_H */
