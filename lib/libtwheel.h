/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libtwheel: /dev/twheel for programs
 *
 * A thin layer over <linux/twheel.h>, which says what the calls mean, and has the
 * structures. What is here:
 *
 *  - functions that return 0 or more, or a negative errno; errno itself is
 *    neither used nor preserved;
 *  - descriptors are plain ones: use them with poll(), pass them on, close()
 *    them. The library keeps nothing about them, allocates no memory and starts
 *    no threads, so that any thread may call anything at any time;
 *  - the protocols of the two mappings, inline.
 *
 * Link with -ltwheel; the inline functions need no library.
 */
#ifndef _LIBTWHEEL_H
#define _LIBTWHEEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <linux/twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBTWHEEL_VERSION_MAJOR	1
#define LIBTWHEEL_VERSION_MINOR	0

/**
 * twheel_version - which library this is
 *
 * Return: "MAJOR.MINOR" of the library that runs, as opposed to
 * %LIBTWHEEL_VERSION_MAJOR and %LIBTWHEEL_VERSION_MINOR of the one compiled with.
 */
const char *twheel_version(void);

/*
 * The descriptor
 */

/**
 * twheel_open - open /dev/twheel
 * @flags: 0 or O_NONBLOCK. O_RDWR and O_CLOEXEC go without saying.
 *
 * Return: A descriptor with no timers, to be given to close(); or -ENOENT if the
 * module is not loaded, -EACCES, -EPROTO if the driver has another major
 * version of the interface, or another error of open().
 */
int twheel_open(int flags);

/**
 * twheel_open_path - the same for a device that has another name
 * @path: Its name.
 * @flags: As of twheel_open().
 *
 * Return: As twheel_open(), or -ENODEV if @path is something else.
 */
int twheel_open_path(const char *path, int flags);

/**
 * twheel_close - close a descriptor
 * @fd: The descriptor. With the last one of an open file its timers end.
 *
 * Return: 0 or an error.
 */
int twheel_close(int fd);

/**
 * twheel_get_info - what the driver can do, and how many timers there are
 * @fd: The descriptor.
 * @info: Filled in.
 *
 * Return: 0 or an error.
 */
int twheel_get_info(int fd, struct twheel_info *info);

/*
 * Operations. @op of them need not be set: the functions see to it.
 */

/**
 * twheel_after - an operation for a timer that expires once, from now
 * @delay_ns: How long from the call that adds it.
 * @cookie: Comes back with the event.
 *
 * Return: The operation, which may be changed in any way before it is used.
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
 * twheel_at - an operation for a timer that expires once, at a time
 * @clockid: CLOCK_MONOTONIC, CLOCK_BOOTTIME or CLOCK_REALTIME.
 * @deadline_ns: Reading of that clock.
 * @cookie: Comes back with the event.
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
 * twheel_every - an operation for a periodic timer
 * @period_ns: Its period, and how long from now it expires first.
 * @cookie: Comes back with the events.
 *
 * Return: The operation. TWHEEL_EACH or TWHEEL_RESTART may be added to its flags.
 */
static inline struct twheel_op twheel_every(uint64_t period_ns, uint64_t cookie)
{
	struct twheel_op op = twheel_after(period_ns, cookie);

	op.period_ns = period_ns;
	return op;
}

/**
 * twheel_now - what a clock says
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
 * twheel_add - arm a new timer
 * @fd: The descriptor.
 * @op: From one of the functions above; its handle is filled in.
 *
 * Return: 0, or an error of TWHEEL_OP_ADD.
 */
int twheel_add(int fd, struct twheel_op *op);

/**
 * twheel_change - give a timer a new deadline
 * @fd: The descriptor.
 * @handle: The timer.
 * @time_ns: As @flags say.
 * @flags: 0: from now. TWHEEL_ABSTIME: a reading of its clock.
 *
 * Return: 0; TWHEEL_RETRACTED if it had expired, and its event was withdrawn;
 * or an error, -ENOENT if the timer is gone.
 */
