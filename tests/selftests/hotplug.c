// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs go offline and come back. Their visits, by which the kernel looks at the timers of
 * open files, move to another CPU. No timer is lost or early, and none is late by more than the
 * move takes.
 */
#include "debugfs.h"

#define CPUS "/sys/devices/system/cpu"

enum { MOST_CPUS = 64, ROOM = 1024 };

/* The CPUs that can go offline, and the longest time that one took to go or come. */
static int cpus[MOST_CPUS];
static unsigned int movable;
static atomic_ullong longest_move;

static void find_cpus(void)
{
	char path[64];
	int cpu;

	for (cpu = 0; cpu < cpu_count() && movable < MOST_CPUS; cpu++) {
		snprintf(path, sizeof(path), CPUS "/cpu%d/online", cpu);
		if (!access(path, W_OK))
			cpus[movable++] = cpu;
	}
	if (!movable)
		skip("no CPU here can go offline");
}

static void set_online(int cpu, bool online)
{
	const __u64 start = now();
	char path[64];

	snprintf(path, sizeof(path), CPUS "/cpu%d/online", cpu);
	ASSERT(write_file(path, online ? "1" : "0"));
	if (now() - start > longest_move)
		longest_move = now() - start;
}

/* Go to the next CPU that is online. CPU 0 always is. */
static void go_on(void)
{
	static int cpu;

	do
		cpu = (cpu + 1) % cpu_count();
	while (!go_to_cpu(cpu));
}

/*
 * A crowd of timers whose size stays the same. Most deadlines are far away, and
 * these timers only move with their CPUs. Each near timer is armed again when it
 * expires.
 */
#define FAR(cookie) ((cookie) % 16 != 0)

/*
 * A busy machine may fall behind with so many moves. So a timer fails here only
 * if it is so late that it seems to be stuck. The next test measures how late a
 * single move makes timers.
 */
#define STUCK (30 * NSEC_PER_SEC)

static struct {
	int		fd;
	unsigned int	size;
	struct twheel_op *timers;	/* by cookie; handle 0: not armed */
	atomic_ullong	armed;
	atomic_ullong	cancelled;
	__u64		fired;
	__u64		latest;		/* in ns: the longest time from deadline to read */
} crowd;

static void arm_crowd(const unsigned int *cookies, unsigned int count)
{
	struct twheel_op ops[ROOM];
	unsigned int i;

	for (i = 0; i < count; i++) {
		const __u64 delay = FAR(cookies[i]) ? 3600 * NSEC_PER_SEC :
				    rand() % (long_tests ? 30000 : 6000) * NSEC_PER_MSEC;

		ops[i] = new_timer_at(now() + delay, cookies[i]);
	}
	add_all(crowd.fd, ops, count);
	for (i = 0; i < count; i++)
		crowd.timers[cookies[i]] = ops[i];
	crowd.armed += count;
}

static void disarm(const unsigned int *cookies, unsigned int count)
{
	struct twheel_op ops[ROOM];
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = crowd.timers[cookies[i]];
	cancel_all(crowd.fd, ops, count);
	for (i = 0; i < count; i++)
		crowd.timers[cookies[i]].handle = 0;
	crowd.cancelled += count;
}

/* The cookies of the next far timers behind *@position. Returns their number. */
static unsigned int next_far(unsigned int *position, unsigned int *cookies)
{
	unsigned int n;

	for (n = 0; n < ROOM && *position < crowd.size; ++*position)
		if (FAR(*position))
			cookies[n++] = *position;
	return n;
}

static void start_crowd(unsigned int size)
{
	unsigned int cookies[ROOM], cookie, n;

	crowd.fd = open_device(0);
	crowd.size = size;
	crowd.timers = allocate(size, sizeof(*crowd.timers));
	for (cookie = 0; cookie < size; cookie += n) {
		for (n = 0; n < ROOM && cookie + n < size; n++)
			cookies[n] = cookie + n;
		go_on();
		arm_crowd(cookies, n);
	}
	ASSERT_EQ(timers_of(crowd.fd), size);
}

/* Check an event against its timer, which is no longer armed. */
static void check_off(const struct twheel_event *event)
{
	__u64 late;

	check_first_event(event, crowd.timers, crowd.size);
	ASSERT_EQ(event->deadline_ns, crowd.timers[event->cookie].time_ns);
	late = now() - event->deadline_ns;
	if (late > crowd.latest)
		crowd.latest = late;
	crowd.fired++;
}

/* Read events and arm their timers again. */
static void serve(void)
{
	struct twheel_event events[ROOM];
	unsigned int cookies[ROOM];
	int i, got = read_events(crowd.fd, events, ROOM);

	ASSERT_GT(got, 0);
	for (i = 0; i < got; i++) {
		check_off(&events[i]);
		cookies[i] = events[i].cookie;
	}
	if (crowd.fired % 64 < (unsigned int)got)
		go_on();
	arm_crowd(cookies, got);
}

