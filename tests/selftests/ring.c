// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of events: that it loses nothing and keeps the order, and what comes
 * of a program that writes anything at all into it.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "device.h"
#include "epoll.h"

#define FAR	(100 * NSEC_PER_SEC)

/* The smallest ring there is. */
enum { ENTRIES = 64 };

struct ring {
	int			fd;
	struct twheel_ring	*head;
	struct twheel_event	*events;
	size_t			size;
};

static size_t size_of(unsigned int entries)
{
	return page_size() + entries * sizeof(struct twheel_event);
}

static void *map(int fd, size_t size, int protection, int flags, __u64 offset)
{
	return mmap(NULL, size, protection, flags, fd, offset);
}

static struct ring map_ring(int fd, unsigned int entries)
{
	struct ring ring = { .fd = fd, .size = size_of(entries) };

	ring.head = map(fd, ring.size, PROT_READ | PROT_WRITE, MAP_SHARED,
			TWHEEL_MMAP_RING);
	if (ring.head == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	ASSERT_EQ(ring.head->entries, entries);
	ASSERT_EQ(ring.head->offset, page_size());
	ring.events = (void *)ring.head + ring.head->offset;
	return ring;
}

static struct ring new_ring(void)
{
	return map_ring(open_device(O_NONBLOCK), ENTRIES);
}

static __u64 tail_of(const struct ring *ring)
{
	return __atomic_load_n(&ring->head->tail, __ATOMIC_ACQUIRE);
}

static bool more(const struct ring *ring)
{
	return __atomic_load_n(&ring->head->flags, __ATOMIC_SEQ_CST) ==
	       TWHEEL_RING_MORE;
}

/* The flag follows the events. */
static void wait_for_more(const struct ring *ring, bool expected)
{
	while (more(ring) != expected)
		pass_ticks(0);
}

static void set_head(const struct ring *ring, __u64 head)
{
	__atomic_store_n(&ring->head->head, head, __ATOMIC_RELEASE);
}

static struct twheel_event *event_at(const struct ring *ring, __u64 number)
{
	return &ring->events[number % ENTRIES];
}

/* Take an event, if there is one. */
static bool take(const struct ring *ring, struct twheel_event *event)
{
	const __u64 head = ring->head->head;

	if (tail_of(ring) == head)
		return false;
	*event = *event_at(ring, head);
	check_event(event);
	set_head(ring, head + 1);
	return true;
}

/* Wait for so many events. */
static void take_all(const struct ring *ring, struct twheel_event *events,
		     unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		while (!take(ring, &events[i]))
			wait_for_event(ring->fd);
}

static struct twheel_event take_one(const struct ring *ring)
{
	struct twheel_event event;

	take_all(ring, &event, 1);
	return event;
}

/* Timers that are due at once, one after the other; cookies from @first on. */
static void expire(int fd, unsigned int first, unsigned int count)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		add(fd, 0, i);
		if (i % 16 == 15)
			pass_ticks(0);
	}
	pass_ticks(1);
}

/* The same, and that many events wait in the kernel, because the ring is full. */
static void overfill(const struct ring *ring, unsigned int waiting)
{
	struct twheel_op ops[2 * ENTRIES];
	unsigned int i;

	ASSERT_LE(waiting, ENTRIES);
	for (i = 0; i < ENTRIES + waiting; i++)
		ops[i] = new_timer(0, i);
	add_all(ring->fd, ops, ENTRIES + waiting);
	while (tail_of(ring) < ENTRIES ||
	       get_info(ring->fd).unread < waiting)
		pass_ticks(0);
	ASSERT_EQ(tail_of(ring), ENTRIES);
	if (waiting)
		wait_for_more(ring, true);
}

TEST(new_ring_is_empty)
{
	const struct ring ring = new_ring();
	unsigned int i;

	ASSERT_EQ(ring.head->tail, 0);
	ASSERT_EQ(ring.head->head, 0);
	ASSERT_EQ(ring.head->flags, 0);
	ASSERT_EQ(ring.head->entries, ENTRIES);
	for (i = 0; i < ENTRIES; i++)
		ASSERT_EQ(ring.events[i].handle, 0);
	ASSERT(!has_event(ring.fd));
}

