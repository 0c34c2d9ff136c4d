// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_CANCEL_GROUP ends all timers of a group. */
#include "errors.h"
#include "race.h"

/* End a group without expired timers. Returns their number or a negative errno. */
static int end_group(int fd, __u64 group)
{
	__u64 retracted;
	const int ended = cancel_group(fd, group, &retracted);

	ASSERT_EQ(retracted, 0);
	return ended;
}

DEVICE_TEST(other_descriptors_group_stays)
{
	const int other = open_device(0);

	add_to_group(fd, LONG, 1, 1);
	add_to_group(other, LONG, 1, 1);
	ASSERT_EQ(end_group(fd, 1), 1);
	ASSERT_EQ(timers_of(other), 1);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	ASSERT_EQ(end_group(other, 1), 1);
}

DEVICE_TEST(events_of_others_stay_in_order)
{
	__u64 retracted;
	int i;

	stay_on_cpu(0);
	for (i = 0; i < 10; i++)
		wait_until_expired(fd, add_to_group(fd, 0, 1 + i % 2, i));
	ASSERT_EQ(cancel_group(fd, 1, &retracted), 5);
	ASSERT_EQ(retracted, 5);
	for (i = 1; i < 10; i += 2)
		ASSERT_EQ(read_one(fd).cookie, i);
	check_no_event(fd);
}

DEVICE_TEST(group_without_timers_is_enoent)
{
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	add(fd, LONG, 1);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	/* after its timers ended in different ways */
	add_to_group(fd, LONG, 1, 1);
	ASSERT_EQ(end_group(fd, 1), 1);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	ASSERT_EQ(cancel(fd, add_to_group(fd, LONG, 1, 1)), 0);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	add_to_group(fd, 0, 1, 1);
	read_one(fd);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
}

DEVICE_TEST(changed_timer_stays_in_its_group)
{
	const __u64 handle = add_to_group(fd, 0, 4, 1);

	wait_for_event(fd);
	ASSERT_EQ(change(fd, handle, LONG), TWHEEL_RETRACTED);
	ASSERT_EQ(change(fd, handle, 2 * LONG), 0);
	ASSERT_EQ(end_group(fd, 4), 1);
}

DEVICE_TEST(periodic_timer_that_is_read_stays_in_its_group)
{
	struct twheel_op op = new_timer(0, 1);

	op.group = 5;
	op.period_ns = LONG;
	arm(fd, op);
	read_one(fd);
	ASSERT_EQ(end_group(fd, 5), 1);
	ASSERT_EQ(timers_of(fd), 0);
}

/* More timers than the driver ends at a time. */
DEVICE_TEST(large_group_is_counted_exactly)
{
	enum { MOST = 20000 };
	static struct twheel_op ops[MOST];
	const int count = many(MOST);
	int i;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer(LONG, i);
		ops[i].group = 1 + i % 2;
	}
	add_all(fd, ops, count);
	ASSERT_EQ(end_group(fd, 2), count / 2);
	ASSERT_EQ(timers_of(fd), count - count / 2);
	ASSERT_EQ(end_group(fd, 2), -ENOENT);
	for (i = 0; i < count; i += 2)
		ASSERT_EQ(cancel(fd, ops[i].handle), 0);
}

