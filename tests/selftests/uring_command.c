// SPDX-License-Identifier: GPL-2.0
/* Calls as commands of io_uring: each does what its ioctl() does. */
#include "errors.h"
#include "io_ring.h"

/* Carry out a command that the submission completes, without waiting and threads. */
static int command_at_once(int fd, unsigned int call, const void *arg)
{
	struct io_ring_result result;

	io_ring_submit(io_ring_command(fd, call, arg));
	ASSERT(io_ring_peek(&result));
	ASSERT_EQ(io_ring_workers(), 0);
	return result.res;
}

URING_TEST(info_tells_of_commands)
{
	struct twheel_info info, other = get_info(fd);

	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_INFO, &info), 0);
	ASSERT(!memcmp(&info, &other, sizeof(info)));
	ASSERT(info.features & TWHEEL_FEATURE_URING);
}

URING_TEST(operations_complete_while_they_are_submitted)
{
	struct twheel_op op = new_timer(LONG, 7);
	__u64 handle;

	op.group = 9;
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_ADD, &op), 0);
	handle = op.handle;
	ASSERT(handle != 0);

	op = op_on(0, handle);
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_QUERY, &op), 0);
	ASSERT_EQ(op.cookie, 7);
	ASSERT_GT(op.time_ns, LONG / 2);

	op = op_on(0, handle);
	op.time_ns = 2 * LONG;
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_CHANGE, &op), 0);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_GT(op.time_ns, LONG);

	op = new_timer(LONG, 8);
	op.group = 9;
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_UPSERT, &op), TWHEEL_ADDED);
	ASSERT_EQ(timers_of(fd), 2);

	op = op_on(0, handle);
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_CANCEL, &op), 0);
	op = (struct twheel_op){ .group = 9 };
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_CANCEL_GROUP, &op), 1);
	ASSERT_EQ(op.time_ns, 0);
	ASSERT_EQ(timers_of(fd), 0);
}

URING_TEST(batch_completes_while_it_is_submitted)
{
	enum { COUNT = 1000 };
	static struct twheel_op ops[COUNT];
	struct twheel_batch batch = new_batch(ops, COUNT);
	int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = add_op(LONG, i);
	/* one operation fails */
	ops[70].clockid = 99;
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_BATCH, &batch), COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(ops[i].result, i == 70 ? -EINVAL : 0);
		ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
	}
	ASSERT_EQ(timers_of(fd), COUNT - 1);
	ASSERT_EQ(command_at_once(fd, TWHEEL_IOC_BATCH, &batch), COUNT);
	ASSERT_EQ(ops[70].result, -ENOENT);
	ASSERT_EQ(timers_of(fd), 0);
}

URING_TEST(commands_of_one_submission_run_in_order)
{
	struct twheel_op ops[IO_RING_ENTRIES];
	struct io_ring_result result;
	unsigned int i;

	for (i = 0; i < IO_RING_ENTRIES; i++) {
		struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_ADD, &ops[i]);

		ops[i] = new_timer(LONG, i);
		sqe.user_data = i;
		io_ring_queue(sqe);
	}
	io_ring_enter();
	for (i = 0; i < IO_RING_ENTRIES; i++) {
		ASSERT(io_ring_peek(&result));
		ASSERT_EQ(result.user_data, i);
		ASSERT_EQ(result.res, 0);
		ASSERT(!i || ops[i].handle > ops[i - 1].handle);
	}
	ASSERT(!io_ring_peek(&result));
	ASSERT_EQ(timers_of(fd), IO_RING_ENTRIES);
}

URING_TEST(failed_command_ends_a_chain)
{
	struct twheel_op wrong = op_on(0, 1), op = new_timer(LONG, 1);
	struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_CANCEL, &wrong);
	unsigned int i;

	sqe.flags = IOSQE_IO_LINK;
	sqe.user_data = 1;
	io_ring_queue(sqe);
	io_ring_submit(io_ring_command(fd, TWHEEL_IOC_ADD, &op));
	for (i = 0; i < 2; i++) {
		const struct io_ring_result result = io_ring_wait();

		ASSERT_EQ(result.res, result.user_data ? -ENOENT : -ECANCELED);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/* Every result that is not negative means success. */
URING_TEST(positive_result_does_not_end_a_chain)
{
	struct twheel_op expired = op_on(0, add(fd, 0, 1)), op = new_timer(LONG, 1);
	struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_CANCEL, &expired);

	wait_until_expired(fd, expired.handle);
	sqe.flags = IOSQE_IO_LINK;
	io_ring_queue(sqe);
	io_ring_submit(io_ring_command(fd, TWHEEL_IOC_ADD, &op));
	ASSERT_EQ(io_ring_wait().res, TWHEEL_RETRACTED);
	ASSERT_EQ(io_ring_wait().res, 0);
	ASSERT_EQ(timers_of(fd), 1);
}

