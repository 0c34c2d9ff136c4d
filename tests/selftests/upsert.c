// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_UPSERT: change a timer, or add one if it is gone. */
#include "errors.h"
#include "race.h"

/* A heartbeat: the operation with which a program keeps a timer from expiring. */
static struct twheel_op beat(__u64 handle, __u64 delay_ns, __u64 cookie)
{
	struct twheel_op op = new_timer(delay_ns, cookie);

	op.handle = handle;
	return op;
}

DEVICE_TEST(only_the_handle_is_filled_in)
{
	const __u64 deadline = now() + ticks(3);
	struct twheel_op before = new_timer_at(deadline, 2), op;

	before.group = 7;
	op = before;
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	ASSERT(op.handle != 0);
	before.handle = op.handle;
	ASSERT(!memcmp(&op, &before, sizeof(op)));
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(expect_expiry(fd, op.handle, deadline).cookie, 2);
}

DEVICE_TEST(change_counts_from_now)
{
	struct twheel_op op = beat(add(fd, LONG, 3), ticks(3), 3);
	const __u64 before = now();
	struct twheel_event event;
	__u64 after;

	ASSERT_EQ(upsert(fd, &op), 0);
	after = now();
	event = read_one(fd);
	ASSERT_WITHIN(event.deadline_ns, before + ticks(3), after + ticks(3));
}

DEVICE_TEST(changed_timer_keeps_all_but_its_deadline)
{
	struct twheel_op op = new_timer(LONG, 5);

	op.group = 6;
	op.period_ns = 70 * NSEC_PER_SEC;
	op.handle = arm(fd, op);
	op.cookie = 50;
	op.group = 60;
	op.period_ns = 0;
	op.time_ns = 200 * NSEC_PER_SEC;
	ASSERT_EQ(upsert(fd, &op), 0);
	ASSERT_EQ(query(fd, op.handle, &op), 0);
	ASSERT_EQ(op.cookie, 5);
	ASSERT_EQ(op.group, 6);
	ASSERT_EQ(op.period_ns, 70 * NSEC_PER_SEC);
	ASSERT_GT(op.time_ns, LONG);
}

/* Upsert with a handle that names no timer of the descriptor: it adds a timer. */
static void check_adds(int fd, __u64 stale)
{
	const __u64 before = timers_of(fd);
	struct twheel_op op = beat(stale, LONG, 7);

	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	ASSERT(op.handle != 0);
	ASSERT(op.handle != stale);
	ASSERT_EQ(timers_of(fd), before + 1);
	ASSERT_EQ(query(fd, op.handle, &op), 0);
	ASSERT_EQ(op.cookie, 7);
}

DEVICE_TEST(handle_of_no_timer_adds)
{
	const __u64 own = add(fd, LONG, 1), ended = add(fd, LONG, 2);
	__u64 mask;

	ASSERT_EQ(cancel(fd, ended), 0);
	check_adds(fd, ended);
	add(fd, 0, 3);
	check_adds(fd, read_one(fd).handle);
	check_adds(fd, ~0ULL);
	for (mask = 1; mask; mask <<= 1)
		check_adds(fd, own ^ mask);
}

DEVICE_TEST(foreign_handle_adds_and_leaves_its_timer_alone)
{
	const int other = open_device(0);
	struct twheel_op op;
	__u64 foreign;

	add(other, LONG, 1);
	foreign = add(other, 10 * NSEC_PER_SEC, 2);
	check_adds(fd, foreign);
	ASSERT_EQ(query(other, foreign, &op), 0);
	ASSERT_LE(op.time_ns, 10 * NSEC_PER_SEC);
}

DEVICE_TEST(period_goes_on_from_a_change)
{
	const __u64 period = ticks(2);
	const __u64 first = now() + ticks(3) + 5;
	struct twheel_op op = new_timer_at(first, 8);
	struct twheel_event event;

	op.handle = add_periodic(fd, now() + LONG, period, 8);
	ASSERT_EQ(upsert(fd, &op), 0);
	event = read_one(fd);
	ASSERT_EQ(event.deadline_ns, first);
	ASSERT_EQ(read_one(fd).deadline_ns, first + event.count * period);
}

DEVICE_TEST(periodic_timer_is_added)
{
	struct twheel_op op = new_timer_at(now(), 9);
	struct twheel_event event;

	op.period_ns = ticks(2);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	event = read_one(fd);
	ASSERT_EQ(read_one(fd).deadline_ns,
		  event.deadline_ns + event.count * ticks(2));
}

DEVICE_TEST(batch_changes_and_adds)
{
	struct twheel_op ops[3];

	ops[0] = new_timer(LONG, 1);
	ops[1] = beat(add(fd, LONG, 2), 50 * NSEC_PER_SEC, 2);
	ops[2] = beat(add(fd, 0, 3), 50 * NSEC_PER_SEC, 3);
	wait_for_event(fd);
	ops[0].op = TWHEEL_OP_UPSERT;
	ops[1].op = TWHEEL_OP_UPSERT;
	ops[2].op = TWHEEL_OP_UPSERT;
	batch(fd, ops, 3);
	ASSERT_EQ(ops[0].result, TWHEEL_ADDED);
	ASSERT_EQ(ops[1].result, 0);
	ASSERT_EQ(ops[2].result, TWHEEL_RETRACTED);
	ASSERT_EQ(timers_of(fd), 3);
	ASSERT_EQ(cancel(fd, ops[0].handle), 0);
}

