/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1-or-later OR MIT */
/*
 * twheel: millions of timers on one file descriptor
 *
 * Each open() of /dev/twheel creates an empty set of timers. The set belongs to
 * the open file description: descriptors from dup(), fork() or SCM_RIGHTS share
 * it, and each event goes to one of their readers. When the last descriptor is
 * closed and the last mapping is gone, all timers of the set end.
 *
 * Times are in nanoseconds. No timer expires early on its own clock. A timer
 * expires at the first tick of the system at or after its deadline, whether or
 * not the program makes a call at that time. The kernel finds the events of a
 * descriptor in the program's calls, and charges the program for that.
 *
 * An event is delivered when read() has returned it, or when the kernel has
 * written it into the ring of events. Until then the event is unread.
 *
 * Every structure has the same layout in 32-bit and 64-bit programs. A program
 * sets to zero all fields that an operation does not use, all reserved fields and
 * all flags that this header does not define.
 *
 * A higher minor version may give a meaning to new flags, event types and fields. A
 * program ignores those that it does not know. Every result that is not negative means
 * success.
 */
#ifndef _UAPI_LINUX_TWHEEL_H
#define _UAPI_LINUX_TWHEEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface: the major number changes if a program might break. */
#define TWHEEL_ABI_MAJOR	1
#define TWHEEL_ABI_MINOR	1

/**
 * struct twheel_info - what the driver can do, from TWHEEL_IOC_INFO
 * @abi_major: TWHEEL_ABI_MAJOR of the driver.
 * @abi_minor: TWHEEL_ABI_MINOR of the driver. A higher minor number only adds.
 * @resolution_ns: Length of a tick.
 * @features: %TWHEEL_FEATURE_ flags.
 * @clocks: Clocks that timers may use: bit n stands for the clock with number n.
 * @max_timers: Number of timers that this descriptor may hold.
 * @timers: Number of timers that this descriptor holds: pending timers, and
 *	expired timers whose last event is unread. While other threads add timers, up
 *	to 64 more for each of these threads.
 * @max_batch: Number of operations that one TWHEEL_IOC_BATCH may have.
 * @min_period_ns: Shortest period of a periodic timer: one tick.
 * @max_timers_user: Number of timers that all descriptors of one user may hold
 *	together; 2^64 - 1 if there is no limit. A descriptor counts for the user
 *	who opened it. The memory of the timers is limited too. twheel(4), under
 *	max_timers_user, says how, who counts as a user in a user namespace or a
 *	container, and who has no limit.
 * @timers_user: Number of timers that count against @max_timers_user now: of all
 *	descriptors that count for the same user as this one. While threads add
 *	timers, up to 64 more for each, like @timers.
 * @unread: Number of timers of this descriptor that have an unread event. If a signal
 *	arrives during the call, some may not be counted.
 * @table_entries: Size of the table of deadlines; 0 before its first mmap().
 * @ring_entries: Size of the ring of events; 0 before its first mmap().
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
#define TWHEEL_FEATURE_LEASE	(1ULL << 12)	/* TWHEEL_IOC_LEASE */
#define TWHEEL_FEATURE_WINDOW	(1ULL << 13)	/* window_ns */
#define TWHEEL_FEATURE_LIST	(1ULL << 14)	/* TWHEEL_IOC_LIST */
#define TWHEEL_FEATURE_KEEP_HANDLE (1ULL << 15)	/* TWHEEL_KEEP_HANDLE */
#define TWHEEL_FEATURE_URING	(1ULL << 16)	/* IORING_OP_URING_CMD */

