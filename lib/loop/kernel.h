/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * libtwheel-loop: the names of the kernel that the wheel uses, for a program of one thread
 *
 * The compiler includes this file first, and the Makefile makes an empty file for each of the
 * kernel's headers. The guard below keeps the wheel from the module's header for old kernels.
 */
#ifndef _TWHEEL_LOOP_KERNEL_H
#define _TWHEEL_LOOP_KERNEL_H

#define _TWHEEL_COMPAT_H

/* There is one thread. */
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define EXPORT_SYMBOL_IF_KUNIT(symbol)

#include "kernel_base.h"

typedef struct { s64 counter; } atomic64_t;

#define atomic64_read(v)	((u64)(v)->counter)
#define atomic64_set(v, i)	((v)->counter = (s64)(i))
#define atomic64_try_cmpxchg_release(v, old, new) atomic64_try_cmpxchg(v, old, new)

/* Nothing changes @v between the caller's read and this. */
static inline bool atomic64_try_cmpxchg(atomic64_t *v, const s64 *old, u64 new)
{
	(void)old;
	v->counter = (s64)new;
	return true;
}

#endif /* _TWHEEL_LOOP_KERNEL_H */
