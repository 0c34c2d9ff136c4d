// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#include <sys/eventfd.h>

#include "event_ring.h"
#include "one_epoll.h"
#include "table_timer.h"

enum { BIG_RING = 1 << 20, RINGS_MOST = 16384 };

static unsigned int timers;		/* how many timers or descriptors */
static int fds[RINGS_MOST];		/* descriptors */
static __u64 handles[RINGS_MOST];	/* a timer of each descriptor */
static struct ring rings[RINGS_MOST];
static unsigned int ring_count;
static struct twheel_op *ops;		/* a timer each */

static __u64 least_period(int fd)
{
	return get_info(fd).min_period_ns;
}

static struct ring *add_ring(int fd, unsigned int entries)
{
	rings[ring_count] = map_ring(fd, entries);
	return &rings[ring_count++];
}

/* Tell the kernel that all events are consumed, without looking at them. */
static void empty_ring(const struct ring *ring)
{
	const __u64 tail = tail_of(ring);

	did(tail - ring->head->head);
	set_head(ring, tail);
}

/* The kernel fills a ring by itself only so far. The rest costs the program a call. */
static void fill_ring(const struct ring *ring)
{
	if (has_more(ring))
		has_event(ring->fd);
	else
		sleep_for(tick_ns());
}

static void empty_rings(void)
{
	unsigned int i;

	for (i = 0; i < ring_count; i++)
		empty_ring(&rings[i]);
}

static void empty_each_ms(void)
{
	empty_rings();
	sleep_for(NSEC_PER_MSEC);
}

/* As fast as possible, with a system call where events wait in the kernel. */
static void empty_and_poll(void)
{
	unsigned int i;

	for (i = 0; i < ring_count; i++) {
		empty_ring(&rings[i]);
		fill_ring(&rings[i]);
	}
}

/* One TWHEEL_EACH timer that has missed all deadlines since 1970. */
static void prepare_each(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const int fd = open_device(O_NONBLOCK);
		struct twheel_op op = new_timer(1, 1);

		add_ring(fd, BIG_RING / count);
		op.clockid = CLOCK_REALTIME;
		op.flags = TWHEEL_ABSTIME | TWHEEL_EACH;
		op.period_ns = least_period(fd);
		arm(fd, op);
	}
}

static struct twheel_op *new_ops(unsigned int count)
{
	struct twheel_op *all = allocate(count, sizeof(*all));
	unsigned int i;

	for (i = 0; i < count; i++) {
		all[i] = new_timer(LONG, i);
		all[i].op = TWHEEL_OP_ADD;
		/* so that the handle need not be cleared */
		all[i].flags |= TWHEEL_RESTORE;
	}
	return all;
}

static void prepare_ops(unsigned int count)
{
	timers = count;
	ops = new_ops(count);
	fds[0] = open_device(O_NONBLOCK);
}

static void prepare_periodic(unsigned int count)
{
	__u64 period;
	unsigned int i;

	prepare_ops(count);
	period = least_period(fds[0]);
	add_ring(fds[0], 1 << 18);
	for (i = 0; i < count; i++) {
		ops[i].time_ns = period;
		ops[i].period_ns = period;
	}
	add_all(fds[0], ops, count);
}

static struct twheel_word *words;

static void prepare_table(unsigned int count)
{
	const __u64 deadline = now() + NSEC_PER_SEC;
	unsigned int i;

	prepare_ops(count);
	words = map_words(fds[0], count);
	add_ring(fds[0], 1 << 18);
	for (i = 0; i < count; i++) {
		ops[i].flags |= TWHEEL_SHARED | TWHEEL_ABSTIME;
		ops[i].time_ns = deadline;
	}
	add_all(fds[0], ops, count);
}

static void prepare_handed_table(unsigned int count)
{
	prepare_table(count);
	prepare_handed(fds[0]);
}

/* Timers expire if the attacker gets no CPU for too long. Add as many again. */
static void replace_expired(void)
{
	const __u64 deadline = now() + NSEC_PER_SEC / 2;
	const __u64 tail = tail_of(&rings[0]);
	const unsigned int expired = tail - rings[0].head->head;
	unsigned int i;

	if (!expired)
		return;
	set_head(&rings[0], tail);
	for (i = 0; i < expired; i++)
		ops[i].time_ns = deadline;
	add_all(fds[0], ops, expired);
}

/* All are due at one tick. The ticks do not keep step with a victim that rests. */
static void push_words(void)
{
	static unsigned int step;
	const __u64 deadline = now() + (35 + step++ * 7 % 20) * NSEC_PER_MSEC;
	unsigned int i;

	for (i = 0; i < timers; i++)
		__atomic_store_n(&words[i].deadline, deadline, __ATOMIC_RELAXED);
	replace_expired();
	did(timers);
	sleep_for(10 * NSEC_PER_MSEC);
}

