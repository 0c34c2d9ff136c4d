// SPDX-License-Identifier: GPL-2.0
/* What timers cost, who pays for it, and that it is given back. */
#include <sys/stat.h>

#include "device.h"

enum { COUNT = 100000 };

#define SLAB "/sys/kernel/slab/twheel_timer/"
#define CGROUPS "/sys/fs/cgroup/"
#define CGROUP CGROUPS "twheel-memory-test/"

static struct twheel_op ops[COUNT];

static void add_many(int fd)
{
	int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = new_timer(100 * NSEC_PER_SEC, i);
	add_all(fd, ops, COUNT);
}

static void cancel_many(int fd)
{
	int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = (struct twheel_op){
			.op = TWHEEL_OP_CANCEL,
			.handle = ops[i].handle,
		};
	batch(fd, ops, COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(ops[i].result, 0);
}

static bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return good;
}

struct slab {
	unsigned long used, all, size;
};

/* The timers' cache, after a clean-up where the kernel offers one. */
static struct slab get_slab(void)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	struct slab slab;
	char line[512];

	write_file(SLAB "shrink", "1\n");
	if (!file)
		skip("cannot read /proc/slabinfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "twheel_timer %lu %lu %lu", &slab.used,
			   &slab.all, &slab.size) == 3) {
			fclose(file);
			return slab;
		}
	}
	skip("no cache twheel_timer of its own in /proc/slabinfo");
}

TEST(timer_takes_128_bytes_at_most)
{
	const struct slab slab = get_slab();

	note("%lu bytes", slab.size);
	if (debug_kernel())
		skip("lockdep is in each timer");
	ASSERT_LE(slab.size, 128);
}

static void need_fast_kernel(void)
{
	if (debug_kernel())
		skip("too slow here, and with other costs");
}

TEST(cache_grows_by_the_timers_that_are_armed)
{
	const struct slab before = get_slab();
	const int fd = open_device(0);
	struct slab after;

	need_fast_kernel();
	add_many(fd);
	after = get_slab();
	ASSERT_GE(after.used, before.used + COUNT);
	/* a few are kept by each CPU */
	ASSERT_LE(after.used, before.used + COUNT + COUNT / 10);
}

/* Not only when their deadlines come. */
TEST(cancelled_timers_are_free_at_once)
{
	const int fd = open_device(0);
	struct slab first, later;
	int i;

	need_fast_kernel();
	add_many(fd);
	first = get_slab();
	for (i = 0; i < 3; i++) {
		cancel_many(fd);
		add_many(fd);
	}
	later = get_slab();
	ASSERT_LE(later.all, first.all + first.all / 5);
	cancel_many(fd);
	later = get_slab();
	ASSERT_LE(later.used, first.used - COUNT + COUNT / 10);
}

TEST(close_frees_all_timers)
{
	const struct slab before = get_slab();
	struct slab after = { 0 };
	int i;

	need_fast_kernel();
	for (i = 0; i < 2; i++) {
		const int fd = open_device(0);
		int j;

		add_many(fd);
		for (j = 0; j < 1000; j++)
			add(fd, 0, j);
		wait_for_event(fd);
		close(fd);
	}
	/* those whose callbacks were running take a grace period */
	for (i = 0; i < 100; i++) {
		after = get_slab();
		if (after.used <= before.used + COUNT / 10)
			return;
		pass_ticks(2);
	}
	FAIL("%lu timers before, %lu after", before.used, after.used);
}

static unsigned long memory_of_cgroup(void)
{
	FILE *file = fopen(CGROUP "memory.current", "r");
	unsigned long value;

	if (!file)
		FAIL("memory.current: %s", strerror(errno));
	ASSERT_EQ(fscanf(file, "%lu", &value), 1);
	fclose(file);
	return value;
}

static void use_cgroup(void *data)
{
	const int fd = open_device(0);
	unsigned long before, after;

	/* its own pages are charged to whom they were before */
	memset(ops, 1, sizeof(ops));
	if (!write_file(CGROUP "cgroup.procs", "0\n"))
		FAIL("cgroup.procs: %s", strerror(errno));
	before = memory_of_cgroup();
	add_many(fd);
	after = memory_of_cgroup();
	note("%ld bytes for each timer", (long)(after - before) / COUNT);
	ASSERT_GE(after, before + 80UL * COUNT);
	close(fd);
	write_file(CGROUPS "cgroup.procs", "0\n");
}

TEST(owners_cgroup_is_charged)
{
	need_fast_kernel();
	if (access(CGROUPS "cgroup.controllers", F_OK))
		skip("no cgroup2");
	if (!write_file(CGROUPS "cgroup.subtree_control", "+memory\n"))
		skip("no memory controller");
	CALL(mkdir(CGROUP, 0755));
	if (access(CGROUP "memory.current", F_OK)) {
		rmdir(CGROUP);
		skip("no memory controller");
	}
	join(start(use_cgroup, NULL));
	CALL(rmdir(CGROUP));
}
