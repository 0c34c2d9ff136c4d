// SPDX-License-Identifier: GPL-2.0
/*
 * Timers belong to an open file, whichever process has a descriptor of it, and end with the
 * last descriptor.
 */
#include "device.h"
#include "one_epoll.h"

/* The environment variable by which the program knows its descriptor after exec(). */
#define AFTER_EXEC "TWHEEL_TEST_AFTER_EXEC"

DEVICE_TEST(dup_shares_the_timers)
{
	const int copy = CALL(dup(fd));
	const __u64 handle = add(fd, ticks(3), 1);
	struct twheel_op op;

	ASSERT_GE(query(copy, handle, &op), 0);
	ASSERT_EQ(timers_of(copy), 1);
	close(fd);
	ASSERT(read_one(copy).handle == handle);
}

static void use_parents_timers(void *data)
{
	const int fd = *(int *)data;

	ASSERT_EQ(read_one(fd).cookie, 4);
	add(fd, ticks(1), 5);
}

/* The other half of the test below: runs before main(), in the same process. */
static __attribute__((constructor)) void after_exec(void)
{
	const char *number = getenv(AFTER_EXEC);
	int fd;

	if (!number)
		return;
	fd = atoi(number);
	ASSERT_EQ(timers_of(fd), 2);
	ASSERT_EQ(read_one(fd).cookie, 10);
	ASSERT_EQ(timers_of(fd), 1);
	_exit(EXIT_PASS);
}

DEVICE_TEST(timers_stay_over_exec)
{
	char number[16];

	add(fd, ticks(10), 10);
	add(fd, LONG, 11);
	snprintf(number, sizeof(number), "%d", fd);
	setenv(AFTER_EXEC, number, 1);
	CALL(execl("/proc/self/exe", "share", NULL));
}

/* What the processes of a case have read, by the cookies. */
enum { SHARED_EVENTS = 2000 };

static struct shared {
	atomic_uint	count;
	atomic_uchar	seen[SHARED_EVENTS];
} *shared;

static void read_until_all_are_read(void *data)
{
	const int fd = *(int *)data;
	struct twheel_event event;

	while (shared->count < SHARED_EVENTS) {
		poll_events(fd, POLLIN, 20);
		if (read_events(fd, &event, 1) != 1)
			continue;
		ASSERT_LT(event.cookie, SHARED_EVENTS);
		ASSERT_EQ(shared->seen[event.cookie]++, 0);
		shared->count++;
	}
}

TEST(each_event_is_read_by_one_process)
{
	static struct twheel_op ops[SHARED_EVENTS];
	int fd = open_device(O_NONBLOCK), i;
	const __u64 begin = now();
	pid_t children[3];

	shared = shared_memory(sizeof(*shared));
	for (i = 0; i < 3; i++)
		children[i] = start(read_until_all_are_read, &fd);
	for (i = 0; i < SHARED_EVENTS; i++)
		ops[i] = new_timer_at(begin + i * ticks(20) / SHARED_EVENTS, i);
	add_all(fd, ops, SHARED_EVENTS);
	for (i = 0; i < 3; i++)
		join(children[i]);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(close_ends_timers_in_all_states)
{
	const int rounds = debug_kernel() ? 4 : 40;
	int round, i, clock;

	for (round = 0; round < rounds; round++) {
		const int fd = open_device(0);

		CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
		for (i = 0; i < 50; i++) {
			add_to_group(fd, 0, i % 7, i);
			add_to_group(fd, i * ticks(1) / 25, i % 7, i);
			add_to_group(fd, LONG, i % 7, i);
			add_periodic(fd, now(), ticks(1), i);
			for (clock = 0; clock < 3; clock++)
				add_on(fd, clocks[clock], read_clock(clocks[clock]) + i * 100000,
				       0);
			ASSERT_GE(cancel(fd, add(fd, ticks(1), i)), 0);
		}
		if (round % 2)
			read_any(fd);
		close(fd);
	}
	pass_ticks(4);
}

static int race_fd, race_epoll;

/* The other thread may close the descriptor at any time. */
static void wait_and_read(unsigned int number)
{
	struct twheel_event events[16];
	struct epoll_event event;

	epoll_wait(race_epoll, &event, 1, 1);
	if (read(race_fd, events, sizeof(events)) < 0)
		ASSERT(errno == EBADF || errno == EAGAIN);
	poll(&(struct pollfd){ .fd = race_fd, .events = POLLIN }, 1, 1);
}

TEST(close_races_with_poll_read_and_expiry)
{
	const __u64 end = end_of_races();
	unsigned int i, rounds = 0;

	start_rounds(2, wait_and_read);
	srandom(2);
	while (now() < end || rounds < 20) {
		race_fd = open_device(O_NONBLOCK);
		race_epoll = new_epoll(race_fd, EPOLLIN | EPOLLET);
		for (i = 0; i < 20; i++) {
			add(race_fd, random() % ticks(1), i);
			add_periodic(race_fd, now(), ticks(1), i);
		}
		begin_round();
		if (rounds++ % 2)
			usleep(random() % (tick_ns() / 1000));
		close(race_fd);
		close(race_epoll);
		end_round();
	}
	stop_rounds();
	note("%u rounds", rounds);
}

DEVICE_TEST(close_leaves_a_blocked_reader_to_its_event)
{
	pid_t child;

	/* the child's read keeps the open file, and so the timer, alive */
	add(fd, ticks(5), 4);
	child = start(use_parents_timers, &(int){ fd });
	close(fd);
	join(child);
}
