// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the times of clocks, for programs and for the kernel
 */
#include <linux/ktime.h>
#include <linux/nsproxy.h>
#include <linux/time_namespace.h>
#include "time.h"

/**
 * twheel_time_now - read a clock
 * @clockid: The clock.
 *
 * Return: The time in ns.
 */
s64 twheel_time_now(clockid_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return ktime_get_real_ns();
	case CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	default:
		return ktime_get_ns();
	}
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
