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
 *
 * In what the driver fills in, programs ignore flags, types of events and fields
 * that they do not know: a field that is zero now may get a meaning with a
 * higher minor number. Of results, all that are not negative are success.
 */
#ifndef _UAPI_LINUX_TWHEEL_H
#define _UAPI_LINUX_TWHEEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface: the major number changes if a program might break. */
#define TWHEEL_ABI_MAJOR	1
#define TWHEEL_ABI_MINOR	0

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
 * @max_timers_user: Timers that all descriptors which the user who opened this one
 *	has opened may hold together; 2^64 - 1 if there is no such limit.
 * @timers_user: Timers that they hold together.
 * @unread: Timers of this descriptor that have expired and wait to be read.
 * @table_entries: Size of the table of deadlines; 0 if it was not mapped yet.
 * @ring_entries: Size of the ring of events; 0 if it was not mapped yet.
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
	__aligned_u64	max_timers_user;
	__aligned_u64	timers_user;
	__aligned_u64	unread;
	__u32		table_entries;
	__u32		ring_entries;
	__aligned_u64	reserved[5];
};

#define TWHEEL_FEATURE_BATCH	(1ULL << 0)	/* TWHEEL_IOC_BATCH */
#define TWHEEL_FEATURE_PERIODIC	(1ULL << 1)	/* period_ns */
#define TWHEEL_FEATURE_RETRACT	(1ULL << 2)	/* TWHEEL_RETRACTED */
#define TWHEEL_FEATURE_UPSERT	(1ULL << 3)	/* TWHEEL_OP_UPSERT */
#define TWHEEL_FEATURE_GROUP	(1ULL << 4)	/* TWHEEL_OP_CANCEL_GROUP */
#define TWHEEL_FEATURE_MISSED	(1ULL << 5)	/* TWHEEL_EACH, TWHEEL_RESTART */
#define TWHEEL_FEATURE_DRAIN	(1ULL << 6)	/* TWHEEL_IOC_DRAIN */
#define TWHEEL_FEATURE_EVENTFD	(1ULL << 7)	/* TWHEEL_IOC_EVENTFD */
#define TWHEEL_FEATURE_SIGIO	(1ULL << 8)	/* F_SETOWN and O_ASYNC */
#define TWHEEL_FEATURE_TABLE	(1ULL << 9)	/* TWHEEL_MMAP_TABLE */
#define TWHEEL_FEATURE_RING	(1ULL << 10)	/* TWHEEL_MMAP_RING */
#define TWHEEL_FEATURE_CLOCK_SET (1ULL << 11)	/* TWHEEL_IOC_CLOCK_SET */

/**
 * enum twheel_opcode - the operations
 * @TWHEEL_OP_ADD: Arm a new timer.
 *
 *	In: @flags, @clockid, @cookie, @time_ns, @period_ns, @group. Out: @handle.
 *
 *	Errors: EINVAL for a clock that is not among those of &struct
 *	twheel_info, a period shorter than its minimum or a time beyond
 *	2^63 - 1; EDQUOT if the descriptor holds @max_timers, or its user's
 *	descriptors @max_timers_user, already; ESHUTDOWN after
 *	TWHEEL_IOC_DRAIN; ENOSPC with TWHEEL_SHARED if the table is full or not
 *	mapped; ENOMEM.
 * @TWHEEL_OP_CHANGE: Give a timer a new deadline, earlier or later. A period
 *	goes on from there.
 *
 *	In: @flags (TWHEEL_ABSTIME), @handle, @time_ns.
 *
 *	Result: 0, or TWHEEL_RETRACTED if the timer had expired: its event has
 *	been withdrawn and will not be read, and the timer is armed again.
 *	Errors: ENOENT; EINVAL, also without TWHEEL_ABSTIME for a timer on
 *	CLOCK_REALTIME.
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
 *	In: @handle, @flags (TWHEEL_ABSTIME). Out: @cookie, @time_ns (until the
 *	deadline, 0 if it has come and as long as its event is unread; with
 *	TWHEEL_ABSTIME the deadline), @period_ns, @clockid, @group, and in @flags
 *	besides TWHEEL_ABSTIME those it was added with that are about more than
 *	its first deadline.
 *
 *	Result: 0 if the timer is pending, or TWHEEL_EXPIRED if it has an event
 *	that was not read. Error: ENOENT.
 * @TWHEEL_OP_UPSERT: Change a timer, or add one if it is gone.
 *
 *	In: as of TWHEEL_OP_ADD, and @handle, which may be 0. Out: @handle.
 *
 *	If @handle names a timer, only @time_ns and TWHEEL_ABSTIME count, as for
 *	TWHEEL_OP_CHANGE. Result: 0 or TWHEEL_RETRACTED as there, or TWHEEL_ADDED
 *	if a timer was added; then @handle names it. Errors: those of
 *	TWHEEL_OP_ADD.
 * @TWHEEL_OP_CANCEL_GROUP: End all timers of a group. Those that are added to it
 *	meanwhile may be ended or not.
 *
 *	In: @group, not 0. Out: @time_ns: how many of them had expired; their
 *	events have been withdrawn.
 *
 *	Result: how many timers were ended. Error: ENOENT if the group has none.
 */
