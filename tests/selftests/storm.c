// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: 1,000,000 timers are due on one tick, or 100,000 timers have a period
 * of one tick. The machine stays responsive, other descriptors are served in turn, and
 * every expiration arrives once.
 */
#include "device.h"


/* Another user of the device, whose timers have nothing to do with the storm. */
struct bystander {
	bool		compare;	/* each timer with timerfds on all CPUs */
	unsigned int	count;		/* timers so far */
	__u64		latest;		/* ns from a deadline to its expiry */
	__u64		behind;		/* ns from the timerfds to an expiry, or 0 */

	/* the last timers that were late by three ticks */
	struct wait {
		__u64	deadline;
		__u64	expired;
	} waits[1000];
	unsigned int	late;		/* how many there were */
};

static void note_lateness(struct bystander *bystander, const struct twheel_event *event)
{
	const __u64 lateness = event->expired_ns - event->deadline_ns;

	bystander->count++;
	if (lateness > bystander->latest)
		bystander->latest = lateness;
	if (lateness >= ticks(3)) {
		const unsigned int place = bystander->late++ % ARRAY_SIZE(bystander->waits);

		bystander->waits[place] = (struct wait){
			.deadline = event->deadline_ns,
			.expired = event->expired_ns,
		};
	}
	if (bystander->compare) {
		const __u64 seen = latest_expiry();

		if (event->expired_ns > seen + bystander->behind)
			bystander->behind = event->expired_ns - seen;
	}
}

static void stand_by(void *data)
{
	struct bystander *bystander = data;
	const int fd = open_device(0);

	do {
		struct twheel_event event;

		add(fd, ticks(1), 1);
		if (bystander->compare)
			arm_timerfds(now() + ticks(1));
		event = read_one(fd);
		note_lateness(bystander, &event);
	} while (!stopping);
	close(fd);
}

static void start_bystander(struct bystander *bystander, bool compare)
{
	*bystander = (struct bystander){ .compare = compare };
	start_thread(stand_by, bystander);
}

static void stop_bystander(struct bystander *bystander)
{
	stop_threads();
	note("another descriptor: %u timers, the latest by %llu us",
	     bystander->count, bystander->latest / 1000);
	ASSERT_GT(bystander->count, 0);
}

/* The other descriptor waits for the end of a storm at the longest. */
static void end_bystander(struct bystander *bystander, __u64 storm_ns)
{
	stop_bystander(bystander);
	ASSERT_LE(bystander->behind, storm_ns);
}

/* A million with --long, or else as many timers as this machine arms in a second. */
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
		ops[i] = new_timer(LONG, i);
	start = now();
	add_all(fd, ops, sample);
	count = sample * NSEC_PER_SEC / (now() - start);
	free(ops);
	close(fd);
	if (count > MOST)
		return MOST;
	return count < many(LEAST) ? many(LEAST) : count;
}

