// SPDX-License-Identifier: GPL-2.0
/* Reads that must not wait (RWF_NOWAIT), and reads of io_uring, which need no thread. */
#include <dirent.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "device.h"

#define LONG (100 * NSEC_PER_SEC)

/* A minimal io_uring: one submission at a time. */
static struct ring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static void *map_ring(size_t size, __u64 offset)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, ring.fd, offset);

	ASSERT(map != MAP_FAILED);
	return map;
}

static void open_ring(void)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	/* not in this kernel, or not allowed */
	ring.fd = syscall(__NR_io_uring_setup, 64, &p);
	if (ring.fd < 0)
		skip("io_uring_setup: %s", strerror(errno));
	sq = map_ring(p.sq_off.array + p.sq_entries * sizeof(__u32),
		      IORING_OFF_SQ_RING);
	cq = map_ring(p.cq_off.cqes + p.cq_entries * sizeof(*ring.cqes),
		      IORING_OFF_CQ_RING);
	ring.sqes = map_ring(p.sq_entries * sizeof(*ring.sqes), IORING_OFF_SQES);
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
}

static void submit(const struct io_uring_sqe *sqe)
{
	const unsigned int tail = *ring.sq_tail;
	const unsigned int index = tail & *ring.sq_mask;

	ring.sqes[index] = *sqe;
	ring.sq_array[index] = index;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	ASSERT_EQ(CALL(syscall(__NR_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0)),
		  1);
}

struct completion {
	__u64 user_data;
	int res;
};

/* Whether a request has completed. */
static bool completed(struct completion *completion)
{
	const unsigned int head = *ring.cq_head;

	/* lets the kernel finish the work that it has left to this task */
	CALL(syscall(__NR_io_uring_enter, ring.fd, 0, 0, IORING_ENTER_GETEVENTS,
		     NULL, 0));
	if (__atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE) == head)
		return false;
	completion->user_data = ring.cqes[head & *ring.cq_mask].user_data;
	completion->res = ring.cqes[head & *ring.cq_mask].res;
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

static struct completion wait_for_completion(void)
{
	struct completion cqe;

	while (!completed(&cqe))
		CALL(syscall(__NR_io_uring_enter, ring.fd, 0, 1,
			     IORING_ENTER_GETEVENTS, NULL, 0));
	return cqe;
}

static struct io_uring_sqe read_sqe(int fd, void *buffer, size_t size, __u64 id)
{
	return (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.fd = fd,
		.addr = (unsigned long)buffer,
		.len = size,
		.off = ~0ULL,
		.user_data = id,
	};
}

static void submit_read(int fd, struct twheel_event *event, __u64 id)
{
	const struct io_uring_sqe sqe = read_sqe(fd, event, sizeof(*event), id);

	submit(&sqe);
}

/* The number of threads that io_uring has started in this process. */
static unsigned int workers(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned int count = 0;
	struct dirent *entry;

	ASSERT(dir);
	while ((entry = readdir(dir))) {
		char path[300], name[64] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file))
			count += !strncmp(name, "iou-wrk", 7);
		fclose(file);
	}
	closedir(dir);
	return count;
}

TEST(uring_read_completes_at_expiry)
{
	const int fd = open_device(0);
	struct twheel_event event;
	struct completion cqe;
	__u64 handle;

	open_ring();
	submit_read(fd, &event, 7);
	pass_ticks(3);
	ASSERT(!completed(&cqe));
	handle = add(fd, ticks(2), 1);
	arm_timerfds(now() + ticks(2));
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.user_data, 7);
	ASSERT_EQ(cqe.res, sizeof(event));
	ASSERT(event.handle == handle);
	check_lateness(&event);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(uring_read_takes_no_thread)
{
	enum { READS = 20 };
	const int fd = open_device(0);
	struct twheel_event events[READS];
	struct completion cqe;
	bool seen[READS] = { false };
	int i;

	open_ring();
	for (i = 0; i < READS; i++)
		submit_read(fd, &events[i], i);
	pass_ticks(3);
	ASSERT(!completed(&cqe));
	ASSERT_EQ(workers(), 0);
	for (i = 0; i < READS; i++)
		add(fd, ticks(1 + i % 3), i);
	for (i = 0; i < READS; i++) {
		cqe = wait_for_completion();
		ASSERT_EQ(cqe.res, sizeof(events[0]));
		ASSERT_LT(cqe.user_data, READS);
		ASSERT_LT(events[cqe.user_data].cookie, READS);
		ASSERT(!seen[events[cqe.user_data].cookie]);
		seen[events[cqe.user_data].cookie] = true;
	}
	ASSERT_EQ(workers(), 0);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(uring_read_of_what_is_there_completes_at_once)
{
	const int fd = open_device(0);
	struct twheel_event event;
	struct completion cqe;

	open_ring();
	add(fd, 0, 1);
	wait_for_event(fd);
	submit_read(fd, &event, 1);
	ASSERT(completed(&cqe));
	ASSERT_EQ(cqe.res, sizeof(event));
	ASSERT_EQ(event.cookie, 1);
}

TEST(uring_read_takes_as_many_as_fit)
{
	const int fd = open_device(0);
	struct twheel_event events[4];
	struct io_uring_sqe sqe = read_sqe(fd, events, sizeof(events), 1);
	struct completion cqe;
	int i;

	open_ring();
	for (i = 0; i < 5; i++)
		wait_until_expired(fd, add(fd, 0, i));
	submit(&sqe);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, sizeof(events));
	ASSERT_EQ(timers_of(fd), 1);
}

