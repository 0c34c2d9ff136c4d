// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: a wheel that works as ratas does (github.com/jsnell/ratas)
 *
 * Eight levels have 256 slots each. A timer goes to the level of the highest byte in which
 * its distance still counts. A slot is a list that begins at its newest timer. When a
 * level's hand has gone round, the next slot of the level above is emptied at once. Each
 * tick is visited, whether it has timers or not.
 */
#include "bench.h"

#define LEVELS	8
#define SLOTS	256

struct event;
struct slot { struct event *newest; };

struct event {
	fired_fn	fn;
	uint64_t	expires;
	struct slot	*slot;
	struct event	*older;
	struct event	*newer;
};

static struct slot slots[LEVELS][SLOTS];
static uint64_t hand[LEVELS];

static void ratas_open(uint64_t now)
{
	unsigned int level;

	memset(slots, 0, sizeof(slots));
	for (level = 0; level < LEVELS; level++)
		hand[level] = now >> 8 * level;
}

static void unlink_event(struct event *e)
{
	if (e->older)
		e->older->newer = e->newer;
	if (e->newer)
		e->newer->older = e->older;
	else
		e->slot->newest = e->older;
}

/* Files @e by its distance from now, unless it is in the right slot already. */
static void file_event(struct event *e, uint64_t distance)
{
	unsigned int level = 0;
	struct slot *slot;

	while (distance >= SLOTS) {
		distance = (distance + hand[level] % SLOTS) / SLOTS;
		level++;
	}
	slot = &slots[level][(hand[level] + distance) % SLOTS];
	if (e->slot == slot)
		return;
	if (e->slot)
		unlink_event(e);
	e->older = slot->newest;
	e->newer = NULL;
	if (e->older)
		e->older->newer = e;
	slot->newest = e;
	e->slot = slot;
}

static void ratas_add(void *timer, uint64_t expires)
{
	struct event *e = timer;

	e->expires = expires;
	file_event(e, expires - hand[0]);
}

static void ratas_cancel(void *timer)
{
	struct event *e = timer;

	unlink_event(e);
	e->slot = NULL;
	e->older = NULL;
	e->newer = NULL;
}

static struct event *take_newest(struct slot *slot)
{
	struct event *e = slot->newest;

	slot->newest = e->older;
	if (e->older)
		e->older->newer = NULL;
	e->older = NULL;
	e->slot = NULL;
	return e;
}

static void advance(unsigned int level)
{
	struct slot *slot;
	struct event *e;

	slot = &slots[level][++hand[level] % SLOTS];
	if (slot == slots[level] && level + 1 < LEVELS)
		advance(level + 1);
	while (slot->newest) {
		e = take_newest(slot);
		if (!level || e->expires <= hand[0])
			e->fn(e);
		else
			file_event(e, e->expires - hand[0]);
	}
}

static void ratas_tick(uint64_t now)
{
	while (hand[0] < now)
		advance(0);
}

const struct peer peer_ratas = {
	.name	= "ratas",
	.size	= sizeof(struct event),
	.fn	= offsetof(struct event, fn),
	.open	= ratas_open,
	.add	= ratas_add,
	.mod	= ratas_add,
	.extend	= ratas_add,
	.cancel	= ratas_cancel,
	.tick	= ratas_tick,
};
