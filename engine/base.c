// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the bases, which cpu.c makes, the sums of what they count, and the tracepoints
 */
#include <linux/string.h>
#include "base.h"
#define CREATE_TRACE_POINTS
#include "trace.h"
#include "twheel_compat.h"

DEFINE_PER_CPU(struct twheel_base *, twheel_bases);
DEFINE_PER_CPU(local64_t, twheel_extended);

/*
 * Sums up the counts of all CPUs. They add up unless timers are armed, end or move meanwhile. Takes
 * the lock of one base after the other.
 */
void twheel_base_read_counts(struct twheel_counts *counts)
{
	struct twheel_base *base;
	unsigned int cpu;
	u64 extended;

	memset(counts, 0, sizeof(*counts));
	for_each_possible_cpu(cpu) {
		/* Each push of a deadline is an arming that replaces another one. */
		extended = local64_read(&per_cpu(twheel_extended, cpu));
		base = twheel_base_of(cpu);
		raw_spin_lock_irq(&base->lock);
		counts->armed += base->counts.armed + extended;
		counts->fired += base->counts.fired;
		counts->cancelled += base->counts.cancelled;
		counts->replaced += base->counts.replaced + extended;
		counts->pending += base->wheel.pending;
		raw_spin_unlock_irq(&base->lock);
	}
}
EXPORT_SYMBOL_IF_KUNIT(twheel_base_read_counts);
