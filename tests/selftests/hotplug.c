// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and come back: their timers move to another CPU, and
 * none is lost, early, or later than the move explains. Trap 25.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "debugfs.h"

#define CPUS "/sys/devices/system/cpu"

enum { MOST_CPUS = 64, ROOM = 1024 };

/* The CPUs that can go offline, and the time that the longest change took. */
static int cpus[MOST_CPUS];
static unsigned int movable;
static atomic_ullong longest_move;

static void find_cpus(void)
{
	DIR *directory = opendir(CPUS);
	struct dirent *entry;

	ASSERT(directory);
	while ((entry = readdir(directory)) && movable < MOST_CPUS) {
		char path[320];
		int cpu;

		if (sscanf(entry->d_name, "cpu%d", &cpu) != 1)
			continue;
		snprintf(path, sizeof(path), CPUS "/%s/online", entry->d_name);
		if (!access(path, W_OK))
			cpus[movable++] = cpu;
	}
	closedir(directory);
	if (!movable)
		skip("no CPU here can go offline");
}

static void set_online(int cpu, bool online)
{
	const __u64 start = now();
	char path[64];
	int fd;

	snprintf(path, sizeof(path), CPUS "/cpu%d/online", cpu);
	fd = CALL(open(path, O_WRONLY));
	ASSERT_EQ(CALL(write(fd, online ? "1" : "0", 1)), 1);
	close(fd);
	if (now() - start > longest_move)
		longest_move = now() - start;
}

/* Go to one CPU after the other. The last one cannot go offline. */
static void go_on(void)
{
	static int cpu, count;

	if (!count)
		count = sysconf(_SC_NPROCESSORS_CONF);
	do
		cpu = (cpu + 1) % count;
	while (!go_to_cpu(cpu));
}

/*
 * A crowd of timers that stays the same size. Most of them are far away and
 * only have to stay there; each of the others is armed again when it expires.
 */
#define FAR(cookie) ((cookie) % 16 != 0)

/*
 * Moving CPUs and timers all the time may be more than a busy machine can do in
 * time, so a timer is too late here if it seems to be stuck. How late a move
 * alone makes timers is for the next test to say.
 */
#define STUCK (30 * NSEC_PER_SEC)

struct crowd {
	int		fd;
	unsigned int	size;
	struct twheel_op *timers;	/* by cookie; no handle: not armed */
	atomic_ullong	armed;
	atomic_ullong	cancelled;
	__u64		fired;
	__u64		latest;		/* ns from a deadline to its expiry */
	__u64		late;		/* those that missed two ticks */
};

/* Arm timers, whose cookies are given, from this CPU. */
static void arm_crowd(struct crowd *crowd, const unsigned int *cookies,
		      unsigned int count)
{
	struct twheel_op ops[ROOM];
	unsigned int i;

	for (i = 0; i < count; i++) {
		const __u64 delay = FAR(cookies[i]) ? 3600 * NSEC_PER_SEC :
				    rand() % 30000 * NSEC_PER_MSEC;

		ops[i] = new_timer(now() + delay, cookies[i]);
		ops[i].flags = TWHEEL_ABSTIME;
	}
	add_all(crowd->fd, ops, count);
	for (i = 0; i < count; i++)
		crowd->timers[cookies[i]] = ops[i];
	crowd->armed += count;
}

static void disarm(struct crowd *crowd, const unsigned int *cookies,
		   unsigned int count)
{
	struct twheel_op ops[ROOM];
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = (struct twheel_op){
			.op = TWHEEL_OP_CANCEL,
			.handle = crowd->timers[cookies[i]].handle,
		};
	batch(crowd->fd, ops, count);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(ops[i].result, 0);
		crowd->timers[cookies[i]].handle = 0;
	}
	crowd->cancelled += count;
}

