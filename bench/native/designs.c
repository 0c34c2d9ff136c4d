// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: designs of a timer facility, to compare twheel's with
 *
 * The designs of Varghese and Lauck: a list that is scanned at every tick, a heap, a
 * wheel with a slot for every tick, and a hashed wheel whose timers count rounds. Each is as
 * fast as its design allows.
 */
#include <bsd/sys/queue.h>
#include "../user/heap.h"
#include "bench.h"

/* The most timers, and the ticks that the simple wheel covers: an hour. */
#define MOST		10000000U
#define HORIZON		3600001U
/* A common size of hashed wheels. */
#define HASHED_SLOTS	512U

/* A timer of the designs that are made of lists. */
struct node {
	LIST_ENTRY(node)	entry;
	union {
		uint64_t	expires;
		uint64_t	rounds;
	};
	fired_fn		fn;
};

LIST_HEAD(slot, node);

static void node_cancel(void *timer)
{
	struct node *t = timer;

	LIST_REMOVE(t, entry);
}

static void fire(struct node *t)
{
	LIST_REMOVE(t, entry);
	t->fn(t);
}

/* A list that is scanned at every tick */

static struct slot scanned;

static void scan_open(uint64_t now)
{
	LIST_INIT(&scanned);
}

static void scan_add(void *timer, uint64_t expires)
{
	struct node *t = timer;

	t->expires = expires;
	LIST_INSERT_HEAD(&scanned, t, entry);
}

static void scan_tick(uint64_t now)
{
	struct node *t, *next;

	LIST_FOREACH_SAFE(t, &scanned, entry, next)
		if (t->expires <= now)
			fire(t);
}

const struct peer design_scan = {
	.name	= "scan",
	.size	= sizeof(struct node),
	.fn	= offsetof(struct node, fn),
	.most	= 1000000,
	.open	= scan_open,
	.add	= scan_add,
	.cancel	= node_cancel,
	.tick	= scan_tick,
};

/* Binary heap */

struct heap_timer {
	uint32_t	index;
	fired_fn	fn;
};

static void heap_open(uint64_t now)
{
	static struct entry entries[MOST + 1];

	heap = entries;
	heap_size = 0;
}

static inline void heap_note(void *timer, size_t i)
{
	((struct heap_timer *)timer)->index = i;
}

static void heap_cancel(void *timer)
{
	heap_take_out(((struct heap_timer *)timer)->index);
}

static void heap_tick(uint64_t now)
{
	struct heap_timer *t;

	while (heap_size && heap[1].expires <= now) {
		t = heap[1].timer;
		heap_cancel(t);
		t->fn(t);
	}
}

const struct peer design_heap = {
	.name	= "heap",
	.size	= sizeof(struct heap_timer),
	.fn	= offsetof(struct heap_timer, fn),
	.beside	= sizeof(struct entry),
	.open	= heap_open,
	.add	= heap_insert,
	.cancel	= heap_cancel,
	.tick	= heap_tick,
};

/* Simple wheel: a slot for every tick up to the farthest deadline */

static struct slot simple[HORIZON];

static void simple_open(uint64_t now)
{
	uint32_t i;

	for (i = 0; i < HORIZON; i++)
		LIST_INIT(&simple[i]);
}

static void simple_add(void *timer, uint64_t expires)
{
	struct node *t = timer;

	LIST_INSERT_HEAD(&simple[expires % HORIZON], t, entry);
}

static void simple_tick(uint64_t now)
{
	struct slot *slot = &simple[now % HORIZON];

	while (!LIST_EMPTY(slot))
		fire(LIST_FIRST(slot));
}

const struct peer design_simple_wheel = {
	.name	= "simple_wheel",
	.size	= sizeof(struct node),
	.fn	= offsetof(struct node, fn),
	.fixed	= sizeof(simple),
	.open	= simple_open,
	.add	= simple_add,
	.cancel	= node_cancel,
	.tick	= simple_tick,
};

/* Hashed wheel: timers of all rounds share the slots */

static struct slot hashed[HASHED_SLOTS];
static uint64_t hashed_now;

static void hashed_open(uint64_t now)
{
	uint32_t i;

	hashed_now = now;
	for (i = 0; i < HASHED_SLOTS; i++)
		LIST_INIT(&hashed[i]);
}

static void hashed_add(void *timer, uint64_t expires)
{
	struct node *t = timer;

	t->rounds = (expires - hashed_now - 1) / HASHED_SLOTS;
	LIST_INSERT_HEAD(&hashed[expires % HASHED_SLOTS], t, entry);
}

static void hashed_tick(uint64_t now)
{
	struct node *t, *next;

	hashed_now = now;
	LIST_FOREACH_SAFE(t, &hashed[now % HASHED_SLOTS], entry, next)
		if (!t->rounds--)
			fire(t);
}

const struct peer design_hashed_wheel = {
	.name	= "hashed_wheel",
	.size	= sizeof(struct node),
	.fn	= offsetof(struct node, fn),
	.fixed	= sizeof(hashed),
	.open	= hashed_open,
	.add	= hashed_add,
	.cancel	= node_cancel,
	.tick	= hashed_tick,
};
