// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the times of clocks, for programs and for the kernel
 */
#include <linux/ktime.h>
#include <linux/nsproxy.h>
#include <linux/time_namespace.h>
#include "time.h"

/**
 * twheel_time_ahead - find how far a clock is ahead of CLOCK_MONOTONIC
 * @clockid: A clock that jumps.
 *
 * Return: The distance in ns, now.
 */
s64 twheel_time_ahead(clockid_t clockid)
{
	return ktime_mono_to_any(0, clockid == CLOCK_REALTIME ? TK_OFFS_REAL : TK_OFFS_BOOT);
}

/**
 * twheel_time_offset - get the difference between the caller's clock and the kernel's
 * @clockid: The clock.
 *
 * Return: What the caller's time namespace adds to the clock, in ns.
 */
s64 twheel_time_offset(clockid_t clockid)
{
	struct timespec64 offset = { };

	if (clockid == CLOCK_MONOTONIC)
		timens_add_monotonic(&offset);
	else if (clockid == CLOCK_BOOTTIME)
		timens_add_boottime(&offset);
	return timespec64_to_ns(&offset);
}
