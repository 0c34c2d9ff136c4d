// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* Test the functions of libtwheel on the real device. */
#include <fcntl.h>
#include <libtwheel.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness.h"
#include "io_ring.h"
#include "ioctl.h"

#define FAR	(100 * NSEC_PER_SEC)

static int open_twheel(void)
{
	const int fd = twheel_open(O_NONBLOCK);

	ASSERT_GE(fd, 0);
	return fd;
}

static uint64_t now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

static uint64_t tick(int fd)
{
	struct twheel_info info;

	ASSERT_EQ(twheel_get_info(fd, &info), 0);
	return info.resolution_ns;
}

static uint64_t timers(int fd)
{
	struct twheel_info info;

	ASSERT_EQ(twheel_get_info(fd, &info), 0);
	return info.timers;
}

static uint64_t add(int fd, struct twheel_op op)
{
	ASSERT_EQ(twheel_add(fd, &op), 0);
	ASSERT(op.handle);
	return op.handle;
}

static struct twheel_event read_one(int fd)
{
	struct twheel_event event;

	ASSERT_EQ(twheel_wait(fd, 30000), 1);
	ASSERT_EQ(twheel_read(fd, &event, 1), 1);
	return event;
}

static void wait_for_unread(int fd)
{
	ASSERT_EQ(twheel_wait(fd, 30000), 1);
}

TEST(version_is_that_of_the_header)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d", LIBTWHEEL_VERSION_MAJOR,
		 LIBTWHEEL_VERSION_MINOR);
	ASSERT(!strcmp(twheel_version(), text));
}

TEST(open_closes_on_exec_and_is_nonblocking_if_asked)
{
	int fd = twheel_open(0);

	ASSERT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ASSERT(!(fcntl(fd, F_GETFL) & O_NONBLOCK));
	ASSERT_EQ(twheel_close(fd), 0);
	fd = open_twheel();
	ASSERT(fcntl(fd, F_GETFL) & O_NONBLOCK);
	ASSERT_EQ(twheel_close(fd), 0);
	ASSERT_EQ(twheel_close(fd), -EBADF);
}

TEST(open_says_what_is_wrong)
{
	const int before = dup(0);

	ASSERT_EQ(twheel_open_path("/dev/no/such", 0), -ENOENT);
	ASSERT_EQ(twheel_open_path("/dev/null", 0), -ENODEV);
	ASSERT_EQ(twheel_open(O_APPEND), -EINVAL);
	/* A descriptor that was opened meanwhile is closed again. */
	ASSERT_EQ(dup(0), before + 1);
}

TEST(open_without_permission)
{
	CALL(setuid(65534));
	ASSERT_EQ(twheel_open(0), -EACCES);
}

TEST(errors_are_negative_errnos)
{
	const int fd = open_twheel();
	struct twheel_event event;
	struct twheel_info info;
	struct twheel_op op = twheel_after(FAR, 1);

	op.clockid = 77;
	ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
	ASSERT_EQ(twheel_upsert(fd, &op), -EINVAL);
	ASSERT_EQ(op.op, TWHEEL_OP_ADD);
	op = twheel_every(0, 1);
	ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
	ASSERT_EQ(twheel_change(fd, 1, 1, 0), -ENOENT);
	ASSERT_EQ(twheel_change(fd, 1, 1, 1U << 31), -EINVAL);
	ASSERT_EQ(twheel_cancel(fd, 1), -ENOENT);
	ASSERT_EQ(twheel_query(fd, 1, &op, 0), -ENOENT);
	ASSERT_EQ(twheel_cancel_group(fd, 1, NULL), -ENOENT);
	ASSERT_EQ(twheel_read(fd, &event, 1), -EAGAIN);
	ASSERT_EQ(twheel_read(fd, &event, 0), -EINVAL);
	ASSERT_EQ(twheel_set_eventfd(fd, fd), -EINVAL);
	ASSERT_EQ(twheel_get_info(-1, &info), -EBADF);
	ASSERT_EQ(twheel_wait(-1, -1), -EBADF);
	ASSERT_EQ(twheel_wait(-2, 0), -EBADF);
	ASSERT_EQ(twheel_wait(1000000, 0), -EBADF);
}

/*
 * The table of bindings/README. A uint64_t cannot be 2^64, NaN or infinite. C converts -1 to
 * 2^64 - 1. What it makes of the others is not defined, and nothing the library could tell.
 */
