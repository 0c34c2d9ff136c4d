/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * libtwheel: /dev/twheel for programs
 *
 * A thin layer over <linux/twheel.h>, which documents the calls and the structures.
 *
 *  - Functions return 0 or more, or a negative errno. They may change errno, but
 *    report nothing in it.
 *  - A function that has done a part of its work returns how much, not an error. The
 *    next call returns the error if it persists.
 *  - Descriptors are plain file descriptors: poll() them, pass them to other processes,
 *    close() them.
 *  - The library keeps no state, allocates no memory and starts no threads. Any
 *    thread may call any function at any time, except that one thread at a time
 *    consumes a ring.
 *  - The protocols of the two mappings are inline functions.
 *  - Times are from 0 to 2^63 - 1 ns. A call that gets another one returns -EINVAL. A
 *    negative number is another one: as a uint64_t, it is above 2^63 - 1. Only
 *    twheel_push_back() takes any number.
 *  - A wait takes at most INT_MAX ms, 24.8 days. To wait longer, call again.
 *
 * Link with -ltwheel. The inline functions need no library. libtwheel-ffi exports them as
 * well, for languages that cannot use a C header.
 */
#ifndef _LIBTWHEEL_H
#define _LIBTWHEEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <linux/twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBTWHEEL_VERSION_MAJOR	1
#define LIBTWHEEL_VERSION_MINOR	1

/**
 * twheel_version - the version of the library
 *
 * Return: "MAJOR.MINOR" of the library that runs. %LIBTWHEEL_VERSION_MAJOR and
 * %LIBTWHEEL_VERSION_MINOR are those of the header that the program was compiled with.
 */
const char *twheel_version(void);

/*
 * Descriptors
 */

/**
 * twheel_open - open /dev/twheel
 * @flags: 0 or O_NONBLOCK. The library adds O_RDWR and O_CLOEXEC.
 *
 * Return: A descriptor without timers, or an error of open(): -ENOENT if the module is
 * not loaded; -EACCES if the user may not use the device. -EPROTO if the driver has
 * another major version of the interface. -EINVAL if @flags has a flag other than
 * O_NONBLOCK and O_CLOEXEC.
 */
int twheel_open(int flags);

/**
 * twheel_open_path - open the device by another name
 * @path: The path of the device.
 * @flags: The flags of twheel_open().
 *
 * Return: As twheel_open(), or -ENODEV if @path is not the device of twheel.
 */
int twheel_open_path(const char *path, int flags);

/**
 * twheel_close - close a descriptor
 * @fd: The descriptor. The timers of an open file end with its last descriptor.
 *
 * Return: 0 or an error of close(). The descriptor is closed in any case, except after
 * -EBADF.
 */
int twheel_close(int fd);

/**
 * twheel_get_info - get the abilities of the driver and the number of timers
 * @fd: The descriptor.
 * @info: Filled in.
 *
 * Return: 0 or an error.
 */
int twheel_get_info(int fd, struct twheel_info *info);

/*
 * Operations. The functions for one operation set @op->result to 0, and ignore @op->op.
 */

/**
 * twheel_after - make an operation that adds a timer with a delay
 * @delay_ns: The delay, counted from the call that adds the timer.
 * @cookie: A number that comes back with the event.
 *
 * Return: The operation. The program may change its fields before using it.
 */
static inline struct twheel_op twheel_after(uint64_t delay_ns, uint64_t cookie)
{
	struct twheel_op op;

	memset(&op, 0, sizeof(op));
	op.op = TWHEEL_OP_ADD;
	op.clockid = CLOCK_MONOTONIC;
	op.time_ns = delay_ns;
	op.cookie = cookie;
	return op;
}

/**
 * twheel_at - make an operation that adds a timer with a deadline
 * @clockid: CLOCK_MONOTONIC, CLOCK_BOOTTIME or CLOCK_REALTIME.
 * @deadline_ns: The deadline, as a reading of that clock.
 * @cookie: A number that comes back with the event.
 *
 * Return: The operation.
 */
static inline struct twheel_op twheel_at(clockid_t clockid, uint64_t deadline_ns,
					 uint64_t cookie)
{
	struct twheel_op op = twheel_after(deadline_ns, cookie);

	op.clockid = (uint32_t)clockid;
	op.flags = TWHEEL_ABSTIME;
	return op;
}

