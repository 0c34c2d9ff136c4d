// SPDX-License-Identifier: GPL-2.0
/*
 * Wake-ups under load: a program that waits for events learns of each event in time,
 * whatever way it waits.
 *
 * In each round, a writer on every CPU arms timers with short deadlines, changes them,
 * pushes them back and cancels them. Each timer must give exactly one event or one
 * successful cancel. Then the writers rest: a reader that was not
 * woken stays asleep, and its events are missing at the end of the round.
 *
 * A busy host may stop a CPU of the guest at any time. So time is counted in the beats
 * of a plain timerfd on each CPU, which expires at each tick. A CPU that stood still
 * has one beat for all the ticks that it missed. The thread that counts the beats has
 * the lowest priority: if it runs, then work of normal priority has run before.
 */
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "event_ring.h"
#include "one_epoll.h"
#include "table_timer.h"

#define NEVER	(~0ULL)

enum {
	MOST_CPUS	= 16,
	TIMERS		= 300,		/* of a writer in a round */
	ROUND_TICKS	= 8,
	BEATS		= 1 << 14,
	WORDS		= 1 << 14,
	LARGE		= 1 << 13,	/* entries of a ring that never fills up */

	/* An event goes through three CPUs: the timer's, the one that wakes, the reader's. */
	HOPS		= 3,
	/* Two threads hand each 64 events over: either may wait for its CPU each time. */
	HANDED_HOPS	= 40,
};

/* The beats of a CPU: the times of the last BEATS of them. */
struct beats {
	atomic_uint	count;
	atomic_ullong	times[BEATS];
};

struct timer {
	__u64			handle;
	__u64			deadline;
	__u64			set_ns;		/* when the deadline had been set */
	bool			shared;
	bool			cancelled;

	/* the reader's */
	atomic_uint		events;
	atomic_ullong		event_deadline;
	atomic_ullong		seen_ns;
};

struct writer {
	unsigned int		seed;
	struct timer		timers[TIMERS];
};

static struct beats beats[MOST_CPUS];
static struct writer writers[MOST_CPUS];
static unsigned int cpus;
static unsigned int round_number;
static __u64 round_start;
static unsigned int hops = HOPS, worst, full;

static int device;
static struct ring ring;
static struct twheel_word *table;
static int stop_fd, event_fd = -1;

/* Beats */

static void count_beats(void *data)
{
	struct beats *own = data;
	const struct itimerspec time = {
		.it_value.tv_nsec = 1,
		.it_interval.tv_nsec = tick_ns(),
	};
	const int fd = CALL(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	__u64 expirations;

	stay_on_cpu(own - beats);
	CALL(setpriority(PRIO_PROCESS, syscall(SYS_gettid), 19));
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL));
	while (!stopping) {
		const unsigned int count = own->count;

		ASSERT_EQ(CALL(read(fd, &expirations, sizeof(expirations))),
			  (int)sizeof(expirations));
		own->times[count % BEATS] = now();
		own->count = count + 1;
	}
}

static __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* When a CPU had two beats after a time; NEVER if it has not had them yet. */
static __u64 second_beat(const struct beats *own, __u64 from)
{
	__u64 first = NEVER, second = NEVER;
	unsigned int i = own->count, n;

	for (n = 0; i-- && n < BEATS / 2; n++) {
		const __u64 time = own->times[i % BEATS];

		if (time <= from)
			break;
		second = first;
		first = time;
	}
	return second;
}

/*
 * When an event must have been seen that was due at @time. For each hop, every CPU gets
 * two beats: the host may stop one CPU after the other.
 */
static __u64 latest_for(__u64 time)
{
	unsigned int hop, cpu;

	for (hop = 0; hop < hops; hop++) {
		__u64 next = 0;

		for (cpu = 0; cpu < cpus; cpu++)
			next = later(next, second_beat(&beats[cpu], time));
		time = next;
	}
	return time;
}

/* Writers */

static void set_deadline(struct timer *t, __u64 deadline)
{
	t->deadline = deadline;
	t->set_ns = now();
}

/* A deadline in this round. One in four is at one of two ticks that all timers share. */
static __u64 random_deadline(struct writer *writer)
{
	const __u64 at = rand_r(&writer->seed) % 1000 * ticks(ROUND_TICKS) / 1000;

	if (rand_r(&writer->seed) % 4)
		return round_start + at;
	return round_start + ticks(rand_r(&writer->seed) % 2 ? 4 : 7);
}

