/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_CACHE_H
#define _STUB_LINUX_CACHE_H

#define ____cacheline_aligned	__attribute__((__aligned__(64)))

#endif /* _STUB_LINUX_CACHE_H */