TEST(times_at_the_bounds_are_kept_or_refused)
{
	static const uint64_t kept[] = {
		0, 1, 1ull << 31, 1ull << 32, (1ull << 53) + 1, INT64_MAX
	};
	static const uint64_t refused[] = { 1ull << 63, UINT64_MAX, (uint64_t)-1, INT64_MIN };
	const int fd = open_twheel();
	const uint64_t handle = add(fd, twheel_after(FAR, 1));
	struct twheel_op op;
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		op = twheel_at(CLOCK_MONOTONIC, kept[i], kept[i]);
		op.group = kept[i];
		op.window_ns = kept[i];
		ASSERT_GE(twheel_query(fd, add(fd, op), &op, TWHEEL_ABSTIME), 0);
		ASSERT_EQ(op.time_ns, kept[i]);
		ASSERT_EQ(op.window_ns, kept[i]);
		ASSERT_EQ(op.cookie, kept[i]);
		ASSERT_EQ(op.group, kept[i]);
		ASSERT_GE(twheel_change(fd, handle, kept[i], TWHEEL_ABSTIME), 0);
		ASSERT_GE(twheel_query(fd, handle, &op, TWHEEL_ABSTIME), 0);
		ASSERT_EQ(op.time_ns, kept[i]);
		ASSERT_GE(twheel_change(fd, handle, kept[i], 0), 0);
	}
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		op = twheel_after(refused[i], 1);
		ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
		ASSERT_EQ(twheel_upsert(fd, &op), -EINVAL);
		op = twheel_at(CLOCK_MONOTONIC, refused[i], 1);
		ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
		op = twheel_every(refused[i], 1);
		ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
		op = twheel_after(FAR, 1);
		op.window_ns = refused[i];
		ASSERT_EQ(twheel_add(fd, &op), -EINVAL);
		ASSERT_EQ(twheel_change(fd, handle, refused[i], 0), -EINVAL);
		ASSERT_EQ(twheel_change(fd, handle, refused[i], TWHEEL_ABSTIME), -EINVAL);
		ASSERT_EQ(twheel_lease(fd, handle, refused[i], 0), -EINVAL);
		op = twheel_after(FAR, refused[i]);
		op.group = refused[i];
		ASSERT_EQ(twheel_query(fd, add(fd, op), &op, 0), 0);
		ASSERT_EQ(op.cookie, refused[i]);
		ASSERT_EQ(op.group, refused[i]);
	}
	ASSERT_EQ(twheel_wait(fd, INT_MAX), 1);
}

TEST(after_at_and_every_expire_as_they_say)
{
	const int fd = open_twheel();
	const uint64_t period = tick(fd), before = now();
	struct twheel_event event;
	uint64_t handle;

	handle = add(fd, twheel_after(period, 7));
	event = read_one(fd);
	ASSERT_EQ(event.handle, handle);
	ASSERT_EQ(event.cookie, 7);
	ASSERT_GE(event.deadline_ns, before + period);
	ASSERT_LE(event.deadline_ns, now());

	add(fd, twheel_at(CLOCK_MONOTONIC, before + 5, 8));
	event = read_one(fd);
	ASSERT_EQ(event.cookie, 8);
	ASSERT_EQ(event.deadline_ns, before + 5);

	add(fd, twheel_at(CLOCK_REALTIME, 12345, 9));
	event = read_one(fd);
	ASSERT_EQ(event.cookie, 9);
	ASSERT_EQ(event.deadline_ns, 12345);

	handle = add(fd, twheel_every(period, 10));
	event = read_one(fd);
	ASSERT_EQ((read_one(fd).deadline_ns - event.deadline_ns) % period, 0);
	ASSERT_EQ(event.handle, handle);
	ASSERT_GE(twheel_cancel(fd, handle), 0);
}

TEST(change_and_cancel_say_whether_an_event_was_withdrawn)
{
	const int fd = open_twheel();
	struct twheel_event event;
	uint64_t handle = add(fd, twheel_after(FAR, 1));

	ASSERT_EQ(twheel_change(fd, handle, 2 * FAR, 0), 0);
	ASSERT_EQ(twheel_change(fd, handle, 1, TWHEEL_ABSTIME), 0);
	wait_for_unread(fd);
	ASSERT_EQ(twheel_change(fd, handle, 0, 0), TWHEEL_RETRACTED);
	wait_for_unread(fd);
	ASSERT_EQ(twheel_cancel(fd, handle), TWHEEL_RETRACTED);
	ASSERT_EQ(twheel_read(fd, &event, 1), -EAGAIN);
	ASSERT_EQ(twheel_cancel(fd, handle), -ENOENT);
	handle = add(fd, twheel_after(FAR, 1));
	ASSERT_EQ(twheel_cancel(fd, handle), 0);
}

TEST(query_describes_a_timer)
{
	const int fd = open_twheel();
	struct twheel_op op = twheel_every(FAR, 11);
	uint64_t handle;

	op.group = 12;
	op.clockid = CLOCK_BOOTTIME;
	handle = add(fd, op);
	memset(&op, 0xcc, sizeof(op));
	ASSERT_EQ(twheel_query(fd, handle, &op, 0), 0);
	ASSERT_EQ(op.handle, handle);
	ASSERT_EQ(op.cookie, 11);
	ASSERT_EQ(op.group, 12);
	ASSERT_EQ(op.clockid, CLOCK_BOOTTIME);
	ASSERT_EQ(op.period_ns, FAR);
	ASSERT_GT(op.time_ns, FAR / 2);
	ASSERT_LE(op.time_ns, FAR);

	op = twheel_at(CLOCK_REALTIME, 1ULL << 62, 1);
	handle = add(fd, op);
	ASSERT_EQ(twheel_query(fd, handle, &op, TWHEEL_ABSTIME), 0);
	ASSERT_EQ(op.time_ns, 1ULL << 62);
	ASSERT_EQ(op.clockid, CLOCK_REALTIME);

	handle = add(fd, twheel_after(0, 1));
	wait_for_unread(fd);
	ASSERT_EQ(twheel_query(fd, handle, &op, 0), TWHEEL_EXPIRED);
	ASSERT_EQ(op.time_ns, 0);
}