static void add_random(struct writer *writer, struct timer *t)
{
	const __u64 deadline = random_deadline(writer);
	struct twheel_op op;

	memset(t, 0, sizeof(*t));
	op = new_timer(deadline, (__u64)round_number << 32 |
		       ((writer - writers) * TIMERS + (t - writer->timers)));
	t->shared = table && rand_r(&writer->seed) % 2;
	op.flags = TWHEEL_ABSTIME | (t->shared ? TWHEEL_SHARED : 0);
	t->handle = arm(device, op);
	set_deadline(t, deadline);
}

/* What a change or a cancel has returned. No timer expires before its deadline. */
static void check_result(const struct timer *t, int result)
{
	if (result == -ENOENT || result == TWHEEL_RETRACTED)
		ASSERT_GE(now(), t->deadline);
	else
		ASSERT_EQ(result, 0);
}

static void change_random(struct writer *writer, struct timer *t)
{
	const __u64 deadline = random_deadline(writer);
	const int result = change_to(device, t->handle, deadline);

	check_result(t, result);
	if (result != -ENOENT)
		set_deadline(t, deadline);
}

static void push_random(struct writer *writer, struct timer *t)
{
	const __u64 deadline = later(random_deadline(writer), t->deadline);
	__u64 *word = word_of(table, t->handle);
	__u64 seen = read_word(word);

	/* The handle stands behind the deadline. */
	if (word[1] != t->handle)
		return;
	if (seen & CLOSED) {
		ASSERT_GE(now(), t->deadline);
		return;
	}
	ASSERT_EQ(seen, t->deadline);
	if (push_word(word, &seen, deadline))
		set_deadline(t, deadline);
}

static void cancel_timer(struct timer *t)
{
	const int result = cancel(device, t->handle);

	check_result(t, result);
	t->cancelled = result != -ENOENT;
}

static void do_random(struct writer *writer, struct timer *t)
{
	const unsigned int kind = rand_r(&writer->seed) % 8;

	if (t->cancelled)
		return;
	if (kind < 2)
		cancel_timer(t);
	else if (kind < 5 && t->shared)
		push_random(writer, t);
	else
		change_random(writer, t);
}

static void write_round(unsigned int cpu)
{
	struct writer *writer = &writers[cpu];
	unsigned int i;

	stay_on_cpu(cpu);
	for (i = 0; i < TIMERS; i++) {
		add_random(writer, &writer->timers[i]);
		if (rand_r(&writer->seed) % 2)
			do_random(writer, &writer->timers[rand_r(&writer->seed) % (i + 1)]);
		/* Some of the timers are armed later than others. */
		if (i % 64 == 63)
			usleep(rand_r(&writer->seed) % (ticks(1) / 1000));
	}
}

/* Readers */

static struct timer *timer_of(__u64 cookie)
{
	const __u32 number = cookie;

	ASSERT_EQ(cookie >> 32, round_number);
	ASSERT_LT(number, cpus * TIMERS);
	return &writers[number / TIMERS].timers[number % TIMERS];
}

static void see(const struct twheel_event *event, __u64 seen_ns)
{
	struct timer *t = timer_of(event->cookie);

	check_event(event);
	t->event_deadline = event->deadline_ns;
	t->seen_ns = seen_ns;
	t->events++;
}

/* Take what the ring has, all at once. */
static bool take_ring(__u64 seen_ns)
{
	const __u64 head = ring.head->head, tail = tail_of(&ring);
	__u64 i;

	if (head == tail)
		return false;
	full += tail - head == ring.head->entries;
	for (i = head; i < tail; i++)
		see(&ring.events[i % ring.head->entries], seen_ns);
	set_head(&ring, tail);
	return true;
}

static void take_by_read(void)
{
	struct twheel_event events[100];
	int i, got;

	while ((got = read_events(device, events, ARRAY_SIZE(events))) > 0) {
		const __u64 seen_ns = now();

		for (i = 0; i < got; i++)
			see(&events[i], seen_ns);
	}
	ASSERT_EQ(got, -EAGAIN);
}

/* Wait for a descriptor, or for the end of the test; false if that has come. */
static bool wait_for(int fd)
{
	struct pollfd fds[] = { { fd, POLLIN, 0 }, { stop_fd, POLLIN, 0 } };

	CALL(poll(fds, ARRAY_SIZE(fds), -1));
	return !stopping;
}

static void poll_then_read(void *data)
{
	while (wait_for(device))
		take_by_read();
}

static void poll_then_take(void *data)
{
	while (wait_for(device))
		take_ring(now());
}

