// SPDX-License-Identifier: GPL-2.0
/*
 * TWHEEL_KEEP_HANDLE: a timer is armed again under the handle that it had, in the same
 * descriptor or in another one.
 */
#include "table_timer.h"
#include "user.h"

#define KEEP		(TWHEEL_RESTORE | TWHEEL_KEEP_HANDLE)
#define GENERATIONS	(1ULL << 40)
#define LAST_INDEX	((1U << 24) - 1)

static __u64 handle_of(__u64 generation, __u32 index)
{
	return generation << 24 | index;
}

static __u64 generation_of(__u64 handle)
{
	return handle >> 24;
}

/* Adds a timer under a handle. Returns 0 or a negative errno. */
static int keep(int fd, __u64 handle)
{
	struct twheel_op op = kept_op(handle);

	if (ioctl(fd, TWHEEL_IOC_ADD, &op))
		return -errno;
	ASSERT(op.handle == handle);
	ASSERT_EQ(query(fd, handle, &op), 0);
	return 0;
}

DEVICE_TEST(kept_handle_names_the_timer)
{
	const __u64 handle = add(fd, LONG, 5);
	struct twheel_event event;
	struct twheel_op op;
	__u64 before, after;

	ASSERT_EQ(drain(fd, &op, 1), 1);
	resume(fd);
	op.op = 0;
	op.flags |= TWHEEL_KEEP_HANDLE;
	/* so much time was left */
	op.time_ns = ticks(3);
	before = now();
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	after = now();
	ASSERT(op.handle == handle);
	arm_timerfds(after + ticks(3));
	event = read_one(fd);
	ASSERT(event.handle == handle);
	ASSERT_EQ(event.cookie, 5);
	ASSERT_WITHIN(event.deadline_ns, before + ticks(3), after + ticks(3));
	check_lateness(&event);
	ASSERT_EQ(cancel(fd, handle), -ENOENT);
}

DEVICE_TEST(taken_handle_is_eexist)
{
	const __u64 pending = add(fd, LONG, 1), unread = add(fd, 0, 2);
	const __u64 others[] = {
		pending, unread, pending + (1 << 24), unread + (7ULL << 24),
		handle_of(GENERATIONS - 1, TWHEEL_INDEX(pending)),
	};
	struct twheel_op op;
	unsigned int i;

	wait_for_event(fd);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		op = kept_op(others[i]);
		REFUSED(fd, TWHEEL_IOC_ADD, &op, EEXIST);
	}
	ASSERT_EQ(read_one(fd).cookie, 2);
	ASSERT_EQ(keep(fd, unread), 0);
	ASSERT_EQ(cancel(fd, pending), 0);
	ASSERT_EQ(keep(fd, pending), 0);
}

DEVICE_TEST(handle_that_is_never_given_out_is_einval)
{
	struct twheel_op op;
	__u64 bit;

	op = kept_op(0);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	for (bit = 1; bit < 1 << 24; bit <<= 1) {
		op = kept_op(bit);
		REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	}
	op = kept_op(LAST_INDEX);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	ASSERT_EQ(keep(fd, 1 << 24), 0);
}

/* errors.c has the calls that refuse the flag alone. */
DEVICE_TEST(keep_handle_is_for_restore_only)
{
	struct twheel_op op = kept_op(1 << 24);

	op.flags = TWHEEL_KEEP_HANDLE;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	op.flags = KEEP;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.handle = 0;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
}

/* Records that do not ask for their handles get others, also beside records that do. */
DEVICE_TEST(records_of_a_batch_need_not_keep_handles)
{
	enum { COUNT = 200 };
	struct twheel_op ops[COUNT];
	__u64 old[COUNT];
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		add(fd, LONG, i);
	ASSERT_EQ(drain(fd, ops, COUNT), COUNT);
	resume(fd);
	for (i = 0; i < COUNT; i++) {
		old[i] = ops[i].handle;
		if (i % 3 == 0)
			ops[i].flags |= TWHEEL_KEEP_HANDLE;
	}
	batch(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(ops[i].result, 0);
		ASSERT_EQ(ops[i].handle == old[i], i % 3 == 0);
		ASSERT_EQ(cancel(fd, ops[i].handle), 0);
	}
}

DEVICE_TEST(stopped_descriptor_refuses_kept_handles)
{
	struct twheel_op op = new_timer(LONG, 1);
	const __u64 handle = arm(fd, op);

	ASSERT_EQ(drain(fd, &op, 1), 1);
	op = kept_op(handle);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
}

