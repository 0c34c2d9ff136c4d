// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel does for programs in softirq context is bounded: beyond that, a ring is
 * filled and words are looked at when the program calls poll() or read().
 */
#include <sys/eventfd.h>

#include "event_ring.h"
#include "io_ring.h"
#include "parameter.h"
#include "table_timer.h"

enum {
	/* Steps a second, so that a quiet time saves up four times as many. */
	ALLOWANCE = 16,
	/* Far more than the kernel does in softirq context in the time of a test. */
	MANY = 4096,
};

/* The most events that one poll() moves into a ring. */
enum { IN_A_POLL = 1024 };

/* Sets the allowance. Returns what it was. The caller sets it back, before it checks anything. */
static unsigned long long set_allowance(unsigned long long value)
{
	const unsigned long long before = read_parameter("allowance");

	if (!write_parameter("allowance", value))
		skip("cannot write to the parameter");
	return before;
}

/* Each timer has its number as its cookie. */
static void add_at_once(int fd, struct twheel_op *ops, __u64 deadline, __u32 flags)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		ops[i] = new_timer(deadline, i);
		ops[i].flags = TWHEEL_ABSTIME | flags;
	}
	add_all(fd, ops, MANY);
}

/* Waits until every timer has expired. */
static void wait_for_expiry(const struct ring *ring)
{
	__u64 tail;

	do {
		tail = tail_of(ring);
	} while (tail + get_info(ring->fd).unread < MANY);
	pass_ticks(2);
}

TEST(burst_goes_into_the_ring_when_the_program_polls)
{
	const struct ring ring = map_ring(open_device(0), MANY);
	static struct twheel_op ops[MANY];
	const unsigned long long before = set_allowance(ALLOWANCE);
	unsigned int i;
	__u64 tail;

	add_at_once(ring.fd, ops, now() + margin_ns(), 0);
	wait_for_expiry(&ring);
	set_allowance(before);
	ASSERT_LT(tail_of(&ring), MANY);
	while ((tail = tail_of(&ring)) < MANY) {
		ASSERT(has_more(&ring));
		ASSERT(has_event(ring.fd));
		ASSERT_EQ(tail_of(&ring),
			  tail + IN_A_POLL < MANY ? tail + IN_A_POLL : MANY);
	}
	ASSERT(!has_more(&ring));
	for (i = 0; i < MANY; i++) {
		check_event(&ring.events[i]);
		ASSERT(ops[ring.events[i].cookie].handle == ring.events[i].handle);
		ops[ring.events[i].cookie].handle = 0;
	}
}

/* The first deadline is in 1970: there is always one more event. */
TEST(timer_without_end_goes_on_when_the_program_polls)
{
	const struct ring ring = map_ring(open_device(0), MANY);
	struct twheel_op op = {
		.flags = TWHEEL_ABSTIME | TWHEEL_EACH,
		.clockid = CLOCK_REALTIME,
		.time_ns = 1,
		.period_ns = tick_ns(),
	};
	__u64 tail;

	arm(ring.fd, op);
	wait_for_event(ring.fd);
	pass_ticks(2);
	tail = tail_of(&ring);
	pass_ticks(10);
	ASSERT(has_more(&ring));
	for (; tail + IN_A_POLL < MANY; tail += IN_A_POLL) {
		ASSERT_EQ(tail_of(&ring), tail);
		ASSERT(has_event(ring.fd));
	}
	set_head(&ring, tail_of(&ring));
	pass_ticks(10);
	ASSERT_EQ(tail_of(&ring), tail);
}

/* Timers that were pushed back in the table, and that the kernel has left to the program. */
struct unseen {
	int			fd;
	struct twheel_op	ops[MANY];
	__u64			later;
};

/* Each poll() looks at some words. It may say that there is an event when there is none. */
static struct twheel_event next_event(int fd)
{
	struct twheel_event event;
	int got;

	do {
		wait_for_event(fd);
		got = read_events(fd, &event, 1);
	} while (got == -EAGAIN);
	ASSERT_EQ(got, 1);
	check_event(&event);
	return event;
}

static struct unseen *leave_unseen(__u64 ahead)
{
	static struct unseen unseen;
	struct twheel_eventfd arg = { .fd = eventfd(0, 0) };
	struct twheel_word *table;
	__u64 deadline, signals, lead = margin_ns();
	unsigned long long before;
	unsigned int i;
	bool pushed;

