// SPDX-License-Identifier: GPL-2.0
/*
 * Each way to read an event, into each kind of page. A read takes the page faults that it
 * needs: EAGAIN says that there is no event, and nothing else, because a program that gets
 * EAGAIN waits for the next event. While a fault lasts, others can use the descriptor. If
 * the fault fails, the event stays unread.
 */
#include <linux/aio_abi.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "buffer.h"
#include "device.h"
#include "io_ring.h"

/* From Linux 6.7; the header may be older. */
enum { READ_MULTISHOT = 49 };

enum { COOKIE = 0x5a5a5a5a, GROUP = 1 };

/* A way to read an event into a buffer. Returns its size, or a negative errno. */
struct way {
	const char	*name;
	int		(*read)(struct twheel_event *buffer);
	int		open;		/* flags of the descriptor */
	bool		before;		/* the event is there before the call, or comes later */
	bool		has_ring;
	unsigned int	ring;		/* flags of the io_uring */
	unsigned int	request;	/* IOSQE_ flags; a thread reads with IOSQE_ASYNC */
	bool		nowait;		/* with RWF_NOWAIT */
};

static const struct way *way;
static int device;
static struct io_uring_buf_ring *buffers;

static int result_of(ssize_t size)
{
	return size < 0 ? -errno : size;
}

/* Have an event: now, or soon. */
static void expire(void)
{
	add(device, 0, COOKIE);
	if (way->before)
		wait_for_event(device);
}

static int read_plain(struct twheel_event *buffer)
{
	expire();
	return result_of(read(device, buffer, sizeof(*buffer)));
}

static int preadv2_nowait(struct twheel_event *buffer)
{
	struct iovec piece = { buffer, sizeof(*buffer) };

	return result_of(preadv2(device, &piece, 1, -1, RWF_NOWAIT));
}

static int read_nowait(struct twheel_event *buffer)
{
	expire();
	return preadv2_nowait(buffer);
}

static struct io_uring_sqe request(struct twheel_event *buffer)
{
	struct io_uring_sqe sqe = io_ring_read(device, buffer, sizeof(*buffer), 1);

	sqe.flags = way->request;
	if (way->nowait)
		sqe.rw_flags = RWF_NOWAIT;
	return sqe;
}

static int submit_and_wait(struct io_uring_sqe sqe)
{
	if (way->before)
		expire();
	io_ring_submit(sqe);
	if (!way->before)
		expire();
	return io_ring_wait().res;
}

static int uring(struct twheel_event *buffer)
{
	return submit_and_wait(request(buffer));
}

/* Let the kernel choose the buffer: there is one. */
static struct io_uring_sqe request_with_choice(struct twheel_event *buffer)
{
	struct io_uring_sqe sqe = request(NULL);

	if (!buffers) {
		struct io_uring_buf_reg reg = { .ring_entries = 1, .bgid = GROUP };

		buffers = fresh_memory(page_size());
		reg.ring_addr = (unsigned long)buffers;
		if (syscall(__NR_io_uring_register, io_ring_fd(), IORING_REGISTER_PBUF_RING,
			    &reg, 1))
			skip("IORING_REGISTER_PBUF_RING: %s", strerror(errno));
	}
	buffers->bufs[0].addr = (unsigned long)buffer;
	buffers->bufs[0].len = sizeof(*buffer);
	__atomic_store_n(&buffers->tail, buffers->tail + 1, __ATOMIC_RELEASE);
	sqe.flags |= IOSQE_BUFFER_SELECT;
	sqe.buf_group = GROUP;
	return sqe;
}

static int uring_with_choice(struct twheel_event *buffer)
{
	return submit_and_wait(request_with_choice(buffer));
}

static int multishot(struct twheel_event *buffer)
{
	struct io_uring_sqe sqe = request_with_choice(buffer);
	int res;

	sqe.opcode = READ_MULTISHOT;
	sqe.len = 0;
	res = submit_and_wait(sqe);
	if (res == -EINVAL)
		skip("the kernel has no IORING_OP_READ_MULTISHOT: it came with 6.7");
	return res;
}

