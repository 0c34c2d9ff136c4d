// SPDX-License-Identifier: GPL-2.0
/*
 * A ring with a polling thread: timers are armed, pushed back and cancelled, and their events
 * are read, without a system call.
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device.h"
#include "io_ring.h"

enum { SOME = 40 };	/* timers */

/* Carry out a request, and wait for its result without a system call. */
static int carry_out(struct io_uring_sqe sqe, bool polled)
{
	struct io_ring_result result;

	io_ring_queue(sqe);
	if (!polled)
		io_ring_enter();
	while (!io_ring_peek(&result))
		continue;
	return result.res;
}

/* Arm, push back and cancel timers, and read the event of each that expires. */
static void run_timers(int fd, bool polled)
{
	struct twheel_event event;
	struct twheel_op op;
	int i;

	for (i = 0; i < SOME; i++) {
		op = new_timer(LONG, i);
		ASSERT_EQ(carry_out(io_ring_command(fd, TWHEEL_IOC_ADD, &op), polled), 0);
		op = op_on(0, op.handle);
		ASSERT_EQ(carry_out(io_ring_command(fd, i % 2 ? TWHEEL_IOC_CANCEL :
						    TWHEEL_IOC_CHANGE, &op), polled), 0);
		if (i % 2)
			continue;
		ASSERT_EQ(carry_out(io_ring_read(fd, &event, sizeof(event), i), polled),
			  sizeof(event));
		ASSERT_EQ(event.cookie, i);
	}
}

/* The call marks the beginning and the end of what counts. */
#define MARK __NR_getppid

static void run_traced(void *data)
{
	const unsigned int flags = *(unsigned int *)data;
	const struct io_uring_sqe nop = { .opcode = IORING_OP_NOP };
	const int fd = open_device(0);

	io_ring_open(flags);
	/* the polling thread may begin asleep */
	io_ring_submit(nop);
	ASSERT_EQ(io_ring_wait().res, 0);
	CALL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	CALL(raise(SIGSTOP));
	syscall(MARK);
	run_timers(fd, flags & IORING_SETUP_SQPOLL);
	syscall(MARK);
}

/* Let a process run to its next system call or the end of it. False if it has exited. */
static bool next_stop(pid_t child)
{
	int status;

	CALL(ptrace(PTRACE_SYSCALL, child, NULL, NULL));
	status = status_of(child);
	if (WIFSTOPPED(status))
		return true;
	pass_on(status);
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

	io_ring_open(flags);	/* skips the case if there is no such ring */
	io_ring_close();
	child = start(run_traced, &flags);
	ASSERT(WIFSTOPPED(status_of(child)));
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

TEST_CALL(polling_thread_makes_system_calls_unnecessary,
	  ASSERT_EQ(count_enters(IORING_SETUP_SQPOLL), 0))

/* Two for each timer that is cancelled, three for each that expires. */
TEST_CALL(each_submission_is_a_system_call_otherwise, ASSERT_GE(count_enters(0), SOME / 2 * 5))
