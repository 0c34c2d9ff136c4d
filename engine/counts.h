/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: counts of armings, which always add up
 */
#ifndef _TWHEEL_ENGINE_COUNTS_H
#define _TWHEEL_ENGINE_COUNTS_H

#include <asm/local64.h>
#include "base.h"

/* How many deadlines each CPU has pushed back without a lock. */
DECLARE_PER_CPU(local64_t, twheel_extended);

void twheel_counts_add(const struct twheel_base *base, struct twheel_counts *sum);
void twheel_counts_read(struct twheel_counts *counts);

/*
 * Not this_cpu_inc(), which disables interrupts on some architectures. That may cost more
 * there than all the rest of pushing a deadline back.
 */
static inline void twheel_counts_extend(void)
{
	local64_inc(get_cpu_ptr(&twheel_extended));
	put_cpu_ptr(&twheel_extended);
}

#endif /* _TWHEEL_ENGINE_COUNTS_H */
