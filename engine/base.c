// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the bases, which cpu.c makes: what they count, and which callbacks run
 */
#include <linux/string.h>
#include "base.h"
#include "twheel_compat.h"

DEFINE_PER_CPU(struct twheel_base *, twheel_bases);
DEFINE_PER_CPU(unsigned int, twheel_base_home);
DEFINE_PER_CPU(u64, twheel_extended);

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
		extended = READ_ONCE(per_cpu(twheel_extended, cpu));
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

/*
 * Finds the callback of a timer, whose base is locked, if it runs in process context. A running
 * callback may have freed its timer, and a new timer may lie at the same address. The function
 * mistakes the new timer for the old one only if both have the same callback.
 */
const struct twheel_callback *twheel_base_find_process(const struct twheel_base *base,
						       const struct twheel_timer *t)
{
	unsigned long idle = base->idle_workers;
	unsigned int i;

	lockdep_assert_held(&base->lock);

	for_each_clear_bit(i, &idle, TWHEEL_PROCESS_MAX)
		if (base->worker[i].callback.timer == t && base->worker[i].callback.fn == t->fn)
			return &base->worker[i].callback;
	return NULL;
}

/* Finds the callback of a timer, whose base is locked, if it runs. */
const struct twheel_callback *twheel_base_find(const struct twheel_base *base,
					       const struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	if (base->callback.timer == t)
		return &base->callback;
	if (t->node.flags & TWHEEL_PROCESS)
		return twheel_base_find_process(base, t);
	return NULL;
}

/* Finds the first deferred timer of a locked base whose callback does not run. */
struct twheel_timer *twheel_base_first_deferred(struct twheel_base *base)
{
	struct twheel_timer *t;

	lockdep_assert_held(&base->lock);

	list_for_each_entry(t, &base->wheel.deferred, node.entry)
		if (!twheel_base_find_process(base, t))
			return t;
	return NULL;
}
