// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: counts of armings, which always add up
 *
 * Each CPU counts the deadlines that it pushes back without a lock. Each such push is
 * an arming that replaces another one.
 */
#include <linux/string.h>
#include "counts.h"
#include "twheel_compat.h"

DEFINE_PER_CPU(local64_t, twheel_extended);

/**
 * twheel_counts_add - add the counts of a base to a sum
 * @base: The base, locked.
 * @sum: The sum, without the deadlines that were pushed back without a lock.
 */
void twheel_counts_add(const struct twheel_base *base, struct twheel_counts *sum)
{
	const struct twheel_counts *counts = &base->counts;

	lockdep_assert_held(&base->lock);

	sum->armed += counts->armed;
	sum->fired += counts->fired;
	sum->cancelled += counts->cancelled;
	sum->replaced += counts->replaced;
	sum->pending += base->wheel.pending;
}

/**
 * twheel_counts_read - sum up the counts of all CPUs
 * @counts: The sums. They add up unless timers are armed, end or move meanwhile.
 *
 * Context: process or softirq. Takes the lock of one base after the other.
 */
void twheel_counts_read(struct twheel_counts *counts)
{
	struct twheel_base *base;
	unsigned int cpu;
	u64 extended;

	memset(counts, 0, sizeof(*counts));
	for_each_possible_cpu(cpu) {
		extended = local64_read(&per_cpu(twheel_extended, cpu));
		counts->armed += extended;
		counts->replaced += extended;
		base = twheel_base_of(cpu);
		raw_spin_lock_irq(&base->lock);
		twheel_counts_add(base, counts);
		raw_spin_unlock_irq(&base->lock);
	}
}
EXPORT_SYMBOL_IF_KUNIT(twheel_counts_read);
