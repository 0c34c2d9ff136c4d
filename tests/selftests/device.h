/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests do with /dev/twheel. These functions end the case with a failure
 * if the device does what no test expects.
 */
#ifndef _DEVICE_H
#define _DEVICE_H

#include <fcntl.h>
#include <linux/twheel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define DEVICE "/dev/twheel"

/* A time that no case waits for, and the latest deadline. */
#define LONG		(100 * NSEC_PER_SEC)
#define TIME_MAX	((1ULL << 63) - 1)

#define MINUTE	(60 * NSEC_PER_SEC)
#define HOUR	(60 * MINUTE)
#define DAY	(24 * HOUR)
#define MONTH	(30 * DAY)

/* The clocks that timers may be on. */
extern const clockid_t clocks[3];

/* Open the device. @flags are 0, or O_NONBLOCK and O_CLOEXEC. */
int open_device(int flags);

/* A case with a descriptor of its own: @fd. */
#define OPEN_TEST(id, flags)						\
	static void run_##id(int fd);					\
	TEST_CALL(id, run_##id(open_device(flags)))			\
	static void run_##id(const int fd)

#define DEVICE_TEST(id)		OPEN_TEST(id, 0)
#define NONBLOCK_TEST(id)	OPEN_TEST(id, O_NONBLOCK)

/* The same in virtual time only. */
#define TRAVEL_TEST(id)							\
	static void run_##id(int fd);					\
	TEST_CALL(id, need_time_travel(); run_##id(open_device(0)))	\
	static void run_##id(const int fd)

/* Open the device while a parameter of the module has another value. */
int open_with(const char *parameter, unsigned int value);

struct twheel_info get_info(int fd);

/* A value in the fdinfo of a descriptor. False if there is no such line. */
bool fdinfo_has(int fd, const char *name, unsigned long long *value);
unsigned long long fdinfo_value(int fd, const char *name);

/* The number of timers of a descriptor, pending or unread. */
__u64 timers_of(int fd);

/* The length of one tick, and of @count ticks. */
__u64 tick_ns(void);
__u64 ticks(unsigned int count);

/* Does the kernel have lockdep or KCSAN, which make it slow? */
bool debug_kernel(void);

/* @count, or as many as a slow kernel can handle in about the same time. */
unsigned int many(unsigned int count);

__u64 read_clock(clockid_t clockid);

/* CLOCK_MONOTONIC */
__u64 now(void);
struct timespec to_timespec(__u64 ns);
void sleep_for(__u64 delay_ns);
void sleep_until(__u64 deadline_ns);

/* Arm a timerfd, of CLOCK_MONOTONIC. */
void arm_timerfd(int fd, __u64 deadline_ns);

/*
 * When a loop that provokes races may end: in half a second, in 2 s if the kernel has
 * sanitizers, or in 20 s with --long. Each loop also has a least number of rounds, for slow
 * machines.
 */
__u64 end_of_races(void);

/*
 * How much later than a tick an expiry may be: long, for busy machines. Time is
 * exact only in time travel, where each read of the clock takes some 100 ns.
 */
__u64 slack_ns(void);

/*
 * More time than a few calls take, unless the machine is very busy. A test whose
 * calls must be over by a deadline checks that they were, and tries again if not:
 *
 *	do {
 *		deadline = now() + margin_ns();
 *		handle = add_at(fd, deadline, 1);
 *		result = ...;
 *	} while (too_late(fd, handle, deadline));
 */
__u64 margin_ns(void);

/* Is @deadline_ns still to come? */
bool in_time(__u64 deadline_ns);

/* If @deadline_ns is not still to come, cancel a timer and return true. */
bool too_late(int fd, __u64 handle, __u64 deadline_ns);

/* An operation that is valid for TWHEEL_IOC_ADD, with a delay or a deadline. */
struct twheel_op new_timer(__u64 delay_ns, __u64 cookie);
struct twheel_op new_timer_at(__u64 deadline_ns, __u64 cookie);

/* One for a timer that keeps a handle, with a deadline in LONG. */
struct twheel_op kept_op(__u64 handle);

/* Operations of a batch: a new timer, and an operation on a timer; and a batch. */
struct twheel_op add_op(__u64 delay_ns, __u64 cookie);
struct twheel_op op_on(__u32 operation, __u64 handle);
struct twheel_batch new_batch(struct twheel_op *ops, unsigned int count);

/* Arm a timer. These functions return its handle. */
__u64 arm(int fd, struct twheel_op op);
__u64 add(int fd, __u64 delay_ns, __u64 cookie);
__u64 add_at(int fd, __u64 deadline_ns, __u64 cookie);
__u64 add_periodic(int fd, __u64 deadline_ns, __u64 period_ns, __u64 cookie);
/* On any clock. The cookie is the number of the clock. */
__u64 add_on(int fd, clockid_t clockid, __u64 deadline_ns, __u64 period_ns);
__u64 add_to_group(int fd, __u64 delay_ns, __u64 group, __u64 cookie);

/* Make one operation. These functions return its result or a negative errno. */
int change(int fd, __u64 handle, __u64 delay_ns);
int change_to(int fd, __u64 handle, __u64 deadline_ns);
int cancel(int fd, __u64 handle);
int query(int fd, __u64 handle, struct twheel_op *op);

/* The deadline of a timer that is pending. */
__u64 deadline_of(int fd, __u64 handle);
int upsert(int fd, struct twheel_op *op);
int cancel_group(int fd, __u64 group, __u64 *retracted);

/* Take back up to @room timers. Returns their number or a negative errno. */
int drain(int fd, struct twheel_op *ops, unsigned int room);
void resume(int fd);

/*
 * List up to @room timers from *@cursor on. Returns their number or a negative errno.
 * list_all() lists all timers and fails if there are more than @room.
 */
int list(int fd, struct twheel_op *ops, unsigned int room, __u64 *cursor, __u32 flags);
unsigned int list_all(int fd, struct twheel_op *ops, unsigned int room, __u32 flags);

/* Make an ioctl() that must fail and change neither its operation nor a timer. */
void refused(int fd, unsigned long call, const struct twheel_op *op, int error,
	     const char *file, int line);
#define REFUSED(fd, call, op, error) \
	refused(fd, call, op, error, __FILE__, __LINE__)

/*
 * Make a call with each bit of a member of its structure but those in @known: EINVAL. The call
 * must change neither its structure nor a timer.
 */
void refuse_bits(int fd, unsigned long call, const void *valid, size_t size, size_t from,
		 size_t length, __u32 known);
#define REFUSE_BITS(fd, call, valid, member, known)			\
	refuse_bits(fd, call, &(valid), sizeof(valid),			\
		    offsetof(__typeof__(valid), member), sizeof((valid).member), known)

/*
 * Make all operations of an array, in as few batches as possible. The caller
 * checks their results.
 */
void batch(int fd, struct twheel_op *ops, size_t count);

/* Arm the timers of an array of new_timer(). Fills in their handles. */
void add_all(int fd, struct twheel_op *ops, size_t count);

/* Cancel the timers of such an array. All of them are pending. */
void cancel_all(int fd, struct twheel_op *ops, size_t count);

/*
 * Arm @count timers, half of them on the first CPU, half on the last. Their deadlines are random,
 * from half a second to two seconds ahead, and their cookies count from 0.
 */
void add_on_two_cpus(int fd, struct twheel_op *ops, size_t count);

/* Arm @count timers like @op, whose cookies count from 0. Fills in @ops. */
void add_many(int fd, struct twheel_op *ops, size_t count, struct twheel_op op);

/*
 * One of many different timers, on all clocks, with a deadline in LONG. Its cookie is its number.
 * Sort an array with qsort() and compare_cookies(). check_record() checks the operation that
 * arms a timer again, as a drain or a list has written it.
 */
struct twheel_op mixed_timer(unsigned int number);
int compare_cookies(const void *a, const void *b);
void check_record(const struct twheel_op *record, const struct twheel_op *made);

/* The events that poll() reports, within a time; -1 waits without end. */
short poll_events(int fd, short events, int timeout_ms);
void wait_for_event(int fd);
bool has_event(int fd);

/*
 * An eventfd, which does not block; TWHEEL_IOC_EVENTFD; and the number of signals on an eventfd
 * since the last call.
 */
int new_eventfd(void);
int set_eventfd(int fd, int eventfd);
int eventfd_of(int fd);		/* a new one, which is set */
__u64 signals(int eventfd);

/* Let the signals of a descriptor come to this process, which blocks them; and take one. */
void block_signal(int number);
void own_signals(int fd, int number);

/* Wait for a signal for up to @ns. Returns false if none comes. @info may be NULL. */
bool take_signal(int number, siginfo_t *info, __u64 ns);

/* Wait until a timer has an unread event. */
void wait_until_expired(int fd, __u64 handle);

/* read() up to @room events. Returns their number or a negative errno. */
int read_events(int fd, struct twheel_event *events, size_t room);

/* Wait for events, and read up to @room of them. Returns their number, which is not 0. */
unsigned int read_some(int fd, struct twheel_event *events, size_t room);

/* Wait for exactly @count events, read and check them. */
void read_all(int fd, struct twheel_event *events, size_t count);
struct twheel_event read_one(int fd);

/* One event of a timer on any clock. */
struct twheel_event read_any(int fd);

/* The same. It has this deadline, counts 1, and came within a tick and slack_ns(). */
struct twheel_event read_exact(int fd, __u64 deadline_ns);

/* Check that a cookie is below @count, and that it has not been seen before. */
void see_once(bool *seen, __u64 cookie, __u64 count);

/* Check what holds for every event of CLOCK_MONOTONIC. */
void check_event(const struct twheel_event *event);

/*
 * The same, and that the event is of one of these timers, whose cookies are their numbers. It is
 * the first event of that timer: its handle in @ops becomes 0.
 */
void check_first_event(const struct twheel_event *event, struct twheel_op *ops, size_t count);

/*
 * A timer must expire at the first tick at or after its deadline. A busy host
 * may stop a CPU of the guest for any time, so lateness is compared with that of
 * plain kernel timers. Call arm_timerfds() once the timers are armed: on each CPU it
 * arms a timer that counts jiffies, and a timerfd, for two ticks after @deadline_ns.
 *
 * latest_expiry() waits for both, and then for one more timerfd on each
 * CPU, due two ticks later. It returns the time when a program has seen all of that. Every
 * timer with a deadline up to @deadline_ns is due by then, and its event says so, however late
 * the kernel looks at it. (A CPU that stood still expires both when it goes on. The second
 * timerfd is for a CPU whose jiffies are updated by another CPU, which stood still.)
 *
 * A timerfd wakes a CPU that is idle. So a test that an idle CPU wakes up for its
 * timers must not arm any: there, check_lateness() has a long, fixed bound.
 */
void arm_timerfds(__u64 deadline_ns);
__u64 latest_expiry(void);

/*
 * Check that a timer expired in time: by latest_expiry() if timerfds have been
 * armed for its deadline, and otherwise within a tick and slack_ns().
 */
void check_lateness(const struct twheel_event *event);

/*
 * Check that a timer expires once, in time and for this deadline, and that no other timer is left.
 * Returns its event.
 */
struct twheel_event expect_expiry(int fd, __u64 handle, __u64 deadline_ns);

/* Wait for the tick at which every timer with this deadline expires. */
void pass(__u64 deadline_ns);
void pass_ticks(unsigned int count);

/* Give the kernel time to free what was given back, which it does a grace period later. */
void wait_for_grace_period(void);

/* Check that there is no event, not even one of a timer that is just due. */
void check_no_event(int fd);

/* Memory for an array, full of zeroes. */
void *allocate(size_t count, size_t size);

/* Memory of this process that nobody has touched, and memory that its children share. */
void *fresh_memory(size_t size);
void *shared_memory(size_t size);

/*
 * Two pages. The second page has the protection @protection, of mprotect().
 * PROT_NONE unmaps the page: the kernel of UML reads every page that is mapped.
 */
void *two_pages(int protection);
void protect(void *start, size_t size, int protection);

/* A copy of an operation in a page that calls can read but not write. */
struct twheel_op *read_only_op(struct twheel_op op);
size_t page_size(void);

/*
 * Run on one CPU from now on: then all timers expire in the order of their ticks. The kernel looks
 * at timers on the CPU of the last call. go_to_cpu() returns false if that CPU is offline or does
 * not exist.
 */
bool go_to_cpu(int cpu);
void stay_on_cpu(int cpu);
int last_cpu(void);

#endif /* _DEVICE_H */
