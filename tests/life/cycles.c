// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload the module again and again while programs use it.
 *
 * When the module has been loaded, each program uses timers a few times, then
 * opens and closes the device until the device is gone. So the module is unloaded
 * at every point of an open and a close.
 */
#include <sched.h>
#include <stdatomic.h>

#include "device.h"
#include "modules.h"
#include "parameter.h"

enum { USERS = 2, TIMERS = 20, USES = 3 };

enum { CYCLES = 100, CYCLES_LONG = 1000, WARM_UP = 20 };

/* Shared by all processes. */
struct shared {
	atomic_ullong	opened;
	atomic_ullong	used;
	atomic_ullong	events;
	int		go[2];		/* pipe: a byte to each user */
	int		used_once[2];	/* pipe: a byte from each user */
};

static struct shared *shared;

/* Use timers. The module cannot go while the device is open. */
static void use(int fd)
{
	struct twheel_event events[TIMERS + 2];
	struct twheel_op ops[TIMERS];
	const __u64 periodic = add_periodic(fd, now(), ticks(1), TIMERS);
	int i, got;

	for (i = 0; i < TIMERS; i++)
		ops[i] = new_timer(i % 2 ? ticks(i) : 0, i);
	add_all(fd, ops, TIMERS);
	for (i = 0; i < TIMERS; i += 4)
		ASSERT_GE(change(fd, ops[i + 1].handle, 100 * NSEC_PER_SEC), 0);
	wait_for_event(fd);
	got = read_events(fd, events, ARRAY_SIZE(events));
	ASSERT_GT(got, 0);
	atomic_fetch_add(&shared->events, got);
	ASSERT_GE(cancel(fd, periodic), 0);
	atomic_fetch_add(&shared->used, 1);
}

static int open_if_there(void)
{
	const int fd = open(DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		atomic_fetch_add(&shared->opened, 1);
	else
		ASSERT(errno == ENOENT || errno == ENODEV || errno == ENXIO);
	return fd;
}

static void user(void *data)
{
	int i, fd;
	char go;

	close(shared->go[1]);
	while (CALL(read(shared->go[0], &go, 1)) == 1) {
		for (i = 0; i < USES && (fd = open_if_there()) >= 0; i++) {
			use(fd);
			if (i == 0)
				CALL(write(shared->used_once[1], &go, 1));
			close(fd);
		}
		while ((fd = open_if_there()) >= 0)
			close(fd);
	}
}

/* In KiB: kernel memory that does not shrink by itself, so that leaks add up. */
static long kernel_memory(void)
{
	static const char * const formats[] = {
		"SUnreclaim: %llu", "VmallocUsed: %llu", "Percpu: %llu", "KernelStack: %llu",
	};
	long sum = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		sum += number_from("/proc/meminfo", formats[i]);
	return sum;
}

/* Returns how often the module was in use when it was to be unloaded. */
static unsigned int cycle(void)
{
	char bytes[USERS] = { 0 };
	unsigned int busy = 0;
	int ret;

	load("twheel", "");
	CALL(write(shared->go[1], bytes, USERS));
	/* one user has the device open */
	ASSERT_EQ(CALL(read(shared->used_once[0], bytes, 1)), 1);
	while ((ret = try_unload("twheel"))) {
		ASSERT_EQ(ret, -EWOULDBLOCK);
		busy++;
		sched_yield();
	}
	return busy;
}

static void empty_pipe(int fd)
{
	char bytes[USERS];

	CALL(fcntl(fd, F_SETFL, O_NONBLOCK));
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	CALL(fcntl(fd, F_SETFL, 0));
}

TEST_TIMEOUT(comes_and_goes_under_load, 1200)
{
	const unsigned int cycles = long_tests ? CYCLES_LONG : CYCLES;
	unsigned long long busy = 0;
	long before = 0, growth;
	pid_t users[USERS];
	unsigned int i;

	shared = shared_memory(sizeof(*shared));
	CALL(pipe(shared->go));
	CALL(pipe(shared->used_once));
	load("twheel", "");
	tick_ns();
	unload("twheel");
	for (i = 0; i < USERS; i++)
		users[i] = start(user, NULL);
	close(shared->go[0]);
	for (i = 0; i < cycles; i++) {
		if (i == WARM_UP)
			before = kernel_memory();
		busy += cycle();
		empty_pipe(shared->used_once[0]);
	}
	growth = kernel_memory() - before;
	close(shared->go[1]);
	for (i = 0; i < USERS; i++)
		join(users[i]);
	check_twheel_is_gone();
	note("unloaded %u times, %llu times busy; opened %llu times, used %llu times, %llu events; memory %+ld KiB",
	     cycles, busy, atomic_load(&shared->opened),
	     atomic_load(&shared->used), atomic_load(&shared->events), growth);
	ASSERT_GE(atomic_load(&shared->used), cycles);
	ASSERT_GE(atomic_load(&shared->events), cycles);
	ASSERT_GE(busy, cycles / 2);
	/* caches grow too: only many cycles show a leak of a page per cycle */
	if (long_tests && !debug_kernel())
		ASSERT_LT(growth, (long)cycles);
}