TEST(event_appears_without_a_system_call)
{
	const struct ring ring = new_ring();
	const __u64 deadline = now() + ticks(2);
	const __u64 handle = add_at(ring.fd, deadline, 7);

	while (!tail_of(&ring))
		continue;
	check_lateness(&ring.events[0]);
	ASSERT(ring.events[0].handle == handle);
	ASSERT_EQ(ring.events[0].cookie, 7);
	ASSERT_EQ(ring.events[0].deadline_ns, deadline);
	ASSERT_EQ(ring.events[0].count, 1);
	ASSERT_EQ(timers_of(ring.fd), 0);
}

TEST(heartbeat_and_expiry_without_a_system_call)
{
	const struct ring ring = new_ring();
	struct twheel_op op = new_timer(now() + margin_ns(), 1);
	const __u64 last = op.time_ns + 3 * margin_ns();
	__u64 *table = map(ring.fd, page_size(), PROT_READ | PROT_WRITE,
			   MAP_SHARED, TWHEEL_MMAP_TABLE);
	__u64 *word, seen, pushed = op.time_ns;

	ASSERT(table != MAP_FAILED);
	op.flags = TWHEEL_ABSTIME | TWHEEL_SHARED;
	CALL(ioctl(ring.fd, TWHEEL_IOC_ADD, &op));
	word = &table[2 * TWHEEL_INDEX(op.handle)];
	while (!tail_of(&ring)) {
		const __u64 later = now() + margin_ns();

		seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
		if (seen & TWHEEL_WORD_CLOSED || later > last)
			continue;
		if (__atomic_compare_exchange_n(word, &seen, later, false,
						__ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			pushed = later;
	}
	check_event(&ring.events[0]);
	ASSERT(ring.events[0].handle == op.handle);
	ASSERT_EQ(ring.events[0].deadline_ns, pushed);
}

TEST(events_are_in_the_order_of_their_expiry)
{
	enum { COUNT = 60 };
	const struct ring ring = new_ring();
	const __u64 start = now() + ticks(10);
	struct twheel_event events[COUNT];
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		add_at(ring.fd, start + i * 37 % COUNT * ticks(1) / 4, i);
	take_all(&ring, events, COUNT);
	for (i = 1; i < COUNT; i++)
		ASSERT_GE(events[i].expired_ns, events[i - 1].expired_ns);
	ASSERT_EQ(tail_of(&ring), COUNT);
}

TEST(ring_goes_round_many_times)
{
	const struct ring ring = new_ring();
	struct twheel_event events[100];
	unsigned int round, i;
	__u64 seen[2];

	for (round = 0; round < 50; round++) {
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < 100; i++)
			add(ring.fd, 0, i);
		take_all(&ring, events, 100);
		for (i = 0; i < 100; i++) {
			const __u64 bit = 1ULL << events[i].cookie % 64;

			ASSERT_LT(events[i].cookie, 100);
			ASSERT(!(seen[events[i].cookie / 64] & bit));
			seen[events[i].cookie / 64] |= bit;
		}
		ASSERT_EQ(tail_of(&ring), 100 * (round + 1));
	}
	wait_for_more(&ring, false);
	ASSERT(!has_event(ring.fd));
	ASSERT_EQ(timers_of(ring.fd), 0);
}

TEST(full_ring_loses_nothing_and_keeps_the_order)
{
	enum { COUNT = 5 * ENTRIES + 7 };
	const struct ring ring = new_ring();
	static struct twheel_event events[COUNT];
	static bool seen[COUNT];
	unsigned int i;

	expire(ring.fd, 0, COUNT);
	while (get_info(ring.fd).unread < COUNT - ENTRIES)
		pass_ticks(0);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	wait_for_more(&ring, true);
	take_all(&ring, events, COUNT);
	for (i = 0; i < COUNT; i++) {
		ASSERT_LT(events[i].cookie, COUNT);
		ASSERT(!seen[events[i].cookie]);
		seen[events[i].cookie] = true;
		if (i)
			ASSERT_GE(events[i].expired_ns, events[i - 1].expired_ns);
	}
	wait_for_more(&ring, false);
	ASSERT(!has_event(ring.fd));
}

TEST(full_ring_is_not_overwritten)
{
	const struct ring ring = new_ring();
	struct twheel_event before[ENTRIES];

	overfill(&ring, 1);
	memcpy(before, ring.events, sizeof(before));
	add(ring.fd, 0, 99);
	while (get_info(ring.fd).unread < 2)
		pass_ticks(0);
	has_event(ring.fd);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	ASSERT(!memcmp(before, ring.events, sizeof(before)));
}

TEST(exactly_full_ring_has_no_more)
{
	const struct ring ring = new_ring();

	overfill(&ring, 0);
	pass_ticks(1);
	ASSERT(!more(&ring));
	ASSERT_EQ(get_info(ring.fd).unread, 0);
}

TEST(poll_puts_in_what_has_room)
{
	const struct ring ring = new_ring();

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

TEST(next_expiry_puts_in_what_has_room)
{
	const struct ring ring = new_ring();

	overfill(&ring, 2);
	set_head(&ring, 10);
	add(ring.fd, 0, 1);
	while (tail_of(&ring) < ENTRIES + 3)
		continue;
	wait_for_more(&ring, false);
}

TEST(poll_reports_pollin_while_there_are_events)
{
	const struct ring ring = new_ring();

	ASSERT(!has_event(ring.fd));
	add(ring.fd, FAR, 1);
	ASSERT(!has_event(ring.fd));
	add(ring.fd, 0, 2);
	add(ring.fd, 0, 3);
	while (tail_of(&ring) < 2)
		continue;
	ASSERT(has_event(ring.fd));
	ASSERT(has_event(ring.fd));
	set_head(&ring, 1);
	ASSERT(has_event(ring.fd));
	set_head(&ring, 2);
	ASSERT(!has_event(ring.fd));
}

TEST(blocked_poll_wakes_up)
{
	const struct ring ring = new_ring();
	unsigned int i;

	for (i = 0; i < 20; i++) {
		add(ring.fd, ticks(i % 3), i);
		ASSERT_EQ(take_one(&ring).cookie, i);
	}
}

TEST(epoll_reports_until_the_ring_is_empty)
{
	const struct ring ring = new_ring();
	const int epoll = new_epoll(ring.fd, EPOLLIN);

	ASSERT(!epoll_reports(epoll, 0));
	overfill(&ring, 1);
	ASSERT(epoll_reports(epoll, -1));
	ASSERT(epoll_reports(epoll, -1));
	/* it is asked again, and that puts the last one in */
	set_head(&ring, ENTRIES);
	ASSERT(epoll_reports(epoll, -1));
	ASSERT_EQ(tail_of(&ring), ENTRIES + 1);
	set_head(&ring, ENTRIES + 1);
	ASSERT(!epoll_reports(epoll, 0));
}

TEST(edge_triggered_epoll_reports_each_new_event)
{
	const struct ring ring = new_ring();
	const int epoll = new_epoll(ring.fd, EPOLLIN | EPOLLET);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		add(ring.fd, ticks(1), i);
		ASSERT(epoll_reports(epoll, -1));
		ASSERT_EQ(tail_of(&ring), i + 1);
		ASSERT(!epoll_reports(epoll, 0));
	}
}

TEST(read_is_ebusy)
{
	const struct ring ring = new_ring();
	struct twheel_event event;

	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
	overfill(&ring, 1);
	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
	CALL(munmap(ring.head, ring.size));
	ASSERT_EQ(read_events(ring.fd, &event, 1), -EBUSY);
}

static void *read_until_busy(void *data)
{
	struct twheel_event event;

	ASSERT_EQ(read_events(*(int *)data, &event, 1), -EBUSY);
	return NULL;
}

TEST(ring_sends_away_who_waits_in_read)
{
	int fd = open_device(0);
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, read_until_busy, &fd), 0);
	pass_ticks(3);
	map_ring(fd, ENTRIES);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
}

