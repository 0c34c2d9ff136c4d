// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* Test the fences of libtwheel on the real device: processes that cannot act at their deadline. */
#include <fcntl.h>
#include <libtwheel.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "privilege.h"

#define LEASE	(300 * NSEC_PER_MSEC)
#define FAR	(100 * NSEC_PER_SEC)

typedef void (*victim_t)(int lease);

/* What the processes of a case share. */
static struct shared {
	uint64_t	pushed;		/* when the lease was pushed last */
	pid_t		other;
} *shared;

/* Each process of the group has the second end of @life, until it dies. */
static int life[2], ready[2];

static uint64_t now(void)
{
	return twheel_now(CLOCK_MONOTONIC);
}

static void spin(int lease)
{
	tell(ready[1]);
	for (;;)
		;
}

static void spin_in_real_time(int lease)
{
	const struct sched_param first = { .sched_priority = 99 };

	CALL(sched_setscheduler(0, SCHED_FIFO, &first));
	spin(lease);
}

static void spin_with_child(int lease)
{
	CALL(fork());
	spin(lease);
}

static void stop(int lease)
{
	tell(ready[1]);
	for (;;)
		CALL(raise(SIGSTOP));
}

static void push_and_stop(int lease)
{
	const uint64_t end = now() + 3 * LEASE;

	tell(ready[1]);
	while (now() < end) {
		shared->pushed = now();
		ASSERT_EQ(twheel_lease_push(lease), 0);
		usleep(LEASE / 1000 / 10);
	}
	stop(lease);
}

static void leave_group(void *data)
{
	CALL(setsid());
	CALL(close(life[1]));
	wait_to_be_killed(NULL);
}

static void spin_with_session(int lease)
{
	shared->other = start(leave_group, NULL);
	spin(lease);
}

