/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * twheel: timers by the million on one file descriptor
 *
 * Each open of /dev/twheel has timers of its own. They belong to the open file
 * description: descriptors that come from dup(), fork() or SCM_RIGHTS share
 * them, and the last close() ends them all.
 *
 * Times are nanoseconds. No timer expires early, on whatever clock it was
 * given; it expires at the first tick of the system at or after its deadline.
 *
 * Every structure is the same for 32-bit and 64-bit programs. Fields that an
 * operation does not use, reserved fields and unknown flags must be zero.
 */
#ifndef _UAPI_LINUX_TWHEEL_H
#define _UAPI_LINUX_TWHEEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface: the major number changes if a program might break. */
#define TWHEEL_ABI_MAJOR	0
#define TWHEEL_ABI_MINOR	1

/**
 * struct twheel_info - what the driver can do, from TWHEEL_IOC_INFO
 * @abi_major: TWHEEL_ABI_MAJOR of the driver.
 * @abi_minor: TWHEEL_ABI_MINOR of the driver; a higher one only adds.
 * @resolution_ns: Length of a tick.
 * @features: TWHEEL_FEATURE_ flags.
 * @clocks: The clocks there are, bit n for the clock with the number n.
 * @max_timers: Timers that this descriptor may hold.
 * @timers: Timers that it holds: pending ones, and those whose last event has
 *	not been read.
 * @max_batch: Operations that one TWHEEL_IOC_BATCH may carry.
 * @min_period_ns: Shortest period of a periodic timer.
 * @reserved: Zero.
 */
struct twheel_info {
	__u32		abi_major;
	__u32		abi_minor;
	__u32		resolution_ns;
	__u32		max_batch;
	__aligned_u64	features;
	__aligned_u64	clocks;
	__aligned_u64	max_timers;
	__aligned_u64	timers;
	__aligned_u64	min_period_ns;
	__aligned_u64	reserved[1];
};

#define TWHEEL_FEATURE_BATCH	(1ULL << 0)	/* TWHEEL_IOC_BATCH */
#define TWHEEL_FEATURE_PERIODIC	(1ULL << 1)	/* period_ns */
#define TWHEEL_FEATURE_RETRACT	(1ULL << 2)	/* TWHEEL_RETRACTED */

/**
 * enum twheel_opcode - the operations
 * @TWHEEL_OP_ADD: Arm a new timer.
 *
 *	In: @flags (TWHEEL_ABSTIME), @clockid, @cookie, @time_ns, @period_ns.
 *	Out: @handle.
 *
 *	Errors: EINVAL for a clock that is not among those of &struct
 *	twheel_info, a period shorter than its minimum or a time beyond
 *	2^63 - 1; EDQUOT if the descriptor holds @max_timers already; ENOMEM.
 * @TWHEEL_OP_CHANGE: Give a timer a new deadline, earlier or later. A period
 *	goes on from there.
 *
 *	In: @flags (TWHEEL_ABSTIME), @handle, @time_ns.
 *
 *	Result: 0, or TWHEEL_RETRACTED if the timer had expired: its event has
 *	been withdrawn and will not be read, and the timer is armed again.
 *	Errors: ENOENT, EINVAL.
 * @TWHEEL_OP_CANCEL: End a timer.
 *
 *	In: @handle.
 *
 *	Result: 0 if the timer was pending, or TWHEEL_RETRACTED if it had expired
 *	and its event has been withdrawn. Either way no event of it will be
 *	read any more. Error: ENOENT: its last event has been read, or is
 *	being read, or there never was such a timer.
 * @TWHEEL_OP_QUERY: Look at a timer.
 *
 *	In: @handle. Out: @cookie, @time_ns (until the deadline; 0 if it has
 *	come, and as long as its event is unread), @period_ns, @clockid.
 *
 *	Result: 0 if the timer is pending, or TWHEEL_EXPIRED if it has an event
 *	that was not read. Error: ENOENT.
 */
enum twheel_opcode {
	TWHEEL_OP_ADD		= 1,
	TWHEEL_OP_CHANGE	= 2,
	TWHEEL_OP_CANCEL	= 3,
	TWHEEL_OP_QUERY		= 4
};

/* twheel_op.flags */
#define TWHEEL_ABSTIME		(1U << 0)	/* time_ns is a reading of the clock */

/* twheel_op.result, where it is no error */
#define TWHEEL_RETRACTED	1
#define TWHEEL_EXPIRED		1

