// SPDX-License-Identifier: GPL-2.0
/* Leases: what the calls of the owner and of a holder do, and what they refuse. */
#include <sys/resource.h>
#include <sys/uio.h>

#include "holder.h"

#define CAP	(40 * NSEC_PER_SEC)

/* Make a push, which returns @value. It moves the deadline to @ns from then. */
#define CHECK_PUSH(push, value, ns)					\
	do {								\
		const __u64 before_ = now();				\
		__u64 deadline_;					\
									\
		ASSERT_EQ(CALL(push), value);				\
		deadline_ = deadline_of(fd, handle);			\
		ASSERT_WITHIN(deadline_, before_ + (ns), now() + (ns));	\
		ASSERT_WITHIN(left(lease), 1, ns);			\
	} while (0)

/* Not by no bytes; to the cap, to the argument, and to the cap by any bytes that are written. */
DEVICE_TEST(each_push_moves_the_deadline)
{
	const __u64 handle = add(fd, CAP / 4, 1);
	const int lease = new_lease(fd, handle, CAP, 0);
	char *gap = two_pages(PROT_NONE);
	const struct iovec parts[] = { { gap, 3 }, { gap, 4 } };

	ASSERT_EQ(CALL(write(lease, "", 0)), 0);
	ASSERT_LE(left(lease), CAP / 4);
	CHECK_PUSH(push_by(lease, CAP / 2), 0, CAP / 2);
	CHECK_PUSH(push(lease), 0, CAP);
	CHECK_PUSH(push(lease), 0, CAP);
	CHECK_PUSH(push_by(lease, CAP), 0, CAP);
	CHECK_PUSH(write(lease, "x", 1), 1, CAP);
	CHECK_PUSH(write(lease, gap + page_size() - 1, 100), 100, CAP);
	CHECK_PUSH(writev(lease, parts, 2), 7, CAP);
}

DEVICE_TEST(push_never_brings_the_deadline_forward)
{
	const __u64 deadline = now() + LONG;
	const __u64 handle = add_at(fd, deadline, 1);
	const int lease = new_lease(fd, handle, CAP, 0);

	ASSERT_EQ(push(lease), 0);
	ASSERT_EQ(push_by(lease, 0), 0);
	ASSERT_EQ(push_by(lease, 1), 0);
	ASSERT_EQ(CALL(write(lease, "x", 1)), 1);
	ASSERT_EQ(deadline_of(fd, handle), deadline);
}

DEVICE_TEST(longest_cap_is_allowed)
{
	const int lease = new_lease(fd, add(fd, LONG, 1), TIME_MAX, 0);

	ASSERT_EQ(push(lease), 0);
	ASSERT_GT(left(lease), LONG);
	ASSERT(!has_ended(lease));
}

DEVICE_TEST(fdinfo_counts_leases_and_describes_one)
{
	unsigned long long value;
	__u64 handles[2];
	int leases[2];

	ASSERT_EQ(leases_of(fd), 0);
	leases[0] = lease_of_new_timer(fd, &handles[0], 0);
	leases[1] = lease_of_new_timer(fd, &handles[1], ON_CLOSE);
	ASSERT_EQ(leases_of(fd), 2);
	ASSERT(fdinfo_has(leases[1], "lease-cap-ns", &value) && value == LONG);
	ASSERT(fdinfo_has(leases[0], "lease-expire-on-close", &value) && value == 0);
	ASSERT(fdinfo_has(leases[1], "lease-expire-on-close", &value) && value == 1);
	ASSERT(fdinfo_has(leases[0], "lease-left-ns", &value) && value <= LONG && value);
	ASSERT_EQ(cancel(fd, handles[0]), 0);
	ASSERT(!fdinfo_has(leases[0], "lease-left-ns", &value));
	ASSERT_EQ(leases_of(fd), 1);
}

/* Make a lease, which must fail with @error and change nothing. */
static void refuse(int fd, struct twheel_lease lease, int error)
{
	const struct twheel_lease copy = lease;
	const unsigned long long before = leases_of(fd);
	const int next = CALL(dup(fd));

	close(next);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LEASE, &lease), error);
	ASSERT(!memcmp(&lease, &copy, sizeof(lease)));
	ASSERT_EQ(leases_of(fd), before);
	ASSERT_EQ(CALL(dup(fd)), next);
	close(next);
}

static void refuse_handle(int fd, __u64 handle, int error)
{
	refuse(fd, (struct twheel_lease){ .handle = handle, .cap_ns = CAP }, error);
}

DEVICE_TEST(wrong_field_is_einval_and_comes_before_enoent)
{
	const __u64 handles[] = { add(fd, LONG, 1), 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		struct twheel_lease lease = { .handle = handles[i], .cap_ns = CAP };

		REFUSE_BITS(fd, TWHEEL_IOC_LEASE, lease, flags, ON_CLOSE);
		REFUSE_BITS(fd, TWHEEL_IOC_LEASE, lease, fd, 0);
		REFUSE_BITS(fd, TWHEEL_IOC_LEASE, lease, reserved, 0);
		lease.cap_ns = 0;
		refuse(fd, lease, EINVAL);
		lease.cap_ns = 1ULL << 63;
		refuse(fd, lease, EINVAL);
	}
	/* no call has left a lease or a descriptor */
	refuse_handle(fd, 0, ENOENT);
	ASSERT_EQ(leases_of(fd), 0);
}

