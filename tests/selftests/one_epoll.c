// SPDX-License-Identifier: GPL-2.0
#include "one_epoll.h"

#include "device.h"

int new_epoll(int fd, unsigned int events)
{
	const int epoll = CALL(epoll_create1(0));
	struct epoll_event event = { .events = events, .data.fd = fd };

	CALL(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	return epoll;
}

unsigned int epoll_events(int epoll, int timeout_ms)
{
	struct epoll_event event = { };

	CALL(epoll_wait(epoll, &event, 1, timeout_ms));
	return event.events;
}

bool epoll_reports(int epoll, int timeout_ms)
{
	const unsigned int events = epoll_events(epoll, timeout_ms);

	ASSERT_EQ(events & ~EPOLLIN, 0);
	return events;
}
