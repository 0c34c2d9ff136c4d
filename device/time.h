/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the times of clocks, for programs and for the kernel
 */
#ifndef _TWHEEL_DEVICE_TIME_H
#define _TWHEEL_DEVICE_TIME_H

#include <linux/overflow.h>
#include <linux/timekeeping.h>
#include "timer_set.h"

/* Adds @ns to a time. The sum saturates at 2^63 - 1. */
static inline s64 twheel_time_add(s64 time, u64 ns)
{
	/* As a u64, the room above @time is exact, also if @time is negative. */
	if (ns > (u64)S64_MAX - (u64)time)
		return S64_MAX;
	return (s64)((u64)time + ns);
}

/* How far a clock is ahead of CLOCK_MONOTONIC now, in ns. */
static inline s64 twheel_time_ahead(clockid_t clockid)
{
	if (likely(clockid == CLOCK_MONOTONIC))
		return 0;
	return ktime_mono_to_any(0, clockid == CLOCK_REALTIME ? TK_OFFS_REAL : TK_OFFS_BOOT);
}

/* What a clock shows at the time @phase. */
static inline s64 twheel_time_at(clockid_t clockid, const struct twheel_phase *phase)
{
	return phase->now + twheel_time_ahead(clockid);
}

/*
 * Converts a time below 2^63 from the program's view of a clock to the kernel's. The
 * result is negative for a time before the kernel's zero, which a time namespace
 * allows. It must not be clamped to 0: a periodic timer counts its periods from it.
 */
static inline s64 twheel_time_to_kernel(const struct timer_set *set,
					clockid_t clockid, u64 time)
{
	s64 offset = set->offset[clockid], result;

	if (check_sub_overflow((s64)time, offset, &result))
		return offset < 0 ? S64_MAX : S64_MIN;
	return result;
}

/* Converts a time from the kernel's view of a clock to the program's. */
static inline u64 twheel_time_to_program(const struct timer_set *set,
					 clockid_t clockid, s64 time)
{
	s64 offset = set->offset[clockid], result;

	/* Then no time is negative. */
	if (likely(!offset))
		return time;
	if (check_add_overflow(time, offset, &result))
		return S64_MAX;
	return max(result, 0LL);
}

#endif /* _TWHEEL_DEVICE_TIME_H */
