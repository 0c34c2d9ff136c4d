// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* Test the timers of an event loop, in the process or on the real device: see turn.h. */
#include <fcntl.h>
#include <libtwheel.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "parameter.h"
#include "turn.h"

/* Far enough that a timer goes to the device. */
#define FAR	(100 * MSEC)

enum { MANY = 600 };

/* A timer, how often it ran, and when it ran last in relation to others. */
struct item {
	struct twheel_loop_timer	timer;
	unsigned int			runs;
	unsigned int			place;
};

static unsigned int places;

static struct item *item_of(struct twheel_loop_timer *timer)
{
	return (struct item *)timer;
}

static void note_run(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	struct item *item = item_of(timer);

	ASSERT(!twheel_loop_timer_running(timer));
	ASSERT_GE(now(), timer->deadline_ns);
	item->runs++;
	item->place = ++places;
}

static struct item *new_items(unsigned int count, twheel_loop_fn fn)
{
	struct item *items = calloc(count, sizeof(*items));
	unsigned int i;

	ASSERT(items);
	for (i = 0; i < count; i++)
		twheel_loop_timer_init(&items[i].timer, fn);
	return items;
}

static void start_item(struct twheel_loop *loop, struct item *item, uint64_t delay)
{
	twheel_loop_timer_start(loop, &item->timer, now() + delay);
}

static void turn_until_runs(struct twheel_loop *loop, const struct item *item, unsigned int runs)
{
	while (item->runs < runs)
		turn(loop);
	ASSERT_EQ(item->runs, runs);
}

/* Wait until the device has an event, without dispatching it. */
static void wait_until_expired(struct twheel_loop *loop)
{
	if (in_device)
		ASSERT_EQ(twheel_wait(twheel_loop_fd(loop), -1), 1);
}

TEST(equal_deadlines_run_in_the_order_of_starts)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_run);
	const uint64_t deadline = now() + FAR;
	unsigned int i;

	/* Every second one starts, then the others, then every third one again. */
	for (i = 0; i < MANY; i += 2)
		twheel_loop_timer_start(loop, &items[i].timer, deadline);
	turn_until(loop, now() + 1);
	for (i = 1; i < MANY; i += 2)
		twheel_loop_timer_start(loop, &items[i].timer, deadline);
	for (i = 0; i < MANY; i += 3)
		twheel_loop_timer_start(loop, &items[i].timer, deadline);
	turn_until_runs(loop, &items[0], 1);
	while (places < MANY)
		turn(loop);
	for (i = 2; i < MANY; i++)
		if (i % 3 && (i - 2) % 3)
			ASSERT_GT(items[i].place, items[i - 2].place);
	for (i = 3; i < MANY; i += 3)
		ASSERT_GT(items[i].place, items[i - 3].place);
	for (i = 1; i < MANY; i++)
		if (i % 3)
			ASSERT_GT(items[0].place, items[i].place);
	twheel_loop_close(loop);
}

/* In a dispatch, deadlines do not go back; in the process, they never do. */
static void note_order(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	static uint64_t latest;
	static unsigned int dispatch;

	if (dispatch == dispatches || !in_device)
		ASSERT_GE(timer->deadline_ns, latest);
	if (latest < timer->deadline_ns)
		latest = timer->deadline_ns;
	dispatch = dispatches;
	note_run(loop, timer);
}

TEST(callbacks_run_in_the_order_of_deadlines)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_order);
	const uint64_t first = now() + FAR;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		twheel_loop_timer_start(loop, &items[i].timer, first + i * 7919 % MANY * 100000);
	while (places < MANY)
		turn(loop);
	twheel_loop_close(loop);
}

TEST(start_and_stop_in_one_turn_make_no_call)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_run);
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		start_item(loop, &items[i], FAR);
		ASSERT(twheel_loop_timer_stop(loop, &items[i].timer));
	}
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(calls, 0);
	ASSERT_EQ(twheel_loop_timeout(loop, now()), -1);
	twheel_loop_close(loop);
}