/* Cancel the far timers and wait for all others: each timer ends once. */
static void dismiss(void)
{
	unsigned int cookies[ROOM], position = 0, n, i;
	struct twheel_event event;

	while ((n = next_far(&position, cookies)))
		disarm(cookies, n);
	while (crowd.fired + crowd.cancelled < crowd.armed) {
		event = read_one(crowd.fd);
		check_off(&event);
	}
	for (i = 0; i < crowd.size; i++)
		ASSERT_EQ(crowd.timers[i].handle, 0);
	ASSERT_EQ(timers_of(crowd.fd), 0);
	check_no_event(crowd.fd);
	note("%llu timers armed, %llu expired, %llu cancelled, none lost",
	     crowd.armed, crowd.fired, crowd.cancelled);
	note("the latest was read %llu us after its deadline", crowd.latest / 1000);
	ASSERT_LE(crowd.latest, longest_move + STUCK);
}

/* Open files with a timer each. A CPU has one timer for the visits of all of them. */
enum { VISITS = 50 };

/*
 * One round: arm some of the far timers on a CPU, and take the CPU offline and
 * back. After each step, timers that were due meanwhile have a tick to expire.
 */
static void take_turn(int cpu, unsigned int *position)
{
	unsigned int cookies[ROOM], n, i;
	int fds[VISITS];

	n = next_far(position, cookies);
	if (*position == crowd.size)
		*position = 0;
	ASSERT(go_to_cpu(cpu));
	disarm(cookies, n);
	arm_crowd(cookies, n);
	for (i = 0; i < VISITS; i++) {
		fds[i] = open_device(0);
		add(fds[i], HOUR, i);
	}
	set_online(cpu, false);
	pass_ticks(1);
	set_online(cpu, true);
	pass_ticks(1);
	for (i = 0; i < VISITS; i++) {
		ASSERT_EQ(timers_of(fds[i]), 1);
		close(fds[i]);
	}
}

/* A thread that takes CPUs offline and back. */
static unsigned int turns;
static atomic_bool over;

static void take_turns(void *data)
{
	unsigned int i, position = 0;
	const __u64 start = now();
	__u64 said = start;

	for (i = 0; i < turns; i++) {
		take_turn(cpus[i % movable], &position);
		if (now() - said < 10 * NSEC_PER_SEC)
			continue;
		said = now();
		note("%u of %u rounds", i + 1, turns);
	}
	note("%u rounds in %llu ms, the longest move took %llu us", i,
	     (now() - start) / NSEC_PER_MSEC, longest_move / 1000);
	over = true;
}

TEST_TIMEOUT(none_is_lost_while_cpus_come_and_go, 1500)
{
	const bool slow = debug_kernel();
	__u64 migrated;

	need_debugfs();
	find_cpus();
	migrated = sum_of_cpus("migrated");
	/* Rounds and timers: as many as the kernel can do in about the same time. */
	if (long_tests) {
		turns = slow ? 20 : 200;
		start_crowd(slow ? 10000 : 100000);
	} else {
		turns = 10;
		start_crowd(many(20000));
	}
	start_thread(take_turns, NULL);
	while (!over)
		serve();
	join_threads();
	dismiss();
	migrated = sum_of_cpus("migrated") - migrated;
	note("the timer of visits moved %llu times", migrated);
	/* When a CPU goes, the timer for visits may just have come there. */
	ASSERT_GE(migrated, turns / 2);
	ASSERT_EQ(sum_of_cpus("early"), 0);
}

/*
 * Timers are late by no more than the move takes. No other timer is armed, so
 * only the move can wake the wheel of the new CPU. When the CPU has come back, its wheel
 * expires timers in time.
 */
TEST_TIMEOUT(moved_timers_wake_their_new_cpu, 900)
{
	enum { COUNT = 500 };
	const unsigned int rounds = long_tests && !debug_kernel() ? 30 : 5;
	const int fd = open_device(0);
	unsigned int round, i, moved = 0;
	__u64 latest = 0, late;
	struct twheel_event event;
	struct twheel_op op;

	find_cpus();
	/* on a busy host, all timers may have expired before the CPU is offline */
	for (round = 0; round < rounds || !moved; round++) {
		const int cpu = cpus[round % movable];
		__u64 handle = 0;

		ASSERT(go_to_cpu(cpu));
		for (i = 0; i < COUNT; i++)
			handle = add(fd, (500 + i) * NSEC_PER_MSEC, i);
		longest_move = 0;
		set_online(cpu, false);
		moved += query(fd, handle, &op) == 0;
		for (i = 0; i < COUNT; i++) {
			event = read_one(fd);
			late = now() - event.deadline_ns;
			ASSERT_LE(late, tick_ns() + longest_move + slack_ns());
			if (late > latest)
				latest = late;
		}
		ASSERT_EQ(timers_of(fd), 0);
		set_online(cpu, true);
		ASSERT(go_to_cpu(cpu));
		for (i = 0; i < 10; i++) {
			add(fd, ticks(i), i);
			event = read_one(fd);
			ASSERT_LE(now() - event.deadline_ns, tick_ns() + slack_ns());
		}
	}
	note("%u rounds, %u with timers to move, the latest by %llu us", round,
	     moved, latest / 1000);
	ASSERT_GT(moved, 0);
}
