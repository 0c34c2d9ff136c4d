// SPDX-License-Identifier: GPL-2.0
/*
 * A call makes allocations and copies from and to the program. Each of them fails
 * in turn: the first, the second, and so on, until the call makes no more. The
 * call either fails with a proper errno or succeeds without the allocation. Then
 * there are as many timers as the program has handles, and each event comes once.
 *
 * These tests do not see memory that leaks in the kernel. A leaked timer is
 * reported when the module is unloaded, other memory by kmemleak.
 */
#include <sys/uio.h>

#include "inject.h"
#include "parameter.h"
#include "table_timer.h"

#define REFCNT "/sys/module/twheel/refcnt"

enum {
	SOME = 64,		/* timers that take more than one block */
	MANY = 70,		/* operations: more than the driver copies at a time */
	BURST = 16,		/* events that the driver copies at a time */
};

/* The module's reference count: one for each open descriptor. */
static int references(void)
{
	if (access(REFCNT, F_OK))
		skip("no %s", REFCNT);
	return number_from(REFCNT, "%llu");
}

static void open_with_faults(enum fault_mode mode)
{
	const int before = references();
	__u64 handle;
	int fd;

	while (next_fault(mode)) {
		fd = UNDER_FAULT(open(DEVICE, O_RDWR));
		if (fd >= 0) {
			/* The file, and the device that it is opened by. */
			ASSERT_GT(references(), before);
			handle = add(fd, 0, 1);
			ASSERT(read_one(fd).handle == handle);
			ASSERT_EQ(timers_of(fd), 0);
			close(fd);
		}
		ASSERT_EQ(references(), before);
	}
	/* the path, the set of timers */
	ASSERT_GE(faults.failed, 2);
}

TEST_CALL(open_fails_or_works, open_with_faults(FAULT_ONE))
TEST_CALL(open_fails_or_works_without_memory, open_with_faults(FAULT_SLABS))

static void add_with_faults(enum fault_mode mode, unsigned int failed, unsigned int no_memory)
{
	struct twheel_op op, copy;

	while (next_fault(mode)) {
		const int fd = open_device(O_NONBLOCK);
		/* The timer's place is behind the words, so that its block needs an array. */
		struct twheel_word *words = map_table(fd);

		op = new_timer(0, faults.nth);
		copy = op;
		if (UNDER_FAULT(ioctl(fd, TWHEEL_IOC_ADD, &op)) == 0) {
			ASSERT_EQ(timers_of(fd), 1);
			ASSERT(read_one(fd).handle == op.handle);
		} else {
			ASSERT(!memcmp(&op, &copy, sizeof(op)));
		}
		ASSERT_EQ(timers_of(fd), 0);
		check_no_event(fd);
		CALL(munmap(words, page_size()));
		close(fd);
	}
	ASSERT_GE(faults.failed, failed);
	ASSERT_GE(faults.no_memory, no_memory);
}

/* The operation read, the timer's block, the operation written. */
TEST_CALL(add_fails_or_gives_a_handle, add_with_faults(FAULT_ONE, 3, 1))
/* The timer's block, the array of blocks, a level. */
TEST_CALL(add_fails_or_gives_a_handle_without_memory, add_with_faults(FAULT_SLABS, 3, 3))

/*
 * Check the results of a batch, and that each timer that it has added has one event. Returns the
 * number of operations that failed.
 */
static int check_batch(int fd, struct twheel_op *ops, long done)
{
	struct twheel_event events[MANY];
	int i, added = 0, refused = 0;

	for (i = 0; i < MANY; i++) {
		struct twheel_op expected = add_op(0, i);

		if (i < done) {
			expected.result = ops[i].result;
			expected.handle = ops[i].handle;
			ASSERT_EQ(ops[i].result, ops[i].handle ? 0 : -ENOMEM);
			added += !!ops[i].handle;
			refused += !ops[i].handle;
		}
		ASSERT(!memcmp(&ops[i], &expected, sizeof(expected)));
	}
	ASSERT_EQ(timers_of(fd), added);
	read_all(fd, events, added);
	for (i = 0; i < added; i++)
		check_first_event(&events[i], ops, MANY);
	ASSERT_EQ(timers_of(fd), 0);
	return refused;
}