static void drain_by_commands(int fd)
{
	struct twheel_op ops[4];
	struct twheel_drain drain = { .ops = (unsigned long)ops, .count = 4 };
	struct twheel_op op = new_timer(LONG, 2);

	add(fd, LONG, 1);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_DRAIN, &drain), 1);
	ASSERT_EQ(ops[0].cookie, 1);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_DRAIN, &drain), 0);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD, &op), -ESHUTDOWN);
	drain = (struct twheel_drain){ .flags = TWHEEL_DRAIN_RESUME };
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_DRAIN, &drain), 0);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD, &op), 0);
}

/* The eventfd's number is one of this process, also for io_uring's thread. */
static void set_eventfd_by_command(int fd)
{
	struct twheel_eventfd arg = { .fd = new_eventfd() };

	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_EVENTFD, &arg), 0);
	add(fd, 0, 1);
	wait_for_event(arg.fd);
	arg.fd = 1000;
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_EVENTFD, &arg), -EBADF);
}

/* A descriptor that the thread makes is one of this process. */
static void lease_by_command(int fd)
{
	struct twheel_lease lease = { .handle = add(fd, LONG, 3), .cap_ns = LONG };
	struct twheel_op ops[4];
	struct twheel_list list = { .ops = (unsigned long)ops, .count = 4 };
	__u64 left;

	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_LEASE, &lease), 0);
	ASSERT_EQ(CALL(ioctl(lease.fd, TWHEEL_LEASE_IOC_LEFT, &left)), 0);
	ASSERT_GT(left, LONG / 2);
	/* the descriptor of a lease has no commands */
	ASSERT_EQ(io_ring_call(lease.fd, TWHEEL_LEASE_IOC_LEFT, &left), -EOPNOTSUPP);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_LIST, &list), timers_of(fd));
	close(lease.fd);
}

URING_TEST(other_calls_run_in_a_thread)
{
	drain_by_commands(fd);
	set_eventfd_by_command(fd);
	lease_by_command(fd);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_CLOCK_SET, NULL), 0);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_CLOCK_SET, &fd), -EINVAL);
	ASSERT_GE(io_ring_workers(), 1);
}

/* A program may ask for a thread. */
URING_TEST(asynchronous_commands_complete)
{
	enum { COUNT = 32 };
	struct twheel_op ops[COUNT];
	int i;

	for (i = 0; i < COUNT; i++) {
		struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_ADD, &ops[i]);

		ops[i] = new_timer(LONG, i);
		sqe.flags = IOSQE_ASYNC;
		io_ring_queue(sqe);
	}
	io_ring_enter();
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(io_ring_wait().res, 0);
	ASSERT_EQ(timers_of(fd), COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(cancel(fd, ops[i].handle), 0);
}

static void refuse_command(int fd, unsigned long call, const struct twheel_op *op,
			   int error)
{
	const __u64 timers = timers_of(fd);
	struct twheel_op copy = *op;

	ASSERT_EQ(io_ring_call(fd, call, &copy), -error);
	ASSERT(!memcmp(op, &copy, sizeof(copy)));
	ASSERT_EQ(timers_of(fd), timers);
}

TEST_CALL(errors_are_those_of_the_calls, io_ring_open(0); try_refusals(refuse_command))

URING_TEST(errors_of_batches_are_those_of_the_call)
{
	struct twheel_op op = op_on(TWHEEL_OP_CANCEL, 1);
	struct twheel_batch batch = new_batch(&op, 0);

	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_BATCH, &batch), -EINVAL);
	batch.count = get_info(fd).max_batch + 1;
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_BATCH, &batch), -EINVAL);
	batch = new_batch(&op, 1);
	batch.flags = 1;
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_BATCH, &batch), -EINVAL);
	batch = new_batch(NULL, 1);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_BATCH, &batch), -EFAULT);
	batch = new_batch(&op, 1);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_BATCH, &batch), 1);
	ASSERT_EQ(op.result, -ENOENT);
}

URING_TEST(each_reserved_bit_is_einval)
{
	struct twheel_uring_cmd payload;
	struct twheel_op op;
	__u64 bit;

	for (bit = 1; bit; bit <<= 1) {
		struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_ADD, &op);

		op = new_timer(LONG, 1);
		memcpy(&payload, sqe.cmd, sizeof(payload));
		payload.reserved = bit;
		memcpy(sqe.cmd, &payload, sizeof(payload));
		io_ring_submit(sqe);
		ASSERT_EQ(io_ring_wait().res, -EINVAL);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/* Kernels that do not know the flag refuse the request themselves, by other errors. */
URING_TEST(multishot_is_an_error)
{
	enum { MULTISHOT = 1 << 1 };
	struct twheel_op op = new_timer(LONG, 1);
	struct io_uring_sqe sqe = io_ring_command(fd, TWHEEL_IOC_ADD, &op);

	sqe.flags = IOSQE_BUFFER_SELECT;
	sqe.uring_cmd_flags = MULTISHOT;
	io_ring_submit(sqe);
	ASSERT_LT(io_ring_wait().res, 0);
	ASSERT_EQ(timers_of(fd), 0);
}

URING_TEST(unknown_call_is_enotty)
{
	struct twheel_op op = new_timer(LONG, 1);
	unsigned int bit;

	ASSERT_EQ(io_ring_call(fd, 0, &op), -ENOTTY);
	ASSERT_EQ(io_ring_call(fd, ~0U, &op), -ENOTTY);
	/* the numbers of all calls differ in their last byte */
	for (bit = 0x100; bit; bit <<= 1)
		ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD ^ bit, &op), -ENOTTY);
	ASSERT_EQ(timers_of(fd), 0);
}

