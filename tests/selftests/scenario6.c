// SPDX-License-Identifier: GPL-2.0
/*
 * Orderly stop: a service ends in the middle of its work, writes down what was
 * pending, and another process goes on with it. drain.c has the cases of the call.
 */
#include <sys/mman.h>

#include "device.h"

enum { COUNT = 2000 };

/* The services' way to each other: a file, as it were. */
static struct file {
	struct twheel_op	records[COUNT];
	unsigned int		count;
	__u64			done[COUNT];	/* when it was due, if it was */
	__u64			stopping;	/* when that began, */
	__u64			stopped;	/* and when it was over */
} *file;

/* Some are due before the stop, some soon, and some on another day. */
static __u64 delay_of(unsigned int job)
{
	const __u64 delays[] = { 0, ticks(3), 300 * NSEC_PER_MSEC, 24 * 3600 * NSEC_PER_SEC };

	return delays[job % ARRAY_SIZE(delays)] + job * 1000;
}

static bool distant(unsigned int job)
{
	return delay_of(job) > 3600 * NSEC_PER_SEC;
}

static void read_done(int fd, __u64 *done)
{
	struct twheel_event events[64];
	int i, got;

	while ((got = read_events(fd, events, ARRAY_SIZE(events))) > 0) {
		for (i = 0; i < got; i++) {
			check_event(&events[i]);
			ASSERT_LT(events[i].cookie, COUNT);
			ASSERT(!done[events[i].cookie]);
			done[events[i].cookie] = events[i].deadline_ns;
		}
	}
	ASSERT_EQ(got, -EAGAIN);
}

/* Drain until there is no more, then read what had expired by then. */
static void stop(int fd)
{
	struct twheel_op op = new_timer(NSEC_PER_SEC, 0);
	int got;

	file->stopping = now();
	do {
		got = drain(fd, file->records + file->count, COUNT - file->count < 100 ?
			    COUNT - file->count + 1 : 100);
		ASSERT_GE(got, 0);
		file->count += got;
		ASSERT_LE(file->count, COUNT);
	} while (got);
	file->stopped = now();
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	read_done(fd, file->done);
	ASSERT_EQ(timers_of(fd), 0);
}

static void first_service(void *data)
{
	static struct twheel_op ops[COUNT];
	const int fd = open_device(O_NONBLOCK);
	__u64 begin, end;
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = new_timer(delay_of(i), i);
	begin = now();
	add_all(fd, ops, COUNT);
	end = now();
	pass_ticks(2);
	stop(fd);

	/* each record has the time that was left, of what it had */
	for (i = 0; i < file->count; i++) {
		const struct twheel_op *record = &file->records[i];

		ASSERT_LT(record->cookie, COUNT);
		ASSERT(!file->done[record->cookie]);
		ASSERT(record->handle == ops[record->cookie].handle);
		/* One that is due, and waits for the tick, has nothing left. */
		if (record->time_ns)
			ASSERT_LE(record->time_ns + file->stopping,
				  delay_of(record->cookie) + end);
		ASSERT_GE(record->time_ns + file->stopped,
			  delay_of(record->cookie) + begin);
	}
}

static void second_service(void *data)
{
	static __u64 done[COUNT];
	const int fd = open_device(O_NONBLOCK);
	const __u64 begin = now();
	unsigned int i, left = 0;
	__u64 end;

	batch(fd, file->records, file->count);
	end = now();
	for (i = 0; i < file->count; i++) {
		ASSERT_EQ(file->records[i].result, 0);
		left += distant(file->records[i].cookie);
	}
	while (timers_of(fd) > left) {
		wait_for_event(fd);
		read_done(fd, done);
	}
	/* the time that was left is what each had, and the cookie is its own */
	for (i = 0; i < file->count; i++) {
		const struct twheel_op *record = &file->records[i];
		__u64 *due = &done[record->cookie];
		struct twheel_op op = {
			.handle = record->handle,
			.flags = TWHEEL_ABSTIME,
		};

		if (distant(record->cookie)) {
			ASSERT_EQ(*due, 0);
			ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_QUERY, &op)), 0);
			ASSERT_EQ(op.cookie, record->cookie);
			*due = op.time_ns;
			ASSERT_EQ(cancel(fd, record->handle), 0);
		}
		ASSERT_GE(*due, begin + record->time_ns);
		ASSERT_LE(*due, end + record->time_ns);
		file->done[record->cookie] = *due;
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(scenario6_another_process_goes_on)
{
	unsigned int i, done = 0;

	file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT(file != MAP_FAILED);
	join(start(first_service, NULL));
	for (i = 0; i < COUNT; i++)
		done += !!file->done[i];
	note("%u done, %u handed over", done, file->count);
	ASSERT_EQ(done + file->count, COUNT);
	ASSERT_GE(done, 1);
	ASSERT_GE(file->count, COUNT / 4);
	join(start(second_service, NULL));
	for (i = 0; i < COUNT; i++)
		ASSERT_NE(file->done[i], 0);
}
