/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A parameter of two suites: slacks around the values at which a level begins to fit
 * into the window, and slacks beyond every level.
 */
#ifndef _TWHEEL_KUNIT_SLACKS_H
#define _TWHEEL_KUNIT_SLACKS_H

#include "suites.h"

static const u64 slacks[] = {
	0, 1, 64, 127, 128, 129, 1000, 8191, 8192, 8193, 100000, 524287, 524288,
	33554431, 33554432, 2147483647, 2147483648, 1ULL << 40, U64_MAX,
};

TEST_PARAM(slack, slacks, "slack %llu", *p);

#endif /* _TWHEEL_KUNIT_SLACKS_H */
