// SPDX-License-Identifier: MIT
/*
 * A peer of the supervisor: a pidfd for each worker. It becomes readable when the process
 * has ended. A process that hangs has not ended.
 */
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

enum { ROOM = 64 };

/* Older C libraries lack pidfd_open(). */
static void add_worker(int epoll, const struct worker *worker, __u64 n)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = n };
	const int pidfd = (int)syscall(SYS_pidfd_open, worker->pid, 0);

	if (pidfd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, pidfd, &event))
		err(EXIT_FAILURE, "cannot watch process %d", worker->pid);
}

void by_pidfd_run(struct watchdog *w)
{
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[ROOM];
	__u64 n;

	for (n = 0; n < w->options.workers; n++)
		add_worker(epoll, &w->workers[n], n);
	for (;;) {
		const int got = epoll_wait(epoll, events, ROOM, -1);
		const __u64 at = now();
		int i;

		for (i = 0; i < got; i++)
			watcher_note(&w->workers[events[i].data.u64], BY_PIDFD, at, true);
	}
}
