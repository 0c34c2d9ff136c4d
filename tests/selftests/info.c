// SPDX-License-Identifier: GPL-2.0
/* TWHEEL_IOC_INFO, fdinfo, open modes, and calls that the driver does not know. */
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "device.h"
#include "parameter.h"

static const unsigned long calls[] = {
	TWHEEL_IOC_INFO,	TWHEEL_IOC_ADD,		TWHEEL_IOC_CHANGE,
	TWHEEL_IOC_CANCEL,	TWHEEL_IOC_QUERY,	TWHEEL_IOC_BATCH,
	TWHEEL_IOC_UPSERT,	TWHEEL_IOC_CANCEL_GROUP, TWHEEL_IOC_DRAIN,
	TWHEEL_IOC_EVENTFD,
};

TEST(info_tells_version_and_limits)
{
	static const __u64 zero[ARRAY_SIZE(((struct twheel_info *)0)->reserved)];
	const struct twheel_info info = get_info(open_device(0));

	ASSERT_EQ(info.abi_major, TWHEEL_ABI_MAJOR);
	ASSERT_GE(info.abi_minor, TWHEEL_ABI_MINOR);
	ASSERT(info.clocks & (1ULL << CLOCK_MONOTONIC));
	ASSERT_GE(info.min_period_ns, 1);
	ASSERT_GE(info.max_timers, 1);
	ASSERT_GE(info.max_batch, 1);
	ASSERT_EQ(info.timers, 0);
	ASSERT(!memcmp(info.reserved, zero, sizeof(zero)));
	note("tick %u ns, %llu timers, %u in a batch, period %llu ns",
	     info.resolution_ns, info.max_timers, info.max_batch,
	     info.min_period_ns);
}

TEST(info_resolution_is_a_tick)
{
	/* the values that kernels can be configured with */
	static const __u32 frequencies[] = {
		24, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024, 1200,
	};
	const __u32 hz = NSEC_PER_SEC / tick_ns();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(frequencies) && frequencies[i] != hz; i++)
		continue;
	ASSERT_LT(i, ARRAY_SIZE(frequencies));
}

/* A 32-bit kernel names such a machine. To 32-bit programs, other kernels name a 64-bit one. */
static bool kernel_has_32_bits(void)
{
	struct utsname name;

	CALL(uname(&name));
	return (name.machine[0] == 'i' && !strcmp(name.machine + 2, "86")) ||
	       !strncmp(name.machine, "arm", 3);
}

/*
 * The Makefile lists all features of the header. The table and the ring are features of every
 * 64-bit kernel, and of no other. A newer driver may have more features than the header.
 */
TEST(info_has_the_features_of_the_header)
{
	const __u64 shared = TWHEEL_FEATURE_TABLE | TWHEEL_FEATURE_RING;
	const struct twheel_info info = get_info(open_device(0));
	__u64 wanted = ALL_FEATURES;

	if (kernel_has_32_bits())
		wanted &= ~shared;
	/* A kernel that has io_uring refuses the address, or forbids the call. */
	if (syscall(SYS_io_uring_setup, 0, NULL) && errno != EFAULT && errno != EPERM)
		wanted &= ~TWHEEL_FEATURE_URING;
	ASSERT_EQ(info.features & ALL_FEATURES, wanted);
}

