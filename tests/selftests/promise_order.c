// SPDX-License-Identifier: GPL-2.0
/*
 * What the header and twheel(4) promise about the order of events, and about
 * events of a clock that is set.
 */
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "device.h"
#include "settable_clock.h"

/* The events so far, as check_next() has seen them. */
struct order {
	__u64		expired[3];	/* of the last event, by clock */
	__u64		deadline[3];
	unsigned int	back;		/* how often a deadline went back */
};

static unsigned int place_of(clockid_t clockid)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i] == clockid)
			return i;
	FAIL("clock %d", clockid);
}

/* On each clock, expiry times do not go back. */
static void check_next(struct order *order, const struct twheel_event *event)
{
	const unsigned int place = place_of(event->clockid);

	ASSERT_GE(event->expired_ns, event->deadline_ns);
	ASSERT_GE(event->expired_ns, order->expired[place]);
	order->back += event->deadline_ns < order->deadline[place];
	order->expired[place] = event->expired_ns;
	order->deadline[place] = event->deadline_ns;
}

/* Arm timers on all CPUs, for deadlines of the next quarter of a second or so. */
static void add_everywhere(int fd, unsigned int count)
{
	const __u64 start = now() + ticks(10);
	unsigned int i;

	srandom(1);
	for (i = 0; i < count; i++) {
		if (i % 8 == 0)
			go_to_cpu(i / 8 % (last_cpu() + 1));
		add_at(fd, start + random() % (250 * NSEC_PER_MSEC), i);
	}
}

TEST(read_gives_events_in_the_order_of_their_expiry)
{
	enum { COUNT = 4000, ROOM = 100 };
	const int fd = open_device(O_NONBLOCK);
	struct twheel_event events[ROOM];
	struct order order = { .back = 0 };
	int seen, i, got;

	add_everywhere(fd, COUNT);
	for (seen = 0; seen < COUNT; seen += got) {
		wait_for_event(fd);
		got = read_events(fd, events, ROOM);
		ASSERT_GT(got, 0);
		for (i = 0; i < got; i++)
			check_next(&order, &events[i]);
	}
	note("of %d deadlines, %u were before the one in front", COUNT, order.back);
}

TEST(ring_has_events_in_the_order_of_their_expiry)
{
	enum { COUNT = 4000, ENTRIES = 1024 };
	const int fd = open_device(O_NONBLOCK);
	struct twheel_ring *ring = mmap(NULL, page_size() + ENTRIES * sizeof(struct twheel_event),
					PROT_READ | PROT_WRITE, MAP_SHARED, fd, TWHEEL_MMAP_RING);
	const struct twheel_event *events;
	struct order order = { .back = 0 };
	__u64 seen = 0, tail;

	ASSERT(ring != MAP_FAILED);
	events = (void *)ring + ring->offset;
	add_everywhere(fd, COUNT);
	while (seen < COUNT) {
		wait_for_event(fd);
		tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
		while (seen < tail)
			check_next(&order, &events[seen++ % ENTRIES]);
		__atomic_store_n(&ring->head, seen, __ATOMIC_RELEASE);
	}
	ASSERT_EQ(seen, COUNT);
}

/* The order holds for periodic timers that are read late, too: each has one event. */
TEST(order_holds_on_each_clock)
{
	enum { TIMERS = 100, EVENTS = 3000 };
	const int fd = open_device(O_NONBLOCK);
	struct order order = { .back = 0 };
	unsigned int i, c;

	for (c = 0; c < ARRAY_SIZE(clocks); c++)
		for (i = 0; i < TIMERS; i++)
			add_on(fd, clocks[c], read_clock(clocks[c]) + i * ticks(1) / 7,
			       i % 2 ? ticks(1) + i * 1000 : ticks(2) + i * 1000);
	for (i = 0; i < EVENTS; i++) {
		const struct twheel_event event = read_any(fd);

		check_next(&order, &event);
		if (i % 256 == 0)
			pass_ticks(3);
	}
}

/*
 * With TWHEEL_EACH, the event of the second missed deadline comes behind the events of
 * timers that expired after the first one. Its time of expiry is earlier than theirs.
 */
