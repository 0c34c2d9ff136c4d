/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the device may use of the engine, besides twheel.h
 *
 * Files in device/ include no other header of engine/.
 */
#ifndef _TWHEEL_ENGINE_DEVICE_H
#define _TWHEEL_ENGINE_DEVICE_H

#include <linux/prefetch.h>
#include "clock.h"
#include "lane.h"
#include "stats.h"
#include "twheel.h"
#include "twheel_core.h"
#include "work.h"

/* The most timers of one call of twheel_api_cancel_some(), which has interrupts off. */
#define TWHEEL_CANCEL_MAX	16

/* The most timers that are armed in one hold, which has interrupts off. */
#define TWHEEL_HOLD_MAX		64

/**
 * struct twheel_hold - a stretch with interrupts off, in which several timers are armed
 * @base: The base of this CPU that timers are armed in, locked; or %NULL.
 * @flags: The interrupt flags from before.
 */
struct twheel_hold {
	struct twheel_base	*base;
	unsigned long		flags;
};

void twheel_api_hold_begin(struct twheel_hold *hold);
void twheel_api_hold_mod(struct twheel_hold *hold, struct twheel_timer *timer, u64 expires);
void twheel_api_hold_end(struct twheel_hold *hold);
void twheel_api_cancel_some(struct twheel_timer *const *timer, unsigned int n);
u64 twheel_run_time(const struct twheel_timer *t);
void twheel_run_look_at_clock(void);
void twheel_run_set_charge(void (*charge)(struct twheel_timer *timer, unsigned int steps));

/**
 * twheel_api_prefetch_neighbours - prepare to take a timer off its list
 * @timer: The timer, with no lock held, which the caller is about to cancel.
 *
 * For callers that cancel many timers in a row. Unlinking a timer writes to its two
 * neighbours. The processor fetches them while the caller cancels the timers in between.
 * The pointers to them may be out of date, but a prefetch from a wrong address does no
 * harm.
 */
static inline void twheel_api_prefetch_neighbours(const struct twheel_timer *timer)
{
	const struct list_head *entry = &timer->node.entry;

	/* data_race: only prefetched, under no lock. */
	prefetchw(data_race(entry->prev));
	/* data_race: only prefetched, under no lock. */
	prefetchw(data_race(entry->next));
}

#endif /* _TWHEEL_ENGINE_DEVICE_H */