TEST(earlier_events_are_in_the_ring_at_once)
{
	const int fd = open_device(O_NONBLOCK);
	struct ring ring;
	unsigned int i;

	for (i = 0; i < 5; i++)
		wait_until_expired(fd, add(fd, 0, i));
	ring = map_ring(fd, ENTRIES);
	ASSERT_EQ(tail_of(&ring), 5);
	for (i = 0; i < 5; i++)
		ASSERT_EQ(take_one(&ring).cookie, i);
	add(fd, 0, 5);
	ASSERT_EQ(take_one(&ring).cookie, 5);
}

TEST(earlier_events_that_do_not_fit_follow)
{
	enum { COUNT = 200 };
	const int fd = open_device(O_NONBLOCK);
	static struct twheel_event events[COUNT];
	struct ring ring;
	unsigned int i;

	expire(fd, 0, COUNT);
	while (get_info(fd).unread < COUNT)
		pass_ticks(0);
	ring = map_ring(fd, ENTRIES);
	ASSERT_EQ(tail_of(&ring), ENTRIES);
	wait_for_more(&ring, true);
	take_all(&ring, events, COUNT);
	for (i = 1; i < COUNT; i++)
		ASSERT_GE(events[i].expired_ns, events[i - 1].expired_ns);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(what_is_in_the_ring_cannot_be_withdrawn)
{
	const struct ring ring = new_ring();
	const __u64 handle = add(ring.fd, 0, 1);
	struct twheel_op op;

	while (!tail_of(&ring))
		continue;
	ASSERT_EQ(cancel(ring.fd, handle), -ENOENT);
	ASSERT_EQ(change(ring.fd, handle, FAR), -ENOENT);
	ASSERT_EQ(query(ring.fd, handle, &op), -ENOENT);
	ASSERT(take_one(&ring).handle == handle);
}

TEST(what_waits_in_the_kernel_can_be_withdrawn)
{
	const struct ring ring = new_ring();
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

TEST(periodic_timer_counts_what_the_ring_has_no_room_for)
{
	const struct ring ring = new_ring();
	const __u64 period = ticks(2), start = now() + ticks(1);
	struct twheel_event event;
	__u64 next = start;
	unsigned int i;

	add_periodic(ring.fd, start, period, 5);
	/* not taken for long: the ring is full, and then they add up */
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

TEST(two_consumers_share_the_ring)
{
	enum { COUNT = 3000 };
	const struct ring ring = new_ring();
	struct consumed {
		atomic_uint taken;
		atomic_uchar seen[COUNT];
	} *consumed = map(-1, sizeof(*consumed), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, 0);
	static struct twheel_op ops[COUNT];
	pid_t child;
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = new_timer(now() + i * 20000, i);
	for (i = 0; i < COUNT; i++)
		ops[i].flags = TWHEEL_ABSTIME;
	child = CALL(fork());
	if (child)
		add_all(ring.fd, ops, COUNT);
	while (consumed->taken < COUNT) {
		__u64 head = __atomic_load_n(&ring.head->head, __ATOMIC_ACQUIRE);
		struct twheel_event event;

		if (head == tail_of(&ring)) {
			struct pollfd poll_fd = { ring.fd, POLLIN, 0 };

			CALL(poll(&poll_fd, 1, 20));
			continue;
		}
		event = *event_at(&ring, head);
		if (!__atomic_compare_exchange_n(&ring.head->head, &head,
						 head + 1, false,
						 __ATOMIC_SEQ_CST,
						 __ATOMIC_SEQ_CST))
			continue;
		check_event(&event);
		ASSERT_LT(event.cookie, COUNT);
		ASSERT_EQ(consumed->seen[event.cookie]++, 0);
		consumed->taken++;
	}
	if (!child)
		_exit(EXIT_PASS);
	join(child);
	ASSERT_EQ(tail_of(&ring), COUNT);
	ASSERT_EQ(timers_of(ring.fd), 0);
}

TEST(each_of_100000_timers_goes_through_64_entries_once)
{
	enum { MOST = 100000 };
	static struct twheel_op ops[MOST];
	static bool seen[MOST];
	const unsigned int total = many(MOST);
	const struct ring ring = new_ring();
	const __u64 start = now() + 500 * NSEC_PER_MSEC;
	unsigned int i;

	srandom(2);
	for (i = 0; i < total; i++) {
		ops[i] = new_timer(start + random() % (1500 * NSEC_PER_MSEC), i);
		ops[i].flags = TWHEEL_ABSTIME;
	}
	add_all(ring.fd, ops, total);
	for (i = 0; i < total; i++) {
		const struct twheel_event event = take_one(&ring);

		ASSERT_LT(event.cookie, total);
		ASSERT(!seen[event.cookie]);
		seen[event.cookie] = true;
		ASSERT(event.handle == ops[event.cookie].handle);
		ASSERT_EQ(event.deadline_ns, ops[event.cookie].time_ns);
	}
	pass_ticks(2);
	ASSERT(!has_event(ring.fd));
	ASSERT_EQ(tail_of(&ring), total);
	ASSERT_EQ(timers_of(ring.fd), 0);
}

/* A hostile program */

TEST(head_that_lies_means_a_full_ring)
{
	const __u64 lies[] = { 1, 2, ENTRIES, 1ULL << 63, 1ULL << 32,
			       -65ULL, -1000ULL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		const struct ring ring = new_ring();
		__u64 handle;

		set_head(&ring, lies[i]);
		handle = add(ring.fd, 0, 1);
		wait_for_more(&ring, true);
		ASSERT_EQ(tail_of(&ring), 0);
		ASSERT(has_event(ring.fd));
		/* nothing is lost by it */
		set_head(&ring, 0);
		ASSERT(take_one(&ring).handle == handle);
		close(ring.fd);
		CALL(munmap(ring.head, ring.size));
	}
}

TEST(what_is_the_kernels_is_its_own)
{
	const struct ring ring = new_ring();
	const __u64 handle = add(ring.fd, margin_ns(), 1);

	memset(ring.head, 0xff, ring.size);
	set_head(&ring, 0);
	while (tail_of(&ring) == ~0ULL)
		pass_ticks(0);
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT(ring.events[0].handle == handle);
	check_event(&ring.events[0]);
	wait_for_more(&ring, false);
	ASSERT_EQ(ring.head->flags, 0);
}

static atomic_bool stopping;

/* Every few events that have come, anything at all goes into all fields. */
static void *write_garbage(void *data)
{
	const struct ring *ring = data;
	unsigned int seed = 5, i;

	while (!stopping) {
		unsigned int *words = (unsigned int *)ring->head;

		for (i = 0; i < sizeof(*ring->head) / sizeof(*words); i++)
			words[i] = rand_r(&seed);
		set_head(ring, rand_r(&seed) % 1000);
		set_head(ring, ~0ULL);
		set_head(ring, tail_of(ring));
		memset(ring->events, rand_r(&seed),
		       ENTRIES * sizeof(*ring->events));
	}
	return NULL;
}

static void expire_in_garbage(const struct ring *ring)
{
	struct twheel_op ops[200];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = new_timer(i % 4 * ticks(1), i);
	add_all(ring->fd, ops, ARRAY_SIZE(ops));
	pass_ticks(2);
	has_event(ring->fd);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		const int result = cancel(ring->fd, ops[i].handle);

		ASSERT(result == 0 || result == TWHEEL_RETRACTED ||
		       result == -ENOENT);
	}
	ASSERT_EQ(timers_of(ring->fd), 0);
}

static void spin_garbage(void *data)
{
	struct ring ring = new_ring();
	pthread_t thread;

	add_periodic(open_device(0), now(), tick_ns(), 1);
	ASSERT_EQ(pthread_create(&thread, NULL, write_garbage, &ring), 0);
	for (;;)
		expire_in_garbage(&ring);
}

TEST(garbage_does_not_keep_timers_from_ending)
{
	const __u64 end = now() + NSEC_PER_SEC;
	struct ring ring = new_ring();
	unsigned int rounds = 0;
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, write_garbage, &ring), 0);
	for (; now() < end || rounds < 2; rounds++)
		expire_in_garbage(&ring);
	stopping = true;
	pthread_join(thread, NULL);
	note("%u rounds", rounds);
}