/**
 * enum twheel_opcode - the operations
 * @TWHEEL_OP_ADD: Arm a new timer.
 *
 *	In: @flags, @clockid, @cookie, @time_ns, @period_ns, @group, @window_ns. Out:
 *	@handle.
 *
 *	Result: 0. Errors: EINVAL; ESHUTDOWN after TWHEEL_IOC_DRAIN; EDQUOT if
 *	the descriptor already holds @max_timers timers, or the user
 *	@max_timers_user, or if the timer needs memory and the user's timers already
 *	have as much as they may (see @max_timers_user); ENOSPC with TWHEEL_SHARED
 *	if the table is full or not mapped, or has no entry for a handle that the
 *	timer is to keep; EEXIST with TWHEEL_KEEP_HANDLE if there is a timer with that
 *	handle, or with the same TWHEEL_INDEX(); ENOMEM.
 * @TWHEEL_OP_CHANGE: Give a timer a new deadline, earlier or later. The timer keeps
 *	its clock, cookie, group, period and window, and the flags that a query tells. A
 *	periodic timer counts its periods from the new deadline.
 *
 *	In: @flags (TWHEEL_ABSTIME), @handle, @time_ns.
 *
 *	If the timer has an unread event, the kernel discards the event and arms
 *	the timer again. For a periodic timer, this discards every deadline that
 *	it has missed: @count starts anew, and with TWHEEL_EACH no event follows
 *	for the missed deadlines.
 *
 *	Result: 0 if the timer was pending, or TWHEEL_RETRACTED if an event was
 *	discarded. Errors: EINVAL, also for a timer on CLOCK_REALTIME without
 *	TWHEEL_ABSTIME; ENOENT.
 * @TWHEEL_OP_CANCEL: End a timer.
 *
 *	In: @handle.
 *
 *	Result: 0 if the timer was pending, or TWHEEL_RETRACTED if the timer had
 *	an unread event, which the kernel has discarded. In both cases no further
 *	event of the timer is delivered. Errors: EINVAL; ENOENT.
 * @TWHEEL_OP_QUERY: Look at a timer, and change nothing.
 *
 *	In: @handle, @flags (TWHEEL_ABSTIME). Out: @cookie, @time_ns, @period_ns,
 *	@clockid, @group, @window_ns, @flags.
 *
 *	With TWHEEL_ABSTIME, @time_ns is the deadline. Without it, @time_ns is how
 *	far the deadline is ahead of the clock, or 0 if it has come. To @flags the
 *	kernel adds TWHEEL_EACH, TWHEEL_RESTART and TWHEEL_SHARED as they were given
 *	to TWHEEL_OP_ADD, and TWHEEL_LEASED if the timer has a lease.
 *
 *	Result: 0 if the timer is pending, or TWHEEL_EXPIRED if it has an unread
 *	event. Errors: EINVAL; ENOENT.
 * @TWHEEL_OP_UPSERT: Change a timer, or add a timer if @handle names none.
 *
 *	In: as for TWHEEL_OP_ADD, but without TWHEEL_RESTORE; and @handle, which may
 *	be 0. Out: @handle, if a timer was added.
 *
 *	The kernel checks all fields as for TWHEEL_OP_ADD. If @handle names a
 *	timer, the kernel then changes the timer as TWHEEL_OP_CHANGE does: only
 *	@time_ns and TWHEEL_ABSTIME count. That works after TWHEEL_IOC_DRAIN, on
 *	a full descriptor and with a full table, too. If @handle names no timer,
 *	the kernel adds a timer.
 *
 *	Result: 0 or TWHEEL_RETRACTED as for TWHEEL_OP_CHANGE, or TWHEEL_ADDED.
 *	Errors: those of TWHEEL_OP_ADD; never ENOENT. If @handle names a timer, the
 *	only error is EINVAL.
 * @TWHEEL_OP_CANCEL_GROUP: End all timers of a group. A timer that another thread
 *	adds to the group at the same time may end or stay.
 *
 *	In: @group, not 0. Out: @time_ns: how many of the timers had an unread
 *	event, which the kernel has discarded.
 *
 *	Result: how many timers have ended. Errors: EINVAL; ENOENT if the group
 *	has no timers.
 *
 * ENOENT means that @handle names no timer of this descriptor: the last event of the
 * timer has been delivered, the timer was cancelled or drained, or there never was one.
 *
 * The kernel checks the fields of an operation before it looks for the timer:
 * EINVAL comes before ENOENT. Only the timer knows its clock, so EINVAL for a
 * relative time on CLOCK_REALTIME comes after ENOENT. An operation that adds a
 * timer fails with the first of EINVAL, ESHUTDOWN, EDQUOT, ENOSPC and EEXIST that
 * applies. If memory is short, ENOMEM may come instead of any of them but EINVAL.
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
 *	@time_ns is a reading of the clock. Without this flag @time_ns is a delay
 *	from now.
 * %TWHEEL_EACH, %TWHEEL_RESTART
 *	A periodic timer is not armed while it has an unread event. The flags say
 *	what becomes of the deadlines that the timer misses meanwhile. At most one
 *	of them may be set, and only with @period_ns.
 *
 *	Without a flag, one event stands for all missed deadlines. The next deadline
 *	is a whole number of periods later: the first that has not come.
 *
 *	With TWHEEL_EACH, each missed deadline has an event of its own.
 *
 *	With TWHEEL_RESTART, one event stands for all missed deadlines, and the next
 *	deadline is one period after the delivery. If CLOCK_REALTIME has been set
 *	back to before @expired_ns meanwhile, the next deadline is one period after
 *	@expired_ns.
 * %TWHEEL_RESTORE
 *	TWHEEL_OP_ADD ignores what @handle contains, which otherwise must be 0.
 *	TWHEEL_IOC_DRAIN sets this flag, so that a program can add the records
 *	unchanged. Every other operation refuses the flag with EINVAL.
 * %TWHEEL_KEEP_HANDLE
 *	The timer gets the handle in @handle. The flag needs TWHEEL_RESTORE. A handle
 *	below 2^24 is EINVAL: the kernel gives out no such handle. Later handles differ
 *	from this one, see @handle of &struct twheel_op.
 * %TWHEEL_SHARED
 *	The timer has an entry in the table of deadlines, see &struct twheel_word. A
 *	program pushes the deadline back through the entry, without a system call.
 *	@clockid must be CLOCK_MONOTONIC and @period_ns 0; otherwise the error is
 *	EINVAL.
 * %TWHEEL_LEASED
 *	TWHEEL_OP_QUERY, TWHEEL_IOC_LIST and TWHEEL_IOC_DRAIN set this flag if the timer
 *	has a lease, see &struct twheel_lease. TWHEEL_OP_ADD accepts the flag with
 *	TWHEEL_RESTORE, and makes no lease. Every other operation refuses it with EINVAL.
 */