/* No system call, except when the ring was full. */
static void spin_and_take(void *data)
{
	__u64 looked = now(), next;

	while (!stopping) {
		/* The last look took all there was: a new event came after it. */
		next = now();
		if (!take_ring(looked) && has_more(&ring))
			has_event(device);
		looked = next;
	}
}

/* One thread waits in poll() and takes nothing; another one takes and never waits. */
static void only_poll(void *data)
{
	while (wait_for(device))
		sched_yield();
}

static void only_take(void *data)
{
	__u64 looked = now(), next;

	while (!stopping) {
		next = now();
		if (!take_ring(looked))
			sched_yield();
		looked = next;
	}
}

/* For readers that are told once of an event, not as long as the event is there. */
static void take_until_no_more(void)
{
	while (take_ring(now()) || has_more(&ring))
		if (has_more(&ring))
			has_event(device);
}

static void eventfd_then_take(void *data)
{
	while (wait_for(event_fd)) {
		ASSERT_GT(signals(event_fd), 0);
		take_until_no_more();
	}
}

static void eventfd_then_read(void *data)
{
	while (wait_for(event_fd)) {
		ASSERT_GT(signals(event_fd), 0);
		take_by_read();
	}
}

static void edge_then_take(void *data)
{
	const int epoll = new_epoll(device, EPOLLIN | EPOLLET);

	while (wait_for(epoll)) {
		epoll_reports(epoll, 0);
		take_until_no_more();
	}
}

static void sigio_then_read(void *data)
{
	while (take_signal(SIGIO, NULL, HOUR) && !stopping)
		take_by_read();
}

/* Rounds */

static void describe(const struct timer *t)
{
	struct twheel_op op;

	note("in us of the round: deadline %+lld, set at %+lld, event seen at %+lld, now %+lld; query says %d",
	     (long long)(t->deadline - round_start) / 1000,
	     (long long)(t->set_ns - round_start) / 1000,
	     t->events ? (long long)(t->seen_ns - round_start) / 1000 : 0,
	     (long long)(now() - round_start) / 1000, query(device, t->handle, &op));
	if (ring.head)
		note("ring: %llu of %llu consumed, flags %#x",
		     (unsigned long long)ring.head->head,
		     (unsigned long long)tail_of(&ring), ring.head->flags);
}

/*
 * The host may delay the reader alone, while the beats of every CPU go on. So a late event
 * does not fail the case by itself; late events in every round do.
 */
static unsigned int late_in_round, late_rounds;

/* Check a timer when the round is over. An event that has not come will not come. */
static void check_timer(const struct timer *t)
{
	unsigned int late;
	__u64 since;

	if (t->events != !t->cancelled) {
		describe(t);
		FAIL("%u events of a timer that was %scancelled", t->events,
		     t->cancelled ? "" : "not ");
	}
	if (t->cancelled)
		return;
	if (t->event_deadline != t->deadline) {
		describe(t);
		FAIL("the event has another deadline than its timer");
	}
	since = later(t->deadline, t->set_ns);
	if (t->seen_ns <= since + ticks(1))
		return;
	late = (t->seen_ns - since) / ticks(1);
	if (late > worst)
		worst = late;
	if (t->seen_ns > latest_for(since))
		late_in_round = late > late_in_round ? late : late_in_round;
}

static bool all_events_seen(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < TIMERS; i++)
			if (!writers[cpu].timers[i].cancelled &&
			    !writers[cpu].timers[i].events)
				return false;
	return true;
}

/* Wait until every event of the round must have been seen. */
static void wait_for_end_of_round(void)
{
	const __u64 last = later(now(), round_start + ticks(ROUND_TICKS));

	while (latest_for(last) > now())
		sleep_for(ticks(1));
	/* Nothing is armed any more, so no later expiry makes up for a lost wake-up. */
	while (!all_events_seen() && now() < last + 30 * NSEC_PER_SEC)
		sleep_for(ticks(1));
}

static void do_round(void)
{
	unsigned int cpu, i;

	round_number++;
	round_start = now();
	begin_round();
	end_round();
	wait_for_end_of_round();
	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < TIMERS; i++)
			check_timer(&writers[cpu].timers[i]);
	if (late_in_round)
		note("round %u: an event came %u ticks late", round_number, late_in_round);
	late_rounds += !!late_in_round;
	late_in_round = 0;
	ASSERT_EQ(timers_of(device), 0);
}

static void start_all(void)
{
	unsigned int cpu;

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus > MOST_CPUS)
		cpus = MOST_CPUS;
	for (cpu = 0; cpu < cpus; cpu++) {
		writers[cpu].seed = cpu + 1;
		start_thread(count_beats, &beats[cpu]);
	}
	start_rounds(cpus, write_round);
}