static int aio(struct iocb *request)
{
	aio_context_t context = 0;
	struct io_event event;

	if (access("/proc/sys/fs/aio-max-nr", F_OK))
		skip("no AIO here");
	CALL(syscall(SYS_io_setup, 1, &context));
	if (way->before)
		expire();
	if (syscall(SYS_io_submit, context, 1, &request) != 1)
		return -errno;
	if (!way->before)
		expire();
	ASSERT_EQ(CALL(syscall(SYS_io_getevents, context, 1, 1, &event, NULL)), 1);
	CALL(syscall(SYS_io_destroy, context));
	return event.res;
}

static int aio_read(struct twheel_event *buffer)
{
	struct iocb request = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = device,
		.aio_buf = (unsigned long)buffer,
		.aio_nbytes = sizeof(*buffer),
		.aio_rw_flags = way->nowait ? RWF_NOWAIT : 0,
	};

	return aio(&request);
}

static int aio_poll(struct twheel_event *buffer)
{
	struct iocb request = {
		.aio_lio_opcode = IOCB_CMD_POLL,
		.aio_fildes = device,
		.aio_buf = POLLIN,
	};

	ASSERT_EQ(aio(&request) & ~POLLRDNORM, POLLIN);
	return preadv2_nowait(buffer);
}

#define DEFERRED	(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

static const struct way ways[] = {
	{ "read", read_plain, .before = true },
	{ "read_of_nonblocking", read_plain, .before = true, .open = O_NONBLOCK },
	{ "read_while_waiting", read_plain, .before = false },
	{ "preadv2_nowait", read_nowait, .before = true },
	{ "uring_of_what_is_there", uring, .before = true, .has_ring = true },
	{ "uring_of_what_comes", uring, .has_ring = true },
	{ "uring_of_nonblocking", uring, .before = true, .has_ring = true, .open = O_NONBLOCK },
	{ "uring_nowait", uring, .before = true, .has_ring = true, .nowait = true },
	{ "uring_in_a_worker", uring, .before = true, .has_ring = true, .request = IOSQE_ASYNC },
	{ "uring_that_waits_in_a_worker", uring, .has_ring = true, .request = IOSQE_ASYNC },
	{ "uring_by_polling_thread", uring, .has_ring = true, .ring = IORING_SETUP_SQPOLL },
	{ "uring_deferred", uring, .has_ring = true, .ring = DEFERRED },
	{ "uring_with_choice", uring_with_choice, .has_ring = true },
	{ "multishot_of_what_is_there", multishot, .before = true, .has_ring = true },
	{ "multishot_of_what_comes", multishot, .has_ring = true },
	{ "multishot_by_polling_thread", multishot, .has_ring = true,
	  .ring = IORING_SETUP_SQPOLL },
	{ "multishot_deferred", multishot, .has_ring = true, .ring = DEFERRED },
	{ "aio_read", aio_read, .before = true },
	{ "aio_read_nowait", aio_read, .before = true, .nowait = true },
	{ "aio_poll_of_what_is_there", aio_poll, .before = true },
	{ "aio_poll", aio_poll, .before = false },
};

/* While a page fault of the reader lasts. */
static void use_device(void)
{
	struct twheel_op op;
	const __u64 handle = add(device, LONG, 1);

	ASSERT_EQ(query(device, handle, &op), 0);
	ASSERT_EQ(get_info(device).unread, 1);
	ASSERT_EQ(cancel(device, handle), 0);
}

