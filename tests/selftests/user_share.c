// SPDX-License-Identifier: GPL-2.0
/*
 * A user has a share of the softirqs of each CPU. Above the share, timers expire in a thread
 * of low priority, or in the user's own calls. The test keeps the thread from running:
 * it computes as SCHED_FIFO, and looks at the ring without a call.
 */
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "debugfs.h"
#include "event_ring.h"
#include "parameter.h"
#include "user.h"

/* So many that the time of some wake-ups does not use them up. */
enum { PLENTY = 1000000 };

/*
 * So many that SPREAD timers on each of some ticks do not use them up, but do if each step
 * counts as 16.
 */
enum { SOME = 30000, SPREAD = 300, SPREAD_TICKS = 20 };

/* How many rounds decide, and how many a test tries if the host stops the machine. */
enum { ROUNDS = 3, TRIES = 9 };

#define SHARE_TEST(id, share)				\
	static void run_##id(void *data);		\
	TEST(id)					\
	{						\
		with_limit("share", share, run_##id);	\
	}						\
	static void run_##id(void *data)

static void compute_until(__u64 time)
{
	while (now() < time)
		;
}

/* No thread of the CPU runs from now on while this process computes. */
static void keep_the_cpu(void)
{
	if (!access("/sys/kernel/realtime", F_OK))
		skip("softirqs run in threads");
	const struct sched_param param = { .sched_priority = 1 };

	stay_on_cpu(last_cpu());
	CALL(sched_setscheduler(0, SCHED_FIFO, &param));
}

/*
 * Arms a timer and computes. Returns whether the event came without a call, or -1 if the
 * host stopped the machine meanwhile.
 */
static int round_came(const struct ring *ring, clockid_t clockid)
{
	const __u64 tail = tail_of(ring);
	__u64 end;
	bool came;

	add_on(ring->fd, clockid, read_clock(clockid) + ticks(2), 0);
	end = now() + ticks(6);
	compute_until(end);
	came = tail_of(ring) != tail;
	if (now() < end + ticks(2) && has_event(ring->fd))
		return came;
	wait_for_event(ring->fd);
	return -1;
}

/*
 * Returns whether most events come without a call. Now and then a softirq helps a thread
 * that does not get on. Or ksoftirqd has the softirqs of the tick, and does not get on either.
 */
static bool comes_by_itself(clockid_t clockid)
{
	struct ring ring = new_ring();
	unsigned int try, rounds = 0, came = 0;
	int ret;

	for (try = 0; try < TRIES && rounds < ROUNDS; try++) {
		ret = round_came(&ring, clockid);
		rounds += ret >= 0;
		came += ret > 0;
		set_head(&ring, tail_of(&ring));
		/* Other threads of the CPU get on. */
		usleep(ticks(1) / 1000);
	}
	close_ring(&ring);
	if (rounds < ROUNDS)
		skip("the host is too busy");
	return came > ROUNDS / 2;
}

/*
 * Returns whether events wait for a call once the share is used up. The host may stop the
 * machine until the user has a share again.
 */
static bool waits_for_calls(clockid_t clockid)
{
	unsigned int try;

	for (try = 0; try < ROUNDS; try++) {
		use_up_share();
		if (!comes_by_itself(clockid))
			return true;
	}
	return false;
}

/* Each of these cases has a user of its own: the share of a user remembers. */
SHARE_TEST(user_below_the_share_needs_no_call, PLENTY)
{
	keep_the_cpu();
	become(BOB);
	ASSERT(comes_by_itself(CLOCK_MONOTONIC));
}

SHARE_TEST(clock_that_jumps_needs_no_call_below_the_share, PLENTY)
{
	keep_the_cpu();
	become(CAROL);
	ASSERT(comes_by_itself(CLOCK_BOOTTIME));
}

SHARE_TEST(user_above_the_share_pays_by_calls, SHARE)
{
	keep_the_cpu();
	become(ALICE);
	ASSERT(waits_for_calls(CLOCK_MONOTONIC));
	ASSERT(waits_for_calls(CLOCK_BOOTTIME));
}

SHARE_TEST(fdinfo_says_where_a_user_is_above_the_share, SHARE)
{
	stay_on_cpu(last_cpu());
	use_up_share();
	ASSERT_EQ(cpus_above_share(), 0);
	become(HEIDI);
	ASSERT_EQ(cpus_above_share(), 0);
	go_above_share();
	ASSERT_EQ(cpus_above_share(), 1);
}

/* go_above_share() closes the only descriptor. A share is that of a CPU. */
static void run_use_up(void *data)
{
	stay_on_cpu(last_cpu());
	become(JUDY);
	go_above_share();
}

static void run_of_two_users(void *data)
{
	keep_the_cpu();
	become(JUDY);
	ASSERT(!comes_by_itself(CLOCK_MONOTONIC));
	CALL(setresuid(DAVE, 0, 0));
	ASSERT(comes_by_itself(CLOCK_MONOTONIC));
}

TEST(share_is_of_the_user_and_not_of_others)
{
	with_limit("share", SHARE, run_use_up);
	with_limit("share", PLENTY, run_of_two_users);
}

/* Skips if the softirqs have not expired all of them, or if the host stopped the machine. */
static void spread_expiries(void)
{
	const int fd = open_device(0);
	const __u64 start = now() + ticks(SPREAD_TICKS), end = start + ticks(SPREAD_TICKS + 4);
	unsigned int tick, i;

	for (tick = 1; tick <= SPREAD_TICKS; tick++)
		for (i = 0; i < SPREAD; i++)
			add_at(fd, start + ticks(tick), i);
	compute_until(end);
	if (get_info(fd).unread < SPREAD * SPREAD_TICKS || now() > end + ticks(SPREAD_TICKS))
		skip("the host is too busy");
	close(fd);
}

static void run_ordinary(void *data)
{
	stay_on_cpu(last_cpu());
	become(ERIN);
	spread_expiries();
	keep_the_cpu();
	ASSERT(comes_by_itself(CLOCK_MONOTONIC));
}

static void run_real_time(void *data)
{
	keep_the_cpu();
	become(FRANK);
	spread_expiries();
	ASSERT(!comes_by_itself(CLOCK_MONOTONIC));
}

static void run_ordinary_with_share(void *data)
{
	with_limit("share", SOME, run_ordinary);
}

static void run_real_time_with_share(void *data)
{
	with_limit("share", SOME, run_real_time);
}

/* What a softirq leaves after its slice, the thread would do. It does not get the CPU. */
TEST(ordinary_task_is_interrupted_for_the_share)
{
	with_limit("slice_us", 100000, run_ordinary_with_share);
}

TEST(real_time_task_is_interrupted_for_a_part_of_it)
{
	with_limit("slice_us", 100000, run_real_time_with_share);
}

/*
 * The wheel moves a timer for each push that comes in time. A program on one CPU must not make
 * the softirqs of another CPU do so for ever.
 */
SHARE_TEST(pushed_timers_leave_a_cpu_whose_share_is_used_up, SHARE)
{
	static struct twheel_op ops[64 * SHARE];
	__u64 cancelled, deadline = 0, next;
	unsigned int round, i;
	int fd;

	need_debugfs();
	if (!last_cpu())
		skip("one CPU");
	stay_on_cpu(0);
	become(GRACE);
	fd = open_device(0);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = new_timer(ticks(20), i);
	add_all(fd, ops, ARRAY_SIZE(ops));

	stay_on_cpu(last_cpu());
	cancelled = sum_of_cpus("cancelled");
	for (round = 0; round < 100 && sum_of_cpus("cancelled") == cancelled; round++) {
		/* Later by a tick at least: else the timer is armed anew, on this CPU. */
		next = now() + ticks(20);
		deadline = next > deadline + ticks(1) ? next : deadline + ticks(1);
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			ops[i] = (struct twheel_op) {
				.op = TWHEEL_OP_CHANGE,
				.flags = TWHEEL_ABSTIME,
				.handle = ops[i].handle,
				.time_ns = deadline,
			};
		batch(fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			if (ops[i].result)
				skip("the host is too busy");
		/* Not pass_ticks(), which lets a timer of this user expire on this CPU. */
		usleep(ticks(1) / 1000);
	}
	note("after %u rounds", round);
	ASSERT_GT(sum_of_cpus("cancelled"), cancelled);
}

/* The scheduler's clock, by which the kernel measures waits, counts ticks in UML. */
static void need_fine_clock(void)
{
	char line[128] = "";
	FILE *file = fopen("/proc/cpuinfo", "r");
	bool uml = false;

	ASSERT(file);
	while (fgets(line, sizeof(line), file))
		uml |= !!strstr(line, "User Mode Linux");
	fclose(file);
	if (uml)
		skip("no fine clock");
}

/* A call holds the lock of a set for HELD operations at a time. */
enum { HELD = 64 };

/* So many that WAITING expiries of one tick do not use them up, with their moves and wake-ups. */
enum { FEW = 3000, WAITING = 2200 };

/*
 * In one of so many rounds they must use them up, because they wait: the lock of a guest is not
 * fair. In one of some rounds without calls they must not: the host may stop a wake-up.
 */
enum { WAITING_TRIES = 40, ALONE_TRIES = 5 };

struct holder {
	int		fd;
	__u64		handle;
	atomic_bool	over;
};

static void *hold_the_lock(void *data)
{
	struct holder *holder = data;
	struct twheel_op ops[HELD];
	unsigned int i;

	for (i = 0; i < HELD; i++)
		ops[i] = (struct twheel_op) {
			.op = TWHEEL_OP_CHANGE,
			.handle = holder->handle,
			.time_ns = LONG,
		};
	while (!holder->over)
		batch(holder->fd, ops, HELD);
	return NULL;
}

/* Lets timers of one tick expire on this CPU. Returns whether the user is above the share then. */
static bool expire_together(int fd)
{
	static struct twheel_event events[WAITING];
	static struct twheel_op ops[WAITING];
	const __u64 deadline = now() + ticks(10);
	unsigned int i;
	bool above;

	for (i = 0; i < WAITING; i++) {
		ops[i] = new_timer(deadline, i);
		ops[i].flags = TWHEEL_ABSTIME;
	}
	add_all(fd, ops, WAITING);
	/* No one waits for events: to wake readers takes steps, too. */
	while (get_info(fd).unread < WAITING)
		usleep(ticks(1) / 1000);
	above = cpus_above_share();
	read_all(fd, events, WAITING);
	return above;
}

/* The same while a thread on another CPU holds the lock again and again. */
static bool expire_beside_calls(void)
{
	struct holder holder = { .fd = open_device(0) };
	pthread_t other;
	bool above;

	stay_on_cpu(0);
	holder.handle = add(holder.fd, LONG, 1);
	other = start_thread(hold_the_lock, &holder);
	stay_on_cpu(last_cpu());
	above = expire_together(holder.fd);
	holder.over = true;
	join_threads(&other, 1);
	close(holder.fd);
	return above;
}

/* Softirqs wait for calls on another CPU. The share of the user who makes the calls pays. */
SHARE_TEST(waits_for_a_lock_use_up_the_share, FEW)
{
	unsigned int try = 0;
	uid_t user = KEVIN;

	need_fine_clock();
	if (!last_cpu())
		skip("one CPU");
	become(user);
	stay_on_cpu(last_cpu());
	while (expire_together(open_device(0))) {
		ASSERT_LT(++try, ALONE_TRIES);
		CALL(setresuid(++user, 0, 0));
	}
	try = 0;
	do {
		ASSERT_LT(try++, WAITING_TRIES);
		CALL(setresuid(++user, 0, 0));
	} while (!expire_beside_calls());
	note("in round %u", try);
}

SHARE_TEST(capability_exempts, SHARE)
{
	keep_the_cpu();
	use_up_share();
	ASSERT(comes_by_itself(CLOCK_MONOTONIC));
	ASSERT(comes_by_itself(CLOCK_BOOTTIME));
}

static void run_without_share(void *data)
{
	keep_the_cpu();
	become(ALICE);
	use_up_share();
	ASSERT(comes_by_itself(CLOCK_MONOTONIC));
}

TEST(share_0_is_no_limit)
{
	with_limit("share", 0, run_without_share);
}

SHARE_TEST(idle_cpu_is_as_prompt_above_the_share, SHARE)
{
	struct twheel_event event;
	unsigned int i;
	__u64 deadline;
	int fd;

	stay_on_cpu(last_cpu());
	become(IVAN);
	fd = open_device(0);
	for (i = 0; i < 20; i++) {
		go_above_share();
		deadline = now() + ticks(2);
		add_at(fd, deadline, i);
		/* The user was above the share of this CPU when it was armed, and of no other. */
		ASSERT_EQ(cpus_above_share(), 1);
		arm_timerfds(deadline);
		event = read_one(fd);
		check_lateness(&event);
	}
}
