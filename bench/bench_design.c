// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: five designs of a timer facility
 *
 * The designs of Varghese and Lauck: a list that is scanned at every tick, a heap, a
 * wheel with a slot for every tick, a hashed wheel whose timers count rounds, and a
 * hierarchy of wheels: twheel's. Each is as fast as its design allows.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "../twheel_compat.h"
#include "../twheel_core.h"
#include "bench_design.h"

static struct bench_node *node_of(const struct bench_op *op)
{
	return &op->object->node;
}

/* As in <linux/list.h>, but without CONFIG_DEBUG_LIST's checks: twheel has none. */
static void link_tail(struct list_head *entry, struct list_head *list)
{
	entry->next = list;
	entry->prev = list->prev;
	list->prev->next = entry;
	list->prev = entry;
}

static void unlink(struct list_head *entry)
{
	__list_del(entry->prev, entry->next);
}

/* For all designs that are made of lists. */
static u32 cancel_linked(const struct bench_op *op, const struct bench_base *base)
{
	unlink(&node_of(op)->entry);
	return 1;
}

BENCH_PASS(cancel_linked_pass, cancel_linked)

/* A list that is scanned at every tick */

static LIST_HEAD(scan_list);

static int scan_init(u32 n)
{
	INIT_LIST_HEAD(&scan_list);
	return 0;
}

static void no_exit(void)
{
}

static inline u32 scan_add(const struct bench_op *op, const struct bench_base *base)
{
	node_of(op)->deadline = base->tick + op->deadline;
	link_tail(&node_of(op)->entry, &scan_list);
	return 1;
}

BENCH_PASS(scan_add_pass, scan_add)

static u32 scan_tick(u64 now)
{
	struct bench_node *node, *next;
	u32 due = 0;

	list_for_each_entry_safe(node, next, &scan_list, entry) {
		if (node->deadline <= now) {
			unlink(&node->entry);
			due++;
		}
	}
	return due;
}

static u64 scan_bytes(u32 n)
{
	return (u64)n * offsetof(struct bench_node, rounds);
}

/*
 * Binary heap. Entries have a copy of the deadline, so that a timer moves up and down
 * without a look at other objects.
 */

struct heap_entry {
	u64			deadline;
	struct bench_node	*node;
};

static struct bench_area heap;
static u32 heap_size;

static int heap_init(u32 n)
{
	heap_size = 0;
	return bench_area_init(&heap, n + 1ULL, sizeof(struct heap_entry));
}

static void heap_exit(void)
{
	bench_area_exit(&heap);
}

static struct heap_entry *heap_at(u32 i)
{
	return bench_at(&heap, i, sizeof(struct heap_entry));
}

static void heap_set(u32 i, struct heap_entry entry)
{
	*heap_at(i) = entry;
	entry.node->index = i;
}

/* Entry 0 is unused. */
static void heap_up(u32 i, struct heap_entry entry)
{
	for (; i > 1 && heap_at(i / 2)->deadline > entry.deadline; i /= 2)
		heap_set(i, *heap_at(i / 2));
	heap_set(i, entry);
}

static void heap_down(u32 i, struct heap_entry entry)
{
	u32 child;

	for (; (child = 2 * i) <= heap_size; i = child) {
		if (child < heap_size &&
		    heap_at(child + 1)->deadline < heap_at(child)->deadline)
			child++;
		if (heap_at(child)->deadline >= entry.deadline)
			break;
		heap_set(i, *heap_at(child));
	}
	heap_set(i, entry);
}

static void heap_remove(u32 i)
{
	struct heap_entry last = *heap_at(heap_size--);

	if (i > heap_size)
		return;
	if (i > 1 && heap_at(i / 2)->deadline > last.deadline)
		heap_up(i, last);
	else
		heap_down(i, last);
}

static inline u32 heap_add(const struct bench_op *op, const struct bench_base *base)
{
	struct heap_entry entry = {
		.deadline = base->tick + op->deadline,
		.node = node_of(op),
	};

	heap_up(++heap_size, entry);
	return 1;
}

BENCH_PASS(heap_add_pass, heap_add)

static inline u32 heap_cancel(const struct bench_op *op,
			      const struct bench_base *base)
{
	heap_remove(node_of(op)->index);
	return 1;
}

BENCH_PASS(heap_cancel_pass, heap_cancel)

static u32 heap_tick(u64 now)
{
	u32 due = 0;

	while (heap_size && heap_at(1)->deadline <= now) {
		heap_remove(1);
		due++;
	}
	return due;
}

static u64 heap_bytes(u32 n)
{
	return (u64)n * (sizeof(struct heap_entry) + sizeof(u64));
}

/* Simple wheel: a slot for every tick up to the farthest deadline */

static struct bench_area slots;

static struct list_head *slot_at(u64 tick)
{
	return bench_at(&slots, tick % (DESIGN_HORIZON + 1),
			sizeof(struct list_head));
}

static int simple_init(u32 n)
{
	int ret = bench_area_init(&slots, DESIGN_HORIZON + 1,
				  sizeof(struct list_head));
	u32 i;

	for (i = 0; !ret && i <= DESIGN_HORIZON; i++)
		INIT_LIST_HEAD(slot_at(i));
	return ret;
}