static void read_device(enum buffer_kind kind)
{
	struct twheel_event event;
	void *buffer = new_buffer(kind, NULL, sizeof(event), use_device);
	const int res = way->read(buffer);

	if (kind < BUFFERS_GOOD) {
		ASSERT_EQ(res, sizeof(event));
		if (kind == BUFFER_MISSING || kind == BUFFER_PROTECTED)
			ASSERT_GE(buffer_faults(), 1);
		memcpy(&event, buffer, sizeof(event));
	} else {
		ASSERT_EQ(res, -EFAULT);
		event = read_one(device);
	}
	check_event(&event);
	ASSERT_EQ(event.cookie, COOKIE);
	ASSERT_EQ(timers_of(device), 0);
	if (way->has_ring && !(way->request & IOSQE_ASYNC))
		ASSERT_EQ(io_ring_workers(), 0);
}

/* A case: a row of a table, and a kind of buffer. */
struct cell {
	struct test		test;
	char			name[64];
	const void		*row;
	enum buffer_kind	kind;
};

static void register_cell(const char *row_name, const void *row, enum buffer_kind kind,
			  void (*run)(const void *cell))
{
	struct cell *cell = allocate(1, sizeof(*cell));

	snprintf(cell->name, sizeof(cell->name), "%s_%s", row_name, buffer_names[kind]);
	cell->row = row;
	cell->kind = kind;
	cell->test = (struct test){
		.name = cell->name,
		.run_row = run,
		.data = cell,
		.timeout = 300,
	};
	register_test(&cell->test);
}

static void run_way(const void *data)
{
	const struct cell *cell = data;

	way = cell->row;
	/* first the ring, so that it is not mapped where the hole is to be */
	if (way->has_ring)
		io_ring_open(way->ring);
	device = open_device(way->open);
	read_device(cell->kind);
}

static __attribute__((constructor)) void register_ways(void)
{
	unsigned int i, kind;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (kind = 0; kind < BUFFERS; kind++)
			register_cell(ways[i].name, &ways[i], kind, run_way);
}

/* One request reads all events, also while its pages are write-protected again and again. */
TEST(multishot_goes_on_after_each_fork)
{
	struct twheel_event *event;
	int i;

	way = &(const struct way){ .has_ring = true };
	io_ring_open(0);
	device = open_device(0);
	event = new_buffer(BUFFER_ABSENT, NULL, sizeof(*event), NULL);
	ASSERT_EQ(multishot(event), sizeof(*event));
	for (i = 0; i < 4; i++) {
		memset(event, 0xcc, sizeof(*event));
		request_with_choice(event);
		share_all_pages();
		expire();
		ASSERT_EQ(io_ring_wait().res, sizeof(*event));
		ASSERT_EQ(event->cookie, COOKIE);
	}
	ASSERT_EQ(timers_of(device), 0);
}

/* A call that writes to a buffer, by itself or as a command of io_uring. */
struct call {
	const char	*name;
	unsigned int	call;
	int		(*make)(int fd, unsigned int call, const void *arg);
	bool		reads;		/* what is in the buffer, too */
};

static int make_ioctl(int fd, unsigned int call, const void *arg)
{
	return result_of(ioctl(fd, call, arg));
}

static const struct call calls[] = {
	{ "info", TWHEEL_IOC_INFO, make_ioctl, false },
	{ "list", TWHEEL_IOC_LIST, make_ioctl, false },
	{ "drain", TWHEEL_IOC_DRAIN, make_ioctl, false },
	{ "add", TWHEEL_IOC_ADD, make_ioctl, true },
	{ "batch", TWHEEL_IOC_BATCH, make_ioctl, true },
	{ "info_by_command", TWHEEL_IOC_INFO, io_ring_call, false },
	{ "list_by_command", TWHEEL_IOC_LIST, io_ring_call, false },
	{ "drain_by_command", TWHEEL_IOC_DRAIN, io_ring_call, false },
	{ "add_by_command", TWHEEL_IOC_ADD, io_ring_call, true },
	{ "batch_by_command", TWHEEL_IOC_BATCH, io_ring_call, true },
};

