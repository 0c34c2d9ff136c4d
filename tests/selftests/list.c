// SPDX-License-Identifier: GPL-2.0
/*
 * TWHEEL_IOC_LIST: it lists every timer once, and changes nothing.
 */
#include <limits.h>
#include <sys/time.h>

#include "table_timer.h"

enum { COUNT = 300 };

static void check_list(int fd, const struct twheel_op *ops, struct twheel_op *records)
{
	unsigned int i;

	ASSERT_EQ(list_all(fd, records, COUNT + 1, TWHEEL_ABSTIME), COUNT);
	qsort(records, COUNT, sizeof(records[0]), compare_cookies);
	for (i = 0; i < COUNT; i++)
		check_record(&records[i], &ops[i]);
	ASSERT_EQ(timers_of(fd), COUNT);
}

/* The records arm the timers again, in another descriptor. */
DEVICE_TEST(every_kind_of_timer_is_listed)
{
	static struct twheel_op ops[COUNT], records[COUNT + 1];
	const int other = open_device(0);
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = mixed_timer(i);
	add_all(fd, ops, COUNT);
	check_list(fd, ops, records);
	batch(other, records, COUNT);
	cancel_all(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++) {
		ops[i] = mixed_timer(i);
		ops[i].time_ns = records[i].time_ns;
		ops[i].handle = records[i].handle;
	}
	check_list(other, ops, records);
}

/* Without TWHEEL_ABSTIME, the time left; but the deadline on CLOCK_REALTIME. */
DEVICE_TEST(time_left_is_told)
{
	const __u64 deadline = now() + LONG, before = now(), wall = read_clock(CLOCK_REALTIME);
	struct twheel_op records[2];

	add_at(fd, deadline, 0);
	add_on(fd, CLOCK_REALTIME, wall + LONG, 0);
	ASSERT_EQ(list_all(fd, records, 2, 0), 2);
	ASSERT_EQ(records[0].flags, TWHEEL_RESTORE);
	ASSERT_WITHIN(records[0].time_ns, deadline - now(), deadline - before);
	ASSERT_EQ(records[1].flags, TWHEEL_RESTORE | TWHEEL_ABSTIME);
	ASSERT_EQ(records[1].time_ns, wall + LONG);
}

DEVICE_TEST(expired_timer_is_listed_until_it_is_read)
{
	const __u64 deadline = now() + ticks(1);
	const __u64 handle = add_at(fd, deadline, 1);
	struct twheel_op records[2];

	add(fd, LONG, 2);
	wait_for_event(fd);
	ASSERT_EQ(list_all(fd, records, 2, 0), 2);
	ASSERT(records[0].handle == handle);
	ASSERT_EQ(records[0].result, TWHEEL_EXPIRED);
	ASSERT_EQ(records[0].time_ns, 0);
	ASSERT_EQ(records[1].result, 0);
	ASSERT_EQ(list_all(fd, records, 2, TWHEEL_ABSTIME), 2);
	ASSERT_EQ(records[0].time_ns, deadline);
	ASSERT_EQ(get_info(fd).unread, 1);
	ASSERT(read_one(fd).handle == handle);
	ASSERT_EQ(list_all(fd, records, 2, 0), 1);
	ASSERT_EQ(records[0].cookie, 2);
}

DEVICE_TEST(deadline_in_the_table_is_listed)
{
	const __u64 deadline = now() + LONG;
	struct twheel_word *table = map_table(fd);
	const __u64 handle = add_shared(fd, deadline, 1);
	struct twheel_op record;

	ASSERT(push_alone(word_of(table, handle), deadline + LONG));
	ASSERT_EQ(list_all(fd, &record, 1, TWHEEL_ABSTIME), 1);
	ASSERT_EQ(record.flags, TWHEEL_RESTORE | TWHEEL_ABSTIME | TWHEEL_SHARED);
	ASSERT_EQ(record.time_ns, deadline + LONG);
}

/* The record of a timer with a lease arms a timer without one. */
DEVICE_TEST(leased_timer_is_listed_as_such)
{
	struct twheel_lease lease = { .handle = add(fd, LONG, 1), .cap_ns = LONG };
	struct twheel_op record, told;

	CALL(ioctl(fd, TWHEEL_IOC_LEASE, &lease));
	ASSERT_EQ(list_all(fd, &record, 1, 0), 1);
	ASSERT(record.handle == lease.handle);
	ASSERT_EQ(record.flags, TWHEEL_RESTORE | TWHEEL_LEASED);
	record.op = 0;
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &record));
	ASSERT_EQ(query(fd, record.handle, &told), 0);
	ASSERT_EQ(told.flags, 0);
	record.flags = TWHEEL_LEASED;
	record.handle = 0;
	REFUSED(fd, TWHEEL_IOC_ADD, &record, EINVAL);
}

