/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * libtwheel-loop: the names of the kernel that the wheel uses, for a program of one thread
 *
 * The compiler includes this file first, and the Makefile makes an empty file for each of the
 * kernel's headers. The guard below keeps the wheel from the module's header for old kernels.
 */
#ifndef _TWHEEL_LOOP_KERNEL_H
#define _TWHEEL_LOOP_KERNEL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define _TWHEEL_COMPAT_H

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define S64_MAX			INT64_MAX

/* The compiler */
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define ____cacheline_aligned	__attribute__((__aligned__(64)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define prefetch(p)		__builtin_prefetch(p)
#define OPTIMIZER_HIDE_VAR(x)	__asm__ ("" : "+r" (x))
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define EXPORT_SYMBOL_IF_KUNIT(symbol)

/* Arithmetic */
#define min_t(type, a, b)	({ type a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define max_t(type, a, b)	({ type c_ = (a), d_ = (b); c_ > d_ ? c_ : d_; })
#define min(a, b)		min_t(__typeof__((a) + (b)), a, b)
#define max(a, b)		max_t(__typeof__((a) + (b)), a, b)
#define clamp(v, low, high)	min_t(u64, max_t(u64, v, low), high)
#define DIV_ROUND_UP_ULL(n, d)	(((u64)(n) + (d) - 1) / (d))
#define div64_u64(n, d)		((n) / (d))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* Bits */
#define BITS_PER_LONG		(8 * sizeof(long))
#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BIT(n)			(1UL << (n))

static inline bool test_bit(unsigned int i, const unsigned long *map)
{
	return map[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] |= BIT(i % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] &= ~BIT(i % BITS_PER_LONG);
}

/* @size is a multiple of the bits of a word. */
static inline unsigned int find_next_bit(const unsigned long *map, unsigned int size,
					 unsigned int start)
{
	unsigned int i = start / BITS_PER_LONG;
	unsigned long mask = ~0UL << (start % BITS_PER_LONG);

	for (; i < size / BITS_PER_LONG; i++, mask = ~0UL)
		if (map[i] & mask)
			return i * BITS_PER_LONG + (unsigned int)__builtin_ctzl(map[i] & mask);
	return size;
}

#define find_first_bit(map, size) find_next_bit(map, size, 0)

/* Lists */
struct list_head { struct list_head *next, *prev; };

#define list_entry(p, type, member) \
	((type *)(void *)((char *)(p) - offsetof(type, member)))
#define list_first_entry(list, type, member) list_entry((list)->next, type, member)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	prev->next = next;
}

static inline void list_del(struct list_head *entry)
{
	__list_del(entry->prev, entry->next);
}

static inline void list_add_tail(struct list_head *entry, struct list_head *list)
{
	entry->next = list;
	entry->prev = list->prev;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	INIT_LIST_HEAD(from);
}

/* Atomic operations: there is one thread. */
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
