// SPDX-License-Identifier: GPL-2.0
/*
 * One io_uring timeout for each timeout, all on one ring. A call submits 1024 operations,
 * or a single one.
 *
 * To change or cancel a timeout, the kernel searches a list of all timeouts.
 */
#include "io_ring.h"
#include "measure.h"

#define BATCH	IO_RING_ENTRIES

/* Flag in user_data: an operation that changes or cancels a timeout. */
#define CONTROL	(1ull << 63)

static unsigned int batch = BATCH;
static struct __kernel_timespec *times;

static void open_uring(size_t n)
{
	io_ring_open(n);
	times = allocate(BATCH * sizeof(*times));
}

static void open_single(size_t n)
{
	batch = 1;
	open_uring(n);
}

/*
 * Takes all entries of the completion queue. Returns how many timeouts have ended, which
 * must be with @result. Adds to @controls the number of other operations, which must have
 * succeeded.
 */
static size_t reap(int result, size_t *controls)
{
	unsigned int head, n = 0;
	struct io_uring_cqe *cqe;
	size_t ended = 0;

	io_uring_for_each_cqe(&io_ring, head, cqe) {
		n++;
		if (cqe->res != (cqe->user_data & CONTROL ? 0 : result))
			die(-cqe->res, "completion of %llx",
			    (unsigned long long)cqe->user_data);
		if (cqe->user_data & CONTROL)
			(*controls)++;
		else
			ended++;
	}
	io_uring_cq_advance(&io_ring, n);
	return ended;
}

static void set_time(unsigned int i, uint64_t deadline)
{
	times[i].tv_sec = (long long)(deadline / NSEC);
	times[i].tv_nsec = (long long)(deadline % NSEC);
}

static unsigned int batch_at(size_t done, size_t n)
{
	return n - done < batch ? (unsigned int)(n - done) : batch;
}

static void arm_uring(const uint64_t *deadline, size_t n)
{
	struct io_uring_sqe *sqe;
	unsigned int i, count;
	size_t done;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++) {
			set_time(i, deadline[done + i]);
			sqe = io_uring_get_sqe(&io_ring);
			io_uring_prep_timeout(sqe, &times[i], 0, IORING_TIMEOUT_ABS);
			sqe->user_data = done + i;
		}
		io_ring_submit(count, 0);
	}
}

static void extend_uring(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	struct io_uring_sqe *sqe;
	unsigned int i, count;
	size_t done, controls;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++) {
			set_time(i, deadline[done + i]);
			sqe = io_uring_get_sqe(&io_ring);
			io_uring_prep_timeout_update(sqe, &times[i], order[done + i],
						     IORING_TIMEOUT_ABS);
			sqe->user_data = CONTROL;
		}
		io_ring_submit(count, count);
		for (controls = 0; controls < count; )
			if (reap(-ETIME, &controls))
				die(0, "an io_uring timeout expired too soon");
	}
}

static void cancel_uring(const uint32_t *order, size_t n)
{
	size_t done, ended, controls;
	struct io_uring_sqe *sqe;
	unsigned int i, count;

	for (done = 0; done < n; done += count) {
		count = batch_at(done, n);
		for (i = 0; i < count; i++) {
			sqe = io_uring_get_sqe(&io_ring);
			io_uring_prep_timeout_remove(sqe, order[done + i], 0);
			sqe->user_data = CONTROL;
		}
		io_ring_submit(count, 2 * count);
		ended = 0;
		controls = 0;
		for (;;) {
			ended += reap(-ECANCELED, &controls);
			if (ended == count && controls == count)
				break;
			io_ring_submit(0, 1);
		}
	}
}

static size_t take_uring(void)
{
	size_t controls = 0;

	io_ring_submit(0, 1);
	return reap(-ETIME, &controls);
}

const struct mechanism uring = {
	.name = "io_uring",
	.open = open_uring,
	.arm = arm_uring,
	.extend = extend_uring,
	.cancel = cancel_uring,
	.take = take_uring,
	.linear = true,
};

const struct mechanism uring_single = {
	.name = "io_uring_single",
	.open = open_single,
	.arm = arm_uring,
	.extend = extend_uring,
	.cancel = cancel_uring,
	.linear = true,
};
