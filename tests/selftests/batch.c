// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_BATCH: each operation works like its ioctl and has its own result. */
#include "errors.h"

static void check_results(const struct twheel_op *ops, const int *results, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ops[i].result != results[i])
			FAIL("operation %zu: %d, not %d", i, ops[i].result, results[i]);
}

#define CHECK_RESULTS(ops, ...)						\
	do {								\
		const int results_[ARRAY_SIZE(ops)] = { __VA_ARGS__ };	\
									\
		check_results(ops, results_, ARRAY_SIZE(ops));		\
	} while (0)

DEVICE_TEST(operations_have_results_of_their_own)
{
	const __u64 pending = add(fd, LONG, 1);
	const __u64 changed = add(fd, LONG, 2);
	const __u64 expired = add(fd, 0, 3);
	struct twheel_op ops[9];

	wait_for_event(fd);
	ops[0] = add_op(LONG, 4);
	ops[1] = op_on(TWHEEL_OP_CANCEL, pending);
	ops[2] = op_on(TWHEEL_OP_CHANGE, changed);
	ops[2].time_ns = 200 * NSEC_PER_SEC;
	ops[3] = op_on(TWHEEL_OP_QUERY, changed);
	ops[4] = op_on(TWHEEL_OP_QUERY, expired);
	ops[5] = op_on(TWHEEL_OP_CANCEL, expired);
	ops[6] = op_on(TWHEEL_OP_CANCEL, pending);
	ops[7] = op_on(0, changed);
	ops[8] = add_op(LONG, 5);
	batch(fd, ops, ARRAY_SIZE(ops));

	CHECK_RESULTS(ops, 0, 0, 0, 0, TWHEEL_EXPIRED, TWHEEL_RETRACTED, -ENOENT, -EINVAL, 0);
	ASSERT(ops[0].handle != 0);
	ASSERT_EQ(ops[1].cookie, 0);
	ASSERT_EQ(ops[3].cookie, 2);
	ASSERT_GT(ops[3].time_ns, 150 * NSEC_PER_SEC);
	ASSERT_EQ(ops[4].cookie, 3);
	ASSERT_EQ(ops[4].time_ns, 0);
	ASSERT_EQ(ops[5].cookie, 0);
	ASSERT(ops[8].handle != 0);
	ASSERT_EQ(timers_of(fd), 3);
	ASSERT(!has_event(fd));
}

/* Later operations of the batch name timers whose memory may be freed already. */
DEVICE_TEST(timer_that_a_batch_has_ended_is_gone)
{
	/* its index is 0, like the index in handle 0 */
	const __u64 pending = add(fd, LONG, 1);
	const __u64 expired = add(fd, 0, 2);
	const __u64 other = add(fd, LONG, 3);
	struct twheel_op ops[8];

	wait_for_event(fd);
	ops[0] = op_on(TWHEEL_OP_CANCEL, pending);
	ops[1] = op_on(TWHEEL_OP_CANCEL, pending);
	ops[2] = op_on(TWHEEL_OP_CHANGE, pending);
	ops[3] = op_on(TWHEEL_OP_CANCEL, 0);
	ops[4] = op_on(TWHEEL_OP_CANCEL, expired);
	ops[5] = op_on(TWHEEL_OP_CANCEL, expired);
	ops[6] = op_on(TWHEEL_OP_CHANGE, expired);
	ops[7] = op_on(TWHEEL_OP_CHANGE, other);
	batch(fd, ops, ARRAY_SIZE(ops));

	CHECK_RESULTS(ops, 0, -ENOENT, -ENOENT, -ENOENT, TWHEEL_RETRACTED, -ENOENT, -ENOENT, 0);
	ASSERT_EQ(timers_of(fd), 1);
	/* the change made it due at once */
	ASSERT(read_one(fd).handle == other);
	check_no_event(fd);
}

DEVICE_TEST(unused_fields_are_left_as_they_were)
{
	const struct twheel_op before = add_op(LONG, 1);
	struct twheel_op op = before;

	batch(fd, &op, 1);
	ASSERT(op.handle != 0);
	op.handle = 0;
	ASSERT(!memcmp(&op, &before, sizeof(op)));
}

