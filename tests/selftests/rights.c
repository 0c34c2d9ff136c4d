// SPDX-License-Identifier: GPL-2.0
#include "rights.h"

#include <sys/socket.h>

#include "device.h"

/* A message of one byte, with room for one descriptor. */
struct message {
	struct msghdr	head;
	struct iovec	piece;
	char		byte;
	char		control[CMSG_SPACE(sizeof(int))];
};

static void init_message(struct message *message)
{
	*message = (struct message){ .byte = 'x' };
	message->piece = (struct iovec){ &message->byte, 1 };
	message->head = (struct msghdr){
		.msg_iov = &message->piece,
		.msg_iovlen = 1,
		.msg_control = message->control,
		.msg_controllen = sizeof(message->control),
	};
}

void send_descriptor(int sock, int fd)
{
	struct message message;
	struct cmsghdr *head;

	init_message(&message);
	head = CMSG_FIRSTHDR(&message.head);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(int));
	CALL(sendmsg(sock, &message.head, 0));
}

int receive_descriptor(int sock)
{
	struct message message;
	int fd;

	init_message(&message);
	ASSERT_EQ(CALL(recvmsg(sock, &message.head, 0)), 1);
	ASSERT(CMSG_FIRSTHDR(&message.head));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message.head)), sizeof(int));
	return fd;
}
