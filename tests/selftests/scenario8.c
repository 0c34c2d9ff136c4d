// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: very many timers at once. All arrive once, and other descriptors are
 * served meanwhile.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "device.h"

static atomic_bool stopping;

/* Another user of the device, whose timers have nothing to do with the storm. */
struct bystander {
	pthread_t	thread;
	__u64		latest;		/* ns from a deadline to its expiry */
	unsigned int	count;
};

static void *stand_by(void *data)
{
	struct bystander *bystander = data;
	const int fd = open_device(0);

	while (!stopping) {
		struct twheel_event event;

		add(fd, ticks(1), 1);
		event = read_one(fd);
		if (event.expired_ns - event.deadline_ns > bystander->latest)
			bystander->latest = event.expired_ns -
					    event.deadline_ns;
		bystander->count++;
	}
	return NULL;
}

static void start_bystander(struct bystander *bystander)
{
	ASSERT_EQ(pthread_create(&bystander->thread, NULL, stand_by, bystander),
		  0);
}

/* It is served in turn: it waits for a storm's end at the longest. */
static void end_bystander(struct bystander *bystander, __u64 storm_ns)
{
	stopping = true;
	pthread_join(bystander->thread, NULL);
	note("another descriptor: %u timers, the latest by %llu us",
	     bystander->count, bystander->latest / 1000);
	ASSERT_GT(bystander->count, 0);
	ASSERT_LE(bystander->latest, ticks(2) + storm_ns + slack_ns());
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	ASSERT(memory);
	return memory;
}

/* A million, or how many timers can be armed here in about a second. */
static unsigned int count_of_storm(void)
{
	enum { LEAST = 50000, MOST = 200000 };
	const unsigned int sample = many(20000);
	struct twheel_op *ops = allocate(sample, sizeof(*ops));
	const int fd = open_device(0);
	__u64 start, count;
	unsigned int i;

	if (long_tests)
		return 1000000;
	for (i = 0; i < sample; i++)
		ops[i] = new_timer(100 * NSEC_PER_SEC, i);
	start = now();
	add_all(fd, ops, sample);
	count = sample * NSEC_PER_SEC / (now() - start);
	free(ops);
	close(fd);
	if (count > MOST)
		return MOST;
	return count < many(LEAST) ? many(LEAST) : count;
}