enum twheel_opcode {
	TWHEEL_OP_ADD		= 1,
	TWHEEL_OP_CHANGE	= 2,
	TWHEEL_OP_CANCEL	= 3,
	TWHEEL_OP_QUERY		= 4,
	TWHEEL_OP_UPSERT	= 5,
	TWHEEL_OP_CANCEL_GROUP	= 6
};

/**
 * DOC: twheel_op.flags
 *
 * %TWHEEL_ABSTIME
 *	@time_ns is a reading of the clock.
 * %TWHEEL_EACH, %TWHEEL_RESTART
 *	What a periodic timer does about deadlines that have gone by before its
 *	event is read. Without a flag one event stands for all of them, and the
 *	next deadline is the first on the grid after that. With TWHEEL_EACH each
 *	deadline has an event of its own. With TWHEEL_RESTART one event stands for
 *	all of them, and the next deadline is a period after it was read.
 * %TWHEEL_RESTORE
 *	TWHEEL_OP_ADD passes over what is in @handle. TWHEEL_IOC_DRAIN sets
 *	it, so that its records can be added as they are.
 * %TWHEEL_SHARED
 *	The timer has a word in the table of %TWHEEL_MMAP_TABLE, by which its
 *	deadline can be pushed back without a system call. Not with @period_ns.
 */
#define TWHEEL_ABSTIME		(1U << 0)
#define TWHEEL_EACH		(1U << 1)
#define TWHEEL_RESTART		(1U << 2)
#define TWHEEL_RESTORE		(1U << 3)
#define TWHEEL_SHARED		(1U << 4)

/* twheel_op.result, where it is no error */
#define TWHEEL_RETRACTED	1
#define TWHEEL_EXPIRED		1
#define TWHEEL_ADDED		2