TEST(upsert_adds_then_changes)
{
	const int fd = open_twheel();
	struct twheel_op op = twheel_after(FAR, 1);

	/* The result of an earlier batch does not matter. */
	op.result = -ENOENT;
	ASSERT_EQ(twheel_upsert(fd, &op), TWHEEL_ADDED);
	ASSERT(op.handle);
	ASSERT_EQ(twheel_upsert(fd, &op), 0);
	op.time_ns = 0;
	ASSERT_EQ(twheel_upsert(fd, &op), 0);
	wait_for_unread(fd);
	op.time_ns = FAR;
	ASSERT_EQ(twheel_upsert(fd, &op), TWHEEL_RETRACTED);
	ASSERT_EQ(timers(fd), 1);
}

TEST(cancel_group_counts_what_it_ends)
{
	const int fd = open_twheel();
	struct twheel_op op = twheel_after(FAR, 1);
	uint64_t retracted = 77;
	int i;

	op.group = 5;
	for (i = 0; i < 10; i++)
		add(fd, op);
	op.time_ns = 0;
	add(fd, op);
	add(fd, twheel_after(FAR, 1));
	wait_for_unread(fd);
	ASSERT_EQ(twheel_cancel_group(fd, 5, &retracted), 11);
	ASSERT_EQ(retracted, 1);
	ASSERT_EQ(timers(fd), 1);
	ASSERT_EQ(twheel_cancel_group(fd, 5, &retracted), -ENOENT);
	ASSERT_EQ(retracted, 0);
}

static int run_prepared(int fd, uint32_t call, void *argument)
{
	struct io_uring_sqe sqe;

	/* as in a ring that has been in use */
	memset(&sqe, 0xcc, sizeof(sqe));
	twheel_prep_command(&sqe, fd, call, argument);
	sqe.user_data = call;
	io_ring_submit(sqe);
	return io_ring_wait().res;
}

TEST(prepared_command_does_what_the_call_does)
{
	const int fd = open_twheel();
	struct twheel_op op = twheel_after(FAR, 5), ops[2] = { op, op };
	struct twheel_batch batch = { .ops = (uintptr_t)ops, .count = 2 };
	struct twheel_op found;

	io_ring_open(0);
	op.op = 0;
	ASSERT_EQ(run_prepared(fd, TWHEEL_IOC_ADD, &op), 0);
	ASSERT_EQ(twheel_query(fd, op.handle, &found, 0), 0);
	ASSERT_EQ(found.cookie, 5);
	ASSERT_EQ(run_prepared(fd, TWHEEL_IOC_BATCH, &batch), 2);
	ASSERT_EQ(twheel_cancel(fd, ops[1].handle), 0);
	op = (struct twheel_op){ .handle = 1 };
	ASSERT_EQ(run_prepared(fd, TWHEEL_IOC_CANCEL, &op), -ENOENT);
	ASSERT_EQ(run_prepared(fd, 1, &op), -ENOTTY);
	ASSERT_EQ(timers(fd), 2);
	twheel_close(fd);
}

static struct twheel_op *many_ops(size_t count)
{
	struct twheel_op *ops = calloc(count, sizeof(*ops));
	size_t i;

	ASSERT(ops);
	for (i = 0; i < count; i++)
		ops[i] = twheel_after(FAR, i);
	return ops;
}

TEST(submit_carries_out_more_than_one_batch)
{
	enum { COUNT = 100001 };
	struct twheel_op *ops = many_ops(COUNT);
	const int fd = open_twheel();
	size_t i;

	ops[5].op = 99;
	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	ASSERT_EQ(timers(fd), COUNT - 1);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(ops[i].result, i == 5 ? -EINVAL : 0);
	ASSERT_EQ(twheel_submit(fd, ops, 0), 0);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

/* Let a signal arrive every 2 ms, without SA_RESTART. */
static void start_signals(void)
{
	const struct sigaction action = { .sa_handler = count_signal };
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } };

	CALL(sigaction(SIGALRM, &action, NULL));
	CALL(setitimer(ITIMER_REAL, &often, NULL));
}

TEST(submit_and_drain_go_on_after_signals)
{
	enum { COUNT = 200000 };
	struct twheel_op *ops = many_ops(COUNT);
	const int fd = open_twheel();

	start_signals();
	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	ASSERT_EQ(timers(fd), COUNT);
	memset(ops, 0, COUNT * sizeof(*ops));
	ASSERT_EQ(twheel_drain(fd, ops, COUNT), COUNT);
	ASSERT_EQ(timers(fd), 0);
	ASSERT_GT(signals, 0);
}

/* Memory for @count operations, with none behind it. */
static struct twheel_op *ops_before_a_hole(size_t count)
{
	const size_t size = count * sizeof(struct twheel_op);
	char *place = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT(place != MAP_FAILED);
	ASSERT_EQ(size % (size_t)sysconf(_SC_PAGESIZE), 0);
	CALL(munmap(place + size, size));
	return (void *)place;
}

TEST(submit_stops_where_memory_ends)
{
	const size_t count = 16384 / sizeof(struct twheel_op);
	struct twheel_op *ops = ops_before_a_hole(count);
	const int fd = open_twheel();
	size_t i;

	for (i = 0; i < count; i++)
		ops[i] = twheel_after(FAR, i);
	ASSERT_EQ(twheel_submit(fd, ops, 2 * count), count);
	ASSERT_EQ(timers(fd), count);
	ASSERT_EQ(twheel_submit(fd, ops + count, 1), -EFAULT);
}