/**
 * twheel_every - make an operation that adds a periodic timer
 * @period_ns: The period, and the delay before the timer expires first. Adding the timer
 *	fails with -EINVAL if the period is 0, or otherwise too short.
 * @cookie: A number that comes back with each event.
 *
 * Return: The operation. The program may add TWHEEL_EACH or TWHEEL_RESTART to its flags.
 */
static inline struct twheel_op twheel_every(uint64_t period_ns, uint64_t cookie)
{
	struct twheel_op op = twheel_after(period_ns, cookie);

	/* 0 would mean a one-shot timer. */
	op.period_ns = period_ns ? period_ns : 1;
	return op;
}

/**
 * twheel_now - read a clock
 * @clockid: The clock.
 *
 * Return: The time in ns.
 */
static inline uint64_t twheel_now(clockid_t clockid)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(clockid, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/**
 * twheel_add - add a timer
 * @fd: The descriptor.
 * @op: The operation, from one of the functions above. Its handle is filled in.
 *
 * Return: 0, or an error of TWHEEL_OP_ADD.
 */
int twheel_add(int fd, struct twheel_op *op);

/**
 * twheel_change - give a timer a new deadline
 * @fd: The descriptor.
 * @handle: The timer.
 * @time_ns: The deadline, as a delay or as a reading of a clock.
 * @flags: 0 if @time_ns is a delay from now, TWHEEL_ABSTIME if it is a reading of the
 *	timer's clock.
 *
 * Return: 0 if the timer was pending; TWHEEL_RETRACTED if it had expired and its event
 * was withdrawn; or an error: -ENOENT if the timer is gone.
 */
int twheel_change(int fd, uint64_t handle, uint64_t time_ns, uint32_t flags);

/**
 * twheel_cancel - end a timer
 * @fd: The descriptor.
 * @handle: The timer.
 *
 * Return: 0 if the timer was pending; TWHEEL_RETRACTED if it had expired and its event
 * was withdrawn; or an error: -ENOENT if the timer is gone, because its last event has
 * been read or because it was cancelled before.
 */
int twheel_cancel(int fd, uint64_t handle);

/**
 * twheel_query - get the state of a timer
 * @fd: The descriptor.
 * @handle: The timer.
 * @op: Filled in: @cookie, @time_ns, @period_ns, @window_ns, @clockid, @group and @flags.
 * @flags: 0 to get the remaining time in @time_ns, TWHEEL_ABSTIME to get the deadline
 *	on the timer's clock.
 *
 * Return: 0 if the timer is pending; TWHEEL_EXPIRED if its event is unread; or an error:
 * -ENOENT if the timer is gone.
 */
int twheel_query(int fd, uint64_t handle, struct twheel_op *op, uint32_t flags);

/**
 * twheel_upsert - change a timer, or add it if it is gone
 * @fd: The descriptor.
 * @op: The operation that adds the timer, with the timer's handle or 0. The handle is
 *	filled in if a timer was added.
 *
 * Return: 0 or TWHEEL_RETRACTED, as twheel_change(); TWHEEL_ADDED if a timer was added;
 * or an error.
 */
int twheel_upsert(int fd, struct twheel_op *op);

/**
 * twheel_cancel_group - end all timers of a group
 * @fd: The descriptor.
 * @group: The tag of the group.
 * @retracted: If not %NULL: set to the number of these timers that had expired.
 *
 * Return: The number of timers that were ended, or an error: -ENOENT if the group had
 * none.
 */
int twheel_cancel_group(int fd, uint64_t group, uint64_t *retracted);

/**
 * twheel_submit - carry out any number of operations
 * @fd: The descriptor.
 * @ops: The operations, with @op set and @result 0. Each gets its result in @result.
 * @count: The number of operations.
 *
 * The call goes on after signals.
 *
 * Return: The number of operations that were carried out. A number below @count means
 * that an error followed; submitting the rest returns the error. If no operation was
 * carried out, the error.
 */
long twheel_submit(int fd, struct twheel_op *ops, size_t count);

/**
 * twheel_drain - refuse new timers, and take the pending ones back
 * @fd: The descriptor.
 * @ops: Filled with operations that would add the timers again.
 * @room: The number of operations that fit into @ops, at least 1.
 *
 * The call goes on after signals. A timer is taken back once its operation is in
 * @ops, and the return value counts every such timer, also if an error follows. A
 * program that needs all pending timers calls again until the return value is 0 or an
 * error.
 *
 * Each call stops the descriptor again, also after a twheel_resume(). A program whose
 * threads call both has to order the calls.
 *
 * Return: The number of timers taken back. A number below @room means that no other timer
 * was pending, or that an error followed. 0 if no timer was pending. If no timer was
 * taken back, an error: -ECANCELED if another thread called twheel_resume() meanwhile,
 * -EFAULT if @ops cannot be written.
 */
long twheel_drain(int fd, struct twheel_op *ops, size_t room);

/**
 * twheel_resume - accept new timers again
 * @fd: The descriptor.
 *
 * Return: 0 or an error.
 */
int twheel_resume(int fd);

/**
 * twheel_list - list the timers of a descriptor
 * @fd: The descriptor.
 * @cursor: Where to begin. 0 at first; every call leaves here where to go on.
 * @ops: Filled with an operation for each timer, which arms the timer again. Its @result
 *	is 0 if the timer is pending, or TWHEEL_EXPIRED if its event is unread.
 * @room: The number of operations that fit into @ops.
 * @flags: 0 to get the remaining time in @time_ns, TWHEEL_ABSTIME to get the deadline.
 *
 * A timer that is there from the first call to the last is listed once, whatever other
 * threads do meanwhile. The call goes on after signals, and changes no timer.
 *
 * Return: The number of timers listed. A number below @room means that no other timer is
 * left, or that an error followed. If no timer was listed, an error: -EFAULT if @ops cannot
 * be written, -EINVAL if @cursor is not from a call of this function, -ENOTTY if the driver
 * has no TWHEEL_FEATURE_LIST.
 */
long twheel_list(int fd, uint64_t *cursor, struct twheel_op *ops, size_t room,
		 uint32_t flags);

/**
 * twheel_restore - arm timers under their old handles
 * @fd: The descriptor: another one; or the same, after twheel_drain() and then twheel_resume().
 * @ops: The operations, from twheel_drain() or twheel_list(). The function sets their @op,
 *	their @result and in their @flags TWHEEL_RESTORE and TWHEEL_KEEP_HANDLE.
 * @count: The number of operations.
 *
 * A timer that had expired expires again: its record has no time left, or a deadline that
 * has passed.
 *
 * Return: As twheel_submit(): the number of operations that were carried out. The @result
 * of each says whether it has armed its timer: -EEXIST if the handle is taken, -ESHUTDOWN
 * if the descriptor is stopped, -EDQUOT at a limit of the user, -ENOSPC if the timer has
 * TWHEEL_SHARED and the table has no entry for it, -EINVAL if the driver has no
 * TWHEEL_FEATURE_KEEP_HANDLE.
 */
long twheel_restore(int fd, struct twheel_op *ops, size_t count);

struct io_uring_sqe;

/**
 * twheel_prep_command - prepare a request of io_uring that makes a call
 * @sqe: The entry of the submission queue. All of its 64 bytes are set; the program
 *	sets user_data and flags afterwards.
 * @fd: The descriptor.
 * @call: A %TWHEEL_IOC_ call, for example TWHEEL_IOC_BATCH.
 * @argument: The call's structure, which has to stay until the completion. In the calls
 *	of one operation, its @op is 0.
 *
 * The program submits the request and takes its completion, with liburing or without. Its
 * res is what the ioctl() returns, or a negative errno; -EOPNOTSUPP if the driver has no
 * TWHEEL_FEATURE_URING.
 */
void twheel_prep_command(struct io_uring_sqe *sqe, int fd, uint32_t call, void *argument);

/*
 * Events
 */

/**
 * twheel_read - read events
 * @fd: The descriptor.
 * @events: Filled with events.
 * @room: The number of events that fit into @events, at least 1.
 *
 * Return: The number of events read; or an error: -EAGAIN if there is no event and the
 * descriptor is O_NONBLOCK, -EINTR after a signal, -EBUSY if events go to a ring.
 */
long twheel_read(int fd, struct twheel_event *events, size_t room);

/**
 * twheel_sort_events - sort events by deadline
 * @events: The events of one or more twheel_read(), or copies of events of a ring.
 * @n: The number of events.
 *
 * The kernel delivers events in the order of the ticks at which their timers came due;
 * twheel(4) has the exceptions. It does not promise the order of deadlines for timers
 * that expire on the same tick, or whose deadline has passed when they are armed. This
 * function puts the events of one array in the order of deadlines. An event that is
 * read later may still have an earlier deadline.
 *
 * TWHEEL_EVENT_CLOCK_SET events come first. The other events follow clock by clock, in
 * the order of the clocks' numbers (CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME),
 * because deadlines on different clocks cannot be compared. The events of a clock are
 * in the order of @deadline_ns. Events that this leaves equal keep their order.
 */
void twheel_sort_events(struct twheel_event *events, size_t n);

/**
 * twheel_wait - wait for events
 * @fd: The descriptor.
 * @timeout_ms: The timeout of poll() in ms; -1 for none.
 *
 * If events go to a ring, the call also lets the kernel fill the ring.
 *
 * Return: 1 if there are events, 0 after the timeout, or an error: -EINTR after a
 * signal.
 */
int twheel_wait(int fd, int timeout_ms);

/**
 * twheel_set_eventfd - signal an eventfd when timers expire
 * @fd: The descriptor.
 * @eventfd: The eventfd, or -1 to stop signalling.
 *
 * The kernel signals it once, and not again before the program has made a call on @fd; and not
 * for events that a call has found first. So a program that is woken reads until there is no
 * event left.
 *
 * Return: 0 or an error.
 */
int twheel_set_eventfd(int fd, int eventfd);

/**
 * twheel_watch_clock - ask for an event whenever CLOCK_REALTIME is set
 * @fd: The descriptor.
 *
 * Return: 0 or an error.
 */
int twheel_watch_clock(int fd);

/*
 * Leases
 */

/**
 * twheel_lease - let another process push a deadline back
 * @fd: The descriptor.
 * @handle: The timer: pending, one-shot, on CLOCK_MONOTONIC, without TWHEEL_SHARED.
 * @cap_ns: How far ahead of the clock a push may move the deadline.
 * @flags: 0, or TWHEEL_LEASE_EXPIRE_ON_CLOSE: the timer expires as soon as the last copy of
 *	the lease is closed.
 *
 * The program gives the lease to another process by fork(), exec() or SCM_RIGHTS, and
 * closes its own copy. The descriptor has O_CLOEXEC.
 *
 * Return: The descriptor of the lease; or an error: -ENOENT if the timer is not pending,
 * -EINVAL if it cannot have a lease, -EBUSY if it has one, -EDQUOT if the user has as many
 * leases as allowed, -ENOTTY if the driver has no TWHEEL_FEATURE_LEASE.
 */
int twheel_lease(int fd, uint64_t handle, uint64_t cap_ns, uint32_t flags);

/**
 * twheel_lease_push - push the deadline back to the cap
 * @lease: The lease.
 *
 * A push never makes the deadline earlier.
 *
 * Return: 0 or an error: -ENOENT if the lease has ended.
 */
int twheel_lease_push(int lease);

/**
 * twheel_lease_push_by - push the deadline back to some time from now
 * @lease: The lease.
 * @delay_ns: The time from now, at most the cap.
 *
 * Return: 0 or an error: -ENOENT if the lease has ended, -EINVAL if @delay_ns is above the
 * cap.
 */
int twheel_lease_push_by(int lease, uint64_t delay_ns);

/**
 * twheel_lease_left - ask how much time is left
 * @lease: The lease.
 * @left_ns: Set to the time until the deadline, or to 0 after an error.
 *
 * Return: 0 or an error: -ENOENT if the lease has ended.
 */
int twheel_lease_left(int lease, uint64_t *left_ns);

/**
 * twheel_lease_wait - wait for the end of a lease
 * @lease: The lease.
 * @timeout_ms: The timeout of poll() in ms; -1 for none.
 *
 * Return: 1 if the lease has ended, 0 after the timeout, or an error: -EINTR after a
 * signal.
 */
int twheel_lease_wait(int lease, int timeout_ms);

/**
 * twheel_lease_from_env - take the lease that "twheelctl run" has given the program
 * @lease_ns: If not %NULL: set to the length of the lease. A holder pushes about three times in
 *	this time.
 *
 * The variables TWHEEL_LEASE_FD and TWHEEL_LEASE_NS say what the lease is. The function sets
 * O_CLOEXEC: a child that executes a program does not keep the lease.
 *
 * Return: The descriptor of the lease, which may have ended; or an error: -ENOENT if a variable
 * is not set, -EINVAL if it is no number, -EBADF or -ENOTTY if the descriptor is closed or
 * is no lease.
 */
int twheel_lease_from_env(uint64_t *lease_ns);

/*
 * Fences
 */

/**
 * twheel_fence - have the kernel send a signal when a timer expires
 * @fd: The descriptor: one of its own for each fence, with one timer.
 * @owner: The process, or a process group as a negative number. 0 ends the fence.
 * @signal: The signal: SIGKILL ends also a process that is stopped. 0 if @owner is 0.
 *
 * The kernel sends the signal, whatever the programs do meanwhile that have @fd. The open file
 * has one fence, and a new one takes its place. libtwheel(3) says what a fence does not do.
 *
 * Return: 0 or an error: -ESRCH if there is no such process or group; -EPERM if the program
 * may not kill() it; -EBUSY if an event is unread, for which no signal would come; -EINVAL if
 * @signal is no signal, or @owner is -1. The kernel does not heed CAP_KILL, as kill() does.
 */
int twheel_fence(int fd, pid_t owner, int signal);

/*
 * The table of deadlines
 */

/**
 * struct twheel_table - a mapping of the table
 * @words: The entries of the table.
 * @count: The number of entries.
 */
struct twheel_table {
	struct twheel_word	*words;
	size_t			count;
};

/**
 * twheel_map_table - map the table
 * @fd: The descriptor.
 * @count: The number of entries, rounded up to full pages. The first mapping of
 *	an open file fixes the size of the table. Later mappings get the whole table, and
 *	@count may be 0.
 * @table: Filled in.
 *
 * Return: 0 or an error: -EINVAL if @count is more than the table has or can have, or 0
 * for the first mapping; -EOPNOTSUPP in a 32-bit kernel.
 */
int twheel_map_table(int fd, size_t count, struct twheel_table *table);

/**
 * twheel_unmap_table - unmap the table
 * @table: The mapping. The timers stay.
 */
void twheel_unmap_table(struct twheel_table *table);

/**
 * enum twheel_pushed - the result of twheel_push_back()
 * @TWHEEL_PUSHED: The timer has the new deadline.
 * @TWHEEL_PUSHED_BEFORE: The timer keeps its deadline, which is as late or later.
 * @TWHEEL_PUSHED_NOT: The timer has expired or is gone. If it has expired, its event has
 *	been delivered or will be.
 */
enum twheel_pushed {
	TWHEEL_PUSHED		= 0,
	TWHEEL_PUSHED_BEFORE	= 1,
	TWHEEL_PUSHED_NOT	= 2
};

/**
 * twheel_push_back - give a TWHEEL_SHARED timer a later deadline
 * @table: The table.
 * @handle: The timer, which may be gone.
 * @deadline_ns: The deadline, a reading of CLOCK_MONOTONIC. A value above 2^63 - 1
 *	counts as 2^63 - 1. So does a negative number, which a uint64_t makes of it.
 *
 * The function makes two reads and one atomic compare-and-exchange, and repeats them if
 * another thread changes the deadline in between. Use twheel_change() for an earlier deadline.
 *
 * Return: One of &enum twheel_pushed.
 */
static inline enum twheel_pushed twheel_push_back(const struct twheel_table *table,
						  uint64_t handle,
						  uint64_t deadline_ns)
{
	struct twheel_word *word;
	__u64 seen;

	if (TWHEEL_INDEX(handle) >= table->count)
		return TWHEEL_PUSHED_NOT;
	if (deadline_ns & TWHEEL_WORD_CLOSED)
		deadline_ns = ~TWHEEL_WORD_CLOSED;
	word = &table->words[TWHEEL_INDEX(handle)];
	seen = __atomic_load_n(&word->deadline, __ATOMIC_ACQUIRE);
	do {
		if (seen & TWHEEL_WORD_CLOSED ||
		    __atomic_load_n(&word->handle, __ATOMIC_RELAXED) != handle)
			return TWHEEL_PUSHED_NOT;
		if (seen >= deadline_ns)
			return TWHEEL_PUSHED_BEFORE;
	} while (!__atomic_compare_exchange_n(&word->deadline, &seen, deadline_ns, 0,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return TWHEEL_PUSHED;
}

/**
 * twheel_push_or_rearm - push a deadline back, or arm the timer again
 * @fd: The descriptor.
 * @table: The table.
 * @op: The operation that adds the timer, with the timer's handle or 0: TWHEEL_SHARED and
 *	TWHEEL_ABSTIME, on CLOCK_MONOTONIC, without a period. Its @time_ns is the new deadline.
 *	The handle is filled in if a timer was added.
 *
 * For a deadline that was meant to be pushed back in time, and may have passed. If
 * twheel_push_back() returns TWHEEL_PUSHED_NOT, the function calls twheel_upsert(). That
 * withdraws the event if it is unread, and adds a timer if the event was read. Threads that
 * share a timer and may both find it gone have to take turns: otherwise each adds a timer.
 *
 * Return: 0 if the deadline is now @op->time_ns or was as late; TWHEEL_RETRACTED or
 * TWHEEL_ADDED, as twheel_upsert(); or an error: those of twheel_upsert(), and -EINVAL if @op
 * is not as said.
 */
int twheel_push_or_rearm(int fd, const struct twheel_table *table, struct twheel_op *op);

/*
 * The ring of events. One thread at a time may consume events.
 */

/**
 * struct twheel_events - a mapping of the ring
 * @ring: The head of the ring.
 * @events: The events.
 * @mask: The number of events that the ring holds, minus 1.
 * @size: The size of the mapping in bytes.
 */
struct twheel_events {
	struct twheel_ring		*ring;
	const struct twheel_event	*events;
	uint32_t			mask;
	size_t				size;
};

/**
 * twheel_map_ring - map the ring
 * @fd: The descriptor.
 * @count: The number of events, rounded up to a power of two and to at least a page.
 *	The first mapping of an open file fixes the size of the ring. Later mappings get
 *	the whole ring, and @count may be 0.
 * @events: Filled in.
 *
 * From the first mapping on, all events go to the ring, and twheel_read() fails.
 *
 * Return: 0 or an error, as twheel_map_table().
 */
int twheel_map_ring(int fd, size_t count, struct twheel_events *events);

/**
 * twheel_unmap_ring - unmap the ring
 * @events: The mapping. Events still go to the ring, which can be mapped again.
 */
void twheel_unmap_ring(struct twheel_events *events);

/**
 * twheel_ring_count - count the events to consume
 * @events: The ring.
 *
 * Return: The number of events.
 */
static inline size_t twheel_ring_count(const struct twheel_events *events)
{
	/* The head first: another thread may consume events meanwhile. */
	const __u64 head = __atomic_load_n(&events->ring->head, __ATOMIC_ACQUIRE);

	return (size_t)(__atomic_load_n(&events->ring->tail, __ATOMIC_ACQUIRE) - head);
}

/**
 * twheel_ring_peek - look at an event without consuming it
 * @events: The ring.
 * @n: The place of the event: 0 is the next event.
 *
 * Return: The event, which is valid until twheel_ring_advance(); %NULL if the ring has
 * no more than @n events.
 */
static inline const struct twheel_event *
twheel_ring_peek(const struct twheel_events *events, size_t n)
{
	if (n >= twheel_ring_count(events))
		return NULL;
	return &events->events[(events->ring->head + n) & events->mask];
}

/**
 * twheel_ring_advance - consume events
 * @events: The ring.
 * @count: The number of events, at most twheel_ring_count(). From then on the kernel may
 *	overwrite these events.
 */
static inline void twheel_ring_advance(const struct twheel_events *events,
				       size_t count)
{
	__atomic_store_n(&events->ring->head, events->ring->head + count,
			 __ATOMIC_RELEASE);
}

/**
 * twheel_ring_more - whether the kernel may have more events
 * @events: The ring.
 *
 * If so, consume events, then call twheel_wait() with a timeout of 0, which fills the ring.
 *
 * Return: 1 if the kernel may have more events, otherwise 0.
 */
static inline int twheel_ring_more(const struct twheel_events *events)
{
	return !!(__atomic_load_n(&events->ring->flags, __ATOMIC_ACQUIRE) &
		  TWHEEL_RING_MORE);
}

#ifdef __cplusplus
}
#endif

#endif /* _LIBTWHEEL_H */
