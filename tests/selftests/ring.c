// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of events: it loses nothing, keeps the order, and tells poll(). ring_hostile.c
 * has the programs that write anything at all into it, and ring_map.c its mappings.
 */
#include "one_epoll.h"
#include "event_ring.h"
#include "table_timer.h"

/* Fill the ring, so that @waiting more events wait in the kernel. */
static void overfill(const struct ring *ring, unsigned int waiting)
{
	struct twheel_op ops[2 * ENTRIES];

	ASSERT_LE(waiting, ENTRIES);
	add_many(ring->fd, ops, ENTRIES + waiting, new_timer(0, 0));
	while (tail_of(ring) < ENTRIES ||
	       get_info(ring->fd).unread < waiting)
		pass_ticks(0);
	ASSERT_EQ(tail_of(ring), ENTRIES);
	if (waiting)
		wait_for_more(ring, true);
}

RING_TEST(new_ring_is_empty)
{
	unsigned int i;

	ASSERT_EQ(ring.head->tail, 0);
	ASSERT_EQ(ring.head->head, 0);
	ASSERT_EQ(ring.head->flags, 0);
	ASSERT_EQ(ring.head->entries, ENTRIES);
	for (i = 0; i < ENTRIES; i++)
		ASSERT_EQ(ring.events[i].handle, 0);
	ASSERT(!has_event(ring.fd));
}

RING_TEST(heartbeat_and_expiry_without_a_system_call)
{
	struct twheel_word *table = map_table(ring.fd);
	__u64 pushed = now() + margin_ns();
	const __u64 last = pushed + 3 * margin_ns();
	const __u64 handle = add_shared(ring.fd, pushed, 1);
	__u64 *word = word_of(table, handle);

	while (!tail_of(&ring)) {
		const __u64 later = now() + margin_ns();

		if (later <= last && push_alone(word, later))
			pushed = later;
	}
	check_event(&ring.events[0]);
	ASSERT(ring.events[0].handle == handle);
	ASSERT_EQ(ring.events[0].deadline_ns, pushed);
}

RING_TEST(exactly_full_ring_has_no_more)
{
	overfill(&ring, 0);
	/* The visit that fills it may have no step left to see that nothing more is due. */
	wait_for_more(&ring, false);
	ASSERT_EQ(get_info(ring.fd).unread, 0);
}

RING_TEST(poll_puts_in_events_that_have_room)
{
	add(ring.fd, LONG, 1);
	ASSERT(!has_event(ring.fd));
	overfill(&ring, 3);
	wait_for_more(&ring, true);
	ASSERT(has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), ENTRIES);

	set_head(&ring, 1);
	ASSERT(has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), ENTRIES + 1);
	wait_for_more(&ring, true);

	set_head(&ring, ENTRIES + 1);
	ASSERT(has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), ENTRIES + 3);
	wait_for_more(&ring, false);

	set_head(&ring, ENTRIES + 3);
	ASSERT(!has_event(ring.fd));
}

RING_TEST(next_expiry_puts_in_events_that_have_room)
{
	overfill(&ring, 2);
	set_head(&ring, 10);
	add(ring.fd, 0, 1);
	while (tail_of(&ring) < ENTRIES + 3)
		continue;
	wait_for_more(&ring, false);
}

RING_TEST(edge_triggered_epoll_reports_each_new_event)
{
	const int epoll = new_epoll(ring.fd, EPOLLIN | EPOLLET);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		add(ring.fd, ticks(1), i);
		ASSERT(epoll_reports(epoll, -1));
		ASSERT_EQ(tail_of(&ring), i + 1);
		ASSERT(!epoll_reports(epoll, 0));
	}
}

RING_TEST(read_is_ebusy)
{
	struct twheel_event event;

	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
	overfill(&ring, 1);
	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
	CALL(munmap(ring.head, ring.size));
	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
}

static void read_until_busy(void *data)
{
	struct twheel_event event;

	ASSERT_EQ(read_events(*(int *)data, &event, 1), -EBUSY);
}

DEVICE_TEST(mapping_a_ring_ends_a_blocked_read)
{
	start_thread(read_until_busy, &(int){ fd });
	pass_ticks(3);
	map_ring(fd, ENTRIES);
	join_threads();
}

