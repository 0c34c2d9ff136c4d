/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Extensions against expiry: one thread pushes deadlines back while another runs the
 * wheel.
 */
#ifndef _TWHEEL_KUNIT_RACE_H
#define _TWHEEL_KUNIT_RACE_H

#include "wheel_test.h"

/* Timers that are due on each tick. */
#define RACE_WIDTH	16U

/**
 * struct race_plan - a race
 * @ticks: The last tick for which timers are armed; the first one is tick 1.
 * @slack: The slack of every timer.
 * @reach: How many timers the extending thread extends in a round.
 * @first: Finds the first of these timers for a hand at @clk: the one that the wheel is
 *	about to take.
 */
struct race_plan {
	unsigned int	ticks;
	u64		slack;
	unsigned int	reach;
	unsigned int	(*first)(const struct race_plan *plan, u64 clk);
};

void race_run(struct kunit *test, const struct race_plan *plan);

#endif /* _TWHEEL_KUNIT_RACE_H */
