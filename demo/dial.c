// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include "dial.h"

/*
 * @reach_ns is the distance of the farthest deadline. The array holds twice as many
 * ticks: half for deadlines ahead, half for deadlines that are overdue.
 */
int dial_init(struct dial *d, uint64_t tick, uint64_t reach_ns)
{
	d->tick = tick;
	for (d->size = 1024; d->size / 2 <= reach_ns / tick; d->size *= 2)
		;
	d->at = calloc(d->size, sizeof(*d->at));
	return d->at ? 0 : -1;
}

void dial_exit(struct dial *d)
{
	free(d->at);
	d->at = NULL;
}

/* The count of the first tick at or after the deadline. */
static uint32_t *tick_of(struct dial *d, uint64_t deadline)
{
	uint64_t tick = (deadline + d->tick - 1) / d->tick;

	return &d->at[tick & (d->size - 1)];
}

void dial_enter(struct dial *d, uint64_t deadline)
{
	++*tick_of(d, deadline);
}

void dial_leave(struct dial *d, uint64_t deadline)
{
	--*tick_of(d, deadline);
}

static unsigned int level_of(uint64_t tick, uint64_t hand)
{
	unsigned int n = 0;

	while (n < DIAL_LEVELS - 1 && (tick - hand) >> ((n + 1) * DIAL_BITS))
		n++;
	/* The wheel does not use the slot after the current one: a lower level reaches it. */
	if (n && (tick >> (n * DIAL_BITS)) - (hand >> (n * DIAL_BITS)) <= 1)
		n--;
	return n;
}

/* Overdue deadlines, up to half the array back, count as due on the current tick. */
void dial_read(const struct dial *d, uint64_t now, struct dial_view *view)
{
	uint64_t hand = now / d->tick;
	uint64_t half = d->size / 2;
	uint64_t ahead;
	unsigned int n;

	memset(view, 0, sizeof(*view));
	for (n = 0; n < DIAL_LEVELS; n++)
		view->hand[n] = (hand >> (n * DIAL_BITS)) % DIAL_SLOTS;
	for (ahead = 0; ahead < half; ahead++) {
		uint64_t tick = hand + ahead;
		uint32_t count = d->at[tick & (d->size - 1)];

		if (!ahead) {
			uint64_t past;

			for (past = 1; past < half; past++)
				count += d->at[(tick - past) & (d->size - 1)];
		}
		if (!count)
			continue;
		n = level_of(tick, hand);
		view->slot[n][(tick >> (n * DIAL_BITS)) % DIAL_SLOTS] += count;
		view->count[n] += count;
	}
}