/* Let timers expire on one tick, again and again. The ring has room for all. */
static void prepare_expiry(unsigned int count)
{
	prepare_ops(count);
	add_ring(fds[0], 1 << 18);
}

static __u64 cost_ns;			/* of arming all timers */
static unsigned int ahead = 2;		/* ticks from that to their expiry */

/* The same, but the timers have to move down the wheel before they expire. */
static void prepare_cascade(unsigned int count)
{
	prepare_expiry(count);
	ahead = 200;
}

/* Each descriptor has a ring. */
static void arm_for_one_tick(void)
{
	const __u64 start = now(), deadline = start + cost_ns + ticks(ahead);
	unsigned int i;

	for (i = 0; i < timers; i++) {
		ops[i].flags |= TWHEEL_ABSTIME;
		ops[i].time_ns = deadline;
	}
	for (i = 0; i < ring_count; i++)
		add_all(fds[i], ops, timers);
	cost_ns = now() - start;
}

/* Wait until all timers of each descriptor have expired, and consume their events. */
static void consume_all(void)
{
	unsigned int i;

	for (i = 0; i < ring_count; i++)
		while (tail_of(&rings[i]) - rings[i].head->head < timers)
			fill_ring(&rings[i]);
	empty_rings();
}

static void expire_all(void)
{
	arm_for_one_tick();
	consume_all();
}

/*
 * Each timer of the batch is due a tick earlier than the timer before it: the first of them at
 * distances for which the kernel needs an hrtimer, the last of them within a few ticks.
 */
static void expire_falling(void)
{
	unsigned int i;

	for (i = 0; i < timers; i++)
		ops[i].time_ns = ticks(timers + 1 - i);
	add_all(fds[0], ops, timers);
	consume_all();
}

static void read_fdinfo(void *data)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fds[0]);
	for (;;) {
		const int fd = CALL(open(path, O_RDONLY));

		CALL(read(fd, text, sizeof(text)));
		close(fd);
	}
}

static void prepare_fdinfo(unsigned int count)
{
	prepare_expiry(count);
	start_thread(read_fdinfo, NULL);
}

static void open_many(unsigned int count)
{
	ASSERT_LE(count, RINGS_MOST);
	timers = count;
	for (fds[0] = 0; count--;)
		fds[count] = open_device(O_NONBLOCK);
}

/* A timer on CLOCK_BOOTTIME on each descriptor: each descriptor has a tree of its own. */
static void prepare_boottime(unsigned int count)
{
	unsigned int i;

	open_many(count);
	for (i = 0; i < count; i++)
		handles[i] = add_on(fds[i], CLOCK_BOOTTIME,
				    read_clock(CLOCK_BOOTTIME) + LONG, 0);
}

static void due_at_one_instant(clockid_t clockid, void (*set)(unsigned int i, __u64 deadline))
{
	const __u64 start = read_clock(clockid), deadline = start + cost_ns + NSEC_PER_MSEC;
	__u64 time;
	unsigned int i;

	for (i = 0; i < timers; i++)
		set(i, deadline);
	time = read_clock(clockid);
	cost_ns = time - start;
	did(timers);
	if (time < deadline + NSEC_PER_MSEC)
		sleep_for(deadline + NSEC_PER_MSEC - time);
}

/* This withdraws the event and arms the timer again. */
static void set_boottime(unsigned int i, __u64 deadline)
{
	change_to(fds[i], handles[i], deadline);
}

static void all_boottime(void)
{
	due_at_one_instant(CLOCK_BOOTTIME, set_boottime);
}