TEST(timer_above_the_limit_is_edquot_and_a_change_is_not)
{
	const int fd = open_with("max_timers", 2);
	struct twheel_op op = beat(add(fd, 0, 1), LONG, 1);

	add(fd, LONG, 2);
	wait_for_event(fd);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_RETRACTED);
	/* there is no table, but a change does not look at the flag */
	op.flags = TWHEEL_SHARED;
	ASSERT_EQ(upsert(fd, &op), 0);
	op.handle = 0;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
}

DEVICE_TEST(drained_descriptor_changes_and_does_not_add)
{
	struct twheel_op op = new_timer(LONG, 1), unknown = op, record;

	op.handle = add(fd, 0, 1);
	wait_for_event(fd);
	ASSERT_EQ(drain(fd, &record, 1), 0);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_RETRACTED);
	ASSERT_EQ(upsert(fd, &op), 0);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &unknown, ESHUTDOWN);
	unknown.handle = ~0ULL;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &unknown, ESHUTDOWN);
	/* The timer is pending again, so that it can be taken back. */
	ASSERT_EQ(drain(fd, &record, 1), 1);
	ASSERT(record.handle == op.handle);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ESHUTDOWN);
	resume(fd);
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
}

DEVICE_TEST(realtime_timer_needs_abstime)
{
	struct twheel_op op = new_timer(LONG, 1);

	/* Only TWHEEL_ABSTIME and the time count: the timer keeps its clock. */
	op.handle = add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + LONG, 0);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.flags = TWHEEL_ABSTIME;
	op.time_ns = read_clock(CLOCK_REALTIME) + 2 * LONG;
	ASSERT_EQ(upsert(fd, &op), 0);
	ASSERT_EQ(deadline_of(fd, op.handle), op.time_ns);
}

/* A change writes nothing back, so it does not fail here. */
DEVICE_TEST(change_may_be_read_only)
{
	const __u64 deadline = now() + ticks(3);
	struct twheel_op op = new_timer_at(deadline, 12);

	op.handle = add(fd, LONG, 12);
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_UPSERT, read_only_op(op))), 0);
	ASSERT_EQ(timers_of(fd), 1);
	expect_expiry(fd, op.handle, deadline);
}

TEST_REFUSALS(upsert, TWHEEL_IOC_UPSERT)

/*
 * Threads send heartbeats to timers, some of them too late. Only after a timer's
 * event has been read does the next beat add another timer.
 */
enum { SLOTS = 64, THREADS = 3 };

static atomic_uint upserted, retracted;

struct slot {
	__u64 handle;
	unsigned int number;
};

static void beat_slot(struct slot *slot, unsigned int number, unsigned int *seed)
{
	struct twheel_op op = beat(slot->handle, rand_r(seed) % ticks(3), number);
	const int result = upsert(race_fd, &op);

	switch (result) {
	case TWHEEL_ADDED:
		/* a new timer has a new handle */
		if (slot->number)
			ASSERT(op.handle != slot->handle);
		slot->handle = op.handle;
		slot->number = number;
		timers[number].handle = op.handle;
		atomic_fetch_add(&upserted, 1);
		break;
	case TWHEEL_RETRACTED:
		atomic_fetch_add(&retracted, 1);
		break;
	default:
		ASSERT_EQ(result, 0);
	}
	ASSERT(op.handle == slot->handle);
}

static void beat_slots(void *data)
{
	unsigned int seed = thread_seed(), number;
	struct slot slots[SLOTS] = { 0 };
	int i;

	while (!stopping && (number = new_numbers(1)))
		beat_slot(&slots[rand_r(&seed) % SLOTS], number, &seed);
	for (i = 0; i < SLOTS; i++)
		if (slots[i].number && cancel(race_fd, slots[i].handle) >= 0)
			end_timer(slots[i].number, CANCELLED);
}

TEST(upsert_races_with_expiry_and_read)
{
	unsigned int i;

	open_race();
	start_threads(THREADS, beat_slots, NULL);
	start_threads(2, read_race, NULL);
	pass(now() + NSEC_PER_SEC);
	while (!upserted)
		pass_ticks(1);
	finish_race(THREADS);
	note("%u beats added %u timers and retracted %u events", added, upserted, retracted);
	ASSERT_GT(upserted, 0);
	ASSERT_EQ(upserted, ended[CANCELLED] + ended[READ]);
	/* A beat that added a timer, and no other, has a number that ended. */
	for (i = 1; i <= added; i++)
		ASSERT_EQ(timers[i].ended != 0, timers[i].handle != 0);
}