/* The offset of the ring is too large for such a kernel, which does not ask the driver. */
DEVICE_TEST(table_and_ring_are_refused_on_32_bits)
{
	const int protection = PROT_READ | PROT_WRITE;
	const size_t size = page_size();
	struct twheel_op op = new_timer(LONG, 1);

	if (!kernel_has_32_bits())
		skip("a 64-bit kernel has both");
	ASSERT_ERRNO(mmap(NULL, size, protection, MAP_SHARED, fd, TWHEEL_MMAP_TABLE), EOPNOTSUPP);
	ASSERT_ERRNO(mmap(NULL, size, protection, MAP_SHARED, fd, TWHEEL_MMAP_RING), EOVERFLOW);
	/* no timer has a word in a table that is not mapped */
	op.flags = TWHEEL_SHARED;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(info_keeps_to_its_structure)
{
	struct {
		unsigned char before[64];
		struct twheel_info info;
		unsigned char after[64];
	} guarded;
	unsigned int i;

	memset(&guarded, 0xcc, sizeof(guarded));
	CALL(ioctl(open_device(0), TWHEEL_IOC_INFO, &guarded.info));
	for (i = 0; i < sizeof(guarded.before); i++) {
		ASSERT_EQ(guarded.before[i], 0xcc);
		ASSERT_EQ(guarded.after[i], 0xcc);
	}
}

/* The counts of info and of fdinfo, of a descriptor with one pending timer. */
static void check_unread(int fd, unsigned int unread)
{
	ASSERT_EQ(get_info(fd).unread, unread);
	ASSERT_EQ(fdinfo_value(fd, "unread"), unread);
	ASSERT_EQ(timers_of(fd), unread + 1);
	ASSERT_EQ(fdinfo_value(fd, "timers"), unread + 1);
}

DEVICE_TEST(info_counts_what_is_unread)
{
	__u64 handle = 0;
	int i;

	ASSERT_EQ(fdinfo_value(fd, "timers"), 0);
	add(fd, LONG, 1);
	check_unread(fd, 0);
	for (i = 0; i < 4; i++) {
		handle = add(fd, 0, i);
		wait_until_expired(fd, handle);
		check_unread(fd, i + 1);
	}
	read_one(fd);
	check_unread(fd, 3);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	check_unread(fd, 2);
	read_one(fd);
	read_one(fd);
	check_unread(fd, 0);
}

DEVICE_TEST(fdinfo_says_what_info_says)
{
	const __u64 before = get_info(fd).timers_user;
	unsigned long long limit;

	add(fd, LONG, 1);
	ASSERT_EQ(fdinfo_value(fd, "max-timers"), get_info(fd).max_timers);
	ASSERT_EQ(fdinfo_value(fd, "user-timers"), before + 1);
	/* opened without a limit per user, and with one */
	ASSERT_EQ(fdinfo_has(fd, "max-user-timers", &limit),
		  get_info(fd).max_timers_user != ~0ULL);
	drop_capability(CAP_SYS_RESOURCE);
	ASSERT_EQ(fdinfo_value(open_device(0), "max-user-timers"),
		  read_parameter("max_timers_user"));
}

/* What version 1.1 had, and what monitoring may still ask for. */
TEST_CALL(no_cpu_is_above_the_share,
	  ASSERT_EQ(fdinfo_value(open_device(0), "cpus-above-share"), 0))

TEST(share_and_allowance_are_accepted)
{
	static const char * const names[] = { "share", "allowance" };
	unsigned long long before;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		before = read_parameter(names[i]);
		if (!write_parameter(names[i], 16))
			skip("cannot write to the parameter");
		ASSERT_EQ(read_parameter(names[i]), 16);
		ASSERT(write_parameter(names[i], before));
	}
}

DEVICE_TEST(fdinfo_has_the_next_deadline)
{
	const __u64 start = now() + LONG;
	unsigned long long deadline;
	__u64 first;

	ASSERT(!fdinfo_has(fd, "next-deadline-ns", &deadline));
	add_at(fd, start + 3, 1);
	first = add_at(fd, start + 1, 2);
	add_at(fd, start + 2, 3);
	ASSERT_EQ(fdinfo_value(fd, "next-deadline-ns"), start + 1);
	ASSERT_EQ(change_to(fd, first, start + 4), 0);
	ASSERT_EQ(fdinfo_value(fd, "next-deadline-ns"), start + 2);
	/* an expired timer has no next deadline */
	ASSERT_EQ(change(fd, first, 0), 0);
	wait_for_event(fd);
	ASSERT_EQ(fdinfo_value(fd, "next-deadline-ns"), start + 2);
}

/*
 * The next deadline of more timers than the driver looks at without a pause. Of still more
 * timers the driver does not look for it.
 */
DEVICE_TEST(fdinfo_has_the_next_deadline_of_up_to_1024)
{
	enum { COUNT = 1024 };
	static struct twheel_op ops[COUNT];
	const __u64 start = now() + LONG;
	unsigned int i;
	__u64 handle, deadline;

	for (i = 0; i < COUNT; i++)
		ops[i] = new_timer_at(start + COUNT - i, i);
	add_all(fd, ops, COUNT);
	handle = add_at(fd, start, 1);
	ASSERT(!fdinfo_has(fd, "next-deadline-ns", &deadline));
	ASSERT_EQ(cancel(fd, handle), 0);
	for (i = COUNT; i; i /= 2) {
		ASSERT_EQ(fdinfo_value(fd, "next-deadline-ns"), start + COUNT - (i - 1));
		while (timers_of(fd) > i / 2)
			ASSERT_EQ(cancel(fd, ops[timers_of(fd) - 1].handle), 0);
	}
}

