// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: a wheel that works as wahern's timeout does (github.com/wahern/timeout)
 *
 * Four levels have 64 slots each, and a word with a bit for each occupied slot. A timer
 * goes to the level of the highest digit of its distance, above level 0 into the slot
 * before its own. A call takes all slots that the hand has passed, and files their timers
 * anew. Timers that are due go to a list, from which the caller takes them.
 */
#include <sys/queue.h>
#include "bench.h"

#define BITS	6
#define LEVELS	4
#define SLOTS	64
#define LIMIT	((1ULL << BITS * LEVELS) - 1)

TAILQ_HEAD(slot, timeout);

struct timeout {
	TAILQ_ENTRY(timeout)	entry;
	unsigned int		flags;
	uint64_t		expires;
	struct slot		*slot;
	fired_fn		fn;
	void			*argument;
	uint64_t		interval;
};

static struct slot slots[LEVELS][SLOTS], expired;
static uint64_t occupied[LEVELS];
static uint64_t current;

static void wahern_open(uint64_t now)
{
	unsigned int i;

	for (i = 0; i < LEVELS * SLOTS; i++)
		TAILQ_INIT(&slots[0][0] + i);
	TAILQ_INIT(&expired);
	memset(occupied, 0, sizeof(occupied));
	current = now;
}

static void wahern_setup(void *timer, fired_fn fn)
{
	struct timeout *t = timer;

	memset(t, 0, sizeof(*t));
	t->fn = fn;
	t->argument = t;
}

static void wahern_cancel(void *timer)
{
	struct timeout *t = timer;
	size_t i;

	if (!t->slot)
		return;
	TAILQ_REMOVE(t->slot, t, entry);
	if (t->slot != &expired && TAILQ_EMPTY(t->slot)) {
		i = (size_t)(t->slot - &slots[0][0]);
		occupied[i / SLOTS] &= ~(1ULL << i % SLOTS);
	}
	t->slot = NULL;
}

static void wahern_add(void *timer, uint64_t expires)
{
	struct timeout *t = timer;
	unsigned int level, i;
	uint64_t distance;

	wahern_cancel(t);
	t->expires = expires;
	if (expires <= current) {
		t->slot = &expired;
	} else {
		distance = expires - current;
		if (distance > LIMIT)
			distance = LIMIT;
		level = (63U - (unsigned int)__builtin_clzll(distance)) / BITS;
		i = ((expires >> level * BITS) - !!level) % SLOTS;
		t->slot = &slots[level][i];
		occupied[level] |= 1ULL << i;
	}
	TAILQ_INSERT_TAIL(t->slot, t, entry);
}

static uint64_t rotate(uint64_t word, unsigned int left)
{
	return word << left % 64 | word >> -left % 64;
}

/* The slots of a level that the hand enters on its way: @steps up to number @to. */
static uint64_t passed(uint64_t steps, uint64_t to)
{
	if (steps >= SLOTS)
		return ~0ULL;
	return rotate((2ULL << steps) - 1, (unsigned int)(to - steps) % SLOTS);
}

static void advance(uint64_t now)
{
	uint64_t elapsed = now - current, mask;
	struct slot todo = TAILQ_HEAD_INITIALIZER(todo);
	struct timeout *t;
	unsigned int level, i;

	for (level = 0; level < LEVELS; level++) {
		mask = passed(elapsed >> level * BITS, now >> level * BITS);
		while (mask & occupied[level]) {
			i = (unsigned int)__builtin_ctzll(mask & occupied[level]);
			TAILQ_CONCAT(&todo, &slots[level][i], entry);
			occupied[level] &= ~(1ULL << i);
		}
		/* Without a wrap of this level, the hand of the next one stands still. */
		if (!(mask & 1))
			break;
		if (elapsed < (uint64_t)SLOTS << level * BITS)
			elapsed = (uint64_t)SLOTS << level * BITS;
	}
	current = now;
	while ((t = TAILQ_FIRST(&todo))) {
		TAILQ_REMOVE(&todo, t, entry);
		t->slot = NULL;
		wahern_add(t, t->expires);
	}
}

static void wahern_tick(uint64_t now)
{
	struct timeout *t;

	advance(now);
	while ((t = TAILQ_FIRST(&expired))) {
		TAILQ_REMOVE(&expired, t, entry);
		t->slot = NULL;
		t->fn(t->argument);
	}
}

const struct peer peer_wahern = {
	.name	= "wahern",
	.size	= sizeof(struct timeout),
	.open	= wahern_open,
	.setup	= wahern_setup,
	.add	= wahern_add,
	.mod	= wahern_add,
	.extend	= wahern_add,
	.cancel	= wahern_cancel,
	.tick	= wahern_tick,
};