#define TWHEEL_ABSTIME		(1U << 0)
#define TWHEEL_EACH		(1U << 1)
#define TWHEEL_RESTART		(1U << 2)
#define TWHEEL_RESTORE		(1U << 3)
#define TWHEEL_SHARED		(1U << 4)
#define TWHEEL_KEEP_HANDLE	(1U << 5)
#define TWHEEL_LEASED		(1U << 6)

/* Results of operations, see enum twheel_opcode. */
#define TWHEEL_RETRACTED	1
#define TWHEEL_EXPIRED		1
#define TWHEEL_ADDED		2

/**
 * struct twheel_op - one operation
 * @op: In a batch, one of enum twheel_opcode. In the ioctl of one operation, 0.
 * @flags: TWHEEL_ABSTIME, TWHEEL_EACH, TWHEEL_RESTART, TWHEEL_RESTORE, TWHEEL_SHARED,
 *	TWHEEL_KEEP_HANDLE, TWHEEL_LEASED.
 * @clockid: CLOCK_MONOTONIC; CLOCK_BOOTTIME, which includes time in suspend; or
 *	CLOCK_REALTIME, only with TWHEEL_ABSTIME. If CLOCK_REALTIME is set, the
 *	deadline comes sooner or later accordingly. Timers on all clocks are on the
 *	wheel. When CLOCK_REALTIME has been set, or the system resumes, the kernel files
 *	the timers on these two clocks again, in the program's calls.
 * @result: In: 0. Out, in a batch: the result, or a negative errno.
 * @handle: Names a timer of this descriptor; never 0. The same handle does not name
 *	another timer before 2^40 - 1 more adds. An add with TWHEEL_KEEP_HANDLE counts as
 *	up to 2^39 adds, and may bring back a handle that has named another timer. In a
 *	new descriptor, handles that the old one gave out and that were not restored may
 *	be given out anew. To avoid that, a program adds one more timer to the old
 *	descriptor after all others. It restores that timer first in the new descriptor,
 *	and cancels it later.
 * @cookie: Any value. The kernel returns it in each event.
 * @time_ns: A delay from now, or with TWHEEL_ABSTIME a reading of the clock. A value
 *	above 2^63 - 1 is EINVAL. A deadline that would be beyond 2^63 - 1, because
 *	of a delay or a period, becomes 2^63 - 1. If the deadline has passed already,
 *	the timer expires by the next tick, and its event has the deadline as given.
 * @period_ns: 0 for a one-shot timer. Otherwise the time from each deadline to the
 *	next, without drift: from @min_period_ns to 2^63 - 1.
 * @group: 0, or a tag that TWHEEL_OP_CANCEL_GROUP takes.
 * @window_ns: How late the timer may expire, in ns: 0 to 2^63 - 1. The timer expires at
 *	the deadline at the earliest, and at the first tick at or after the end of the
 *	window at the latest. The timer is pending until then, also for TWHEEL_OP_QUERY
 *	and TWHEEL_OP_CANCEL. So timers whose windows overlap expire together, and the
 *	system wakes up less often. Each deadline of a periodic timer has a window. An
 *	event may then stand for several deadlines, if the window is longer than the
 *	period. The window of a TWHEEL_SHARED timer begins at the deadline in the table.
 *	A window has an effect only on CLOCK_MONOTONIC, from 128 ticks on.
 * @reserved: The name of @window_ns in version 1.0.
 *
 * enum twheel_opcode says which fields an operation reads and which it fills in.
 * The kernel leaves the others as they were.
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
	/* private: ISO C99 has no unnamed union */ __extension__ /* public: */
	union {
		__aligned_u64	window_ns;
		__aligned_u64	reserved[1];
	};
};

