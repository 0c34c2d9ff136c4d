// SPDX-License-Identifier: GPL-2.0
/*
 * Threads add, change, cancel and read the timers of one descriptor, all at once.
 * Each timer ends exactly once: its event is read, or it is cancelled.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "device.h"

enum { MOST = 1 << 20, SLOTS = 1024, BATCH = 64 };
enum ending { READ = 1, CANCELLED = 2 };

/* Indexed by the number of the timer, from 1, which is also its cookie. */
static struct timer {
	__u64		handle;		/* from its add */
	__u64		event_handle;	/* from its event */
	atomic_uchar	ended;		/* enum ending */
} timers[MOST];

static atomic_uint added, cancelled, read_so_far;
static atomic_uint slots[SLOTS];	/* timers that all threads use */
static atomic_bool stopping, all_stopped;
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

/* @result is what cancelling a timer returned. */
static void check_cancel(__u64 number, int result)
{
	if (result >= 0)
		end_timer(number, CANCELLED);
	else
		ASSERT_EQ(result, -ENOENT);
}

static __u64 random_delay(unsigned int *seed)
{
	return (__u64)rand_r(seed) % ticks(4);
}

/* The number of a new timer; 0 if there have been enough. */
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

		if (number)
			check_cancel(number, cancel(fd, timers[number].handle));
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

/* Add timers in a batch, then cancel all of them. */
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
			ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
		}
		if (seed % 2)
			poll(NULL, 0, rand_r(&seed) % 20);
		batch(fd, ops, BATCH);
		for (i = 0; i < BATCH; i++)
			check_cancel(numbers[i], ops[i].result);
	}
	return NULL;
}

static bool all_ended(void)
{
	return all_stopped && !timers_of(fd);
}

static void take_event(const struct twheel_event *event)
{
	ASSERT_EQ(event->count, 1);
	end_timer(event->cookie, READ);
	timers[event->cookie].event_handle = event->handle;
}

static void *read_all_events(void *data)
{
	read_until(fd, all_ended, take_event);
	return NULL;
}

/*
 * Let a test's threads race until timers have ended in both ways, and stop them. Check that
 * each timer ended once.
 */
static void finish(pthread_t *threads, unsigned int workers, unsigned int readers)
{
	unsigned int i;

	pass(end_of_races());
	while ((!cancelled || !read_so_far) && added < MOST - 1)
		pass_ticks(1);
	stopping = true;
	join_threads(threads, workers);
	all_stopped = true;
	join_threads(threads + workers, readers);
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
	finish(threads, ARRAY_SIZE(run) - 2, 2);
	ASSERT_GT(cancelled, 0);
	ASSERT_GT(read_so_far, 0);
}

/* Cancel timers just when they expire. */
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
			ops[i] = new_timer_at(deadline, numbers[i]);
		}
		add_all(fd, ops, BATCH);
		while (now() < until)
			continue;
		for (i = 0; i < BATCH; i++) {
			timers[numbers[i]].handle = ops[i].handle;
			check_cancel(numbers[i], cancel(fd, ops[i].handle));
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
	finish(threads, 1, 1);
}

/*
 * A thread guesses the handles of timers that are just being added. It runs on another CPU if there
 * is one.
 */
static atomic_ullong last_handle, last_step;
static atomic_uint guessed;

static void *cancel_guessed_handles(void *data)
{
	struct twheel_op op;

	stay_on_cpu(last_cpu());
	while (!stopping) {
		const __u64 guess = last_handle + last_step;

		if (query(fd, guess, &op) >= 0)
			ASSERT_EQ(op.cookie, 1);
		change(fd, guess, LONG);
		if (cancel(fd, guess) >= 0)
			atomic_fetch_add(&guessed, 1);
	}
	return NULL;
}

/* Each of @all timers was cancelled once: @own times not by a guess. Some guesses were right. */
static void finish_guessing(pthread_t thread, unsigned int own, unsigned int all)
{
	stopping = true;
	join_threads(&thread, 1);
	note("%u timers, %u of them cancelled by a guess", all, guessed);
	ASSERT_EQ(own + guessed, all);
	ASSERT_GT(guessed, 0);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(guessed_handles_during_add)
{
	const __u64 end = end_of_races();
	unsigned int own = 0, all = 0;
	pthread_t thread;

	fd = open_device(O_NONBLOCK);
	stay_on_cpu(0);
	thread = start_thread(cancel_guessed_handles, NULL);
	while (now() < end || !guessed) {
		const __u64 handle = add(fd, LONG, 1);
		int result;

		all++;
		result = cancel(fd, handle);
		if (result >= 0)
			own++;
		else
			ASSERT_EQ(result, -ENOENT);
		last_step = handle - last_handle;
		last_handle = handle;
	}
	finish_guessing(thread, own, all);
}

/*
 * The same for a batch, which writes all handles at its end. Each batch gets the indexes of the
 * last one. So the guess is the last timer of the batch, until that timer is cancelled.
 */
TEST(guessed_handles_during_batch)
{
	const __u64 end = end_of_races();
	struct twheel_op ops[BATCH];
	unsigned int own = 0, all = 0;
	pthread_t thread;
	int i;

	fd = open_device(O_NONBLOCK);
	last_step = (__u64)BATCH << 24;
	stay_on_cpu(0);
	thread = start_thread(cancel_guessed_handles, NULL);
	while (now() < end || !guessed) {
		for (i = 0; i < BATCH; i++)
			ops[i] = new_timer(LONG, 1);
		add_all(fd, ops, BATCH);
		all += BATCH;
		for (i = 0; i < BATCH; i++)
			own += cancel(fd, ops[i].handle) >= 0;
		last_handle = ops[BATCH - 1].handle;
	}
	finish_guessing(thread, own, all);
}
