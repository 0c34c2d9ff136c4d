// SPDX-License-Identifier: GPL-2.0
/* The node of the device, and what a program that opens the node makes others wait for. */
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "user.h"

#define CLASS "/sys/class/twheel/twheel/"

/* scripts/vm runs no udev, so the node is as the kernel has made it. */
TEST(only_root_may_open_the_node)
{
	struct stat node;

	CALL(stat(DEVICE, &node));
	ASSERT_EQ(node.st_mode, S_IFCHR | 0600);
	ASSERT_EQ(node.st_uid, 0);
	ASSERT_EQ(node.st_gid, 0);
}

/* Check that a file has a line with this number. */
static void check_line(const char *path, const char *format, unsigned int number)
{
	char text[4096] = "\n", line[32];

	snprintf(line, sizeof(line), format, number);
	read_file(path, text + 1, sizeof(text) - 1);
	if (!strstr(text, line))
		FAIL("%s has no line%s", path, line);
}

/* The pages say where to find the number, and udev's rule names the class. */
TEST(number_is_in_sysfs_and_in_proc)
{
	struct stat node;

	CALL(stat(DEVICE, &node));
	ASSERT_EQ(minor(node.st_rdev), 0);
	check_line(CLASS "dev", "\n%u:0\n", major(node.st_rdev));
	check_line(CLASS "uevent", "\nMAJOR=%u\n", major(node.st_rdev));
	check_line("/proc/devices", "\n%3u twheel\n", major(node.st_rdev));
}

/*
 * What the processes of such a case share. The rival takes the opener's CPU, and waits until the
 * stranger on another CPU has done its work.
 */
struct meeting {
	atomic_bool	opening;	/* the opener is in open() */
	atomic_uint	hold;		/* how often the rival has taken the CPU */
	atomic_uint	done;		/* the last hold in which the stranger did its work */
};

static struct meeting *meeting;

/*
 * So many other users have a descriptor, and open() looks at each of them. That makes open() long:
 * the opener is in the driver when it loses its CPU.
 */
enum { USERS = 3000, FIRST_USER = 40000 };

/* Each open() makes a quota, because Alice has no other descriptor. */
static void open_again_and_again(void *data)
{
	unsigned int i;
	int fd;

	stay_on_cpu(0);
	allow_files(USERS + 100);
	for (i = 0; i < many(USERS); i++) {
		CALL(setresuid(FIRST_USER + i, 0, 0));
		open_device(0);
	}
	become(ALICE);
	for (;;) {
		atomic_store(&meeting->opening, true);
		fd = open_device(0);
		atomic_store(&meeting->opening, false);
		close(fd);
	}
}

static void work_in_each_hold(void *data)
{
	void (*const *work)(void) = data;
	unsigned int hold;

	stay_on_cpu(last_cpu());
	for (;;) {
		hold = atomic_load(&meeting->hold);
		if (hold == atomic_load(&meeting->done))
			continue;
		(*work)();
		atomic_store(&meeting->done, hold);
	}
}

/* Does the stranger do its work while the opener has no CPU? */
static bool stranger_works(void)
{
	/* Less than the time after which the kernel lets other programs run beside SCHED_FIFO. */
	const __u64 end = now() + 800 * NSEC_PER_MSEC;
	const unsigned int hold = atomic_fetch_add(&meeting->hold, 1) + 1;

	while (atomic_load(&meeting->done) != hold)
		if (now() > end)
			return false;
	return true;
}

static void check_opener_stops_no_stranger(void (*work)(void))
{
	/* A busy host may stop the stranger's CPU for the time of a hold, but not often. */
	enum { HOLDS = 60, MOST_FAILURES = 3 };
	unsigned int holds = 0, failures = 0, round;
	pid_t opener, stranger;

	if (!last_cpu())
		skip("one CPU");
	meeting = shared_memory(sizeof(*meeting));
	opener = start(open_again_and_again, NULL);
	stranger = start(work_in_each_hold, &work);
	stay_on_cpu(0);
	CALL(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 50 }));
	for (round = 0; holds < HOLDS && failures < MOST_FAILURES; round++) {
		usleep(round * 7919 % 5000);
		if (!atomic_load(&meeting->opening))
			continue;
		holds++;
		failures += !stranger_works();
	}
	/* An emulator may hang if the kernel's code is changed while they run: set_preemption(). */
	kill_child(opener);
	kill_child(stranger);
	note("the opener lost its CPU in open() %u times, and the stranger waited %u times",
	     holds, failures);
	ASSERT_LT(failures, MOST_FAILURES);
}

/* Takes the lock that open() of a miscellaneous device holds. */
static void list_misc_devices(void)
{
	char text[4096];

	read_file("/proc/misc", text, sizeof(text));
}

/*
 * With PREEMPT_RT, an opener may lose its CPU with a spinlock of the kernel's own, which any open()
 * may want.
 */
static void need_spinlocks_that_spin(void)
{
	struct utsname name;

	CALL(uname(&name));
	if (strstr(name.version, "PREEMPT_RT"))
		skip("spinlocks sleep");
}

TEST(opener_without_cpu_stops_no_open_of_another_device)
{
	if (access("/proc/misc", R_OK))
		skip("no /proc/misc");
	need_spinlocks_that_spin();
	check_opener_stops_no_stranger(list_misc_devices);
}

/* Of a user who has a descriptor already, as every program that goes on opening. */
static void open_as_bob(void)
{
	static int first;

	if (!first)
		first = open_as(BOB);
	close(open_device(0));
}

static void check_other_openers(void *data)
{
	check_opener_stops_no_stranger(open_as_bob);
}

#define PREEMPT "/sys/kernel/debug/sched/preempt"

/* Sets the mode that has brackets in @modes, as the kernel prints it. */
static void set_preemption(const char *modes)
{
	char mode[32];

	if (sscanf(strchr(modes, '('), "(%31[a-z])", mode) != 1)
		FAIL("%s has no mode", PREEMPT);
	ASSERT(write_file(PREEMPT, mode));
}

/* In kernels that let a program lose its CPU anywhere, if there is a choice. */
TEST(opener_without_cpu_stops_no_other_opener)
{
	char modes[64] = "";
	const bool choice = !access(PREEMPT, F_OK);
	int status;

	need_spinlocks_that_spin();
	if (choice) {
		read_file(PREEMPT, modes, sizeof(modes));
		set_preemption("(full)");
	}
	status = status_of(start(check_other_openers, NULL));
	if (choice)
		set_preemption(modes);
	pass_on(status);
}
