// SPDX-License-Identifier: GPL-2.0
/*
 * Threads add, cancel and read while the descriptor is drained again and again. Each timer ends
 * exactly once. When drain() returns 0, no timer is pending.
 */
#include "race.h"

enum { ADDERS = 3, DRAINERS = 2 };

/* Timers that are added at full speed in one round. */
enum { ENOUGH = 100000 };

static void add_until_the_stop(void *data)
{
	const unsigned int first = added;
	unsigned int seed = thread_seed();
	struct twheel_op ops[64];
	unsigned int i, number;

	for (;;) {
		number = new_numbers(ARRAY_SIZE(ops));
		if (!number)
			FAIL("no stop after %u timers", added);
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			ops[i] = add_op(rand_r(&seed) % 2 ? LONG : rand_r(&seed) % ticks(3),
					number + i);
			ops[i].group = rand_r(&seed) % 3;
		}
		batch(race_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			timers[number + i].handle = ops[i].handle;
			if (!ops[i].result)
				continue;
			ASSERT_EQ(ops[i].result, -ESHUTDOWN);
			end_timer(number + i, REFUSED_ADD);
		}
		if (ops[ARRAY_SIZE(ops) - 1].result)
			return;
		/* the host may have stopped the CPU of the threads that drain */
		if (number - first > ENOUGH)
			usleep(10000);
		if (rand_r(&seed) % 4 == 0 && cancel(race_fd, ops[3].handle) >= 0)
			end_timer(number + 3, CANCELLED);
	}
}

static void drain_until_empty(void *data)
{
	struct twheel_op ops[32];
	int i, got;

	pass_ticks(2);
	do {
		got = drain(race_fd, ops, ARRAY_SIZE(ops));
		ASSERT_GE(got, 0);
		for (i = 0; i < got; i++)
			end_timer(ops[i].cookie, DRAINED);
	} while (got);
}

TEST(drain_races_with_add_cancel_expiry_and_read)
{
	const __u64 end = end_of_races();
	unsigned int rounds;

	open_race();
	for (rounds = 0; rounds < 3 || !ended[DRAINED] || !ended[READ] ||
	     (now() < end && added < RACE_MOST / 2); rounds++) {
		start_threads(ADDERS, add_until_the_stop, NULL);
		start_threads(DRAINERS, drain_until_empty, NULL);
		start_thread(read_race, NULL);
		join_oldest(ADDERS + DRAINERS);
		/* the drain that returned 0 left no pending timer, only unread events */
		ASSERT_EQ(drain(race_fd, &(struct twheel_op){ 0 }, 1), 0);
		finish_race(0);
		resume(race_fd);
	}
	note("%u rounds, %u timers: %u drained, %u cancelled, %u expired, %u refused",
	     rounds, added, ended[DRAINED], ended[CANCELLED], ended[READ], ended[REFUSED_ADD]);
	ASSERT_GT(ended[DRAINED], 0);
	ASSERT_GT(ended[READ], 0);
	ASSERT_EQ(added, ended[DRAINED] + ended[CANCELLED] + ended[READ] + ended[REFUSED_ADD]);
}
