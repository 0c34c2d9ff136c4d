// SPDX-License-Identifier: GPL-2.0
/*
 * Threads add, cancel and read while the descriptor is drained again and again. Each timer ends
 * exactly once. When drain() returns 0, no timer is pending.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "device.h"

enum { MOST = 1 << 20, ADDERS = 3, DRAINERS = 2, THREADS = 1 + ADDERS + DRAINERS };
enum ending { READ = 1, CANCELLED = 2, DRAINED = 4, REFUSED_ADD = 8 };

static atomic_uchar endings[MOST];
static atomic_uint added, counts[DRAINED + 1], refusals;
static atomic_bool stopping;
static int shared_fd;

static void end_timer(__u64 number, enum ending how)
{
	unsigned char before;

	ASSERT_LT(number, MOST);
	before = atomic_fetch_or(&endings[number], how);
	if (before)
		FAIL("timer %llu: ended as %d, but before as %u", number, how,
		     before);
	atomic_fetch_add(&counts[how], 1);
}

/* Timers that are added at full speed in one round. */
enum { ENOUGH = 100000 };

/* Add timers until they are refused. */
static void *add_until_the_stop(void *data)
{
	const unsigned int first = added;
	unsigned int seed = 1000 + (unsigned long)data;
	struct twheel_op ops[64];
	unsigned int i, number;

	for (;;) {
		number = atomic_fetch_add(&added, ARRAY_SIZE(ops));
		if (number + ARRAY_SIZE(ops) > MOST)
			FAIL("no stop after %u timers", number);
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			ops[i] = add_op(rand_r(&seed) % 2 ? LONG : rand_r(&seed) % ticks(3),
					number + i);
			ops[i].group = rand_r(&seed) % 3;
		}
		batch(shared_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			if (!ops[i].result)
				continue;
			ASSERT_EQ(ops[i].result, -ESHUTDOWN);
			endings[number + i] = REFUSED_ADD;
			atomic_fetch_add(&refusals, 1);
		}
		if (ops[ARRAY_SIZE(ops) - 1].result)
			return NULL;
		/* the host may have stopped the CPU of the threads that drain */
		if (number - first > ENOUGH)
			usleep(10000);
		if (rand_r(&seed) % 4 == 0 && cancel(shared_fd, ops[3].handle) >= 0)
			end_timer(number + 3, CANCELLED);
	}
}

static bool all_read(void)
{
	return stopping && !has_event(shared_fd);
}

static void take_event(const struct twheel_event *event)
{
	end_timer(event->cookie, READ);
}

static void *read_until_told(void *data)
{
	read_until(shared_fd, all_read, take_event);
	return NULL;
}

static void *drain_until_empty(void *data)
{
	struct twheel_op ops[32];
	int i, got;

	pass_ticks(2);
	do {
		got = drain(shared_fd, ops, ARRAY_SIZE(ops));
		ASSERT_GE(got, 0);
		for (i = 0; i < got; i++)
			end_timer(ops[i].cookie, DRAINED);
	} while (got);
	return NULL;
}

static void drain_round(void)
{
	pthread_t threads[THREADS];
	unsigned long i;

	stopping = false;
	for (i = 0; i < THREADS; i++)
		threads[i] = start_thread(i == 0 ? read_until_told :
					  i <= ADDERS ? add_until_the_stop :
					  drain_until_empty, (void *)i);
	join_threads(threads + 1, THREADS - 1);
	/* the drain that returned 0 left no pending timer, only unread events */
	ASSERT_EQ(drain(shared_fd, &(struct twheel_op){ 0 }, 1), 0);
	stopping = true;
	join_threads(threads, 1);
	ASSERT_EQ(timers_of(shared_fd), 0);
	resume(shared_fd);
}

TEST(drain_races_with_add_cancel_expiry_and_read)
{
	const __u64 end = end_of_races();
	unsigned int rounds, i;

	shared_fd = open_device(O_NONBLOCK);
	for (rounds = 0; rounds < 3 || !counts[DRAINED] || !counts[READ] ||
	     (now() < end && added < MOST / 2); rounds++)
		drain_round();
	note("%u rounds, %u timers: %u drained, %u cancelled, %u expired, %u refused",
	     rounds, added, counts[DRAINED], counts[CANCELLED], counts[READ],
	     refusals);
	ASSERT_GT(counts[DRAINED], 0);
	ASSERT_GT(counts[READ], 0);
	ASSERT_EQ(added, counts[DRAINED] + counts[CANCELLED] + counts[READ] +
		  refusals);
	for (i = 0; i < added; i++)
		ASSERT_NE(endings[i], 0);
}

/* An add that has begun when the drain begins is refused, or its timer drained. */
static void *add_batches_until_the_stop(void *data)
{
	struct twheel_op ops[64];
	unsigned int i, *armed = data;

	do {
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			ops[i] = add_op(LONG, i);
		batch(shared_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			*armed += !ops[i].result;
		atomic_fetch_add(&added, ARRAY_SIZE(ops));
	} while (!ops[ARRAY_SIZE(ops) - 1].result);
	return NULL;
}

TEST(drain_waits_for_adds_that_have_begun)
{
	const __u64 end = end_of_races();
	struct twheel_op ops[64];
	unsigned int rounds;
	pthread_t thread;

	shared_fd = open_device(0);
	for (rounds = 0; rounds < 5 || now() < end; rounds++) {
		unsigned int armed = 0, drained = 0;
		int got;

		added = 0;
		thread = start_thread(add_batches_until_the_stop, &armed);
		while (!added)
			continue;
		do {
			got = drain(shared_fd, ops, ARRAY_SIZE(ops));
			ASSERT_GE(got, 0);
			drained += got;
		} while (got);
		join_threads(&thread, 1);
		ASSERT_EQ(drained, armed);
		ASSERT_EQ(timers_of(shared_fd), 0);
		resume(shared_fd);
	}
	note("%u rounds", rounds);
}