/**
 * struct twheel_batch - many operations in one call
 * @ops: Pointer to an array of &struct twheel_op, as a number.
 * @count: Length of the array, 1 to twheel_info.max_batch.
 * @flags: Zero.
 * @reserved: Zero.
 *
 * The kernel carries out the operations in order, each as its own ioctl would. If
 * an operation fails, the kernel writes the error to its @result, leaves its other
 * fields as they were, and goes on with the next operation.
 */
struct twheel_batch {
	__aligned_u64	ops;
	__u32		count;
	__u32		flags;
	__aligned_u64	reserved[6];
};

/**
 * struct twheel_event - an event, from read() or in the ring
 * @handle: The timer. A one-shot timer ends when its event is delivered.
 * @cookie: The cookie of the timer.
 * @deadline_ns: The deadline, on the clock of the timer. If the event stands for
 *	several deadlines, the first of them.
 * @expired_ns: When the tick began at which the timer came due, on the same clock,
 *	however late the program looks; never before @deadline_ns. If the event stands for
 *	several deadlines, it is that of the first of them. See below for TWHEEL_EACH.
 * @count: How many deadlines this event stands for: 1, or more if the event of a
 *	periodic timer was delivered late. The kernel counts the deadlines at
 *	delivery. With TWHEEL_EACH always 1.
 * @type: TWHEEL_EVENT_TIMER, or TWHEEL_EVENT_CLOCK_SET. The latter means that
 *	CLOCK_REALTIME was set. The kernel notices that at once: @count is how often it
 *	has found the clock set since the last such event, and @expired_ns is what the
 *	clock said the first time. Changes in quick succession count once. @clockid is
 *	CLOCK_REALTIME. All other fields are 0.
 * @flags: TWHEEL_EVENT_LEASE_CLOSED if the timer expired because the last copy of its
 *	lease was closed. @deadline_ns is then the time of the close, unless the deadline
 *	was earlier. Otherwise zero.
 * @clockid: The clock of the timer.
 * @pad: Zero.
 * @reserved: Zero.
 *
 * Order: events come in the order of the ticks at which their timers came due, whatever
 * the clocks. Among the events of one clock, @expired_ns never goes back, with the two
 * exceptions below. A TWHEEL_EVENT_CLOCK_SET event comes before all unread events of
 * timers.
 *
 * The order of deadlines is not promised. Timers that come due at the same tick come in
 * any order. A timer whose deadline has passed when it is armed, or because a clock was
 * set, comes due at that time. If the program makes no call for a while, a TWHEEL_SHARED
 * timer may come at the tick of a deadline that it had before. A program that needs the
 * order sorts the events of a read() by @deadline_ns; libtwheel has twheel_sort_events()
 * for this. The next read() may still bring an earlier deadline.
 *
 * First exception: when the event of a TWHEEL_EACH timer has been delivered and the
 * next deadline has come, too, the timer goes to the end of the queue. Its next
 * event keeps the @expired_ns of the first missed deadline, or has its own
 * @deadline_ns if that is later. This may be before the @expired_ns of the
 * events in front of it.
 *
 * Second exception: CLOCK_REALTIME may be set back. An unread event stays as it is:
 * its @expired_ns may then be later than what the clock says at delivery. @count
 * includes the deadlines up to @expired_ns, or up to the delivery if that is later.
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

#define TWHEEL_EVENT_LEASE_CLOSED	(1U << 0)

/**
 * struct twheel_drain - stop a descriptor, and take its pending timers back
 * @ops: Pointer to an array of &struct twheel_op for the kernel to fill, as a number.
 * @count: Length of the array, 1 to 2^31 - 1.
 * @flags: Zero, or TWHEEL_DRAIN_RESUME: accept new timers again; @ops and @count
 *	must be 0 then.
 * @reserved: Zero.
 *
 * From the first call on, the descriptor is stopped: operations that would add a
 * timer fail with ESHUTDOWN, all others work. A call that fails with EINVAL does not
 * stop the descriptor. A call that fails with EFAULT, because the first record cannot
 * be written, or with EINTR has stopped it.
 *
 * Each call ends up to @count pending timers. For each of them the kernel writes a
 * TWHEEL_OP_ADD that arms the timer again: @time_ns is the time that was left, or for
 * a timer on CLOCK_REALTIME the deadline, with TWHEEL_ABSTIME. @handle is the old
 * handle, for reference.
 *
 * If a record cannot be written, its timer and all that follow stay pending. The
 * call returns the number of timers that it has taken back, or EFAULT if it has taken
 * none back. Records behind that number have no meaning.
 *
 * If another thread resumes the descriptor meanwhile, the call ends: with ECANCELED,
 * unless it has taken timers back.
 *
 * Expired timers stay for read(). A periodic timer is pending again when its event
 * has been delivered. To take back all timers, drain until the result is 0 and read
 * until EAGAIN, again and again until @timers of &struct twheel_info is 0.
 */
