// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that must run on their very tick
 */
#include <linux/timer.h>
#include "engine_test.h"

/* Tries without plain timers, and again with them. */
#define TRIES		10
/* timer_list runs a timer on its very tick if it was armed at most so far ahead. */
#define PLAIN_EXACT	40

static void plain_fn(struct timer_list *plain)
{
	struct aim *aim = container_of(plain, struct aim, plain);
	u64 now = get_jiffies_64(), expires = aim->probe->expires;

	if (now < expires)
		mod_timer(plain, (unsigned long)expires - 1);
	else
		WRITE_ONCE(aim->plain_tick, now);
}

/* timer_list runs a timer on the tick after its ->expires. */
static void plain_start(struct aim *aim)
{
	u64 first = aim->probe->expires - 1;

	/* The first leg may end an eighth late, and must leave a leg that is exact. */
	if (aim->ticks > PLAIN_EXACT)
		first -= PLAIN_EXACT / 2 + aim->ticks / 8;
	aim->plain_tick = 0;
	timer_setup(&aim->plain, plain_fn, TIMER_PINNED);
	aim->plain.expires = (unsigned long)first;
	add_timer_on(&aim->plain, aim->cpu);
}

static bool is_met(const struct aim *aim, u64 late, bool plain)
{
	u64 tick = aim->probe->tick, plain_tick;

	if (tick <= aim->probe->expires + late)
		return true;
	if (!plain)
		return false;
	/* A plain timer that has not run yet is later. */
	plain_tick = READ_ONCE(aim->plain_tick);
	return !plain_tick || tick <= plain_tick;
}

/* Tries all timers that were not met so far. Returns whether none is left. */
static bool try_all(struct kunit *test, struct aim *aim, unsigned int n, u64 late,
		    bool plain)
{
	bool all = true;
	unsigned int i;
	u64 expires;

	for (i = 0; i < n; i++) {
		if (aim[i].met)
			continue;
		expires = get_jiffies_64() + aim[i].ticks;
		aim[i].probe = probe_new(test, NULL);
		aim[i].probe->expires = expires;
		twheel_add_on(&aim[i].probe->timer, expires, aim[i].cpu);
		if (plain)
			plain_start(&aim[i]);
	}
	for (i = 0; i < n; i++) {
		if (aim[i].met)
			continue;
		probe_expect(test, aim[i].probe, aim[i].probe->expires);
		aim[i].met = is_met(&aim[i], late, plain);
		all &= aim[i].met;
		if (plain)
			timer_delete_sync(&aim[i].plain);
	}
	return all;
}

/*
 * Expects timers to run on their very tick, or @late ticks later. On a busy host a timer may be
 * late in every try. So in ten more tries, a timer is also met if a plain kernel timer of the same
 * CPU and tick is no earlier. The plain timers take no part before, as they wake the CPU.
 */
void aim_expect_met(struct kunit *test, struct aim *aim, unsigned int n, u64 late)
{
	unsigned int i;

	for (i = 0; i < 2 * TRIES; i++)
		if (try_all(test, aim, n, late, i >= TRIES))
			return;
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_TRUE_MSG(test, aim[i].met, "%u ticks ahead, always late",
				      aim[i].ticks);
}