TEST(drain_counts_what_it_took_back_before_memory_ends)
{
	enum { COUNT = 10000, FIT = 8192 };
	struct twheel_op *ops = many_ops(COUNT), *taken = ops_before_a_hole(FIT);
	const int fd = open_twheel();

	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	ASSERT_EQ(twheel_drain(fd, taken, COUNT), FIT);
	ASSERT_EQ(timers(fd), COUNT - FIT);
	ASSERT_EQ(twheel_drain(fd, taken + FIT, COUNT), -EFAULT);
	ASSERT_EQ(timers(fd), COUNT - FIT);
	ASSERT_EQ(twheel_drain(fd, taken, FIT), COUNT - FIT);
	ASSERT_EQ(twheel_drain(fd, taken, FIT), 0);
}

/* Another thread resumes during this TWHEEL_IOC_DRAIN, counted from 1; 0 for none. */
static int drains_until_resume;

/* Another thread maps the table of this size after the next TWHEEL_IOC_INFO; 0 for none. */
static size_t table_size_of_another;

/* The program is linked with --wrap=ioctl, so every ioctl() comes here. */
int __wrap_ioctl(int fd, unsigned long call, void *argument)
{
	int ret;

	if (call == TWHEEL_IOC_DRAIN && drains_until_resume &&
	    !--drains_until_resume) {
		ASSERT_EQ(twheel_resume(fd), 0);
		errno = ECANCELED;
		return -1;
	}
	ret = __real_ioctl(fd, call, argument);
	if (call == TWHEEL_IOC_INFO && table_size_of_another) {
		void *start = mmap(NULL, table_size_of_another, PROT_READ, MAP_SHARED, fd, 0);

		ASSERT(start != MAP_FAILED);
		table_size_of_another = 0;
	}
	return ret;
}

TEST(drain_counts_what_it_took_back_before_a_resume)
{
	enum { COUNT = 10000 };
	struct twheel_op *ops = many_ops(COUNT), *taken = many_ops(COUNT + 1);
	struct twheel_op op = twheel_after(FAR, 1);
	const int fd = open_twheel();
	long first, rest;

	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	drains_until_resume = 2;
	first = twheel_drain(fd, taken, COUNT);
	ASSERT_GT(first, 0);
	ASSERT_LT(first, COUNT);
	ASSERT_EQ(timers(fd), COUNT - first);
	/* The resume holds. */
	ASSERT_EQ(twheel_add(fd, &op), 0);
	drains_until_resume = 1;
	ASSERT_EQ(twheel_drain(fd, taken + first, COUNT - first + 1), -ECANCELED);
	ASSERT_EQ(timers(fd), COUNT - first + 1);

	rest = twheel_drain(fd, taken + first, COUNT - first + 1);
	ASSERT_EQ(first + rest, COUNT + 1);
	ASSERT_EQ(timers(fd), 0);
	ASSERT_EQ(twheel_resume(fd), 0);
	ASSERT_EQ(twheel_submit(fd, taken, COUNT + 1), COUNT + 1);
	ASSERT_EQ(timers(fd), COUNT + 1);
}

/* Lists all timers, so many at a time. Returns how many. */
static size_t list_all(int fd, struct twheel_op *ops, size_t room, size_t at_a_time)
{
	uint64_t cursor = 0;
	size_t seen = 0;
	long got;

	do {
		ASSERT_LE(seen + at_a_time, room);
		got = twheel_list(fd, &cursor, ops + seen, at_a_time, TWHEEL_ABSTIME);
		ASSERT_GE(got, 0);
		seen += got;
	} while (got == (long)at_a_time);
	ASSERT_EQ(twheel_list(fd, &cursor, ops, at_a_time, 0), 0);
	return seen;
}

TEST(list_goes_on_after_signals)
{
	enum { COUNT = 50000, ROOM = COUNT + 10000 };
	struct twheel_op *ops = many_ops(COUNT), *listed = many_ops(ROOM);
	const int fd = open_twheel();
	unsigned int lists = 0;
	size_t i;

	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	start_signals();
	for (lists = 0; lists < 3 || signals < 3; lists++) {
		static const size_t lengths[] = { 1000, 4096, 4097, 10000 };

		ASSERT_EQ(list_all(fd, listed, ROOM, lengths[lists % 4]), COUNT);
		for (i = 0; i < COUNT; i++) {
			ASSERT_LT(listed[i].cookie, COUNT);
			ASSERT(listed[i].handle == ops[listed[i].cookie].handle);
			/* each once: counted by the place of its cookie */
			ops[listed[i].cookie].result++;
		}
	}
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(ops[i].result, lists);
	ASSERT_EQ(timers(fd), COUNT);
}

TEST(list_counts_what_it_listed_before_memory_ends)
{
	enum { COUNT = 10000, FIT = 8192 };
	struct twheel_op *ops = many_ops(COUNT), *listed = ops_before_a_hole(FIT);
	const int fd = open_twheel();
	uint64_t cursor = 0, before;

	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	ASSERT_EQ(twheel_list(fd, &cursor, listed, COUNT, 0), FIT);
	before = cursor;
	ASSERT_EQ(twheel_list(fd, &cursor, listed + FIT, COUNT, 0), -EFAULT);
	ASSERT(cursor == before);
	ASSERT_EQ(twheel_list(fd, &cursor, listed, FIT, 0), COUNT - FIT);
	ASSERT_EQ(twheel_list(fd, &cursor, listed, FIT, 0), 0);
	cursor = ~0ULL;
	ASSERT_EQ(twheel_list(fd, &cursor, listed, FIT, 0), -EINVAL);
	cursor = 0;
	ASSERT_EQ(twheel_list(fd, &cursor, NULL, 0, 0), 0);
}