URING_TEST(structure_that_cannot_be_used_is_efault)
{
	struct twheel_op *op = read_only_op(new_timer(LONG, 1));

	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD, NULL), -EFAULT);
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD, (void *)-page_size()), -EFAULT);
	/* a handle that could not be returned is of no timer */
	ASSERT_EQ(io_ring_call(fd, TWHEEL_IOC_ADD, op), -EFAULT);
	ASSERT_EQ(timers_of(fd), 0);
}

/* What happened until a batch had ended. */
struct whole_batch {
	int	done;		/* operations */
	bool	had_event;	/* a read of the ring has completed */
};

/*
 * While a task submits a batch, an event completes a read of its ring. This leaves work to
 * the task, but is no signal. The event comes at a tick, so batches follow one another until
 * it has come.
 */
static void whole_batches(struct whole_batch (*run)(int fd, struct twheel_batch *batch))
{
	static struct twheel_op ops[65536];
	struct twheel_batch batch = new_batch(ops, ARRAY_SIZE(ops));
	const __u64 timeout = now() + 30 * NSEC_PER_SEC;
	const int fd = open_device(0);
	unsigned int i, meanwhile = 0;
	struct twheel_event event;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = op_on(TWHEEL_OP_CANCEL, 1);
	io_ring_open(0);
	while (meanwhile < 2 && now() < timeout) {
		struct io_ring_result result;
		struct whole_batch whole;
		bool between;

		io_ring_submit(io_ring_read(fd, &event, sizeof(event), 1));
		add(fd, ticks(2), 1);
		do {
			for (i = 0; i < ARRAY_SIZE(ops); i++)
				ops[i].result = 0;
			between = io_ring_completed(&result);
			whole = run(fd, &batch);
			ASSERT_EQ(whole.done, batch.count);
		} while (!between && !whole.had_event);
		meanwhile += whole.had_event;
	}
	note("%u batches had an event meanwhile", meanwhile);
	if (!meanwhile && sysconf(_SC_NPROCESSORS_ONLN) == 1)
		skip("on one CPU, no event came during a batch");
	ASSERT_GT(meanwhile, 0);
}

static struct whole_batch batch_by_ioctl(int fd, struct twheel_batch *batch)
{
	struct whole_batch whole = { .done = CALL(ioctl(fd, TWHEEL_IOC_BATCH, batch)) };

	whole.had_event = io_ring_completed(&(struct io_ring_result){ 0 });
	return whole;
}

static struct whole_batch batch_by_command(int fd, struct twheel_batch *batch)
{
	struct whole_batch whole = { };
	struct io_ring_result result;

	io_ring_submit(io_ring_command(fd, TWHEEL_IOC_BATCH, batch));
	do {
		result = io_ring_wait();
		whole.had_event |= result.user_data == 1;
	} while (result.user_data);
	whole.done = result.res;
	whole.had_event |= io_ring_completed(&result);
	return whole;
}

TEST_CALL(event_on_the_ring_does_not_end_a_batch, whole_batches(batch_by_ioctl))
TEST_CALL(event_on_the_ring_does_not_end_a_batch_by_command, whole_batches(batch_by_command))

/* Carry out a request, and wait for its result. Neither io_ring_ function makes a system call. */
static int carry_out(struct io_uring_sqe sqe)
{
	struct io_ring_result result;

	io_ring_queue(sqe);
	while (!io_ring_peek(&result))
		continue;
	return result.res;
}

DEVICE_TEST(polling_thread_makes_system_calls_unnecessary)
{
	struct twheel_event event;
	struct twheel_op op;
	int i;

	io_ring_open(IORING_SETUP_SQPOLL);
	/* the polling thread may begin asleep */
	io_ring_submit((struct io_uring_sqe){ .opcode = IORING_OP_NOP });
	ASSERT_EQ(io_ring_wait().res, 0);
	for (i = 0; i < 40; i++) {
		op = new_timer(LONG, i);
		ASSERT_EQ(carry_out(io_ring_command(fd, TWHEEL_IOC_ADD, &op)), 0);
		op = op_on(0, op.handle);
		ASSERT_EQ(carry_out(io_ring_command(fd, i % 2 ? TWHEEL_IOC_CANCEL :
						    TWHEEL_IOC_CHANGE, &op)), 0);
		if (i % 2)
			continue;
		ASSERT_EQ(carry_out(io_ring_read(fd, &event, sizeof(event), i)),
			  sizeof(event));
		ASSERT_EQ(event.cookie, i);
	}
}