static void batch_with_faults(enum fault_mode mode)
{
	const int fd = open_device(O_NONBLOCK);
	struct twheel_op ops[MANY];
	const struct twheel_batch batch = new_batch(ops, MANY);
	unsigned int i, partial = 0, refused = 0;
	long done;

	while (next_fault(mode)) {
		for (i = 0; i < MANY; i++)
			ops[i] = add_op(0, i);
		done = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_BATCH, &batch));
		ASSERT_NE(done, 0);
		ASSERT_LE(done, MANY);
		partial += done > 0 && done < MANY;
		refused += check_batch(fd, ops, done);
	}
	check_no_event(fd);
	/* the batch read; 64 operations read and written; the rest read and written */
	ASSERT_GE(faults.failed, mode == FAULT_ONE ? 5 : 1);
	ASSERT_GE(partial, mode == FAULT_ONE ? 3 : 0);
	ASSERT_GE(faults.no_memory, 1);
	/* Those without a place in the spare block. After one failure the driver tries again. */
	if (mode == FAULT_SLABS)
		ASSERT_GE(refused, 1);
}

TEST_CALL(batch_adds_what_it_says, batch_with_faults(FAULT_ONE))
TEST_CALL(batch_adds_what_it_says_without_memory, batch_with_faults(FAULT_SLABS))

/*
 * The highest handle, in a new descriptor: a block for the timer, and a large array to find
 * it. All memory is given back, or the user would have none left in the end.
 */
static void keep_with_faults(enum fault_mode mode)
{
	const __u64 handle = ~0ULL;
	struct twheel_op op;
	long result;

	while (next_fault(mode)) {
		const int fd = open_device(O_NONBLOCK);

		op = kept_op(handle);
		op.window_ns = 1;
		result = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_ADD, &op));
		ASSERT_EQ(timers_of(fd), !result);
		ASSERT_EQ(cancel(fd, handle), result ? -ENOENT : 0);
		close(fd);
	}
	/* the extra, the level, the array, the block */
	ASSERT_GE(faults.no_memory, mode == FAULT_ONE ? 3 : 1);
}

TEST_CALL(keep_arms_the_timer_or_nothing, keep_with_faults(FAULT_ONE))
TEST_CALL(keep_arms_the_timer_or_nothing_without_memory, keep_with_faults(FAULT_ALL))

/* A list that fails moves no cursor. A record that cannot be written at first is written again. */
NONBLOCK_TEST(list_lists_each_timer_once)
{
	struct twheel_op ops[MANY];
	unsigned int i, seen;
	bool listed[MANY];
	__u64 cursor;
	long got;

	add_many(fd, ops, MANY, new_timer(LONG, 0));
	while (next_fault(FAULT_ONE)) {
		struct twheel_list arg = { .ops = (unsigned long)ops, .count = MANY };

		got = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_LIST, &arg));
		cursor = got < 0 ? 0 : arg.cursor;
		seen = got < 0 ? 0 : got;
		ASSERT(!seen || seen == MANY);
		while (seen < MANY) {
			got = list(fd, &ops[seen], MANY - seen, &cursor, 0);
			ASSERT_GT(got, 0);
			seen += got;
		}
		memset(listed, 0, sizeof(listed));
		for (i = 0; i < MANY; i++)
			see_once(listed, ops[i].cookie, MANY);
	}
	ASSERT_EQ(timers_of(fd), MANY);
	/* the structure read and written */
	ASSERT_GE(faults.failed, 2);
}

/* The timers of a batch that has one of each operation: MIXED operations. */
enum { CHANGED = 1, CANCELLED, QUERIED, MIXED };

static void prepare_mixed(int fd, struct twheel_op *ops)
{
	struct twheel_op old[MIXED];

	add_many(fd, old, MIXED, new_timer(LONG, 0));
	ASSERT_EQ(cancel(fd, old[0].handle), 0);
	ops[0] = add_op(LONG, 0);
	ops[CHANGED] = (struct twheel_op){
		.op = TWHEEL_OP_CHANGE,
		.handle = old[CHANGED].handle,
		.time_ns = 10 * LONG,
	};
	ops[CANCELLED] = op_on(TWHEEL_OP_CANCEL, old[CANCELLED].handle);
	ops[QUERIED] = op_on(TWHEEL_OP_QUERY, old[QUERIED].handle);
}