static int make_call(const struct call *row, void *buffer)
{
	const struct twheel_list list = { .ops = (unsigned long)buffer, .count = 1 };
	const struct twheel_drain drain = { .ops = (unsigned long)buffer, .count = 1 };
	const struct twheel_batch batch = { .ops = (unsigned long)buffer, .count = 1 };

	switch (row->call) {
	case TWHEEL_IOC_LIST:
		return row->make(device, row->call, &list);
	case TWHEEL_IOC_DRAIN:
		return row->make(device, row->call, &drain);
	case TWHEEL_IOC_BATCH:
		return row->make(device, row->call, &batch);
	default:
		return row->make(device, row->call, buffer);
	}
}

static void look_at_device(void)
{
	ASSERT_GE(get_info(device).timers, 1);
}

static void check_call(const struct call *row, int res, const void *buffer)
{
	const struct twheel_info *info = buffer;
	const struct twheel_op *op = buffer;
	struct twheel_op found;

	switch (row->call) {
	case TWHEEL_IOC_INFO:
		ASSERT_EQ(res, 0);
		ASSERT_EQ(info->abi_major, TWHEEL_ABI_MAJOR);
		break;
	case TWHEEL_IOC_LIST:
	case TWHEEL_IOC_DRAIN:
		ASSERT_EQ(res, 1);
		ASSERT_EQ(op->cookie, COOKIE);
		ASSERT_EQ(timers_of(device), row->call == TWHEEL_IOC_LIST);
		break;
	default:
		ASSERT_EQ(res, row->call == TWHEEL_IOC_BATCH);
		ASSERT_EQ(query(device, op->handle, &found), 0);
		ASSERT_EQ(found.cookie, COOKIE + 1);
		ASSERT_EQ(timers_of(device), 2);
	}
}

static void run_call(const void *data)
{
	const struct cell *cell = data;
	const struct call *row = cell->row;
	struct twheel_op op = new_timer(LONG, COOKIE + 1);
	size_t size = sizeof(op);
	__u64 handle;
	void *buffer;
	int res;

	if (row->make == io_ring_call)
		io_ring_open(0);
	device = open_device(0);
	handle = add(device, LONG, COOKIE);
	if (row->call == TWHEEL_IOC_BATCH)
		op.op = TWHEEL_OP_ADD;
	if (row->call == TWHEEL_IOC_INFO)
		size = sizeof(struct twheel_info);
	buffer = new_buffer(cell->kind, row->reads ? &op : NULL, size, look_at_device);
	res = make_call(row, buffer);
	if (cell->kind < BUFFERS_GOOD) {
		if (cell->kind == BUFFER_MISSING || cell->kind == BUFFER_PROTECTED)
			ASSERT_EQ(buffer_faults(), 1);
		check_call(row, res, buffer);
	} else {
		ASSERT_EQ(res, -EFAULT);
		ASSERT_EQ(timers_of(device), 1);
		ASSERT_EQ(query(device, handle, &op), 0);
	}
}

static __attribute__((constructor)) void register_calls(void)
{
	unsigned int i, kind;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		for (kind = 0; kind < BUFFERS; kind++)
			if (!calls[i].reads || buffer_has_content(kind))
				register_cell(calls[i].name, &calls[i], kind, run_call);
}

/* No splice(2) says EAGAIN: the device refuses all of them, as a timerfd does. */
NONBLOCK_TEST(splice_is_refused)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SPLICE, .off = -1, .len = 64 };
	int pipes[2];

	CALL(pipe(pipes));
	add(fd, 0, COOKIE);
	wait_for_event(fd);
	ASSERT_ERRNO(splice(fd, NULL, pipes[1], NULL, 64, 0), EINVAL);
	ASSERT_ERRNO(splice(fd, NULL, pipes[1], NULL, 64, SPLICE_F_NONBLOCK), EINVAL);
	ASSERT_ERRNO(sendfile(pipes[1], fd, NULL, 64), EINVAL);
	ASSERT_EQ(read_one(fd).cookie, COOKIE);
	io_ring_open(0);
	sqe.fd = pipes[1];
	sqe.splice_fd_in = fd;
	sqe.splice_off_in = -1;
	io_ring_submit(sqe);
	ASSERT_EQ(io_ring_wait().res, -EINVAL);
}
