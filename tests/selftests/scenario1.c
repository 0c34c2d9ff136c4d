// SPDX-License-Identifier: GPL-2.0
/*
 * Heartbeats: drivers that report, and whose deadline is pushed back by each
 * report. The silent ones go offline, and nobody early. "make demo" has a million
 * of them; here there are fewer, and each way to push back has its turn.
 *
 * On a busy machine a report may come after its driver's deadline. Who went offline
 * then did so rightly: what counts is the last deadline that was accepted. Within
 * a tick, and none but the silent ones: that is asserted in virtual time.
 */
#include <sys/mman.h>

#include "device.h"

enum { MOST = 20000, REPORTS = 5 };

static struct driver {
	__u64	handle;
	__u64	deadline;	/* the last one that was accepted */
	__u64	expired;
} drivers[MOST];

static struct twheel_op ops[MOST];
static struct twheel_word *table;

static bool silent(unsigned int driver)
{
	return driver % 100 == 7;
}

/* Push back the deadline of each driver that is online and not silent. */
typedef void push_back_fn(int fd, unsigned int count, __u64 deadline);

static bool reports(unsigned int driver)
{
	return !silent(driver) && !drivers[driver].expired;
}

/*
 * What an operation said: the driver's event has not been read, so its timer is
 * there. If it had expired, that was not early, and it goes on.
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
			accepted(i, change_to(fd, drivers[i].handle, deadline),
				 deadline);
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
		struct twheel_word *word = &table[TWHEEL_INDEX(drivers[i].handle)];
		__u64 seen = __atomic_load_n(&word->deadline, __ATOMIC_ACQUIRE);

		if (!reports(i))
			continue;
		ASSERT(word->handle == drivers[i].handle);
		if (!(seen & TWHEEL_WORD_CLOSED)) {
			ASSERT_EQ(seen, drivers[i].deadline);
			if (__atomic_compare_exchange_n(&word->deadline, &seen,
							deadline, false,
							__ATOMIC_SEQ_CST,
							__ATOMIC_SEQ_CST)) {
				drivers[i].deadline = deadline;
				continue;
			}
		}
		/* the expiry has won, and its event will be read */
		ASSERT(seen & TWHEEL_WORD_CLOSED);
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
	unsigned int i;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer(deadline, i);
		ops[i].flags = TWHEEL_ABSTIME | flags;
	}
	add_all(fd, ops, count);
	for (i = 0; i < count; i++)
		drivers[i] = (struct driver){
			.handle = ops[i].handle,
			.deadline = deadline,
		};
}

/* Nobody is offline who should not be, and nobody's timer was lost. */
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
	const size_t size = (2 * MOST * sizeof(*table) + page_size() - 1) & -page_size();
	unsigned int i, rounds, silent_ones = 0, offline = 0;
	__u64 start, pushing = 0;

	if (flags) {
		table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     TWHEEL_MMAP_TABLE);
		if (table == MAP_FAILED)
			skip("no table: %s", strerror(errno));
	}
	for (i = 0; i < count; i++)
		silent_ones += silent(i);
	connect_drivers(fd, count, timeout, flags);
	/* the silent ones expire while the others report */
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

TEST(scenario1_heartbeats_one_by_one)
{
	heartbeats(push_back_one_by_one, many(MOST) / 4, 0);
}

TEST(scenario1_heartbeats_in_batches)
{
	heartbeats(push_back_in_batches, many(MOST), 0);
}

TEST(scenario1_heartbeats_in_the_table)
{
	heartbeats(push_back_in_table, many(MOST), TWHEEL_SHARED);
}
