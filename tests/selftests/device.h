/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests do with /dev/twheel. A function here fails the test if the
 * device does something that none of them expects.
 */
#ifndef _DEVICE_H
#define _DEVICE_H

#include <fcntl.h>
#include <linux/twheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define DEVICE "/dev/twheel"

/* An empty set of timers. O_NONBLOCK and O_CLOEXEC may be given. */
int open_device(int flags);

struct twheel_info get_info(int fd);

/* The timers that a descriptor holds. */
__u64 timers_of(int fd);

/* The length of a tick. */
__u64 tick_ns(void);

/* A time that some ticks take, and at least a few ms. */
__u64 ticks(unsigned int count);

/*
 * A kernel that checks its every step, and so many timers as can be had without
 * losing patience there.
 */
bool debug_kernel(void);
unsigned int many(unsigned int count);

__u64 read_clock(clockid_t clockid);

/* CLOCK_MONOTONIC */
__u64 now(void);

/*
 * How late an expiry may be beyond the tick. Who runs the tests is not to be
 * blamed for a busy machine; only in time travel is time exact, where it is
 * nothing but the looks at the clock that take some 100 ns each.
 */
__u64 slack_ns(void);

/* A time that passes not even on a busy machine while a few calls are made. */
__u64 margin_ns(void);

/* An operation that is valid for TWHEEL_IOC_ADD. */
struct twheel_op new_timer(__u64 delay_ns, __u64 cookie);

/* Arm a timer; the handle. */
__u64 arm(int fd, struct twheel_op op);
__u64 add(int fd, __u64 delay_ns, __u64 cookie);
__u64 add_at(int fd, __u64 deadline_ns, __u64 cookie);
__u64 add_periodic(int fd, __u64 deadline_ns, __u64 period_ns, __u64 cookie);
/* On any clock; the clock is the cookie. */
__u64 add_on(int fd, clockid_t clockid, __u64 deadline_ns, __u64 period_ns);
__u64 add_to_group(int fd, __u64 delay_ns, __u64 group, __u64 cookie);

/* One operation: its result, or a negative errno. */
int change(int fd, __u64 handle, __u64 delay_ns);
int change_to(int fd, __u64 handle, __u64 deadline_ns);
int cancel(int fd, __u64 handle);
int query(int fd, __u64 handle, struct twheel_op *op);
int upsert(int fd, struct twheel_op *op);
int cancel_group(int fd, __u64 group, __u64 *retracted);

/* Take back up to so many timers: how many, or a negative errno. */
int drain(int fd, struct twheel_op *ops, unsigned int room);
void resume(int fd);

/* An ioctl() that must fail, and leave its operation and all timers alone. */
void refused(int fd, unsigned long call, const struct twheel_op *op, int error,
	     const char *file, int line);
#define REFUSED(fd, call, op, error) \
	refused(fd, call, op, error, __FILE__, __LINE__)

/*
 * Carry out an array of operations, in as few batches as possible. Their
 * results are the caller's to look at.
 */
void batch(int fd, struct twheel_op *ops, size_t count);

/* Arm many: those of an array of new_timer(), which fills in their handles. */
void add_all(int fd, struct twheel_op *ops, size_t count);

/* Wait for events. */
void wait_for_event(int fd);
bool has_event(int fd);
void wait_until_expired(int fd, __u64 handle);

/* A read() of up to so many events: how many, or a negative errno. */
int read_events(int fd, struct twheel_event *events, size_t room);

/* Read and check exactly so many events; wait for them. */
void read_all(int fd, struct twheel_event *events, size_t count);
struct twheel_event read_one(int fd);

/* One event of any clock. */
struct twheel_event read_any(int fd);

/* What must hold of every event. */
void check_event(const struct twheel_event *event);

/*
 * A timer must expire at the first tick at or after its deadline. A busy host
 * may stop a CPU of the guest for any time, so lateness is compared with that of
 * plain kernel timers. Call arm_timerfds() once the timers are armed: it arms a
 * timerfd on each CPU, for two ticks after @deadline_ns.
 *
 * latest_expiry() waits for the timerfds, and then for one more timerfd on each
 * CPU, due two ticks later. It returns the time when a program has seen all of
 * them. Every timer with a deadline up to @deadline_ns has expired by then. (A
 * CPU that stood still expires both when it goes on. The second timerfd is for
 * a CPU whose jiffies are updated by another CPU, which stood still.)
 */
void arm_timerfds(__u64 deadline_ns);
__u64 latest_expiry(void);

/*
 * Check that a timer expired in time: by latest_expiry() if timerfds have been
 * armed for its deadline, and otherwise within a tick and slack_ns().
 */
void check_lateness(const struct twheel_event *event);

/*
 * Whether @deadline_ns is still to come. A test whose calls must be over by then
 * tries again if they were not: "while (!in_time(deadline))".
 */
bool in_time(__u64 deadline_ns);

/* Whether there is an event although @deadline_ns is still to come. */
bool has_event_before(int fd, __u64 deadline_ns);

/* Return after every timer with this deadline had its tick. */
void pass(__u64 deadline_ns);
void pass_ticks(unsigned int count);

/* That no event comes, not even of timers that were due a few ticks ago. */
void check_no_event(int fd);

/*
 * Two pages. The second page has the protection @protection, of mprotect().
 * PROT_NONE unmaps the page: the kernel of UML reads every page that is mapped.
 */
void *two_pages(int protection);
void protect(void *start, size_t size, int protection);

/* A copy of an operation in a page that calls can read but not write. */
struct twheel_op *read_only_op(struct twheel_op op);
size_t page_size(void);

/* Go to a CPU, unless it is offline or there is none: timers expire where armed. */
bool go_to_cpu(int cpu);
void stay_on_cpu(int cpu);
int last_cpu(void);

/* Keep to one CPU, so that timers expire in the order of their ticks. */
void stay_on_one_cpu(void);

#endif /* _DEVICE_H */
