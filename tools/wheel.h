/* SPDX-License-Identifier: GPL-2.0 */
/* What debugfs says of the wheel of a CPU. */
#ifndef _WHEEL_H
#define _WHEEL_H

#include <stdbool.h>
#include <stdint.h>

enum { WHEEL_LEVELS = 6, WHEEL_SLOTS = 128 };

enum wheel_rate { ARMED, FIRED, CANCELLED, REPLACED, EXTENDED, CASCADED, RUNS,
		  WHEEL_RATES };

extern const char *const wheel_rate_names[WHEEL_RATES];

/**
 * struct wheel - a wheel at one moment
 * @cpu: Whose it is.
 * @online: Whether that is online.
 * @now: The current tick.
 * @sleeps: Nothing is to be done at any tick.
 * @next: The tick at which something is, otherwise.
 * @pending: Timers.
 * @counts: What has happened since the module was loaded.
 * @slots: Level by level, '.' for an empty slot, or the number of digits of what it
 *	has taken in.
 * @hand: Level by level, the current slot.
 */
struct wheel {
	unsigned int	cpu;
	bool		online;
	uint64_t	now;
	bool		sleeps;
	uint64_t	next;
	uint64_t	pending;
	uint64_t	counts[WHEEL_RATES];
	char		slots[WHEEL_LEVELS][WHEEL_SLOTS];
	unsigned int	hand[WHEEL_LEVELS];
};

/* Returns 0, or -errno: -ENOENT if there is no such CPU or debugfs. */
int wheel_read(unsigned int cpu, struct wheel *wheel);

/* Slots of a level that are not empty. */
unsigned int wheel_occupied(const struct wheel *wheel, unsigned int level);

#endif /* _WHEEL_H */
