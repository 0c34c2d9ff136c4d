// SPDX-License-Identifier: GPL-2.0
/* A hostile program: anything may be in the ring of events at any time. */
#include "event_ring.h"

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
		/* the event is not lost */
		set_head(&ring, 0);
		ASSERT(take_one(&ring).handle == handle);
		close_ring(&ring);
	}
}

RING_TEST(page_does_not_change_what_the_kernel_knows)
{
	__u64 handle;

	memset(ring.head, 0xff, ring.size);
	set_head(&ring, 0);
	handle = add(ring.fd, 0, 1);
	while (tail_of(&ring) == ~0ULL)
		pass_ticks(0);
	ASSERT_EQ(tail_of(&ring), 1);
	ASSERT(ring.events[0].handle == handle);
	check_event(&ring.events[0]);
	wait_for_more(&ring, false);
	ASSERT_EQ(ring.head->flags, 0);
}

/* Write garbage into all fields, and at times a head that makes room. */
static void write_garbage(void *data)
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

/* Garbage does not keep timers from ending. Counts the rounds until it is killed. */
static void spin_garbage(void *data)
{
	struct ring ring = new_ring();
	atomic_uint *rounds = data;

	add_periodic(open_device(0), now(), tick_ns(), 1);
	start_thread(write_garbage, &ring);
	for (;; ++*rounds)
		expire_in_garbage(&ring);
}

RING_TEST(garbage_harms_no_other_descriptor)
{
	enum { COUNT = 100 };
	const __u64 end = end_of_races();
	atomic_uint *hostile_rounds = shared_memory(sizeof(*hostile_rounds));
	const pid_t child = start(spin_garbage, hostile_rounds);
	unsigned int rounds = 0, i;

	while (now() < end || rounds < 5 || *hostile_rounds < 5) {
		const __u64 deadline = now() + ticks(2);
		bool seen[COUNT] = { };

		for (i = 0; i < COUNT; i++)
			add_at(ring.fd, deadline + i, i);
		for (i = 0; i < COUNT; i++) {
			const struct twheel_event event = take_one(&ring);

			see_once(seen, event.cookie, COUNT);
			ASSERT_EQ(event.deadline_ns, deadline + event.cookie);
		}
		ASSERT(!has_event(ring.fd));
		rounds++;
	}
	/* which is still there, or a check of its own has failed */
	kill_child(child);
	ASSERT_EQ(tail_of(&ring), rounds * COUNT);
	note("%u rounds, %u with garbage", rounds, *hostile_rounds);
}
