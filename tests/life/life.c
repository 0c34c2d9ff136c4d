// SPDX-License-Identifier: GPL-2.0
/* When the module can be unloaded, and modules that use it. */
#include "device.h"
#include "modules.h"
#include "parameter.h"

TEST(unloaded_when_nobody_uses_it)
{
	check_twheel_is_gone();
	load("twheel", "");
	close(open_device(0));
	unload("twheel");
	check_twheel_is_gone();
	ASSERT_EQ(try_unload("twheel"), -ENOENT);
}

TEST(stays_while_a_module_uses_it)
{
	load("twheel", "");
	load("twheel_leaver", "timers=1 delay=1 tidy=1");
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	pass_ticks(2);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	unload("twheel_leaver");
	unload("twheel");
}

TEST(stays_while_a_descriptor_is_open)
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

TEST(stays_while_another_process_has_the_descriptor)
{
	pid_t child;
	int fd;

	load("twheel", "");
	fd = open_device(0);
	add_periodic(fd, now(), ticks(1), 1);
	child = start(wait_to_be_killed, NULL);
	close(fd);
	ASSERT_EQ(try_unload("twheel"), -EWOULDBLOCK);
	kill_child(child);
	unload("twheel");
	check_twheel_is_gone();
}

/* Wait some ticks longer than the delays of twheel_leaver. */
static void pass_delays(void)
{
	pass_ticks(100);
}

/* Wait until a callback of twheel_leaver has begun. */
static void wait_until_begun(void)
{
	while (!number_from("/sys/module/twheel_leaver/parameters/begun", "%llu"))
		pass_ticks(1);
}

/* A module that shuts its timers down waits until a callback that sleeps has returned. */
TEST(shutting_down_waits_for_callbacks_that_sleep)
{
	load("twheel", "");
	load("twheel_leaver", "timers=1 delay=1 process=1 sleep_ms=300 tidy=1");
	wait_until_begun();
	unload("twheel_leaver");

	load("twheel_leaver", "timers=20 delay=1 process=1 sleep_ms=30 tidy=1");
	wait_until_begun();
	unload("twheel_leaver");

	load("twheel_leaver", "timers=3 delay=1 process=1 sleep_ms=30 tidy=1 period=1");
	wait_until_begun();
	unload("twheel_leaver");
	pass_delays();
	unload("twheel");
}
