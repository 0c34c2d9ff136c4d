// SPDX-License-Identifier: GPL-2.0
/*
 * What programs get, and what they cost others, that attack nobody: one that waits for its
 * timers, one whose million timers are due on one tick, and one that closes a descriptor
 * with a million timers. Each is compared with its peer in the same run.
 */

#include "harm.h"

enum { MILLION = 1000000, BYTES_A_TIMER = 65, STEP = 10000, ROOM = 1024 };
enum { ORDINARY = 1003, RECEIVER = 1004 };

#define SETTLE_NS	(100 * NSEC_PER_MSEC)
#define QUIET_NS	(300 * NSEC_PER_MSEC)

static struct {
	struct progress	progress;
	struct innocent	innocent;
	atomic_ullong	ready;		/* when the timers are due, or not 0 */
	atomic_ullong	go;
	__u64		ns;		/* what was measured */
	struct waits {
		double	mean_us;
		double	worst_us;
	} waits;
} *shared;

static void begin(void)
{
	if (irqs_off_are_measured() || last_cpu())
		skip("for one CPU, and other figures");
	set_up();
	shared = shared_memory(sizeof(*shared));
}

static void end_case(bool bad)
{
	set_back();
	if (bad)
		FAIL("a figure is above its bound");
}

/* A reader that waits for each of its timers. Its peer comes behind it. */
struct reader {
	const char	*name;
	bool		timerfd;
	bool		by_epoll;
};

static const struct reader readers[] = {
	{ "read", false, false },
	{ "read of timerfd", true, false },
	{ "epoll", false, true },
	{ "epoll of timerfd", true, true },
};

static void arm_reader(const struct reader *reader, int fd, __u64 deadline)
{
	if (reader->timerfd)
		arm_timerfd(fd, deadline);
	else
		add_at(fd, deadline, 0);
}

/* When a tick begins. */
static __u64 next_tick(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	unsigned long long value = 0;
	bool found = false;
	char line[256];

	ASSERT(file);
	while (!value && fgets(line, sizeof(line), file))
		if (!found)
			found = strstr(line, "tick_sched_timer");
		else
			sscanf(line, " # expires at %llu", &value);
	fclose(file);
	ASSERT(value);
	return value;
}

/*
 * The deadlines lie evenly between ticks, but not close to them. A timer is due at the next
 * tick, and a timerfd at its deadline.
 */
static void be_reader(void *data)
{
	enum { SAMPLES = 500 };
	const struct reader *reader = data;
	const __u64 first = next_tick() + ticks(100);	/* root may know */
	struct epoll_event event = { .events = EPOLLIN };
	struct waits waits = { 0 };
	__u64 buffer[sizeof(struct twheel_event) / sizeof(__u64)], deadline, due, woken;
	double late_us;
	unsigned int i;
	int fd, epoll;

	become(attacked_cpu, ORDINARY);
	fd = reader->timerfd ? CALL(timerfd_create(CLOCK_MONOTONIC, 0)) : open_device(0);
	epoll = CALL(epoll_create1(0));
	if (reader->by_epoll)
		CALL(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	ASSERT_LT(now(), first);
	for (i = 0; i < SAMPLES; i++) {
		deadline = first + ticks(2) * i + (SAMPLES / 4 + i) * tick_ns() / (SAMPLES * 3 / 2);
		due = reader->timerfd ? deadline : first + ticks(2) * i + tick_ns();
		arm_reader(reader, fd, deadline);
		if (reader->by_epoll)
			ASSERT_EQ(CALL(epoll_wait(epoll, &event, 1, -1)), 1);
		else
			CALL(read(fd, buffer, sizeof(buffer)));
		woken = now();
		if (reader->by_epoll)
			CALL(read(fd, buffer, sizeof(buffer)));
		ASSERT_GE(woken, due);
		late_us = (woken - due) / 1e3;
		waits.mean_us += late_us / SAMPLES;
		if (late_us > waits.worst_us)
			waits.worst_us = late_us;
	}
	shared->waits = waits;
}

/* Beside the peer that reads in the same way; NULL: this is the peer. */
static bool judge_reader(const char *mode, const struct reader *reader, const struct waits *waits,
			 const struct waits *peer)
{
	char what[64];
	bool bad;

	snprintf(what, sizeof(what), "%s mean", reader->name);
	bad = exceeds(mode, what, 0, waits->mean_us, peer ? 3 * peer->mean_us : 0, "us");
	snprintf(what, sizeof(what), "%s worst", reader->name);
	return bad | exceeds(mode, what, 0, waits->worst_us, peer ? peer->worst_us + 50 : 0, "us");
}

static void measure_readers(const char *mode, bool busy)
{
	struct waits waits[ARRAY_SIZE(readers)];
	pid_t victim = 0;
	bool bad = false;
	unsigned int i;

	begin();
	if (busy)
		victim = start(run_cfs, &shared->progress);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		join(start(be_reader, (void *)&readers[i]));
		waits[i] = shared->waits;
	}
	if (victim)
		kill_child(victim);
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		bad |= judge_reader(mode, &readers[i], &waits[i],
				    readers[i].timerfd ? NULL : &waits[i + 1]);
	end_case(bad);
}

