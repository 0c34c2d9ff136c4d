/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trials: one mechanism does one kind of work, in a process of its own.
 */
#ifndef _TRIAL_H
#define _TRIAL_H

#include <stddef.h>
#include "mechanism.h"

/* The measurements, per timer, in ns; NaN for figures that were not measured */
struct outcome {
	double arm;		/* to create and arm a timer */
	double extend;		/* to give it a later deadline */
	double cancel;
	double bytes;		/* no ns: what arming takes away from MemAvailable */
	double deliver;		/* CPU time of all CPUs, when timers expire over a second */
	double drain;		/* when all timers expire at one tick */
	/* no measurement: how many times @arm arming may take before @deliver and @drain */
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