TEST(a_turn_makes_a_call_for_256_changes)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_run);
	unsigned int i;

	for (i = 0; i < MANY; i++)
		start_item(loop, &items[i], FAR);
	ASSERT_EQ(calls, 0);
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(calls, in_device ? (MANY + 255) / 256 : 0);
	calls = 0;
	for (i = 0; i < MANY; i++)
		ASSERT(twheel_loop_timer_stop(loop, &items[i].timer));
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(calls, in_device ? (MANY + 255) / 256 : 0);
	turn_until(loop, now() + 2 * FAR);
	ASSERT_EQ(places, 0);
	twheel_loop_close(loop);
}

TEST(restart_to_later_makes_no_call)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_run);
	unsigned int i, round;

	for (i = 0; i < MANY; i++)
		start_item(loop, &items[i], FAR);
	twheel_loop_prepare(loop, now());
	/* From the first restart on, new timers are in the table. */
	for (round = 0; round < 3; round++) {
		for (i = 0; i < MANY; i++)
			start_item(loop, &items[i], (round + 10) * FAR);
		twheel_loop_prepare(loop, now());
	}
	turn_until(loop, now() + 5 * FAR);
	ASSERT_EQ(places, 0);
	calls = 0;
	for (round = 0; round < 10; round++) {
		for (i = 0; i < MANY; i++)
			start_item(loop, &items[i], 15 * FAR + round);
		twheel_loop_prepare(loop, now());
	}
	ASSERT_EQ(calls, 0);
	for (i = 0; i < MANY; i++)
		turn_until_runs(loop, &items[i], 1);
	twheel_loop_close(loop);
}

TEST(restart_to_earlier)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(3, note_run);
	uint64_t begin;

	start_item(loop, &items[0], 1000 * FAR);
	start_item(loop, &items[1], 1000 * FAR);
	start_item(loop, &items[2], 1000 * FAR);
	twheel_loop_prepare(loop, now());
	begin = now();
	start_item(loop, &items[0], 2 * FAR);
	start_item(loop, &items[1], 3);
	start_item(loop, &items[2], 2000 * FAR);
	start_item(loop, &items[2], 3 * FAR);
	turn_until_runs(loop, &items[1], 1);
	turn_until_runs(loop, &items[0], 1);
	turn_until_runs(loop, &items[2], 1);
	ASSERT_LT(now() - begin, 1000 * FAR);
	ASSERT_EQ(items[2].place, 3);
	twheel_loop_close(loop);
}

TEST(again_restarts_only_a_timer_that_runs)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *item = new_items(1, note_run);

	ASSERT(!twheel_loop_timer_again(loop, &item->timer, now()));
	ASSERT(!twheel_loop_timer_running(&item->timer));
	ASSERT(!twheel_loop_timer_stop(loop, &item->timer));
	start_item(loop, item, FAR);
	ASSERT(twheel_loop_timer_again(loop, &item->timer, now() + 2 * FAR));
	turn_until_runs(loop, item, 1);
	ASSERT(!twheel_loop_timer_again(loop, &item->timer, now()));
	twheel_loop_close(loop);
}

/* A timer of each kind: overdue, near and far. */
static const uint64_t delays[] = { 0, MSEC, FAR };

static void free_item(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	note_run(loop, timer);
	memset(timer, 0xaa, sizeof(struct item));
	free(timer);
}

TEST(a_callback_frees_its_timer)
{
	struct twheel_loop *loop = open_loop(0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++)
		start_item(loop, new_items(1, free_item), delays[i]);
	while (places < ARRAY_SIZE(delays))
		turn(loop);
	twheel_loop_close(loop);
}

static void restart_item(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	note_run(loop, timer);
	if (item_of(timer)->runs < 5)
		twheel_loop_timer_start(loop, timer, timer->deadline_ns + MSEC);
}

/* An overdue timer runs once in a dispatch. */
TEST(a_callback_restarts_its_timer)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(ARRAY_SIZE(delays), restart_item);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++)
		start_item(loop, &items[i], delays[i]);
	while (items[0].runs < 5 || items[1].runs < 5 || items[2].runs < 5)
		ASSERT_LE(turn(loop), 3);
	twheel_loop_timer_start(loop, &items[0].timer, 1);
	ASSERT_EQ(twheel_loop_dispatch(loop, now(), false), 1);
	items[0].runs = 0;
	twheel_loop_timer_start(loop, &items[0].timer, 1);
	ASSERT_EQ(twheel_loop_dispatch(loop, now(), false), 1);
	twheel_loop_close(loop);
}