static void prepare(void)
{
	shared = CALL(mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	CALL(pipe(life));
	CALL(pipe(ready));
}

/* Start a process group with a lease and a fence. Returns the first process. */
static pid_t start_fenced(victim_t victim, int *set)
{
	struct twheel_op op = twheel_after(FAR, 1);
	int lease;
	pid_t pid;

	*set = twheel_open(0);
	ASSERT_GE(*set, 0);
	ASSERT_EQ(twheel_add(*set, &op), 0);
	lease = twheel_lease(*set, op.handle, LEASE, 0);
	ASSERT_GE(lease, 0);
	pid = CALL(fork());
	if (!pid) {
		CALL(setpgid(0, 0));
		CALL(close(*set));
		victim(lease);
	}
	/* The child does the same: whichever comes first. */
	setpgid(pid, pid);
	ASSERT_EQ(twheel_fence(*set, -pid, SIGKILL), 0);
	CALL(close(lease));
	CALL(close(life[1]));
	hear(ready[0]);
	shared->pushed = now();
	ASSERT_EQ(twheel_change(*set, op.handle, LEASE, 0), 0);
	return pid;
}

/* Wait until the kernel has killed the whole group, and not before its deadline. */
static void check_end_of_group(void)
{
	char byte;

	ASSERT_EQ(CALL(read(life[0], &byte, 1)), 0);
	ASSERT_GE(now(), shared->pushed + LEASE);
}

static void check_killed(pid_t pid)
{
	int status;

	CALL(waitpid(pid, &status, 0));
	ASSERT(WIFSIGNALED(status));
	ASSERT_EQ(WTERMSIG(status), SIGKILL);
}

static void check_victim(victim_t victim)
{
	pid_t pid;
	int set;

	prepare();
	pid = start_fenced(victim, &set);
	check_end_of_group();
	check_killed(pid);
}

TEST(fence_kills_a_group_that_spins)
{
	check_victim(spin_with_child);
}

TEST(fence_kills_a_group_that_is_stopped)
{
	check_victim(stop);
}

TEST(fence_kills_a_process_that_spins_in_real_time)
{
	check_victim(spin_in_real_time);
}

TEST(fence_waits_for_a_holder_that_pushes)
{
	check_victim(push_and_stop);
}

TEST(fence_reaches_no_child_that_has_left_the_group)
{
	check_victim(spin_with_session);
	CALL(kill(shared->other, SIGKILL));
}

static void make_and_stop(void *data)
{
	int set;

	start_fenced(stop, &set);
	CALL(raise(SIGSTOP));
}

TEST(fence_acts_while_its_maker_is_stopped)
{
	pid_t maker;
	int status;

	prepare();
	maker = start(make_and_stop, NULL);
	CALL(close(life[1]));
	CALL(waitpid(maker, &status, WUNTRACED));
	ASSERT(WIFSTOPPED(status));
	check_end_of_group();
	kill_child(maker);
}

static void keep(void *data)
{
	wait_to_be_killed(NULL);
}

static void make_and_die(void *data)
{
	int set;

	start_fenced(spin, &set);
	shared->other = start(keep, NULL);
	CALL(raise(SIGKILL));
}

/* Another process still has the descriptor. */
TEST(fence_acts_after_its_maker_has_died)
{
	pid_t maker;

	prepare();
	maker = start(make_and_die, NULL);
	CALL(close(life[1]));
	check_killed(maker);
	check_end_of_group();
	CALL(kill(shared->other, SIGKILL));
}

static void make_and_close(void *data)
{
	int set;

	shared->other = start_fenced(stop, &set);
	ASSERT_EQ(twheel_close(set), 0);
	usleep(2 * LEASE / 1000);
	/* It is still there, and has not ended. */
	ASSERT_EQ(CALL(waitpid(shared->other, NULL, WNOHANG)), 0);
	kill_child(shared->other);
}

TEST(fence_ends_with_the_last_descriptor)
{
	prepare();
	join(start(make_and_close, NULL));
}

/* The first process of a PID namespace is spared by signals of the kernel. */
TEST(fence_spares_the_first_process_of_a_namespace)
{
	pid_t pid;
	int set;

	if (unshare(CLONE_NEWPID))
		skip("no PID namespaces here");
	prepare();
	pid = start_fenced(spin, &set);
	ASSERT_EQ(twheel_wait(set, 30000), 1);
	usleep(LEASE / 1000);
	ASSERT_EQ(CALL(waitpid(pid, NULL, WNOHANG)), 0);
	kill_child(pid);
}

/* A timer, and the signals that are blocked in this process. */
static int set_with_timer(uint64_t ns)
{
	struct twheel_op op = twheel_after(ns, 1);
	const int set = twheel_open(O_NONBLOCK);
	sigset_t signals;

	ASSERT_GE(set, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	CALL(sigprocmask(SIG_BLOCK, &signals, NULL));
	ASSERT_EQ(twheel_add(set, &op), 0);
	return set;
}

static bool is_pending(int number)
{
	sigset_t signals;

	CALL(sigpending(&signals));
	return sigismember(&signals, number);
}

TEST(fence_takes_the_place_of_an_older_one)
{
	const int set = set_with_timer(LEASE);

	ASSERT_EQ(twheel_fence(set, getpid(), SIGUSR1), 0);
	ASSERT_EQ(twheel_fence(set, getpid(), SIGUSR2), 0);
	ASSERT_EQ(twheel_wait(set, 30000), 1);
	while (!is_pending(SIGUSR2))
		usleep(1000);
	ASSERT(!is_pending(SIGUSR1));
	/* The program can set it up again when it has read the event. */
	ASSERT_EQ(twheel_fence(set, getpid(), SIGUSR1), -EBUSY);
	ASSERT_EQ(twheel_read(set, &(struct twheel_event){ 0 }, 1), 1);
	ASSERT_EQ(twheel_fence(set, getpid(), SIGUSR1), 0);
}

TEST(fence_can_be_ended)
{
	const int set = set_with_timer(LEASE);

	ASSERT_EQ(twheel_fence(set, getpid(), SIGUSR1), 0);
	ASSERT_EQ(twheel_fence(set, 0, SIGUSR1), -EINVAL);
	ASSERT(fcntl(set, F_GETFL) & O_ASYNC);
	ASSERT_EQ(twheel_fence(set, 0, 0), 0);
	ASSERT_EQ(fcntl(set, F_GETFL) & (O_ASYNC | O_NONBLOCK), O_NONBLOCK);
	ASSERT_EQ(twheel_wait(set, 30000), 1);
	usleep(100000);
	ASSERT(!is_pending(SIGUSR1));
}

static void try_as_user(void *data)
{
	const int set = *(int *)data;

	ASSERT(become_user());
	ASSERT_EQ(twheel_fence(set, getppid(), SIGKILL), -EPERM);
	ASSERT_EQ(twheel_fence(set, getpid(), SIGKILL), 0);
	ASSERT_EQ(twheel_fence(set, 0, 0), 0);
}

TEST(fence_refuses_what_it_cannot_do_and_changes_nothing)
{
	const int signals[] = { 0, -1, 65, INT_MAX };
	int set = set_with_timer(FAR);
	const pid_t gone = start(keep, NULL);
	unsigned int i;

	kill_child(gone);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		ASSERT_EQ(twheel_fence(set, getpid(), signals[i]), -EINVAL);
	ASSERT_EQ(twheel_fence(set, -1, SIGKILL), -EINVAL);
	ASSERT_EQ(twheel_fence(set, INT_MIN, SIGKILL), -EINVAL);
	ASSERT_EQ(twheel_fence(set, gone, SIGKILL), -ESRCH);
	/* a process, but no group */
	ASSERT_EQ(twheel_fence(set, -start(keep, NULL), SIGKILL), -ESRCH);
	ASSERT_EQ(twheel_fence(-1, getpid(), SIGKILL), -EBADF);
	ASSERT_EQ(twheel_fence(STDOUT_FILENO, getpid(), SIGKILL), -ENOTTY);
	ASSERT(!(fcntl(set, F_GETFL) & O_ASYNC));
	ASSERT_EQ(fcntl(set, F_GETOWN), 0);
	join(start(try_as_user, &set));
}

static void set_variables(const char *fd, const char *ns)
{
	CALL(fd ? setenv("TWHEEL_LEASE_FD", fd, 1) : unsetenv("TWHEEL_LEASE_FD"));
	CALL(ns ? setenv("TWHEEL_LEASE_NS", ns, 1) : unsetenv("TWHEEL_LEASE_NS"));
}

TEST(lease_comes_from_the_environment)
{
	struct twheel_op op = twheel_after(FAR, 1);
	const int set = set_with_timer(FAR);
	uint64_t ns = 7;
	char text[12];
	int lease;

	ASSERT_EQ(twheel_add(set, &op), 0);
	lease = twheel_lease(set, op.handle, FAR, 0);
	ASSERT_GE(lease, 0);
	CALL(fcntl(lease, F_SETFD, 0));
	snprintf(text, sizeof(text), "%d", lease);
	set_variables(text, "100000000000");
	ASSERT_EQ(twheel_lease_from_env(&ns), lease);
	ASSERT_EQ(ns, FAR);
	ASSERT_EQ(fcntl(lease, F_GETFD), FD_CLOEXEC);
	set_variables(text, NULL);
	ASSERT_EQ(twheel_lease_from_env(NULL), lease);
	/* The program learns that the lease has ended from its push. */
	ASSERT_EQ(twheel_cancel(set, op.handle), 0);
	ASSERT_EQ(twheel_lease_from_env(NULL), lease);
}

TEST(lease_that_is_none_is_refused)
{
	static const char *const nonsense[] = {
		"", "x", "-1", "+3", " 3", "3 ", "0x3", "2147483648", "18446744073709551617"
	};
	const int set = set_with_timer(FAR);
	uint64_t ns = 7;
	char text[12];
	unsigned int i;

	set_variables(NULL, "1");
	ASSERT_EQ(twheel_lease_from_env(&ns), -ENOENT);
	for (i = 0; i < ARRAY_SIZE(nonsense); i++) {
		set_variables(nonsense[i], "1");
		ASSERT_EQ(twheel_lease_from_env(&ns), -EINVAL);
	}
	set_variables("1000000", "1");
	ASSERT_EQ(twheel_lease_from_env(&ns), -EBADF);
	snprintf(text, sizeof(text), "%d", set);
	set_variables(text, "1");
	ASSERT_EQ(twheel_lease_from_env(&ns), -ENOTTY);
	set_variables(text, NULL);
	ASSERT_EQ(twheel_lease_from_env(&ns), -ENOENT);
	set_variables(text, "9223372036854775808");
	ASSERT_EQ(twheel_lease_from_env(&ns), -EINVAL);
	ASSERT_EQ(ns, 7);
}