DEVICE_TEST(stopped_descriptor_lists_its_timers)
{
	struct twheel_op drained, record;

	add(fd, LONG, 1);
	add(fd, LONG, 2);
	ASSERT_EQ(drain(fd, &drained, 1), 1);
	ASSERT_EQ(list_all(fd, &record, 1, 0), 1);
	ASSERT_EQ(record.cookie, 3 - drained.cookie);
}

/* Arrays of each length: the cursor goes on where the last call has ended. */
DEVICE_TEST(each_call_goes_on_where_the_last_ended)
{
	enum { COUNT = 500 };
	static const unsigned int lengths[] = { 1, 2, 49, 50, 51, 63, 64, 65, 127, 128, 499 };
	static struct twheel_op ops[COUNT], records[COUNT + 1], again[COUNT];
	unsigned int i, seen;
	__u64 cursor, before;
	int got;

	add_many(fd, ops, COUNT, new_timer(LONG, 0));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (cursor = 0, seen = 0; seen < COUNT; seen += got) {
			before = cursor;
			got = list(fd, records + seen, lengths[i], &cursor, TWHEEL_ABSTIME);
			ASSERT_EQ(got, COUNT - seen < lengths[i] ? COUNT - seen : lengths[i]);
			/* the same cursor gives the same timers */
			ASSERT_EQ(list(fd, again, lengths[i], &before, TWHEEL_ABSTIME), got);
			ASSERT(before == cursor);
			ASSERT(!memcmp(again, records + seen, got * sizeof(again[0])));
		}
		ASSERT_EQ(list(fd, records + COUNT, 1, &cursor, 0), 0);
		qsort(records, COUNT, sizeof(records[0]), compare_cookies);
		for (seen = 0; seen < COUNT; seen++)
			ASSERT(records[seen].handle == ops[seen].handle);
	}
}

static void check_refused(int fd, struct twheel_op *record, __u32 count, __u64 cursor)
{
	/* which checks that the cursor stays as it is */
	ASSERT_EQ(list(fd, record, count, &cursor, 0), -EINVAL);
}

DEVICE_TEST(value_out_of_range_is_einval)
{
	struct twheel_op record = { .cookie = 7 };
	const struct twheel_list valid = { .ops = (unsigned long)&record, .count = 1 };
	static const __u32 counts[] = { 0, INT_MAX + 1U, ~0U };
	__u64 bit, cursor = 1 << 24;
	unsigned int i;

	add(fd, LONG, 1);
	REFUSE_BITS(fd, TWHEEL_IOC_LIST, valid, reserved, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_LIST, valid, flags, TWHEEL_ABSTIME);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		check_refused(fd, &record, counts[i], 0);
	check_refused(fd, &record, 1, (1ULL << 24) + 1);
	for (bit = 1ULL << 25; bit; bit <<= 1)
		check_refused(fd, &record, 1, bit);
	check_refused(fd, &record, 1, ~0ULL);
	/* the cursor of the end lists nothing */
	ASSERT_EQ(list(fd, &record, 1, &cursor, 0), 0);
	ASSERT_EQ(cursor, 1 << 24);
	ASSERT_EQ(record.cookie, 7);
	ASSERT_EQ(timers_of(fd), 1);
}

DEVICE_TEST(bad_address_is_efault)
{
	struct twheel_op *page = two_pages(PROT_NONE);
	struct twheel_list *arg = (void *)page;
	__u64 cursor = 0;

	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LIST, NULL), EFAULT);
	/* no timer, no record to write */
	ASSERT_EQ(list(fd, NULL, 1, &cursor, 0), 0);
	add(fd, LONG, 1);
	cursor = 0;
	ASSERT_EQ(list(fd, NULL, 1, &cursor, 0), -EFAULT);
	ASSERT_EQ(list(fd, page + page_size() / sizeof(*page), 1, &cursor, 0), -EFAULT);
	arg->ops = (unsigned long)&(struct twheel_op){ 0 };
	arg->count = 1;
	protect(page, page_size(), PROT_READ);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LIST, arg), EFAULT);
	ASSERT_EQ(arg->cursor, 0);
	ASSERT_EQ(timers_of(fd), 1);
}

/* Part of the array cannot be written: the cursor stops in front of that part. */
static void check_end_of_memory(int fd, unsigned int room, int protection)
{
	enum { COUNT = 200 };
	static struct twheel_op rest[COUNT];
	char *end = (char *)two_pages(protection) + page_size();
	struct twheel_op *ops = (void *)(end - room * sizeof(*ops) - sizeof(*ops) / 2);
	__u64 cursor = 0;
	unsigned int i;
	bool seen[COUNT] = { };

	ASSERT_EQ(list(fd, ops, COUNT, &cursor, 0), room ? (int)room : -EFAULT);
	ASSERT_EQ(list(fd, rest, COUNT, &cursor, 0), COUNT - room);
	for (i = 0; i < COUNT; i++) {
		const struct twheel_op *op = i < room ? &ops[i] : &rest[i - room];

		see_once(seen, op->cookie, COUNT);
	}
}