/* The driver has carried out the first operations, and those that go with them. */
static void check_mixed(int fd, const struct twheel_op *ops, long done)
{
	struct twheel_op op;
	bool carried_out;

	ASSERT_EQ(query(fd, ops[CHANGED].handle, &op), 0);
	carried_out = op.time_ns > LONG;
	ASSERT(done <= CHANGED || carried_out);
	ASSERT_EQ(query(fd, ops[CANCELLED].handle, &op), carried_out ? -ENOENT : 0);
	ASSERT_EQ(query(fd, ops[QUERIED].handle, &op), 0);
	if (!carried_out)
		ASSERT_EQ(cancel(fd, ops[CANCELLED].handle), 0);
	ASSERT_EQ(cancel(fd, ops[CHANGED].handle), 0);
	ASSERT_EQ(cancel(fd, ops[QUERIED].handle), 0);
	if (ops[0].handle) {
		ASSERT(done > 0);
		ASSERT_EQ(cancel(fd, ops[0].handle), 0);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

NONBLOCK_TEST(batch_of_all_operations_is_carried_out_or_not)
{
	struct twheel_op ops[MIXED];
	const struct twheel_batch batch = new_batch(ops, MIXED);
	long done;

	while (next_fault(FAULT_ONE)) {
		prepare_mixed(fd, ops);
		done = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_BATCH, &batch));
		ASSERT(done < 0 || (done > 0 && done <= MIXED));
		check_mixed(fd, ops, done);
	}
	ASSERT_GE(faults.failed, 5);
}

NONBLOCK_TEST(change_fails_and_changes_nothing)
{
	struct twheel_op op;
	long result;
	int state;

	while (next_fault(FAULT_ONE)) {
		const __u64 handle = add(fd, LONG, 1);

		op = (struct twheel_op){ .handle = handle };
		result = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_CHANGE, &op));
		state = query(fd, handle, &op);
		if (result == 0) {
			/* expired if its new deadline has come */
			ASSERT(state == 0 || state == TWHEEL_EXPIRED);
			ASSERT(read_one(fd).handle == handle);
		} else {
			ASSERT_EQ(state, 0);
			ASSERT_GT(op.time_ns, 0);
			ASSERT_EQ(cancel(fd, handle), 0);
		}
		ASSERT_EQ(timers_of(fd), 0);
	}
	check_no_event(fd);
	ASSERT_GE(faults.failed, 1);
}

/* Cancel timers that are pending, or that have an unread event. */
static void cancel_with_faults(bool expired)
{
	const int fd = open_device(O_NONBLOCK);
	struct twheel_op op;
	long result;

	while (next_fault(FAULT_ONE)) {
		const __u64 handle = add(fd, expired ? 0 : LONG, 1);

		if (expired)
			wait_until_expired(fd, handle);
		op = (struct twheel_op){ .handle = handle };
		result = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_CANCEL, &op));
		if (result < 0) {
			ASSERT_EQ(timers_of(fd), 1);
			result = cancel(fd, handle);
		}
		ASSERT_EQ(result, expired ? TWHEEL_RETRACTED : 0);
		ASSERT_EQ(timers_of(fd), 0);
	}
	check_no_event(fd);
	ASSERT_GE(faults.failed, 1);
}

TEST_CALL(cancel_fails_and_cancels_nothing, cancel_with_faults(false))
TEST_CALL(cancel_fails_and_retracts_nothing, cancel_with_faults(true))

NONBLOCK_TEST(query_fails_and_writes_nothing)
{
	const __u64 handle = add(fd, LONG, 42);
	struct twheel_op op;
	long result;

	while (next_fault(FAULT_ONE)) {
		op = (struct twheel_op){ .handle = handle };
		result = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_QUERY, &op));
		ASSERT_EQ(op.cookie, result ? 0 : 42);
		ASSERT_EQ(op.time_ns != 0, !result);
		ASSERT_EQ(timers_of(fd), 1);
	}
	/* the operation is read, and written */
	ASSERT_GE(faults.failed, 2);
}

NONBLOCK_TEST(info_fails_and_writes_nothing)
{
	struct twheel_info info;
	long result;

	while (next_fault(FAULT_ONE)) {
		memset(&info, 0, sizeof(info));
		result = UNDER_FAULT(ioctl(fd, TWHEEL_IOC_INFO, &info));
		ASSERT_EQ(info.max_batch != 0, !result);
	}
	ASSERT_GE(faults.failed, 1);
}

