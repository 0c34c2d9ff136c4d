// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "parameter.h"

const clockid_t clocks[3] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME };

int open_device(int flags)
{
	return CALL(open(DEVICE, O_RDWR | flags));
}

int open_with(const char *name, unsigned int limit)
{
	const unsigned long long before = read_parameter(name);
	int fd;

	if (!write_parameter(name, limit))
		skip("cannot write to %s%s", PARAMETERS, name);
	fd = open(DEVICE, O_RDWR);
	if (!write_parameter(name, before))
		FAIL("cannot set %s back from %u", name, limit);
	return CALL(fd);
}

struct twheel_info get_info(int fd)
{
	struct twheel_info info;

	memset(&info, 0xcc, sizeof(info));
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_INFO, &info)), 0);
	return info;
}

bool fdinfo_has(int fd, const char *name, unsigned long long *value)
{
	char path[64], format[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	snprintf(format, sizeof(format), "twheel-%s: %%llu", name);
	return find_number(path, format, value);
}

unsigned long long fdinfo_value(int fd, const char *name)
{
	unsigned long long value;

	if (!fdinfo_has(fd, name, &value))
		FAIL("no twheel-%s in fdinfo", name);
	return value;
}

__u64 timers_of(int fd)
{
	return get_info(fd).timers;
}

__u64 tick_ns(void)
{
	static __u64 length;

	if (!length) {
		int fd = open_device(O_CLOEXEC);

		length = get_info(fd).resolution_ns;
		close(fd);
	}
	return length;
}

__u64 ticks(unsigned int count)
{
	return count * tick_ns();
}

bool debug_kernel(void)
{
	return !access("/proc/lockdep", F_OK) ||
	       !access("/sys/kernel/debug/kcsan", F_OK);
}

unsigned int many(unsigned int count)
{
	return debug_kernel() ? count / 50 : count;
}

__u64 read_clock(clockid_t clockid)
{
	struct timespec time;

	CALL(clock_gettime(clockid, &time));
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

__u64 now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

struct timespec to_timespec(__u64 ns)
{
	return (struct timespec){ .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };
}

void sleep_for(__u64 delay_ns)
{
	const struct timespec delay = to_timespec(delay_ns);

	ASSERT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL), 0);
}

void sleep_until(__u64 deadline_ns)
{
	const struct timespec deadline = to_timespec(deadline_ns);

	ASSERT_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL), 0);
}

void arm_timerfd(int fd, __u64 deadline_ns)
{
	const struct itimerspec time = { .it_value = to_timespec(deadline_ns) };

	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL));
}

__u64 end_of_races(void)
{
	if (long_tests)
		return now() + 20 * NSEC_PER_SEC;
	return now() + (debug_kernel() ? 2 * NSEC_PER_SEC : NSEC_PER_SEC / 2);
}

__u64 slack_ns(void)
{
	return time_travel ? 10000 : 10 * NSEC_PER_SEC;
}

__u64 margin_ns(void)
{
	return time_travel ? ticks(1) : 200 * NSEC_PER_MSEC;
}

bool in_time(__u64 deadline_ns)
{
	return now() < deadline_ns;
}

bool too_late(int fd, __u64 handle, __u64 deadline_ns)
{
	if (in_time(deadline_ns))
		return false;
	cancel(fd, handle);
	return true;
}

struct twheel_op new_timer(__u64 delay_ns, __u64 cookie)
{
	return (struct twheel_op){
		.clockid = CLOCK_MONOTONIC,
		.cookie = cookie,
		.time_ns = delay_ns,
	};
}

struct twheel_op new_timer_at(__u64 deadline_ns, __u64 cookie)
{
	struct twheel_op op = new_timer(deadline_ns, cookie);

	op.flags = TWHEEL_ABSTIME;
	return op;
}

struct twheel_op kept_op(__u64 handle)
{
	struct twheel_op op = new_timer(LONG, 1);

	op.flags = TWHEEL_RESTORE | TWHEEL_KEEP_HANDLE;
	op.handle = handle;
	return op;
}

struct twheel_op add_op(__u64 delay_ns, __u64 cookie)
{
	struct twheel_op op = new_timer(delay_ns, cookie);

