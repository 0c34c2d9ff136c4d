/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binary heap of timers, as in most event loops. Each entry has a copy of the deadline, so that a
 * comparison follows no pointer. Who includes this file says how a timer knows its entry.
 */
#ifndef _BENCH_HEAP_H
#define _BENCH_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct entry {
	uint64_t	expires;
	void		*timer;
};

/* Entry 0 is unused: entry i has the children 2 * i and 2 * i + 1. */
static struct entry *heap;
static size_t heap_size;

/* Tells a timer which entry it has. */
static inline void heap_note(void *timer, size_t i);

static inline void heap_set(struct entry *at, size_t i, struct entry entry)
{
	at[i] = entry;
	heap_note(entry.timer, i);
}

static void heap_up(size_t i, struct entry entry)
{
	struct entry *const at = heap;

	for (; i > 1 && at[i / 2].expires > entry.expires; i /= 2)
		heap_set(at, i, at[i / 2]);
	heap_set(at, i, entry);
}

static void heap_down(size_t i, struct entry entry)
{
	struct entry *const at = heap;
	const size_t size = heap_size;
	size_t child;

	for (; (child = 2 * i) <= size; i = child) {
		if (child < size && at[child + 1].expires < at[child].expires)
			child++;
		if (at[child].expires >= entry.expires)
			break;
		heap_set(at, i, at[child]);
	}
	heap_set(at, i, entry);
}

static void heap_insert(void *timer, uint64_t expires)
{
	heap_up(++heap_size, (struct entry){ expires, timer });
}

static void heap_take_out(size_t i)
{
	struct entry last = heap[heap_size--];

	if (i > heap_size)
		return;
	if (i > 1 && heap[i / 2].expires > last.expires)
		heap_up(i, last);
	else
		heap_down(i, last);
}

#endif /* _BENCH_HEAP_H */