TEST(listed_timers_are_restored_elsewhere)
{
	enum { COUNT = 1000 };
	struct twheel_op *ops = many_ops(COUNT), *listed = many_ops(COUNT + 1), op;
	const int fd = open_twheel(), other = open_twheel();
	uint64_t expired, cursor = 0;
	size_t i;

	for (i = 0; i < COUNT - 1; i++)
		ops[i].window_ns = i;
	ASSERT_EQ(twheel_submit(fd, ops, COUNT - 1), COUNT - 1);
	expired = add(fd, twheel_after(0, COUNT - 1));
	wait_for_unread(fd);
	ASSERT_EQ(twheel_list(fd, &cursor, listed, COUNT + 1, 0), COUNT);
	ASSERT_EQ(twheel_restore(other, listed, COUNT), COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(listed[i].result, 0);
		ASSERT(listed[i].handle == (i < COUNT - 1 ? ops[i].handle : expired));
	}
	/* the expired timer expires again */
	ASSERT(read_one(other).handle == expired);
	ASSERT_EQ(twheel_query(other, ops[7].handle, &op, 0), 0);
	ASSERT_EQ(op.window_ns, 7);
	ASSERT_EQ(twheel_restore(other, listed, COUNT - 1), COUNT - 1);
	for (i = 0; i < COUNT - 1; i++)
		ASSERT_EQ(listed[i].result, -EEXIST);
	ASSERT_EQ(timers(other), COUNT - 1);
}

