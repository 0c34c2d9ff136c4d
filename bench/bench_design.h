/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Five designs of a timer facility, as data structures without locks and clocks.
 */
#ifndef _TWHEEL_BENCH_DESIGN_H
#define _TWHEEL_BENCH_DESIGN_H

#include "bench.h"

/* The farthest deadline: an hour, in ticks of 1 ms. */
#define DESIGN_HORIZON	3600000U

/**
 * struct design - a design
 * @name: Its name in the results.
 * @limit: Above so many timers, it takes too long to measure.
 * @init: Makes an empty data structure for @n timers. Returns 0 or a negative errno.
 * @exit: Frees the data structure.
 * @add: Arms timers.
 * @cancel: Cancels timers.
 * @tick: Does the work of one tick. Returns the number of timers that were due.
 * @bytes: Returns the memory for @n timers, in bytes.
 */
struct design {
	const char	*name;
	u32		limit;
	int		(*init)(u32 n);
	void		(*exit)(void);
	bench_pass_t	add;
	bench_pass_t	cancel;
	u32		(*tick)(u64 now);
	u64		(*bytes)(u32 n);
};

#define DESIGNS		5
extern const struct design bench_designs[DESIGNS];

#endif /* _TWHEEL_BENCH_DESIGN_H */