DEVICE_TEST(handle_that_cannot_be_returned_arms_nothing)
{
	const __u64 handle = handle_of(5, 5);
	struct twheel_op *op = read_only_op(kept_op(handle));

	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_ADD, op), EFAULT);
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(keep(fd, handle), 0);
}

/* No handle that is given out after a kept one is the same. */
static void check_later_handles(__u64 before, __u64 kept)
{
	enum { ADDS = 300 };
	const int fd = open_device(0);
	unsigned int i;
	__u64 handle;

	if (before)
		ASSERT_EQ(keep(fd, handle_of(before, 9)), 0);
	ASSERT_EQ(keep(fd, handle_of(kept, 0)), 0);
	ASSERT_EQ(cancel(fd, handle_of(kept, 0)), 0);
	for (i = 0; i < ADDS; i++) {
		handle = add(fd, LONG, 1);
		/* the lowest place is taken, which is that of the kept handle */
		ASSERT_EQ(TWHEEL_INDEX(handle), 0);
		ASSERT_NE(generation_of(handle), 0);
		ASSERT_NE(generation_of(handle), kept);
		ASSERT_EQ(cancel(fd, handle), 0);
	}
	close(fd);
}

TEST(later_handles_are_others)
{
	static const __u64 generations[] = {
		0, 1, 2, 150, GENERATIONS / 2 - 150, GENERATIONS / 2 - 1, GENERATIONS / 2,
		GENERATIONS / 2 + 1, GENERATIONS - 150, GENERATIONS - 1,
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(generations); i++)
		for (j = 1; j < ARRAY_SIZE(generations); j++)
			check_later_handles(generations[i], generations[j]);
}

/* The descriptor still works when all generations have been passed over. */
DEVICE_TEST(count_goes_round)
{
	__u64 handle;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(keep(fd, handle_of(GENERATIONS / 2 - 1, 1000 + i)), 0);
		ASSERT_EQ(keep(fd, handle_of(GENERATIONS - 2, 2000 + i)), 0);
		ASSERT_EQ(generation_of(add(fd, LONG, 1)), GENERATIONS - 1);
		handle = add(fd, LONG, 1);
		ASSERT_EQ(generation_of(handle), 1);
		ASSERT_EQ(cancel(fd, handle), 0);
	}
	ASSERT_EQ(timers_of(fd), 300);
}

/* Every index is good, and the memory for it is counted and given back. */
TEST(every_index)
{
	const int fd = open_device(0), other = open_device(0);
	const unsigned long before = user_memory_kb_of(other, 0);
	unsigned long array_kb;
	__u32 index;

	for (index = 1; index <= LAST_INDEX; index = 2 * index + 1)
		ASSERT_EQ(keep(fd, handle_of(index, index)), 0);
	ASSERT_EQ(timers_of(fd), 24);
	/* one block for each of the higher indexes, and the array of blocks as blocks */
	array_kb = user_memory_kb(fd) - before - 24 * 4;
	note("24 timers and %lu KiB more", array_kb);
	ASSERT_LE(array_kb, 529 * 4);
	add(fd, LONG, 1);
	for (index = LAST_INDEX; index; index /= 2)
		ASSERT_EQ(cancel(fd, handle_of(index, index)), 0);
	close(fd);
	ASSERT_EQ(user_memory_kb_of(other, before), before);
}

/* A walk goes over all the indexes without a timer, and finds the lowest and the highest one. */
DEVICE_TEST(timers_at_both_ends_are_found)
{
	const __u64 low = handle_of(5, 0), high = handle_of(6, LAST_INDEX);
	struct twheel_op ops[3];

	ASSERT_EQ(keep(fd, high), 0);
	ASSERT_EQ(keep(fd, low), 0);
	ASSERT_EQ(list_all(fd, ops, 3, 0), 2);
	ASSERT(ops[0].handle == low);
	ASSERT(ops[1].handle == high);
	ASSERT_EQ(cancel(fd, low), 0);
	ASSERT_EQ(drain(fd, ops, 3), 1);
	ASSERT(ops[0].handle == high);
}