TEST(each_event_of_a_backlog_goes_to_the_end)
{
	const int fd = open_device(0);
	const __u64 first = now() - ticks(40), period = ticks(10);
	struct twheel_op op = new_timer(first, 1);
	struct twheel_event event;
	__u64 found, other;

	op.flags = TWHEEL_ABSTIME | TWHEEL_EACH;
	op.period_ns = period;
	op.handle = arm(fd, op);
	wait_for_event(fd);
	pass_ticks(30);
	wait_until_expired(fd, add(fd, 0, 2));

	event = read_one(fd);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_EQ(event.deadline_ns, first);
	ASSERT_GE(event.expired_ns, first + 4 * period);
	found = event.expired_ns;

	event = read_one(fd);
	ASSERT_EQ(event.cookie, 2);
	other = event.expired_ns;
	ASSERT_GT(other, found);

	/* When the first deadline was found to have come; later, the deadline itself. */
	event = read_one(fd);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_EQ(event.deadline_ns, first + period);
	ASSERT_EQ(event.expired_ns, found);
	ASSERT_LT(event.expired_ns, other);
	do {
		event = read_one(fd);
		ASSERT_EQ(event.cookie, 1);
		if (event.deadline_ns <= found)
			ASSERT_EQ(event.expired_ns, found);
	} while (event.deadline_ns <= found);
	ASSERT_EQ(event.expired_ns, event.deadline_ns);
	ASSERT_LT(event.expired_ns, other);
}

/* A clock that is set */

TEST(clock_set_event_comes_before_those_of_timers)
{
	const int fd = open_device(0);
	struct twheel_eventfd signal_to = { .fd = -1 };
	struct twheel_event event;
	__u64 signals;

	need_settable_clock();
	CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
	add(fd, 0, 1);
	wait_for_event(fd);
	/* On a busy host, the signal for the timer may still be on its way. */
	pass_ticks(2);
	/* The eventfd is signalled for the timer at once, and then for the clock. */
	signal_to.fd = CALL(eventfd(0, 0));
	CALL(ioctl(fd, TWHEEL_IOC_EVENTFD, &signal_to));
	CALL(read(signal_to.fd, &signals, sizeof(signals)));
	move_clock(HOUR);
	CALL(read(signal_to.fd, &signals, sizeof(signals)));
	event = read_any(fd);
	ASSERT_EQ(event.type, TWHEEL_EVENT_CLOCK_SET);
	ASSERT_EQ(read_one(fd).cookie, 1);
}

TEST(clock_set_back_leaves_an_unread_event_as_it_was)
{
	const int fd = open_device(0);
	const __u64 deadline = read_clock(CLOCK_REALTIME);
	struct twheel_event event;
	struct twheel_op op;
	__u64 handle;

	need_settable_clock();
	handle = add_on(fd, CLOCK_REALTIME, deadline, 0);
	wait_for_event(fd);
	move_clock(-(__s64)HOUR);
	/* The deadline is ahead of the clock again. */
	ASSERT_EQ(query(fd, handle, &op), TWHEEL_EXPIRED);
	ASSERT_GT(op.time_ns, HOUR / 2);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_EQ(event.count, 1);
	ASSERT_GE(event.expired_ns, deadline);
	/* The expiry is in the future of the clock. */
	ASSERT_GT(event.expired_ns, read_clock(CLOCK_REALTIME) + HOUR / 2);
}

/* A periodic timer on CLOCK_REALTIME that is read after the clock was set back. */
static struct twheel_event read_behind_a_step(int fd, __u32 policy, __u64 first,
					      __u64 period, __u64 *next)
{
	struct twheel_op op = new_timer(first, 1);
	struct twheel_event event;

	op.clockid = CLOCK_REALTIME;
	op.flags = TWHEEL_ABSTIME | policy;
	op.period_ns = period;
	op.handle = arm(fd, op);
	wait_for_event(fd);
	move_clock(-(__s64)HOUR);
	event = read_any(fd);
	ASSERT_EQ(event.deadline_ns, first);
	op = (struct twheel_op){ .handle = op.handle, .flags = TWHEEL_ABSTIME };
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_QUERY, &op)), 0);
	*next = op.time_ns;
	move_clock(HOUR);
	return event;
}

TEST(clock_set_back_counts_up_to_the_expiry)
{
	const int fd = open_device(0);
	const __u64 period = 10 * NSEC_PER_SEC;
	struct twheel_event event;
	__u64 first, next;

	need_settable_clock();
	first = read_clock(CLOCK_REALTIME) - 5 * period / 2;
	event = read_behind_a_step(fd, 0, first, period, &next);
	ASSERT_EQ(event.count, (event.expired_ns - first) / period + 1);
	ASSERT_EQ(next, first + event.count * period);
}

TEST(clock_set_back_restarts_from_the_expiry)
{
	const int fd = open_device(0);
	const __u64 period = 10 * NSEC_PER_SEC;
	struct twheel_event event;
	__u64 next;

	need_settable_clock();
	event = read_behind_a_step(fd, TWHEEL_RESTART, read_clock(CLOCK_REALTIME), period, &next);
	ASSERT_EQ(next, event.expired_ns + period);
}
