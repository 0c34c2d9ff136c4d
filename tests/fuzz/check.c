// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold after each program: no timer is pending, the counts account for
 * every arming, no timer has expired early, no user is charged for a timer, and the
 * kernel has reported nothing.
 */
#include <sys/stat.h>

#include "fuzz.h"

#define DEBUGFS		"/sys/kernel/debug/twheel/"
#define TAINTED		"/proc/sys/kernel/tainted"

enum {
	USERS = 2,
	CPUS = 64,
	INTERVAL = 16,	/* runs between two checks of all CPUs */
};

static const unsigned int user[USERS] = { 0, 1000 };
static int device[USERS];
static int counts_file, taint_file, cpu_file[CPUS];
static unsigned int cpus;
static char tainted[32], complaint[256];

static int open_file(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		report_die("cannot read %s: %s", path, strerror(errno));
	return fd;
}

static void read_text(int fd, char *text, size_t room)
{
	size_t size = 0;
	ssize_t got;

	while ((got = pread(fd, text + size, room - 1 - size, size)) > 0)
		size += got;
	text[size] = 0;
}

static const char *check_zero(const char *text, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\n%s ", name);
	at = strstr(text, key);
	if (at && !atoll(at + strlen(key)))
		return NULL;
	snprintf(complaint, sizeof(complaint), "%s is not 0: %.20s", name,
		 at ? at + strlen(key) : "missing");
	return complaint;
}

static const char *check_counts(void)
{
	unsigned int tries = 20;
	char text[1024] = "\n";
	const char *bad;

	/* A thread of io_uring lets go of the file after its command is complete. */
	do {
		read_text(counts_file, text + 1, sizeof(text) - 1);
		bad = check_zero(text, "pending");
	} while (bad && tries-- && !usleep(10000));
	return bad ?: check_zero(text, "unaccounted");
}

static const char *check_cpus(void)
{
	char text[16384] = "\n";
	const char *bad = NULL;
	unsigned int cpu;

	for (cpu = 0; cpu < cpus && !bad; cpu++) {
		read_text(cpu_file[cpu], text + 1, sizeof(text) - 1);
		bad = check_zero(text, "early");
	}
	return bad;
}

/* The descriptors opened here hold no timer, so the user has none. */
static const char *check_user(unsigned int n)
{
	struct twheel_info info = { };

	if (ioctl(device[n], TWHEEL_IOC_INFO, &info))
		report_die("TWHEEL_IOC_INFO failed: %s", strerror(errno));
	if (!info.timers_user && !info.timers && !info.unread)
		return NULL;
	snprintf(complaint, sizeof(complaint),
		 "user %u is charged for %llu timers, and holds none", user[n],
		 (unsigned long long)info.timers_user);
	return complaint;
}

static const char *check_taint(void)
{
	char now[sizeof(tainted)];

	read_text(taint_file, now, sizeof(now));
	return strcmp(now, tainted) ? "the kernel has reported something" : NULL;
}

static void open_as(unsigned int n)
{
	syscall(SYS_setresuid, -1, user[n], -1);
	device[n] = open("/dev/twheel", O_RDWR | O_CLOEXEC);
	if (device[n] < 0)
		report_die("user %u cannot open the device: %s", user[n], strerror(errno));
	syscall(SYS_setresuid, -1, 0, -1);
}

/* Open the files that only root may open. */
void check_init(void)
{
	char path[64];
	unsigned int n;

	/* A user without privileges has limits: that user is tested, too. */
	if (chmod("/dev/twheel", 0666))
		report_die("no /dev/twheel: %s", strerror(errno));
	taint_file = open_file(TAINTED);
	read_text(taint_file, tainted, sizeof(tainted));
	counts_file = open_file(DEBUGFS "counts");
	cpus = sysconf(_SC_NPROCESSORS_CONF) < CPUS ? sysconf(_SC_NPROCESSORS_CONF) : CPUS;
	for (n = 0; n < cpus && n < CPUS; n++) {
		snprintf(path, sizeof(path), DEBUGFS "cpu%u", n);
		cpu_file[n] = open_file(path);
	}
}

void check_users_init(void)
{
	unsigned int n;

	for (n = 0; n < USERS; n++)
		open_as(n);
}

/* Returns what is wrong, or NULL. */
const char *check_all(void)
{
	static unsigned int runs;
	const char *bad = check_taint();
	unsigned int n;

	bad = bad ?: check_counts();
	for (n = 0; n < USERS; n++)
		bad = bad ?: check_user(n);
	if (bad || ++runs % INTERVAL)
		return bad;
	return check_cpus();
}
