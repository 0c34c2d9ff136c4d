// SPDX-License-Identifier: GPL-2.0
/* When the module can be unloaded, and what it does about timers of other modules. */
#include <sys/wait.h>

#include "device.h"
#include "modules.h"

TEST(unloaded_when_nobody_uses_it)
{
	check_twheel_is_gone();
	load("twheel", "");
	close(open_device(0));
	unload("twheel");
	check_twheel_is_gone();
	ASSERT_EQ(try_unload("twheel"), -ENOENT);
}

/* Trap 33. */
TEST(trap33_stays_while_a_module_uses_it)
{
	load("twheel", "");
	load("twheel_holder", "");
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	pass_ticks(2);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	unload("twheel_holder");
	unload("twheel");
}

TEST(trap33_stays_while_a_descriptor_is_open)
{
	int fd, copy;

	load("twheel", "");
	fd = open_device(O_CLOEXEC);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	add(fd, 0, 1);
	add(fd, 100 * NSEC_PER_SEC, 2);
	copy = CALL(dup(fd));
	close(fd);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	ASSERT_EQ(read_one(copy).cookie, 1);
	close(copy);
	unload("twheel");
	check_twheel_is_gone();
}

static void hold_until_killed(void *data)
{
	pause();
}

TEST(stays_while_another_process_has_the_descriptor)
{
	pid_t child;
	int fd;

	load("twheel", "");
	fd = open_device(0);
	add_periodic(fd, now(), ticks(1), 1);
	child = start(hold_until_killed, NULL);
	close(fd);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	CALL(kill(child, SIGKILL));
	CALL(waitpid(child, NULL, 0));
	unload("twheel");
	check_twheel_is_gone();
}

/* Wait some ticks longer than the delays of twheel_leaver. */
static void pass_delays(void)
{
	pass_ticks(100);
}

/*
 * Load twheel_leaver and unload it. Returns true if the log names it, as it must
 * while its timers are armed.
 */
static bool leave_once(unsigned int timers, unsigned int delay, const char *more)
{
	const __u64 deadline = now() + ticks(delay);
	char parameters[128], text[128];
	bool expired, named;
	int log;

	snprintf(parameters, sizeof(parameters), "timers=%u delay=%u %s", timers,
		 delay, more);
	snprintf(text, sizeof(text),
		 "twheel: module twheel_leaver leaves %u timers armed, the first one runs leaver_expired",
		 timers);
	load("twheel_leaver", parameters);
	log = log_from_here();
	unload("twheel_leaver");
	expired = !in_time(deadline);
	named = logged(log, text);
	close(log);
	/* A periodic timer never runs out: the search must find it. */
	ASSERT(named || (expired && !strstr(more, "period=")));
	return named;
}

/*
 * Unload a module that has @timers armed. The log names it, and the ticks pass at
 * which the timers would have run its code, which is gone. Try again if the
 * machine was so busy that the timers have expired.
 */
static void leave(unsigned int timers, unsigned int delay, const char *more)
{
	bool named;

	load("twheel", "");
	tick_ns();
	do {
		named = leave_once(timers, delay, more);
		pass_delays();
	} while (!named);
	unload("twheel");
}

TEST(module_that_leaves_timers_is_named)
{
	leave(3, 50, "");
}

TEST(module_that_leaves_process_timers_is_named)
{
	leave(3, 50, "process=1");
}

TEST(module_that_leaves_periodic_timers_is_named)
{
	leave(3, 50, "period=1");
	leave(3, 1, "period=1");
	leave(3, 1, "period=1 process=1");
}

TEST(module_that_leaves_far_timers_is_named)
{
	leave(1000, 1000000, "");
}

/* A timer that has run is not armed. A module that cancels its timers is not named. */
TEST(module_that_leaves_nothing_is_not_named)
{
	static const char * const parameters[] = {
		"timers=3 delay=50 tidy=1",
		"timers=3 delay=50 tidy=1 process=1",
		"timers=3 delay=1 tidy=1 period=1",
		"timers=1 delay=1",
	};
	unsigned int i;
	int log;

	load("twheel", "");
	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		log = log_from_here();
		load("twheel_leaver", parameters[i]);
		pass_ticks(5);
		/* the callback counts twice */
		if (!strstr(parameters[i], "tidy=1"))
			while (module_number("twheel_leaver", "begun") < 2)
				pass_ticks(1);
		unload("twheel_leaver");
		ASSERT(!logged(log, "twheel_leaver"));
		close(log);
	}
	unload("twheel");
}

/* Wait until a callback of twheel_leaver has begun. */
static void wait_until_begun(void)
{
	while (module_number("twheel_leaver", "begun") == 0)
		pass_ticks(1);
}

/* Unloading waits until a callback that sleeps has returned from its code. */
TEST(unloading_waits_for_callbacks_that_sleep)
{
	load("twheel", "");
	load("twheel_leaver", "timers=1 delay=1 process=1 sleep_ms=300");
	wait_until_begun();
	unload("twheel_leaver");

	load("twheel_leaver", "timers=20 delay=1 process=1 sleep_ms=30");
	wait_until_begun();
	unload("twheel_leaver");

	load("twheel_leaver", "timers=3 delay=1 process=1 sleep_ms=30 period=1");
	wait_until_begun();
	unload("twheel_leaver");
	pass_delays();
	unload("twheel");
}

/*
 * The driver searches the wheel for timers of the unloaded module. The search
 * takes some time because the second level has many other timers. Meanwhile the
 * module's timers expire and move through the lowest levels.
 */
TEST_TIMEOUT(no_periodic_timer_escapes, 300)
{
	const unsigned int count = many(200000);
	struct twheel_op *ops = calloc(count, sizeof(*ops));
	unsigned int i;
	int fd;

	ASSERT(ops);
	stay_on_one_cpu();
	load("twheel", "");
	fd = open_device(0);
	for (i = 0; i < count; i++)
		ops[i] = new_timer(ticks(2000 + i % 2000), i);
	add_all(fd, ops, count);
	for (i = 0; i < 30; i++) {
		load("twheel_leaver", "timers=500 delay=1 period=70 spread=1");
		pass_ticks(2);
		unload("twheel_leaver");
	}
	pass_delays();
	close(fd);
	unload("twheel");
}