TEST_CALL(late_quiet, measure_readers("late_quiet", false))
TEST_CALL(late_busy, measure_readers("late_busy", true))

/* Add timers that are all due at @deadline or, if that is 0, some time within an hour. */
static void add_million(int fd, __u64 deadline)
{
	struct twheel_op *ops = allocate(STEP, sizeof(*ops));
	unsigned int i, n;

	for (n = 0; n < MILLION; n += STEP) {
		for (i = 0; i < STEP; i++) {
			ops[i] = new_timer(LONG + (n + i) * 7919ULL % 3600000 *
					   NSEC_PER_MSEC, n + i);
			if (deadline) {
				ops[i].flags = TWHEEL_ABSTIME;
				ops[i].time_ns = deadline;
			}
		}
		add_all(fd, ops, STEP);
	}
	free(ops);
}

static void read_storm(void *data)
{
	static struct twheel_event events[ROOM];
	const __u64 deadline = now() + 3 * NSEC_PER_SEC;
	int fd, n;

	become(attacked_cpu, ORDINARY);
	fd = open_device(0);
	add_million(fd, deadline);
	ASSERT_LT(now(), deadline - NSEC_PER_SEC);
	atomic_store(&shared->ready, deadline);
	for (n = 0; n < MILLION; n += CALL(read_events(fd, events, ROOM)))
		;
	shared->ns = now() - deadline;
}

/* How late the innocent's events are from @go() until the child ends. */
static bool judge_innocent(const char *mode, pid_t child, void (*go)(void), bool bounded)
{
	struct lateness quiet, late;
	pid_t innocent;

	while (!atomic_load(&shared->ready))
		sleep_for(NSEC_PER_MSEC);
	innocent = start(run_innocent, &shared->innocent);
	sleep_for(SETTLE_NS);
	reset_innocent(&shared->innocent);
	sleep_for(QUIET_NS);
	quiet = lateness_of(&shared->innocent);
	go();
	reset_innocent(&shared->innocent);
	join(child);
	late = lateness_of(&shared->innocent);
	kill_child(innocent);
	return exceeds(mode, "late max", ms(quiet.max_ns), ms(late.max_ns),
		       bounded ? ms(quiet.max_ns + tick_ns()) : 0, "ms");
}

static void wait_for_deadline(void)
{
	sleep_until(atomic_load(&shared->ready) - NSEC_PER_MSEC);
}

TEST(storm)
{
	bool bad;

	begin();
	bad = judge_innocent("storm", start(read_storm, NULL), wait_for_deadline, true);
	bad |= exceeds("storm", "an event", 0, (double)shared->ns / MILLION, 450, "ns");
	end_case(bad);
}

/*
 * What is closed: timers or pages, by their owner or by the program that got the descriptor.
 * The peer comes behind.
 */
struct closing {
	const char	*name;
	bool		pages;
	bool		received;
};

static const struct closing closings[] = {
	{ "close_million", false, false },
	{ "close_memfd", true, false },
	{ "close_received", false, true },
	{ "close_received_memfd", true, true },
};

/* The pages are mapped here, too. */
static int make_full(bool pages, void **map)
{
	const size_t size = MILLION * BYTES_A_TIMER;
	int fd;

	if (pages) {
		fd = CALL(memfd_create("full", 0));
		CALL(ftruncate(fd, size));
		*map = CALL(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
				 fd, 0));
	} else {
		fd = open_device(0);
		add_million(fd, 0);
	}
	return fd;
}

static int sockets[2];

static void send_full(void *data)
{
	void *map;

	become(attacked_cpu, ORDINARY);
	send_descriptor(sockets[0], make_full(*(bool *)data, &map));
}

static void be_closer(void *data)
{
	const struct closing *closing = data;
	void *map = NULL;
	__u64 start_ns;
	pid_t owner;
	int fd;

	if (closing->received) {
		CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
		owner = start(send_full, (void *)&closing->pages);
		become(attacked_cpu, RECEIVER);
		fd = receive_descriptor(sockets[1]);
		join(owner);
	} else {
		become(attacked_cpu, ORDINARY);
		fd = make_full(closing->pages, &map);
	}
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->go))
		sleep_for(NSEC_PER_MSEC);
	start_ns = now();
	if (map)
		CALL(munmap(map, MILLION * BYTES_A_TIMER));
	close(fd);
	shared->ns = now() - start_ns;
}

static void let_close(void)
{
	atomic_store(&shared->go, 1);
}

TEST(close_million)
{
	double took[ARRAY_SIZE(closings)];
	bool bad = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(closings); i++) {
		begin();
		bad |= judge_innocent(closings[i].name,
				      start(be_closer, (void *)&closings[i]), let_close,
				      !closings[i].pages);
		took[i] = ms(shared->ns);
		set_back();
	}
	for (i = 0; i < ARRAY_SIZE(closings); i++)
		bad |= exceeds(closings[i].name, "took", 0, took[i],
			       closings[i].pages ? 0 : took[i + 1], "ms");
	end_case(bad);
}
