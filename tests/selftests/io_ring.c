// SPDX-License-Identifier: GPL-2.0
#include "io_ring.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	int fd;
	unsigned int wake_up;	/* the flag for a ring with a polling thread, which may sleep */
	unsigned int queued;	/* entries that the kernel has not been told of */
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static void *map_part(size_t size, __u64 offset)
{
	return CALL(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
			 offset));
}

void io_ring_open(unsigned int flags)
{
	/* A polling thread goes to sleep after so many ms without work. */
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 60000 };
	char *sq, *cq;

	/* not in this kernel, or not allowed */
	ring.fd = syscall(__NR_io_uring_setup, IO_RING_ENTRIES, &p);
	if (ring.fd < 0)
		skip("io_uring_setup with flags %#x: %s", flags, strerror(errno));
	if (flags & IORING_SETUP_SQPOLL)
		ring.wake_up = IORING_ENTER_SQ_WAKEUP;
	sq = map_part(p.sq_off.array + p.sq_entries * sizeof(__u32), IORING_OFF_SQ_RING);
	cq = map_part(p.cq_off.cqes + p.cq_entries * sizeof(*ring.cqes), IORING_OFF_CQ_RING);
	ring.sqes = map_part(p.sq_entries * sizeof(*ring.sqes), IORING_OFF_SQES);
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
}

int io_ring_fd(void)
{
	return ring.fd;
}

void io_ring_close(void)
{
	close(ring.fd);
}

static unsigned int enter(unsigned int submit, unsigned int wait, unsigned int flags)
{
	return CALL(syscall(__NR_io_uring_enter, ring.fd, submit, wait, flags | ring.wake_up,
			    NULL, 0));
}

void io_ring_queue(struct io_uring_sqe sqe)
{
	const unsigned int tail = *ring.sq_tail;
	const unsigned int index = tail & *ring.sq_mask;

	ring.sqes[index] = sqe;
	ring.sq_array[index] = index;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	ring.queued++;
}

void io_ring_enter(void)
{
	ASSERT_EQ(enter(ring.queued, 0, 0), ring.queued);
	ring.queued = 0;
}

void io_ring_submit(struct io_uring_sqe sqe)
{
	io_ring_queue(sqe);
	io_ring_enter();
}

bool io_ring_peek(struct io_ring_result *result)
{
	const unsigned int head = *ring.cq_head;
	const struct io_uring_cqe *cqe = &ring.cqes[head & *ring.cq_mask];

	if (__atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE) == head)
		return false;
	*result = (struct io_ring_result){ cqe->user_data, cqe->res, cqe->flags };
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

bool io_ring_completed(struct io_ring_result *result)
{
	enter(0, 0, IORING_ENTER_GETEVENTS);
	return io_ring_peek(result);
}

struct io_ring_result io_ring_wait(void)
{
	struct io_ring_result result;

	while (!io_ring_completed(&result))
		enter(0, 1, IORING_ENTER_GETEVENTS);
	return result;
}

struct io_uring_sqe io_ring_read(int fd, void *buffer, size_t size, __u64 user_data)
{
	return (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.fd = fd,
		.addr = (unsigned long)buffer,
		.len = size,
		.off = ~0ULL,
		.user_data = user_data,
	};
}

struct io_uring_sqe io_ring_command(int fd, unsigned int call, const void *arg)
{
	const struct twheel_uring_cmd payload = { .arg = (unsigned long)arg };
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_URING_CMD,
		.fd = fd,
		.cmd_op = call,
	};

	memcpy(sqe.cmd, &payload, sizeof(payload));
	return sqe;
}

int io_ring_call(int fd, unsigned int call, const void *arg)
{
	io_ring_submit(io_ring_command(fd, call, arg));
	return io_ring_wait().res;
}

unsigned int io_ring_workers(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned int count = 0;
	struct dirent *entry;

	ASSERT(dir);
	while ((entry = readdir(dir))) {
		char path[300], name[64] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
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