/* Not mapped, partly mapped, or in the kernel's half; in a 32-bit program, the last page. */
DEVICE_TEST(structure_at_a_bad_address_is_efault)
{
	const char *end = two_pages(PROT_NONE) + page_size();
	const void *addresses[] = { NULL, (void *)(~0UL - 4095), end, end - 32 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		for (n = 0; n < ARRAY_SIZE(addresses); n++)
			ASSERT_ERRNO(ioctl(fd, calls[i], addresses[n]), EFAULT);
	ASSERT_EQ(timers_of(fd), 0);
}

/* Make the calls that differ from @call in a field of its number, unless there are such calls. */
static void refuse_others(int fd, unsigned int call, unsigned int shift, unsigned int mask)
{
	char buffer[512] = "";
	unsigned int value, i;

	for (value = 0; value <= mask; value++) {
		const unsigned int other = (call & ~(mask << shift)) | value << shift;

		/* The driver has these numbers, or will have them. */
		if (shift == _IOC_NRSHIFT && value >= 0xa0 && value <= 0xaf)
			continue;
		for (i = 0; i < ARRAY_SIZE(calls) && calls[i] != other; i++)
			continue;
		if (i == ARRAY_SIZE(calls))
			ASSERT_ERRNO(ioctl(fd, other, buffer), ENOTTY);
	}
}

DEVICE_TEST(other_number_type_size_or_direction_is_enotty)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		refuse_others(fd, calls[i], _IOC_NRSHIFT, _IOC_NRMASK);
		refuse_others(fd, calls[i], _IOC_TYPESHIFT, _IOC_TYPEMASK);
		/* sizes below that of the buffer */
		refuse_others(fd, calls[i], _IOC_SIZESHIFT, 511);
		refuse_others(fd, calls[i], _IOC_DIRSHIFT, _IOC_DIRMASK);
	}
	ASSERT_ERRNO(ioctl(fd, 0, NULL), ENOTTY);
	ASSERT_ERRNO(ioctl(fd, ~0U, NULL), ENOTTY);
	ASSERT_ERRNO(ioctl(fd, _IOWR('t', 0xff, struct twheel_op), NULL), ENOTTY);
	ASSERT_EQ(timers_of(fd), 0);
}

NONBLOCK_TEST(there_are_no_positions)
{
	struct twheel_event event;

	ASSERT_ERRNO(lseek(fd, 0, SEEK_SET), ESPIPE);
	ASSERT_ERRNO(pread(fd, &event, sizeof(event), 0), ESPIPE);
}

static void check_all_calls(int mode)
{
	const int fd = CALL(open(DEVICE, mode));
	struct twheel_eventfd eventfd = { .fd = -1 };
	struct twheel_op op = new_timer(LONG, 1);
	__u64 handle, retracted;

	batch(fd, &(struct twheel_op){ .op = TWHEEL_OP_QUERY }, 1);
	handle = add(fd, LONG, 1);
	ASSERT_EQ(change(fd, handle, LONG), 0);
	ASSERT_EQ(query(fd, handle, &op), 0);
	ASSERT_EQ(cancel(fd, handle), 0);
	op = new_timer(LONG, 1);
	op.group = 1;
	ASSERT_EQ(upsert(fd, &op), TWHEEL_ADDED);
	ASSERT_EQ(cancel_group(fd, 1, &retracted), 1);
	CALL(ioctl(fd, TWHEEL_IOC_EVENTFD, &eventfd));
	CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
	ASSERT_EQ(drain(fd, &op, 1), 0);
	resume(fd);
	add(fd, 0, 2);
	wait_for_event(fd);
	close(fd);
}

TEST(every_open_mode_allows_every_ioctl_and_poll)
{
	check_all_calls(O_RDONLY);
	check_all_calls(O_WRONLY);
	check_all_calls(O_RDWR);
}

TEST(read_needs_a_mode_that_reads)
{
	const int readable = CALL(open(DEVICE, O_RDONLY));
	const int writable = CALL(open(DEVICE, O_WRONLY));
	struct twheel_event event;

	add(readable, 0, 1);
	ASSERT_EQ(read_one(readable).cookie, 1);
	add(writable, 0, 2);
	wait_for_event(writable);
	ASSERT_EQ(read_events(writable, &event, 1), -EBADF);
	ASSERT_EQ(get_info(writable).unread, 1);
}

TEST(write_is_einval)
{
	const struct twheel_op op = new_timer(LONG, 1);

	ASSERT_ERRNO(write(CALL(open(DEVICE, O_RDWR)), &op, sizeof(op)), EINVAL);
	ASSERT_ERRNO(write(CALL(open(DEVICE, O_WRONLY)), &op, sizeof(op)), EINVAL);
	ASSERT_ERRNO(write(CALL(open(DEVICE, O_RDONLY)), &op, sizeof(op)), EBADF);
}
