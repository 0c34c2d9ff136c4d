// SPDX-License-Identifier: GPL-2.0
/* Leases: how many a user may have. They count for the user who opened the descriptor. */
#include <sys/socket.h>

#include "holder.h"
#include "rights.h"
#include "user.h"

enum { LIMIT = 10 };

#define LIMIT_TEST(id) PARAMETER_TEST(id, "max_leases_user", LIMIT)

static void make_leases(int fd, int *leases, unsigned int count)
{
	__u64 handle;
	unsigned int i;

	for (i = 0; i < count; i++)
		leases[i] = lease_of_new_timer(fd, &handle, ON_CLOSE);
}

/* Check that no lease can be made, and that trying changes nothing. */
static void check_no_room(int fd)
{
	const __u64 handle = add(fd, LONG, 1);
	const unsigned long long before = leases_of(fd);

	ASSERT_EQ(try_lease(fd, handle, LONG, ON_CLOSE), -EDQUOT);
	ASSERT_EQ(leases_of(fd), before);
	ASSERT(!is_leased(fd, handle));
	ASSERT_EQ(get_info(fd).unread, 0);
	ASSERT_EQ(cancel(fd, handle), 0);
}

LIMIT_TEST(each_end_makes_room)
{
	const int fd = open_as(ALICE), other = open_device(0);
	struct twheel_op op;
	int leases[LIMIT], one;
	__u64 handle;

	make_leases(fd, leases, LIMIT - 1);

	one = lease_of_new_timer(other, &handle, 0);
	check_no_room(fd);
	ASSERT_EQ(cancel(other, handle), 0);
	/* The descriptor of a lease that has ended does not count. */
	one = lease_of_new_timer(other, &handle, 0);
	check_no_room(fd);
	ASSERT_EQ(change(other, handle, 0), 0);
	wait_for_event(other);
	one = lease_of_new_timer(other, &handle, 0);
	check_no_room(fd);
	close(one);
	ASSERT_EQ(cancel(other, handle), 0);
	one = lease_of_new_timer(other, &handle, ON_CLOSE);
	check_no_room(fd);
	close(one);
	one = lease_of_new_timer(other, &handle, 0);
	check_no_room(fd);
	ASSERT_EQ(drain(other, &op, 1), 1);
	resume(other);
	one = lease_of_new_timer(other, &handle, 0);
	check_no_room(fd);
	close(other);
	make_leases(fd, &one, 1);
	check_no_room(fd);
}

/* A holder that another user is cannot use up the limit of the owner, nor its own. */
static void hold_for_ever(void *data)
{
	int leases[LIMIT], i;

	become(BOB);
	for (i = 0; i < LIMIT; i++)
		leases[i] = receive_descriptor(*(int *)data);
	make_leases(open_device(0), leases, LIMIT);
	tell(*(int *)data);
	wait_to_be_killed(NULL);
}

LIMIT_TEST(holder_is_not_charged)
{
	int leases[LIMIT], sockets[2], fd, i;
	pid_t child;

	CALL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	child = start(hold_for_ever, &sockets[1]);
	fd = open_as(ALICE);
	make_leases(fd, leases, LIMIT);
	for (i = 0; i < LIMIT; i++) {
		send_descriptor(sockets[0], leases[i]);
		close(leases[i]);
	}
	hear(sockets[0]);
	check_no_room(fd);
	close(fd);
	/* BOB still has the descriptors of ALICE's leases. */
	make_leases(open_device(0), leases, LIMIT);
	kill_child(child);
}

LIMIT_TEST(capability_exceeds_the_limit)
{
	int leases[2 * LIMIT];

	make_leases(open_device(0), leases, 2 * LIMIT);
}