struct twheel_drain {
	__aligned_u64	ops;
	__u32		count;
	__u32		flags;
	__aligned_u64	reserved[6];
};

#define TWHEEL_DRAIN_RESUME	(1U << 0)

/**
 * struct twheel_list - look at all timers, and change nothing
 * @ops: Pointer to an array of &struct twheel_op for the kernel to fill, as a number.
 * @cursor: Where to begin: 0 in the first call, then what the last call has left here.
 * @count: Length of the array, 1 to 2^31 - 1.
 * @flags: 0 or TWHEEL_ABSTIME.
 * @reserved: Zero.
 *
 * For each timer the kernel writes a record, as TWHEEL_IOC_DRAIN does: a TWHEEL_OP_ADD with
 * TWHEEL_RESTORE that arms the timer again. @result is 0 if the timer is pending, or
 * TWHEEL_EXPIRED if it has an unread event; a program sets it to 0 before it adds the
 * record. With TWHEEL_ABSTIME, @time_ns is the deadline. Without it, @time_ns is the time
 * that is left, 0 for an expired timer; for a timer on CLOCK_REALTIME always the deadline,
 * with TWHEEL_ABSTIME.
 *
 * A program calls until the result is 0. A timer that is there from the first call to the
 * last is listed exactly once, whatever changes meanwhile. A timer that is added or ends
 * meanwhile may be listed or not. Each record is what the timer was at some time during
 * the call. The timers come in no particular order.
 *
 * If a record cannot be written, the call returns the number of records before that one, or
 * EFAULT if there are none. Records behind the number that a call returns have no meaning.
 * A call that fails leaves @cursor as it was. A program that repeats a call with the same
 * @cursor gets the same timers, as far as they are still there.
 */
struct twheel_list {
	__aligned_u64	ops;
	__aligned_u64	cursor;
	__u32		count;
	__u32		flags;
	__aligned_u64	reserved[5];
};

/**
 * struct twheel_eventfd - have an eventfd signalled when timers expire
 * @fd: The eventfd, or -1 to stop signalling.
 * @flags: Zero.
 * @reserved: Zero.
 *
 * The kernel adds 1 to the counter of the eventfd whenever it wakes the readers of the
 * descriptor: when it finds that a timer has come due. It wakes them once until the
 * program has made a call on the descriptor, or has closed a copy of it. With O_ASYNC,
 * it wakes them twice at most: perhaps before it has found the event, and with the signal. A
 * program that is woken reads until EAGAIN, or polls. The kernel does not wake for an
 * event that the program has read before the kernel looks, and need not wake for one
 * that a call has found. If there are events when the ioctl is called, the kernel adds 1
 * at once. The counter does not say how many events there are. It may be none: then the
 * kernel had more to do for the descriptor than it does by itself, and the program's
 * call does it.
 * A signal (O_ASYNC) comes only when there is an event. Until then the kernel looks at the
 * descriptor at each tick. A close() of a copy of the descriptor, in any process, wakes the
 * readers and adds 1, but sends no signal, if there are unread events, or if the program has
 * been woken and has not called since. An execve() that closes it does the same.
 */
struct twheel_eventfd {
	__s32		fd;
	__u32		flags;
	__aligned_u64	reserved[7];
};

