// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "hwheel.h"

#define DUE		(HWHEEL_LEVELS * HWHEEL_SLOTS)
#define HEADS		(DUE + 1)
#define RANGE_BITS	(HWHEEL_LEVELS * HWHEEL_BITS)

static void init_list(struct hwheel *w, uint32_t head)
{
	w->node[head].next = head;
	w->node[head].prev = head;
}

int hwheel_open(struct hwheel *w, size_t count)
{
	size_t i;

	*w = (struct hwheel) { 0 };
	w->node = calloc(HEADS + count, sizeof(*w->node));
	if (!w->node)
		return -ENOMEM;
	for (i = 0; i < HEADS; i++)
		init_list(w, (uint32_t)i);
	for (i = HEADS + count; i-- > HEADS; w->free = (uint32_t)i)
		w->node[i].next = w->free;
	return 0;
}

void hwheel_close(struct hwheel *w)
{
	free(w->node);
}

static void link_to(struct hwheel *w, uint32_t timer, uint32_t head)
{
	uint32_t last = w->node[head].prev;

	w->node[timer].slot = head;
	w->node[timer].next = head;
	w->node[timer].prev = last;
	w->node[last].next = timer;
	w->node[head].prev = timer;
	if (head != DUE)
		w->occupied[head / HWHEEL_SLOTS] |= 1ull << head % HWHEEL_SLOTS;
}

static void unlink_from(struct hwheel *w, uint32_t timer)
{
	struct hwheel_node *node = &w->node[timer];
	uint32_t head = node->slot;

	w->node[node->prev].next = node->next;
	w->node[node->next].prev = node->prev;
	if (w->node[head].next == head && head != DUE)
		w->occupied[head / HWHEEL_SLOTS] &= ~(1ull << head % HWHEEL_SLOTS);
}

static void link_by_expiry(struct hwheel *w, uint32_t timer)
{
	uint64_t expires = w->node[timer].expires;
	unsigned int level;

	if (expires <= w->now) {
		link_to(w, timer, DUE);
		return;
	}
	level = (63u - (unsigned int)__builtin_clzll(expires ^ w->now)) / HWHEEL_BITS;
	link_to(w, timer, level * HWHEEL_SLOTS +
		(expires >> level * HWHEEL_BITS) % HWHEEL_SLOTS);
}

static int in_range(const struct hwheel *w, uint64_t expires)
{
	return expires <= w->now || !((expires ^ w->now) >> RANGE_BITS);
}

uint32_t hwheel_add(struct hwheel *w, uint64_t expires, void *data)
{
	uint32_t timer = w->free;

	if (!timer || !in_range(w, expires))
		return 0;
	w->free = w->node[timer].next;
	w->node[timer].expires = expires;
	w->node[timer].data = data;
	link_by_expiry(w, timer);
	return timer;
}

int hwheel_change(struct hwheel *w, uint32_t timer, uint64_t expires)
{
	if (!in_range(w, expires))
		return -ERANGE;
	unlink_from(w, timer);
	w->node[timer].expires = expires;
	link_by_expiry(w, timer);
	return 0;
}

void hwheel_remove(struct hwheel *w, uint32_t timer)
{
	unlink_from(w, timer);
	w->node[timer].next = w->free;
	w->free = timer;
}

/* The tick at which the first occupied slot begins. Sets @head to that slot. */
static uint64_t next_slot(const struct hwheel *w, uint32_t *head)
{
	unsigned int level, slot, shift;

	for (level = 0; level < HWHEEL_LEVELS; level++) {
		if (!w->occupied[level])
			continue;
		slot = (unsigned int)__builtin_ctzll(w->occupied[level]);
		shift = level * HWHEEL_BITS;
		*head = level * HWHEEL_SLOTS + slot;
		return (w->now >> shift >> HWHEEL_BITS << HWHEEL_BITS | slot) << shift;
	}
	return HWHEEL_NEVER;
}

uint64_t hwheel_next(const struct hwheel *w)
{
	uint32_t head;

	return w->node[DUE].next == DUE ? next_slot(w, &head) : w->now;
}

void hwheel_advance(struct hwheel *w, uint64_t tick)
{
	uint32_t head = DUE, timer;
	uint64_t next;

	while ((next = next_slot(w, &head)) <= tick) {
		w->now = next;
		while ((timer = w->node[head].next) != head) {
			unlink_from(w, timer);
			link_by_expiry(w, timer);
		}
	}
	if (tick > w->now)
		w->now = tick;
}

void *hwheel_take(struct hwheel *w)
{
	uint32_t timer = w->node[DUE].next;

	if (timer == DUE)
		return NULL;
	hwheel_remove(w, timer);
	return w->node[timer].data;
}
