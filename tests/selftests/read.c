// SPDX-License-Identifier: GPL-2.0
/* read(): how events are delivered, that none is lost, and that none comes twice. */
#include <sys/uio.h>

#include "device.h"

#define EVENT_SIZE	sizeof(struct twheel_event)

/* What the test has read so far: a bit for each cookie, and the last @expired_ns. */
static __u64 cookies_read;
static __u64 last_expiry;

static void take(const struct twheel_event *event)
{
	check_event(event);
	ASSERT_LT(event->cookie, 64);
	ASSERT_EQ(cookies_read >> event->cookie & 1, 0);
	cookies_read |= 1ULL << event->cookie;
	ASSERT_GE(event->expired_ns, last_expiry);
	last_expiry = event->expired_ns;
}

/* Open a descriptor with so many unread events, whose cookies count from 0. */
static int expired_timers(unsigned int count)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 deadline = now();
	__u64 handles[64];
	unsigned int i;

	cookies_read = 0;
	last_expiry = 0;
	for (i = 0; i < count; i++)
		handles[i] = add_at(fd, deadline, i);
	for (i = 0; i < count; i++)
		wait_until_expired(fd, handles[i]);
	return fd;
}

/* Read the remaining events one by one: then @count events have been read. */
static void take_rest(int fd, unsigned int count)
{
	struct twheel_event event;
	int got;

	while ((got = read_events(fd, &event, 1)) == 1)
		take(&event);
	ASSERT_EQ(got, -EAGAIN);
	ASSERT_EQ(cookies_read, (1ULL << count) - 1);
}

/* Read into a buffer or, if @second is not 0, into two. The second one lies before the first. */
static void check_read(unsigned int unread, size_t first, size_t second)
{
	enum { ROOM = 10 };
	struct twheel_event events[ROOM];
	unsigned char pieces[2][sizeof(events)], *bytes = (unsigned char *)events;
	const struct iovec buffers[] = { { pieces[1], first }, { pieces[0], second } };
	const unsigned int fit = (first + second) / EVENT_SIZE;
	const unsigned int count = unread < fit ? unread : fit;
	const int fd = expired_timers(unread);
	size_t i;

	memset(pieces, 0xcc, sizeof(pieces));
	ASSERT_EQ(CALL(second ? readv(fd, buffers, 2) : read(fd, pieces[1], first)),
		  count * EVENT_SIZE);
	memcpy(bytes, pieces[1], first);
	memcpy(bytes + first, pieces[0], second);
	for (i = 0; i < count; i++)
		take(&events[i]);
	for (i = count * EVENT_SIZE; i < first + second; i++)
		ASSERT_EQ(bytes[i], 0xcc);
	ASSERT_EQ(timers_of(fd), unread - count);
	take_rest(fd, unread);
}

TEST_CALL(events_fill_the_buffer, check_read(6, 4 * EVENT_SIZE, 0))
TEST_CALL(fewer_events_than_fit, check_read(3, 10 * EVENT_SIZE, 0))
TEST_CALL(only_whole_events_are_read, check_read(4, 2 * EVENT_SIZE + 63, 0))
TEST_CALL(readv_takes_several_buffers, check_read(4, EVENT_SIZE, 2 * EVENT_SIZE))
TEST_CALL(readv_may_split_an_event, check_read(3, 24, 2 * EVENT_SIZE - 24))

TEST(buffer_too_small_is_einval)
{
	unsigned char buffer[EVENT_SIZE];
	const int fd = expired_timers(1);

	ASSERT_ERRNO(read(fd, buffer, 1), EINVAL);
	ASSERT_ERRNO(read(fd, buffer, EVENT_SIZE - 1), EINVAL);
	take_rest(fd, 1);
}

TEST(huge_buffer_is_fine)
{
	/* far more than there is memory for */
	const size_t size = 1 << 30;
	struct twheel_event *events = mmap(NULL, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS |
					   MAP_NORESERVE, -1, 0);
	const int fd = expired_timers(3);

	ASSERT(events != MAP_FAILED);
	ASSERT_EQ(CALL(read(fd, events, size)), 3 * EVENT_SIZE);
	take(&events[0]);
	take(&events[1]);
	take(&events[2]);
	take_rest(fd, 3);
}

static void read_in_thread(void *data)
{
	struct twheel_event *event = data;
	const int fd = event->cookie;

	ASSERT_EQ(read_events(fd, event, 1), 1);
}

DEVICE_TEST(blocked_read_sees_a_timer_that_is_added_later_and_due_earlier)
{
	struct twheel_event event = { .cookie = fd };
	const __u64 far = add(fd, HOUR, 6);

	start_thread(read_in_thread, &event);
	pass_ticks(3);
	add(fd, ticks(1), 7);
	join_threads();
	check_event(&event);
	ASSERT_EQ(event.cookie, 7);
	ASSERT_EQ(cancel(fd, far), 0);
}

/* Two events come on one tick, and each reader has room for one: both return. */
DEVICE_TEST(two_blocked_readers_with_small_buffers_get_an_event_each)
{
	const unsigned int rounds = many(200) + 5;
	struct twheel_event events[2];
	unsigned int round, i;
	__u64 deadline;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 2; i++) {
			events[i].cookie = fd;
			start_thread(read_in_thread, &events[i]);
		}
		/* With and without a reader that waits already. */
		if (round % 2)
			pass_ticks(0);
		deadline = now() + ticks(round % 3);
		for (i = 0; i < 2; i++)
			add_at(fd, deadline, i);
		join_threads();
		ASSERT_EQ(events[0].cookie + events[1].cookie, 1);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