NONBLOCK_TEST(earlier_events_that_do_not_fit_follow)
{
	enum { COUNT = 3 * ENTRIES + 8 };
	struct twheel_event event;
	struct ring ring;
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		wait_until_expired(fd, add(fd, 0, i));
	ring = map_ring(fd, ENTRIES);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	add(fd, 0, COUNT);
	ASSERT_EQ(read_events(fd, &event, 1), -EBUSY);
	while (get_info(fd).unread != COUNT + 1 - ENTRIES)
		pass_ticks(0);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	wait_for_more(&ring, true);
	for (i = 0; i <= COUNT; i++)
		ASSERT_EQ(take_one(&ring).cookie, i);
	ASSERT_EQ(timers_of(fd), 0);
}

RING_TEST(event_in_the_ring_cannot_be_withdrawn)
{
	const __u64 handle = add(ring.fd, 0, 1);
	struct twheel_op op;

	while (!tail_of(&ring))
		continue;
	ASSERT_EQ(cancel(ring.fd, handle), -ENOENT);
	ASSERT_EQ(change(ring.fd, handle, LONG), -ENOENT);
	ASSERT_EQ(query(ring.fd, handle, &op), -ENOENT);
	ASSERT(take_one(&ring).handle == handle);
}

RING_TEST(event_that_waits_in_the_kernel_can_be_withdrawn)
{
	__u64 handle;

	overfill(&ring, 0);
	handle = add(ring.fd, 0, 999);
	wait_until_expired(ring.fd, handle);
	wait_for_more(&ring, true);
	ASSERT_EQ(cancel(ring.fd, handle), TWHEEL_RETRACTED);
	set_head(&ring, ENTRIES);
	ASSERT(!has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	wait_for_more(&ring, false);
}

RING_TEST(periodic_timer_counts_while_the_ring_is_full)
{
	const __u64 period = ticks(2), start = now() + ticks(1);
	struct twheel_event event;
	__u64 next = start;
	unsigned int i;

	add_periodic(ring.fd, start, period, 5);
	/* The program takes nothing: the ring is full, and the periods add up. */
	wait_for_more(&ring, true);
	pass_ticks(10);
	for (i = 0; i < ENTRIES + 5; i++) {
		event = take_one(&ring);
		ASSERT_EQ(event.deadline_ns, next);
		next += event.count * period;
		ASSERT_LE(event.deadline_ns + (event.count - 1) * period, now());
		if (i == ENTRIES)
			ASSERT_GT(event.count, 1);
	}
	ASSERT_EQ(timers_of(ring.fd), 1);
}

/* A child has the mapping, too. Each process sees what the other one has taken. */
enum { IN_CHILD = 10 };

static void take_as_child(void *data)
{
	unsigned int i;

	for (i = 0; i < IN_CHILD; i++)
		ASSERT_EQ(take_one(data).cookie, i);
}

RING_TEST(child_consumes_from_the_same_ring)
{
	struct ring shared = ring;
	unsigned int i;

	for (i = 0; i < 2 * IN_CHILD; i++) {
		add(ring.fd, 0, i);
		while (tail_of(&ring) <= i)
			continue;
	}
	join(start(take_as_child, &shared));
	for (i = IN_CHILD; i < 2 * IN_CHILD; i++)
		ASSERT_EQ(take_one(&ring).cookie, i);
	ASSERT_EQ(ring.head->head, 2 * IN_CHILD);
	ASSERT(!has_event(ring.fd));
	ASSERT_EQ(timers_of(ring.fd), 0);
}

/* The timers are armed on two CPUs. Their events are in the order of their expiry. */
RING_TEST(each_of_100000_timers_goes_through_64_entries_once)
{
	enum { MOST = 100000 };
	static struct twheel_op ops[MOST];
	const unsigned int total = many(MOST);
	unsigned int i;
	__u64 last = 0;

	add_on_two_cpus(ring.fd, ops, total);
	for (i = 0; i < total; i++) {
		const struct twheel_event event = take_one(&ring);

		check_first_event(&event, ops, total);
		ASSERT_EQ(event.deadline_ns, ops[event.cookie].time_ns);
		ASSERT_GE(event.expired_ns, last);
		last = event.expired_ns;
	}
	pass_ticks(2);
	ASSERT(!has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), total);
	ASSERT_EQ(timers_of(ring.fd), 0);
}