DEVICE_TEST(timer_that_is_not_pending_is_enoent)
{
	const __u64 handle = add(fd, 0, 1);
	unsigned int bit;

	refuse_handle(fd, 0, ENOENT);
	wait_for_event(fd);
	refuse_handle(fd, handle, ENOENT);
	read_one(fd);
	refuse_handle(fd, handle, ENOENT);
	for (bit = 0; bit < 64; bit++)
		refuse_handle(fd, 1ULL << bit, ENOENT);
	refuse_handle(open_device(0), add(fd, LONG, 1), ENOENT);
}

DEVICE_TEST(periodic_shared_and_other_clocks_are_einval)
{
	struct twheel_op op = new_timer(LONG, 1);

	refuse_handle(fd, add_periodic(fd, now() + LONG, LONG, 1), EINVAL);
	refuse_handle(fd, add_on(fd, CLOCK_BOOTTIME, read_clock(CLOCK_BOOTTIME) + LONG, 0),
		      EINVAL);
	refuse_handle(fd, add_on(fd, CLOCK_REALTIME, read_clock(CLOCK_REALTIME) + LONG, 0),
		      EINVAL);
	if (!(get_info(fd).features & TWHEEL_FEATURE_TABLE))
		return;
	CALL(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, TWHEEL_MMAP_TABLE));
	op.flags = TWHEEL_SHARED;
	refuse_handle(fd, arm(fd, op), EINVAL);
}

DEVICE_TEST(second_lease_is_ebusy)
{
	const __u64 handle = add(fd, LONG, 1);
	const int lease = new_lease(fd, handle, CAP, 0);

	refuse_handle(fd, handle, EBUSY);
	close(lease);
	new_lease(fd, handle, CAP, 0);
	refuse_handle(fd, handle, EBUSY);
}

/* The lease exists for a moment. Nothing of it may stay, not even the expiry. */
DEVICE_TEST(lease_whose_descriptor_cannot_be_told_is_taken_back)
{
	const __u64 handle = add(fd, LONG, 1);
	struct twheel_lease *lease = two_pages(PROT_NONE);

	*lease = (struct twheel_lease){
		.handle = handle,
		.cap_ns = CAP,
		.flags = ON_CLOSE,
	};
	protect(lease, page_size(), PROT_READ);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LEASE, lease), EFAULT);
	ASSERT(!is_leased(fd, handle));
	ASSERT_EQ(leases_of(fd), 0);
	check_no_event(fd);
	refuse_handle(fd, 0, ENOENT);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LEASE, (char *)lease + page_size()), EFAULT);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_LEASE, NULL), EFAULT);
}

DEVICE_TEST(too_many_descriptors_are_emfile)
{
	const __u64 handle = add(fd, LONG, 1);
	struct rlimit files, none;

	CALL(getrlimit(RLIMIT_NOFILE, &files));
	none = (struct rlimit){ fd + 1, files.rlim_max };
	CALL(setrlimit(RLIMIT_NOFILE, &none));
	ASSERT_EQ(try_lease(fd, handle, CAP, ON_CLOSE), -EMFILE);
	CALL(setrlimit(RLIMIT_NOFILE, &files));
	ASSERT(!is_leased(fd, handle));
	check_no_event(fd);
}

DEVICE_TEST(holder_can_do_nothing_else)
{
	const int lease = new_lease(fd, add(fd, LONG, 1), CAP, 0);
	struct twheel_op op = new_timer(0, 1);
	struct twheel_info info;
	char byte;

	ASSERT_EQ(push_by(lease, CAP + 1), -EINVAL);
	ASSERT_EQ(push_by(lease, ~0ULL), -EINVAL);
	ASSERT_ERRNO(ioctl(lease, TWHEEL_LEASE_IOC_PUSH, 1), EINVAL);
	ASSERT_ERRNO(ioctl(lease, TWHEEL_LEASE_IOC_PUSH_BY, NULL), EFAULT);
	ASSERT_ERRNO(ioctl(lease, TWHEEL_LEASE_IOC_LEFT, NULL), EFAULT);
	ASSERT_ERRNO(ioctl(lease, TWHEEL_IOC_ADD, &op), ENOTTY);
	ASSERT_ERRNO(ioctl(lease, TWHEEL_IOC_INFO, &info), ENOTTY);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_LEASE_IOC_PUSH, 0), ENOTTY);
	ASSERT_ERRNO(read(lease, &byte, 1), EINVAL);
	ASSERT_ERRNO(lseek(lease, 0, SEEK_SET), ESPIPE);
	ASSERT_ERRNO(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, lease, 0), ENODEV);
	ASSERT(!has_ended(lease));
	ASSERT_EQ(push(lease), 0);
}