static atomic_int alarms;
static int alarm_fd = -1;

/* The third alarm arms a timer, if the test has said where. */
static void on_alarm(int number)
{
	if (++alarms == 3 && alarm_fd >= 0)
		add(alarm_fd, 0, 1);
}

static void alarm_every_20_ms(int flags)
{
	const struct sigaction action = {
		.sa_handler = on_alarm,
		.sa_flags = flags,
	};

	CALL(sigaction(SIGALRM, &action, NULL));
	ualarm(20000, 20000);
}

DEVICE_TEST(signal_ends_a_blocked_read_with_eintr)
{
	struct twheel_event event;

	add(fd, LONG, 1);
	alarm_every_20_ms(0);
	ASSERT_EQ(read_events(fd, &event, 1), -EINTR);
	ASSERT_EQ(timers_of(fd), 1);
}

DEVICE_TEST(read_goes_on_after_a_signal_with_sa_restart)
{
	struct twheel_event event;

	alarm_fd = fd;
	alarm_every_20_ms(SA_RESTART);
	ASSERT_EQ(read_events(fd, &event, 1), 1);
	ASSERT_GE(alarms, 3);
}

NONBLOCK_TEST(event_stays_retractable_after_efault)
{
	const __u64 handle = add(fd, 0, 1);

	wait_for_event(fd);
	ASSERT_ERRNO(read(fd, two_pages(PROT_NONE) + page_size(), EVENT_SIZE), EFAULT);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	check_no_event(fd);
}

NONBLOCK_TEST(events_stay_in_order_after_efault)
{
	enum { EVENTS = 3 };
	struct twheel_event events[EVENTS];
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		add(fd, ticks(2 * i), i);
	pass_ticks(2 * EVENTS);
	ASSERT_ERRNO(read(fd, two_pages(PROT_NONE) + page_size(), sizeof(events)), EFAULT);
	read_all(fd, events, EVENTS);
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(events[i].cookie, i);
}

/* A read takes the events that fit before the bad page, or none. The others stay. */
static void check_boundary(size_t before)
{
	const int fd = expired_timers(8);
	char *pages = two_pages(PROT_NONE);
	struct twheel_event *events = (void *)(pages + page_size() - before);
	unsigned int i;
	ssize_t size;

	memset(events, 0xcc, before);
	size = read(fd, events, 8 * EVENT_SIZE);
	if (size < 0) {
		ASSERT_EQ(errno, EFAULT);
	} else {
		ASSERT_EQ(size % EVENT_SIZE, 0);
		ASSERT_LE(size, before);
		ASSERT_GT(size, 0);
		for (i = 0; i < size / EVENT_SIZE; i++)
			take(&events[i]);
	}
	take_rest(fd, 8);
	close(fd);
}

TEST(nothing_is_lost_at_the_end_of_the_mapped_buffer)
{
	check_boundary(EVENT_SIZE);
	check_boundary(2 * EVENT_SIZE);
	check_boundary(2 * EVENT_SIZE + 32);
	check_boundary(7 * EVENT_SIZE + 8);
	check_boundary(32);
}

DEVICE_TEST(readv_waits_for_the_first_event_only)
{
	struct twheel_event events[2];
	struct iovec buffers[] = {
		{ &events[0], EVENT_SIZE },
		{ &events[1], EVENT_SIZE },
	};

	add(fd, 0, 5);
	ASSERT_EQ(CALL(readv(fd, buffers, 2)), EVENT_SIZE);
	ASSERT_EQ(events[0].cookie, 5);
}

DEVICE_TEST(ten_thousand_events_in_one_read)
{
	enum { MOST = 10000 };
	static struct twheel_event events[MOST + 1];
	static struct twheel_op ops[MOST];
	const unsigned int count = many(MOST);
	const __u64 deadline = now() + ticks(2);
	unsigned int i;

	add_many(fd, ops, count, new_timer_at(deadline, 0));
	for (i = 0; i < count; i++)
		wait_until_expired(fd, ops[i].handle);
	ASSERT_EQ(read_events(fd, events, count + 1), count);
	for (i = 0; i < count; i++)
		check_first_event(&events[i], ops, count);
	check_no_event(fd);
}

/* The timers are armed on two CPUs. Their events are in the order of their expiry. */
DEVICE_TEST(each_of_100000_timers_is_read_once)
{
	enum { MOST = 100000, ROOM = 512 };
	static struct twheel_event events[ROOM];
	static struct twheel_op ops[MOST];
	const unsigned int total = many(MOST);
	__u64 worst = 0, last = 0;
	unsigned int i, got, count = 0;

	add_on_two_cpus(fd, ops, total);
	while (count < total) {
		got = read_some(fd, events, ROOM);
		for (i = 0; i < got; i++) {
			check_first_event(&events[i], ops, total);
			ASSERT_EQ(events[i].deadline_ns, ops[events[i].cookie].time_ns);
			ASSERT_GE(events[i].expired_ns, last);
			last = events[i].expired_ns;
			if (last - events[i].deadline_ns > worst)
				worst = last - events[i].deadline_ns;
		}
		count += got;
	}
	note("latest %llu us, tick %llu us", worst / 1000, tick_ns() / 1000);
	check_no_event(fd);
	ASSERT_EQ(timers_of(fd), 0);
}