static void simple_exit(void)
{
	bench_area_exit(&slots);
}

static inline u32 simple_add(const struct bench_op *op,
			     const struct bench_base *base)
{
	node_of(op)->deadline = base->tick + op->deadline;
	link_tail(&node_of(op)->entry, slot_at(node_of(op)->deadline));
	return 1;
}

BENCH_PASS(simple_add_pass, simple_add)

static u32 simple_tick(u64 now)
{
	struct list_head *slot = slot_at(now);
	u32 due = 0;

	while (!list_empty(slot)) {
		unlink(slot->next);
		due++;
	}
	return due;
}

static u64 simple_bytes(u32 n)
{
	return (u64)n * offsetof(struct bench_node, rounds) +
	       (DESIGN_HORIZON + 1) * sizeof(struct list_head);
}

/* Hashed wheel: timers of all rounds share 512 slots, a common size */

#define HASHED_SLOTS	512

static struct list_head hashed[HASHED_SLOTS];

static int hashed_init(u32 n)
{
	u32 i;

	for (i = 0; i < HASHED_SLOTS; i++)
		INIT_LIST_HEAD(&hashed[i]);
	return 0;
}

static inline u32 hashed_add(const struct bench_op *op,
			     const struct bench_base *base)
{
	node_of(op)->rounds = (op->deadline - 1) / HASHED_SLOTS;
	link_tail(&node_of(op)->entry,
		  &hashed[(base->tick + op->deadline) % HASHED_SLOTS]);
	return 1;
}

BENCH_PASS(hashed_add_pass, hashed_add)

static u32 hashed_tick(u64 now)
{
	struct bench_node *node, *next;
	u32 due = 0;

	list_for_each_entry_safe(node, next, &hashed[now % HASHED_SLOTS], entry) {
		if (!node->rounds--) {
			unlink(&node->entry);
			due++;
		}
	}
	return due;
}

static u64 hashed_bytes(u32 n)
{
	return scan_bytes(n) + sizeof(hashed);
}

/* Hierarchical wheel: twheel_core.c */

static struct {
	struct twheel_wheel	wheel;
	u8			levels[TWHEEL_LEVELS_BYTES] ____cacheline_aligned;
} *full;

static int hierarchical_init(u32 n)
{
	full = kvmalloc(sizeof(*full), GFP_KERNEL);
	if (!full)
		return -ENOMEM;
	twheel_wheel_init(&full->wheel, 0);
	twheel_wheel_add_all_levels(&full->wheel, full->levels);
	return 0;
}

static void hierarchical_exit(void)
{
	kvfree(full);
}

static inline u32 hierarchical_add(const struct bench_op *op,
				   const struct bench_base *base)
{
	struct twheel_node *timer = &op->object->wheel.timer.node;

	timer->flags = 0;
	timer->period = 0;
	twheel_wheel_insert(&full->wheel, timer, base->tick + op->deadline);
	return 1;
}

BENCH_PASS(hierarchical_add_pass, hierarchical_add)

static inline u32 hierarchical_cancel(const struct bench_op *op,
				      const struct bench_base *base)
{
	return twheel_wheel_remove(&full->wheel, &op->object->wheel.timer.node, TWHEEL_IDLE);
}

BENCH_PASS(hierarchical_cancel_pass, hierarchical_cancel)

static u32 hierarchical_tick(u64 now)
{
	unsigned int budget = U32_MAX;
	u32 due = 0;

	while (twheel_wheel_expire(&full->wheel, now, &budget))
		due++;
	return due;
}

static u64 hierarchical_bytes(u32 n)
{
	return (u64)n * sizeof(struct twheel_timer) + sizeof(*full);
}

const struct design bench_designs[DESIGNS] = {
	{
		.name = "twheel", .limit = U32_MAX,
		.init = hierarchical_init, .exit = hierarchical_exit,
		.add = hierarchical_add_pass, .cancel = hierarchical_cancel_pass,
		.tick = hierarchical_tick, .bytes = hierarchical_bytes,
	}, {
		.name = "scan", .limit = 1000000,
		.init = scan_init, .exit = no_exit,
		.add = scan_add_pass, .cancel = cancel_linked_pass,
		.tick = scan_tick, .bytes = scan_bytes,
	}, {
		.name = "heap", .limit = U32_MAX,
		.init = heap_init, .exit = heap_exit,
		.add = heap_add_pass, .cancel = heap_cancel_pass,
		.tick = heap_tick, .bytes = heap_bytes,
	}, {
		.name = "simple_wheel", .limit = U32_MAX,
		.init = simple_init, .exit = simple_exit,
		.add = simple_add_pass, .cancel = cancel_linked_pass,
		.tick = simple_tick, .bytes = simple_bytes,
	}, {
		.name = "hashed_wheel", .limit = U32_MAX,
		.init = hashed_init, .exit = no_exit,
		.add = hashed_add_pass, .cancel = cancel_linked_pass,
		.tick = hashed_tick, .bytes = hashed_bytes,
	},
};

TWHEEL_IMPORT_KUNIT_NS;