TEST(drained_timers_can_be_submitted_again)
{
	enum { COUNT = 1000 };
	struct twheel_op *ops = many_ops(COUNT), *taken = many_ops(COUNT + 1);
	const int fd = open_twheel();
	struct twheel_op op = twheel_after(FAR, 1);
	size_t i;

	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	ASSERT_EQ(twheel_drain(fd, taken, COUNT + 1), COUNT);
	ASSERT_EQ(timers(fd), 0);
	ASSERT_EQ(twheel_add(fd, &op), -ESHUTDOWN);
	ASSERT_EQ(twheel_resume(fd), 0);
	ASSERT_EQ(twheel_submit(fd, taken, COUNT), COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(taken[i].result, 0);
	ASSERT_EQ(timers(fd), COUNT);
}

static struct twheel_event event_of(uint32_t clockid, uint64_t deadline_ns,
				    uint64_t cookie)
{
	return (struct twheel_event){
		.type = TWHEEL_EVENT_TIMER,
		.clockid = clockid,
		.deadline_ns = deadline_ns,
		.cookie = cookie,
	};
}

TEST(sort_events_puts_clocks_apart_and_is_stable)
{
	struct twheel_event events[] = {
		event_of(CLOCK_BOOTTIME, 1, 9),
		event_of(CLOCK_MONOTONIC, 300, 7),
		event_of(CLOCK_MONOTONIC, 200, 5),
		event_of(CLOCK_REALTIME, 500, 4),
		{ .type = TWHEEL_EVENT_CLOCK_SET, .expired_ns = 9, .cookie = 1 },
		event_of(CLOCK_MONOTONIC, 200, 6),
		event_of(CLOCK_MONOTONIC, 1ULL << 63, 8),
		event_of(CLOCK_REALTIME, 0, 3),
		{ .type = TWHEEL_EVENT_CLOCK_SET, .expired_ns = 8, .cookie = 2 },
	};
	const size_t n = sizeof(events) / sizeof(*events);
	size_t i;

	twheel_sort_events(events, n);
	for (i = 0; i < n; i++)
		ASSERT_EQ(events[i].cookie, i + 1);
	twheel_sort_events(events, 0);
	twheel_sort_events(NULL, 0);
}

/* Arrays of any length, with many equal deadlines. The cookie is the place before. */
TEST(sort_events_sorts_at_random)
{
	enum { ROUNDS = 2000, MOST = 300 };
	struct twheel_event events[MOST];
	unsigned int round;
	size_t n, i;

	srandom(14);
	for (round = 0; round < ROUNDS; round++) {
		bool seen[MOST] = { };

		n = (size_t)random() % MOST;
		for (i = 0; i < n; i++)
			events[i] = event_of(CLOCK_MONOTONIC,
					     (uint64_t)random() % (1 + round % MOST), i);
		twheel_sort_events(events, n);
		for (i = 0; i < n; i++) {
			ASSERT_LT(events[i].cookie, n);
			ASSERT(!seen[events[i].cookie]);
			seen[events[i].cookie] = true;
			if (!i)
				continue;
			ASSERT_LE(events[i - 1].deadline_ns, events[i].deadline_ns);
			if (events[i - 1].deadline_ns == events[i].deadline_ns)
				ASSERT_LT(events[i - 1].cookie, events[i].cookie);
		}
	}
}

/* Each timer has an earlier deadline than the one added before; many share a tick. */
TEST(sort_events_puts_what_was_read_in_order_of_deadlines)
{
	enum { COUNT = 2000 };
	struct twheel_op *ops = many_ops(COUNT);
	struct twheel_event *events = calloc(COUNT, sizeof(*events));
	const uint64_t last = now() + 20 * NSEC_PER_MSEC;
	const int fd = open_twheel();
	long ret, n;
	size_t i;

	ASSERT(events);
	for (i = 0; i < COUNT; i++)
		ops[i] = twheel_at(CLOCK_MONOTONIC, last - i * 10000, i);
	ASSERT_EQ(twheel_submit(fd, ops, COUNT), COUNT);
	for (n = 0; n < COUNT; n += ret) {
		wait_for_unread(fd);
		ret = twheel_read(fd, events + n, COUNT - n);
		ASSERT_GT(ret, 0);
	}
	twheel_sort_events(events, COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(events[i].cookie, COUNT - 1 - i);
		ASSERT_EQ(events[i].deadline_ns, ops[COUNT - 1 - i].time_ns);
	}
}

TEST(eventfd_is_signalled)
{
	const int fd = open_twheel(), eventfd_fd = CALL(eventfd(0, 0));
	uint64_t value;

	ASSERT_EQ(twheel_set_eventfd(fd, eventfd_fd), 0);
	add(fd, twheel_after(0, 1));
	ASSERT_EQ(CALL(read(eventfd_fd, &value, sizeof(value))), sizeof(value));
	ASSERT_EQ(value, 1);
	ASSERT_EQ(twheel_set_eventfd(fd, -1), 0);
}

TEST(clock_that_is_set_is_an_event)
{
	const int fd = open_twheel();
	struct timespec time;

	ASSERT_EQ(twheel_watch_clock(fd), 0);
	CALL(clock_gettime(CLOCK_REALTIME, &time));
	time.tv_sec += 3600;
	CALL(clock_settime(CLOCK_REALTIME, &time));
	ASSERT_EQ(read_one(fd).type, TWHEEL_EVENT_CLOCK_SET);
}

/* A descriptor with a table, and a TWHEEL_SHARED timer. */
struct shared {
	int			fd;
	struct twheel_table	table;
	uint64_t		deadline;
	uint64_t		handle;
};

static struct shared shared_timer(uint64_t delay_ns)
{
	struct shared shared = { .fd = open_twheel() };
	struct twheel_op op;

	ASSERT_EQ(twheel_map_table(shared.fd, 1, &shared.table), 0);
	ASSERT_GE(shared.table.count, 256);
	shared.deadline = now() + delay_ns;
	op = twheel_at(CLOCK_MONOTONIC, shared.deadline, 1);
	op.flags |= TWHEEL_SHARED;
	shared.handle = add(shared.fd, op);
	return shared;
}

TEST(push_back_says_which_of_three_things_happened)
{
	struct shared shared = shared_timer(FAR);
	const struct twheel_table *table = &shared.table;
	const uint64_t handle = shared.handle, later = shared.deadline + FAR;

	ASSERT_EQ(twheel_push_back(table, handle, later), TWHEEL_PUSHED);
	ASSERT_EQ(twheel_push_back(table, handle, later), TWHEEL_PUSHED_BEFORE);
	ASSERT_EQ(twheel_push_back(table, handle, later - 1), TWHEEL_PUSHED_BEFORE);
	ASSERT_EQ(twheel_push_back(table, handle, ~0ULL), TWHEEL_PUSHED);
	ASSERT_EQ(twheel_change(shared.fd, handle, 0, 0), 0);
	wait_for_unread(shared.fd);
	ASSERT_EQ(twheel_push_back(table, handle, later), TWHEEL_PUSHED_NOT);
	/* A handle whose index is behind the mapping. */
	ASSERT_EQ(twheel_push_back(table, table->count, later), TWHEEL_PUSHED_NOT);
	twheel_unmap_table(&shared.table);
	ASSERT_EQ(twheel_push_back(table, handle, later), TWHEEL_PUSHED_NOT);
}

TEST(push_or_rearm_pushes_withdraws_or_adds)
{
	struct shared shared = shared_timer(FAR);
	struct twheel_op op = twheel_at(CLOCK_MONOTONIC, shared.deadline + FAR, 1);
	const uint64_t handle = op.handle = shared.handle;

	op.flags |= TWHEEL_SHARED;
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), 0);
	op.time_ns -= FAR;
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), 0);
	ASSERT_EQ(twheel_query(shared.fd, handle, &op, TWHEEL_ABSTIME), 0);
	ASSERT_EQ(op.time_ns, shared.deadline + FAR);
	/* The event is unread. */
	ASSERT_EQ(twheel_change(shared.fd, handle, 0, 0), 0);
	wait_for_unread(shared.fd);
	op = twheel_at(CLOCK_MONOTONIC, now() + FAR, 2);
	op.flags |= TWHEEL_SHARED;
	op.handle = handle;
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), TWHEEL_RETRACTED);
	ASSERT_EQ(op.handle, handle);
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), 0);
	/* The event was read. */
	ASSERT_EQ(twheel_change(shared.fd, handle, 0, 0), 0);
	ASSERT_EQ(read_one(shared.fd).handle, handle);
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), TWHEEL_ADDED);
	ASSERT(op.handle && op.handle != handle);
	op.handle = 0;
	ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), TWHEEL_ADDED);
	ASSERT_EQ(timers(shared.fd), 2);
}

TEST(push_or_rearm_refuses_what_cannot_be_pushed)
{
	struct shared shared = shared_timer(FAR);
	struct twheel_op good = twheel_at(CLOCK_MONOTONIC, shared.deadline + FAR, 1), op;
	int i;

	good.flags |= TWHEEL_SHARED;
	good.handle = shared.handle;
	for (i = 0; i < 5; i++) {
		op = good;
		if (i == 0)
			op.flags &= ~TWHEEL_ABSTIME;
		else if (i == 1)
			op.flags &= ~TWHEEL_SHARED;
		else if (i == 2)
			op.clockid = CLOCK_BOOTTIME;
		else if (i == 3)
			op.period_ns = FAR;
		else
			op.time_ns = -1ULL;
		ASSERT_EQ(twheel_push_or_rearm(shared.fd, &shared.table, &op), -EINVAL);
	}
	ASSERT_EQ(twheel_query(shared.fd, shared.handle, &op, TWHEEL_ABSTIME), 0);
	ASSERT_EQ(op.time_ns, shared.deadline);
	ASSERT_EQ(timers(shared.fd), 1);
}

