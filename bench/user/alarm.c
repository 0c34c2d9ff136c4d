// SPDX-License-Identifier: GPL-2.0
/*
 * One timerfd for all timeouts of a backend.
 */
#include <sys/timerfd.h>
#include "backend.h"
#include "measure.h"

int alarm_open(struct alarm *alarm)
{
	alarm->when = UINT64_MAX;
	alarm->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return alarm->fd < 0 ? -errno : 0;
}

int alarm_at(struct alarm *alarm, uint64_t when)
{
	struct itimerspec its = { .it_value = to_timespec(when) };

	/* An alarm that is too early costs less than a system call at each change. */
	if (when >= alarm->when)
		return 0;
	alarm->when = when;
	return timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &its, NULL) ? -errno : 0;
}

void alarm_stop(struct alarm *alarm)
{
	uint64_t expirations;

	/* If there is nothing to read, the alarm has not expired. alarm_at() sets it anew. */
	if (read(alarm->fd, &expirations, sizeof(expirations)) < 0)
		expirations = 0;
	alarm->when = UINT64_MAX;
}
