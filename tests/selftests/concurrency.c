// SPDX-License-Identifier: GPL-2.0
/*
 * Threads add, change, cancel and read the timers of one descriptor, all at once.
 * Each timer ends exactly once: its event is read, or it is cancelled.
 */
#include "race.h"

enum { SLOTS = 1024, BATCH = 64 };

static atomic_uint slots[SLOTS];	/* timers that all threads use */

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

static void add_timers(void *data)
{
	unsigned int seed = thread_seed();
	__u64 number;

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];

		number = new_numbers(1);
		if (!number)
			break;
		timers[number].handle = add(race_fd, random_delay(&seed), number);
		atomic_store(slot, number);
	}
}

static void cancel_timers(void *data)
{
	unsigned int seed = thread_seed();

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];
		const unsigned int number = atomic_exchange(slot, 0);

		if (number)
			check_cancel(number, cancel(race_fd, timers[number].handle));
	}
}

static void change_and_query_timers(void *data)
{
	unsigned int seed = thread_seed();
	struct twheel_op op;

	while (!stopping) {
		atomic_uint *slot = &slots[rand_r(&seed) % SLOTS];
		const unsigned int number = atomic_load(slot);
		int result;

		if (!number)
			continue;
		result = change(race_fd, timers[number].handle, random_delay(&seed));
		ASSERT(result == 0 || result == TWHEEL_RETRACTED || result == -ENOENT);
		result = query(race_fd, timers[number].handle, &op);
		if (result >= 0)
			ASSERT_EQ(op.cookie, number);
		else
			ASSERT_EQ(result, -ENOENT);
	}
}

/* Arm the timers of a batch. Returns the number of the first, or 0 if there have been enough. */
static unsigned int add_batch(struct twheel_op *ops)
{
	const unsigned int first = new_numbers(BATCH);
	unsigned int i;

	if (!first)
		return 0;
	for (i = 0; i < BATCH; i++)
		ops[i].cookie = first + i;
	add_all(race_fd, ops, BATCH);
	for (i = 0; i < BATCH; i++)
		timers[first + i].handle = ops[i].handle;
	return first;
}

static void add_and_cancel_batches(void *data)
{
	unsigned int seed = thread_seed(), first, i;
	struct twheel_op ops[BATCH];

	while (!stopping) {
		for (i = 0; i < BATCH; i++)
			ops[i] = new_timer(random_delay(&seed), 0);
		first = add_batch(ops);
		if (!first)
			return;
		for (i = 0; i < BATCH; i++)
			ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
		if (seed % 2)
			poll(NULL, 0, rand_r(&seed) % 20);
		batch(race_fd, ops, BATCH);
		for (i = 0; i < BATCH; i++)
			check_cancel(first + i, ops[i].result);
	}
}

static void cancel_at_expiry(void *data)
{
	unsigned int seed = thread_seed(), first, i;
	struct twheel_op ops[BATCH];

	while (!stopping) {
		const __u64 deadline = now() + random_delay(&seed) / 2;
		const __u64 until = deadline + random_delay(&seed) / 4;

		for (i = 0; i < BATCH; i++)
			ops[i] = new_timer_at(deadline, 0);
		first = add_batch(ops);
		if (!first)
			return;
		while (now() < until)
			continue;
		for (i = 0; i < BATCH; i++)
			check_cancel(first + i, cancel(race_fd, ops[i].handle));
	}
}

TEST(timers_end_once_whatever_the_threads_do)
{
	open_race();
	start_threads(2, add_timers, NULL);
	start_threads(2, cancel_timers, NULL);
	start_threads(2, change_and_query_timers, NULL);
	start_thread(add_and_cancel_batches, NULL);
	start_thread(cancel_at_expiry, NULL);
	start_threads(2, read_race, NULL);
	/* Until timers have ended in both ways. */
	pass(end_of_races());
	while ((!ended[CANCELLED] || !ended[READ]) && added < RACE_MOST - BATCH)
		pass_ticks(1);
	/* The workers are the oldest threads. */
	finish_race(8);
	note("%u timers: %u cancelled, %u expired", added, ended[CANCELLED], ended[READ]);
	ASSERT_EQ(added, ended[CANCELLED] + ended[READ]);
	ASSERT_GT(ended[CANCELLED], 0);
	ASSERT_GT(ended[READ], 0);
}

/*
 * A thread guesses the handles of timers that are just being added. It runs on another CPU if there
 * is one. A batch writes all handles at its end. Each batch, or addition, gets the indexes of the
 * last one. So the guess is its last timer, until that timer is cancelled.
 */
static atomic_ullong last_handle;
static atomic_uint guessed;
static unsigned int guess_step;		/* in generations */

static void cancel_guessed_handles(void *data)
{
	struct twheel_op op;

	stay_on_cpu(last_cpu());
	while (!stopping) {
		const __u64 guess = last_handle + ((__u64)guess_step << 24);

		if (query(race_fd, guess, &op) >= 0)
			ASSERT_EQ(op.cookie, 1);
		change(race_fd, guess, LONG);
		if (cancel(race_fd, guess) >= 0)
			atomic_fetch_add(&guessed, 1);
	}
}

/* Add so many timers at a time, 1 by a call of its own. Each is cancelled once. */
static void guess_handles(unsigned int count)
{
	const __u64 end = end_of_races();
	struct twheel_op ops[BATCH];
	unsigned int own = 0, all = 0, i;

	open_race();
	guess_step = count;
	stay_on_cpu(0);
	start_thread(cancel_guessed_handles, NULL);
	while (now() < end || !guessed) {
		for (i = 0; i < count; i++)
			ops[i] = new_timer(LONG, 1);
		if (count == 1)
			ops[0].handle = arm(race_fd, ops[0]);
		else
			add_all(race_fd, ops, count);
		all += count;
		for (i = 0; i < count; i++) {
			const int result = cancel(race_fd, ops[i].handle);

			own += result >= 0;
			ASSERT(result >= 0 || result == -ENOENT);
		}
		last_handle = ops[count - 1].handle;
	}
	stop_threads();
	note("%u timers, %u of them cancelled by a guess", all, guessed);
	ASSERT_EQ(own + guessed, all);
	ASSERT_GT(guessed, 0);
	ASSERT_EQ(timers_of(race_fd), 0);
}

TEST_CALL(guessed_handles_during_add, guess_handles(1))
TEST_CALL(guessed_handles_during_batch, guess_handles(BATCH))