/* Some far ones, from where the last look ended. Returns how many. */
static unsigned int next_far(const struct crowd *crowd, unsigned int *position,
			     unsigned int *cookies)
{
	unsigned int n;

	for (n = 0; n < ROOM && *position < crowd->size; ++*position)
		if (FAR(*position))
			cookies[n++] = *position;
	return n;
}

static struct crowd *new_crowd(unsigned int size)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	unsigned int cookies[ROOM], cookie, n;

	ASSERT(crowd);
	crowd->fd = open_device(0);
	crowd->size = size;
	crowd->timers = calloc(size, sizeof(*crowd->timers));
	ASSERT(crowd->timers);
	for (cookie = 0; cookie < size; cookie += n) {
		for (n = 0; n < ROOM && cookie + n < size; n++)
			cookies[n] = cookie + n;
		go_on();
		arm_crowd(crowd, cookies, n);
	}
	ASSERT_EQ(timers_of(crowd->fd), size);
	return crowd;
}

/* Take one event off the list of what is armed. */
static void check_off(struct crowd *crowd, const struct twheel_event *event)
{
	struct twheel_op *timer;
	__u64 late;

	check_event(event);
	ASSERT_LT(event->cookie, crowd->size);
	timer = &crowd->timers[event->cookie];
	ASSERT(event->handle == timer->handle);
	ASSERT_EQ(event->deadline_ns, timer->time_ns);
	timer->handle = 0;
	late = event->expired_ns - event->deadline_ns;
	if (late > crowd->latest)
		crowd->latest = late;
	if (late > 2 * tick_ns())
		crowd->late++;
	crowd->fired++;
}

/* Read what there is, and arm it again. */
static void serve(struct crowd *crowd)
{
	struct twheel_event events[ROOM];
	unsigned int cookies[ROOM];
	int i, got = read_events(crowd->fd, events, ROOM);

	ASSERT_GT(got, 0);
	for (i = 0; i < got; i++) {
		check_off(crowd, &events[i]);
		cookies[i] = events[i].cookie;
	}
	if (crowd->fired % 64 < (unsigned int)got)
		go_on();
	arm_crowd(crowd, cookies, got);
}

/* End the far ones, wait for all others: each of them ends once. */
static void dismiss(struct crowd *crowd)
{
	unsigned int cookies[ROOM], position = 0, n, i;
	struct twheel_event event;

	while ((n = next_far(crowd, &position, cookies)))
		disarm(crowd, cookies, n);
	while (crowd->fired + crowd->cancelled < crowd->armed) {
		event = read_one(crowd->fd);
		check_off(crowd, &event);
	}
	for (i = 0; i < crowd->size; i++)
		ASSERT_EQ(crowd->timers[i].handle, 0);
	ASSERT_EQ(timers_of(crowd->fd), 0);
	check_no_event(crowd->fd);
	note("%llu timers armed, %llu expired, %llu cancelled, none lost",
	     crowd->armed, crowd->fired, crowd->cancelled);
	note("%llu more than 2 ticks late, the latest by %llu us",
	     crowd->late, crowd->latest / 1000);
	ASSERT_LE(crowd->latest, longest_move + STUCK);
}

/* Take CPUs away and bring them back. */
struct turns {
	pthread_t	thread;
	struct crowd	*crowd;
	unsigned int	rounds;
	atomic_bool	over;
};

/*
 * One round: the CPU gets some of the far timers, and goes. In between, what
 * was due meanwhile is given the time to expire.
 */
static void take_turn(struct crowd *crowd, int cpu, unsigned int *position)
{
	unsigned int cookies[ROOM], n;

	n = next_far(crowd, position, cookies);
	if (*position == crowd->size)
		*position = 0;
	ASSERT(go_to_cpu(cpu));
	disarm(crowd, cookies, n);
	arm_crowd(crowd, cookies, n);
	set_online(cpu, false);
	pass_ticks(1);
	set_online(cpu, true);
	pass_ticks(1);
}

