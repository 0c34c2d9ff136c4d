// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that add, change, cancel and read the timers of one descriptor, all at
 * once. Each timer ends exactly once: its event is read, or it was cancelled.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "device.h"

enum { MOST = 1 << 20, SLOTS = 1024, BATCH = 64 };
enum ending { READ = 1, CANCELLED = 2 };

/* Timers are known by their cookies, which are numbers from 1. */
static struct timer {
	__u64		handle;		/* as its add returned it */
	__u64		event_handle;	/* as its event says */
	atomic_uchar	ended;		/* enum ending */
} timers[MOST];

static atomic_uint added, cancelled, read_so_far;
static atomic_uint slots[SLOTS];	/* timers that anyone may work on */
static atomic_bool stopping;
static int fd;

static void end_timer(__u64 number, enum ending how)
{
	unsigned char before;

	ASSERT_GE(number, 1);
	ASSERT_LT(number, MOST);
	before = atomic_fetch_or(&timers[number].ended, how);
	if (before)
		FAIL("timer %llu: ended as %d, but before as %u", number, how,
		     before);
	atomic_fetch_add(how == READ ? &read_so_far : &cancelled, 1);
}

static __u64 random_delay(unsigned int *seed)
{
	return (__u64)rand_r(seed) % ticks(4);
}

/* 0 if there have been enough. */
static __u64 new_number(void)
{
	const unsigned int number = 1 + atomic_fetch_add(&added, 1);

	if (number < MOST)
		return number;
	atomic_fetch_sub(&added, 1);
	return 0;
}

static unsigned int thread_seed(void)
{
	static atomic_uint threads;

	return 1000 + atomic_fetch_add(&threads, 1);
}

static void *add_timers(void *data)
{
	unsigned int seed = thread_seed();
	__u64 number;

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];

		number = new_number();
		if (!number)
			break;
		timers[number].handle = add(fd, random_delay(&seed), number);
		atomic_store(slot, number);
	}
	return NULL;
}

static void *cancel_timers(void *data)
{
	unsigned int seed = thread_seed();

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];
		const unsigned int number = atomic_exchange(slot, 0);
		int result;

		if (!number)
			continue;
		result = cancel(fd, timers[number].handle);
		if (result >= 0)
			end_timer(number, CANCELLED);
		else
			ASSERT_EQ(result, -ENOENT);
	}
	return NULL;
}

static void *change_timers(void *data)
{
	unsigned int seed = thread_seed();

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];
		const unsigned int number = atomic_load(slot);
		int result;

		if (!number)
			continue;
		result = change(fd, timers[number].handle, random_delay(&seed));
		ASSERT(result == 0 || result == TWHEEL_RETRACTED ||
		       result == -ENOENT);
	}
	return NULL;
}

static void *query_timers(void *data)
{
	unsigned int seed = thread_seed();
	struct twheel_op op;

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];
		const unsigned int number = atomic_load(slot);
		int result;

		if (!number)
			continue;
		result = query(fd, timers[number].handle, &op);
		if (result >= 0)
			ASSERT_EQ(op.cookie, number);
		else
			ASSERT_EQ(result, -ENOENT);
	}
	return NULL;
}

/* Adds a batch, and then cancels it. */
static void *add_and_cancel_batches(void *data)
{
	unsigned int seed = thread_seed();
	struct twheel_op ops[BATCH];
	__u64 numbers[BATCH];
	int i;

	while (!stopping) {
		for (i = 0; i < BATCH; i++) {
			numbers[i] = new_number();
			if (!numbers[i])
				return NULL;
			ops[i] = new_timer(random_delay(&seed), numbers[i]);
		}
		add_all(fd, ops, BATCH);
		for (i = 0; i < BATCH; i++) {
			timers[numbers[i]].handle = ops[i].handle;
			ops[i] = (struct twheel_op){
				.op = TWHEEL_OP_CANCEL,
				.handle = ops[i].handle,
			};
		}
		if (seed % 2)
			poll(NULL, 0, rand_r(&seed) % 20);
		batch(fd, ops, BATCH);
		for (i = 0; i < BATCH; i++) {
			if (ops[i].result >= 0)
				end_timer(numbers[i], CANCELLED);
			else
				ASSERT_EQ(ops[i].result, -ENOENT);
		}
	}
	return NULL;
}

static void *read_all_events(void *data)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct twheel_event events[32];
	int i, got;

	for (;;) {
		CALL(poll(&poll_fd, 1, 20));
		got = read_events(fd, events, ARRAY_SIZE(events));
		if (got == -EAGAIN) {
			if (stopping && !timers_of(fd))
				return NULL;
			continue;
		}
		ASSERT_GT(got, 0);
		for (i = 0; i < got; i++) {
			check_event(&events[i]);
			ASSERT_EQ(events[i].count, 1);
			end_timer(events[i].cookie, READ);
			timers[events[i].cookie].event_handle =
				events[i].handle;
		}
	}
}

