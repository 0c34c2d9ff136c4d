/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Five designs of a timer facility, as data structures: no lock, no clock.
 */
#ifndef _TWHEEL_BENCH_DESIGN_H
#define _TWHEEL_BENCH_DESIGN_H

#include "bench.h"

/* Deadlines lie within an hour of ticks of a millisecond. */
#define DESIGN_HORIZON	3600000U

/**
 * struct design - one of them
 * @name: In the results.
 * @limit: So many timers it can bear.
 * @init: Makes an empty one for so many timers; returns 0 or an error.
 * @exit: Frees it.
 * @add: Arms.
 * @cancel: Disarms.
 * @tick: Does the work of one tick; returns how many timers were due.
 * @bytes: What it takes for so many timers, in all.
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
