// SPDX-License-Identifier: GPL-2.0
/*
 * An io_uring without a library.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "io_ring.h"
#include "measure.h"

/* The kernel's limit. Further completions wait in the kernel. */
#define CQ_MAX	65536

/* From Linux 6.0 and 6.1; the installed header may be older. */
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER	(1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN	(1U << 13)
#endif

struct io_ring io_ring;

static int ring;
static struct io_uring_params params;

void io_ring_enter(unsigned int submit, unsigned int wait)
{
	long n;

	do {
		n = syscall(__NR_io_uring_enter, ring, submit, wait,
			    IORING_ENTER_GETEVENTS, NULL, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		die(errno, "io_uring_enter");
	if ((unsigned int)n != submit)
		die(0, "io_uring took %ld of %u operations", n, submit);
}

static int set_up(size_t n, unsigned int flags)
{
	memset(&params, 0, sizeof(params));
	params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | flags;
	params.cq_entries = n < 2 * IO_RING_ENTRIES ? 2 * IO_RING_ENTRIES :
			    n > CQ_MAX ? CQ_MAX : n;
	return (int)syscall(__NR_io_uring_setup, IO_RING_ENTRIES, &params);
}

static void *map(size_t size, off_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			ring, offset);

	if (at == MAP_FAILED)
		die(errno, "mmap of io_uring");
	return at;
}

void io_ring_open(size_t completions)
{
	unsigned int i, *sq_array;
	char *sq, *cq;

	/* With these flags completions are cheapest; older kernels do not have them. */
	ring = set_up(completions, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (ring < 0)
		ring = set_up(completions, 0);
	if (ring < 0)
		die(errno, "io_uring_setup");
	sq = map(params.sq_off.array + params.sq_entries * sizeof(*sq_array),
		 IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes + params.cq_entries * sizeof(*io_ring.cqes),
		 IORING_OFF_CQ_RING);
	io_ring.sqes = map(params.sq_entries * sizeof(*io_ring.sqes), IORING_OFF_SQES);
	io_ring.sq_tail = (unsigned int *)(sq + params.sq_off.tail);
	sq_array = (unsigned int *)(sq + params.sq_off.array);
	io_ring.sq_mask = params.sq_entries - 1;
	io_ring.cq_head = (unsigned int *)(cq + params.cq_off.head);
	io_ring.cq_tail = (unsigned int *)(cq + params.cq_off.tail);
	io_ring.cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	io_ring.cq_mask = params.cq_entries - 1;
	for (i = 0; i < params.sq_entries; i++)
		sq_array[i] = i;
}

void io_ring_submit(unsigned int count, unsigned int wait)
{
	__atomic_store_n(io_ring.sq_tail, *io_ring.sq_tail + count, __ATOMIC_RELEASE);
	io_ring_enter(count, wait);
}

int io_ring_take(void)
{
	unsigned int head = *io_ring.cq_head;
	int result;

	if (__atomic_load_n(io_ring.cq_tail, __ATOMIC_ACQUIRE) == head)
		die(0, "no completion of io_uring");
	result = io_ring.cqes[head & io_ring.cq_mask].res;
	__atomic_store_n(io_ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return result;
}