TEST(uring_read_into_registered_memory)
{
	const int fd = open_device(0);
	struct twheel_event *event = two_pages(PROT_READ | PROT_WRITE);
	struct iovec memory = { event, page_size() };
	struct io_uring_sqe sqe = read_sqe(fd, event, sizeof(*event), 1);
	struct completion cqe;

	open_ring();
	CALL(syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS,
		     &memory, 1));
	sqe.opcode = IORING_OP_READ_FIXED;
	submit(&sqe);
	pass_ticks(2);
	ASSERT(!completed(&cqe));
	add(fd, 0, 5);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, sizeof(*event));
	ASSERT_EQ(event->cookie, 5);
}

TEST(uring_read_that_must_not_wait_is_eagain)
{
	const int fd = open_device(0);
	struct twheel_event event;
	struct io_uring_sqe sqe = read_sqe(fd, &event, sizeof(event), 1);
	struct completion cqe;

	open_ring();
	sqe.rw_flags = RWF_NOWAIT;
	submit(&sqe);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, -EAGAIN);
}

TEST(uring_read_of_too_little_is_einval)
{
	const int fd = open_device(0);
	struct twheel_event event;
	struct io_uring_sqe sqe = read_sqe(fd, &event, sizeof(event) - 1, 1);
	struct completion cqe;

	open_ring();
	submit(&sqe);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, -EINVAL);
}

/* Trap 23: a read that fails must not lose an event. */
TEST(event_stays_if_uring_cannot_write_it)
{
	const int fd = open_device(0);
	struct completion cqe;
	char *pages;

	/* first the ring, so that it is not mapped where the hole is to be */
	open_ring();
	pages = two_pages(PROT_NONE);
	submit_read(fd, (void *)(pages + page_size()), 1);
	add(fd, 0, 1);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, -EFAULT);
	ASSERT_EQ(read_one(fd).cookie, 1);
}

TEST(uring_read_is_cancelled)
{
	const int fd = open_device(0);
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_ASYNC_CANCEL,
		.fd = -1,
		.addr = 7,
		.user_data = 8,
	};
	struct twheel_event event;
	int i, seen = 0;

	open_ring();
	submit_read(fd, &event, 7);
	submit(&sqe);
	for (i = 0; i < 2; i++) {
		const struct completion cqe = wait_for_completion();

		ASSERT_EQ(cqe.res, cqe.user_data == 7 ? -ECANCELED : 0);
		seen += cqe.user_data;
	}
	ASSERT_EQ(seen, 15);
	/* the next read gets the event */
	add(fd, 0, 1);
	ASSERT_EQ(read_one(fd).cookie, 1);
}

/* A waiting read holds the open file, and so the timers. */
TEST(uring_read_goes_on_after_close)
{
	const int fd = open_device(0);
	struct twheel_event event;
	struct completion cqe;

	open_ring();
	add(fd, ticks(4), 6);
	submit_read(fd, &event, 1);
	close(fd);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, sizeof(event));
	ASSERT_EQ(event.cookie, 6);
}

static void leave_reads_waiting(void *data)
{
	static struct twheel_event events[8];
	const int fd = open_device(0);
	int i;

	open_ring();
	add(fd, LONG, 1);
	add(fd, ticks(2), 1);
	for (i = 0; i < 8; i++)
		submit_read(fd, &events[i], i);
	CALL(write(*(int *)data, "x", 1));
	for (;;)
		pause();
}