/* Stop a test's threads after that time, and check what has become of all. */
static void finish(pthread_t *threads, unsigned int count, unsigned int ms)
{
	unsigned int i;

	pass(now() + ms * NSEC_PER_MSEC);
	stopping = true;
	join_threads(threads, count);
	ASSERT_EQ(timers_of(fd), 0);
	note("%u timers: %u cancelled, %u expired", added, cancelled,
	     read_so_far);
	ASSERT_EQ(added, cancelled + read_so_far);
	for (i = 1; i <= added; i++) {
		ASSERT_NE(timers[i].ended, 0);
		if (timers[i].ended == READ)
			ASSERT(timers[i].event_handle == timers[i].handle);
	}
}

TEST(timers_end_once_whatever_the_threads_do)
{
	void *(*const run[])(void *) = {
		add_timers, add_timers, cancel_timers, cancel_timers,
		change_timers, query_timers, add_and_cancel_batches,
		read_all_events, read_all_events,
	};
	pthread_t threads[ARRAY_SIZE(run)];
	unsigned int i;

	fd = open_device(O_NONBLOCK);
	for (i = 0; i < ARRAY_SIZE(run); i++)
		threads[i] = start_thread(run[i], NULL);
	finish(threads, ARRAY_SIZE(run), 1500);
	ASSERT_GT(cancelled, 0);
	ASSERT_GT(read_so_far, 0);
}

/* Cancels that come just when the timers expire. */
static void *cancel_at_expiry(void *data)
{
	unsigned int seed = thread_seed();
	struct twheel_op ops[BATCH];
	__u64 numbers[BATCH];
	int i;

	while (!stopping) {
		const __u64 deadline = now() + random_delay(&seed) / 2;
		const __u64 until = deadline + random_delay(&seed) / 4;

		for (i = 0; i < BATCH; i++) {
			numbers[i] = new_number();
			if (!numbers[i])
				return NULL;
			ops[i] = new_timer(deadline, numbers[i]);
			ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(fd, ops, BATCH);
		while (now() < until)
			continue;
		for (i = 0; i < BATCH; i++) {
			const int result = cancel(fd, ops[i].handle);

			timers[numbers[i]].handle = ops[i].handle;
			if (result >= 0)
				end_timer(numbers[i], CANCELLED);
			else
				ASSERT_EQ(result, -ENOENT);
		}
	}
	return NULL;
}

TEST(cancel_races_with_expiry_and_read)
{
	pthread_t threads[2];

	fd = open_device(O_NONBLOCK);
	threads[0] = start_thread(cancel_at_expiry, NULL);
	threads[1] = start_thread(read_all_events, NULL);
	finish(threads, 2, 1000);
}

/* Guesses the handles of timers that are just being added: trap 6. */
static atomic_ullong last_handle, last_step;
static atomic_uint guessed;

static void *cancel_guessed_handles(void *data)
{
	struct twheel_op op;

	while (!stopping) {
		const __u64 guess = last_handle + last_step;

		if (query(fd, guess, &op) >= 0)
			ASSERT_EQ(op.cookie, 1);
		change(fd, guess, 100 * NSEC_PER_SEC);
		if (cancel(fd, guess) >= 0)
			atomic_fetch_add(&guessed, 1);
	}
	return NULL;
}

TEST(trap6_guessed_handles_during_add)
{
	const __u64 end = now() + 600 * NSEC_PER_MSEC;
	unsigned int own = 0, all = 0;
	pthread_t thread;

	fd = open_device(O_NONBLOCK);
	thread = start_thread(cancel_guessed_handles, NULL);
	while (now() < end) {
		const __u64 handle = add(fd, 100 * NSEC_PER_SEC, 1);
		int result;

		last_step = handle - last_handle;
		last_handle = handle;
		all++;
		result = cancel(fd, handle);
		if (result >= 0)
			own++;
		else
			ASSERT_EQ(result, -ENOENT);
	}
	stopping = true;
	join_threads(&thread, 1);
	note("%u timers, %u of them cancelled by a guess", all, guessed);
	ASSERT_EQ(own + guessed, all);
	ASSERT_EQ(timers_of(fd), 0);
}

/* The same for a batch, whose handles are all written at its end. */
TEST(trap6_guessed_handles_during_batch)
{
	const __u64 end = now() + 600 * NSEC_PER_MSEC;
	struct twheel_op ops[BATCH];
	unsigned int own = 0, all = 0;
	pthread_t thread;
	int i;

	fd = open_device(O_NONBLOCK);
	thread = start_thread(cancel_guessed_handles, NULL);
	while (now() < end) {
		for (i = 0; i < BATCH; i++)
			ops[i] = new_timer(100 * NSEC_PER_SEC, 1);
		add_all(fd, ops, BATCH);
		all += BATCH;
		last_handle = ops[BATCH - 1].handle;
		last_step = ops[BATCH - 1].handle - ops[BATCH - 2].handle;
		for (i = 0; i < BATCH; i++)
			own += cancel(fd, ops[i].handle) >= 0;
	}
	stopping = true;
	join_threads(&thread, 1);
	note("%u timers, %u of them cancelled by a guess", all, guessed);
	ASSERT_EQ(own + guessed, all);
	ASSERT_EQ(timers_of(fd), 0);
}