	op.op = TWHEEL_OP_ADD;
	return op;
}

struct twheel_op op_on(__u32 operation, __u64 handle)
{
	return (struct twheel_op){ .op = operation, .handle = handle };
}

struct twheel_batch new_batch(struct twheel_op *ops, unsigned int count)
{
	return (struct twheel_batch){ .ops = (unsigned long)ops, .count = count };
}

__u64 arm(int fd, struct twheel_op op)
{
	op.handle = 0;
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	ASSERT(op.handle != 0);
	return op.handle;
}

__u64 add(int fd, __u64 delay_ns, __u64 cookie)
{
	return arm(fd, new_timer(delay_ns, cookie));
}

__u64 add_at(int fd, __u64 deadline_ns, __u64 cookie)
{
	return arm(fd, new_timer_at(deadline_ns, cookie));
}

__u64 add_on(int fd, clockid_t clockid, __u64 deadline_ns, __u64 period_ns)
{
	struct twheel_op op = new_timer_at(deadline_ns, clockid);

	op.clockid = clockid;
	op.period_ns = period_ns;
	return arm(fd, op);
}

__u64 add_periodic(int fd, __u64 deadline_ns, __u64 period_ns, __u64 cookie)
{
	struct twheel_op op = new_timer_at(deadline_ns, cookie);

	op.period_ns = period_ns;
	return arm(fd, op);
}

__u64 add_to_group(int fd, __u64 delay_ns, __u64 group, __u64 cookie)
{
	struct twheel_op op = new_timer(delay_ns, cookie);

	op.group = group;
	return arm(fd, op);
}

static int result(int fd, unsigned long call, void *arg)
{
	int value = ioctl(fd, call, arg);

	return value < 0 ? -errno : value;
}

static int change_op(int fd, __u32 flags, __u64 handle, __u64 time_ns)
{
	struct twheel_op op = { .flags = flags, .handle = handle, .time_ns = time_ns };

	return result(fd, TWHEEL_IOC_CHANGE, &op);
}

int change(int fd, __u64 handle, __u64 delay_ns)
{
	return change_op(fd, 0, handle, delay_ns);
}

int change_to(int fd, __u64 handle, __u64 deadline_ns)
{
	return change_op(fd, TWHEEL_ABSTIME, handle, deadline_ns);
}

int cancel(int fd, __u64 handle)
{
	struct twheel_op op = { .handle = handle };

	return result(fd, TWHEEL_IOC_CANCEL, &op);
}

int query(int fd, __u64 handle, struct twheel_op *op)
{
	*op = (struct twheel_op){ .handle = handle };
	return result(fd, TWHEEL_IOC_QUERY, op);
}

__u64 deadline_of(int fd, __u64 handle)
{
	struct twheel_op op = { .handle = handle, .flags = TWHEEL_ABSTIME };

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_QUERY, &op)), 0);
	return op.time_ns;
}

int upsert(int fd, struct twheel_op *op)
{
	return result(fd, TWHEEL_IOC_UPSERT, op);
}

int cancel_group(int fd, __u64 group, __u64 *retracted)
{
	struct twheel_op op = { .group = group };
	const int ended = result(fd, TWHEEL_IOC_CANCEL_GROUP, &op);

	*retracted = op.time_ns;
	return ended;
}

int drain(int fd, struct twheel_op *ops, unsigned int room)
{
	struct twheel_drain drain = {
		.ops = (unsigned long)ops,
		.count = room,
	};

	return result(fd, TWHEEL_IOC_DRAIN, &drain);
}

void resume(int fd)
{
	struct twheel_drain drain = { .flags = TWHEEL_DRAIN_RESUME };

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_DRAIN, &drain)), 0);
}

int list(int fd, struct twheel_op *ops, unsigned int room, __u64 *cursor, __u32 flags)
{
	struct twheel_list arg = {
		.ops = (unsigned long)ops,
		.cursor = *cursor,
		.count = room,
		.flags = flags,
	};
	const int count = result(fd, TWHEEL_IOC_LIST, &arg);

	if (count < 0)
		ASSERT(arg.cursor == *cursor);
	else
		ASSERT_LE(count, room);
	*cursor = arg.cursor;
	return count;
}

