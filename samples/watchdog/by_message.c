// SPDX-License-Identifier: MIT
/*
 * A peer of the supervisor: each worker sends "WATCHDOG=1" to an AF_UNIX socket, as
 * sd_notify(3) does. The kernel adds the sender's pid to the message.
 *
 * All workers have the same time between message and deadline. So a list of the workers
 * in the order of their latest messages is also in the order of their deadlines.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

enum { ROOM = 16, TEXT = 64 };

/**
 * struct entry - a worker in the list
 * @before: The worker with the next earlier deadline.
 * @after: The worker with the next later deadline.
 * @heard_ns: When the latest message came.
 * @listed: It is in the list.
 */
struct entry {
	__u32	before;
	__u32	after;
	__u64	heard_ns;
	bool	listed;
};

/* The head of the list is the entry after the last worker's. */
static struct entry *entries;
static __u32 head;

/* The worker of each pid, plus 1. */
static __u32 *worker_of;
static pid_t highest_pid;

static void list_remove(__u32 n)
{
	entries[entries[n].before].after = entries[n].after;
	entries[entries[n].after].before = entries[n].before;
	entries[n].listed = false;
}

static void list_append(__u32 n, __u64 at)
{
	entries[n] = (struct entry){ entries[head].before, head, at, true };
	entries[entries[head].before].after = n;
	entries[head].before = n;
}

static void make_list(const struct watchdog *w)
{
	const __u64 at = now();
	__u32 n;

	head = w->options.workers;
	entries = calloc(head + 1, sizeof(*entries));
	for (n = 0; n < head; n++)
		if (w->workers[n].pid > highest_pid)
			highest_pid = w->workers[n].pid;
	worker_of = calloc(highest_pid + 1, sizeof(*worker_of));
	if (!entries || !worker_of)
		errx(EXIT_FAILURE, "no memory");
	entries[head].before = head;
	entries[head].after = head;
	for (n = 0; n < head; n++) {
		worker_of[w->workers[n].pid] = n + 1;
		list_append(n, at);
	}
}

/* The worker that has sent the message, plus 1; 0 if the message makes no sense. */
static __u32 sender(struct msghdr *header, size_t length)
{
	const struct cmsghdr *control = CMSG_FIRSTHDR(header);
	struct ucred from;

	if (!control || control->cmsg_type != SCM_CREDENTIALS || length < 10 ||
	    memcmp(header->msg_iov->iov_base, "WATCHDOG=1", 10))
		return 0;
	memcpy(&from, CMSG_DATA(control), sizeof(from));
	return from.pid > 0 && from.pid <= highest_pid ? worker_of[from.pid] : 0;
}

/* Read the messages that have come. */
static void receive(const struct watchdog *w)
{
	static char texts[ROOM][TEXT], controls[ROOM][CMSG_SPACE(sizeof(struct ucred))];
	struct mmsghdr messages[ROOM];
	struct iovec vectors[ROOM];
	const __u64 at = now();
	int i, got;

	for (i = 0; i < ROOM; i++) {
		vectors[i] = (struct iovec){ texts[i], TEXT };
		messages[i].msg_hdr = (struct msghdr){
			.msg_iov = &vectors[i],
			.msg_iovlen = 1,
			.msg_control = controls[i],
			.msg_controllen = sizeof(controls[i]),
		};
	}
	got = recvmmsg(w->notify[0], messages, ROOM, MSG_DONTWAIT, NULL);
	for (i = 0; i < got; i++) {
		const __u32 found = sender(&messages[i].msg_hdr, messages[i].msg_len);

		if (found && entries[found - 1].listed) {
			list_remove(found - 1);
			list_append(found - 1, at);
		}
	}
}

/* Note the workers whose deadline has come. Returns the time until the next one, in ns. */
static __u64 expire(struct watchdog *w)
{
	const __u64 at = now();
	__u32 n;

	for (n = entries[head].after; n != head; n = entries[head].after) {
		const __u64 deadline = entries[n].heard_ns + w->options.lease_ns;

		if (deadline > at)
			return deadline - at;
		watcher_note(&w->workers[n], BY_MESSAGE, at, false);
		list_remove(n);
	}
	return w->options.lease_ns;
}

void by_message_run(struct watchdog *w)
{
	struct pollfd waits = { .fd = w->notify[0], .events = POLLIN };

	make_list(w);
	for (;;) {
		const __u64 left = expire(w);
		const struct timespec timeout = { left / 1000000000, left % 1000000000 };

		if (ppoll(&waits, 1, &timeout, NULL) > 0)
			receive(w);
	}
}