/* Trap 34: a process is killed while its reads wait. */
TEST(killed_owner_of_a_ring_leaves_nothing)
{
	int round, ready[2], status;
	char byte;

	open_ring();
	CALL(pipe(ready));
	for (round = 0; round < 10; round++) {
		const pid_t child = start(leave_reads_waiting, &ready[1]);

		ASSERT_EQ(CALL(read(ready[0], &byte, 1)), 1);
		CALL(kill(child, SIGKILL));
		CALL(waitpid(child, &status, 0));
		ASSERT(WIFSIGNALED(status));
	}
	pass_ticks(4);
}

/* One read that does not wait, from a descriptor without O_NONBLOCK. */
static ssize_t read_nowait(int fd, struct twheel_event *event)
{
	struct iovec piece = { event, sizeof(*event) };

	return preadv2(fd, &piece, 1, -1, RWF_NOWAIT);
}

TEST(nowait_read_without_an_event_is_eagain)
{
	const int fd = open_device(0);
	struct twheel_event event;

	ASSERT_ERRNO(read_nowait(fd, &event), EAGAIN);
	add(fd, LONG, 1);
	ASSERT_ERRNO(read_nowait(fd, &event), EAGAIN);
}

TEST(nowait_read_takes_what_is_there)
{
	const int fd = open_device(0);
	struct twheel_event event;

	add(fd, 0, 1);
	wait_for_event(fd);
	ASSERT_EQ(CALL(read_nowait(fd, &event)), sizeof(event));
	ASSERT_EQ(event.cookie, 1);
	ASSERT_ERRNO(read_nowait(fd, &event), EAGAIN);
}

static void wait_until_unread(int fd, unsigned int count)
{
	while (get_info(fd).unread < count)
		pass_ticks(1);
}

TEST(nowait_read_into_a_page_that_is_not_there_is_eagain)
{
	struct twheel_event *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int fd = open_device(O_NONBLOCK);
	unsigned char present;

	ASSERT(page != MAP_FAILED);
	add(fd, 0, 1);
	add(fd, 0, 2);
	wait_until_unread(fd, 2);
	ASSERT_ERRNO(read_nowait(fd, page), EAGAIN);
	CALL(mincore(page, page_size(), &present));
	ASSERT_EQ(present & 1, 0);
	ASSERT_EQ(get_info(fd).unread, 2);
	/* a plain read() may take the page fault, also with O_NONBLOCK */
	ASSERT_EQ(CALL(read(fd, page, sizeof(*page))), sizeof(*page));
	ASSERT_EQ(page->cookie, 1);
	/* now the page is there */
	ASSERT_EQ(CALL(read_nowait(fd, page)), sizeof(*page));
	ASSERT_EQ(page->cookie, 2);
	ASSERT_EQ(timers_of(fd), 0);
}

/* The events that fit into the page that is there are read. */
TEST(nowait_read_ends_where_a_page_is_not_there)
{
	char *pages = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct twheel_event *event = (void *)(pages + page_size() - sizeof(*event));
	struct iovec piece = { event, 2 * sizeof(*event) };
	const int fd = open_device(0);

	ASSERT(pages != MAP_FAILED);
	pages[0] = 1;
	add(fd, 0, 1);
	add(fd, 0, 2);
	wait_until_unread(fd, 2);
	ASSERT_EQ(CALL(preadv2(fd, &piece, 1, -1, RWF_NOWAIT)), sizeof(*event));
	ASSERT_EQ(event->cookie, 1);
	ASSERT_EQ(get_info(fd).unread, 1);
	ASSERT_EQ(CALL(read_nowait(fd, event)), sizeof(*event));
	ASSERT_EQ(event->cookie, 2);
}

/* io_uring reads without waiting first, and then in a thread that may fault pages in. */
TEST(uring_read_into_a_page_that_is_not_there_completes)
{
	struct twheel_event *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int fd = open_device(0);
	struct completion cqe;

	ASSERT(page != MAP_FAILED);
	open_ring();
	add(fd, 0, 1);
	wait_for_event(fd);
	submit_read(fd, page, 1);
	cqe = wait_for_completion();
	ASSERT_EQ(cqe.res, sizeof(*page));
	ASSERT_EQ(page->cookie, 1);
}
