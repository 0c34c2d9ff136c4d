// SPDX-License-Identifier: GPL-2.0
/*
 * Many drivers report from time to time, and each report pushes the driver's deadline back. A
 * driver that is silent until its deadline goes offline within a tick, and no driver goes
 * offline early. Nothing scans all drivers.
 *
 * "make demo" has a million drivers. This program has fewer, and pushes back in each of
 * three ways: by a call for each driver, in batches, and in the table of deadlines.
 *
 * On a busy host a report may come after its driver's deadline. That driver goes offline
 * rightly, so the test compares with the last deadline that was accepted. Virtual time
 * has no such reports: there only silent drivers go offline, and within a tick.
 */
#include "table_timer.h"

enum { MOST = 20000, REPORTS = 5 };

static struct driver {
	__u64	handle;
	__u64	deadline;	/* the last deadline that was accepted */
	__u64	expired;	/* when the driver went offline, or 0 */
} drivers[MOST];

static struct twheel_op ops[MOST];
static struct twheel_word *table;

static bool silent(unsigned int driver)
{
	return driver % 100 == 7;
}

typedef void push_back_fn(int fd, unsigned int count, __u64 deadline);

static bool reports(unsigned int driver)
{
	return !silent(driver) && !drivers[driver].expired;
}

/*
 * Note a push by a change. The driver's event has not been read, so its timer exists.
 * A timer that had expired was not early, and is pending again.
 */
static void accepted(unsigned int driver, int result, __u64 deadline)
{
	if (result == TWHEEL_RETRACTED)
		ASSERT_GE(now(), drivers[driver].deadline);
	else
		ASSERT_EQ(result, 0);
	drivers[driver].deadline = deadline;
}

static void push_back_one_by_one(int fd, unsigned int count, __u64 deadline)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (reports(i))
			accepted(i, change_to(fd, drivers[i].handle, deadline), deadline);
}

static void push_back_in_batches(int fd, unsigned int count, __u64 deadline)
{
	unsigned int i, used = 0;

	for (i = 0; i < count; i++)
		if (reports(i))
			ops[used++] = (struct twheel_op){
				.op = TWHEEL_OP_CHANGE,
				.flags = TWHEEL_ABSTIME,
				.handle = drivers[i].handle,
				.time_ns = deadline,
			};
	batch(fd, ops, used);
	for (i = used = 0; i < count; i++)
		if (reports(i))
			accepted(i, ops[used++].result, deadline);
}

static void push_back_in_table(int fd, unsigned int count, __u64 deadline)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		__u64 *word = word_of(table, drivers[i].handle);
		__u64 seen = read_word(word);

		if (!reports(i))
			continue;
		ASSERT(table[TWHEEL_INDEX(drivers[i].handle)].handle == drivers[i].handle);
		if (!(seen & CLOSED))
			ASSERT_EQ(seen, drivers[i].deadline);
		if (push_word(word, &seen, deadline)) {
			drivers[i].deadline = deadline;
			continue;
		}
		/* the expiry has won, and its event will be read */
		ASSERT(seen & CLOSED);
		ASSERT_GE(now(), drivers[i].deadline);
	}
}

/* Returns how many have gone offline since. */
static unsigned int read_offline(int fd)
{
	struct twheel_event events[64];
	unsigned int count = 0;
	int i, got;

	while ((got = read_events(fd, events, ARRAY_SIZE(events))) > 0) {
		for (i = 0; i < got; i++) {
			struct driver *driver = &drivers[events[i].cookie];

			ASSERT_LT(events[i].cookie, MOST);
			check_event(&events[i]);
			if (time_travel)
				check_lateness(&events[i]);
			ASSERT(!driver->expired);
			ASSERT(events[i].handle == driver->handle);
			ASSERT_EQ(events[i].deadline_ns, driver->deadline);
			driver->expired = events[i].expired_ns;
		}
		count += got;
	}
	ASSERT_EQ(got, -EAGAIN);
	return count;
}

static void connect_drivers(int fd, unsigned int count, __u64 timeout, __u32 flags)
{
	const __u64 deadline = now() + timeout;
	struct twheel_op op = new_timer_at(deadline, 0);
	unsigned int i;

	op.flags |= flags;
	add_many(fd, ops, count, op);
	for (i = 0; i < count; i++)
		drivers[i] = (struct driver){
			.handle = ops[i].handle,
			.deadline = deadline,
		};
}

/* Each silent driver is offline, and each other driver still has its timer. */
static void check_online(int fd, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		int result;

		if (silent(i))
			ASSERT_NE(drivers[i].expired, 0);
		if (drivers[i].expired)
			continue;
		result = cancel(fd, drivers[i].handle);
		if (result == TWHEEL_RETRACTED)
			ASSERT_GE(now(), drivers[i].deadline);
		else
			ASSERT_EQ(result, 0);
	}
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}

static void heartbeats(push_back_fn *push_back, unsigned int count, __u32 flags)
{
	const __u64 timeout = NSEC_PER_SEC;
	const int fd = open_device(O_NONBLOCK);
	const unsigned int page = words_of_a_page();
	unsigned int i, rounds, silent_ones = 0, offline = 0;
	__u64 start, pushing = 0;

	if (flags)
		table = map_words(fd, (2 * MOST + page - 1) / page * page);
	for (i = 0; i < count; i++)
		silent_ones += silent(i);
	connect_drivers(fd, count, timeout, flags);
	/* the silent drivers expire while the others report */
	for (rounds = 0; offline < silent_ones || rounds < REPORTS + 2; rounds++) {
		pass(now() + timeout / REPORTS);
		offline += read_offline(fd);
		start = now();
		push_back(fd, count, start + timeout);
		pushing += now() - start;
	}
	note("%u drivers, %u silent; %u reports each, of %llu ns; %u were too late",
	     count, silent_ones, rounds, pushing / rounds / (count - silent_ones),
	     offline - silent_ones);
	ASSERT_GE(offline, silent_ones);
	if (time_travel)
		ASSERT_EQ(offline, silent_ones);
	check_online(fd, count);
}

TEST_CALL(one_by_one, heartbeats(push_back_one_by_one, many(MOST) / 4, 0))
TEST_CALL(in_batches, heartbeats(push_back_in_batches, many(MOST), 0))
TEST_CALL(in_the_table, heartbeats(push_back_in_table, many(MOST), TWHEEL_SHARED))
