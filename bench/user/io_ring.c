// SPDX-License-Identifier: GPL-2.0
#include "io_ring.h"
#include "measure.h"

/* The kernel's limit. Further completions wait in the kernel. */
#define CQ_MAX	65536

struct io_uring io_ring;

static int set_up(size_t n, unsigned int flags)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | flags,
		.cq_entries = n < 2 * IO_RING_ENTRIES ? 2 * IO_RING_ENTRIES :
			      n > CQ_MAX ? CQ_MAX : n,
	};

	return io_uring_queue_init_params(IO_RING_ENTRIES, &io_ring, &params);
}

void io_ring_open(size_t completions)
{
	/* With these flags completions are cheapest; older kernels do not have them. */
	int error = set_up(completions, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);

	if (error)
		error = set_up(completions, 0);
	if (error)
		die(-error, "io_uring_setup");
}

void io_ring_submit(unsigned int count, unsigned int wait)
{
	int n;

	do {
		n = io_uring_submit_and_wait(&io_ring, wait);
	} while (n == -EINTR);
	if (n != (int)count)
		die(n < 0 ? -n : 0, "io_uring took %d of %u operations", n, count);
}
