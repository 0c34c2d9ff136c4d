/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binary heap of timers, as in most event loops. Each entry has a copy of the deadline, so that a
 * comparison follows no pointer. Who includes this file says how a timer knows its entry.
 */
#ifndef _BENCH_HEAP_H
#define _BENCH_HEAP_H

#include <stdint.h>

struct entry {
	uint64_t	expires;
	void		*timer;
};

/* Entry 0 is unused: entry i has the children 2 * i and 2 * i + 1. */
static struct entry *heap;
static uint32_t heap_size;

/* Tells a timer which entry it has. */
static void heap_note(void *timer, uint32_t i);

static void heap_set(uint32_t i, struct entry entry)
{
	heap[i] = entry;
	heap_note(entry.timer, i);
}

static void heap_up(uint32_t i, struct entry entry)
{
	for (; i > 1 && heap[i / 2].expires > entry.expires; i /= 2)
		heap_set(i, heap[i / 2]);
	heap_set(i, entry);
}

static void heap_down(uint32_t i, struct entry entry)
{
	uint32_t child;

	for (; (child = 2 * i) <= heap_size; i = child) {
		if (child < heap_size && heap[child + 1].expires < heap[child].expires)
			child++;
		if (heap[child].expires >= entry.expires)
			break;
		heap_set(i, heap[child]);
	}
	heap_set(i, entry);
}

static void heap_insert(void *timer, uint64_t expires)
{
	heap_up(++heap_size, (struct entry){ expires, timer });
}

static void heap_take_out(uint32_t i)
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