/**
 * struct twheel_op - one operation
 * @op: One of enum twheel_opcode in a batch; 0 where the ioctl says it.
 * @flags: See above.
 * @clockid: CLOCK_MONOTONIC; CLOCK_BOOTTIME, which goes on during a suspend; or
 *	CLOCK_REALTIME with TWHEEL_ABSTIME, a deadline of which comes sooner or
 *	later when the clock is set. The first is what the wheel is made for; the
 *	others cost more, the more there are.
 * @result: In: 0. Out: 0 or more, or a negative errno.
 * @handle: Names a timer of this descriptor. Never 0, and not used again for
 *	another timer before 2^40 - 1 more have been added.
 * @cookie: Yours; comes back with each event.
 * @time_ns: Nanoseconds from now, or with TWHEEL_ABSTIME a reading of the
 *	clock. A deadline that has passed means this tick or the next; its event
 *	has it as it was given.
 * @period_ns: 0 for a timer that expires once, otherwise the time from each
 *	deadline to the next, without drift.
 * @group: 0, or a tag of yours, the same for all timers that are to be ended
 *	together.
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
	__aligned_u64	group;
	__aligned_u64	reserved[1];
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
 * @expired_ns: When it was found to have expired, for the first time if @count is
 *	more than 1, on the same clock; never before @deadline_ns.
 * @count: Deadlines that this event stands for: 1, or more for a periodic timer
 *	that was not read in time.
 * @type: TWHEEL_EVENT_TIMER; or TWHEEL_EVENT_CLOCK_SET, which is no timer's:
 *	@expired_ns is what CLOCK_REALTIME said when it was noticed first, @count how
 *	often it was noticed (looked at once a second), @clockid CLOCK_REALTIME, and
 *	all else is 0.
 * @flags: Zero.
 * @clockid: The timer's clock.
 * @pad: Zero.
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
	__u32		clockid;
	__u32		pad;
	__aligned_u64	reserved[1];
};

#define TWHEEL_EVENT_TIMER	1
#define TWHEEL_EVENT_CLOCK_SET	2

/**
 * struct twheel_drain - stop, and take the pending timers back
 * @ops: Pointer to room for an array of &struct twheel_op, as a number.
 * @count: Its length, at least 1.
 * @flags: Zero, or TWHEEL_DRAIN_RESUME: accept new timers again; @ops and @count
 *	must be 0 then.
 * @reserved: Zero.
 *
 * From the first call on, TWHEEL_OP_ADD is refused. Each call ends up to @count
 * pending timers and fills in a TWHEEL_OP_ADD for each that would arm it again
 * as it was: its @time_ns is what was left, and for reference @handle has what it
 * was. A call waits for adds that had begun, and ends if another one resumes: with
 * ECANCELED, unless it has taken some back.
 * Timers that have expired are left to read(), by which a periodic one is
 * pending again: drain until 0, read until EAGAIN, and drain once more.
 */
struct twheel_drain {
	__aligned_u64	ops;
	__u32		count;
	__u32		flags;
	__aligned_u64	reserved[6];
};

#define TWHEEL_DRAIN_RESUME	(1U << 0)

/**
 * struct twheel_eventfd - have an eventfd signalled when timers expire
 * @fd: The eventfd, or -1 for none any more.
 * @flags: Zero.
 * @reserved: Zero.
 *
 * Its counter goes up by one whenever poll() begins to report POLLIN or would
 * again: once for all timers that expire in one run of a wheel.
 */
struct twheel_eventfd {
	__s32		fd;
	__u32		flags;
	__aligned_u64	reserved[7];
};

/**
 * struct twheel_word - entry of the table of deadlines
 * @deadline: In ns of CLOCK_MONOTONIC, or with TWHEEL_WORD_CLOSED set: the timer
 *	has expired, or there is none.
 * @handle: Whose it is, or was.
 *
 * mmap() of the descriptor at offset %TWHEEL_MMAP_TABLE, shared and from its
 * start, gives an array of these in native byte order. Its length at the first
 * mmap() fixes the size of the table. Entry TWHEEL_INDEX(handle) is that of a
 * TWHEEL_SHARED timer.
 *
 * A program pushes a deadline back in three steps: it reads @deadline, with
 * acquire order, and gives up if TWHEEL_WORD_CLOSED is set; it reads @handle, and
 * gives up if that is not the timer it means; and it replaces the deadline that it
 * has read by a later one, by an atomic compare-and-exchange. If that succeeds, the
 * timer does not expire before the new deadline. If it fails, look again: either
 * another thread has changed the deadline, or the timer has expired, and its
 * event will be or has been delivered.
 *
 * The kernel looks at a word when the deadline that it knows has come. An
 * earlier deadline has no effect before that, so to move a deadline forward
 * use TWHEEL_OP_CHANGE. A word that is below the time then, whatever it is, lets
 * the timer expire, and so does one with TWHEEL_WORD_CLOSED set; a later one is the
 * new deadline. @handle is never read by the kernel. Whatever else is written into
 * the table harms nobody but the timers of this descriptor.
 *
 * Entries are taken in turn, so that one is used again only after all others. The
 * mapping keeps the open file and its timers, as a descriptor does.
 *
 * Errors of mmap(), here and for the ring: EINVAL for another offset, a private or
 * executable mapping, or a size that is not possible, or more than the first one;
 * EDQUOT if it takes more memory than the timers that the descriptor may hold, or
 * with the user's other tables and rings more than twice what the user's may take;
 * ENOMEM; EOPNOTSUPP in a 32-bit kernel, which has not got the features either.
 */
