// SPDX-License-Identifier: GPL-2.0
/*
 * No call holds a set's lock for long: callbacks wait for it. A batch of 64 changes
 * holds the lock once. Calls that walk over many timers must not hold it much longer.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include "debugfs.h"

#define LONG (100 * NSEC_PER_SEC)

enum { CHUNK = 64, COUNT = 20000, ROUNDS = 20, MANY_ROUNDS = 300 };

static struct twheel_op ops[COUNT];

/*
 * Returns the longest hold of the lock in the best round. A round with at most @enough ends the
 * search; on a busy host, it may take many rounds to meet one in which no CPU is stopped. If @run
 * has @many holds, an eighth of the round's time is taken off: a host that stops a CPU during a
 * hold makes the round longer, too. A call that has one hold only spends all of its time in it.
 */
static __u64 shortest_of_longest(void (*run)(int fd), int fd, bool many, __u64 enough)
{
	const int rounds = enough ? MANY_ROUNDS : ROUNDS;
	__u64 shortest = ~0ULL, start, longest, part;
	int i;

	for (i = 0; i < rounds && shortest > enough; i++) {
		reset();
		start = now();
		run(fd);
		part = many ? (now() - start) / 8 : 0;
		longest = longest_hold_ns();
		ASSERT_GT(longest, 0);
		longest -= longest < part ? longest : part;
		if (longest < shortest)
			shortest = longest;
	}
	return shortest;
}

static void change_a_chunk(int fd)
{
	struct twheel_op changes[CHUNK];
	int i;

	for (i = 0; i < CHUNK; i++)
		changes[i] = (struct twheel_op){
			.op = TWHEEL_OP_CHANGE,
			.handle = ops[i].handle,
			.time_ns = 2 * LONG - i,
		};
	batch(fd, changes, CHUNK);
	for (i = 0; i < CHUNK; i++)
		ASSERT_EQ(changes[i].result, 0);
}

static void list_timers(int fd)
{
	static struct twheel_op records[COUNT];

	ASSERT_GT(list_all(fd, records, COUNT, 0), 0);
}

static void drain_nothing(int fd)
{
	struct twheel_op op;

	ASSERT_EQ(drain(fd, &op, 1), 0);
	resume(fd);
}

/* Arm timers, and measure how long a batch of changes holds the lock. */
static __u64 add_and_measure(int fd, __u64 delay_ns)
{
	const int other = open_device(0);
	__u64 hold;
	int i;

	if (time_travel)
		skip("not in time travel, where code takes no time");
	if (debug_kernel())
		skip("a slow kernel holds the lock long enough for the host to stop the CPU");
	need_debugfs();
	for (i = 0; i < CHUNK; i++)
		ops[i] = new_timer(LONG, i);
	add_all(other, ops, CHUNK);
	set_timing(true);
	hold = shortest_of_longest(change_a_chunk, other, false, 0);
	set_timing(false);
	for (i = 0; i < COUNT; i++)
		ops[i] = new_timer(delay_ns, i);
	add_all(fd, ops, COUNT);
	return hold;
}

static void check_hold(void (*run)(int fd), int fd, bool many, __u64 most)
{
	__u64 hold;

	set_timing(true);
	hold = shortest_of_longest(run, fd, many, 3 * most);
	set_timing(false);
	note("the lock is held for %llu ns, at most 3 times %llu wanted", (unsigned long long)hold,
	     (unsigned long long)most);
	ASSERT_LE(hold, 3 * most);
}

TEST(list_holds_the_lock_for_a_few_timers)
{
	const int fd = open_device(0);

	/* A record is filled in for each timer: 64 bytes, which an emulator fills in one by one. */
	check_hold(list_timers, fd, true, 3 * add_and_measure(fd, LONG));
}

/* A block that is almost empty costs a look, too. */
TEST(list_holds_the_lock_for_a_few_blocks)
{
	const int fd = open_device(0);
	const __u64 most = add_and_measure(fd, LONG);
	int i;

	for (i = 0; i < COUNT; i++)
		if (i % 40)
			ASSERT_EQ(cancel(fd, ops[i].handle), 0);
	check_hold(list_timers, fd, true, 3 * most);
}

TEST(drain_holds_the_lock_for_a_few_timers)
{
	const int fd = open_device(0);
	const __u64 most = add_and_measure(fd, 0);

	while (get_info(fd).unread < COUNT)
		pass_ticks(1);
	check_hold(drain_nothing, fd, true, most);
}

static int notified;

static void set_eventfd(int fd)
{
	struct twheel_eventfd arg = { .fd = notified };
	struct twheel_op records[CHUNK];
	__u64 cursor = 0;

	CALL(ioctl(fd, TWHEEL_IOC_EVENTFD, &arg));
	/* The call's own hold may be too short for the clock. This one has records to fill in. */
	ASSERT_EQ(list(fd, records, CHUNK, &cursor, 0), CHUNK);
}

/* The lock of a set makes softirqs of other CPUs wait. */
TEST(waiters_for_an_eventfd_are_woken_without_the_lock)
{
	struct epoll_event events = { .events = EPOLLIN };
	const int fd = open_device(0);
	const __u64 most = add_and_measure(fd, 0);
	int i;

	notified = CALL(eventfd(0, 0));
	for (i = 0; i < 900; i++)
		CALL(epoll_ctl(CALL(epoll_create1(0)), EPOLL_CTL_ADD, notified, &events));
	while (get_info(fd).unread < COUNT)
		pass_ticks(1);
	check_hold(set_eventfd, fd, false, 3 * most);
}
