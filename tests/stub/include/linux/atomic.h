/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_ATOMIC_H
#define _STUB_LINUX_ATOMIC_H

#include <linux/types.h>

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic64_set(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline bool atomic64_try_cmpxchg_release(atomic64_t *v, s64 *old, s64 new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#endif /* _STUB_LINUX_ATOMIC_H */