DEVICE_TEST(structure_may_be_read_only)
{
	struct twheel_batch *batch = two_pages(PROT_NONE);
	struct twheel_op op = add_op(LONG, 1);

	*batch = new_batch(&op, 1);
	CALL(mprotect(batch, page_size(), PROT_READ));
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_BATCH, batch)), 1);
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(cancel(fd, op.handle), 0);
}

/* The whole batch is refused: no operation is made, and nothing is written. */
static void refuse_batch(int fd, struct twheel_batch batch, int error)
{
	struct twheel_batch copy = batch;

	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_BATCH, &copy), error);
	ASSERT(!memcmp(&copy, &batch, sizeof(copy)));
	ASSERT_EQ(timers_of(fd), 0);
}

DEVICE_TEST(no_or_too_many_operations_is_einval)
{
	const unsigned int count = get_info(fd).max_batch + 1;
	const unsigned int counts[] = { 0, count, ~0U, 1U << 31, 1U << 26 };
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = add_op(LONG, i);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		refuse_batch(fd, new_batch(ops, counts[i]), EINVAL);
}

DEVICE_TEST(flag_or_reserved_is_einval)
{
	struct twheel_op op = add_op(ticks(1), 1);
	const struct twheel_batch batch = new_batch(&op, 1);

	REFUSE_BITS(fd, TWHEEL_IOC_BATCH, batch, flags, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_BATCH, batch, reserved, 0);
}

/* Not mapped, partly mapped, or in the kernel's memory. */
DEVICE_TEST(operations_at_a_bad_address_is_efault)
{
	const __u64 end = (unsigned long)two_pages(PROT_NONE) + page_size();
	const __u64 addresses[] = { 0, end, end - 32, ~0ULL - 4095, 1ULL << 63, ~0ULL - 31 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		refuse_batch(fd, (struct twheel_batch){ .ops = addresses[i], .count = 5 }, EFAULT);
}

/* The driver does not cut the pointer to 32 bits, not even a 32-bit program's. */
DEVICE_TEST(operations_above_4_gib_of_a_32_bit_program_is_efault)
{
	struct twheel_op op = add_op(ticks(1), 1);
	struct twheel_batch batch = new_batch(&op, 1);

	if (sizeof(long) != 4)
		skip("not a 32-bit program");
	batch.ops |= 1ULL << 32;
	refuse_batch(fd, batch, EFAULT);
}

/*
 * A batch of adds whose second half is in a page with @protection. The page begins
 * @offset bytes before the end of an operation.
 */
static void check_half(int protection, size_t offset)
{
	enum { PAGES = 8, HALF = 300 };
	const int fd = open_device(0);
	char *pages = fresh_memory(2 * PAGES * page_size());
	char *bad = pages + PAGES * page_size();
	struct twheel_op *ops = (void *)(bad + offset - HALF * sizeof(*ops));
	struct twheel_batch batch = new_batch(ops, 2 * HALF);
	int i, done;

	for (i = 0; i < 2 * HALF; i++)
		ops[i] = add_op(LONG, i);
	protect(bad, PAGES * page_size(), protection);
	done = CALL(ioctl(fd, TWHEEL_IOC_BATCH, &batch));
	ASSERT_GT(done, 0);
	ASSERT_LE(done, HALF);
	/* each timer has its handle in the array */
	ASSERT_EQ(timers_of(fd), done);
	for (i = 0; i < done; i++) {
		ASSERT_EQ(ops[i].result, 0);
		ASSERT_EQ(cancel(fd, ops[i].handle), 0);
	}
	ASSERT_EQ(timers_of(fd), 0);

	/* the program can go on with the next operation */
	batch = new_batch(ops + done, HALF - 1 - done);
	if (batch.count) {
		ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_BATCH, &batch)), batch.count);
		ASSERT_EQ(timers_of(fd), batch.count);
	}
	close(fd);
	munmap(pages, 2 * PAGES * page_size());
}