TEST(garbage_harms_no_other_descriptor)
{
	enum { COUNT = 100 };
	const struct ring ring = new_ring();
	const __u64 end = now() + 2 * NSEC_PER_SEC;
	unsigned int rounds = 0, i;

	start(spin_garbage, NULL);
	while (now() < end || rounds < 2) {
		const __u64 deadline = now() + ticks(2);
		bool seen[COUNT] = { };

		for (i = 0; i < COUNT; i++)
			add_at(ring.fd, deadline + i, i);
		for (i = 0; i < COUNT; i++) {
			const struct twheel_event event = take_one(&ring);

			ASSERT_LT(event.cookie, COUNT);
			ASSERT(!seen[event.cookie]);
			seen[event.cookie] = true;
			ASSERT_EQ(event.deadline_ns, deadline + event.cookie);
			check_lateness(&event);
		}
		ASSERT(!has_event(ring.fd));
		rounds++;
	}
	ASSERT_EQ(tail_of(&ring), rounds * COUNT);
	note("%u rounds", rounds);
}

/* What is refused */

static void refuses_map(int fd, size_t size, int protection, int flags)
{
	ASSERT_ERRNO(map(fd, size, protection, flags, TWHEEL_MMAP_RING), EINVAL);
}

TEST(size_that_is_no_power_of_two_is_einval)
{
	const int fd = open_device(0);
	unsigned int pages;

	for (pages = 1; pages <= 20; pages++)
		if (pages == 1 || (pages - 1) & (pages - 2))
			refuses_map(fd, pages * page_size(),
				    PROT_READ | PROT_WRITE, MAP_SHARED);
	refuses_map(fd, page_size() + (128 << 20), PROT_READ | PROT_WRITE,
		    MAP_SHARED);
	map_ring(fd, ENTRIES);
}

