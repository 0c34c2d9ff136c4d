// SPDX-License-Identifier: GPL-2.0
/*
 * The socket of sd_notify(3)
 *
 * Its name is abstract, so no file stays behind. Any user can send to such a name: the kernel
 * vouches for the sender.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "notify.h"
#include "report.h"
#include "run.h"

#define NOTIFY_SOCKET	"NOTIFY_SOCKET"

enum {
	MOST_BYTES	= 4096,		/* as in systemd */
	MOST_MESSAGES	= 512,		/* likewise: so many may wait */
	MOST_FDS	= 253,		/* of a message, as in the kernel */
	NSEC_PER_USEC	= 1000,
};

/**
 * struct message - a datagram with its sender and its descriptors
 * @text: What it says.
 * @size: The length of @text, or -1 if there is no datagram that can be used.
 * @sender: The process.
 * @fds: The descriptors.
 * @count: How many they are.
 */
struct message {
	char		text[MOST_BYTES + 1];
	ssize_t		size;
	struct ucred	sender;
	int		fds[MOST_FDS];
	size_t		count;
};

int notify_open(void)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
	const struct sockaddr_un name = { .sun_family = AF_UNIX };

	/* The kernel chooses a name. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&name, sizeof(name.sun_family)))
		return -errno;
	return fd;
}

void notify_set_variables(int socket, uint64_t lease_ns)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(name);

	getsockname(socket, (struct sockaddr *)&name, &size);
	name.sun_path[0] = '@';
	setenv(NOTIFY_SOCKET, name.sun_path, 1);
	run_set_variable("WATCHDOG_USEC", lease_ns / NSEC_PER_USEC);
	/* Any process of the command may push. */
	unsetenv("WATCHDOG_PID");
}

/* Returns whether there was a datagram. */
static bool receive(int socket, struct message *message)
{
	char control[CMSG_SPACE(sizeof(message->fds)) + CMSG_SPACE(sizeof(struct ucred))];
	struct iovec part = { .iov_base = message->text, .iov_len = MOST_BYTES };
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	message->count = 0;
	message->size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	if (message->size < 0)
		return false;
	for (c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&message->sender, CMSG_DATA(c), sizeof(message->sender));
		} else if (c->cmsg_type == SCM_RIGHTS) {
			message->count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(message->fds, CMSG_DATA(c), message->count * sizeof(int));
		}
	}
	if (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		message->size = -1;
	else
		message->text[message->size] = 0;
	return true;
}

/* Send a message to the socket that the tool has been told of. */
static void pass_on(int socket, const struct message *message)
{
	const size_t size = message->count * sizeof(int);
	char control[CMSG_SPACE(sizeof(message->fds))] = { 0 };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const char *path = getenv(NOTIFY_SOCKET);
	struct iovec part = {
		.iov_base = (char *)message->text,
		.iov_len = (size_t)message->size,
	};
	struct msghdr header = { .msg_name = &name, .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (!path || strlen(path) >= sizeof(name.sun_path))
		return;
	memcpy(name.sun_path, path, strlen(path));
	if (*path == '@')
		name.sun_path[0] = 0;
	header.msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (size) {
		header.msg_control = control;
		header.msg_controllen = CMSG_SPACE(size);
		c = CMSG_FIRSTHDR(&header);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(c), message->fds, size);
	}
	/* The command's pushes must not wait for another program. */
	if (sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		report("run: --notify: %s: %s", path, strerror(errno));
}

static unsigned int parse(char *text)
{
	unsigned int said = 0;
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		said |= !strcmp(line, "WATCHDOG=1") ? NOTIFY_WATCHDOG :
			!strcmp(line, "READY=1") ? NOTIFY_READY :
			!strcmp(line, "STOPPING=1") ? NOTIFY_STOPPING : 0;
	return said;
}

static bool is_of_command(const struct ucred *sender, pid_t group)
{
	return !sender->uid || sender->uid == getuid() || getpgid(sender->pid) == group;
}

static unsigned int serve(int socket, struct message *message, pid_t group)
{
	if (is_of_command(&message->sender, group)) {
		pass_on(socket, message);
		return parse(message->text);
	}
	report("run: --notify: process %d is not of the command; its message is ignored",
	       message->sender.pid);
	return 0;
}

unsigned int notify_receive(int socket, pid_t group)
{
	static struct message message;
	unsigned int said = 0, n;

	for (n = 0; n < MOST_MESSAGES && receive(socket, &message); n++) {
		if (message.size >= 0)
			said |= serve(socket, &message, group);
		while (message.count)
			close(message.fds[--message.count]);
	}
	return said;
}
