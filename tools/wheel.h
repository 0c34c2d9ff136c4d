/* SPDX-License-Identifier: GPL-2.0 */
/* The wheel of a CPU, as debugfs shows it. */
#ifndef _WHEEL_H
#define _WHEEL_H

#include <stdbool.h>
#include <stdint.h>

enum { WHEEL_LEVELS = 6, WHEEL_SLOTS = 128, WHEEL_RATES = 8 };

/* The names of the counters in &struct wheel; "late": callbacks that began a tick late or more. */
extern const char *const wheel_rate_names[WHEEL_RATES];

/**
 * struct wheel - a wheel at one moment
 * @cpu: The CPU's number.
 * @online: The CPU is online.
 * @now: The current tick.
 * @sleeps: The wheel waits for no tick.
 * @next: The tick that the wheel waits for, unless @sleeps.
 * @pending: The number of timers.
 * @run_max_ns: The longest run since the module was loaded, or since the last reset.
 * @counts: Counters since the module was loaded, named by wheel_rate_names.
 * @slots: For each level, a character a slot: '.' if it is empty, otherwise the number
 *	of decimal digits of the count of timers that it has taken in.
 * @hand: The current slot of each level.
 */
struct wheel {
	unsigned int	cpu;
	bool		online;
	uint64_t	now;
	bool		sleeps;
	uint64_t	next;
	uint64_t	pending;
	uint64_t	run_max_ns;
	uint64_t	counts[WHEEL_RATES];
	char		slots[WHEEL_LEVELS][WHEEL_SLOTS];
	unsigned int	hand[WHEEL_LEVELS];
};

/* Read a wheel. Returns 0 or -errno: -ENOENT if there is no such CPU, or no debugfs. */
int wheel_read(unsigned int cpu, struct wheel *wheel);

/* The number of slots of a level that are not empty. */
unsigned int wheel_occupied(const struct wheel *wheel, unsigned int level);

#endif /* _WHEEL_H */
