/* SPDX-License-Identifier: GPL-2.0 */
/* An epoll instance that watches one descriptor. */
#ifndef _ONE_EPOLL_H
#define _ONE_EPOLL_H

#include <stdbool.h>
#include <sys/epoll.h>

int new_epoll(int fd, unsigned int events);

/* What epoll reports within @timeout_ms, or 0; -1 waits without end. */
unsigned int epoll_events(int epoll, int timeout_ms);

/* Whether it reports EPOLLIN. It must report nothing else. */
bool epoll_reports(int epoll, int timeout_ms);

#endif /* _ONE_EPOLL_H */