/**
 * struct twheel_op - one operation
 * @op: One of enum twheel_opcode in a batch; 0 where the ioctl says it.
 * @flags: TWHEEL_ABSTIME.
 * @clockid: CLOCK_MONOTONIC.
 * @result: In: 0. Out: 0 or more, or a negative errno.
 * @handle: Names a timer of this descriptor. Never 0, and not used again for
 *	another timer in any program's lifetime (2^40 timers later at the
 *	soonest).
 * @cookie: Yours; comes back with each event.
 * @time_ns: Nanoseconds from now, or with TWHEEL_ABSTIME a reading of the
 *	clock. A deadline that has passed means the next tick; its event has it
 *	as it was given.
 * @period_ns: 0 for a timer that expires once, otherwise the time from each
 *	deadline to the next, without drift.
 * @reserved: Zero.
 *
 * The operations say which fields they take and which they fill in; they leave
 * the others as they were.
 */
struct twheel_op {
	__u32		op;
	__u32		flags;
	__u32		clockid;
	__s32		result;
	__aligned_u64	handle;
	__aligned_u64	cookie;
	__aligned_u64	time_ns;
	__aligned_u64	period_ns;
	__aligned_u64	reserved[2];
};

/**
 * struct twheel_batch - many operations in one call
 * @ops: Pointer to an array of &struct twheel_op, as a number.
 * @count: Its length, 1 to twheel_info.max_batch.
 * @flags: Zero.
 * @reserved: Zero.
 *
 * The operations are carried out in order, each as its own ioctl would. A
 * failed one has its error in @result, is otherwise left as it was, and does not
 * stop those after it.
 */
struct twheel_batch {
	__aligned_u64	ops;
	__u32		count;
	__u32		flags;
	__aligned_u64	reserved[6];
};

/**
 * struct twheel_event - what read() returns, as many as fit the buffer
 * @handle: The timer. A timer that expires once is gone with its event.
 * @cookie: That of its TWHEEL_OP_ADD.
 * @deadline_ns: When it was due, on its clock; of a periodic timer, the first
 *	deadline that this event stands for.
 * @expired_ns: When it expired, for the first time if @count is more than 1, on
 *	the same clock; never before @deadline_ns.
 * @count: Deadlines that this event stands for: 1, or more for a periodic timer
 *	that was not read in time.
 * @type: TWHEEL_EVENT_TIMER.
 * @flags: Zero.
 * @reserved: Zero.
 */
struct twheel_event {
	__aligned_u64	handle;
	__aligned_u64	cookie;
	__aligned_u64	deadline_ns;
	__aligned_u64	expired_ns;
	__aligned_u64	count;
	__u32		type;
	__u32		flags;
	__aligned_u64	reserved[2];
};

#define TWHEEL_EVENT_TIMER	1

/**
 * DOC: ioctl calls on /dev/twheel
 *
 * %TWHEEL_IOC_INFO fills in a &struct twheel_info.
 *
 * %TWHEEL_IOC_ADD, %TWHEEL_IOC_CHANGE, %TWHEEL_IOC_CANCEL and
 * %TWHEEL_IOC_QUERY carry out one operation. They return its result, or -1
 * with its error in errno; @result of the structure is left as it was.
 * TWHEEL_IOC_CHANGE and TWHEEL_IOC_CANCEL write nothing to the structure.
 *
 * %TWHEEL_IOC_BATCH returns how many operations were carried out and have their
 * results in the array: @count, or fewer if a signal arrived or the array could
 * not be read or written throughout; -1 only if that is none.
 *
 * Errors of them all: EFAULT if the structure cannot be read or written. A
 * timer whose handle could not be returned has not been armed; that the results
 * of a batch can be written is seen to before its operations are carried out,
 * 64 at a time, so that none is lost unless the program takes the memory away
 * meanwhile. EINVAL if a field
 * that must be zero is not, a flag is unknown or a value is out of range.
 * ENOTTY for any other call.
 *
 * read() takes events in the order of their expiry, and waits for the first
 * unless the descriptor is O_NONBLOCK (EAGAIN). EINVAL if the buffer is too
 * small for one, EFAULT if it cannot be written; the events stay then.
 * poll() reports POLLIN while there are any.
 */
#define TWHEEL_IOC_INFO		_IOR('t', 0xA0, struct twheel_info)
#define TWHEEL_IOC_ADD		_IOWR('t', 0xA1, struct twheel_op)
#define TWHEEL_IOC_CHANGE	_IOW('t', 0xA2, struct twheel_op)
#define TWHEEL_IOC_CANCEL	_IOW('t', 0xA3, struct twheel_op)
#define TWHEEL_IOC_QUERY	_IOWR('t', 0xA4, struct twheel_op)
#define TWHEEL_IOC_BATCH	_IOW('t', 0xA5, struct twheel_batch)

#endif /* _UAPI_LINUX_TWHEEL_H */
