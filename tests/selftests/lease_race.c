// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: pushes, expiry, the close of the last copy and the owner's operations, all at
 * once. Each timer ends exactly once, by an event or by a cancel, and so does its lease.
 */
#include "holder.h"

enum { ROUNDS = 2000, PUSHERS = 2 };

enum ending { BY_CANCEL, BY_RETRACT, BY_EXPIRY, BY_CLOSE, ENDINGS };

/* One round: a timer, its lease, and threads that wait for each other. */
static struct {
	int			fd;
	__u64			handle;
	int			copies[PUSHERS];
	atomic_ulong		pushed, late;
} race;

/* Push until the lease has ended or the round is over, and close the copy. */
static void push_and_close(unsigned int number)
{
	static unsigned int seeds[PUSHERS] = { 0, 1 };
	unsigned int pushes = rand_r(&seeds[number]) % 8;
	const int lease = race.copies[number];
	int result = 0;

	while (pushes-- && !result) {
		result = pushes % 2 ? push(lease) : push_by(lease, pushes % 3);
		ASSERT(result == 0 || result == -ENOENT);
		atomic_fetch_add(result ? &race.late : &race.pushed, 1);
	}
	/* An end is final. */
	if (result)
		check_ended(lease);
	close(lease);
}

static void make_leases(unsigned int *seed)
{
	unsigned int i;

	race.handle = add(race.fd, rand_r(seed) % ticks(1), 1);
	race.copies[0] = try_lease(race.fd, race.handle, ticks(1) / 4,
				   rand_r(seed) % 4 ? ON_CLOSE : 0);
	/* It has expired already: let the threads do without. */
	if (race.copies[0] == -ENOENT)
		race.copies[0] = CALL(dup(race.fd));
	ASSERT_GE(race.copies[0], 0);
	for (i = 1; i < PUSHERS; i++)
		race.copies[i] = CALL(dup(race.copies[0]));
}

static enum ending end_timer(unsigned int *seed)
{
	struct twheel_event event;
	int result;

	if (rand_r(seed) % 2) {
		result = cancel(race.fd, race.handle);
		ASSERT_GE(result, 0);
		return result == TWHEEL_RETRACTED ? BY_RETRACT : BY_CANCEL;
	}
	event = read_any(race.fd);
	ASSERT(event.handle == race.handle);
	return event.flags & TWHEEL_EVENT_LEASE_CLOSED ? BY_CLOSE : BY_EXPIRY;
}

TEST(push_expiry_close_and_cancel)
{
	unsigned long endings[ENDINGS] = { 0 };
	const unsigned int rounds = many(ROUNDS);
	unsigned int seed = 1, i, n;

	race.fd = open_device(O_NONBLOCK);
	start_rounds(PUSHERS, push_and_close);
	for (i = 0; i < rounds; i++) {
		for (make_leases(&seed); !is_leased(race.fd, race.handle); make_leases(&seed)) {
			/* Too late for a race: the event has come. */
			for (n = 0; n < PUSHERS; n++)
				close(race.copies[n]);
			ASSERT_EQ(cancel(race.fd, race.handle), TWHEEL_RETRACTED);
		}
		begin_round();
		endings[end_timer(&seed)]++;
		end_round();
		ASSERT_EQ(timers_of(race.fd), 0);
		ASSERT_EQ(leases_of(race.fd), 0);
	}
	stop_rounds();
	note("%lu cancelled, %lu withdrawn, %lu expired, %lu closed; %lu pushes, %lu too late",
	     endings[BY_CANCEL], endings[BY_RETRACT], endings[BY_EXPIRY], endings[BY_CLOSE],
	     race.pushed, race.late);
	check_no_event(race.fd);
	for (i = 0; i < ENDINGS; i++)
		if (rounds == ROUNDS)
			ASSERT_GT(endings[i], 0);
}

TEST(owner_closes_while_holders_push)
{
	const unsigned int rounds = many(ROUNDS) / 4;
	unsigned int seed = 2, i, n;

	start_rounds(PUSHERS, push_and_close);
	for (i = 0; i < rounds || (!race.pushed && i < ROUNDS); i++) {
		race.fd = open_device(O_NONBLOCK);
		race.handle = add(race.fd, LONG, 1);
		race.copies[0] = new_lease(race.fd, race.handle, LONG, rand_r(&seed) % 2);
		for (n = 1; n < PUSHERS; n++)
			race.copies[n] = CALL(dup(race.copies[0]));
		begin_round();
		close(race.fd);
		end_round();
	}
	stop_rounds();
	note("%lu pushes, %lu too late", race.pushed, race.late);
	ASSERT_GT(race.pushed, 0);
}

/* Leases of one timer are made and closed by threads: at most one at a time. */
static atomic_int held;

static void make_and_close(void *data)
{
	unsigned int i;
	int lease;

	for (i = 0; i < many(ROUNDS); i++) {
		lease = try_lease(race.fd, race.handle, LONG, 0);
		if (lease < 0) {
			ASSERT_EQ(lease, -EBUSY);
			continue;
		}
		ASSERT_EQ(atomic_fetch_add(&held, 1), 0);
		ASSERT_EQ(push(lease), 0);
		atomic_fetch_sub(&held, 1);
		close(lease);
	}
}

TEST(timer_has_one_lease_at_most)
{
	race.fd = open_device(O_NONBLOCK);
	race.handle = add(race.fd, LONG, 1);
	start_threads(PUSHERS, make_and_close, NULL);
	join_threads();
	ASSERT(!is_leased(race.fd, race.handle));
	ASSERT_EQ(leases_of(race.fd), 0);
	ASSERT_EQ(cancel(race.fd, race.handle), 0);
}
