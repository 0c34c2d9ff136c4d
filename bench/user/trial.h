/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trials: one mechanism does one kind of work, in a process of its own.
 */
#ifndef _TRIAL_H
#define _TRIAL_H

#include <stddef.h>
#include "mechanism.h"

/**
 * struct outcome - the measurements, per timer; NaN for figures that were not measured
 * @arm: Time to create and arm a timer, in ns.
 * @extend: Time to give it a later deadline, in ns.
 * @cancel: Time to cancel it, in ns.
 * @bytes: Memory of the kernel, in bytes: what arming takes away from MemAvailable.
 * @deliver: CPU time of all CPUs, in ns, when timers expire over a second.
 * @drain: Time in ns, when all timers expire at one tick.
 * @patience: No measurement: how many times longer than @arm arming may take before
 *	@deliver and @drain.
 */
struct outcome {
	double arm;
	double extend;
	double cancel;
	double bytes;
	double deliver;
	double drain;
	double patience;
};

/* Arms, extends and cancels @n timers. Sets @arm, @bytes, @extend and @cancel. */
void trial_operations(const struct mechanism *m, size_t n, struct outcome *outcome);

/* Lets @n timers expire, evenly over a second. Needs @arm, sets @deliver. */
void trial_deliver(const struct mechanism *m, size_t n, struct outcome *outcome);

/* Lets @n timers expire at one tick. Needs @arm, sets @drain. */
void trial_drain(const struct mechanism *m, size_t n, struct outcome *outcome);

/*
 * Runs a trial in a process of its own. If a timer was due before all were armed, runs
 * the trial again with twice the patience.
 */
void run_trial(void (*trial)(const struct mechanism *m, size_t n,
			     struct outcome *outcome),
	       const struct mechanism *m, size_t n, struct outcome *outcome);

#endif /* _TRIAL_H */
