// SPDX-License-Identifier: GPL-2.0
#include "virtual.h"

void need_time_travel(void)
{
	if (!time_travel)
		skip("only in time travel");
}

void sleep_for(__u64 delay_ns)
{
	const struct timespec time = {
		.tv_sec = delay_ns / NSEC_PER_SEC,
		.tv_nsec = delay_ns % NSEC_PER_SEC,
	};

	ASSERT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
}