int twheel_change(int fd, uint64_t handle, uint64_t time_ns, uint32_t flags);

/**
 * twheel_cancel - end a timer
 * @fd: The descriptor.
 * @handle: The timer.
 *
 * Return: 0 if it was pending, TWHEEL_RETRACTED if it had expired and its event was
 * withdrawn; or an error, -ENOENT if its event was delivered or it is gone.
 */
int twheel_cancel(int fd, uint64_t handle);

/**
 * twheel_query - look at a timer
 * @fd: The descriptor.
 * @handle: The timer.
 * @op: Filled in: @cookie, @time_ns, @period_ns, @clockid, @group, @flags.
 * @flags: 0: @time_ns is what is left. TWHEEL_ABSTIME: the deadline on its clock.
 *
 * Return: 0 if it is pending, TWHEEL_EXPIRED if its event waits; or an error,
 * -ENOENT if the timer is gone.
 */
int twheel_query(int fd, uint64_t handle, struct twheel_op *op, uint32_t flags);

/**
 * twheel_upsert - change a timer, or add one if it is gone
 * @fd: The descriptor.
 * @op: As for twheel_add(), with a handle or 0. The handle is filled in if a
 *	timer was added.
 *
 * Return: 0, TWHEEL_RETRACTED, TWHEEL_ADDED, or an error.
 */
int twheel_upsert(int fd, struct twheel_op *op);

/**
 * twheel_cancel_group - end all timers of a group
 * @fd: The descriptor.
 * @group: Its tag.
 * @retracted: How many of them had expired; may be %NULL.
 *
 * Return: How many timers were ended, or an error, -ENOENT if none was.
 */
int twheel_cancel_group(int fd, uint64_t group, uint64_t *retracted);

/**
 * twheel_submit - carry out many operations, each with its result in @ops
 * @fd: The descriptor.
 * @ops: The operations, with @op set.
 * @count: How many; any number.
 *
 * Goes on after signals, and makes as many calls as it takes.
 *
 * Return: @count; or fewer if an error came after that many, and will come again
 * if the rest is submitted; or the error if none was carried out.
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
 * Every call refuses new timers again, so it undoes a twheel_resume() that came before
 * it. Threads of which some drain and others resume have to agree on the order.
 *
 * Return: The number of timers taken back; below @room if no other timer was pending or
 * an error followed. 0 if no timer was pending. If no timer was taken back, an error:
 * -ECANCELED if another thread resumed meanwhile, -EFAULT if @ops cannot be written.
 */
long twheel_drain(int fd, struct twheel_op *ops, size_t room);

/**
 * twheel_resume - accept new timers again
 * @fd: The descriptor.
 *
 * Return: 0 or an error.
 */
int twheel_resume(int fd);

/*
 * Events
 */

/**
 * twheel_read - read events
 * @fd: The descriptor.
 * @events: For the events.
 * @room: How many fit, at least 1.
 *
 * Return: How many were read; or an error: -EAGAIN if there are none and the
 * descriptor is O_NONBLOCK, -EINTR, -EBUSY if there is a ring.
 */
long twheel_read(int fd, struct twheel_event *events, size_t room);

/**
 * twheel_sort_events - sort events by deadline
 * @events: The events of one or more twheel_read(), or copies of events of a ring.
 * @n: The number of events.
 *
 * The kernel delivers events about in the order in which the timers expired. It does
 * not promise the order of deadlines for timers that expire on the same tick or on
 * different CPUs. This function puts the events of one array in that order; an event that
 * is read later may still have an earlier deadline.
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
 * @timeout_ms: As of poll(): how long, -1 for ever.
 *
 * Where there is a ring, it also lets the kernel put in what has room.
 *
 * Return: 1 if there are events, 0 if the time is up, or an error, -EINTR.
 */
int twheel_wait(int fd, int timeout_ms);

/**
 * twheel_set_eventfd - have an eventfd signalled when timers expire
 * @fd: The descriptor.
 * @eventfd: The eventfd, or -1 for none any more.
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
 * The table of deadlines
 */

