// SPDX-License-Identifier: GPL-2.0
/* Commands and events by liburing, as a program uses it: without a system call, or by one. */
#include "device.h"

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "io_ring.h"

/* From Linux 6.7; the library may be older. */
enum { READ_MULTISHOT = 49 };

enum {
	SOME = 40,		/* timers */
	GROUP = 1,		/* of provided buffers */
	BUFFERS = 8,		/* a power of two */
};

static struct io_uring ring;

static void open_ring(unsigned int flags)
{
	/* the polling thread goes to sleep after so many ms without work */
	struct io_uring_params params = { .flags = flags, .sq_thread_idle = 60000 };
	const int ret = io_uring_queue_init_params(SOME, &ring, &params);

	if (ret)
		skip("io_uring with flags %#x: %s", flags, strerror(-ret));
}

static struct io_uring_sqe *next_sqe(__u64 user_data)
{
	struct io_uring_sqe *sqe;

	/* the polling thread may not have looked yet */
	while (!(sqe = io_uring_get_sqe(&ring)))
		continue;
	memset(sqe, 0, sizeof(*sqe));
	sqe->user_data = user_data;
	return sqe;
}

static void prepare_command(int fd, unsigned int call, void *arg)
{
	struct io_uring_sqe *sqe = next_sqe(call);

	*sqe = io_ring_command(fd, call, arg);
	sqe->user_data = call;
}

/* Wait without a system call. Returns the result. */
static int spin_for(__u64 user_data)
{
	struct io_uring_cqe *cqe;
	int ret;

	while (io_uring_peek_cqe(&ring, &cqe))
		continue;
	ASSERT_EQ(cqe->user_data, user_data);
	ret = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return ret;
}

static int command(int fd, unsigned int call, void *arg)
{
	prepare_command(fd, call, arg);
	ASSERT_GE(io_uring_submit(&ring), 0);
	return spin_for(call);
}

/* Arm, push back and cancel timers, and read the event of each that expires. */
static void run_timers(int fd)
{
	struct io_uring_sqe *sqe;
	struct twheel_event event;
	struct twheel_op op;
	int i;

	for (i = 0; i < SOME; i++) {
		op = new_timer(LONG, i);
		ASSERT_EQ(command(fd, TWHEEL_IOC_ADD, &op), 0);
		if (i % 2) {
			op = (struct twheel_op){ .handle = op.handle };
			ASSERT_EQ(command(fd, TWHEEL_IOC_CANCEL, &op), 0);
			continue;
		}
		op = (struct twheel_op){ .handle = op.handle };
		ASSERT_EQ(command(fd, TWHEEL_IOC_CHANGE, &op), 0);
		sqe = next_sqe(i);
		io_uring_prep_read(sqe, fd, &event, sizeof(event), -1);
		sqe->user_data = i;
		ASSERT_GE(io_uring_submit(&ring), 0);
		ASSERT_EQ(spin_for(i), sizeof(event));
		ASSERT_EQ(event.cookie, i);
	}
}

/* The call marks the beginning and the end of what counts. */
#define MARK __NR_getppid

static void run_traced(void *data)
{
	const int fd = open_device(0);

	open_ring(*(unsigned int *)data);
	/* the polling thread may begin asleep */
	io_uring_prep_nop(next_sqe(0));
	ASSERT_GE(io_uring_submit(&ring), 0);
	ASSERT_EQ(spin_for(0), 0);
	CALL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	CALL(raise(SIGSTOP));
	syscall(MARK);
	run_timers(fd);
	syscall(MARK);
}

/* Let a process run to its next system call or the end of it. False if it has exited. */
static bool next_stop(pid_t child)
{
	int status;

	CALL(ptrace(PTRACE_SYSCALL, child, NULL, NULL));
	CALL(waitpid(child, &status, 0));
	if (WIFSTOPPED(status))
		return true;
	ASSERT(WIFEXITED(status));
	ASSERT_EQ(WEXITSTATUS(status), EXIT_PASS);
	return false;
}

static bool entry_of_call(pid_t child, __u64 *number)
{
	struct __ptrace_syscall_info info;

	/* 6.12 as UML cannot */
	if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) < 0) {
		kill(child, SIGKILL);
		skip("system calls cannot be counted: %s", strerror(errno));
	}
	*number = info.entry.nr;
	return info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/* How often a process calls io_uring_enter() for its timers. */