/*
 * Read the events of @count timers, with room for more. The first read() may fail
 * or return some of the events. All calls together return each event once.
 */
static void read_with_faults(int flags, int rw_flags, int count)
{
	const int fd = open_device(flags);
	struct twheel_event events[MANY + 1];
	const struct iovec piece = { events, sizeof(events) };
	struct twheel_op ops[MANY];
	long result;
	int i;

	while (next_fault(FAULT_ONE)) {
		add_many(fd, ops, count, new_timer(0, 0));
		for (i = 0; i < count; i++)
			wait_until_expired(fd, ops[i].handle);
		result = UNDER_FAULT(preadv2(fd, &piece, 1, -1, rw_flags));
		if (result < 0)
			result = 0;
		ASSERT_EQ(result % sizeof(*events), 0);
		result /= sizeof(*events);
		ASSERT_LE(result, count);
		ASSERT_EQ(timers_of(fd), count - result);
		read_all(fd, events + result, count - result);
		for (i = 0; i < count; i++)
			check_first_event(&events[i], ops, count);
		ASSERT_EQ(timers_of(fd), 0);
	}
	check_no_event(fd);
	ASSERT_GE(faults.injected, (count + BURST - 1) / BURST);
}

TEST(read_loses_no_event)
{
	read_with_faults(0, 0, 1);
	read_with_faults(0, 0, 5);
}

TEST(read_without_waiting_loses_no_event)
{
	read_with_faults(O_NONBLOCK, 0, 1);
	read_with_faults(O_NONBLOCK, 0, 5);
	read_with_faults(0, RWF_NOWAIT, 1);
	read_with_faults(0, RWF_NOWAIT, 5);
}

TEST_CALL(read_of_many_loses_no_event, read_with_faults(O_NONBLOCK, 0, MANY))

DEVICE_TEST(read_that_waits_loses_no_event)
{
	struct twheel_event event;
	long result;

	while (next_fault(FAULT_ONE)) {
		const __u64 handle = add(fd, ticks(1), 1);

		result = UNDER_FAULT(read(fd, &event, sizeof(event)));
		if (result < 0) {
			ASSERT_EQ(timers_of(fd), 1);
			event = read_one(fd);
		}
		ASSERT(event.handle == handle);
		ASSERT_EQ(timers_of(fd), 0);
	}
	check_no_event(fd);
	ASSERT_GE(faults.injected, 1);
}

DEVICE_TEST(read_loses_no_period)
{
	const __u64 period = 2 * tick_ns();
	__u64 next = now() + period;
	const __u64 handle = add_periodic(fd, next, period, 1);
	struct twheel_event event;
	long result;

	while (next_fault(FAULT_ONE)) {
		wait_for_event(fd);
		result = UNDER_FAULT(read(fd, &event, sizeof(event)));
		if (result < 0)
			event = read_one(fd);
		check_event(&event);
		ASSERT(event.handle == handle);
		ASSERT_EQ(event.deadline_ns, next);
		next += event.count * period;
		ASSERT_EQ(timers_of(fd), 1);
	}
	ASSERT_GE(faults.injected, 1);
}

NONBLOCK_TEST(poll_fails_or_sees_the_event)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	long result;

	while (next_fault(FAULT_ONE)) {
		const __u64 handle = add(fd, ticks(1), 1);

		poll_fd.revents = 0;
		result = UNDER_FAULT(poll(&poll_fd, 1, -1));
		if (result >= 0) {
			ASSERT_EQ(result, 1);
			ASSERT_EQ(poll_fd.revents, POLLIN);
		}
		ASSERT(read_one(fd).handle == handle);
		ASSERT(!has_event(fd));
	}
	ASSERT_GE(faults.failed, 1);
}

TEST(close_ends_all_timers)
{
	const int before = references();
	struct twheel_op ops[SOME];

	while (next_fault(FAULT_SLABS)) {
		const int fd = open_device(O_NONBLOCK);
		const __u64 handle = add(fd, 0, 1);

		add_many(fd, ops, SOME, new_timer(LONG, 0));
		add_periodic(fd, now(), ticks(1), 2);
		wait_until_expired(fd, handle);
		add(fd, ticks(1), 3);
		ASSERT_EQ(UNDER_FAULT(close(fd)), 0);
		ASSERT_EQ(references(), before);
	}
}
