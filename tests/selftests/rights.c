// SPDX-License-Identifier: GPL-2.0
#include "rights.h"

#include <sys/socket.h>

#include "device.h"

void send_descriptor(int sock, int fd)
{
	char data = 'x', control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec piece = { &data, 1 };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(int));
	CALL(sendmsg(sock, &message, 0));
}

int receive_descriptor(int sock)
{
	char data, control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec piece = { &data, 1 };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	ASSERT_EQ(CALL(recvmsg(sock, &message, 0)), 1);
	ASSERT(CMSG_FIRSTHDR(&message));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return fd;
}