DEVICE_TEST(many_groups_are_kept_apart)
{
	enum { MOST = 50000, EACH = 3 };
	static struct twheel_op ops[MOST];
	const int count = many(MOST) / EACH * EACH;
	int i;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer(LONG, i);
		ops[i].group = 1 + (i % (count / EACH)) * 0x100000001ULL;
	}
	add_all(fd, ops, count);
	for (i = 0; i < count / EACH; i++)
		ops[i] = (struct twheel_op){
			.op = TWHEEL_OP_CANCEL_GROUP,
			.group = 1 + i * 0x100000001ULL,
		};
	batch(fd, ops, count / EACH);
	for (i = 0; i < count / EACH; i++) {
		ASSERT_EQ(ops[i].result, EACH);
		ASSERT_EQ(ops[i].time_ns, 0);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

/* Operations are done in order: the group has the timers added before in the batch. */
static void check_batch_in_order(unsigned int adds)
{
	const int fd = open_device(0);
	struct twheel_op ops[200];
	unsigned int i;

	for (i = 0; i < adds; i++) {
		ops[i] = add_op(LONG, i);
		ops[i].group = 1;
	}
	ops[adds] = (struct twheel_op){ .op = TWHEEL_OP_CANCEL_GROUP, .group = 1 };
	ops[adds + 1] = ops[0];
	batch(fd, ops, adds + 2);
	for (i = 0; i < adds; i++) {
		ASSERT_EQ(ops[i].result, 0);
		ASSERT_EQ(cancel(fd, ops[i].handle), -ENOENT);
	}
	ASSERT_EQ(ops[adds].result, adds);
	ASSERT_EQ(ops[adds + 1].result, 0);
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(cancel(fd, ops[adds + 1].handle), 0);
	close(fd);
}

TEST(batch_ends_what_it_has_added)
{
	static const unsigned int adds[] = { 1, 10, 63, 64, 65, 150 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(adds); i++)
		check_batch_in_order(adds[i]);
}

DEVICE_TEST(timer_that_was_refused_is_in_no_group)
{
	struct twheel_op timer = new_timer(LONG, 1), *op;

	timer.group = 1;
	op = read_only_op(timer);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_ADD, op), EFAULT);
	ASSERT_EQ(end_group(fd, 1), -ENOENT);
	add_to_group(fd, LONG, 1, 1);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_ADD, op), EFAULT);
	ASSERT_EQ(end_group(fd, 1), 1);
}

/* Without the counts, the program would not know how many events were withdrawn. */
DEVICE_TEST(count_that_cannot_be_returned_ends_nothing)
{
	struct twheel_op *op = read_only_op((struct twheel_op){ .group = 1 });

	add_to_group(fd, LONG, 1, 1);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_CANCEL_GROUP, op), EFAULT);
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT_EQ(end_group(fd, 1), 1);
}

DEVICE_TEST(only_the_time_is_filled_in)
{
	struct twheel_op before = { .group = 1 }, op = before;

	add_to_group(fd, 0, 1, 1);
	wait_for_event(fd);
	ASSERT_EQ(ioctl(fd, TWHEEL_IOC_CANCEL_GROUP, &op), 1);
	before.time_ns = 1;
	ASSERT(!memcmp(&op, &before, sizeof(op)));
}

DEVICE_TEST(no_group_is_einval)
{
	const struct twheel_op op = { 0 };

	add(fd, LONG, 1);
	REFUSED(fd, TWHEEL_IOC_CANCEL_GROUP, &op, EINVAL);
}

TEST_REFUSALS(group, TWHEEL_IOC_CANCEL_GROUP)

/* Threads add timers to groups and end groups. Each timer ends exactly once. */
enum { GROUPS = 4 };

static atomic_uint with_group, retracted_so_far;

static void add_to_groups(void *data)
{
	unsigned int seed = thread_seed(), number;

	while (!stopping && (number = new_numbers(1))) {
		timers[number].handle = add_to_group(race_fd, rand_r(&seed) % ticks(4),
						     1 + rand_r(&seed) % GROUPS, number);
		if (number % 16 == 0 && cancel(race_fd, timers[number].handle) >= 0)
			end_timer(number, CANCELLED);
	}
}

static void end_groups(void *data)
{
	unsigned int seed = thread_seed();
	__u64 retracted;
	int count;

	while (!stopping) {
		count = cancel_group(race_fd, 1 + rand_r(&seed) % GROUPS, &retracted);
		if (count < 0) {
			ASSERT_EQ(count, -ENOENT);
			continue;
		}
		ASSERT_LE(retracted, count);
		atomic_fetch_add(&with_group, count);
		atomic_fetch_add(&retracted_so_far, retracted);
		if (seed % 4 == 0)
			poll(NULL, 0, 1 + rand_r(&seed) % 30);
	}
}

TEST(groups_end_while_timers_are_added_expire_and_are_read)
{
	unsigned int i;

	open_race();
	start_threads(2, add_to_groups, NULL);
	start_threads(2, end_groups, NULL);
	start_thread(read_race, NULL);
	pass(now() + NSEC_PER_SEC);
	while (!with_group && added < RACE_MOST - 2)
		pass_ticks(1);
	finish_race(4);
	note("%u timers: %u with their group (%u of them unread), %u alone, %u expired",
	     added, with_group, retracted_so_far, ended[CANCELLED], ended[READ]);
	ASSERT_GT(with_group, 0);
	ASSERT_EQ(added, with_group + ended[CANCELLED] + ended[READ]);
	for (i = 1; i <= GROUPS; i++)
		ASSERT_EQ(end_group(race_fd, i), -ENOENT);
}