static struct item *other;

static void stop_other(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	note_run(loop, timer);
	ASSERT(twheel_loop_timer_stop(loop, &other->timer));
	memset(other, 0xaa, sizeof(*other));
}

/* The device delivers the events of both in one read(). */
TEST(a_callback_stops_a_timer_that_is_due)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		struct twheel_loop *loop = open_loop(0);
		struct item *item = new_items(1, stop_other);

		other = new_items(1, note_run);
		start_item(loop, item, delays[i]);
		twheel_loop_timer_start(loop, &other->timer, item->timer.deadline_ns);
		turn_until_runs(loop, item, 1);
		turn_until(loop, now() + FAR);
		ASSERT_EQ(places, i + 1);
		twheel_loop_close(loop);
	}
}

static void postpone_other(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	note_run(loop, timer);
	start_item(loop, other, FAR);
}

TEST(a_callback_restarts_a_timer_that_is_due)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *item = new_items(1, postpone_other);
	uint64_t ran;

	other = new_items(1, note_run);
	start_item(loop, item, FAR);
	twheel_loop_timer_start(loop, &other->timer, item->timer.deadline_ns);
	turn_until_runs(loop, item, 1);
	ran = dispatched;
	ASSERT_EQ(other->runs, 0);
	turn_until_runs(loop, other, 1);
	ASSERT_GE(dispatched, ran + FAR);
	twheel_loop_close(loop);
}

TEST(a_stopped_timer_is_gone_although_it_has_expired)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(2, note_run);

	start_item(loop, &items[0], FAR);
	start_item(loop, &items[1], FAR);
	twheel_loop_prepare(loop, now());
	wait_until_expired(loop);
	ASSERT(twheel_loop_timer_stop(loop, &items[0].timer));
	memset(&items[0], 0xaa, sizeof(items[0]));
	turn_until_runs(loop, &items[1], 1);
	ASSERT_EQ(places, 1);
	twheel_loop_close(loop);
}

TEST(an_expired_timer_restarts)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *item = new_items(1, note_run);
	uint64_t begin;

	start_item(loop, item, FAR);
	twheel_loop_prepare(loop, now());
	wait_until_expired(loop);
	begin = now();
	start_item(loop, item, 2 * FAR);
	turn_until_runs(loop, item, 1);
	ASSERT_GE(now(), begin + 2 * FAR);
	twheel_loop_close(loop);
}

static void chain(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	note_run(loop, timer);
	start_item(loop, item_of(timer), MSEC);
}

/* Each timer starts when the one before has run: 1 ms later, not a tick later. */
TEST(a_chain_of_1_ms_runs_each_ms)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *item = new_items(1, chain);

	if (in_device)
		need_time_travel();
	start_item(loop, item, MSEC);
	turn_until(loop, now() + SEC);
	/* poll() itself may take 50 us longer than the timeout. */
	ASSERT_GE(item->runs, in_device ? 900 : 999);
	ASSERT_LE(item->runs, 1000);
	ASSERT_EQ(calls, 0);
	twheel_loop_close(loop);
}

/* In the process, the loop does not wake before: not even for timers that the wheel has to move. */
TEST(the_timeout_is_that_of_the_first_timer)
{
	static const unsigned int ms[] = { 1, 10, 1000, 60000 };
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(ARRAY_SIZE(ms), note_run);
	unsigned int i;

	if (in_device)
		skip("the device has most of the timers");
	start_item(loop, &items[0], 100000 * MSEC);
	for (i = ARRAY_SIZE(ms); i--;) {
		start_item(loop, &items[i], ms[i] * MSEC);
		twheel_loop_prepare(loop, now());
		ASSERT_EQ(twheel_loop_timeout(loop, now()), (int)ms[i]);
	}
	for (i = 0; i < ARRAY_SIZE(ms); i++)
		ASSERT_EQ(turn(loop), 1);
	ASSERT_EQ(twheel_loop_timeout(loop, now()), -1);
	twheel_loop_close(loop);
}

