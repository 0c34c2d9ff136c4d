/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_PREFETCH_H
#define _STUB_LINUX_PREFETCH_H

#define prefetch(x)	__builtin_prefetch(x)

#endif /* _STUB_LINUX_PREFETCH_H */