static void *take_turns(void *data)
{
	struct turns *turns = data;
	unsigned int i, position = 0;
	const __u64 start = now();
	__u64 said = start;

	for (i = 0; i < turns->rounds; i++) {
		take_turn(turns->crowd, cpus[i % movable], &position);
		if (now() - said < 10 * NSEC_PER_SEC)
			continue;
		said = now();
		note("%u of %u rounds", i + 1, turns->rounds);
	}
	note("%u rounds in %llu ms, the longest move took %llu us", i,
	     (now() - start) / NSEC_PER_MSEC, longest_move / 1000);
	turns->over = true;
	return NULL;
}

/* How often, and with how many timers: what is bearable where it is slow. */
static unsigned int rounds_here(void)
{
	if (!long_tests)
		return 10;
	return debug_kernel() ? 20 : 200;
}

static unsigned int size_here(void)
{
	if (!long_tests)
		return many(20000);
	return debug_kernel() ? 10000 : 100000;
}

TEST_TIMEOUT(none_is_lost_while_cpus_come_and_go, 1500)
{
	struct turns turns = { .rounds = rounds_here() };
	__u64 migrated;

	need_debugfs();
	find_cpus();
	migrated = sum_of_cpus("migrated");
	turns.crowd = new_crowd(size_here());
	ASSERT_EQ(pthread_create(&turns.thread, NULL, take_turns, &turns), 0);
	while (!turns.over)
		serve(turns.crowd);
	pthread_join(turns.thread, NULL);
	dismiss(turns.crowd);
	migrated = sum_of_cpus("migrated") - migrated;
	note("a timer moved %llu times", migrated);
	ASSERT_GE(migrated, turns.crowd->size / 4);
	ASSERT_EQ(sum_of_cpus("early"), 0);
}

/*
 * Timers are late by no more than the move. Nobody else arms a timer, so
 * nothing but the move itself wakes the wheel.
 */
TEST_TIMEOUT(moved_timers_wake_their_new_cpu, 900)
{
	enum { COUNT = 500 };
	const unsigned int rounds = long_tests && !debug_kernel() ? 30 : 5;
	const int fd = open_device(0);
	struct twheel_event events[COUNT];
	unsigned int round, i, moved = 0;
	__u64 latest = 0, late;
	struct twheel_op op;

	find_cpus();
	for (round = 0; round < rounds; round++) {
		const int cpu = cpus[round % movable];
		__u64 handle = 0;

		ASSERT(go_to_cpu(cpu));
		for (i = 0; i < COUNT; i++)
			handle = add(fd, (500 + i) * NSEC_PER_MSEC, i);
		longest_move = 0;
		set_online(cpu, false);
		moved += query(fd, handle, &op) == 0;
		read_all(fd, events, COUNT);
		for (i = 0; i < COUNT; i++) {
			late = events[i].expired_ns - events[i].deadline_ns;
			ASSERT_LE(late, tick_ns() + longest_move + slack_ns());
			if (late > latest)
				latest = late;
		}
		ASSERT_EQ(timers_of(fd), 0);
		set_online(cpu, true);
	}
	note("%u rounds, %u with timers to move, the latest by %llu us", rounds,
	     moved, latest / 1000);
	ASSERT_GT(moved, 0);
}

/* The wheel of a CPU that comes back goes on as if it had never been away. */
TEST_TIMEOUT(cpu_that_is_back_runs_timers, 600)
{
	const unsigned int rounds = long_tests && !debug_kernel() ? 20 : 5;
	const int fd = open_device(0);
	unsigned int round, i;
	struct twheel_event event;

	find_cpus();
	for (round = 0; round < rounds; round++) {
		const int cpu = cpus[round % movable];

		set_online(cpu, false);
		set_online(cpu, true);
		ASSERT(go_to_cpu(cpu));
		for (i = 0; i < 10; i++) {
			add(fd, ticks(i), i);
			event = read_one(fd);
			check_lateness(&event);
		}
	}
	ASSERT_EQ(timers_of(fd), 0);
}