TEST(private_or_executable_mapping_is_einval)
{
	const int fd = open_device(0);
	struct ring ring;

	refuses_map(fd, size_of(ENTRIES), PROT_READ | PROT_WRITE, MAP_PRIVATE);
	refuses_map(fd, size_of(ENTRIES), PROT_READ | PROT_EXEC, MAP_SHARED);
	ring = map_ring(fd, ENTRIES);
	ASSERT_ERRNO(mprotect(ring.head, page_size(), PROT_READ | PROT_EXEC),
		     EACCES);
}

TEST(first_mapping_fixes_the_size)
{
	const struct ring ring = new_ring();
	struct ring again;

	refuses_map(ring.fd, size_of(2 * ENTRIES), PROT_READ | PROT_WRITE,
		    MAP_SHARED);
	again = map_ring(ring.fd, ENTRIES);
	ASSERT_EQ(get_info(ring.fd).ring_entries, ENTRIES);
	add(ring.fd, 0, 3);
	while (!tail_of(&again))
		continue;
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT_EQ(again.events[0].cookie, 3);
}

TEST(failed_mapping_leaves_read_alone)
{
	const int fd = open_device(0);

	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED);
	add(fd, 0, 4);
	ASSERT_EQ(read_one(fd).cookie, 4);
}

