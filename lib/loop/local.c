// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * libtwheel-loop: timers in the process
 *
 * The wheel says in which tick of 65 us a timer comes due. advance() takes all timers of the
 * tick that has begun, and puts them into a list by their deadlines. So a callback runs neither
 * early nor later than its deadline demands.
 */
#include <stdlib.h>
#include "loop.h"

/* Timers of a slot that are looked at one by one */
#define FEW	64U

/*
 * Add levels until the wheel reaches a tick. Without memory, the last level serves later ticks,
 * too: the wheel then moves its timers more often.
 */
static void reach(struct twheel_wheel *wheel, uint64_t tick)
{
	void *memory;

	while (!wheel->depth || (wheel->depth < TWHEEL_LVL_DEPTH &&
				 tick - wheel->clk >= TWHEEL_LVL_GRAN(wheel->depth))) {
		memory = aligned_alloc(64, TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS));
		if (!memory)
			return;
		twheel_wheel_set_level(wheel, wheel->depth, memory, TWHEEL_SLOT_CHAINS);
	}
}

void twheel_loop_local_due(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	loop->unsorted |= !list_empty(&loop->due);
	loop_move(timer, &loop->due, LOOP_DUE);
}

void twheel_loop_local_add(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	const uint64_t tick = loop_tick(timer->deadline_ns);

	if (tick > loop->wheel.clk)
		reach(&loop->wheel, tick);
	if (tick <= loop->wheel.clk || !loop->wheel.depth) {
		twheel_loop_local_due(loop, timer);
		return;
	}
	timer->state = LOOP_WHEEL;
	loop->soonest = min_t(uint64_t, loop->soonest, timer->deadline_ns);
	twheel_wheel_insert(&loop->wheel, loop_node(timer), tick);
}

void twheel_loop_local_advance(struct twheel_loop *loop, uint64_t now)
{
	const uint64_t tick = loop_tick(now);
	unsigned int budget = UINT_MAX;
	struct twheel_node *node;

	do {
		while ((node = twheel_wheel_expire(&loop->wheel, tick, &budget)))
			twheel_loop_local_due(loop, loop_timer(node));
	} while (!budget && (budget = UINT_MAX));
}

static bool is_before(struct list_head *a, struct list_head *b)
{
	const struct twheel_loop_timer *x = loop_timer(a), *y = loop_timer(b);

	return x->deadline_ns != y->deadline_ns ? x->deadline_ns < y->deadline_ns :
						  x->order < y->order;
}

/* Merge two chains that are sorted and end with NULL. */
static struct list_head *merge(struct list_head *a, struct list_head *b)
{
	struct list_head *first, **end = &first;

	while (a && b) {
		struct list_head **next = is_before(b, a) ? &b : &a;

		*end = *next;
		end = &(*next)->next;
		*next = *end;
	}
	*end = a ? a : b;
	return first;
}

/* Merge sort: part[i] is a sorted chain of 2^i timers, or NULL. */
static void sort(struct list_head *list)
{
	struct list_head *part[64] = { NULL }, *next, *rest = list->next;
	unsigned int i;

	list->prev->next = NULL;
	for (; rest; rest = next) {
		struct list_head *chain = rest;

		next = rest->next;
		chain->next = NULL;
		for (i = 0; part[i]; i++) {
			chain = merge(part[i], chain);
			part[i] = NULL;
		}
		part[i] = chain;
	}
	for (i = 0; i < 64; i++)
		rest = merge(part[i], rest);
	INIT_LIST_HEAD(list);
	for (; rest; rest = next) {
		next = rest->next;
		list_add_tail(rest, list);
	}
}

static struct twheel_loop_timer *first_due(struct twheel_loop *loop)
{
	if (list_empty(&loop->due))
		return NULL;
	if (loop->unsorted) {
		sort(&loop->due);
		loop->unsorted = false;
	}
	return loop_timer(loop->due.next);
}

struct twheel_loop_timer *twheel_loop_local_first(struct twheel_loop *loop, uint64_t now)
{
	struct twheel_loop_timer *timer = first_due(loop);

	return timer && timer->deadline_ns <= now ? timer : NULL;
}

/* The first deadline in a slot, or UINT64_MAX. Of a slot that may have many: where it begins. */
static uint64_t soonest_in_slot(struct twheel_level *level, unsigned int i, uint64_t begin)
{
	struct list_head *slot = twheel_level_slot(level, i), *entry;
	uint64_t soonest = UINT64_MAX;
	unsigned int c;

	if (level->count[i] > FEW)
		return begin;
	for (c = 0; c < level->chains; c++)
		for (entry = slot[c].next; entry != &slot[c]; entry = entry->next)
			soonest = min_t(uint64_t, soonest, loop_timer(entry)->deadline_ns);
	return soonest;
}

/*
 * Find a time before which no timer of the wheel is due. Slots are looked at from the hand on, on
 * each level until the slots begin later than what was found. The wheel's own next visit would
 * often be earlier: it has timers to move, which may wait until the loop wakes for another reason.
 */
static uint64_t find_soonest(const struct twheel_wheel *wheel)
{
	uint64_t soonest = UINT64_MAX, slot, begin, found;
	unsigned int n, ahead, i;

	for (n = 0; wheel->pending && n < wheel->depth; n++)
		for (ahead = 1; ahead <= TWHEEL_LVL_REACH; ahead++) {
			slot = (wheel->clk >> TWHEEL_LVL_SHIFT(n)) + ahead;
			begin = ((slot << TWHEEL_LVL_SHIFT(n)) - 1) << LOOP_TICK_SHIFT;
			if (begin >= soonest)
				break;
			i = slot & TWHEEL_LVL_MASK;
			if (!test_bit(i, wheel->level[n]->map))
				continue;
			found = soonest_in_slot(wheel->level[n], i, begin);
			soonest = min_t(uint64_t, soonest, found);
		}
	return soonest;
}

uint64_t twheel_loop_local_next(struct twheel_loop *loop)
{
	const struct twheel_loop_timer *timer = first_due(loop);

	if (timer)
		return timer->deadline_ns;
	if (loop_tick(loop->soonest) <= loop->wheel.clk || !loop->wheel.pending)
		loop->soonest = find_soonest(&loop->wheel);
	return loop->soonest;
}

void twheel_loop_local_free(struct twheel_loop *loop)
{
	while (loop->wheel.depth)
		free(loop->wheel.level[--loop->wheel.depth]);
}