struct twheel_word {
	__aligned_u64	deadline;
	__aligned_u64	handle;
};

#define TWHEEL_MMAP_TABLE	0ULL
#define TWHEEL_WORD_CLOSED	(1ULL << 63)
#define TWHEEL_INDEX(handle)	((handle) & 0xffffff)

/**
 * struct twheel_ring - head of the ring of events
 * @tail: Events written so far; the kernel's.
 * @entries: Size of the ring, a power of two.
 * @offset: Where the events begin, from the start of the mapping.
 * @flags: TWHEEL_RING_MORE; the kernel's.
 * @reserved: The kernel's.
 * @head: Events consumed so far; the program's.
 * @unused: The program leaves it zero; the driver may read it one day.
 *
 * mmap() at offset %TWHEEL_MMAP_RING, shared and from its start, of one page and
 * room for a power of two of &struct twheel_event, gives a ring, into which
 * all events go from then on instead of to read(), which fails with EBUSY. Event n
 * is at index n % @entries. The program reads @tail with acquire order, takes
 * the events from @head on, and writes the new @head with release order.
 *
 * If the ring is full, events wait in the kernel, TWHEEL_RING_MORE is set, and
 * poll() puts in what has room. poll() reports POLLIN while the ring has events.
 * What is in the ring has been delivered: it cannot be withdrawn any more. Who
 * waits with EPOLLET looks at TWHEEL_RING_MORE, and calls poll() if it is set.
 */
struct twheel_ring {
	__aligned_u64	tail;
	__u32		entries;
	__u32		offset;
	__u32		flags;
	__u32		reserved[11];
	__aligned_u64	head;
	__aligned_u64	unused[7];
};

#define TWHEEL_MMAP_RING	(1ULL << 32)
#define TWHEEL_RING_MORE	(1U << 0)

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
 * %TWHEEL_IOC_UPSERT and %TWHEEL_IOC_CANCEL_GROUP likewise.
 *
 * %TWHEEL_IOC_DRAIN returns how many timers it has taken back; 0 when there are
 * no more. EINTR if a signal arrived before the first, unless its handler has
 * SA_RESTART; ECANCELED if another call resumed before the first.
 *
 * %TWHEEL_IOC_EVENTFD returns 0. EBADF or EINVAL if @fd is no eventfd.
 *
 * %TWHEEL_IOC_CLOCK_SET, with the argument 0, asks for a TWHEEL_EVENT_CLOCK_SET
 * event whenever CLOCK_REALTIME is set from then on; it comes within a second or
 * two. Returns 0.
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
#define TWHEEL_IOC_UPSERT	_IOWR('t', 0xA6, struct twheel_op)
#define TWHEEL_IOC_CANCEL_GROUP	_IOWR('t', 0xA7, struct twheel_op)
#define TWHEEL_IOC_DRAIN	_IOW('t', 0xA8, struct twheel_drain)
#define TWHEEL_IOC_EVENTFD	_IOW('t', 0xA9, struct twheel_eventfd)
#define TWHEEL_IOC_CLOCK_SET	_IO('t', 0xAA)

#endif /* _UAPI_LINUX_TWHEEL_H */