TEST_TIMEOUT(a_million_timers_on_one_tick, 120)
{
	enum { ROOM = 1024, STEP = 10000 };
	const unsigned int count = count_of_storm();
	const int fd = open_device(0);
	struct twheel_op *ops = allocate(STEP, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	bool *seen = allocate(count, sizeof(*seen));
	struct bystander bystander = { 0 };
	const __u64 deadline = now() + (long_tests ? 10 : 2) * NSEC_PER_SEC;
	__u64 armed, first = ~0ULL, last = 0;
	unsigned int i, n, got;

	for (n = 0; n < count; n += STEP) {
		for (i = 0; i < STEP && n + i < count; i++) {
			ops[i] = new_timer(deadline, n + i);
			ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(fd, ops, i);
	}
	armed = now();
	start_bystander(&bystander);
	for (n = 0; n < count; n += got) {
		wait_for_event(fd);
		got = CALL(read(fd, events, ROOM * sizeof(*events)));
		got /= sizeof(*events);
		ASSERT_GT(got, 0);
		for (i = 0; i < got; i++) {
			const __u64 cookie = events[i].cookie;

			ASSERT_LT(cookie, count);
			ASSERT(!seen[cookie]);
			seen[cookie] = true;
			ASSERT_EQ(events[i].deadline_ns, deadline);
			ASSERT_GE(events[i].expired_ns, deadline);
			if (events[i].expired_ns < first)
				first = events[i].expired_ns;
			if (events[i].expired_ns > last)
				last = events[i].expired_ns;
		}
	}
	note("%u timers%s, expired %llu to %llu ms after their deadline", count,
	     armed < deadline ? "" : " (the last were armed too late)",
	     (first - deadline) / NSEC_PER_MSEC,
	     (last - deadline) / NSEC_PER_MSEC);
	end_bystander(&bystander, last - deadline);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}

/* A storm by another user, over so many descriptors. */
struct storm {
	unsigned int	descriptors;
	unsigned int	timers;		/* of each */
	__u64		lead_ns;
	__u64		length_ns;	/* from the deadline to the last expiry */
};

/* The first one or two thousand are in everybody's lane: a small part of these. */
enum { STORMY_USER = 31003, ENOUGH = 16000 };

static void arm_storm(const struct storm *storm, int *fds, __u64 deadline)
{
	struct twheel_op *ops = allocate(storm->timers, sizeof(*ops));
	unsigned int i, n;

	for (n = 0; n < storm->descriptors; n++) {
		fds[n] = open_device(0);
		for (i = 0; i < storm->timers; i++) {
			ops[i] = new_timer(deadline, i);
			ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(fds[n], ops, storm->timers);
	}
	free(ops);
}

static void run_storm(void *data)
{
	struct storm *storm = data;
	int *fds = allocate(storm->descriptors, sizeof(*fds));
	const __u64 deadline = now() + storm->lead_ns;
	unsigned int n;

	CALL(setresuid(STORMY_USER, 0, 0));
	arm_storm(storm, fds, deadline);
	for (n = 0; n < storm->descriptors; n++)
		while (get_info(fds[n]).unread < storm->timers)
			usleep(1000);
	storm->length_ns = now() - deadline;
}

/*
 * Another descriptor is served in turn, even on the same CPU. While a storm
 * runs, timers of that one come and go: none of them waits for its end.
 */
static void check_bystander(unsigned int descriptors, unsigned int timers)
{
	enum { TRIES = 5 };
	struct storm *storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct bystander bystander;
	unsigned int try;

	ASSERT(storm != MAP_FAILED);
	stay_on_one_cpu();
	/* The machine may be busy with something else. */
	for (try = 0; try < TRIES; try++) {
		*storm = (struct storm){
			.descriptors = descriptors,
			.timers = timers,
			.lead_ns = (2 + try) * NSEC_PER_SEC,
		};
		bystander = (struct bystander){ 0 };
		stopping = false;
		start_bystander(&bystander);
		join(start(run_storm, storm));
		stopping = true;
		pthread_join(bystander.thread, NULL);
		note("a storm of %llu us, another descriptor's timer late by %llu us",
		     storm->length_ns / 1000, bystander.latest / 1000);
		ASSERT_GT(bystander.count, 0);
		if (bystander.latest < ticks(3) ||
		    bystander.latest < storm->length_ns / 4)
			return;
	}
	FAIL("another descriptor waited for a storm's end");
}

TEST_TIMEOUT(storm_does_not_hold_up_another_descriptor, 120)
{
	check_bystander(1, debug_kernel() ? ENOUGH : 200000);
}

TEST_TIMEOUT(storm_over_many_descriptors_does_not_hold_up_another_user, 120)
{
	check_bystander((debug_kernel() ? ENOUGH : 200000) / 1000, 1000);
}

/* The same, but nobody reads: closing is enough. */
TEST(unread_storm_ends_with_close)
{
	const unsigned int count = many(50000);
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	const int fd = open_device(0);
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = new_timer(0, i);
	add_all(fd, ops, count);
	wait_for_event(fd);
	close(fd);
	ASSERT_EQ(timers_of(open_device(0)), 0);
}

/* Trap 17 */
TEST(periods_of_one_tick)
{
	enum { ROOM = 1024 };
	const unsigned int count = many(100000);
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	struct bystander bystander = { 0 };
	const int fd = open_device(O_NONBLOCK);
	const __u64 period = get_info(fd).min_period_ns;
	const __u64 start = now();
	__u64 read = 0, overruns = 0, end;
	unsigned int i;
	int got;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer(start, i);
		ops[i].flags = TWHEEL_ABSTIME;
		ops[i].period_ns = period;
	}
	add_all(fd, ops, count);
	start_bystander(&bystander);
	end = now() + NSEC_PER_SEC;
	while (now() < end) {
		wait_for_event(fd);
		got = read_events(fd, events, ROOM);
		ASSERT_GT(got, 0);
		for (i = 0; i < (unsigned int)got; i++) {
			struct twheel_op *op = &ops[events[i].cookie];

			ASSERT_LT(events[i].cookie, count);
			ASSERT_EQ(events[i].deadline_ns, op->time_ns);
			op->time_ns += events[i].count * period;
			read += events[i].count;
			overruns += events[i].count - 1;
		}
	}
	end_bystander(&bystander, NSEC_PER_SEC);
	note("%llu periods read, %llu of them missed", read, overruns);
	for (i = 0; i < count; i++)
		ops[i] = (struct twheel_op){
			.op = TWHEEL_OP_CANCEL,
			.handle = ops[i].handle,
		};
	batch(fd, ops, count);
	for (i = 0; i < count; i++)
		ASSERT_GE(ops[i].result, 0);
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT(!has_event(fd));
}