TEST(large_ring)
{
	enum { LARGE = 16384 };
	const struct ring ring = map_ring(open_device(O_NONBLOCK), LARGE);
	static struct twheel_op ops[LARGE];
	const unsigned int count = many(LARGE);
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = new_timer(0, i);
	add_all(ring.fd, ops, count);
	while (tail_of(&ring) < count)
		continue;
	wait_for_more(&ring, false);
	for (i = 0; i < count; i++) {
		check_event(&ring.events[i]);
		ASSERT(ops[ring.events[i].cookie].handle ==
		       ring.events[i].handle);
		ops[ring.events[i].cookie].handle = 0;
	}
}

/* Mappings come and go */

TEST(unmapped_ring_goes_on)
{
	struct ring ring = new_ring();

	CALL(munmap(ring.head, ring.size));
	add(ring.fd, 0, 1);
	wait_for_event(ring.fd);
	ring = map_ring(ring.fd, ENTRIES);
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT_EQ(take_one(&ring).cookie, 1);
}

static void add_as_child(void *data)
{
	const struct ring *ring = data;

	add(ring->fd, 0, 6);
	ASSERT_EQ(take_one(ring).cookie, 6);
	add(ring->fd, 0, 7);
}

TEST(ring_is_shared_with_a_child)
{
	struct ring ring = new_ring();

	join(start(add_as_child, &ring));
	ASSERT_EQ(take_one(&ring).cookie, 7);
	ASSERT_EQ(tail_of(&ring), 2);
}

TEST(closed_while_timers_expire)
{
	unsigned int round, i;

	for (round = 0; round < 30; round++) {
		const struct ring ring = new_ring();

		for (i = 0; i < 3 * ENTRIES; i++)
			add(ring.fd, i % 3 * ticks(1) / 2, i);
		add_periodic(ring.fd, now(), tick_ns(), 1);
		if (round % 2)
			pass_ticks(0);
		ASSERT_LE(tail_of(&ring), ENTRIES);
		CALL(munmap(ring.head, ring.size));
		CALL(close(ring.fd));
	}
}

/* The kernel goes on putting events into it by itself while there is room. */
TEST(closed_while_the_ring_is_filled)
{
	const unsigned int count = many(20000);
	static struct twheel_op ops[20000];
	unsigned int round, i;

	for (round = 0; round < 5; round++) {
		const struct ring ring = map_ring(open_device(0), 1 << 15);
		const __u64 deadline = now() + 200 * NSEC_PER_MSEC;
		struct twheel_op op = new_timer(0, 1);

		for (i = 0; i < count; i++) {
			ops[i] = new_timer(deadline, i);
			ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(ring.fd, ops, count);
		op.clockid = CLOCK_BOOTTIME;
		op.period_ns = tick_ns();
		CALL(ioctl(ring.fd, TWHEEL_IOC_ADD, &op));
		pass(deadline);
		CALL(munmap(ring.head, ring.size));
		CALL(close(ring.fd));
	}
}
