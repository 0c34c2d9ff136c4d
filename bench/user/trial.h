/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One mechanism, used once.
 */
#ifndef _TRIAL_H
#define _TRIAL_H

#include <stddef.h>
#include "mechanism.h"

/**
 * struct outcome - what a trial has measured; NaN for what it has not
 * @arm: ns for each timer.
 * @extend: ns for each.
 * @cancel: ns for each.
 * @bytes: Memory that was available before and is not afterwards, for each.
 * @slab: The part of it that is slab.
 * @deliver: CPU time of the machine in ns, for each.
 * @drain: ns for each.
 * @patience: By how much arming may take longer than @arm says.
 */
struct outcome {
	double arm;
	double extend;
	double cancel;
	double bytes;
	double slab;
	double deliver;
	double drain;
	double patience;
};

/* Arms @n timers, extends them all, and cancels them all. */
void trial_operations(const struct mechanism *m, size_t n, struct outcome *outcome);

/* Lets @n timers expire, evenly over a second. @arm must be known. */
void trial_deliver(const struct mechanism *m, size_t n, struct outcome *outcome);

/* Lets @n timers expire at one tick. @arm must be known. */
void trial_drain(const struct mechanism *m, size_t n, struct outcome *outcome);

/* Runs one of these in a process of its own; again if it was not ready in time. */
void run_trial(void (*trial)(const struct mechanism *m, size_t n,
			     struct outcome *outcome),
	       const struct mechanism *m, size_t n, struct outcome *outcome);

#endif /* _TRIAL_H */
