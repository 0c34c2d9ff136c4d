// SPDX-License-Identifier: GPL-2.0
/*
 * The floor of each way to use twheel: what surrounds the work, without the work. No
 * implementation could take much less time.
 *
 * Single calls: a system call that the device refuses. Batches: operations are copied
 * into the kernel, and back if they would return a handle. The table: a word is written
 * at an index that comes from another word. Events: the program wakes up at every tick,
 * and reads as many bytes as the events would have.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include "../../lib/libtwheel.h"
#include "measure.h"

#define BATCH	256
#define EVENTS	1024

/* A number that is not an ioctl of the device. */
#define NO_CALL	_IO('t', 0)

static int fd;
static struct twheel_op *ops;

static void open_device(size_t n)
{
	fd = twheel_open(O_NONBLOCK);
	if (fd < 0)
		die(-fd, "/dev/twheel");
}

static void refused_calls(size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ioctl(fd, NO_CALL) != -1 || errno != ENOTTY)
			die(0, "the device accepts an unknown ioctl");
}

static void arm_by_calls(const uint64_t *deadline, size_t n)
{
	refused_calls(n);
}

static void extend_by_calls(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	refused_calls(n);
}

static void cancel_by_calls(const uint32_t *order, size_t n)
{
	refused_calls(n);
}

/* Copies @n operations into the kernel, and back if @read. */
static void copy_batches(size_t n, bool read)
{
	size_t i, done, count;
	ssize_t size;

	for (done = 0; done < n; done += count) {
		count = n - done < BATCH ? n - done : BATCH;
		size = (ssize_t)(count * sizeof(*ops));
		for (i = 0; i < count; i++)
			ops[i] = twheel_at(CLOCK_MONOTONIC, done + i, done + i);
		if (pwrite(fd, ops, (size_t)size, 0) != size ||
		    (read && pread(fd, ops, (size_t)size, 0) != size))
			die(errno, "cannot copy through a memfd");
		for (i = 0; i < count; i++)
			if (ops[i].result)
				die(0, "a memfd has changed its content");
	}
}

static void open_memory(size_t n)
{
	fd = memfd_create("floor", MFD_CLOEXEC);
	if (fd < 0)
		die(errno, "memfd_create");
	ops = allocate(BATCH * sizeof(*ops));
	/* Allocate the pages before anything is measured. */
	copy_batches(BATCH, true);
}

static void arm_by_copies(const uint64_t *deadline, size_t n)
{
	copy_batches(n, true);
}

static void extend_by_copies(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	copy_batches(n, false);
}

static void cancel_by_copies(const uint32_t *order, size_t n)
{
	copy_batches(n, false);
}

static uint64_t *handle;
static volatile uint64_t *word;

static void open_words(size_t n)
{
	handle = allocate(n * sizeof(*handle));
	/* As far apart as the words of twheel's table. */
	word = allocate(n * sizeof(struct twheel_word));
}

static void arm_words(const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		handle[i] = i * (sizeof(struct twheel_word) / sizeof(*word));
}

static void extend_words(const uint32_t *order, const uint64_t *deadline, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		word[handle[order[i]]] = deadline[i];
}

static int epoll;
static int dev_zero;
static char *events;
static uint64_t first_due;
static uint64_t last_due;
static size_t due;
static size_t taken;

static void open_wakes(size_t n)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll = epoll_create1(EPOLL_CLOEXEC);
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	dev_zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (epoll < 0 || fd < 0 || dev_zero < 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die(errno, "epoll");
	events = allocate(EVENTS * sizeof(struct twheel_event));
}

static uint64_t tick_length(void)
{
	int device = twheel_open(0);
	struct twheel_info info;

	if (device < 0 || twheel_get_info(device, &info))
		die(0, "/dev/twheel");
	close(device);
	return info.resolution_ns;
}

/* Sets a timerfd that expires at every tick, beginning with the first deadline. */
static void arm_wakes(const uint64_t *deadline, size_t n)
{
	struct itimerspec its;
	size_t i;

	first_due = deadline[0];
	last_due = first_due;
	for (i = 0; i < n; i++) {
		first_due = deadline[i] < first_due ? deadline[i] : first_due;
		last_due = deadline[i] > last_due ? deadline[i] : last_due;
	}
	due = n;
	taken = 0;
	its.it_value = to_timespec(first_due);
	its.it_interval = to_timespec(tick_length());
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL))
		die(errno, "timerfd_settime");
}

/* How many deadlines have passed, if they are spread evenly. */
static size_t due_now(void)
{
	uint64_t now = now_ns();

	if (now >= last_due)
		return due;
	return (size_t)((double)(now - first_due) / (double)(last_due - first_due) *
			(double)due);
}

static size_t take_wakes(void)
{
	struct epoll_event event;
	uint64_t ticks;
	size_t n, left;
	ssize_t size;

	if (epoll_wait(epoll, &event, 1, -1) != 1 ||
	    read(fd, &ticks, sizeof(ticks)) != sizeof(ticks))
		die(errno, "timerfd");
	n = due_now() - taken;
	taken += n;
	for (left = n; left; left -= (size_t)size / sizeof(struct twheel_event)) {
		size = (ssize_t)((left < EVENTS ? left : EVENTS) *
				 sizeof(struct twheel_event));
		if (read(dev_zero, events, (size_t)size) != size)
			die(errno, "/dev/zero");
	}
	return n;
}

const struct mechanism floor_single = {
	.name = "floor",
	.open = open_device,
	.arm = arm_by_calls,
	.extend = extend_by_calls,
	.cancel = cancel_by_calls,
};

const struct mechanism floor_batch = {
	.name = "floor",
	.open = open_memory,
	.arm = arm_by_copies,
	.extend = extend_by_copies,
	.cancel = cancel_by_copies,
};

const struct mechanism floor_mmap = {
	.name = "floor",
	.open = open_words,
	.arm = arm_words,
	.extend = extend_words,
};

const struct mechanism floor_events = {
	.name = "floor",
	.open = open_wakes,
	.arm = arm_wakes,
	.take = take_wakes,
};
