// SPDX-License-Identifier: GPL-2.0
/* The memory of timers: its size, the cgroup that pays, and that it is freed. */
#include <linux/userfaultfd.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "buffer.h"
#include "event_ring.h"
#include "holder.h"
#include "table_timer.h"
#include "user.h"

/* SINGLE: timers that are armed by single calls. Their memory is twelve times SOME. */
enum { COUNT = 100000, SINGLE = 20000, SOME = 32 * 4096 };

/*
 * LEASES: how many. SHARED_BYTES: the size of a table or a ring. AHEAD: what the kernel may
 * have charged to the cgroup ahead of its use, on one CPU. CALLERS: threads in a call, with
 * CALL_OPS operations each.
 */
enum { LEASES = 20000, SHARED_BYTES = 8 << 20, AHEAD = 64 * 4096, CALLERS = 400, CALL_OPS = 64 };

/* What a timer has besides its place for a period, a window, a group, a lease or another clock. */
enum { EXTRA = 64 };

#define SLAB "/sys/kernel/slab/twheel_timers/"
#define CGROUPS "/sys/fs/cgroup/"
#define CGROUP CGROUPS "twheel-memory-test/"

static struct twheel_op ops[COUNT];

/* Memory of the slab cache, in bytes: of objects in use, and of all objects. */
struct slab {
	unsigned long used, all;
};

/* The cache of blocks of timers, shrunk first if the kernel has a file for that. */
static struct slab get_slab(void)
{
	unsigned long long used, all, size;

	write_file(SLAB "shrink", "1\n");
	if (!find_number("/proc/slabinfo", "twheel_timers %llu", &used))
		skip("no cache twheel_timers of its own in /proc/slabinfo");
	all = number_from("/proc/slabinfo", "twheel_timers %*u %llu");
	size = number_from("/proc/slabinfo", "twheel_timers %*u %*u %llu");
	return (struct slab){ .used = used * size, .all = all * size };
}

static void need_fast_kernel(void)
{
	if (debug_kernel())
		skip("too slow here, and with other costs");
}

TEST(timer_takes_66_bytes_at_most)
{
	const struct slab before = get_slab();
	const int fd = open_device(0);
	struct slab after;

	need_fast_kernel();
	add_many(fd, ops, COUNT, new_timer(LONG, 0));
	after = get_slab();
	note("%.1f bytes", (double)(after.used - before.used) / COUNT);
	ASSERT_GE(after.used, before.used + COUNT * 64);
	/* each CPU keeps a few blocks */
	ASSERT_LE(after.used, before.used + COUNT * 66 + SOME);
}

/* They are freed at once, not when their deadlines come. */
TEST(cancelled_timers_are_freed)
{
	const struct slab before = get_slab();
	const int fd = open_device(0);
	int i;

	need_fast_kernel();
	for (i = 0; i < 3; i++) {
		add_many(fd, ops, COUNT, new_timer(LONG, 0));
		cancel_all(fd, ops, COUNT);
		ASSERT_LE(get_slab().used, before.used + SOME);
	}
}

/* New timers take the places of cancelled timers, three in ten: no memory is added. */
DEVICE_TEST(places_of_cancelled_timers_are_used_again)
{
	struct slab first;
	int i, j;

	need_fast_kernel();
	add_many(fd, ops, COUNT, new_timer(LONG, 0));
	first = get_slab();
	for (i = 0; i < 3; i++) {
		for (j = i; j < COUNT; j += 10)
			ASSERT_EQ(cancel(fd, ops[j].handle), 0);
		for (j = i; j < COUNT; j += 10)
			ops[j].handle = add(fd, LONG, j);
	}
	ASSERT_LE(get_slab().used, first.used + SOME);
}

/* One timer is armed and cancelled again and again, with and without a word in the table. */
static void check_timer_alone(int fd)
{
	const struct slab first = get_slab();
	struct twheel_op op;
	int i;

	for (i = 0; i < SINGLE; i++) {
		op = new_timer(LONG, i);
		op.flags = i % 3 ? TWHEEL_SHARED : 0;
		ASSERT_EQ(cancel(fd, arm(fd, op)), 0);
	}
	ASSERT_LE(get_slab().all, first.all + SOME);
}

/* On a new descriptor, and after many timers, cancelled in the opposite order. */
DEVICE_TEST(timer_alone_comes_and_goes_in_the_same_memory)
{
	int i;

	need_fast_kernel();
	map_words(fd, 16 * words_of_a_page());
	check_timer_alone(fd);
	add_many(fd, ops, COUNT, new_timer(LONG, 0));
	for (i = COUNT - 1; i >= 0; i--)
		ASSERT_EQ(cancel(fd, ops[i].handle), 0);
	check_timer_alone(fd);
}

TEST(close_frees_all_timers)
{
	const struct slab before = get_slab();
	int i;

	need_fast_kernel();
	for (i = 0; i < 2; i++) {
		const int fd = open_device(0);
		int j;

		add_many(fd, ops, COUNT, new_timer(LONG, 0));
		for (j = 0; j < 1000; j++)
			add(fd, 0, j);
		wait_for_event(fd);
		close(fd);
	}
	ASSERT_LE(get_slab().used, before.used + SOME);
}

static unsigned long memory_of_cgroup(void)
{
	return number_from(CGROUP "memory.current", "%llu");
}