unsigned int list_all(int fd, struct twheel_op *ops, unsigned int room, __u32 flags)
{
	unsigned int seen = 0;
	struct twheel_op none;
	__u64 cursor = 0;
	int got;

	while (seen < room && (got = list(fd, ops + seen, room - seen, &cursor, flags))) {
		ASSERT_GT(got, 0);
		seen += got;
	}
	ASSERT_EQ(list(fd, &none, 1, &cursor, flags), 0);
	return seen;
}

void refused(int fd, unsigned long call, const struct twheel_op *op, int error,
	     const char *file, int line)
{
	const __u64 before = timers_of(fd);
	struct twheel_op copy = *op;
	const int value = ioctl(fd, call, &copy), found = value == -1 ? errno : 0;
	const bool written = memcmp(op, &copy, sizeof(copy));
	const __u64 after = timers_of(fd);

	if (found == error && !written && after == before)
		return;
	note("op %u, flags %#x, clockid %u, result %d, handle %#llx, cookie %#llx, time %#llx, period %#llx, group %#llx, window %#llx",
	     op->op, op->flags, op->clockid, op->result, op->handle, op->cookie,
	     op->time_ns, op->period_ns, op->group, op->window_ns);
	fail(file, line, "%d, '%s', not '%s'; %s to the operation; %llu timers, not %llu",
	     value, strerror(found), strerror(error), written ? "written" : "not written",
	     after, before);
}

void refuse_bits(int fd, unsigned long call, const void *valid, size_t size, size_t from,
		 size_t length, __u32 known)
{
	const __u64 timers = timers_of(fd);
	__u32 words[64], copy[64];
	size_t i;
	__u32 bit;

	ASSERT_LE(size, sizeof(words));
	for (i = from / 4; i < (from + length) / 4; i++) {
		for (bit = 1; bit; bit <<= 1) {
			if (bit & known)
				continue;
			memcpy(words, valid, size);
			words[i] |= bit;
			memcpy(copy, words, size);
			if (ioctl(fd, call, words) != -1 || errno != EINVAL ||
			    memcmp(words, copy, size))
				FAIL("bit %#x of word %zu: %s", bit, i, strerror(errno));
		}
	}
	ASSERT_EQ(timers_of(fd), timers);
}

void batch(int fd, struct twheel_op *ops, size_t count)
{
	const size_t most = get_info(fd).max_batch;
	size_t i;

	for (i = 0; i < count; i += most) {
		struct twheel_batch batch = new_batch(ops + i, count - i < most ? count - i : most);

		ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_BATCH, &batch)), batch.count);
	}
}

void add_all(int fd, struct twheel_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ops[i].op = TWHEEL_OP_ADD;
	batch(fd, ops, count);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(ops[i].result, 0);
		ASSERT(ops[i].handle != 0);
	}
}

void cancel_all(int fd, struct twheel_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
	batch(fd, ops, count);
	for (i = 0; i < count; i++)
		ASSERT_EQ(ops[i].result, 0);
}

void add_many(int fd, struct twheel_op *ops, size_t count, struct twheel_op op)
{
	for (op.cookie = 0; op.cookie < count; op.cookie++)
		ops[op.cookie] = op;
	add_all(fd, ops, count);
}

void add_on_two_cpus(int fd, struct twheel_op *ops, size_t count)
{
	const __u64 start = now() + 500 * NSEC_PER_MSEC;
	size_t i;

	srandom(1);
	for (i = 0; i < count; i++)
		ops[i] = new_timer_at(start + random() % (1500 * NSEC_PER_MSEC), i);
	stay_on_cpu(0);
	add_all(fd, ops, count / 2);
	stay_on_cpu(last_cpu());
	add_all(fd, ops + count / 2, count - count / 2);
}

