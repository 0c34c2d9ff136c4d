/* SPDX-License-Identifier: MIT */
/*
 * A histogram of latenesses, for percentiles at any moment.
 */
#ifndef _DEMO_LATENESS_H
#define _DEMO_LATENESS_H

#include <stdint.h>

/* Bins per tick, and ticks with bins. Beyond these, only the worst lateness is exact. */
#define LATENESS_BINS	100
#define LATENESS_TICKS	100

struct lateness {
	uint64_t	tick;		/* in nanoseconds */
	uint64_t	count;
	uint64_t	worst;		/* in nanoseconds */
	uint32_t	bin[LATENESS_TICKS * LATENESS_BINS + 1];
};

void lateness_init(struct lateness *l, uint64_t tick);
void lateness_add(struct lateness *l, uint64_t ns);
void lateness_merge(struct lateness *to, const struct lateness *from);
double lateness_percentile(const struct lateness *l, unsigned int percent);
double lateness_worst(const struct lateness *l);

#endif /* _DEMO_LATENESS_H */