/* An entry of the table is used again after all others. */
TEST(push_back_by_a_handle_that_is_gone_leaves_others_alone)
{
	struct shared shared = shared_timer(0);
	const uint64_t index = TWHEEL_INDEX(shared.handle);
	struct twheel_op op = twheel_after(FAR, 2);
	size_t i;

	ASSERT_EQ(read_one(shared.fd).handle, shared.handle);
	op.flags |= TWHEEL_SHARED;
	for (i = 0; i <= shared.table.count; i++) {
		op.handle = 0;
		ASSERT_EQ(twheel_add(shared.fd, &op), 0);
		if (TWHEEL_INDEX(op.handle) == index)
			break;
		ASSERT_EQ(twheel_cancel(shared.fd, op.handle), 0);
	}
	ASSERT_EQ(TWHEEL_INDEX(op.handle), index);
	ASSERT_EQ(twheel_push_back(&shared.table, shared.handle, now() + 9 * FAR),
		  TWHEEL_PUSHED_NOT);
	ASSERT_EQ(twheel_query(shared.fd, op.handle, &op, 0), 0);
	ASSERT_LE(op.time_ns, FAR);
}

TEST(pushed_back_timer_expires_when_it_was_pushed_to)
{
	struct shared shared = shared_timer(50 * NSEC_PER_MSEC);
	const uint64_t later = shared.deadline + 50 * NSEC_PER_MSEC;
	struct twheel_event event;

	/* On a host that stood still for 50 ms, the timer has expired before the push. */
	const bool pushed = twheel_push_back(&shared.table, shared.handle, later) ==
			    TWHEEL_PUSHED;

	event = read_one(shared.fd);
	ASSERT_EQ(event.deadline_ns, pushed ? later : shared.deadline);
	ASSERT_GE(event.expired_ns, event.deadline_ns);
}

enum { PUSHERS = 2, ROUNDS = 40 };

struct pusher {
	const struct shared	*shared;
	uint64_t		latest;
	pthread_t		thread;
};

/* Push the timer back for 60 ms, always to 0.1 ms from now. */
static void *push(void *data)
{
	struct pusher *pusher = data;
	const struct shared *shared = pusher->shared;
	const uint64_t end = shared->deadline + 60 * NSEC_PER_MSEC;
	enum twheel_pushed result;
	uint64_t deadline;

	while ((deadline = now() + 100000) < end) {
		result = twheel_push_back(&shared->table, shared->handle, deadline);
		if (result == TWHEEL_PUSHED_NOT)
			break;
		if (result == TWHEEL_PUSHED)
			pusher->latest = deadline;
	}
	return NULL;
}

TEST_TIMEOUT(push_back_and_expiry_never_both_win, 300)
{
	unsigned int i, pushes = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct shared shared = shared_timer(NSEC_PER_MSEC);
		struct pusher pusher[PUSHERS] = { };
		uint64_t latest = shared.deadline;
		struct twheel_event event;
		int n;

		for (n = 0; n < PUSHERS; n++) {
			pusher[n].shared = &shared;
			ASSERT_EQ(pthread_create(&pusher[n].thread, NULL, push,
						 &pusher[n]), 0);
		}
		for (n = 0; n < PUSHERS; n++) {
			ASSERT_EQ(pthread_join(pusher[n].thread, NULL), 0);
			pushes += pusher[n].latest > 0;
			if (pusher[n].latest > latest)
				latest = pusher[n].latest;
		}
		event = read_one(shared.fd);
		ASSERT_EQ(event.deadline_ns, latest);
		ASSERT_GE(event.expired_ns, latest);
		ASSERT_EQ(timers(shared.fd), 0);
		close(shared.fd);
		twheel_unmap_table(&shared.table);
	}
	ASSERT_GT(pushes, 0);
}

TEST(second_mapping_has_the_size_of_the_first)
{
	struct shared shared = shared_timer(FAR);
	struct twheel_table table;
	struct twheel_events ring, again;

	ASSERT_EQ(twheel_map_table(shared.fd, 0, &table), 0);
	ASSERT_EQ(table.count, shared.table.count);
	ASSERT(table.words != shared.table.words);
	ASSERT_EQ(twheel_push_back(&table, shared.handle, shared.deadline + 1),
		  TWHEEL_PUSHED);
	ASSERT_EQ(twheel_push_back(&shared.table, shared.handle, shared.deadline + 1),
		  TWHEEL_PUSHED_BEFORE);

	ASSERT_EQ(twheel_map_ring(shared.fd, 0, &ring), -EINVAL);
	ASSERT_EQ(twheel_map_ring(shared.fd, 300, &ring), 0);
	ASSERT_EQ(twheel_map_ring(shared.fd, 0, &again), 0);
	ASSERT_EQ(again.mask, ring.mask);
	ASSERT_EQ(twheel_map_ring(shared.fd, 100, &again), 0);
	ASSERT_EQ(again.mask, ring.mask);
	add(shared.fd, twheel_after(0, 42));
	wait_for_unread(shared.fd);
	ASSERT_EQ(twheel_ring_peek(&again, 0)->cookie, 42);
	twheel_ring_advance(&ring, 1);
	ASSERT_EQ(twheel_ring_count(&again), 0);
}