/**
 * struct twheel_lease - let another process push a deadline back
 * @handle: The timer, which must be pending. It must be one-shot, on CLOCK_MONOTONIC, and
 *	without TWHEEL_SHARED.
 * @cap_ns: How far ahead of the clock a push may move the deadline, 1 to 2^63 - 1.
 * @flags: Zero, or TWHEEL_LEASE_EXPIRE_ON_CLOSE.
 * @fd: In: 0. Out: the descriptor of the lease. It has the flag O_CLOEXEC.
 * @reserved: Zero.
 *
 * The owner of a timer makes a lease and gives its descriptor to another process, the
 * holder: by fork(), exec() or SCM_RIGHTS. While the holder lives and works, it pushes
 * the deadline back. If it dies or hangs, the timer expires and the owner gets the event.
 *
 * A holder can do three things, and no other:
 *
 * - It pushes the deadline back to @cap_ns from now, by a write() of one or more bytes,
 *   which the kernel does not read, or by %TWHEEL_LEASE_IOC_PUSH. Or it pushes the deadline
 *   back to a number of nanoseconds from now, at most @cap_ns, by
 *   %TWHEEL_LEASE_IOC_PUSH_BY. A push never makes the deadline earlier: if the deadline
 *   is later already, the push changes nothing.
 * - It asks by %TWHEEL_LEASE_IOC_LEFT how many nanoseconds are left.
 * - It polls. poll() reports POLLHUP from the end of the lease on, and POLLOUT before.
 *
 * The kernel charges the holder for the holder's own timer only. A holder's call looks for no
 * events of the owner.
 *
 * A lease ends when its timer expires, is cancelled or drained, when the owner closes the
 * set of timers, or when the last copy of the lease is closed. The end is final. Pushes
 * and questions then fail with ENOENT and change nothing: no holder withdraws an event.
 * If the owner arms an expired timer again by TWHEEL_OP_CHANGE, the timer has no lease,
 * and the owner may make a new one.
 *
 * When the last copy of a lease is closed, also because its holder has died, the timer
 * goes on to its deadline. With %TWHEEL_LEASE_EXPIRE_ON_CLOSE, the timer expires at once
 * instead, and its event has TWHEEL_EVENT_LEASE_CLOSED. read() and poll() find the event at
 * once, or at the next tick if other timers are due. A program that waits already is woken as
 * for a timer that is due at the next tick.
 *
 * The owner may change the deadline of a leased timer at any time, also to an earlier
 * one. The lease goes on.
 *
 * A lease keeps neither the owner's descriptor nor its timers. It counts for the user
 * who opened that descriptor, like the timer, and until it ends. A lease whose timer has
 * expired may count until a call of the owner has found that. The module parameter
 * max_leases_user says how many a user may have.
 *
 * Errors of %TWHEEL_IOC_LEASE, which then changes nothing: EINVAL; EMFILE or ENFILE if
 * there are too many descriptors or files; ENOENT if @handle names no pending timer; EINVAL
 * if the timer cannot have a lease; EBUSY if the timer has a lease; EDQUOT if the user
 * has as many leases as allowed; ENOMEM; EFAULT.
 *
 * Errors of the calls on a lease: EINVAL for more than @cap_ns, or for an argument of
 * TWHEEL_LEASE_IOC_PUSH that is not 0; ENOENT if the lease has ended; EFAULT; ENOTTY for any
 * other ioctl. TWHEEL_LEASE_IOC_LEFT fails with ENOENT rather than with EFAULT, the other
 * calls rather with EINVAL or EFAULT than with ENOENT. write() of 0 bytes returns 0 and
 * does nothing. There is no read(): EINVAL.
 */
struct twheel_lease {
	__aligned_u64	handle;
	__aligned_u64	cap_ns;
	__u32		flags;
	__s32		fd;
	__aligned_u64	reserved[5];
};

#define TWHEEL_LEASE_EXPIRE_ON_CLOSE	(1U << 0)

