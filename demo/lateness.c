// SPDX-License-Identifier: MIT
#include <string.h>
#include "lateness.h"

#define LAST_BIN	(LATENESS_TICKS * LATENESS_BINS)

void lateness_init(struct lateness *l, uint64_t tick)
{
	memset(l, 0, sizeof(*l));
	l->tick = tick;
}

void lateness_add(struct lateness *l, uint64_t ns)
{
	uint64_t bin = ns / (l->tick / LATENESS_BINS);

	l->bin[bin < LAST_BIN ? bin : LAST_BIN]++;
	l->count++;
	if (ns > l->worst)
		l->worst = ns;
}

void lateness_merge(struct lateness *to, const struct lateness *from)
{
	uint32_t i;

	for (i = 0; i <= LAST_BIN; i++)
		to->bin[i] += from->bin[i];
	to->count += from->count;
	if (from->worst > to->worst)
		to->worst = from->worst;
}

double lateness_worst(const struct lateness *l)
{
	return (double)l->worst / (double)l->tick;
}

/* A percentile, in ticks, rounded up to a bin. */
double lateness_percentile(const struct lateness *l, unsigned int percent)
{
	uint64_t rank = (l->count * percent + 99) / 100;
	uint64_t seen = 0;
	uint32_t i;

	for (i = 0; i < LAST_BIN; i++) {
		seen += l->bin[i];
		if (seen >= rank && seen)
			break;
	}
	if (i == LAST_BIN || (double)(i + 1) / LATENESS_BINS > lateness_worst(l))
		return lateness_worst(l);
	return (double)(i + 1) / LATENESS_BINS;
}