TEST(table_is_whole_though_another_thread_makes_it_meanwhile)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct twheel_table table;

	table_size_of_another = 4 * page;
	ASSERT_EQ(twheel_map_table(open_twheel(), 1, &table), 0);
	ASSERT_EQ(table.count, 4 * page / sizeof(*table.words));
	table_size_of_another = page;
	ASSERT_EQ(twheel_map_table(open_twheel(), page, &table), -EINVAL);
	ASSERT(!table.words);
}

TEST(map_table_refuses_none_and_too_many)
{
	const int fd = open_twheel();
	struct twheel_table table;

	ASSERT_EQ(twheel_map_table(fd, 0, &table), -EINVAL);
	ASSERT_EQ(twheel_map_table(fd, (1 << 24) + 1, &table), -EINVAL);
	ASSERT_EQ(twheel_map_table(fd, ~(size_t)0, &table), -EINVAL);
	ASSERT(!table.words);
	ASSERT_EQ(twheel_map_table(fd, 1000, &table), 0);
	ASSERT_EQ(table.count % 256, 0);
	ASSERT_GE(table.count, 1000);
	ASSERT_EQ(twheel_map_table(fd, table.count + 1, &table), -EINVAL);
}

/* A descriptor with a ring. */
struct ring {
	int			fd;
	struct twheel_events	events;
};

static struct ring map_ring(size_t count)
{
	struct ring ring = { .fd = open_twheel() };

	ASSERT_EQ(twheel_map_ring(ring.fd, count, &ring.events), 0);
	return ring;
}

TEST(ring_is_a_power_of_two_and_large_enough)
{
	struct ring ring = map_ring(65);
	struct twheel_events again;

	ASSERT_GE(ring.events.mask + 1, 65);
	ASSERT_EQ(ring.events.mask & (ring.events.mask + 1), 0);
	ASSERT_EQ(twheel_ring_count(&ring.events), 0);
	ASSERT(!twheel_ring_peek(&ring.events, 0));
	/* The first mapping has fixed the size. */
	ASSERT_EQ(twheel_map_ring(ring.fd, 1000000, &again), -EINVAL);
	ASSERT(!again.ring);
	ASSERT_EQ(twheel_map_ring(ring.fd, 65, &again), 0);
	twheel_unmap_ring(&again);
	twheel_unmap_ring(&ring.events);
}

TEST(ring_has_the_events_and_read_has_none)
{
	struct ring ring = map_ring(1);
	const uint64_t handle = add(ring.fd, twheel_after(0, 42));
	const struct twheel_event *event;
	struct twheel_event none;

	wait_for_unread(ring.fd);
	ASSERT_EQ(twheel_ring_count(&ring.events), 1);
	event = twheel_ring_peek(&ring.events, 0);
	ASSERT(event);
	ASSERT_EQ(event->handle, handle);
	ASSERT_EQ(event->cookie, 42);
	ASSERT(!twheel_ring_peek(&ring.events, 1));
	ASSERT_EQ(twheel_read(ring.fd, &none, 1), -EBUSY);
	twheel_ring_advance(&ring.events, 1);
	ASSERT_EQ(twheel_ring_count(&ring.events), 0);
	ASSERT_EQ(twheel_wait(ring.fd, 0), 0);
}

/* Consume 5000 events from a small ring, in batches of changing size. */
TEST(ring_wraps_and_loses_nothing)
{
	enum { COUNT = 5000 };
	struct ring ring = map_ring(64);
	struct twheel_op *ops = many_ops(COUNT);
	char *seen = calloc(COUNT, 1);
	size_t i, n, total = 0, piece = 1;
	bool more = false;

	ASSERT(seen);
	for (i = 0; i < COUNT; i++)
		ops[i].time_ns = 0;
	ASSERT_EQ(twheel_submit(ring.fd, ops, COUNT), COUNT);
	while (total < COUNT) {
		wait_for_unread(ring.fd);
		more |= twheel_ring_more(&ring.events);
		n = twheel_ring_count(&ring.events);
		ASSERT_GE(n, 1);
		ASSERT_LE(n, ring.events.mask + 1);
		if (n > piece)
			n = piece;
		for (i = 0; i < n; i++) {
			const struct twheel_event *event =
				twheel_ring_peek(&ring.events, i);

			ASSERT_LT(event->cookie, COUNT);
			ASSERT(!seen[event->cookie]++);
		}
		twheel_ring_advance(&ring.events, n);
		total += n;
		piece = piece % 61 + 7;
	}
	ASSERT(more);
	ASSERT_EQ(timers(ring.fd), 0);
	ASSERT_EQ(twheel_wait(ring.fd, 0), 0);
	ASSERT(!twheel_ring_more(&ring.events));
}

/* Any thread may call any function at any time. */
static void *add_and_cancel(void *data)
{
	const int fd = *(int *)data;
	unsigned int i;

	for (i = 0; i < 2000; i++)
		ASSERT_EQ(twheel_cancel(fd, add(fd, twheel_after(FAR, i))), 0);
	return NULL;
}

TEST(threads_share_a_descriptor)
{
	pthread_t threads[4];
	int i, fd = open_twheel();

	for (i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, add_and_cancel, &fd), 0);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(pthread_join(threads[i], NULL), 0);
	ASSERT_EQ(timers(fd), 0);
}
