/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers that must run on their very tick, in one of several tries.
 */
#ifndef _TWHEEL_KUNIT_AIM_H
#define _TWHEEL_KUNIT_AIM_H

#include <linux/timer.h>
#include "engine_test.h"

/**
 * struct aim - a timer that must run on its very tick
 * @cpu: Where to arm it.
 * @ticks: How many ticks ahead.
 * @probe: The timer of the present try.
 * @plain: A plain kernel timer for the same tick.
 * @plain_tick: The tick at which the plain timer ran; 0 if it has not.
 * @met: In some try, the timer ran on its tick, or no later than the plain timer.
 *
 * The case sets @cpu and @ticks; the rest is 0.
 */
struct aim {
	unsigned int		cpu;
	unsigned int		ticks;
	struct probe		*probe;
	struct timer_list	plain;
	u64			plain_tick;
	bool			met;
};

void aim_expect_met(struct kunit *test, struct aim *aim, unsigned int n, u64 late);

#endif /* _TWHEEL_KUNIT_AIM_H */
