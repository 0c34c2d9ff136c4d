// SPDX-License-Identifier: GPL-2.0
/*
 * One timerfd for all timeouts of a backend.
 */
#include <sys/timerfd.h>
#include "backend.h"
#include "measure.h"

static int timer;
/* In ns of CLOCK_MONOTONIC; UINT64_MAX: not set */
static uint64_t set_to = UINT64_MAX;

int alarm_open(void)
{
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return timer < 0 ? -errno : timer;
}

int alarm_at(uint64_t when)
{
	struct itimerspec its = { .it_value = to_timespec(when) };

	/* An alarm that is too early costs less than a system call at each change. */
	if (when >= set_to)
		return 0;
	set_to = when;
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &its, NULL) ? -errno : 0;
}

void alarm_stop(void)
{
	uint64_t expirations;

	/* If there is nothing to read, the alarm has not expired. alarm_at() sets it anew. */
	if (read(timer, &expirations, sizeof(expirations)) < 0)
		expirations = 0;
	set_to = UINT64_MAX;
}
