// SPDX-License-Identifier: GPL-2.0
/*
 * One io_uring timeout for each timeout, all on one ring. Uses the system calls without
 * a library. A call submits 1024 operations, or a single one.
 *
 * To change or cancel a timeout, the kernel searches a list of all timeouts.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "measure.h"
#include "mechanism.h"

#define BATCH	1024
/* The kernel's limit. Further completions wait in the kernel. */
#define CQ_MAX	65536

/* Flag in user_data: an operation that changes or cancels a timeout. */
#define CONTROL	(1ull << 63)

/* From Linux 6.0 and 6.1; the installed header may be older. */
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER	(1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN	(1U << 13)
#endif

static int ring;
static unsigned int batch = BATCH;
static struct io_uring_params params;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static unsigned int *sq_tail, *sq_array, sq_mask;
static unsigned int *cq_head, *cq_tail, cq_mask;
static struct __kernel_timespec *times;

static void enter(unsigned int submit, unsigned int wait)
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
	params.cq_entries = n < 2 * BATCH ? 2 * BATCH : n > CQ_MAX ? CQ_MAX : n;
	return (int)syscall(__NR_io_uring_setup, BATCH, &params);
}

static void *map(size_t size, off_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			ring, offset);

	if (at == MAP_FAILED)
		die(errno, "mmap of io_uring");
	return at;
}

static void open_uring(size_t n)
{
	char *sq, *cq;
	unsigned int i;

	/* With these flags completions are cheapest; older kernels do not have them. */
	ring = set_up(n, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (ring < 0)
		ring = set_up(n, 0);
	if (ring < 0)
		die(errno, "io_uring_setup");
	sq = map(params.sq_off.array + params.sq_entries * sizeof(*sq_array),
		 IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes + params.cq_entries * sizeof(*cqes),
		 IORING_OFF_CQ_RING);
	sqes = map(params.sq_entries * sizeof(*sqes), IORING_OFF_SQES);
	sq_tail = (unsigned int *)(sq + params.sq_off.tail);
	sq_array = (unsigned int *)(sq + params.sq_off.array);
	sq_mask = params.sq_entries - 1;
	cq_head = (unsigned int *)(cq + params.cq_off.head);
	cq_tail = (unsigned int *)(cq + params.cq_off.tail);
	cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	cq_mask = params.cq_entries - 1;
	for (i = 0; i < params.sq_entries; i++)
		sq_array[i] = i;
	times = allocate(BATCH * sizeof(*times));
}

static void open_single(size_t n)
{
	batch = 1;
	open_uring(n);
}

/* Clears and returns the submission queue's entry at @i places after the tail. */
static struct io_uring_sqe *get_sqe(unsigned int i)
{
	struct io_uring_sqe *sqe = &sqes[(*sq_tail + i) & sq_mask];

	memset(sqe, 0, sizeof(*sqe));
	return sqe;
}

static void submit(unsigned int count, unsigned int wait)
{
	__atomic_store_n(sq_tail, *sq_tail + count, __ATOMIC_RELEASE);
	enter(count, wait);
}

/*
 * Takes all entries of the completion queue. Returns how many timeouts have ended, which
 * must be with @result. Adds to @controls the number of other operations, which must have
 * succeeded.
 */
static size_t reap(int result, size_t *controls)
{
	unsigned int head = *cq_head;
	unsigned int tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
	const struct io_uring_cqe *cqe;
	size_t ended = 0;

	for (; head != tail; head++) {
		cqe = &cqes[head & cq_mask];
		if (cqe->res != (cqe->user_data & CONTROL ? 0 : result))
			die(-cqe->res, "completion of %llx",
			    (unsigned long long)cqe->user_data);
		if (cqe->user_data & CONTROL)
			(*controls)++;
		else
			ended++;
	}
	__atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
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

static void arm_uring(const uint64_t *deadline, size_t first, size_t n)
{
	struct io_uring_sqe *sqe;
	unsigned int i, count;
	size_t done;

	for (done = first; done < first + n; done += count) {
		count = batch_at(done, first + n);
		for (i = 0; i < count; i++) {
			set_time(i, deadline[done + i]);
			sqe = get_sqe(i);
			sqe->opcode = IORING_OP_TIMEOUT;
			sqe->fd = -1;
			sqe->addr = (uintptr_t)&times[i];
			sqe->len = 1;
			sqe->timeout_flags = IORING_TIMEOUT_ABS;
			sqe->user_data = done + i;
		}
		submit(count, 0);
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
			sqe = get_sqe(i);
			sqe->opcode = IORING_OP_TIMEOUT_REMOVE;
			sqe->fd = -1;
			sqe->addr = order[done + i];
			sqe->addr2 = (uintptr_t)&times[i];
			sqe->timeout_flags = IORING_TIMEOUT_UPDATE | IORING_TIMEOUT_ABS;
			sqe->user_data = CONTROL;
		}
		submit(count, count);
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
			sqe = get_sqe(i);
			sqe->opcode = IORING_OP_TIMEOUT_REMOVE;
			sqe->fd = -1;
			sqe->addr = order[done + i];
			sqe->user_data = CONTROL;
		}
		submit(count, 2 * count);
		ended = 0;
		controls = 0;
		for (;;) {
			ended += reap(-ECANCELED, &controls);
			if (ended == count && controls == count)
				break;
			enter(0, 1);
		}
	}
}

static size_t take_uring(void)
{
	size_t controls = 0;

	enter(0, 1);
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
	.take = take_uring,
	.linear = true,
};