static unsigned int count_enters(unsigned int flags)
{
	unsigned int enters = 0, marks = 0;
	__u64 number;
	pid_t child;
	int status;

	open_ring(flags);	/* skips the case if there is no such ring */
	io_uring_queue_exit(&ring);
	child = start(run_traced, &flags);
	CALL(waitpid(child, &status, 0));
	ASSERT(WIFSTOPPED(status));
	CALL(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD));
	while (next_stop(child)) {
		if (!entry_of_call(child, &number))
			continue;
		marks += number == MARK;
		enters += marks == 1 && number == __NR_io_uring_enter;
	}
	ASSERT_EQ(marks, 2);
	return enters;
}

TEST(polling_thread_makes_system_calls_unnecessary)
{
	ASSERT_EQ(count_enters(IORING_SETUP_SQPOLL), 0);
}

TEST(each_submission_is_a_system_call_otherwise)
{
	/* two for each timer that is cancelled, three for each that expires */
	ASSERT_GE(count_enters(0), SOME / 2 * 5);
}

static struct io_uring_buf_ring *buffers;
static struct twheel_event events[BUFFERS];

/* Provide a buffer: room for one event. */
static void provide(unsigned int id)
{
	io_uring_buf_ring_add(buffers, &events[id], sizeof(events[id]), id,
			      io_uring_buf_ring_mask(BUFFERS), 0);
	io_uring_buf_ring_advance(buffers, 1);
}

static void open_multishot(void)
{
	struct io_uring_buf_reg reg = { .ring_entries = BUFFERS, .bgid = GROUP };
	struct io_uring_probe *probe;
	unsigned int i;

	open_ring(0);
	probe = io_uring_get_probe_ring(&ring);
	ASSERT(probe);
	if (probe->last_op < READ_MULTISHOT)
		skip("the kernel has no IORING_OP_READ_MULTISHOT: it came with 6.7");
	io_uring_free_probe(probe);
	buffers = fresh_memory(page_size());
	reg.ring_addr = (unsigned long)buffers;
	ASSERT_EQ(io_uring_register_buf_ring(&ring, &reg, 0), 0);
	io_uring_buf_ring_init(buffers);
	for (i = 0; i < BUFFERS; i++)
		provide(i);
}

static void submit_multishot(int fd)
{
	struct io_uring_sqe *sqe = next_sqe(1);

	sqe->opcode = READ_MULTISHOT;
	sqe->fd = fd;
	sqe->off = -1;
	sqe->flags = IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	ASSERT_EQ(io_uring_submit(&ring), 1);
}

/* Wait for a completion. Returns its flags. */
static unsigned int wait_for_shot(int *res, struct twheel_event *event)
{
	struct io_uring_cqe *cqe;
	unsigned int flags, id;

	ASSERT_EQ(io_uring_wait_cqe(&ring, &cqe), 0);
	flags = cqe->flags;
	*res = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	if (flags & IORING_CQE_F_BUFFER) {
		id = flags >> IORING_CQE_BUFFER_SHIFT;
		ASSERT_LT(id, BUFFERS);
		*event = events[id];
		memset(&events[id], 0xcc, sizeof(events[id]));
	}
	return flags;
}

DEVICE_TEST(one_request_reads_all_events)
{
	bool seen[SOME] = { false };
	struct twheel_event event;
	unsigned int flags;
	int i, res;

	open_multishot();
	submit_multishot(fd);
	for (i = 0; i < SOME; i++) {
		add(fd, ticks(i % 2), i);
		flags = wait_for_shot(&res, &event);
		ASSERT_EQ(res, sizeof(event));
		ASSERT(flags & IORING_CQE_F_MORE);
		check_event(&event);
		see_once(seen, event.cookie, SOME);
		provide(flags >> IORING_CQE_BUFFER_SHIFT);
	}
	ASSERT_EQ(timers_of(fd), 0);
}

DEVICE_TEST(events_wait_while_there_is_no_buffer)
{
	bool seen[BUFFERS + 4] = { false };
	unsigned int i, flags, got = 0;
	struct twheel_event event;
	int res;

	open_multishot();
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		wait_until_expired(fd, add(fd, 0, i));
	submit_multishot(fd);
	while (got < ARRAY_SIZE(seen)) {
		flags = wait_for_shot(&res, &event);
		if (res == -ENOBUFS) {
			ASSERT(!(flags & IORING_CQE_F_MORE));
			ASSERT_EQ(got, BUFFERS);
			ASSERT_EQ(timers_of(fd), ARRAY_SIZE(seen) - BUFFERS);
			for (i = 0; i < BUFFERS; i++)
				provide(i);
			submit_multishot(fd);
			continue;
		}
		ASSERT_EQ(res, sizeof(event));
		see_once(seen, event.cookie, ARRAY_SIZE(seen));
		got++;
	}
	ASSERT_EQ(timers_of(fd), 0);
}

#else

TEST(liburing)
{
	skip("built without liburing, which scripts/setup installs for the machine itself");
}

#endif