/**
 * struct twheel_word - entry of the table of deadlines
 * @deadline: The deadline on CLOCK_MONOTONIC. If TWHEEL_WORD_CLOSED is set, the
 *	timer has expired, or the entry has no timer.
 * @handle: The timer that has the entry, or had it last.
 *
 * mmap() of the descriptor at offset %TWHEEL_MMAP_TABLE maps an array of these
 * entries, in native byte order. The length of the first mmap(), rounded up to
 * whole pages, fixes the size of the table: 2^24 entries at most. A TWHEEL_SHARED
 * timer has the entry TWHEEL_INDEX(handle).
 *
 * A program pushes a deadline back in three steps:
 *
 * 1. It reads @deadline, with acquire order, and gives up if TWHEEL_WORD_CLOSED is
 *    set.
 * 2. It reads @handle, and gives up if @handle is not the timer it means.
 * 3. It replaces the deadline that it has read by a later one, with an atomic
 *    compare-and-exchange.
 *
 * If the exchange succeeds, the timer does not expire before the new deadline. If
 * it fails, the program starts again with the first step: another thread has changed
 * the deadline, or the timer has expired and its event has been or will be delivered.
 *
 * The kernel looks at an entry when the deadline that the kernel knows has come. If
 * @deadline is later than now, it becomes the new deadline. Otherwise the timer
 * expires, also if TWHEEL_WORD_CLOSED is set. An earlier deadline in the entry has
 * therefore no effect; TWHEEL_OP_CHANGE makes a deadline earlier. The kernel looks at
 * entries by itself within the tick budget: see twheel(4), tick_budget. If more deadlines
 * come, the kernel wakes the program. The program's next call then looks at the entries,
 * and the program is charged for that. So an eventfd may be signalled without an event.
 *
 * TWHEEL_OP_QUERY says TWHEEL_EXPIRED as soon as the deadline in the entry has passed. Until
 * the kernel has looked at the entry, a push still succeeds, and the timer is pending again.
 *
 * The kernel never reads @handle.
 * A program that writes anything else into the table harms only the timers of this
 * descriptor.
 *
 * The kernel uses the entries in turn: it uses an entry again only after all others.
 *
 * Rules for mappings of the table and of the ring:
 *
 * - The descriptor must be open for reading and writing (O_RDWR): otherwise the error
 *   is EACCES, or EINVAL for a mapping with PROT_READ alone of an O_RDONLY
 *   descriptor. The mapping itself may be read-only.
 * - The mapping must be MAP_SHARED, must not be executable, and begins at the start
 *   of the table or the ring.
 * - All mappings show the same memory. A mapping that is shorter than the first one
 *   shows the beginning, and changes no size. A longer one fails with EINVAL.
 * - munmap() does not end the table or the ring. A later mmap() shows the same memory,
 *   as it is by then.
 * - A child from fork() shares the mappings along with the descriptor. A mapping
 *   keeps the open file and its timers, as a descriptor does.
 *
 * Errors of mmap():
 *
 * - EACCES: see above.
 * - EINVAL: another offset, a private or executable mapping, or a length that is not
 *   allowed.
 * - EDQUOT: the mapping is larger than one page and one event for each timer that the
 *   descriptor may hold. Or the tables and rings of the user are together larger than
 *   two such mappings for @max_timers_user timers.
 * - ENOMEM.
 * - EOPNOTSUPP: the kernel is a 32-bit kernel. It does not report TWHEEL_FEATURE_TABLE
 *   and TWHEEL_FEATURE_RING either. For the ring, such a kernel itself may return
 *   EOVERFLOW: the offset is too large for it.
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
 * @tail: How many events the kernel has written. Only the kernel writes this field.
 * @entries: Size of the ring, a power of two.
 * @offset: Where the events begin, from the start of the mapping.
 * @flags: TWHEEL_RING_MORE. Only the kernel writes this field.
 * @reserved: For the kernel.
 * @head: How many events the program has consumed. Only the program writes this field.
 * @unused: The program leaves it zero; a later driver may read it.
 *
 * mmap() of the descriptor at offset %TWHEEL_MMAP_RING maps a ring. Its length is
 * one page, and room for a power of two of &struct twheel_event, up to 64 MiB. The
 * length of the first mmap() fixes the size of the ring; see &struct twheel_word for
 * the rules of mappings.
 *
 * From the first mmap() on, the kernel delivers all events into the ring. Events that
 * are unread at that time go into the ring first, in their order. read() fails with
 * EBUSY, also a read() that is waiting.
 *
 * Event n is at index n % @entries. The program reads @tail with acquire order, takes
 * the events from @head on, and writes the new @head with release order. Processes and
 * threads that share the ring share one @head.
 *
 * If the ring is full, further events wait in the kernel, and TWHEEL_RING_MORE is
 * set. poll() moves as many of them into the ring as have room, and at most 1,024. The
 * kernel also moves events by itself, within the tick budget that it has for all programs of
 * a CPU: see twheel(4), tick_budget. TWHEEL_RING_MORE is set while more events wait, and
 * from when the kernel wakes the program until the program makes a call. The kernel charges
 * a poll() to the program that makes it.
 *
 * poll() reports POLLIN while the ring has events. It may also report POLLIN if another
 * thread has just emptied the ring and more events wait: the next poll() moves them. A
 * program that waits with EPOLLET, by Linux AIO (IOCB_CMD_POLL), for an eventfd or for a
 * signal, or that does not wait, looks at TWHEEL_RING_MORE, and calls poll() with a timeout
 * of 0 if it is set: the kernel does not wake it again before it has made a call. That
 * poll() may find no event.
 *
 * An event in the ring is delivered: TWHEEL_OP_CHANGE and TWHEEL_OP_CANCEL do not
 * withdraw it.
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
 * struct twheel_uring_cmd - a call on the descriptor, as a command of io_uring
 * @arg: The argument of the ioctl(), as a number: a pointer to its structure.
 * @reserved: Zero.
 *
 * A program may submit each %TWHEEL_IOC_ call to io_uring instead: an IORING_OP_URING_CMD
 * with the call in cmd_op, the flag 0 in uring_cmd_flags, and this structure in cmd. The
 * call does what the ioctl() does. Its result, or a negative errno, is the res of the
 * completion.
 *
 * The kernel carries out TWHEEL_IOC_INFO, TWHEEL_IOC_CLOCK_SET, operations and batches while
 * it submits the command. So they are completed when io_uring_enter() returns, unless the
 * request has IOSQE_ASYNC, IOSQE_IO_DRAIN or a link, or the io_uring has a polling thread.
 * TWHEEL_IOC_DRAIN, TWHEEL_IOC_LIST, TWHEEL_IOC_EVENTFD and TWHEEL_IOC_LEASE run in a thread
 * of io_uring.
 *
 * The structures that @arg and twheel_batch.ops point to must stay until the completion.
 * The kernel may take page faults on them during the submission. The fd of &struct
 * twheel_eventfd, and that of &struct twheel_lease, belongs to the task that created the
 * thread which carries out the command.
 *
 * Errors besides those of the ioctl(): EINVAL if @reserved or uring_cmd_flags is not zero.
 * EOPNOTSUPP without TWHEEL_FEATURE_URING: the driver is older than interface version 1.1,
 * or the kernel has no io_uring.
 */