TEST_TIMEOUT(a_million_timers_on_one_tick, 400)
{
	enum { ROOM = 1024, STEP = 10000 };
	const unsigned int count = count_of_storm();
	const int fd = open_device(0);
	struct twheel_op *ops = allocate(STEP, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	bool *seen = allocate(count, sizeof(*seen));
	struct bystander bystander;
	const __u64 deadline = now() + (long_tests ? 10 : 2) * NSEC_PER_SEC;
	__u64 armed, first = ~0ULL, last = 0;
	unsigned int i, n, got;

	for (n = 0; n < count; n += STEP) {
		for (i = 0; i < STEP && n + i < count; i++)
			ops[i] = new_timer_at(deadline, n + i);
		add_all(fd, ops, i);
	}
	armed = now();
	start_bystander(&bystander, true);
	for (n = 0; n < count; n += got) {
		got = read_some(fd, events, ROOM);
		for (i = 0; i < got; i++) {
			const __u64 cookie = events[i].cookie;

			see_once(seen, cookie, count);
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

/* The most timers of a storm by another user. */
enum { STORMY_USER = 31003, STORM_MOST = 200000 };

/*
 * The least timers of such a storm. Its first one or two thousand are served in turn with
 * the timers of other users, and must be a small part of it.
 */
enum { STORM_LEAST = 16000 };

/* A storm by another user, over so many descriptors. */
struct storm {
	unsigned int	descriptors;
	unsigned int	timers;			/* of each descriptor */
	__u64		lead_ns;
	__u64		length_ns;		/* from the deadline to the last expiry */
	__u64		expired[STORM_MOST];	/* when each timer expired */
};

static void arm_storm(const struct storm *storm, int *fds, __u64 deadline)
{
	struct twheel_op *ops = allocate(storm->timers, sizeof(*ops));
	unsigned int n;

	for (n = 0; n < storm->descriptors; n++) {
		fds[n] = open_device(0);
		add_many(fds[n], ops, storm->timers, new_timer_at(deadline, 0));
	}
	free(ops);
}

static void run_storm(void *data)
{
	struct storm *storm = data;
	int *fds = allocate(storm->descriptors, sizeof(*fds));
	struct twheel_event *events = allocate(storm->timers, sizeof(*events));
	const __u64 deadline = now() + storm->lead_ns;
	__u64 *expired = storm->expired;
	unsigned int n, i;

	CALL(setresuid(STORMY_USER, 0, 0));
	arm_storm(storm, fds, deadline);
	for (n = 0; n < storm->descriptors; n++)
		while (get_info(fds[n]).unread < storm->timers)
			usleep(1000);
	storm->length_ns = now() - deadline;
	for (n = 0; n < storm->descriptors; n++) {
		read_all(fds[n], events, storm->timers);
		for (i = 0; i < storm->timers; i++)
			*expired++ = events[i].expired_ns;
	}
}

/*
 * Count the timers of the storm that expired while a timer of the bystander was late.
 * Returns the most of any late timer. The first tick of a wait does not count: a timer
 * expires at the tick after its deadline.
 */
static unsigned int most_overtaking(const struct storm *storm,
				    const struct bystander *bystander)
{
	const unsigned int total = storm->descriptors * storm->timers;
	unsigned int i, j, most = 0;

	for (i = 0; i < bystander->late && i < ARRAY_SIZE(bystander->waits); i++) {
		const struct wait *wait = &bystander->waits[i];
		unsigned int count = 0;

		for (j = 0; j < total; j++)
			count += storm->expired[j] > wait->deadline + ticks(1) &&
				 storm->expired[j] <= wait->expired;
		if (count > most)
			most = count;
	}
	return most;
}

/*
 * Another descriptor is served in turn, even on the same CPU. While a storm runs, the
 * timers of a bystander come and go, and none of them waits for the end of the storm.
 *
 * A wait is measured in timers of the storm: when a busy host stops the CPU, it stops the
 * storm, too. The host may also stop only the CPU that counts the ticks, while the storm
 * goes on. So the test tries again before it fails.
 */
static void check_bystander(unsigned int descriptors, unsigned int timers)
{
	enum { TRIES = 5 };
	struct storm *storm = shared_memory(sizeof(*storm));
	struct bystander bystander;
	unsigned int try, overtaking;

	ASSERT_LE(descriptors * timers, STORM_MOST);
	stay_on_one_cpu();
	storm->descriptors = descriptors;
	storm->timers = timers;
	for (try = 0; try < TRIES; try++) {
		storm->lead_ns = (2 + try) * NSEC_PER_SEC;
		start_bystander(&bystander, false);
		join(start(run_storm, storm));
		stop_bystander(&bystander);
		overtaking = most_overtaking(storm, &bystander);
		note("a storm of %llu us, %u of its %u timers overtook a late timer",
		     storm->length_ns / 1000, overtaking, descriptors * timers);
		if (overtaking < descriptors * timers / 4)
			return;
	}
	FAIL("another descriptor waited for a storm's end");
}

TEST_TIMEOUT(storm_does_not_hold_up_another_descriptor, 120)
{
	check_bystander(1, debug_kernel() ? STORM_LEAST : STORM_MOST);
}

TEST_TIMEOUT(storm_over_many_descriptors_does_not_hold_up_another_user, 120)
{
	check_bystander((debug_kernel() ? STORM_LEAST : STORM_MOST) / 1000, 1000);
}

/* A storm that comes again at every tick. */
NONBLOCK_TEST(periods_of_one_tick)
{
	enum { ROOM = 1024 };
	const unsigned int count = many(100000);
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	struct twheel_event *events = allocate(ROOM, sizeof(*events));
	struct bystander bystander;
	const __u64 period = get_info(fd).min_period_ns;
	const __u64 start = now();
	__u64 read = 0, overruns = 0, end;
	unsigned int i, got;

	for (i = 0; i < count; i++) {
		ops[i] = new_timer_at(start, i);
		ops[i].period_ns = period;
	}
	add_all(fd, ops, count);
	start_bystander(&bystander, true);
	end = now() + NSEC_PER_SEC;
	while (now() < end) {
		got = read_some(fd, events, ROOM);
		for (i = 0; i < got; i++) {
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
		ops[i] = op_on(TWHEEL_OP_CANCEL, ops[i].handle);
	batch(fd, ops, count);
	for (i = 0; i < count; i++)
		ASSERT_GE(ops[i].result, 0);
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT(!has_event(fd));
}