DEVICE_TEST(records_before_a_bad_page_count)
{
	static const unsigned int rooms[] = { 0, 1, 10, 31, 60 };
	static struct twheel_op ops[200];
	unsigned int i;

	add_many(fd, ops, ARRAY_SIZE(ops), new_timer(LONG, 0));
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		check_end_of_memory(fd, rooms[i], PROT_NONE);
		check_end_of_memory(fd, rooms[i], PROT_READ);
	}
}

static atomic_uint alarms;

static void count_alarm(int number)
{
	alarms++;
}

DEVICE_TEST(signals_lose_nothing)
{
	enum { COUNT = 20000 };
	static struct twheel_op ops[COUNT], records[COUNT];
	const struct sigaction action = { .sa_handler = count_alarm };
	const struct itimerval often = { .it_interval.tv_usec = 500, .it_value.tv_usec = 500 };
	const struct itimerval never = { };
	const unsigned int count = many(COUNT);
	unsigned int i, seen, early = 0;
	__u64 cursor;
	int got;

	add_many(fd, ops, count, new_timer(10 * LONG, 0));
	CALL(sigaction(SIGALRM, &action, NULL));
	for (i = 0; i < 20 || (alarms < 20 && i < 2000); i++) {
		CALL(setitimer(ITIMER_REAL, &often, NULL));
		for (cursor = 0, seen = 0; ; seen += got) {
			got = list(fd, records + seen, count - seen ?: 1, &cursor, 0);
			if (got == -EINTR)
				got = 0;
			else if (!got)
				break;
			ASSERT_GE(got, 0);
			early += seen + got < count;
			ASSERT_LE(seen + got, count);
		}
		CALL(setitimer(ITIMER_REAL, &never, NULL));
		ASSERT_EQ(seen, count);
		qsort(records, count, sizeof(records[0]), compare_cookies);
		for (seen = 0; seen < count; seen++)
			ASSERT(records[seen].handle == ops[seen].handle);
	}
	note("%u signals, %u calls ended early", alarms, early);
}

/* While other timers come, go, expire and are changed, those that stay are listed once. */

enum { STAYING = 3000, STAY = 1 << 20 };

static int shared_fd;
static unsigned int stay_count;
static struct twheel_op staying[STAYING];

static void come_and_go(void *data)
{
	unsigned int seed = thread_seed(), i;
	struct twheel_op ops[100];

	while (!stopping) {
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			ops[i] = new_timer(rand_r(&seed) % 2 ? 0 : LONG, i);
		add_all(shared_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			cancel(shared_fd, ops[(i * 37) % ARRAY_SIZE(ops)].handle);
	}
}

static void change_those_that_stay(void *data)
{
	unsigned int seed = thread_seed();
	__u64 delay;
	int result;

	while (!stopping) {
		/* some expire and are retracted by the next change */
		delay = rand_r(&seed) % 10 ? LONG : 0;
		result = change(shared_fd, staying[rand_r(&seed) % stay_count].handle, delay);
		ASSERT_GE(result, 0);
	}
}

TEST(timers_that_stay_are_listed_once)
{
	static struct twheel_op records[STAYING + 100000], all[2 * STAYING];
	static bool seen[STAYING];
	const __u64 end = end_of_races();
	unsigned int i, n, lists, others = 0;
	__u64 cursor;
	int got;

	shared_fd = open_device(O_NONBLOCK);
	stay_count = debug_kernel() ? 300 : STAYING;
	for (i = 0; i < 2 * stay_count; i++)
		all[i] = new_timer(LONG, STAY + i / 2);
	add_all(shared_fd, all, 2 * stay_count);
	/* with room between them for the others */
	for (i = 0; i < stay_count; i++) {
		staying[i] = all[2 * i];
		ASSERT_EQ(cancel(shared_fd, all[2 * i + 1].handle), 0);
	}
	start_threads(2, come_and_go, NULL);
	start_thread(change_those_that_stay, NULL);
	for (lists = 0; lists < 10 || now() < end; lists++) {
		memset(seen, 0, sizeof(seen));
		cursor = 0;
		while ((got = list(shared_fd, records, 1 + lists * 97 % 1000, &cursor, 0))) {
			ASSERT_GT(got, 0);
			for (n = 0; n < (unsigned int)got; n++) {
				i = records[n].cookie - STAY;
				if (records[n].cookie < STAY) {
					others++;
					continue;
				}
				see_once(seen, i, stay_count);
				ASSERT(records[n].handle == staying[i].handle);
			}
		}
		for (i = 0; i < stay_count; i++)
			ASSERT(seen[i]);
	}
	stop_threads();
	note("%u lists, %u records of other timers", lists, others);
}