struct twheel_uring_cmd {
	__aligned_u64	arg;
	__aligned_u64	reserved;
};

/**
 * DOC: calls on /dev/twheel
 *
 * open(): every access mode allows every ioctl and poll(). read() needs O_RDONLY or
 * O_RDWR, mmap() needs O_RDWR. There is no write(): EINVAL.
 *
 * %TWHEEL_IOC_INFO fills in a &struct twheel_info.
 *
 * %TWHEEL_IOC_ADD, %TWHEEL_IOC_CHANGE, %TWHEEL_IOC_CANCEL, %TWHEEL_IOC_QUERY,
 * %TWHEEL_IOC_UPSERT and %TWHEEL_IOC_CANCEL_GROUP carry out one operation. They
 * return its result, or -1 with its error in errno, and leave @result of the
 * structure as it was. TWHEEL_IOC_CHANGE and TWHEEL_IOC_CANCEL write nothing to the
 * structure.
 *
 * %TWHEEL_IOC_BATCH returns how many operations were carried out and have their
 * results in the array: @count, or fewer if a signal arrived or part of the array
 * could not be read or written. It returns -1 only if no operation was carried out.
 *
 * %TWHEEL_IOC_DRAIN returns how many timers it has taken back, or 0 when no pending
 * timer is left; %TWHEEL_IOC_LIST how many records it has written, or 0 when no further
 * timer is left. Both fail with EINTR if a signal arrived before there was a record,
 * unless the handler has SA_RESTART. TWHEEL_IOC_DRAIN may fail with ECANCELED, see
 * &struct twheel_drain.
 *
 * %TWHEEL_IOC_EVENTFD returns 0. It fails with EBADF or EINVAL if @fd is not an
 * eventfd.
 *
 * %TWHEEL_IOC_CLOCK_SET takes the argument 0 and returns 0. From then on, the kernel
 * adds a TWHEEL_EVENT_CLOCK_SET event when CLOCK_REALTIME has been set: usually within
 * two ticks.
 *
 * %TWHEEL_IOC_LEASE returns 0. On the descriptor that it fills in, %TWHEEL_LEASE_IOC_PUSH
 * takes the argument 0, %TWHEEL_LEASE_IOC_PUSH_BY a pointer to a number of nanoseconds, and
 * %TWHEEL_LEASE_IOC_LEFT a pointer to the number to fill in. All three return 0.
 *
 * Errors of all calls: EFAULT if the structure cannot be read or written. EINVAL if a
 * field that must be zero is not, a flag is unknown or a value is out of range.
 * ENOTTY for any other call.
 *
 * After EFAULT, a timer whose handle could not be returned is not armed. Before
 * the kernel carries out operations of a batch, 64 at a time, it makes sure that it
 * can write their results. No result is lost unless the program takes the memory
 * away during the call.
 *
 * read() returns as many events as fit into the buffer, in the order that &struct
 * twheel_event describes. It waits for the first event, unless the descriptor is
 * O_NONBLOCK or the call is preadv2() with RWF_NOWAIT: EAGAIN, which always means that
 * there is no event. Page faults on the buffer are taken, whatever the flags. read() fails
 * with EINVAL if the buffer is too small for one event, and with EFAULT if the buffer
 * cannot be written; the events then stay unread. poll() reports POLLIN while there are
 * events. It may report POLLIN without an event if more than 1,024 timers of the
 * descriptor were to be looked at. A poll by io_uring or Linux AIO may, at any time.
 *
 * If several processes wait with EPOLLEXCLUSIVE, or for one epoll, a wake-up goes to one of
 * them. Another one is woken if a process closes a descriptor of the open file, or dies
 * with one, while there are unread events. Files that only io_uring or a socket holds do
 * not count.
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
#define TWHEEL_IOC_LEASE	_IOWR('t', 0xAB, struct twheel_lease)
#define TWHEEL_IOC_LIST		_IOWR('t', 0xAC, struct twheel_list)

/* On the descriptor of a lease. */
#define TWHEEL_LEASE_IOC_PUSH	_IO('t', 0xB0)
#define TWHEEL_LEASE_IOC_PUSH_BY _IOW('t', 0xB1, __u64)
#define TWHEEL_LEASE_IOC_LEFT	_IOR('t', 0xB2, __u64)

#endif /* _UAPI_LINUX_TWHEEL_H */
