/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dial: all pending deadlines, read as a timing wheel.
 *
 * The geometry is that of the module: a slot of level n covers 64^n ticks, a
 * level has 128 slots, and a deadline lies on the lowest level that reaches it,
 * but in the slot after the current one on level 0 only.
 */
#ifndef _DEMO_DIAL_H
#define _DEMO_DIAL_H

#include <stdint.h>

#define DIAL_LEVELS	6
#define DIAL_BITS	6
#define DIAL_FRAME	(1U << DIAL_BITS)
#define DIAL_SLOTS	(2 * DIAL_FRAME)

/**
 * struct dial - pending deadlines by the tick
 * @tick: Length of a tick in nanoseconds.
 * @size: Ticks that @at has room for: a power of two.
 * @at: How many deadlines there are on a tick, modulo @size.
 */
struct dial {
	uint64_t	tick;
	uint64_t	size;
	uint32_t	*at;
};

/**
 * struct dial_view - the wheel at a moment
 * @hand: The current slot of each level.
 * @count: Timers on a level.
 * @slot: Timers in a slot.
 */
struct dial_view {
	uint32_t	hand[DIAL_LEVELS];
	uint64_t	count[DIAL_LEVELS];
	uint32_t	slot[DIAL_LEVELS][DIAL_SLOTS];
};

int dial_init(struct dial *d, uint64_t tick, uint64_t reach_ns);
void dial_exit(struct dial *d);
void dial_enter(struct dial *d, uint64_t deadline);
void dial_leave(struct dial *d, uint64_t deadline);
void dial_read(const struct dial *d, uint64_t now, struct dial_view *view);

#endif /* _DEMO_DIAL_H */