	ASSERT_GE(arg.fd, 0);
	before = set_allowance(ALLOWANCE);
	do {
		unseen.fd = open_device(O_NONBLOCK);
		table = map_words(unseen.fd, MANY);
		lead *= 2;
		deadline = now() + lead;
		unseen.later = deadline + ahead;
		add_at_once(unseen.fd, unseen.ops, deadline, TWHEEL_SHARED);
		pushed = true;
		for (i = 0; i < MANY; i++)
			pushed &= push_alone(word_of(table, unseen.ops[i].handle), unseen.later);
	} while (!pushed || !in_time(deadline));
	CALL(ioctl(unseen.fd, TWHEEL_IOC_EVENTFD, &arg));
	/* No timer expires, but the program has to look. */
	ASSERT_EQ(read(arg.fd, &signals, sizeof(signals)), sizeof(signals));
	pass_ticks(2);
	set_allowance(before);
	ASSERT_EQ(get_info(unseen.fd).unread, 0);
	return &unseen;
}

TEST(program_looks_at_words_that_the_kernel_has_left)
{
	struct unseen *unseen = leave_unseen(5 * NSEC_PER_SEC);
	struct twheel_event event;
	unsigned int i;

	ASSERT_EQ(read_events(unseen->fd, &event, 1), -EAGAIN);
	for (i = 0; i < MANY; i++) {
		event = next_event(unseen->fd);
		ASSERT_EQ(event.deadline_ns, unseen->later);
		ASSERT(unseen->ops[event.cookie].handle == event.handle);
		unseen->ops[event.cookie].handle = 0;
	}
	ASSERT(!has_event(unseen->fd));
}

TEST(poll_looks_at_words_that_the_kernel_has_left)
{
	struct unseen *unseen = leave_unseen(5 * NSEC_PER_SEC);

	ASSERT_GE(next_event(unseen->fd).expired_ns, unseen->later);
}

/* A read that waits is woken, finds that no word has expired, and waits for the next wake-up. */
TEST(uring_read_looks_at_words_that_the_kernel_has_left)
{
	struct unseen *unseen = leave_unseen(5 * NSEC_PER_SEC);
	struct twheel_event event;
	const struct io_uring_sqe sqe = io_ring_read(unseen->fd, &event, sizeof(event), 1);
	struct io_ring_result result;
	unsigned int i;

	io_ring_open(0);
	for (i = 0; i < MANY; i++) {
		io_ring_submit(&sqe);
		ASSERT(i || !io_ring_completed(&result));
		ASSERT_EQ(io_ring_wait().res, sizeof(event));
		check_event(&event);
		ASSERT_EQ(event.deadline_ns, unseen->later);
		ASSERT(unseen->ops[event.cookie].handle == event.handle);
		unseen->ops[event.cookie].handle = 0;
	}
	ASSERT_EQ(timers_of(unseen->fd), 0);
}

/* A timer whose word no one has looked at is pending. */
TEST(timers_whose_words_wait_are_pending)
{
	struct unseen *unseen = leave_unseen(FAR);
	static struct twheel_op rest[MANY];
	unsigned int i, left = 0;
	struct twheel_op op;

	for (i = 0; i < MANY; i++) {
		const __u64 handle = unseen->ops[i].handle;

		switch (i % 4) {
		case 0:
			ASSERT_EQ(cancel(unseen->fd, handle), 0);
			break;
		case 1:
			ASSERT_EQ(change(unseen->fd, handle, FAR), 0);
			left++;
			break;
		case 2:
			op.flags = TWHEEL_ABSTIME;
			ASSERT_EQ(query(unseen->fd, handle, &op), 0);
			left++;
			break;
		default:
			left++;
		}
	}
	ASSERT_EQ(timers_of(unseen->fd), left);
	ASSERT_EQ(drain(unseen->fd, rest, MANY), left);
	for (i = 0; i < left; i++)
		ASSERT(unseen->ops[rest[i].cookie].handle == rest[i].handle);
	ASSERT_EQ(timers_of(unseen->fd), 0);
}

TEST(close_with_words_that_wait)
{
	struct unseen *unseen = leave_unseen(FAR);

	CALL(close(unseen->fd));
}