/* The same with timerfds: what the kernel lets programs do without twheel. */
static void prepare_timerfd(unsigned int count)
{
	ASSERT_LE(count, RINGS_MOST);
	for (timers = 0; timers < count; timers++)
		fds[timers] = CALL(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
}

static void set_timerfd(unsigned int i, __u64 deadline)
{
	arm_timerfd(fds[i], deadline);
}

static void all_timerfds(void)
{
	due_at_one_instant(CLOCK_MONOTONIC, set_timerfd);
}

static void close_full(void)
{
	const int fd = open_device(0);

	add_all(fd, ops, timers);
	close(fd);
	did(timers);
}

static void prepare_pending(unsigned int count)
{
	prepare_ops(count);
	add_all(fds[0], ops, count);
}

/* Push all deadlines just before they come: the wheel moves a timer for each push. */
static void prepare_push(unsigned int count)
{
	unsigned int i;

	prepare_pending(count);
	for (i = 0; i < count; i++)
		ops[i] = (struct twheel_op) {
			.op = TWHEEL_OP_CHANGE,
			.handle = ops[i].handle,
			.time_ns = 10 * tick_ns(),
		};
}

static void push_all(void)
{
	unsigned int i;

	batch(fds[0], ops, timers);
	for (i = 0; i < timers; i++) {
		/* A timer that was not pushed in time has expired, and comes back. */
		ASSERT(ops[i].result == 0 || ops[i].result == TWHEEL_RETRACTED);
		ops[i].result = 0;
	}
	did(timers);
}

static void rest(void)
{
	sleep_for(NSEC_PER_SEC / 10);
}

static void prepare_group(unsigned int count)
{
	unsigned int i;

	prepare_ops(count);
	for (i = 0; i < count; i++)
		ops[i].group = 1;
}

static void cancel_whole_group(void)
{
	__u64 retracted;

	add_all(fds[0], ops, timers);
	ASSERT_EQ(cancel_group(fds[0], 1, &retracted), timers);
	did(timers);
}

static struct twheel_op *cancels;	/* of the timers in @ops */

/* One timer in each block: the kernel makes and frees a block for each timer. */
static void prepare_sparse(unsigned int count)
{
	const __u32 more_than_a_block = 64;
	unsigned int i;

	prepare_ops(count);
	cancels = allocate(count, sizeof(*cancels));
	for (i = 0; i < count; i++) {
		ops[i].flags |= TWHEEL_KEEP_HANDLE;
		ops[i].handle = 1ULL << 24 | i * more_than_a_block;
		cancels[i].op = TWHEEL_OP_CANCEL;
		cancels[i].handle = ops[i].handle;
	}
}

static void make_and_free_blocks(void)
{
	add_all(fds[0], ops, timers);
	batch(fds[0], cancels, timers);
	did(timers);
}

static void drain_all(void)
{
	add_all(fds[0], ops, timers);
	while (drain(fds[0], ops, timers) > 0)
		;
	resume(fds[0]);
	did(timers);
}

static void prepare_nothing(unsigned int count)
{
	timers = count;
}

/* Timers that use the table and the ring make the kernel allocate all of both. */
static void map_both(void)
{
	const size_t size = timers * sizeof(struct twheel_word);
	const int fd = open_device(O_NONBLOCK);
	struct twheel_word *table = map_words(fd, timers);
	const struct ring ring = map_ring(fd, timers);

	add_shared(fd, now() + NSEC_PER_SEC, 1);
	CALL(munmap(table, size));
	close_ring(&ring);
	did(1);
}

static void prepare_clock_set(unsigned int count)
{
	unsigned int i;

	open_many(count);
	for (i = 0; i < count; i++)
		CALL(ioctl(fds[i], TWHEEL_IOC_CLOCK_SET, 0));
}

static void ask_again(void)
{
	unsigned int i;

	for (i = 0; i < timers; i++)
		CALL(ioctl(fds[i], TWHEEL_IOC_CLOCK_SET, 0));
	did(timers);
	sleep_for(100 * NSEC_PER_MSEC);
}

/* @count timers of each user. */
static void prepare_uids(unsigned int count)
{
	unsigned int i;

	timers = count;
	ops = new_ops(timers);
	for (i = 0; i < SUBUIDS; i++) {
		/* a descriptor counts for the real user */
		CALL(setresuid(i, 0, 0));
		fds[i] = open_device(O_NONBLOCK);
		add_ring(fds[i], 8192);
	}
}

static void read_eventfd(void *data)
{
	const int fd = *(int *)data;
	__u64 count;

	for (;;)
		CALL(read(fd, &count, sizeof(count)));
}

static void prepare_descriptors(unsigned int count)
{
	static struct twheel_eventfd notify;
	unsigned int i;

	notify.fd = CALL(eventfd(0, 0));
	start_thread(read_eventfd, &notify.fd);
	open_many(count);
	for (i = 0; i < count; i++) {
		add_ring(fds[i], ENTRIES);
		CALL(ioctl(fds[i], TWHEEL_IOC_EVENTFD, &notify));
		add_periodic(fds[i], now(), least_period(fds[i]), i);
	}
}

/* Each expiry wakes up many epolls. */
static void prepare_watchers(unsigned int count)
{
	fds[0] = open_device(0);
	while (count--)
		new_epoll(fds[0], EPOLLIN | EPOLLET);
}

/* The same for timers that were armed while their user was below the share: one a tick. */
static void prepare_ahead(unsigned int count)
{
	unsigned int i;

	prepare_watchers(count);
	timers = 5000;
	ops = new_ops(timers);
	for (i = 0; i < timers; i++)
		ops[i].time_ns = (i + 1) * tick_ns();
	add_all(fds[0], ops, timers);
}

enum { HELD = 64 };

static void hold_the_lock(void *data)
{
	stay_on_cpu(other_cpu);
	for (;;)
		batch(fds[0], data, HELD);
}

/* Calls on another CPU hold the lock of a set, for which each expiry has to wait. */
static void prepare_contend(unsigned int count)
{
	static struct twheel_op pushes[HELD];
	const unsigned int a_tick = 16;
	unsigned int i;

	prepare_ops(count);
	for (i = 0; i < count; i++)
		ops[i].time_ns = (i / a_tick + 1) * tick_ns();
	add_all(fds[0], ops, count);
	for (i = 0; i < HELD; i++)
		pushes[i] = (struct twheel_op) {
			.op = TWHEEL_OP_CHANGE,
			.handle = add(fds[0], LONG, i),
			.time_ns = LONG,
		};
	start_thread(hold_the_lock, pushes);
}

/* The same for timers that expire because their leases are closed. */
static void close_lease(void)
{
	struct twheel_lease lease = {
		.handle = add_on(fds[0], CLOCK_MONOTONIC, now() + LONG, 0),
		.cap_ns = NSEC_PER_SEC,
		.flags = TWHEEL_LEASE_EXPIRE_ON_CLOSE,
	};
	struct twheel_event event;

	CALL(ioctl(fds[0], TWHEEL_IOC_LEASE, &lease));
	CALL(close(lease.fd));
	CALL(read(fds[0], &event, sizeof(event)));
	did(1);
	sleep_for(tick_ns());
}

static void wake_watchers(void)
{
	struct twheel_event event;

	add_on(fds[0], CLOCK_MONOTONIC, now(), 0);
	CALL(read(fds[0], &event, sizeof(event)));
	did(1);
}

const struct attack attacks[] = {
	{ "each", prepare_each, empty_each_ms, .count = 1, .stores_only = true },
	{ "each16", prepare_each, empty_each_ms, .count = 16, .stores_only = true },
	{ "periodic", prepare_periodic, empty_each_ms, .count = 8000, .stores_only = true },
	{ "periodic_many", prepare_periodic, empty_each_ms, .count = 100000, .stores_only = true },
	{ "periodic_poll", prepare_periodic, empty_and_poll, .count = 8000 },
	{ "table", prepare_table, push_words, .count = 100000, .stores_only = true },
	{ "fdinfo", prepare_fdinfo, expire_all, .count = 20000 },
	{ "boottime", prepare_boottime, all_boottime, .count = 16000 },
	{ "timerfd", prepare_timerfd, all_timerfds, .count = 16000 },
	{ "expiry", prepare_expiry, expire_all, .count = 100000 },
	{ "cascade", prepare_cascade, expire_all, .count = 20000, .long_count = 100000 },
	{ "falling", prepare_expiry, expire_falling, .count = 64 },
	{ "close", prepare_ops, close_full, .count = 200000, .long_count = 1000000 },
	{ "sparse", prepare_sparse, make_and_free_blocks, .count = 2000 },
	{ "group", prepare_group, cancel_whole_group, .count = 100000 },
	{ "drain", prepare_ops, drain_all, .count = 100000 },
	{ "mmap", prepare_nothing, map_both, .count = 65536 },
	{ "clock_set", prepare_clock_set, ask_again, .count = 4000 },
	{ "uids", prepare_uids, expire_all, .count = 1023, .many_users = true },
	{ "container", prepare_uids, expire_all, .count = 1023, .container = true },
	{ "descriptors", prepare_descriptors, empty_each_ms, .count = 4000 },
	{ "watchers", prepare_watchers, wake_watchers, .count = 10000, .waiters = true },
	{ "ahead", prepare_ahead, rest, .count = 10000, .waiters = true },
	{ "leases", prepare_watchers, close_lease, .count = 10000, .waiters = true },
	{ "calls", prepare_calls, call_all, .count = 16000 },
	{ "users", prepare_users, rest, .count = 30, .prepare_as_root = start_users },
	{ "threads", prepare_threads, rest, .count = 100 },
	{ "signals", prepare_signals, call_all, .count = 500, .waiters = true },
	{ "kill", prepare_kill, kill_group, .count = 2000 },
	{ "pollers", prepare_pollers, wake_pollers, .count = 200, .waiters = true },
	{ "handed", prepare_handed_table, push_words, .count = 100000,
	  .prepare_as_root = start_receiver },
	{ "stopped", prepare_stopped, rest, .count = 4000 },
	{ "push", prepare_push, push_all, .count = 40000 },
	{ "contend", prepare_contend, rest, .count = 100000, .stores_only = true,
	  .two_cpus = true },
	{ }
};

const struct attack hotplug_attacks[] = {
	{ "hotplug", prepare_pending, rest, .count = 10000 },
	{ }
};