static void stop_all(void)
{
	stopping = true;
	CALL(eventfd_write(stop_fd, 1));
	CALL(kill(getpid(), SIGIO));
	stop_rounds();
}

typedef void (*thread_fn)(void *data);

/* A lost wake-up is rare: with --long, a minute. */
static __u64 end_of_wakeups(void)
{
	return long_tests ? now() + 60 * NSEC_PER_SEC : end_of_races();
}

/* Rounds until the wake-ups end, with one reader or two, which are threads of this process. */
static void run_rounds(thread_fn reader, thread_fn other)
{
	const __u64 end = end_of_wakeups();

	block_signal(SIGIO);
	stop_fd = CALL(eventfd(0, EFD_CLOEXEC));
	start_all();
	start_thread(reader, NULL);
	if (other)
		start_thread(other, NULL);
	/* A wake-up that is lost is late in each round. On a busy host, a few rounds may all be. */
	while (now() < end || round_number < 3 ||
	       (late_rounds == round_number && round_number < 30))
		do_round();
	stop_all();
	ASSERT(late_rounds < round_number);
	note("%u CPUs, %u rounds, ring full %u times, at most %u ticks late", cpus,
	     round_number, full, worst);
}

/* The ring has so many entries; 0: there is none. */
static void open_all(unsigned int entries)
{
	device = open_device(O_NONBLOCK);
	table = map_words(device, WORDS);
	if (entries)
		ring = map_ring(device, entries);
}

static void run_with(unsigned int entries, thread_fn reader)
{
	open_all(entries);
	run_rounds(reader, NULL);
}

static void run_with_eventfd(unsigned int entries, thread_fn reader)
{
	open_all(entries);
	event_fd = eventfd_of(device);
	run_rounds(reader, NULL);
}

TEST_CALL(read_after_poll, run_with(0, poll_then_read))
TEST_CALL(read_after_eventfd, run_with_eventfd(0, eventfd_then_read))

TEST(read_after_sigio)
{
	open_all(0);
	CALL(fcntl(device, F_SETOWN, getpid()));
	CALL(fcntl(device, F_SETFL, O_NONBLOCK | O_ASYNC));
	run_rounds(sigio_then_read, NULL);
}

TEST_CALL(ring_after_poll, run_with(LARGE, poll_then_take))
TEST_CALL(ring_by_spinning, run_with(LARGE, spin_and_take))
TEST_CALL(ring_after_eventfd, run_with_eventfd(LARGE, eventfd_then_take))
TEST_CALL(full_ring_after_poll, run_with(ENTRIES, poll_then_take))
TEST_CALL(full_ring_by_spinning, run_with(ENTRIES, spin_and_take))
TEST_CALL(full_ring_after_eventfd, run_with_eventfd(ENTRIES, eventfd_then_take))
TEST_CALL(full_ring_after_edge, run_with(ENTRIES, edge_then_take))

TEST(full_ring_taken_by_a_thread_that_does_not_poll)
{
	open_all(ENTRIES);
	hops = HANDED_HOPS;
	run_rounds(only_poll, only_take);
}

/* The same two threads, as fast as they can: thousands of events wait for a small ring. */

static void drop_all(void *data)
{
	stay_on_cpu(last_cpu());
	while (!stopping)
		set_head(&ring, tail_of(&ring));
}

static bool events_wait_for_an_empty_ring(void)
{
	const __u64 tail = tail_of(&ring);

	/* Timers that have just expired are put into the ring meanwhile. */
	pass_ticks(2);
	return has_more(&ring) && ring.head->head == tail && tail_of(&ring) == tail;
}

TEST(poll_does_not_sleep_while_events_wait)
{
	enum { COUNT = 2000 };
	const __u64 end = end_of_wakeups();
	const unsigned int count = many(COUNT);
	static struct twheel_op ops[COUNT];
	unsigned int round;

	stay_on_cpu(0);
	device = open_device(O_NONBLOCK);
	ring = map_ring(device, ENTRIES);
	start_thread(drop_all, NULL);
	for (round = 1; round < 5 || now() < end; round++) {
		add_many(device, ops, count, new_timer(0, 0));
		while (tail_of(&ring) < (__u64)round * count)
			if (!poll_events(device, POLLIN, 300) && events_wait_for_an_empty_ring())
				FAIL("poll() slept while the ring was empty and events waited");
	}
	stop_threads();
	note("%u rounds", round - 1);
	ASSERT_EQ(timers_of(device), 0);
}