int compare_cookies(const void *a, const void *b)
{
	const struct twheel_op *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

struct twheel_op mixed_timer(unsigned int number)
{
	static const __u32 policies[] = { 0, TWHEEL_EACH, TWHEEL_RESTART };
	const clockid_t clockid = clocks[number % 3];
	struct twheel_op op = new_timer_at(read_clock(clockid) + LONG, number);

	op.clockid = clockid;
	if (number % 2) {
		op.period_ns = (1 + number) * NSEC_PER_SEC;
		op.flags |= policies[number / 2 % 3];
	}
	op.group = number % 5;
	op.window_ns = number % 7;
	return op;
}

void check_record(const struct twheel_op *record, const struct twheel_op *made)
{
	ASSERT_EQ(record->op, TWHEEL_OP_ADD);
	ASSERT_EQ(record->flags, made->flags | TWHEEL_RESTORE);
	ASSERT_EQ(record->clockid, made->clockid);
	ASSERT_EQ(record->result, 0);
	ASSERT(record->handle == made->handle);
	ASSERT_EQ(record->cookie, made->cookie);
	ASSERT_EQ(record->time_ns, made->time_ns);
	ASSERT_EQ(record->period_ns, made->period_ns);
	ASSERT_EQ(record->group, made->group);
	ASSERT_EQ(record->window_ns, made->window_ns);
}

short poll_events(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	CALL(poll(&poll_fd, 1, timeout_ms));
	return poll_fd.revents;
}

static bool poll_device(int fd, int timeout_ms)
{
	const short events = poll_events(fd, POLLIN, timeout_ms);

	ASSERT_EQ(events & ~POLLIN, 0);
	return events;
}

void wait_for_event(int fd)
{
	if (!poll_device(fd, time_travel ? -1 : 30000))
		FAIL("no event in 30 s");
}

bool has_event(int fd)
{
	return poll_device(fd, 0);
}

void see_once(bool *seen, __u64 cookie, __u64 count)
{
	ASSERT_LT(cookie, count);
	ASSERT(!seen[cookie]);
	seen[cookie] = true;
}

int new_eventfd(void)
{
	return CALL(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

int set_eventfd(int fd, int eventfd)
{
	struct twheel_eventfd arg = { .fd = eventfd };

	return ioctl(fd, TWHEEL_IOC_EVENTFD, &arg);
}

int eventfd_of(int fd)
{
	const int eventfd = new_eventfd();

	CALL(set_eventfd(fd, eventfd));
	return eventfd;
}

__u64 signals(int eventfd)
{
	__u64 count = 0;

	if (read(eventfd, &count, sizeof(count)) < 0)
		ASSERT_EQ(errno, EAGAIN);
	return count;
}

static sigset_t set_of(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

void block_signal(int number)
{
	const sigset_t set = set_of(number);

	CALL(sigprocmask(SIG_BLOCK, &set, NULL));
}

void own_signals(int fd, int number)
{
	block_signal(number);
	CALL(fcntl(fd, F_SETOWN, getpid()));
	if (number != SIGIO)
		CALL(fcntl(fd, F_SETSIG, number));
}

bool take_signal(int number, siginfo_t *info, __u64 ns)
{
	const struct timespec timeout = to_timespec(ns);
	const sigset_t set = set_of(number);

	return sigtimedwait(&set, info, &timeout) == number;
}

void wait_until_expired(int fd, __u64 handle)
{
	struct twheel_op op;
	int result;

	while ((result = query(fd, handle, &op)) != TWHEEL_EXPIRED) {
		ASSERT_EQ(result, 0);
		pass_ticks(0);
	}
}

int read_events(int fd, struct twheel_event *events, size_t room)
{
	const unsigned char *rest;
	ssize_t size;
	size_t i;

	memset(events, 0xcc, room * sizeof(*events));
	size = read(fd, events, room * sizeof(*events));
	if (size < 0)
		return -errno;
	ASSERT_GT(size, 0);
	ASSERT_EQ(size % sizeof(*events), 0);
	ASSERT_LE(size, room * sizeof(*events));
	rest = (const unsigned char *)events + size;
	for (i = 0; i < room * sizeof(*events) - size; i++)
		ASSERT_EQ(rest[i], 0xcc);
	return size / sizeof(*events);
}

void check_event(const struct twheel_event *event)
{
	ASSERT(event->handle != 0);
	ASSERT_EQ(event->type, TWHEEL_EVENT_TIMER);
	ASSERT_EQ(event->flags, 0);
	ASSERT_EQ(event->reserved[0], 0);
	ASSERT_EQ(event->pad, 0);
	ASSERT_GE(event->count, 1);
	ASSERT_GE(event->expired_ns, event->deadline_ns);
	ASSERT_GE(now(), event->expired_ns);
}

void check_first_event(const struct twheel_event *event, struct twheel_op *ops, size_t count)
{
	check_event(event);
	ASSERT_LT(event->cookie, count);
	ASSERT(event->handle == ops[event->cookie].handle);
	ops[event->cookie].handle = 0;
}

enum { MOST_CPUS = 64 };

/* The timerfds of arm_timerfds(); no threads in time travel. */
static struct {
	__u64			armed_ns;
	__u64			deadline_ns;
	__u64			seen_ns;	/* 0 until all are seen */
	unsigned int		count;
	pthread_barrier_t	all_seen;
	struct timerfd_thread {
		pthread_t	thread;
		int		cpu;
		__u64		seen_ns;
	} threads[MOST_CPUS];
} timerfds;

static void wait_for_timerfd(__u64 deadline_ns)
{
	const int fd = CALL(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	__u64 count;

	arm_timerfd(fd, deadline_ns);
	ASSERT_EQ(CALL(read(fd, &count, sizeof(count))), (long)sizeof(count));
	close(fd);
}

/*
 * Sleep for a number of jiffies, or for a few more. A timerfd counts nanoseconds; but
 * UML on a busy host loses ticks for good, and then a timer that counts jiffies is late
 * by the ticks lost since it was armed. So is this one, which is a plain timer_list
 * timer. Its legs are short, so that timer_list does not round them.
 */
static void wait_for_jiffies(__u64 count)
{
	struct timeval leg = { 0 };
	int fds[2];
	char byte;

	CALL(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
	while (count) {
		const unsigned int part = count < 32 ? count : 32;

		leg.tv_sec = ticks(part) / NSEC_PER_SEC;
		leg.tv_usec = ticks(part) % NSEC_PER_SEC / 1000;
		CALL(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &leg, sizeof(leg)));
		ASSERT_EQ(recv(fds[0], &byte, 1, 0), -1);
		ASSERT_EQ(errno, EAGAIN);
		count -= part;
	}
	close(fds[0]);
	close(fds[1]);
}

static void *wait_for_timerfds(void *data)
{
	const __u64 deadline_ns = timerfds.deadline_ns;
	struct timerfd_thread *thread = data;

	/* fails if the CPU is offline */
	go_to_cpu(thread->cpu);
	if (deadline_ns > timerfds.armed_ns)
		wait_for_jiffies((deadline_ns - timerfds.armed_ns) / tick_ns() + 3);
	wait_for_timerfd(deadline_ns + ticks(2));
	pthread_barrier_wait(&timerfds.all_seen);
	wait_for_timerfd(now() + ticks(2));
	thread->seen_ns = now();
	return NULL;
}

void arm_timerfds(__u64 deadline_ns)
{
	unsigned int i;

	if (timerfds.deadline_ns)
		latest_expiry();
	timerfds.armed_ns = now();
	timerfds.deadline_ns = deadline_ns;
	timerfds.seen_ns = 0;
	if (time_travel)
		return;
	timerfds.count = sysconf(_SC_NPROCESSORS_CONF);
	ASSERT_LE(timerfds.count, MOST_CPUS);
	pthread_barrier_init(&timerfds.all_seen, NULL, timerfds.count);
	for (i = 0; i < timerfds.count; i++) {
		struct timerfd_thread *thread = &timerfds.threads[i];

		thread->cpu = i;
		ASSERT_EQ(pthread_create(&thread->thread, NULL, wait_for_timerfds, thread), 0);
	}
}

__u64 latest_expiry(void)
{
	unsigned int i;

	ASSERT(timerfds.deadline_ns != 0);
	if (time_travel)
		return timerfds.deadline_ns + ticks(1) + slack_ns();
	if (timerfds.seen_ns)
		return timerfds.seen_ns;
	for (i = 0; i < timerfds.count; i++) {
		const struct timerfd_thread *thread = &timerfds.threads[i];

		ASSERT_EQ(pthread_join(thread->thread, NULL), 0);
		if (thread->seen_ns > timerfds.seen_ns)
			timerfds.seen_ns = thread->seen_ns;
	}
	pthread_barrier_destroy(&timerfds.all_seen);
	return timerfds.seen_ns;
}

void check_lateness(const struct twheel_event *event)
{
	check_event(event);
	if (time_travel || timerfds.deadline_ns < event->deadline_ns)
		ASSERT_LE(event->expired_ns - event->deadline_ns, tick_ns() + slack_ns());
	else
		ASSERT_LE(event->expired_ns, latest_expiry());
}

unsigned int read_some(int fd, struct twheel_event *events, size_t room)
{
	int got;

	wait_for_event(fd);
	got = read_events(fd, events, room);
	ASSERT_GT(got, 0);
	return got;
}

void read_all(int fd, struct twheel_event *events, size_t count)
{
	size_t i, seen = 0;

	while (seen < count)
		seen += read_some(fd, events + seen, count - seen);
	for (i = 0; i < count; i++)
		check_event(&events[i]);
}

struct twheel_event read_one(int fd)
{
	struct twheel_event event;

	read_all(fd, &event, 1);
	return event;
}

struct twheel_event read_any(int fd)
{
	struct twheel_event event;

	wait_for_event(fd);
	ASSERT_EQ(read(fd, &event, sizeof(event)), (ssize_t)sizeof(event));
	ASSERT_GE(event.expired_ns, event.deadline_ns);
	return event;
}

struct twheel_event read_exact(int fd, __u64 deadline_ns)
{
	const struct twheel_event event = read_any(fd);

	ASSERT_EQ(event.deadline_ns, deadline_ns);
	ASSERT_EQ(event.count, 1);
	ASSERT_LE(event.expired_ns, deadline_ns + tick_ns() + slack_ns());
	return event;
}

void pass(__u64 deadline_ns)
{
	const int fd = open_device(O_NONBLOCK);

	add_at(fd, deadline_ns + ticks(1), 0);
	read_one(fd);
	close(fd);
}

void pass_ticks(unsigned int count)
{
	pass(now() + ticks(count));
}

void wait_for_grace_period(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	/* Not pass_ticks(): that adds a timer of this user. */
	sleep_for(20 * NSEC_PER_MSEC);
}

void check_no_event(int fd)
{
	struct twheel_event event;
	const int flags = CALL(fcntl(fd, F_GETFL));

	pass_ticks(2);
	ASSERT(!has_event(fd));
	CALL(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
	ASSERT_EQ(read_events(fd, &event, 1), -EAGAIN);
	CALL(fcntl(fd, F_SETFL, flags));
}

struct twheel_event expect_expiry(int fd, __u64 handle, __u64 deadline_ns)
{
	struct twheel_event event;

	if (timerfds.deadline_ns != deadline_ns)
		arm_timerfds(deadline_ns);
	event = read_one(fd);
	ASSERT(event.handle == handle);
	ASSERT_EQ(event.deadline_ns, deadline_ns);
	ASSERT_EQ(event.count, 1);
	check_lateness(&event);
	check_no_event(fd);
	ASSERT_EQ(timers_of(fd), 0);
	return event;
}

size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

void protect(void *start, size_t size, int protection)
{
	if (protection == PROT_NONE)
		CALL(munmap(start, size));
	else
		CALL(mprotect(start, size, protection));
}

struct twheel_op *read_only_op(struct twheel_op op)
{
	struct twheel_op *page = two_pages(PROT_NONE);

	*page = op;
	protect(page, page_size(), PROT_READ);
	return page;
}

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	ASSERT(memory);
	return memory;
}

static void *map_memory(size_t size, int flags)
{
	return CALL(mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0));
}

void *fresh_memory(size_t size)
{
	return map_memory(size, MAP_PRIVATE);
}

void *shared_memory(size_t size)
{
	return map_memory(size, MAP_SHARED | MAP_POPULATE);
}

void *two_pages(int protection)
{
	char *pages = fresh_memory(2 * page_size());

	memset(pages, 0, 2 * page_size());
	protect(pages + page_size(), page_size(), protection);
	return pages;
}

bool go_to_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus);
}

void stay_on_cpu(int cpu)
{
	ASSERT(go_to_cpu(cpu));
}

int last_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) - 1;
}