TEST_CALL(operations_up_to_the_bad_page_are_done, check_half(PROT_NONE, 0))
TEST_CALL(operations_up_to_the_half_mapped_one_are_done, check_half(PROT_NONE, 24))
TEST_CALL(timers_whose_handles_cannot_be_returned_are_not_armed, check_half(PROT_READ, 0))
TEST_CALL(timer_whose_handle_is_at_a_read_only_end_is_not_armed, check_half(PROT_READ, 8))

/* One operation fails; the operations before and behind it are carried out. */
static void check_element(int fd, const struct twheel_op *bad, int error)
{
	const __u64 timers = timers_of(fd);
	struct twheel_op ops[3] = {
		add_op(LONG, 1), *bad,
		add_op(LONG, 2),
	};

	batch(fd, ops, 3);
	ASSERT_EQ(ops[0].result, 0);
	/* The unknown handle may be that of the timer that the batch has just added. */
	if (error == ENOENT && ops[0].handle == bad->handle) {
		ASSERT_EQ(ops[1].result, 0);
		/* The timer that was changed may have expired. */
		if (bad->op == TWHEEL_OP_CANCEL)
			ASSERT_EQ(cancel(fd, ops[0].handle), -ENOENT);
		else
			ASSERT_GE(cancel(fd, ops[0].handle), 0);
		ASSERT_EQ(cancel(fd, ops[2].handle), 0);
		ASSERT_EQ(timers_of(fd), timers);
		return;
	}
	ASSERT_EQ(ops[1].result, -error);
	ASSERT_EQ(ops[2].result, 0);
	ASSERT(ops[0].handle != 0);
	ASSERT(ops[2].handle != 0);
	/* of the bad operation, only the result is written */
	ops[1].result = bad->result;
	ASSERT(!memcmp(&ops[1], bad, sizeof(*bad)));
	ASSERT_EQ(timers_of(fd), timers + 2);
	ASSERT_EQ(cancel(fd, ops[0].handle), 0);
	ASSERT_EQ(cancel(fd, ops[2].handle), 0);
}

DEVICE_TEST(unknown_operation_is_einval)
{
	struct twheel_op op = { 0 };
	__u32 number;

	check_element(fd, &op, EINVAL);
	for (number = 128; number; number <<= 1) {
		op = add_op(ticks(1), 3);
		op.op = number;
		check_element(fd, &op, EINVAL);
		op.op |= TWHEEL_OP_ADD;
		check_element(fd, &op, EINVAL);
	}
}

/* What a call of its own refuses is refused in a batch, with the same errno. */
static void refuse_in_batch(int fd, unsigned long call, const struct twheel_op *op, int error)
{
	struct twheel_op element = *op;

	/* in a batch, this field says which operation it is */
	if (op->op)
		return;
	element.op = opcode_of(call);
	check_element(fd, &element, error);
}

TEST_CALL(errors_are_those_of_the_calls, try_refusals(refuse_in_batch))

enum { AROUND = 130 };

/* Make a batch of changes, which write nothing but results, with @op at @at. */
static void batch_around(int fd, struct twheel_op *ops, __u64 handle,
			 struct twheel_op op, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < AROUND; i++) {
		ops[i] = op_on(TWHEEL_OP_CHANGE, handle);
		ops[i].time_ns = (100 + i) * NSEC_PER_SEC;
	}
	ops[at] = op;
	batch(fd, ops, AROUND);
	for (i = 0; i < AROUND; i++)
		ASSERT(i == at || !ops[i].result);
}

DEVICE_TEST(one_operation_may_fail_or_fill_in)
{
	const __u64 handle = add(fd, LONG, 1);
	struct twheel_op ops[AROUND];
	unsigned int at;

	for (at = 0; at < AROUND; at++) {
		batch_around(fd, ops, handle, op_on(TWHEEL_OP_CANCEL, 0), at);
		ASSERT_EQ(ops[at].result, -ENOENT);
		batch_around(fd, ops, handle, op_on(TWHEEL_OP_QUERY, handle), at);
		ASSERT_EQ(ops[at].result, 0);
		ASSERT_EQ(ops[at].cookie, 1);
	}
}