TEST(a_far_deadline)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(3, note_run);
	int fd;

	start_item(loop, &items[0], FAR);
	twheel_loop_timer_start(loop, &items[1].timer, UINT64_MAX);
	start_item(loop, &items[2], 100 * 24 * 3600 * SEC);
	ASSERT_EQ(items[1].timer.deadline_ns, INT64_MAX);
	turn_until_runs(loop, &items[0], 1);
	if (!in_device || time_travel)
		turn_until_runs(loop, &items[2], 1);
	ASSERT(twheel_loop_timer_running(&items[1].timer));
	fd = twheel_loop_fd(loop);
	twheel_loop_close(loop);
	ASSERT(!in_device || fcntl(fd, F_GETFD) == -1);
}

/* A poll of the descriptor alone is enough. It takes real time. */
TEST(one_descriptor_stands_for_all_timers)
{
	struct twheel_loop *loop = open_loop(TWHEEL_LOOP_ONE_FD);
	struct item *items = new_items(4, note_run);
	unsigned int i;

	for (i = 0; i < 4; i++)
		twheel_loop_timer_start(loop, &items[i].timer,
					twheel_now(CLOCK_MONOTONIC) + i * i * 5 * MSEC);
	/* note_run() asserts that none is early. */
	in_device = true;
	for (i = 0; places < 4; i++) {
		struct pollfd poll_fd = { .fd = twheel_loop_fd(loop), .events = POLLIN };

		twheel_loop_prepare(loop, now());
		ASSERT_EQ(twheel_loop_timeout(loop, now()), -1);
		ASSERT_EQ(CALL(poll(&poll_fd, 1, -1)), 1);
		/* A coarse clock lies behind. It does not spin. */
		twheel_loop_dispatch(loop, now() - 3 * MSEC, true);
		ASSERT_LT(i, 100);
	}
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(twheel_wait(twheel_loop_fd(loop), 0), 0);
	twheel_loop_close(loop);
}

static struct twheel_loop *forked;
static struct item *forked_items;

static void go_on(void *data)
{
	const int before = twheel_loop_fd(forked);

	ASSERT_EQ(twheel_loop_fork(forked), 0);
	ASSERT_EQ(twheel_loop_fd(forked) < 0, before < 0);
	/* The child's stop must not reach the parent's timer. */
	ASSERT(twheel_loop_timer_stop(forked, &forked_items[2].timer));
	turn_until_runs(forked, &forked_items[0], 1);
	turn_until_runs(forked, &forked_items[1], 1);
	turn_until(forked, now() + FAR);
	ASSERT_EQ(forked_items[2].runs, 0);
	twheel_loop_close(forked);
}

TEST(parent_and_child_go_on)
{
	pid_t child;

	forked = open_loop(0);
	forked_items = new_items(3, note_run);
	start_item(forked, &forked_items[0], FAR);
	start_item(forked, &forked_items[2], 2 * FAR);
	twheel_loop_prepare(forked, now());
	/* Both have yet to be told to the device: a start, and a restart to earlier. */
	start_item(forked, &forked_items[1], FAR);
	start_item(forked, &forked_items[0], FAR / 2);
	child = start(go_on, NULL);
	join(child);
	turn_until_runs(forked, &forked_items[0], 1);
	turn_until_runs(forked, &forked_items[1], 1);
	turn_until_runs(forked, &forked_items[2], 1);
	twheel_loop_close(forked);
}

static void check_backend(unsigned int flags, enum twheel_loop_place backend, int reason)
{
	struct twheel_loop *loop;
	int said = 1;

	ASSERT_EQ(twheel_loop_open(&loop, flags), 0);
	ASSERT_EQ(twheel_loop_backend(loop, &said), backend);
	ASSERT_EQ(said, reason);
	if (backend == TWHEEL_LOOP_IN_PROCESS)
		ASSERT_EQ(twheel_loop_fd(loop), -1);
	twheel_loop_close(loop);
}