static void enter_cgroup(void)
{
	/* the array is charged to the old cgroup */
	memset(ops, 1, sizeof(ops));
	if (!write_file(CGROUP "cgroup.procs", "0\n"))
		FAIL("cgroup.procs: %s", strerror(errno));
}

static void leave_cgroup(void)
{
	write_file(CGROUPS "cgroup.procs", "0\n");
}

static void take_table(int fd)
{
	map_words(fd, SHARED_BYTES / sizeof(struct twheel_word));
}

static void take_ring(int fd)
{
	map_ring(fd, SHARED_BYTES / sizeof(struct twheel_event));
}

static void take_groups(int fd)
{
	int i;

	for (i = 0; i < COUNT; i++) {
		ops[i] = new_timer(LONG, i);
		ops[i].group = i + 1;
	}
	add_all(fd, ops, COUNT);
}

static void take_boottime(int fd)
{
	struct twheel_op op = new_timer(LONG, 0);

	op.clockid = CLOCK_BOOTTIME;
	add_many(fd, ops, COUNT, op);
}

static void take_files(int fd)
{
	int i;

	for (i = 0; i < LEASES; i++)
		CALL(eventfd(0, 0));
}

static void take_leases(int fd)
{
	int i;

	add_many(fd, ops, LEASES, new_timer(LONG, 0));
	for (i = 0; i < LEASES; i++)
		new_lease(fd, ops[i].handle, NSEC_PER_SEC, 0);
}

/* Returns by how much the cgroup's memory grows. Nothing is freed before the child ends. */
static unsigned long growth(const char *what, void (*take)(int fd))
{
	const int fd = open_device(0);
	const unsigned long before = memory_of_cgroup();
	unsigned long bytes;

	take(fd);
	bytes = memory_of_cgroup() - before;
	note("%s: %lu bytes", what, bytes);
	return bytes;
}

/* The least that each takes: the objects of the driver, as its allocator rounds them up. */
static void use_cgroup_for_everything(void *data)
{
	unsigned long files_bytes;

	stay_on_cpu(0);
	/* the table of descriptors grows before the cgroup is looked at */
	allow_files(2 * LEASES + 100);
	close(CALL(fcntl(0, F_DUPFD, 2 * LEASES + 50)));
	enter_cgroup();
	ASSERT_GE(growth("table", take_table) + AHEAD, SHARED_BYTES);
	ASSERT_GE(growth("ring", take_ring) + AHEAD, SHARED_BYTES);
	ASSERT_GE(growth("groups", take_groups) + AHEAD, COUNT * (64UL + EXTRA));
	ASSERT_GE(growth("boottime", take_boottime) + AHEAD, COUNT * (64UL + EXTRA));
	files_bytes = growth("files", take_files);
	ASSERT_GE(growth("leases", take_leases) + AHEAD,
		  files_bytes + LEASES * (64UL + EXTRA + 96));
	leave_cgroup();
}

static void run_in_cgroup(void (*run)(void *data))
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
	join(start(run, NULL));
	CALL(rmdir(CGROUP));
}

TEST_CALL(owners_cgroup_is_charged_for_everything, run_in_cgroup(use_cgroup_for_everything))

/* A batch that many threads make at the same time. */
static int held_fd;

static void make_held_batch(void *batch)
{
	ASSERT_EQ(CALL(ioctl(held_fd, TWHEEL_IOC_BATCH, batch)), CALL_OPS);
}

/*
 * All threads wait for the page of the argument, when their calls have allocated nothing.
 * Then all wait for the page of the operations, with what the calls hold meanwhile.
 */
static void hold_batches(void *data)
{
	char *pages = fresh_memory(2 * page_size()), *content = fresh_memory(2 * page_size());
	struct twheel_batch *batch = (void *)content;
	struct twheel_op *operations = (void *)(content + page_size());
	unsigned long before, after;
	int i, userfaultfd;

	held_fd = open_device(0);
	*batch = new_batch((void *)(pages + page_size()), CALL_OPS);
	for (i = 0; i < CALL_OPS; i++) {
		operations[i] = op_on(TWHEEL_OP_CANCEL, 1);
		add(held_fd, LONG, i);
	}
	userfaultfd = open_userfaultfd(pages, 2 * page_size(), 0, UFFDIO_REGISTER_MODE_MISSING);
	stay_on_cpu(0);
	enter_cgroup();
	start_threads(CALLERS, make_held_batch, pages);
	wait_for_faults(userfaultfd, pages, CALLERS);
	before = memory_of_cgroup();
	bring_page(userfaultfd, pages, batch);
	wait_for_faults(userfaultfd, pages + page_size(), CALLERS);
	after = memory_of_cgroup();
	bring_page(userfaultfd, pages + page_size(), operations);
	join_threads();
	note("%ld bytes for each call", (long)(after - before) / CALLERS);
	ASSERT_GE(after + AHEAD, before + CALLERS * CALL_OPS * sizeof(struct twheel_op));
	leave_cgroup();
}

/* A program can make a page fault last as long as it likes. */
TEST(callers_cgroup_is_charged_while_a_batch_waits_for_a_page)
{
	void *page = fresh_memory(page_size());

	/* Skips the case where a page fault ends at once. */
	close(open_userfaultfd(page, page_size(), 0, UFFDIO_REGISTER_MODE_MISSING));
	run_in_cgroup(hold_batches);
}
