// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel: events */
#include <poll.h>
#include <unistd.h>
#include "internal.h"

/* Events in one read(): many, and their size does not overflow. */
#define READ_MAX	65536

API long twheel_read(int fd, struct twheel_event *events, size_t room)
{
	ssize_t size;

	if (room > READ_MAX)
		room = READ_MAX;
	size = read(fd, events, room * sizeof(*events));
	return size < 0 ? -errno : (long)((size_t)size / sizeof(*events));
}

API int twheel_wait(int fd, int timeout_ms)
{
	return twheel_poll(fd, POLLIN, timeout_ms);
}

API int twheel_set_eventfd(int fd, int eventfd)
{
	struct twheel_eventfd argument = { .fd = eventfd };

	return twheel_call(fd, TWHEEL_IOC_EVENTFD, &argument);
}

API int twheel_watch_clock(int fd)
{
	return twheel_call(fd, TWHEEL_IOC_CLOCK_SET, NULL);
}
