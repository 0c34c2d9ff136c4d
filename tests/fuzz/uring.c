// SPDX-License-Identifier: GPL-2.0
/*
 * The next ioctl of a thread as a command of io_uring. Each command has a ring of its
 * own, which ends with it, so that nothing is left of it when the program ends.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/twheel.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "world.h"

enum { ASYNC = 2 };		/* a bit of @uring_mode: in a thread of io_uring */

__thread unsigned int uring_mode;

/* A ring of one entry, in a kernel that maps both queues at once: 5.4. */
struct ring {
	int			fd;
	struct io_uring_params	params;
	char			*queues;
	size_t			size;
	struct io_uring_sqe	*sqe;
};

static bool open_ring(struct ring *ring)
{
	struct io_uring_params *p = &ring->params;

	*ring = (struct ring){ };
	ring->fd = syscall(SYS_io_uring_setup, 1, p);
	if (ring->fd < 0)
		return false;
	ring->size = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	ring->queues = mmap(NULL, ring->size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->sqe = mmap(NULL, MEMORY_PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	return ring->queues != MAP_FAILED && ring->sqe != MAP_FAILED;
}

static void close_ring(const struct ring *ring)
{
	if (ring->fd < 0)
		return;
	if (ring->queues != MAP_FAILED)
		munmap(ring->queues, ring->size);
	if (ring->sqe != MAP_FAILED)
		munmap(ring->sqe, MEMORY_PAGE);
	close(ring->fd);
}

static unsigned int *at(const struct ring *ring, __u32 offset)
{
	return (unsigned int *)(ring->queues + offset);
}

/* Submit the request, and wait for its result: a command ends by itself. */
static long run_request(const struct ring *ring)
{
	const struct io_uring_cqe *cqe = (void *)(ring->queues + ring->params.cq_off.cqes);
	long ret;

	__atomic_store_n(at(ring, ring->params.sq_off.tail), 1, __ATOMIC_RELEASE);
	ret = SYSCALL(syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS,
			      NULL, 0));
	if (ret < 0 && *at(ring, ring->params.sq_off.head) == 0)
		return ret;
	while (!__atomic_load_n(at(ring, ring->params.cq_off.tail), __ATOMIC_ACQUIRE))
		syscall(SYS_io_uring_enter, ring->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	return cqe->res;
}

/* Make the call of an ioctl as a command. Returns its result or a negative errno. */
long uring_issue(int fd, __u32 request, __u64 arg)
{
	const struct twheel_uring_cmd payload = { .arg = arg, .reserved = uring_mode >> 2 };
	const bool async = uring_mode & ASYNC;
	struct ring ring;
	long ret = -EMFILE;

	uring_mode = 0;
	if (open_ring(&ring)) {
		*ring.sqe = (struct io_uring_sqe){
			.opcode = IORING_OP_URING_CMD,
			.flags = async ? IOSQE_ASYNC : 0,
			.fd = fd,
			.cmd_op = request,
		};
		memcpy(ring.sqe->cmd, &payload, sizeof(payload));
		ret = run_request(&ring);
	}
	close_ring(&ring);
	return ret;
}