TEST(flags_and_the_environment_choose)
{
	struct twheel_loop *loop = NULL;

	CALL(setenv("TWHEEL_LOOP", "nothing", 1));
	ASSERT_EQ(twheel_loop_open(&loop, 0), -EINVAL);
	check_backend(TWHEEL_LOOP_PROCESS, TWHEEL_LOOP_IN_PROCESS, 0);
	CALL(setenv("TWHEEL_LOOP", "process", 1));
	check_backend(0, TWHEEL_LOOP_IN_PROCESS, 0);
	ASSERT_EQ(twheel_loop_open(&loop, 1U << 31), -EINVAL);
	ASSERT_EQ(twheel_loop_open(&loop, TWHEEL_LOOP_DEVICE | TWHEEL_LOOP_PROCESS), -EINVAL);
	ASSERT(!loop);
	if (access("/dev/twheel", F_OK) < 0) {
		ASSERT_EQ(twheel_loop_open(&loop, TWHEEL_LOOP_DEVICE), -ENOENT);
		CALL(setenv("TWHEEL_LOOP", "device", 1));
		ASSERT_EQ(twheel_loop_open(&loop, 0), -ENOENT);
		CALL(unsetenv("TWHEEL_LOOP"));
		check_backend(0, TWHEEL_LOOP_IN_PROCESS, -ENOENT);
	} else {
		check_backend(TWHEEL_LOOP_DEVICE, TWHEEL_LOOP_IN_DEVICE, 0);
		CALL(unsetenv("TWHEEL_LOOP"));
		check_backend(0, TWHEEL_LOOP_IN_DEVICE, 0);
	}
}

static void need_device(void)
{
	twheel_loop_close(open_loop(0));
	if (!in_device)
		skip("the timers are in the process");
}

TEST(without_permission_timers_are_in_the_process)
{
	struct twheel_loop *loop;

	need_device();
	CALL(unsetenv("TWHEEL_LOOP"));
	CALL(setuid(65534));
	ASSERT_EQ(twheel_loop_open(&loop, TWHEEL_LOOP_DEVICE), -EACCES);
	check_backend(0, TWHEEL_LOOP_IN_PROCESS, -EACCES);
}

TEST(a_full_device_leaves_timers_to_the_process)
{
	struct item *items = new_items(MANY, note_run);
	unsigned long long before;
	struct twheel_loop *loop;
	unsigned int i;
	int reason;

	need_device();
	before = read_parameter("max_timers");
	ASSERT(write_parameter("max_timers", 100));
	loop = open_loop(0);
	ASSERT(write_parameter("max_timers", before));
	for (i = 0; i < MANY; i++)
		start_item(loop, &items[i], FAR + i);
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(twheel_loop_backend(loop, &reason), TWHEEL_LOOP_IN_DEVICE);
	ASSERT_EQ(reason, -EDQUOT);
	for (i = 0; i < MANY; i++)
		turn_until_runs(loop, &items[i], 1);
	twheel_loop_close(loop);
}

/* No timer is lost, and none that was stopped runs. */
TEST(a_device_that_fails_leaves_all_timers_to_the_process)
{
	struct twheel_loop *loop = open_loop(0);
	struct item *items = new_items(MANY, note_run);
	unsigned int i;
	int reason;

	need_device();
	for (i = 0; i < MANY / 2; i++)
		start_item(loop, &items[i], FAR);
	twheel_loop_prepare(loop, now());
	for (; i < MANY; i++)
		start_item(loop, &items[i], FAR);
	ASSERT(twheel_loop_timer_stop(loop, &items[0].timer));
	ASSERT(twheel_loop_timer_stop(loop, &items[MANY - 1].timer));
	batch_error = ENOMEM;
	twheel_loop_prepare(loop, now());
	ASSERT_EQ(twheel_loop_backend(loop, &reason), TWHEEL_LOOP_IN_PROCESS);
	ASSERT_EQ(reason, -ENOMEM);
	ASSERT_EQ(twheel_loop_fd(loop), -1);
	for (i = 1; i < MANY - 1; i++)
		turn_until_runs(loop, &items[i], 1);
	ASSERT_EQ(items[0].runs + items[MANY - 1].runs, 0);
	twheel_loop_close(loop);
}