/**
 * struct twheel_table - a mapping of it
 * @words: What the kernel shares.
 * @count: How many.
 */
struct twheel_table {
	struct twheel_word	*words;
	size_t			count;
};

/**
 * twheel_map_table - map the table
 * @fd: The descriptor.
 * @count: For how many timers at least; rounded up to full pages. The first
 *	mapping of an open file fixes the size, and later ones have all of it: 0
 *	will do for them.
 * @table: Filled in.
 *
 * Return: 0, or an error: -EINVAL if it is more than there are or can be, -EOPNOTSUPP
 * if the machine has no 64-bit atomic operations.
 */
int twheel_map_table(int fd, size_t count, struct twheel_table *table);

/**
 * twheel_unmap_table - unmap it; the timers stay
 * @table: From twheel_map_table().
 */
void twheel_unmap_table(struct twheel_table *table);

/**
 * enum twheel_pushed - what became of a deadline
 * @TWHEEL_PUSHED: It is the one asked for.
 * @TWHEEL_PUSHED_BEFORE: It was as late already, or later, and is as it was.
 * @TWHEEL_PUSHED_NOT: The timer has expired, or there is none: its event has been
 *	delivered or will be.
 */
enum twheel_pushed {
	TWHEEL_PUSHED		= 0,
	TWHEEL_PUSHED_BEFORE	= 1,
	TWHEEL_PUSHED_NOT	= 2
};

/**
 * twheel_push_back - give a TWHEEL_SHARED timer a later deadline
 * @table: The table.
 * @handle: The timer. It may be gone by now.
 * @deadline_ns: Reading of CLOCK_MONOTONIC; 2^63 - 1 if it is more than that.
 *
 * Two reads and, as long as no other thread comes in between, one atomic exchange.
 * For an earlier deadline use twheel_change().
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

/*
 * The ring of events. One thread at a time consumes.
 */

/**
 * struct twheel_events - a mapping of it
 * @ring: Its head.
 * @events: The events.
 * @mask: Their number, less one.
 * @size: Of the mapping, in bytes.
 */
struct twheel_events {
	struct twheel_ring		*ring;
	const struct twheel_event	*events;
	uint32_t			mask;
	size_t				size;
};

/**
 * twheel_map_ring - map the ring, into which all events go from then on
 * @fd: The descriptor.
 * @count: For how many events at least; rounded up to a power of two, and a full
 *	page. The first mapping of an open file fixes the size, and later ones have
 *	all of it: 0 will do for them.
 * @events: Filled in.
 *
 * Return: 0, or an error, as twheel_map_table().
 */
int twheel_map_ring(int fd, size_t count, struct twheel_events *events);

/**
 * twheel_unmap_ring - unmap it; events go on to go there
 * @events: From twheel_map_ring().
 */
void twheel_unmap_ring(struct twheel_events *events);

/**
 * twheel_ring_count - how many events there are to consume
 * @events: The ring.
 *
 * Return: The number.
 */
static inline size_t twheel_ring_count(const struct twheel_events *events)
{
	return (size_t)(__atomic_load_n(&events->ring->tail, __ATOMIC_ACQUIRE) -
			events->ring->head);
}

/**
 * twheel_ring_peek - look at an event without consuming it
 * @events: The ring.
 * @n: Which one: 0 is the next, and so on.
 *
 * Return: The event, valid until twheel_ring_advance(); %NULL if there are not so
 * many.
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
 * @count: How many, no more than there are. The kernel may write over them.
 */
static inline void twheel_ring_advance(const struct twheel_events *events,
				       size_t count)
{
	__atomic_store_n(&events->ring->head, events->ring->head + count,
			 __ATOMIC_RELEASE);
}

/**
 * twheel_ring_more - does the kernel have events that did not fit?
 * @events: The ring.
 *
 * If so, consume, then let twheel_wait() fill the ring.
 *
 * Return: whether it has.
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
