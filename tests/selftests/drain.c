// SPDX-License-Identifier: GPL-2.0
/*
 * TWHEEL_IOC_DRAIN: a program stops in good order. The driver accepts no new timers, and
 * gives back all pending timers as operations that arm them again. keep.c has those that keep
 * their handles, and drain_race.c the races.
 */
#include <limits.h>

#include "device.h"
#include "parameter.h"

static unsigned int drain_all(int fd, struct twheel_op *ops, unsigned int room)
{
	unsigned int seen = 0;
	int got;

	while (seen < room && (got = drain(fd, ops + seen, room - seen))) {
		ASSERT_GT(got, 0);
		seen += got;
	}
	return seen;
}

/* The record of a timer has the time left or, on CLOCK_REALTIME, the deadline. */
DEVICE_TEST(every_pending_timer_is_handed_back)
{
	enum { COUNT = 1000 };
	static struct twheel_op ops[COUNT], records[COUNT + 1];
	__u64 before[ARRAY_SIZE(clocks)];
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = mixed_timer(i);
	add_all(fd, ops, COUNT);
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		before[i] = read_clock(clocks[i]);
	ASSERT_EQ(drain_all(fd, records, COUNT + 1), COUNT);
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(drain(fd, records + COUNT, 1), 0);

	qsort(records, COUNT, sizeof(records[0]), compare_cookies);
	for (i = 0; i < COUNT; i++) {
		struct twheel_op made = ops[i];

		if (made.clockid != CLOCK_REALTIME) {
			ASSERT_LE(records[i].time_ns, made.time_ns - before[i % 3]);
			ASSERT_GE(records[i].time_ns, made.time_ns - read_clock(made.clockid));
			made.flags &= ~TWHEEL_ABSTIME;
			made.time_ns = records[i].time_ns;
		}
		check_record(&records[i], &made);
		ASSERT_EQ(cancel(fd, made.handle), -ENOENT);
	}
}

DEVICE_TEST(periodic_timer_is_pending_again_when_it_is_read)
{
	const __u64 handle = add_periodic(fd, now(), LONG, 1);
	struct twheel_op op;

	wait_for_event(fd);
	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT(read_one(fd).handle == handle);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	ASSERT(op.handle == handle);
	ASSERT_EQ(op.period_ns, LONG);
	ASSERT_EQ(timers_of(fd), 0);
}

DEVICE_TEST(drained_timer_has_left_its_group)
{
	struct twheel_op op;
	__u64 retracted;

	add_to_group(fd, LONG, 1, 1);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	ASSERT_EQ(cancel_group(fd, 1, &retracted), -ENOENT);
}

DEVICE_TEST(array_is_filled_no_further_than_its_length)
{
	enum { COUNT = 200, ROOM = 70 };
	static struct twheel_op ops[COUNT];
	size_t byte;

	add_many(fd, ops, COUNT, new_timer(LONG, 0));
	memset(ops, 0xcc, sizeof(ops));
	ASSERT_EQ(drain(fd, ops, ROOM), ROOM);
	for (byte = sizeof(ops[0]) * ROOM; byte < sizeof(ops); byte++)
		ASSERT_EQ(((unsigned char *)ops)[byte], 0xcc);
	ASSERT_EQ(timers_of(fd), COUNT - ROOM);
	ASSERT_EQ(drain_all(fd, ops, COUNT), COUNT - ROOM);
}

/* The array ends, with room for @room records, at a page with @protection. */
static void check_bad_page(unsigned int room, int protection)
{
	enum { COUNT = 300, PAGES = 8 };
	const int fd = open_device(0);
	char *memory = fresh_memory(2 * PAGES * page_size());
	struct twheel_op *ops = (void *)(memory + PAGES * page_size());
	struct twheel_op rest[COUNT], op = new_timer(LONG, 1);
	bool seen[COUNT] = { false };
	int i;

	protect(ops, PAGES * page_size(), protection);
	for (i = 0; i < COUNT; i++)
		add_to_group(fd, LONG, 1, i);
	/* nothing is taken back, but the descriptor stops */
	ASSERT_EQ(drain(fd, ops, COUNT), -EFAULT);
	ASSERT_EQ(timers_of(fd), COUNT);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	/* the first record must fit as a whole */
	ASSERT_EQ(drain(fd, (void *)((char *)ops - 32), COUNT), -EFAULT);
	ASSERT_EQ(timers_of(fd), COUNT);
	/* the call ends before a record that does not fit, and all others stay pending */
	ASSERT_EQ(drain(fd, ops - room, COUNT), room);
	ASSERT_EQ(timers_of(fd), COUNT - room);
	memcpy(rest, ops - room, room * sizeof(*ops));
	ASSERT_EQ(drain_all(fd, rest + room, COUNT - room), COUNT - room);
	for (i = 0; i < COUNT; i++)
		see_once(seen, rest[i].cookie, COUNT);
	close(fd);
}

TEST(timers_stay_if_the_array_cannot_be_written)
{
	check_bad_page(2, PROT_NONE);
	check_bad_page(100, PROT_NONE);
	check_bad_page(2, PROT_READ);
	check_bad_page(100, PROT_READ);
}

/* The address of a variable of the driver: mapped, and writable for the kernel. */
static __u64 kernel_address(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0, found = 0;
	char line[512], name[256], type;

	if (!file)
		skip("no /proc/kallsyms");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %255s", &address, &type, name) == 3 &&
		    !strcmp(name, "max_timers_user"))
			found = address;
	fclose(file);
	if (!found)
		skip("no address in /proc/kallsyms");
	return found;
}

DEVICE_TEST(array_in_kernel_memory_is_efault)
{
	const unsigned long long limit = read_parameter("max_timers_user");
	struct twheel_drain arg = { .ops = kernel_address(), .count = 1 };

	add(fd, LONG, 0x5555555555555555ULL);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	ASSERT_EQ(read_parameter("max_timers_user"), limit);
	ASSERT_EQ(timers_of(fd), 1);
	arg.ops = ~0ULL - 4095;
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	arg.ops = 1ULL << 63;
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	ASSERT_EQ(timers_of(fd), 1);
}

DEVICE_TEST(value_out_of_range_is_einval)
{
	const struct twheel_drain resume = { .flags = TWHEEL_DRAIN_RESUME };
	static const __u32 counts[] = { 0, INT_MAX + 1U, UINT_MAX };
	const struct twheel_op op = new_timer(LONG, 1);
	struct twheel_op ops[2];
	struct twheel_drain arg = { .ops = (unsigned long)ops, .count = 1 };
	unsigned int i;

	add(fd, LONG, 1);
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, arg, flags, TWHEEL_DRAIN_RESUME);
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, arg, reserved, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, resume, flags, TWHEEL_DRAIN_RESUME);
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, resume, reserved, 0);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		arg.count = counts[i];
		ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EINVAL);
	}
	/* the descriptor still accepts timers */
	add(fd, LONG, 2);
	ASSERT_EQ(drain(fd, ops, INT_MAX), 2);
	/* a call that resumes has no array, and a refused one does not resume */
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, resume, ops, 0);
	REFUSE_BITS(fd, TWHEEL_IOC_DRAIN, resume, count, 0);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
}
