/* SPDX-License-Identifier: GPL-2.0 */
/* An epoll instance that watches one descriptor. */
#ifndef _ONE_EPOLL_H
#define _ONE_EPOLL_H

#include <stdbool.h>
#include <sys/epoll.h>

int new_epoll(int fd, unsigned int events);

/* Whether epoll reports EPOLLIN within @timeout_ms; -1 waits without end. */
bool epoll_reports(int epoll, int timeout_ms);

#endif /* _ONE_EPOLL_H */