DEVICE_TEST(shared_timer_needs_its_entry)
{
	struct twheel_op op = shared_op(now() + LONG, 1);
	struct twheel_word *table;

	op.flags |= KEEP;
	op.handle = handle_of(3, 7);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	table = map_table(fd);
	op.handle = handle_of(3, words_of_a_page());
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	op.handle = handle_of(3, 7);
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	ASSERT(table[7].handle == op.handle);
	ASSERT(push_alone(word_of(table, op.handle), op.time_ns + LONG));
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EEXIST);
	/* a timer without an entry may keep an index of the table */
	ASSERT_EQ(keep(fd, handle_of(3, 8)), 0);
	/* entries are still given out in turn */
	op.flags &= ~KEEP;
	op.handle = 0;
	ASSERT_EQ(TWHEEL_INDEX(arm(fd, op)), 0);
}

/* A checkpoint: drain or list, and restore into a new descriptor */

enum { CHECKPOINT = 5000 };

static struct twheel_op saved[CHECKPOINT], restored[CHECKPOINT];
static unsigned int checkpoint;

/* A descriptor with many kinds of timers, in places that are not all in use. */
static int new_mixture(void)
{
	static struct twheel_op ops[2 * CHECKPOINT];
	const int fd = open_device(0);
	unsigned int i;

	checkpoint = many(CHECKPOINT);
	map_table(fd);
	for (i = 0; i < 2 * checkpoint; i++) {
		ops[i] = mixed_timer(i);
		if (ops[i].clockid == CLOCK_MONOTONIC && !ops[i].period_ns && i < 600)
			ops[i].flags |= TWHEEL_SHARED;
	}
	add_all(fd, ops, 2 * checkpoint);
	for (i = 0; i < checkpoint; i++)
		ASSERT_EQ(cancel(fd, ops[i / 2 * 4 + i % 2].handle), 0);
	ASSERT_EQ(timers_of(fd), checkpoint);
	return fd;
}

/* Restores the saved records, and checks that the timers are the same. */
static void check_restore(void)
{
	const int fd = open_device(0);
	unsigned int i;

	map_table(fd);
	memcpy(restored, saved, sizeof(saved));
	for (i = 0; i < checkpoint; i++)
		restored[i].flags |= TWHEEL_KEEP_HANDLE;
	batch(fd, restored, checkpoint);
	for (i = 0; i < checkpoint; i++)
		ASSERT_EQ(restored[i].result, 0);
	ASSERT_EQ(list_all(fd, restored, checkpoint, TWHEEL_ABSTIME), checkpoint);
	for (i = 0; i < checkpoint; i++) {
		struct twheel_op made = saved[i];

		/* a drained record has the time that was left, but on CLOCK_REALTIME */
		if (!(made.flags & TWHEEL_ABSTIME))
			made.time_ns = restored[i].time_ns;
		made.flags |= TWHEEL_ABSTIME;
		check_record(&restored[i], &made);
	}
	close(fd);
}

TEST(list_and_restore_keep_all)
{
	const int fd = new_mixture();

	ASSERT_EQ(list_all(fd, saved, checkpoint, TWHEEL_ABSTIME), checkpoint);
	close(fd);
	check_restore();
}

TEST(drain_and_restore_keep_all)
{
	const int fd = new_mixture();
	unsigned int done = 0;
	int got;

	while ((got = drain(fd, saved + done, checkpoint - done ?: 1))) {
		ASSERT_GT(got, 0);
		done += got;
	}
	ASSERT_EQ(done, checkpoint);
	close(fd);
	check_restore();
}

/* Threads that keep the same handles: one of them gets each. */

enum { RACERS = 4, HANDLES = 20000 };

static int shared_fd;
static unsigned int handle_count;
static atomic_uchar owners[HANDLES];

static void race_for_handles(void *data)
{
	struct twheel_op ops[64];
	unsigned int i, j;

	for (i = 0; i + ARRAY_SIZE(ops) <= handle_count; i += ARRAY_SIZE(ops)) {
		for (j = 0; j < ARRAY_SIZE(ops); j++) {
			ops[j] = kept_op(handle_of(i + j + 1, i + j));
			ops[j].op = TWHEEL_OP_ADD;
		}
		batch(shared_fd, ops, ARRAY_SIZE(ops));
		for (j = 0; j < ARRAY_SIZE(ops); j++) {
			if (ops[j].result)
				ASSERT_EQ(ops[j].result, -EEXIST);
			else
				owners[i + j]++;
		}
	}
}

TEST(handle_is_kept_once)
{
	unsigned int i;

	shared_fd = open_device(0);
	handle_count = many(HANDLES);
	start_threads(RACERS, race_for_handles, NULL);
	join_threads();
	for (i = 0; i < handle_count / 64 * 64; i++)
		ASSERT_EQ(owners[i], 1);
	ASSERT_EQ(timers_of(shared_fd), handle_count / 64 * 64);
}
