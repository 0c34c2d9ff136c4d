/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * The names of the kernel that any program needs in which the wheel runs: types, the compiler,
 * arithmetic, bits and lists. Who includes this file has defined READ_ONCE() and WRITE_ONCE().
 */
#ifndef _TWHEEL_LOOP_KERNEL_BASE_H
#define _TWHEEL_LOOP_KERNEL_BASE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;

#define U32_MAX			UINT32_MAX
#define U64_MAX			(~0ULL)
#define S64_MAX			((s64)(U64_MAX >> 1))

/* The compiler */
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define ____cacheline_aligned	__attribute__((__aligned__(64)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define prefetch(p)		__builtin_prefetch(p)
#define OPTIMIZER_HIDE_VAR(x)	__asm__ ("" : "+r" (x))
#define container_of(p, type, member) \
	((type *)(void *)((char *)(p) - offsetof(type, member)))

/* Arithmetic */
#define min_t(type, a, b)	({ type a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define max_t(type, a, b)	({ type c_ = (a), d_ = (b); c_ > d_ ? c_ : d_; })
#define min(a, b)		min_t(__typeof__((a) + (b)), a, b)
#define max(a, b)		max_t(__typeof__((a) + (b)), a, b)
#define clamp(v, low, high)	min(max((__typeof__(v))(v), (__typeof__(v))(low)), \
				    (__typeof__(v))(high))
#define DIV_ROUND_UP_ULL(n, d)	(((u64)(n) + (d) - 1) / (d))
#define div64_u64(n, d)		((u64)(n) / (d))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* Bits */
#define BITS_PER_LONG		__LONG_WIDTH__
#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BIT(n)			(1UL << (n))

static inline bool test_bit(unsigned int i, const unsigned long *map)
{
	return READ_ONCE(map[i / BITS_PER_LONG]) >> (i % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] |= BIT(i % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] &= ~BIT(i % BITS_PER_LONG);
}

static inline unsigned int find_next_bit(const unsigned long *map, unsigned int size,
					 unsigned int start)
{
	unsigned long word;

	for (; start < size; start = (start / BITS_PER_LONG + 1) * BITS_PER_LONG) {
		word = map[start / BITS_PER_LONG] >> (start % BITS_PER_LONG);
		if (word)
			return min(start + (unsigned int)__builtin_ctzl(word), size);
	}
	return size;
}

#define find_next_bit_wrap(map, size, start) ({					\
	unsigned int _i = find_next_bit(map, size, start);			\
										\
	_i < (size) ? _i : find_next_bit(map, size, 0); })

/* Lists */
struct list_head { struct list_head *next, *prev; };

#define list_entry(p, type, member) container_of(p, type, member)
#define list_first_entry(list, type, member) list_entry((list)->next, type, member)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return READ_ONCE(list->next) == list;
}

static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	WRITE_ONCE(prev->next, next);
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

#endif /* _TWHEEL_LOOP_KERNEL_BASE_H */
