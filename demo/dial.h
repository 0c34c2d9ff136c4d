/* SPDX-License-Identifier: MIT */
/*
 * The dial: all pending deadlines, shown as the slots of a timing wheel.
 *
 * The geometry is that of the module. A slot of level n covers 64^n ticks, and a level
 * has 128 slots. A deadline belongs to the lowest level that reaches it. Above level 0,
 * the slot after the current one is not used.
 */
#ifndef _DEMO_DIAL_H
#define _DEMO_DIAL_H

#include <stdint.h>

#define DIAL_LEVELS	6
#define DIAL_BITS	6
#define DIAL_FRAME	(1U << DIAL_BITS)
#define DIAL_SLOTS	(2 * DIAL_FRAME)

/**
 * struct dial - the number of pending deadlines at each tick
 * @tick: Length of a tick in nanoseconds.
 * @size: Length of @at, a power of two.
 * @at: Number of deadlines at each tick, modulo @size.
 */
struct dial {
	uint64_t	tick;
	uint64_t	size;
	uint32_t	*at;
};

/**
 * struct dial_view - the wheel at one moment
 * @hand: The current slot of each level.
 * @count: Number of timers on each level.
 * @slot: Number of timers in each slot.
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
