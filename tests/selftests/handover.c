// SPDX-License-Identifier: GPL-2.0
/*
 * A service stops in the middle of its work: new timers are refused, and each timer that has
 * not run comes back with its cookie and the time that it had left. The service keeps these
 * records, and another process arms them again. drain.c has the cases of the call.
 */
#include "device.h"

enum { COUNT = 2000 };

/* What the first service leaves to the second one. */
static struct handover {
	struct twheel_op	records[COUNT];
	unsigned int		count;
	__u64			done[COUNT];	/* deadlines of jobs that were done, or 0 */
	__u64			stopping;	/* when the stop began */
	__u64			stopped;	/* when the stop was over */
} *handover;

/* Some jobs are due before the stop, some soon after, and some on another day. */
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

/* Drain until no timer is pending, then read the events of those that had expired. */
static void stop(int fd)
{
	struct twheel_op op = new_timer(NSEC_PER_SEC, 0);
	int got;

	handover->stopping = now();
	do {
		got = drain(fd, handover->records + handover->count, COUNT - handover->count < 100 ?
			    COUNT - handover->count + 1 : 100);
		ASSERT_GE(got, 0);
		handover->count += got;
		ASSERT_LE(handover->count, COUNT);
	} while (got);
	handover->stopped = now();
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	read_done(fd, handover->done);
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
	wait_for_event(fd);
	stop(fd);

	/* each record has the time that its timer had left */
	for (i = 0; i < handover->count; i++) {
		const struct twheel_op *record = &handover->records[i];

		ASSERT_LT(record->cookie, COUNT);
		ASSERT(!handover->done[record->cookie]);
		ASSERT(record->handle == ops[record->cookie].handle);
		/* a timer that is due, and waits for its tick, has no time left */
		if (record->time_ns)
			ASSERT_LE(record->time_ns + handover->stopping,
				  delay_of(record->cookie) + end);
		ASSERT_GE(record->time_ns + handover->stopped,
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

	batch(fd, handover->records, handover->count);
	end = now();
	for (i = 0; i < handover->count; i++) {
		ASSERT_EQ(handover->records[i].result, 0);
		left += distant(handover->records[i].cookie);
	}
	while (timers_of(fd) > left) {
		wait_for_event(fd);
		read_done(fd, done);
	}
	/* each timer was armed with its cookie, for the time that it had left */
	for (i = 0; i < handover->count; i++) {
		const struct twheel_op *record = &handover->records[i];
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
		ASSERT_WITHIN(*due, begin + record->time_ns, end + record->time_ns);
		handover->done[record->cookie] = *due;
	}
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(another_process_goes_on)
{
	unsigned int i, done = 0;

	handover = shared_memory(sizeof(*handover));
	join(start(first_service, NULL));
	for (i = 0; i < COUNT; i++)
		done += !!handover->done[i];
	note("%u done, %u handed over", done, handover->count);
	ASSERT_EQ(done + handover->count, COUNT);
	ASSERT_GE(done, 1);
	ASSERT_GE(handover->count, COUNT / 4);
	join(start(second_service, NULL));
	for (i = 0; i < COUNT; i++)
		ASSERT_NE(handover->done[i], 0);
}
